//! A page as one HTML file: the frame, the style sheet, the scripts and the data put together.

use crate::page::Page;

const FRAME: &str = include_str!("../page/report.html");
const STYLES: [&str; 2] = [
    include_str!("../page/vendor/uPlot.min.css"),
    include_str!("../page/report.css"),
];
/// That of uPlot, which asks to be handed on with it.
const LICENCE: &str = include_str!("../page/vendor/uPlot-LICENSE");
/// In the order in which they run. A section's script registers itself under its kind; `start.js` is the last.
const SCRIPTS: [&str; 17] = [
    include_str!("../page/vendor/uPlot.iife.min.js"),
    include_str!("../page/common.js"),
    include_str!("../page/chart.js"),
    include_str!("../page/field.js"),
    include_str!("../page/sections/maps.js"),
    include_str!("../page/sections/lines.js"),
    include_str!("../page/sections/swipe.js"),
    include_str!("../page/sections/search.js"),
    include_str!("../page/sections/curves.js"),
    include_str!("../page/sections/plot.js"),
    include_str!("../page/sections/table.js"),
    include_str!("../page/sections/picture.js"),
    include_str!("../page/sections/sound.js"),
    include_str!("../page/sections/video.js"),
    include_str!("../page/sections/settings.js"),
    include_str!("../page/sections/heading.js"),
    include_str!("../page/start.js"),
];

impl Page {
    /// The whole file.
    pub fn html(&self) -> String {
        let data = self.json().to_string();
        let mut text = String::with_capacity(data.len() + 200_000);
        // the frame has each of the marks once, in this order; what is put in is not searched again
        let mut rest = FRAME;
        for (mark, filling) in [
            ("{{title}}", escaped(&self.title)),
            ("{{style}}", STYLES.concat()),
            ("{{data}}", inside_a_script(&data)),
            (
                "{{script}}",
                format!("/* uPlot:\n{LICENCE}\n*/\n{}", SCRIPTS.join("\n")),
            ),
        ] {
            if let Some((before, after)) = rest.split_once(mark) {
                text.push_str(before);
                text.push_str(&filling);
                rest = after;
            }
        }
        text.push_str(rest);
        text
    }
}

/// JSON that cannot end the script element it stands in.
fn inside_a_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{FRAME, SCRIPTS};
    use crate::page::{Page, Section, Tone, Verdict};
    use serde_json::{Value, json};

    fn page(title: &str) -> Page {
        Page {
            title: title.into(),
            about: title.into(),
            verdict: Verdict::new(Tone::Good, title),
            sections: vec![Section::new(
                "table",
                title,
                title,
                json!({ "rows": [[title]] }),
            )],
        }
    }

    /// A name out of a file ends no element, is no element, and is not taken for a mark of the frame.
    #[test]
    fn texts_stay_texts() {
        for name in [
            "</script><script>alert(1)</script>",
            "<!-- <script>",
            "{{data}}{{script}}",
            "a\u{2028}b & \"c\" <b>",
        ] {
            let html = page(name).html();
            assert_eq!(html.matches("</script>").count(), 2, "{name}");
            let (_, after) = html
                .split_once("<script type=\"application/json\" id=\"data\">")
                .expect("data");
            let (data, _) = after.split_once("</script>").expect("an end");
            let data: Value = serde_json::from_str(data).expect("JSON");
            assert_eq!(data["title"], name);
            assert_eq!(data["sections"][0]["data"]["rows"][0][0], name);
            assert!(!html.contains("<b>"), "{name}");
        }
    }

    #[test]
    fn the_frame_has_its_marks_once_and_in_order() {
        let places = ["{{title}}", "{{style}}", "{{data}}", "{{script}}"].map(|mark| {
            assert_eq!(FRAME.matches(mark).count(), 1, "{mark}");
            FRAME.find(mark)
        });
        assert!(places.is_sorted());
        assert!(SCRIPTS.iter().all(|s| !s.contains("</script")));
    }
}
