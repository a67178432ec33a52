//! What is on a page, in the operators of a PDF: paths, rectangles, circles, text, groups and clips.

use super::font::{self, Font};
use super::path::{circle, joined, moved, num, operators, rectangle, rgb};
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};
use std::fmt::Write as _;

/// The page so far.
#[derive(Default)]
pub(super) struct Painter {
    pub(super) text: String,
    /// In per cent, each once.
    pub(super) opacities: Vec<u8>,
    /// Of texts that have none of their own.
    ink: Option<Color>,
}

/// How a path is painted.
struct Paint<'a> {
    fill: Option<&'a Color>,
    opacity: Option<f64>,
    stroke: Option<&'a Color>,
    width: f64,
    dashes: Option<&'a str>,
}

impl Painter {
    /// The background.
    pub(super) fn begin(&mut self, scene: &Scene) -> Result<(), String> {
        self.ink = scene.text_color.as_deref().map(Color::from);
        let Some(colour) = scene.background_color.as_deref() else {
            return Ok(());
        };
        let all = format!("0 0 {} {} re", num(scene.width), num(scene.height));
        self.path(&all, &Paint::filled(&colour.into(), None))
    }

    pub(super) fn add(&mut self, element: &Primitive) -> Result<(), String> {
        match element {
            Primitive::Line {
                x1,
                y1,
                x2,
                y2,
                stroke,
                stroke_width,
                stroke_dasharray,
            } => {
                let paint = Paint::stroked(stroke, *stroke_width, stroke_dasharray.as_deref());
                self.path(&joined([(*x1, *y1), (*x2, *y2)]), &paint)
            }
            Primitive::PolyLine {
                points,
                stroke,
                stroke_width,
                stroke_dasharray,
            } => {
                let paint = Paint::stroked(stroke, *stroke_width, stroke_dasharray.as_deref());
                self.path(&joined(points.iter().copied()), &paint)
            }
            Primitive::Path(path) => self.path(&operators(&path.d)?, &Paint::of(path)),
            Primitive::Rect {
                x,
                y,
                width,
                height,
                fill,
                stroke,
                stroke_width,
                opacity,
            } => {
                let paint = Paint::filled(fill, *opacity).outlined(stroke.as_ref(), *stroke_width);
                self.path(&rectangle([*x, *y, *width, *height]), &paint)
            }
            Primitive::RectBatch { x, y, w, h, fills } => {
                for (k, fill) in fills.iter().enumerate() {
                    let place = rectangle([x[k], y[k], w[k], h[k]]);
                    self.path(&place, &Paint::filled(fill, None))?;
                }
                Ok(())
            }
            Primitive::Circle {
                cx,
                cy,
                r,
                fill,
                fill_opacity,
                stroke,
                stroke_width,
            } => {
                let paint =
                    Paint::filled(fill, *fill_opacity).outlined(stroke.as_ref(), *stroke_width);
                self.path(&circle(*cx, *cy, *r), &paint)
            }
            Primitive::CircleBatch {
                cx,
                cy,
                r,
                fill,
                fill_opacity,
                stroke,
                stroke_width,
            } => {
                let paint =
                    Paint::filled(fill, *fill_opacity).outlined(stroke.as_ref(), *stroke_width);
                let mut all = cx.iter().zip(cy);
                all.try_for_each(|(cx, cy)| self.path(&circle(*cx, *cy, *r), &paint))
            }
            other => self.add_other(other),
        }
    }

    /// Texts, groups and clips.
    fn add_other(&mut self, element: &Primitive) -> Result<(), String> {
        match element {
            Primitive::Text {
                x,
                y,
                content,
                size,
                anchor,
                rotate,
                color,
                ..
            } => {
                let turn = rotate.unwrap_or(0.0).to_radians();
                self.letters([*x, *y, turn], content, (*size, *anchor), color.as_ref())
            }
            Primitive::RichText {
                x,
                y,
                spans,
                size,
                anchor,
                color,
            } => {
                let content: String = spans.iter().map(|s| s.text.as_str()).collect();
                self.letters([*x, *y, 0.0], &content, (*size, *anchor), color.as_ref())
            }
            Primitive::GroupStart { transform, .. } => {
                let [x, y] = moved(transform.as_deref())?;
                let _ = writeln!(self.text, "q 1 0 0 1 {} {} cm", num(x), num(y));
                Ok(())
            }
            Primitive::ClipStart {
                x,
                y,
                width,
                height,
                ..
            } => {
                let place = rectangle([*x, *y, *width, *height]);
                let _ = writeln!(self.text, "q {place} W n");
                Ok(())
            }
            Primitive::GroupEnd | Primitive::ClipEnd => {
                self.text.push_str("Q\n");
                Ok(())
            }
            other => Err(format!("{other:?}")),
        }
    }

