//! A narrow place in a known text: points and breaks for it, and a sentence.

use super::Problem;
use crate::domain::{Domain, DomainError, Draw};
use crate::expr::{Role, largest, smaller};

/// What is wider than this share of the domain is not narrow.
pub(crate) const NARROW: f64 = 0.1;

/// Whose text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// A residual, by its place in a system's list: equations, conditions, observations, constraints.
    Residual(usize),
    /// The filter of a condition.
    Filter(usize),
    /// A feature.
    Feature(usize),
    /// Factor or lift of an unknown.
    Ansatz(usize),
    /// The integrand of a report.
    Report(usize),
}

/// What is narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Higher or lower than all around.
    Peak,
    /// From one value to another.
    Step,
}

/// What lies along no axis: all x with |n·x − offset| of the order of a width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Strip {
    /// n, of length 1, with at least two components that are not 0.
    pub(crate) normal: Vec<f64>,
    pub(crate) offset: f64,
    pub(crate) width: f64,
}

impl Strip {
    /// How far a point lies to the side to which n shows.
    pub(crate) fn away(&self, x: &[f64]) -> f64 {
        let along = x.iter().zip(&self.normal).map(|(x, n)| x * n);
        along.sum::<f64>() - self.offset
    }
}

/// A narrow place.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The text, without numbers in front.
    pub(crate) text: String,
    pub(crate) owner: Owner,
    /// How the text enters.
    pub(crate) role: Role,
    pub(crate) shape: Shape,
    /// For each coordinate where it is; `None` where the text does not depend on it, or is looked at at one value of it.
    pub(crate) at: Vec<Option<f64>>,
    /// The distance over which half of the height is lost, both sides together.
    pub(crate) width: Vec<Option<f64>>,
    /// Where nothing is left of it: four widths away or, of a long tail, up to sixty.
    pub(crate) ends: Vec<Option<[f64; 2]>>,
    /// A place that lies along no axis: `at` is then one of its points.
    pub(crate) across: Option<Strip>,
    /// Whether the text is infinite there.
    pub(crate) singular: bool,
    /// The faces it is on; none: inside.
    pub(crate) pieces: Vec<usize>,
}

/// Points lie from a quarter of a width to thirty widths away.
const NEAREST: f64 = 0.25;
const FARTHEST: f64 = 30.0;
/// How many widths a place reaches to each side at least; across a strip this share of the points lies within.
pub(crate) const REACH: f64 = 4.0;
const WITHIN: f64 = 0.6;
/// The golden ratio's fractional part.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// What a singular place is told to.
const SINGULAR: f64 = 1e-4;

impl Place {
    /// Up to n points (n × d by rows) around the place: at all distances between [`NEAREST`] and [`FARTHEST`] widths along each axis that
    /// the text depends on, anywhere along the others, in the domain or on the faces of its condition.
    ///
    /// # Errors
    /// When the domain cannot draw points.
    pub(crate) fn points(
        &self,
        problem: &Problem,
        n: usize,
        draw: &Draw,
    ) -> Result<Vec<f64>, DomainError> {
        let (domain, d) = (&problem.domain, problem.coordinates.len());
        let mut points = if self.pieces.is_empty() {
            domain.interior(n, draw)?
        } else {
            domain.boundary(&self.pieces, n, draw)?.points
        };
        if let Some(strip) = &self.across {
            return Ok(around(strip, domain, &points));
        }
        let mut kept = Vec::with_capacity(points.len());
        for x in points.chunks_exact_mut(d) {
            // a point's place between the bounds says on which side and how far away
            for (k, [low, high]) in domain.bounds().iter().enumerate() {
                if let (Some(at), Some(width)) = (self.at[k], self.width[k]) {
                    let share = 2.0 * (x[k] - low) / (high - low) - 1.0;
                    let shortest = f64::EPSILON * at.abs().max(high - low);
                    let nearest = NEAREST * width.max(shortest);
                    let farthest = (FARTHEST * width).min(high - low).max(nearest);
                    let distance = nearest * (farthest / nearest).powf(share.abs());
                    let moved = at + distance.copysign(share);
                    let outside = moved < *low || moved > *high;
                    x[k] = if outside {
                        at - distance.copysign(share)
                    } else {
                        moved
                    };
                    x[k] = x[k].clamp(*low, *high);
                }
            }
            if domain.contains(x) {
                kept.extend_from_slice(x);
            }
        }
        Ok(kept)
    }

