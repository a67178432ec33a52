//! One page with its pictures inside: it can be opened anywhere, without a network.

use super::Row;
use crate::output::Failure;
use crate::progress::duration;
use std::fmt::Write as _;
use std::path::PathBuf;

pub(super) struct Section {
    pub(super) title: String,
    pub(super) text: String,
    pub(super) pictures: Vec<PathBuf>,
}

pub(super) struct Page {
    title: String,
    body: String,
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#282830}\
    table{border-collapse:collapse}td,th{padding:.3em 1.2em .3em 0;text-align:left;border-bottom:1px solid #e2e2e6}\
    td.n{text-align:right}figure{display:inline-block;margin:.5em 1em .5em 0}img{max-width:100%;border:1px solid #e2e2e6}\
    img.small{width:256px;image-rendering:pixelated}";

impl Page {
    pub(super) fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            body: String::new(),
        }
    }

    /// Adds a section with its pictures; one that was not made is left out.
    pub(super) fn add(&mut self, section: &Section) -> Result<(), Failure> {
        let _ = write!(
            self.body,
            "<h2>{}</h2><p>{}</p>",
            escaped(&section.title),
            escaped(&section.text)
        );
        for path in &section.pictures {
            if !path.exists() {
                continue;
            }
            let bytes = rafnet_memory::read(path).map_err(|e| {
                Failure::new(
                    format!("cannot read `{}`: {e}", path.display()),
                    "run raf demo again",
                )
            })?;
            let name = path
                .file_stem()
                .map_or_else(String::new, |s| s.to_string_lossy().into_owned());
            let small = if matches!(name.as_str(), "target" | "fit") {
                " class=\"small\""
            } else {
                ""
            };
            let _ = write!(
                self.body,
                "<figure><img{small} alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption></figure>",
                escaped(&name),
                base64(&bytes)
            );
        }
        Ok(())
    }

    pub(super) fn html(&self, rows: &[Row]) -> String {
        let mut table = String::from("<table><tr><th>what</th><th>figure</th><th>time</th></tr>");
        for row in rows {
            let _ = write!(
                table,
                "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
                escaped(&row.what),
                escaped(&row.figure),
                duration(row.seconds)
            );
        }
        table.push_str("</table>");
        format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
             <title>{0}</title><style>{STYLE}</style><h1>{0}</h1>{table}{1}</html>\n",
            escaped(&self.title),
            self.body
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// RFC 4648.
fn base64(bytes: &[u8]) -> String {
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
    use super::{base64, escaped};

    #[test]
    fn the_examples_of_the_standard() {
        let found = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|t| base64(t.as_bytes()));
        assert_eq!(
            found,
            [
                "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"
            ]
        );
        assert_eq!(escaped("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
    }
}
