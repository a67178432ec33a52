//! A look at a few points: coefficients that are not numbers are found before anything is solved.

use super::setting::Setting;
use crate::domain::{Draw, Sampler};
use crate::expr::{Expr, Leaf, Outgrown};
use crate::problem::Sought;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use std::ops::Range;

/// How many points are looked at.
const PROBES: usize = 64;

/// What the unknowns and their derivatives are tried with: a root or a quotient of u need not like all of them.
const TRIED: [f64; 4] = [0.7, -0.3, 1.9, 0.0];

/// Points inside, and the values that sought parameters start from.
pub(super) struct Probe<'a> {
    setting: &'a Setting<'a>,
    sought: &'a [Sought],
    points: Vec<f64>,
}

impl<'a> Probe<'a> {
    pub(super) fn new(setting: &'a Setting<'a>, span: &Range<usize>) -> Result<Self, ProblemError> {
        let points = setting
            .domain
            .interior(PROBES, &Draw::new(Sampler::Random, 0))
            .map_err(|error| setting.source.error(span, Fault::Domain(error)))?;
        Ok(Self {
            setting,
            sought: &setting.names.sought,
            points,
        })
    }

    /// Refuses an expression that is not finite at a point inside, whatever the unknowns.
    pub(super) fn inside(
        &self,
        expr: &Expr,
        what: &str,
        span: &Range<usize>,
    ) -> Result<(), ProblemError> {
        let dimension = self.setting.coordinates.len();
        let mut points = self.points.chunks(dimension);
        points.try_for_each(|point| self.finite(expr, what, span, point, &[]))
    }

    /// The same, and refuses one whose second derivatives, which solvers take, blow up.
    pub(super) fn differentiable(
        &self,
        expr: &Expr,
        what: &str,
        span: &Range<usize>,
    ) -> Result<(), ProblemError> {
        self.inside(expr, what, span)?;
        expr.check_second_derivatives()
            .map_err(|Outgrown { limit }| {
                let what = what.into();
                self.setting
                    .source
                    .error(span, Fault::Outgrown { what, limit })
            })
    }

    /// The same on pieces of the boundary, where `filter` holds.
    pub(super) fn on(
        &self,
        pieces: &[usize],
        filter: Option<&Expr>,
        expr: &Expr,
        what: &str,
        span: &Range<usize>,
    ) -> Result<(), ProblemError> {
        let dimension = self.setting.coordinates.len();
        for piece in pieces {
            let probes = &self.setting.probes[*piece];
            let points = probes
                .points
                .chunks(dimension)
                .zip(probes.normals.chunks(dimension));
            for (point, normal) in points {
                if filter.is_none_or(|filter| Setting::at(filter, point) != 0.0) {
                    self.finite(expr, what, span, point, normal)?;
                }
            }
        }
        Ok(())
    }

    fn finite(
        &self,
        expr: &Expr,
        what: &str,
        span: &Range<usize>,
        point: &[f64],
        normal: &[f64],
    ) -> Result<(), ProblemError> {
        let value = |tried: f64| {
            expr.eval(&|leaf: &Leaf| match leaf {
                Leaf::Coordinate(axis) => point[*axis],
                Leaf::Normal(axis) => normal.get(*axis).copied().unwrap_or(0.0),
                Leaf::Parameter(k) => self.sought[*k].start,
                _ => tried,
            })
        };
        if TRIED.iter().any(|tried| value(*tried).is_finite()) {
            return Ok(());
        }
        let fault = Fault::NotFinite {
            what: what.into(),
            value: value(TRIED[0]),
            at: self.setting.point(point),
        };
        Err(self.setting.source.error(span, fault))
    }
}
