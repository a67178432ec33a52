//! Narrow features of known texts: sources, coefficients, boundary and initial values, integrands.
//!
//! A judge looks at points, and a peak between them is seen by nobody. But it stands in a text, and texts can be bounded between
//! points ([`Enclosing`](crate::expr::Enclosing)). Data flow:
//!
//! ```text
//! Problem ─ texts ─▶ known parts, each in its own coordinates ─ bisect ─▶ witnesses ─ measure ─▶ Place
//!           values at the judge's points (Looks) ───────────────┘
//! ```
//!
//! Each part is searched twice: its values for peaks, its derivatives for steps. It is a search and no proof: with its boxes spent it
//! says *not excluded*. What is found is kept if it is narrow against the domain and flat around: a smooth text whose maximum no point
//! met is no feature. Missed are texts on curved boundaries, and a derivative that is too long.

mod bisect;
mod field;
mod measure;
mod oblique;
#[cfg(test)]
mod tests;
mod texts;
mod tuning;

use super::{EXAMINING, Purpose};
use crate::domain::{DomainError, Draw};
use crate::expr::{Expr, Interval, Role, Scope, larger, smaller};
use crate::problem::{Over, Place, Problem, Shape, Strip};
use bisect::{Bisection, Zone, farthest};
use field::Field;
use measure::Measured;
use oblique::Gradient;
use texts::{Text, Texts};
use tuning::{
    BOXES, LARGEST_DERIVATIVE, MET, MET_BY_CHANCE, MOST_COORDINATES, NARROW, OPERATIONS, PLACES,
    REACH, WITNESSES,
};

/// What the search found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Narrow {
    pub(crate) places: Vec<Place>,
    /// What points meet and is narrow all the same: strips, and values on faces that may travel.
    pub(crate) met: Vec<Place>,
    /// Whether there is nothing else, to one per cent of what each text varies by.
    pub(crate) excluded: bool,
    /// Boxes that were enclosed.
    pub(crate) boxes: usize,
}

/// Where the judge looks, n × d by rows.
struct Looks {
    inside: Vec<f64>,
    /// For each residual of a system.
    residuals: Vec<Vec<f64>>,
    /// For each report.
    reports: Vec<Vec<f64>>,
}

impl Looks {
    /// As many points as an answer is examined at.
    ///
    /// # Errors
    /// When the domain cannot draw points.
    fn of(problem: &Problem, draw: &Draw) -> Result<Self, DomainError> {
        let draw = draw.round(Purpose::Narrow.round()).held_out();
        let inside = problem.domain.interior(EXAMINING, &draw)?;
        let on = |pieces: &[usize]| {
            let drawn = problem.domain.boundary(pieces, EXAMINING / 2, &draw);
            drawn.map(|drawn| drawn.points)
        };
        let mut residuals = vec![inside.clone(); problem.equations.len()];
        for condition in &problem.conditions {
            residuals.push(on(&condition.pieces)?);
        }
        residuals.extend(problem.data.iter().map(|o| o.points.clone()));
        residuals.extend(problem.constraints.iter().map(|_| inside.clone()));
        let mut reports = Vec::new();
        for report in &problem.reports {
            reports.push(match &report.over {
                Over::Boundary { pieces, .. } => on(pieces)?,
                _ => inside.clone(),
            });
        }
        Ok(Self {
            inside,
            residuals,
            reports,
        })
    }
}

impl Narrow {
    /// Searches the texts of a problem for what as many points as an answer is examined at would miss; not in many coordinates, where boxes
    /// are too large to bound anything.
    ///
    /// # Errors
    /// When the domain cannot draw points.
    pub(crate) fn of(problem: &Problem, draw: &Draw) -> Result<Self, DomainError> {
        if problem.coordinates.len() > MOST_COORDINATES {
            return Ok(Self::default());
        }
        Ok(Self::search(problem, &Looks::of(problem, draw)?))
    }

