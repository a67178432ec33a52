//! `on`: which part of the boundary a condition is for.

use super::formula::Formula;
use super::setting::Setting;
use crate::expr::Expr;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use crate::problem::suggestion::closest;

/// Pieces of the boundary, and a condition on their points.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) pieces: Vec<usize>,
    pub(super) filter: Option<Expr>,
}

impl Region {
    /// `all`, `x`, `x=0`, `edge 3`, `inner`, `outer`, `y > 0.5`.
    pub(super) fn read(setting: &Setting<'_>, on: &Formula) -> Result<Self, ProblemError> {
        let text = on.text.trim();
        let refused = |fault| Err(setting.source.error(&on.span, fault));
        if text == "all" {
            let pieces = setting.space_pieces();
            let filter = None;
            if pieces.is_empty() {
                let known = known(setting);
                let on = text.into();
                return refused(Fault::NoSuchPiece { on, known });
            }
            return Ok(Self { pieces, filter });
        }
        if is_condition(text) {
            return Self::condition(setting, on);
        }
        let pieces = match text.split_once('=') {
            Some((name, _)) => equal(setting, on, name)?,
            None => match setting.coordinates.iter().position(|name| name == text) {
                Some(axis) => ends(setting, axis),
                None => named(setting, text),
            },
        };
        if pieces.is_empty() {
            let known = known(setting);
            let on = text.into();
            return refused(Fault::NoSuchPiece { on, known });
        }
        if let Some(axis) = pieces.iter().find_map(|k| setting.periodic_axis(*k)) {
            let name = setting.coordinates[axis].clone();
            return refused(Fault::PeriodicBoundary { name });
        }
        Ok(Self {
            pieces,
            filter: None,
        })
    }

    /// The points of the boundary in space that satisfy a condition.
    fn condition(setting: &Setting<'_>, on: &Formula) -> Result<Self, ProblemError> {
        let filter = setting.names.condition(on)?;
        let mut pieces = setting.space_pieces();
        pieces.retain(|k| holds_somewhere(setting, *k, Some(&filter)));
        if pieces.is_empty() {
            let fault = Fault::EmptyRegion {
                on: on.text.clone(),
            };
            return Err(setting.source.error(&on.span, fault));
        }
        let filter = Some(filter);
        Ok(Self { pieces, filter })
    }
}

/// Whether the filter holds at one of the points looked at.
pub(super) fn holds_somewhere(setting: &Setting<'_>, piece: usize, filter: Option<&Expr>) -> bool {
    let Some(filter) = filter else { return true };
    let points = &setting.probes[piece].points;
    let mut points = points.chunks(setting.coordinates.len());
    points.any(|point| Setting::at(filter, point) != 0.0)
}

fn is_condition(text: &str) -> bool {
    let words = text.split_whitespace();
    text.contains(['<', '>', '!', '('])
        || words
            .into_iter()
            .any(|word| matches!(word, "and" | "or" | "not"))
}

/// `name=value`: whatever lies on that coordinate, ends of time included.
fn equal(setting: &Setting<'_>, on: &Formula, name: &str) -> Result<Vec<usize>, ProblemError> {
    let name = name.trim();
    let Some(axis) = setting.coordinates.iter().position(|other| other == name) else {
        let known: Vec<&str> = setting.coordinates.iter().map(String::as_str).collect();
        let fault = Fault::NotACoordinate {
            name: name.into(),
            closest: closest(name, &known),
            known: setting.coordinates.to_vec(),
        };
        return Err(setting.source.error(&on.span, fault));
    };
    let value = on.text[on.text.find('=').unwrap_or(0)..].trim_start_matches('=');
    let start = on.text.len() - value.len();
    let value = setting.names.number(&on.part(start..on.text.len()))?;
    let near = |(other, at): (usize, f64)| {
        other == axis && (at - value).abs() <= setting.domain.tolerance()
    };
    let pieces = setting.domain.pieces().iter().enumerate();
    Ok(pieces
        .filter(|(_, piece)| piece.face.fixed().is_some_and(near))
        .map(|(k, _)| k)
        .collect())
}

/// Both ends of a coordinate in space.
fn ends(setting: &Setting<'_>, axis: usize) -> Vec<usize> {
    let bounds = setting.domain.bounds()[axis];
    let at_end = |piece: usize| {
        let fixed = setting.domain.pieces()[piece].face.fixed();
        fixed.is_some_and(|(other, at)| other == axis && bounds.contains(&at))
    };
    let pieces = 0..setting.domain.pieces().len();
    pieces
        .filter(|k| !setting.is_time(*k) && at_end(*k))
        .collect()
}

/// Pieces by their names, with or without the part they belong to, and all pieces of a part.
fn named(setting: &Setting<'_>, text: &str) -> Vec<usize> {
    let matches = |piece: usize| {
        let name = setting.piece_name(piece);
        let own = name.rsplit(": ").next().unwrap_or(&name);
        name == text || own == text || name.starts_with(&format!("{text}: "))
    };
    let pieces = 0..setting.domain.pieces().len();
    pieces.filter(|k| matches(*k)).collect()
}

/// What could have been written.
fn known(setting: &Setting<'_>) -> Vec<String> {
    let mut known = vec!["all".to_owned()];
    known.extend((0..setting.domain.pieces().len()).map(|k| setting.piece_name(k)));
    known
}
