//! Numbers and lists as people write them.

/// A number to the second digit of its error.
///
/// ```
/// assert_eq!(rafnet_report::rounded(0.299_999_4, 1.5e-6), "0.2999994 ± 1.5e-6");
/// ```
pub fn rounded(value: f64, error: f64) -> String {
    if !(error.is_finite() && error > 0.0 && value.is_finite()) {
        return format!("{value} (no error known)");
    }
    let digits = (1.0 - error.log10().floor()).clamp(0.0, 17.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped"
    )]
    let digits = digits as usize;
    format!("{value:.digits$} ± {error:.1e}")
}

/// How many digits of an answer with this relative error are right.
pub(crate) fn digits(error: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped"
    )]
    let digits = (-error.log10()).floor().clamp(0.0, 16.0) as usize;
    digits
}

/// Seconds as people say them.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6_000.0 => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

/// A path as a word of a command line.
pub(crate) fn quoted(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{digits, duration, quoted, rounded};
    use std::path::Path;

    #[test]
    fn as_people_write_them() {
        assert_eq!(rounded(9.996_856, 0.037_3), "9.997 ± 3.7e-2");
        assert_eq!(rounded(2.0, f64::NAN), "2 (no error known)");
        assert_eq!([digits(3e-5), digits(0.0), digits(2.0)], [4, 16, 0]);
        assert_eq!(duration(2.49), "2.5 s");
        assert_eq!(duration(754.0), "12 min 34 s");
        assert_eq!(quoted(Path::new("runs/a-1")), "runs/a-1");
        assert_eq!(quoted(Path::new("runs/it's a")), "'runs/it'\\''s a'");
    }
}