    /// Searches the texts of a problem for what the judge's points miss, and where something narrow may lie along no axis for what they meet
    /// too: strips, and values on faces that may travel.
    fn search(problem: &Problem, looks: &Looks) -> Self {
        let texts = Texts::of(problem, looks);
        let mut narrow = Self::beyond(problem, &texts, MET_BY_CHANCE);
        if problem.coordinates.len() > 1 {
            let met = Self::beyond(problem, &texts, MET);
            let slanted = |p: &Place| p.across.is_some() || !p.pieces.is_empty();
            narrow.met = met.places.into_iter().filter(slanted).collect();
        }
        narrow
    }

    /// Searches the texts for what lies beyond the values at points but for the most extreme one of so many.
    fn beyond(problem: &Problem, texts: &Texts<'_>, chance: usize) -> Self {
        let mut narrow = Self {
            places: Vec::new(),
            met: Vec::new(),
            excluded: texts.complete,
            boxes: 0,
        };
        let derivatives = texts.list.iter().map(|text| text.expr.coordinates().len());
        let derivatives: usize = derivatives.sum();
        for text in &texts.list {
            let mut search = TextSearch::new(problem, text, chance);
            search.values(OPERATIONS / texts.list.len());
            search.derivatives(OPERATIONS / derivatives.max(1));
            narrow.places.append(&mut search.places);
            narrow.excluded &= search.excluded;
            narrow.boxes += search.boxes;
        }
        narrow
    }
}

/// The search through one text.
struct TextSearch<'a> {
    problem: &'a Problem,
    text: &'a Text<'a>,
    /// Of so many values the most extreme one does not count.
    chance: usize,
    places: Vec<Place>,
    /// Around the places, by coordinates of the text.
    zones: Vec<Zone>,
    /// The coordinates along which the text is looked at, and its derivatives along them; those that are too long are left out.
    free: Vec<usize>,
    slopes: Vec<Expr>,
    /// How far the text's values spread, found ones included.
    scale: f64,
    excluded: bool,
    boxes: usize,
}

impl<'a> TextSearch<'a> {
    fn new(problem: &'a Problem, text: &'a Text<'a>, chance: usize) -> Self {
        let free = text.expr.coordinates().into_iter();
        let free: Vec<usize> = free.filter(|k| text.sides[*k].width() > 0.0).collect();
        let slope = |k: &usize| text.expr.derivative_within(*k, LARGEST_DERIVATIVE).ok();
        let slopes = free.iter().filter_map(slope).collect();
        Self {
            problem,
            text,
            chance,
            places: Vec::new(),
            zones: Vec::new(),
            free,
            slopes,
            scale: 0.0,
            excluded: true,
            boxes: 0,
        }
    }

    /// Peaks: values beyond those seen.
    fn values(&mut self, operations: usize) {
        let Some(mut field) = self.field(&self.text.expr) else {
            return;
        };
        let found = self.candidates(&mut field, operations);
        for candidate in found {
            if candidate.singular && self.cancels(&field, &candidate.measured) {
                continue;
            }
            self.keep(&field, &candidate, Shape::Peak);
        }
    }

    /// Steps, and peaks that are no higher than others: slopes beyond those seen.
    fn derivatives(&mut self, operations: usize) {
        if self.places.iter().any(|place| place.singular) {
            return;
        }
        let Some(mut field) = self.field(&self.text.expr) else {
            return;
        };
        for slope in self.slopes.clone() {
            let Some(mut slopes) = self.field(&slope) else {
                continue;
            };
            for mut candidate in self.candidates(&mut slopes, operations) {
                let Some(k) = field
                    .axes
                    .iter()
                    .position(|axis| *axis == slopes.axes[candidate.axis])
                else {
                    continue;
                };
                candidate.measured = candidate.measured.in_coordinates_of(&field, &slopes.axes);
                candidate.axis = k;
                if let Some(shape) = self.shape(&mut field, &candidate) {
                    self.keep(&field, &candidate, shape);
                }
            }
        }
    }

