//! The network at points: values, jets, and what the judge says of them.

use super::Terms;
use crate::engine::{Carried, Engine, EngineError, Second, Streams};
use crate::posed::{Block, JetColumns, Judge, Residual, Verdict, streams_of};

impl Terms {
    /// The jets that residual `r` reads, at points.
    pub(crate) fn jets(
        &mut self,
        theta: &[f64],
        r: usize,
        points: &[f64],
    ) -> Result<JetColumns, EngineError> {
        let wanted = &self.system.residuals[r].jets;
        let d = self.system.known.dimension;
        evaluate(&mut *self.engine, theta, wanted, points, d)
    }

    /// u at points: n × outputs, by output.
    pub(crate) fn values(
        &mut self,
        theta: &[f64],
        points: &[f64],
        out: &mut [f64],
    ) -> Result<(), EngineError> {
        self.engine.evaluate(theta, points, &Streams::value(), out)
    }

    /// What the judge says of θ.
    pub(crate) fn judged(&mut self, judge: &Judge, theta: &[f64]) -> Verdict {
        let d = self.system.known.dimension;
        let sought = self.sought(theta);
        let engine = std::cell::RefCell::new(&mut self.engine);
        judge.verdict(
            &self.system,
            &sought,
            |residual: &Residual, block: &Block| {
                let points: Vec<f64> = (0..block.sites.n * d)
                    .map(|at| block.sites.coordinates[at % d][at / d])
                    .collect();
                let nothing = || vec![vec![f64::NAN; block.sites.n]; residual.jets.len()];
                let engine = &mut ***engine.borrow_mut();
                evaluate(engine, theta, &residual.jets, &points, d).unwrap_or_else(|_| nothing())
            },
        )
    }
}

/// Derivatives of the unknowns at points, a column each.
fn evaluate(
    engine: &mut dyn Engine<f64>,
    parameters: &[f64],
    wanted: &[(usize, Vec<usize>)],
    points: &[f64],
    d: usize,
) -> Result<JetColumns, EngineError> {
    let streams = streams_of(wanted);
    let carried = streams.carried(d).expect("axes of a problem exist");
    let n = points.len() / d;
    let outputs = engine.objective().network.n_outputs();
    let mut out = vec![0.0; outputs * carried.len() * n];
    engine.evaluate(parameters, points, &streams, &mut out)?;
    let column = |(u, axes): &(usize, Vec<usize>)| {
        let s = stream_of(axes, &streams, &carried);
        out[(u * carried.len() + s) * n..][..n].to_vec()
    };
    Ok(wanted.iter().map(column).collect())
}

/// The stream that carries a derivative.
fn stream_of(axes: &[usize], streams: &Streams, carried: &Carried) -> usize {
    match axes[..] {
        [] => 0,
        [k] => carried.direction(k).unwrap_or(0),
        [i, j] => {
            let place = streams
                .second
                .iter()
                .position(|s| *s == Second::Mixed(i, j));
            carried.second_stream(place.unwrap_or(0))
        }
        _ => unreachable!("second order is the most that solvers have"),
    }
}
