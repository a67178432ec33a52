//! Numbers, colours and shapes in the operators of a PDF.

use kuva::render::color::Color;
use std::fmt::Write as _;

/// The control points of a quarter of a circle.
const QUARTER: f64 = 0.552_284_75;

/// A number with two digits after the point at most.
pub(super) fn num(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

/// Red, green and blue from 0 to 1.
pub(super) fn rgb(colour: &Color) -> Result<String, String> {
    match colour {
        Color::Rgb(r, g, b) => Ok([r, g, b].map(|v| num(f64::from(*v) / 255.0)).join(" ")),
        other => Err(format!("the colour `{}`", other.to_svg_string())),
    }
}

/// Points joined by lines.
pub(super) fn joined(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let step = |(k, (x, y)): (usize, (f64, f64))| {
        let operator = if k == 0 { "m" } else { "l" };
        format!("{} {} {operator}", num(x), num(y))
    };
    let steps: Vec<String> = points.into_iter().enumerate().map(step).collect();
    steps.join(" ")
}

/// Left, top, width and height.
pub(super) fn rectangle(place: [f64; 4]) -> String {
    format!("{} re", place.map(num).join(" "))
}

/// Four quarters.
pub(super) fn circle(x: f64, y: f64, r: f64) -> String {
    let k = QUARTER * r;
    let mut path = format!("{} {} m", num(x + r), num(y));
    for (a, b) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
        // from (a, b) to (−b, a)
        let points = [
            [x + r * a - k * b, y + r * b + k * a],
            [x - r * b + k * a, y + r * a + k * b],
            [x - r * b, y + r * a],
        ];
        let numbers = points.map(|p| p.map(num).join(" "));
        let _ = write!(path, " {} c", numbers.join(" "));
    }
    path + " h"
}

/// The operators of an SVG path of straight lines.
pub(super) fn operators(path: &str) -> Result<String, String> {
    let mut found: Vec<String> = Vec::new();
    let mut parts = path.split([' ', ',']).filter(|p| !p.is_empty());
    while let Some(command) = parts.next() {
        let operator = match command {
            "M" => "m",
            "L" => "l",
            "Z" => {
                found.push("h".into());
                continue;
            }
            other => return Err(format!("a path with `{other}`")),
        };
        let point = [parts.next(), parts.next()].map(|p| p.and_then(|t| t.parse::<f64>().ok()));
        let [Some(x), Some(y)] = point else {
            return Err(format!("a path without a point after `{command}`"));
        };
        found.push(format!("{} {} {operator}", num(x), num(y)));
    }
    Ok(found.join(" "))
}

/// How far a group is moved.
pub(super) fn moved(transform: Option<&str>) -> Result<[f64; 2], String> {
    let Some(transform) = transform else {
        return Ok([0.0; 2]);
    };
    let inner = transform
        .strip_prefix("translate(")
        .and_then(|t| t.strip_suffix(')'));
    let pair = inner.and_then(|t| t.split_once(','));
    let read = |t: &str| t.trim().parse::<f64>().ok();
    let found = pair.and_then(|(x, y)| Some([read(x)?, read(y)?]));
    found.ok_or_else(|| format!("a group with `{transform}`"))
}
