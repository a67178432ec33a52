//! The least-squares problem of a step on the host: rows of the engine, the Gram matrix and its factors of the processor.

use crate::engine::{Cloud, EngineError, Squares};
use crate::halt::Crew;
use crate::optimise::GaussNewton;
use crate::posed::Terms;

/// Residuals and their derivatives, kept from step to step.
#[derive(Default)]
pub(super) struct Rows {
    residual: Vec<f64>,
    jacobian: Vec<f64>,
}

/// The terms at the points of a step.
pub(super) struct OnHost<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) points: &'a [Cloud<f64>],
    pub(super) rows: &'a mut Rows,
    pub(super) crew: Crew<'a>,
}

impl Squares<f64> for OnHost<'_> {
    fn loss(&mut self, parameters: &[f64]) -> Result<f64, EngineError> {
        let residual = &mut self.rows.residual;
        residual.resize(self.terms.n_rows(self.points), 0.0);
        self.terms.residuals(parameters, self.points, residual)?;
        Ok(residual.iter().map(|r| r * r).sum())
    }

    fn steps(
        &mut self,
        parameters: &[f64],
        dampings: &[f64],
        start: &[f64],
    ) -> Result<Vec<Option<Vec<f64>>>, EngineError> {
        let (rows, width) = (self.terms.n_rows(self.points), parameters.len());
        let what = format_args!("the derivatives of {rows} residuals by {width} parameters");
        rafnet_memory::require(what, &[rows, width, 8])?;
        let Rows { residual, jacobian } = &mut *self.rows;
        residual.resize(rows, 0.0);
        jacobian.resize(rows * width, 0.0);
        self.terms
            .jacobian(parameters, self.points, residual, jacobian)?;
        let normal = GaussNewton::new(jacobian, rows, width, self.crew);
        let ahead = normal.ahead(start, residual);
        let steps = each(&normal, dampings, &ahead, self.crew.threads).into_iter();
        let whole = |step: Vec<f64>| step.iter().zip(start).map(|(d, s)| d + s).collect();
        Ok(steps.map(|step| step.map(whole)).collect())
    }
}

/// The steps of several dampings, one a thread.
fn each(
    normal: &GaussNewton<'_>,
    dampings: &[f64],
    residual: &[f64],
    threads: usize,
) -> Vec<Option<Vec<f64>>> {
    let step = |damping: &f64| normal.step(damping * normal.mean, residual);
    if threads < 2 {
        return dampings.iter().map(step).collect();
    }
    std::thread::scope(|scope| {
        let running: Vec<_> = dampings
            .iter()
            .map(|d| scope.spawn(move || step(d)))
            .collect();
        running
            .into_iter()
            .map(|r| r.join().unwrap_or(None))
            .collect()
    })
}
