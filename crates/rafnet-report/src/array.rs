//! Arrays of numbers inside a page: base64 of their bytes, little end first.

use serde_json::{Value, json};

/// Numbers as `{"f32": "…"}`; NaN stays NaN.
///
/// ```
/// assert_eq!(rafnet_report::array::f32(&[1.0]).to_string(), r#"{"f32":"AACAPw=="}"#);
/// ```
pub fn f32(values: &[f64]) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "as exact as a picture")]
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|v| (*v as f32).to_le_bytes())
        .collect();
    json!({ "f32": base64(&bytes) })
}

/// Numbers as `{"f64": "…"}`: those that are read off to the last digit.
pub fn f64(values: &[f64]) -> Value {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    json!({ "f64": base64(&bytes) })
}

/// Bytes as `{"u8": "…"}`.
pub fn u8(bytes: &[u8]) -> Value {
    json!({ "u8": base64(bytes) })
}

/// Samples of a sound as `{"i16": "…"}`.
pub fn i16(values: &[i16]) -> Value {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    json!({ "i16": base64(&bytes) })
}

/// RFC 4648.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word =
            part.iter().fold(0u32, |w, b| (w << 8) | u32::from(*b)) << (8 * (3 - part.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= part.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn the_examples_of_the_standard() {
        let found = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|t| base64(t.as_bytes()));
        assert_eq!(
            found,
            [
                "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"
            ]
        );
    }
}