    fn path(&mut self, path: &str, paint: &Paint<'_>) -> Result<(), String> {
        let seen = |c: &&Color| !matches!(c, Color::None);
        let fill = paint.fill.filter(seen);
        let stroke = paint.stroke.filter(seen).filter(|_| paint.width > 0.0);
        let operator = match (fill, stroke) {
            (None, None) => return Ok(()),
            (Some(_), None) => "f",
            (None, Some(_)) => "S",
            (Some(_), Some(_)) => "B",
        };
        self.text.push_str("q ");
        if let Some(opacity) = paint.opacity {
            self.opacity(opacity);
        }
        if let Some(fill) = fill {
            let _ = write!(self.text, "{} rg ", rgb(fill)?);
        }
        if let Some(stroke) = stroke {
            let _ = write!(self.text, "{} RG {} w ", rgb(stroke)?, num(paint.width));
        }
        if let Some(dashes) = paint.dashes {
            let _ = write!(self.text, "[{}] 0 d ", dashes.replace(',', " "));
        }
        let _ = writeln!(self.text, "{path} {operator} Q");
        Ok(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 100"
    )]
    fn opacity(&mut self, share: f64) {
        let percent = (100.0 * share.clamp(0.0, 1.0)).round() as u8;
        if !self.opacities.contains(&percent) {
            self.opacities.push(percent);
        }
        let _ = write!(self.text, "/G{percent} gs ");
    }

    /// A text at a place, turned by an angle.
    fn letters(
        &mut self,
        [x, y, turn]: [f64; 3],
        content: &str,
        (size, anchor): (u32, TextAnchor),
        colour: Option<&Color>,
    ) -> Result<(), String> {
        let size = f64::from(size);
        let (pieces, width) = font::pieces(content);
        let before = match anchor {
            TextAnchor::Start => 0.0,
            TextAnchor::Middle => 0.5 * size * width,
            TextAnchor::End => size * width,
        };
        let (sin, cos) = turn.sin_cos();
        let at = [x - before * cos, y - before * sin];
        let ink = match colour.or(self.ink.as_ref()) {
            Some(colour) => rgb(colour)?,
            None => "0 0 0".into(),
        };
        let matrix = [cos, sin, sin, -cos, at[0], at[1]].map(num).join(" ");
        let _ = write!(self.text, "BT {ink} rg {matrix} Tm");
        for piece in pieces {
            let font = match piece.font {
                Font::Helvetica => "F0",
                Font::Symbol => "F1",
            };
            let [own, rise] = [piece.size * size, piece.rise * size].map(num);
            let _ = write!(self.text, " /{font} {own} Tf {rise} Ts <");
            for code in piece.codes {
                let _ = write!(self.text, "{code:02X}");
            }
            self.text.push_str("> Tj");
        }
        self.text.push_str(" ET\n");
        Ok(())
    }
}

impl<'a> Paint<'a> {
    fn filled(fill: &'a Color, opacity: Option<f64>) -> Self {
        Self {
            fill: Some(fill),
            opacity,
            stroke: None,
            width: 0.0,
            dashes: None,
        }
    }

    fn outlined(self, stroke: Option<&'a Color>, width: Option<f64>) -> Self {
        Self {
            stroke,
            width: width.unwrap_or(1.0),
            ..self
        }
    }

    fn stroked(stroke: &'a Color, width: f64, dashes: Option<&'a str>) -> Self {
        Self {
            fill: None,
            opacity: None,
            stroke: Some(stroke),
            width,
            dashes,
        }
    }

    fn of(path: &'a PathData) -> Self {
        Self {
            fill: path.fill.as_ref(),
            opacity: path.opacity,
            ..Self::stroked(
                &path.stroke,
                path.stroke_width,
                path.stroke_dasharray.as_deref(),
            )
        }
    }
}
