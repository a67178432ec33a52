//! The file around a page: its objects, and the table of where they begin.

use super::POINTS;
use super::paint::Painter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::Write as _;
use std::io::Write as _;

/// A file of one page of this size, in points.
pub(super) fn file(painter: &Painter, [width, height]: [f64; 2]) -> Vec<u8> {
    let turned = format!("{POINTS} 0 0 -{POINTS} 0 {height:.2} cm 4 M\n");
    let content = packed(&(turned + &painter.text));
    let mut pale = String::new();
    for percent in &painter.opacities {
        let share = f64::from(*percent) / 100.0;
        let _ = write!(pale, "/G{percent} << /ca {share} /CA {share} >> ");
    }
    let font = |name: &str, encoding: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} {encoding}>>").into_bytes()
    };
    let stream = [
        format!(
            "<< /Length {} /Filter /FlateDecode >>\nstream\n",
            content.len()
        )
        .as_bytes(),
        &content,
        b"\nendstream",
    ]
    .concat();
    let objects: [Vec<u8>; 6] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /Font << /F0 5 0 R /F1 6 0 R >> /ExtGState << {pale}>> >> >>"
        )
        .into_bytes(),
        stream,
        font("Helvetica", "/Encoding /WinAnsiEncoding "),
        font("Symbol", ""),
    ];
    let mut bytes = b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n".to_vec();
    let mut table = String::new();
    for (k, object) in objects.iter().enumerate() {
        let _ = writeln!(table, "{:010} 00000 n ", bytes.len());
        bytes.extend(format!("{} 0 obj\n", k + 1).into_bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let (at, n) = (bytes.len(), objects.len() + 1);
    let tail = format!(
        "xref\n0 {n}\n0000000000 65535 f \n{table}trailer\n<< /Size {n} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n"
    );
    bytes.extend(tail.into_bytes());
    bytes
}

fn packed(text: &str) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    let written = packer.write_all(text.as_bytes());
    // a vector takes whatever is written
    written.and_then(|()| packer.finish()).unwrap_or_default()
}
