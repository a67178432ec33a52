//! A training's state in a checkpoint, and out of it.

use super::{Training, accepts};
use crate::engine::OnDevice;
use crate::run::Look;
use crate::run::{Checkpoint, CheckpointError, Fingerprint};

impl<T: OnDevice> Training<'_, T> {
    /// Takes up what [`checkpoint`](Self::checkpoint) left.
    pub(super) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        accepts(self.samples, self.options, checkpoint)?;
        let n = self.descent.parameters.len();
        let to_real = |v: &[f64]| v.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>();
        self.descent.parameters = to_real(checkpoint.vector("theta", n)?);
        self.rule.adam = checkpoint.adam(n)?;
        self.best_loss = checkpoint.vector("best", 1)?[0];
        self.smoothed = Some(checkpoint.vector("smoothed", 1)?[0]);
        let most = usize::try_from(checkpoint.step).unwrap_or(usize::MAX);
        let looks = checkpoint.rows("looks", 3, most)?.chunks_exact(3);
        self.looks = looks.map(Look::from_numbers).collect();
        self.descent.step = checkpoint.step;
        if let Some(muon) = &mut self.rule.muon {
            let length = muon.state().len();
            let state = checkpoint.rows("muon", length.max(1), 1)?;
            let restored = muon.clone().with_state(&to_real(state));
            *muon = restored.ok_or(CheckpointError::Missing { vector: "muon" })?;
        }
        Ok(())
    }

    /// The state, of a run with this fingerprint.
    pub(super) fn checkpoint(&self, run: &Fingerprint) -> Checkpoint {
        let from_real = |v: &[T]| v.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let (m, v, _) = self.rule.adam.state();
        let looks: Vec<f64> = self.looks.iter().flat_map(|l| l.to_numbers()).collect();
        let mut vectors = vec![
            ("best".to_owned(), vec![self.best_loss]),
            ("looks".to_owned(), looks),
            ("m".to_owned(), from_real(m)),
            (
                "muon".to_owned(),
                self.rule
                    .muon
                    .as_ref()
                    .map_or(Vec::new(), |m| from_real(&m.state())),
            ),
            ("theta".to_owned(), from_real(&self.descent.parameters)),
            ("v".to_owned(), from_real(v)),
            ("smoothed".to_owned(), self.smoothed.into_iter().collect()),
        ];
        vectors.retain(|(_, v)| !v.is_empty());
        Checkpoint {
            method: "fit".to_owned(),
            step: self.descent.step,
            run: run.clone(),
            device: self.options.device.name().to_owned(),
            vectors,
        }
    }
}

impl Look {
    fn to_numbers(self) -> [f64; 3] {
        let or_none = |v: Option<f64>| v.unwrap_or(-1.0);
        [
            self.step as f64,
            or_none(self.held_out),
            or_none(self.largest),
        ]
    }

    fn from_numbers(numbers: &[f64]) -> Self {
        let or_none = |v: f64| (v >= 0.0).then_some(v);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of steps"
        )]
        Self {
            step: numbers[0] as u64,
            held_out: or_none(numbers[1]),
            largest: or_none(numbers[2]),
        }
    }
}