    /// The share of the domain that it takes.
    pub(crate) fn share(&self, problem: &Problem) -> f64 {
        let bounds = problem.domain.bounds();
        let extents = bounds.iter().map(|[low, high]| high - low);
        if let Some(strip) = &self.across {
            let across = extents.zip(&strip.normal).map(|(e, n)| e * n.abs());
            return (strip.width / largest(across)).min(1.0);
        }
        let shares = extents.zip(&self.width);
        let shares = shares.map(|(e, w)| w.map_or(1.0, |w| (w / e).min(1.0)));
        shares.product()
    }

    /// Where a strip meets a face: the same place on it, if it is narrow there.
    pub(crate) fn on_face(&self, problem: &Problem, piece: usize) -> Option<Self> {
        let strip = self.across.as_ref()?;
        let (axis, value) = problem.domain.pieces()[piece].face.fixed()?;
        let mut normal = strip.normal.clone();
        let offset = strip.offset - normal[axis] * value;
        normal[axis] = 0.0;
        let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        (length > 0.0).then(|| Self {
            pieces: vec![piece],
            across: Some(Strip {
                normal: normal.into_iter().map(|n| n / length).collect(),
                offset: offset / length,
                width: strip.width / length,
            }),
            ..self.clone()
        })
    }

    /// The same as places inside: one on faces reaches from each of them as far into the domain as it is wide, by shares of the extents.
    /// None where the text is infinite: a residual there says nothing, and pieces find such a place by themselves.
    pub(crate) fn inside(&self, problem: &Problem) -> Vec<Self> {
        if self.singular {
            return Vec::new();
        }
        if self.pieces.is_empty() || self.across.is_some() {
            let pieces = Vec::new();
            return vec![Self {
                pieces,
                ..self.clone()
            }];
        }
        let extents = problem.domain.bounds().iter().map(|[low, high]| high - low);
        let extents: Vec<f64> = extents.collect();
        let shares = self.width.iter().zip(&extents);
        let shares = shares.filter_map(|(w, extent)| w.map(|w| w / extent));
        let narrowest = shares.fold(1.0, smaller);
        let fixed = |p: &usize| problem.domain.pieces()[*p].face.fixed();
        let from = |(axis, at): (usize, f64)| {
            let mut place = self.clone();
            place.pieces.clear();
            place.at[axis] = Some(at);
            let width = narrowest * extents[axis];
            place.width[axis] = Some(width);
            place.ends[axis] = Some([at - REACH * width, at + REACH * width]);
            place
        };
        self.pieces.iter().filter_map(fixed).map(from).collect()
    }

    /// Where pieces along an axis should end: where nothing is left of the place, if it is narrow along it.
    pub(crate) fn breaks(&self, problem: &Problem, axis: usize) -> Option<[f64; 2]> {
        let [low, high] = problem.domain.bounds()[axis];
        let (ends, width) = (self.ends[axis]?, self.width[axis]?);
        (self.across.is_none() && width < NARROW * (high - low))
            .then(|| ends.map(|x| x.clamp(low, high)))
    }

    /// `the source has a peak of width 1e-4 at x = 0.3123`.
    pub(crate) fn sentence(&self, problem: &Problem) -> String {
        if let Some(strip) = &self.across {
            return self.along(strip, problem);
        }
        let bounds = problem.domain.bounds();
        let half = |k: usize| 0.5 * (bounds[k][1] - bounds[k][0]);
        let axes = |all: bool| -> Vec<usize> {
            let local = |k: &usize| self.width[*k].is_some_and(|w| all || w < half(*k));
            (0..bounds.len()).filter(local).collect()
        };
        let local = if axes(false).is_empty() {
            axes(true)
        } else {
            axes(false)
        };
        let widths = local.iter().filter_map(|k| self.width[*k]);
        let width = widths.fold(f64::INFINITY, smaller);
        let place = |k: &usize| {
            let at = self.at[*k].unwrap_or(0.0);
            let width = if self.singular {
                SINGULAR
            } else {
                self.width[*k].unwrap_or(0.0)
            };
            format!("{} = {}", problem.coordinates[*k], to_width(at, width))
        };
        let places: Vec<String> = local.iter().map(place).collect();
        let what = match (self.singular, self.shape) {
            (true, _) => "is singular".to_owned(),
            (false, Shape::Peak) => format!("has a peak of width {width:.0e}"),
            (false, Shape::Step) => format!("has a step of width {width:.0e}"),
        };
        format!("{} {what} at {}", self.whose(problem), places.join(", "))
    }