    fn field(&mut self, expr: &Expr) -> Option<Field<'a>> {
        let field = Field::new(expr, &self.text.sides, self.text.within).ok();
        field.filter(|field| !field.free.is_empty())
    }

    /// Narrow places of a field, each once.
    fn candidates(&mut self, field: &mut Field<'_>, operations: usize) -> Vec<Candidate> {
        let mut found = Vec::new();
        let seen = field.seen(
            self.text.points,
            self.problem.coordinates.len(),
            self.chance,
        );
        if seen.n == 0 {
            self.excluded = false;
            return found;
        }
        let boxes = BOXES.min(operations / field.cost());
        let mut search = Bisection::new(field, seen, boxes);
        for _ in 0..WITNESSES {
            if found.len() == PLACES {
                search.excluded = false;
                break;
            }
            let Some(witness) = search.next(field) else {
                break;
            };
            let (at, value) = measure::climb(field, &witness);
            let excess = search.beyond(value, witness.sign);
            let level = value - 0.5 * witness.sign * excess;
            let level = if level.is_finite() {
                level
            } else {
                witness.sign * f64::MAX
            };
            let measured = measure::measure(field, at, value, level, witness.sign);
            let around: Vec<Interval> = around(field, &measured);
            let singular = !field.enclose(&around).range.is_bounded();
            let share = |k: &usize| 2.0 * measured.half[*k] / field.sides[*k].width();
            let narrowest = field.free.iter().copied();
            let Some(axis) = narrowest.min_by(|a, b| share(a).total_cmp(&share(b))) else {
                break;
            };
            let narrow = share(&axis) < NARROW
                && (singular
                    || measure::is_localised(field, &measured, axis, 0.5 * excess, witness.sign));
            let known = search.zones.iter().any(|zone| zone.holds(&measured.at));
            let strip = self.strip(field, &measured, axis).filter(|_| !singular);
            // the zone holds the witness too, or the search would come back to it
            let reach = |k: usize| {
                let side = witness.sides[k];
                let farthest = (side.high - measured.at[k]).max(measured.at[k] - side.low);
                (REACH * measured.width[k]).max(farthest)
            };
            let reach = (0..measured.at.len()).map(reach).collect();
            let at = measured.at.clone();
            let across = strip.as_ref().map(|strip| {
                let normal = zone_normal(field, strip);
                let reach = farthest(&normal, &at, &witness.sides);
                (normal, reach.max(REACH * strip.width))
            });
            search.leave(Zone { at, reach, across }, excess);
            if narrow && !known {
                found.push(Candidate {
                    measured,
                    singular,
                    axis,
                    strip,
                });
            }
        }
        self.scale = self.scale.max(search.scale);
        self.excluded &= search.excluded;
        self.boxes += search.made();
        found
    }

    /// The strip that a place is part of, if it lies along no axis.
    fn strip(&self, field: &Field<'_>, measured: &Measured, axis: usize) -> Option<Strip> {
        if self.free.len() < 2 || self.slopes.len() < self.free.len() {
            return None;
        }
        let mut at: Vec<f64> = self.text.sides.iter().map(|side| side.middle()).collect();
        for (axis, x) in field.axes.iter().zip(&measured.at) {
            at[*axis] = *x;
        }
        let gradient = Gradient {
            axes: &self.free,
            slopes: &self.slopes,
            sides: &self.text.sides,
        };
        gradient.strip(&at, field.axes[axis], measured.width[axis])
    }

    /// What a steep slope belongs to: a step or a peak, unless the text hardly changes there.
    fn shape(&mut self, field: &mut Field<'_>, candidate: &Candidate) -> Option<Shape> {
        let Measured { at, width, .. } = &candidate.measured;
        let near = self.zones.iter().any(|zone| zone.holds(at));
        if near || candidate.singular {
            return None;
        }
        let (k, n) = (candidate.axis, 64usize);
        let (side, reach) = (field.sides[k], 2.0 * width[k]);
        let position = |j: usize| at[k] + reach * (2.0 * j as f64 / n as f64 - 1.0);
        let moved: Vec<f64> = (0..=n)
            .map(|j| position(j).clamp(side.low, side.high))
            .collect();
        let values = field.along(at, k, &moved);
        let low = values.iter().copied().fold(f64::INFINITY, smaller);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, larger);
        let whole = high - low;
        let across = (values[0] - values[n]).abs();
        let scale = field.seen(
            self.text.points,
            self.problem.coordinates.len(),
            self.chance,
        );
        let scale = (scale.high - scale.low).max(whole);
        let changes = whole.is_finite() && whole > tuning::EXCESS * scale && whole > 0.0;
        let shape = if 2.0 * across > whole {
            Shape::Step
        } else {
            Shape::Peak
        };
        changes.then_some(shape)
    }

    /// Whether the whole source stays finite where a summand does not.
    fn cancels(&self, field: &Field<'_>, measured: &Measured) -> bool {
        if self.text.role != Role::Source {
            return false;
        }
        let at_distance = |share: f64| {
            let middles = self.text.sides.iter();
            let mut x: Vec<f64> = middles.map(|side| side.middle()).collect();
            for (j, axis) in field.axes.iter().enumerate() {
                let side = field.sides[j];
                let towards = if measured.at[j] < side.middle() {
                    1.0
                } else {
                    -1.0
                };
                x[*axis] = measured.at[j] + towards * share * side.width();
            }
            let source = |leaf: &crate::expr::Leaf| match leaf {
                crate::expr::Leaf::Coordinate(k) => x[*k],
                _ => 0.0,
            };
            self.text.whole.eval(&source).abs()
        };
        let far = at_distance(1e-2).max(at_distance(1e-3));
        at_distance(1e-7) <= 10.0 * far
    }

    fn keep(&mut self, field: &Field<'_>, candidate: &Candidate, shape: Shape) {
        let Measured {
            at, width, ends, ..
        } = &candidate.measured;
        if self.places.len() == PLACES || self.zones.iter().any(|zone| zone.holds(at)) {
            return;
        }
        let d = self.problem.coordinates.len();
        let (mut whole_at, mut whole_width) = (vec![None; d], vec![None; d]);
        let mut whole_ends = vec![None; d];
        for k in &field.free {
            whole_at[field.axes[*k]] = Some(at[*k]);
            whole_width[field.axes[*k]] = Some(width[*k]);
            whole_ends[field.axes[*k]] = Some(ends[*k]);
        }
        let strip = candidate.strip.as_ref();
        self.zones.push(Zone {
            at: at.clone(),
            reach: width.iter().map(|w| REACH * w).collect(),
            across: strip.map(|strip| (zone_normal(field, strip), REACH * strip.width)),
        });
        let scope = Scope::new(self.problem.coordinates.iter().cloned());
        self.places.push(Place {
            text: self.text.expr.display(&scope).to_string(),
            owner: self.text.owner,
            role: self.text.role,
            shape,
            at: whole_at,
            width: whole_width,
            ends: whole_ends,
            across: candidate.strip.clone(),
            singular: candidate.singular,
            pieces: self.text.pieces.clone(),
        });
    }
}

/// A narrow place in a field's own coordinates.
struct Candidate {
    measured: Measured,
    singular: bool,
    /// Along which of the field's axes it is narrowest.
    axis: usize,
    strip: Option<Strip>,
}

/// A strip's normal in the coordinates of a field.
fn zone_normal(field: &Field<'_>, strip: &Strip) -> Vec<f64> {
    field.axes.iter().map(|k| strip.normal[*k]).collect()
}

/// The box of a place: two widths to each side, so that what is infinite near by is met.
fn around(field: &Field<'_>, measured: &Measured) -> Vec<Interval> {
    let side = |k: usize| {
        let (at, reach, side) = (measured.at[k], 2.0 * measured.width[k], field.sides[k]);
        Interval::new((at - reach).max(side.low), (at + reach).min(side.high))
    };
    (0..measured.at.len()).map(side).collect()
}
