//! A drawing as PDF: one page of vector paths and text in the fonts that every viewer has. [`paint`] writes what is on the page,
//! [`path`] its shapes, [`font`] knows letters and their widths, [`page`] is the file around it.
//!
//! Coordinates are those of the drawing, y downwards: the page turns them over once, and each text turns itself back.

mod font;
mod page;
mod paint;
mod path;

use kuva::render::render::Scene;

/// Points of a page for one unit of a drawing: 72 for 96.
const POINTS: f64 = 0.75;

/// The file's bytes, or what in the drawing cannot be written.
pub(crate) fn of(scene: &Scene) -> Result<Vec<u8>, String> {
    let mut painter = paint::Painter::default();
    painter.begin(scene)?;
    for element in &scene.elements {
        painter.add(element)?;
    }
    let size = [scene.width, scene.height].map(|v| POINTS * v);
    Ok(page::file(&painter, size))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use kuva::render::render::{PathData, Primitive, TextAnchor};

    fn painted(elements: &[Primitive]) -> Result<String, String> {
        let mut painter = paint::Painter::default();
        elements.iter().try_for_each(|e| painter.add(e))?;
        Ok(painter.text)
    }

    fn text(content: &str, anchor: TextAnchor) -> Primitive {
        Primitive::Text {
            x: 100.0,
            y: 50.0,
            content: content.into(),
            size: 10,
            anchor,
            rotate: None,
            bold: false,
            color: None,
        }
    }

    /// Letters, a raised exponent, and a sign of the other font.
    #[test]
    fn a_text_of_three_fonts() {
        let found = painted(&[text("10⁻³ λ", TextAnchor::Start)]).unwrap();
        let shown = "/F0 10 Tf 0 Ts <3130> Tj /F1 6.2 Tf 3.6 Ts <2D> Tj /F0 6.2 Tf 3.6 Ts <33> Tj \
                     /F0 10 Tf 0 Ts <20> Tj /F1 10 Tf 0 Ts <6C> Tj";
        assert!(found.contains(shown), "{found}");
        assert!(found.contains("1 0 0 -1 100 50 Tm"), "{found}");
        // half of three digits of 0.556 to the left
        let middle = painted(&[text("123", TextAnchor::Middle)]).unwrap();
        assert!(middle.contains("1 0 0 -1 91.66 50 Tm"), "{middle}");
    }

    #[test]
    fn a_path_that_is_closed_and_pale() {
        let path = |d: &str| {
            painted(&[Primitive::Path(Box::new(PathData {
                d: d.into(),
                fill: Some("#ff0000".into()),
                stroke: "none".into(),
                stroke_width: 0.0,
                opacity: Some(0.18),
                stroke_dasharray: None,
            }))])
        };
        let found = path("M 1 2 L 3.5 4 L 5 6 Z").unwrap();
        assert_eq!(
            found, "q /G18 gs 1 0 0 rg 1 2 m 3.5 4 l 5 6 l h f Q\n",
            "a band"
        );
        assert_eq!(
            path("M 1 2 A 3 3 0 0 1 4 4").unwrap_err(),
            "a path with `A`"
        );
    }

    /// Every entry of the table of objects points at its object.
    #[test]
    fn the_table_of_objects_is_right() {
        let mut scene = Scene::new(200.0, 100.0);
        scene.add(text("step", TextAnchor::End));
        let bytes = of(&scene).unwrap();
        let find = |what: &[u8]| bytes.windows(what.len()).rposition(|w| w == what).unwrap();
        let table = std::str::from_utf8(&bytes[find(b"xref\n0")..]).unwrap();
        let places = table.lines().skip(3).take_while(|l| l.ends_with("n "));
        let mut n = 0;
        for (k, line) in places.enumerate() {
            let at: usize = line[..10].parse().unwrap();
            let head = format!("{} 0 obj", k + 1);
            assert!(bytes[at..].starts_with(head.as_bytes()), "{head}");
            n += 1;
        }
        assert_eq!(n, 6);
        assert!(bytes.starts_with(b"%PDF-1.4") && bytes.ends_with(b"%%EOF\n"));
        let whole = String::from_utf8_lossy(&bytes);
        assert!(whole.contains("/MediaBox [0 0 150 75]"));
    }
}
