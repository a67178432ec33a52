//! What an equation is likely to cost, in seconds.

use super::{Equation, Source};
use crate::{Rate, Track};

impl Equation {
    fn option(&self, name: &str) -> Option<f64> {
        let found = self.options.iter().find(|(n, _)| n == name);
        found.and_then(|(_, v)| v.parse().ok())
    }

    /// The dimension of an eigenpair's torus.
    fn torus(&self) -> Option<f64> {
        match &self.source {
            Source::Builtin(name) => name.strip_prefix("schrodinger-d")?.parse().ok(),
            Source::Text(..) => None,
        }
    }

    /// Sweeps for a Laplacian cost 6(d + 2) FLOP a weight and point, values 2, gradients along paths 6; what cannot be counted is known
    /// from experience.
    pub(super) fn seconds(&self, rate: Rate) -> f64 {
        let steps = self.steps.unwrap_or(500) as f64;
        match (self.track, self.torus()) {
            (Track::Open, _) => 15.0,
            (Track::Parity, None) => rate.seconds(steps * self.adam()),
            (Track::Parity, Some(d)) => rate.seconds(steps * self.paths(d)),
            (Track::Trained, torus) => rate.seconds(self.lm(steps, torus)),
        }
    }

    /// A step of Adam, with a look at the error.
    fn adam(&self) -> f64 {
        let width = self.option("width").unwrap_or(50.0);
        let points = self.option("points").unwrap_or(10_000.0);
        let order = match self.source {
            Source::Builtin("regression-jump") => 6.0,
            Source::Text("low-regularity-10", _) => 72.0,
            _ => 24.0,
        };
        let exact = self
            .options
            .iter()
            .any(|(_, v)| v == "paper" || v == "code");
        let measured = if exact { 2.0 * 10_000.0 } else { 200.0 };
        3.0 * width * width * (order * points + measured)
    }

    /// A step of every path: one network for the gradient at every time.
    fn paths(&self, d: f64) -> f64 {
        let width = self.option("width").unwrap_or(80.0);
        let points = self.option("points").unwrap_or(2_048.0);
        let times = match d {
            d if d < 3.0 => 40.0,
            d if d < 8.0 => 120.0,
            _ => 200.0,
        };
        let weights = width * (2.0 * width + 11.0 * d);
        6.0 * weights * points * times
    }

    /// All steps of Levenberg–Marquardt: rows of J against each other, for an equation after 3,000 steps of Adam.
    fn lm(&self, steps: f64, torus: Option<f64>) -> f64 {
        let width = self.option("width").unwrap_or(50.0);
        let points = self.option("points").unwrap_or(2_000.0);
        let weights = 3.0 * width * width;
        let (order, warm_up) = torus.map_or((24.0, 3_000.0), |d| (6.0 * (d + 2.0), 0.0));
        let sweeps = (warm_up + steps) * order * points;
        weights * (sweeps + 2.0 * steps * points * points)
    }
}
