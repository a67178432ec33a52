//! A function over a layer, and what Newton's method starts from: the problem's guess, or an earlier solution.

use super::features::{jets_of, jets_unless};
use crate::engine::ridges::Layer;
use crate::halt::Halt;
use crate::posed::{Block, JetColumns, KnownJets, System};

/// A function in the span of a layer, with the sought parameters.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) layer: Layer,
    /// N numbers for each unknown.
    pub(crate) coefficients: Vec<f64>,
    pub(crate) sought: Vec<f64>,
    /// The standard errors of the sought parameters.
    pub(crate) sigma: Vec<f64>,
}

/// What Newton starts from: an earlier solution in whatever features, after a given time held still.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) state: State,
    /// The time axis and the last time that the state knows.
    pub(crate) until: Option<(usize, f64)>,
}

impl System {
    /// The jets of the problem's guess (or the lift alone) at a block's points.
    pub(crate) fn guessed(&self, block: &Block) -> JetColumns {
        let residual = &self.residuals[block.residual];
        let mut jets = jets_of(&Layer::default(), &[], residual, block);
        let guesses = self.known.guess.iter().map(|guess| {
            let guess = guess.as_ref()?;
            Some(guess.jets(&block.sites.coordinates))
        });
        let guesses: Vec<Option<KnownJets>> = guesses.collect();
        for ((unknown, axes), jet) in residual.jets.iter().zip(&mut jets) {
            if let Some(guess) = &guesses[*unknown] {
                jet.clone_from(&guess[self.known.wanted.place(axes)]);
            }
        }
        jets
    }

    /// The jets of an earlier solution; after its last time it stands still. Of no use once it is ended.
    pub(crate) fn started(&self, start: &Start, block: &Block, halt: &Halt) -> JetColumns {
        let residual = &self.residuals[block.residual];
        let State {
            layer,
            coefficients,
            ..
        } = &start.state;
        let Some((axis, last)) = start.until else {
            return jets_unless(halt, layer, coefficients, residual, block);
        };
        let (d, n) = (self.known.dimension, block.sites.n);
        let clamped: Vec<f64> = (0..n * d)
            .map(|at| {
                let x = block.sites.coordinates[at % d][at / d];
                if at % d == axis { x.min(last) } else { x }
            })
            .collect();
        let there = Block::new(block.residual, self.known.sites(&clamped));
        let mut jets = jets_unless(halt, layer, coefficients, residual, &there);
        for ((_, axes), column) in residual.jets.iter().zip(&mut jets) {
            if axes.contains(&axis) {
                let times = &block.sites.coordinates[axis];
                let still = column.iter_mut().zip(times).filter(|(_, t)| **t > last);
                still.for_each(|(v, _)| *v = 0.0);
            }
        }
        jets
    }
}