    /// `the source has a peak of width 1e-3 along 0.8*x + 0.6*y = 0.7123`.
    fn along(&self, strip: &Strip, problem: &Problem) -> String {
        let terms = problem.coordinates.iter().zip(&strip.normal);
        let terms = terms.filter(|(_, n)| **n != 0.0);
        let terms: Vec<String> = terms.map(|(x, n)| format!("{n:.4}*{x}")).collect();
        let what = match self.shape {
            Shape::Peak => "peak",
            Shape::Step => "step",
        };
        format!(
            "{} has a {what} of width {:.0e} along {} = {}",
            self.whose(problem),
            strip.width,
            terms.join(" + ").replace("+ -", "- "),
            to_width(strip.offset, strip.width)
        )
    }

    fn whose(&self, problem: &Problem) -> String {
        let (equations, conditions) = (problem.equations.len(), problem.conditions.len());
        match (self.owner, self.role) {
            (Owner::Residual(k), Role::Source) if k < equations => match equations {
                1 => "the source".to_owned(),
                _ => format!("the source of equation {}", k + 1),
            },
            (Owner::Residual(k), Role::Coefficient) if k < equations => "a coefficient".to_owned(),
            (Owner::Residual(k), Role::Source) if k < equations + conditions => {
                let initial = problem.conditions[k - equations].initial;
                let kind = if initial { "initial" } else { "boundary" };
                format!("the {kind} value")
            }
            (Owner::Residual(k), Role::Coefficient) if k < equations + conditions => {
                format!("a coefficient of {}", problem.called(k - equations))
            }
            (Owner::Residual(k), _) => {
                let number = k + 1 - equations - conditions - problem.data.len();
                format!("the text of `[[condition]]` {number}")
            }
            (Owner::Filter(k), _) => format!("the set of {}", problem.called(k)),
            (Owner::Feature(k), _) => format!("the feature `{}`", problem.features[k].0),
            (Owner::Ansatz(k), _) => format!("the ansatz of `{}`", problem.unknowns[k]),
            (Owner::Report(k), _) => format!("the integrand of `{}`", problem.reports[k].name),
        }
    }
}

/// Points moved along a strip's normal: more than half of them evenly over [`REACH`] widths to both sides, the others at all distances from
/// there to [`FARTHEST`] widths; those that the domain holds.
fn around(strip: &Strip, domain: &Domain, points: &[f64]) -> Vec<f64> {
    let d = strip.normal.len();
    let mut kept = Vec::with_capacity(points.len());
    for (i, x) in points.chunks_exact(d).enumerate() {
        // a sequence that fills (−1, 1) evenly says how far away, beside points that are even by themselves
        let share = 2.0 * (0.5 + i as f64 * GOLDEN).fract() - 1.0;
        let beyond = (share.abs() - WITHIN) / (1.0 - WITHIN);
        let widths = if beyond < 0.0 {
            REACH * share / WITHIN
        } else {
            (REACH * (FARTHEST / REACH).powf(beyond)).copysign(share)
        };
        let by = widths * strip.width - strip.away(x);
        let along = x.iter().zip(&strip.normal);
        let moved: Vec<f64> = along.map(|(x, n)| x + by * n).collect();
        if domain.contains(&moved) {
            kept.extend_from_slice(&moved);
        }
    }
    kept
}

/// A coordinate with as many decimals as a width has zeros.
fn to_width(at: f64, width: f64) -> String {
    let decimals = (0..17).find(|n| 0.1f64.powi(*n) <= width.max(1e-16));
    let decimals = decimals.map_or(4, |n| usize::try_from(n).unwrap_or(4));
    format!("{at:.decimals$}")
}
