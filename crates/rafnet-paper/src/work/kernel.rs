//! A tangent kernel's condition number over several seeds, in both precisions.

use crate::record::Made;
use crate::{Asked, PaperError, Rate, Watch};
use rafnet::Problem;
use rafnet::ntk::{Mode, Settings, Tangent};
use serde_json::{Value, json};

/// A problem, an activation, and how many seeds.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) problem: &'static str,
    pub(crate) activation: &'static str,
    pub(crate) gaussian_width: f64,
    pub(crate) seeds: u64,
    pub(crate) points: usize,
}

impl Kernel {
    pub(super) fn settings(&self) -> Value {
        json!({
            "problem": self.problem, "activation": self.activation, "gaussian_width": self.gaussian_width, "seeds": self.seeds,
            "points": self.points,
        })
    }

    pub(super) fn seconds(&self, rate: Rate) -> f64 {
        let width = if self.problem == "oscillation" {
            100.0
        } else {
            50.0
        };
        let parameters = 3.0 * f64::powi(width, 2);
        let rows = self.points as f64;
        // J itself, then two products and a triangle of it
        self.seeds as f64 * 4.0 * rate.seconds(rows * parameters * (24.0 + 4.0 * rows))
    }

    pub(super) fn perform(&self, asked: &Asked, watch: &mut dyn Watch) -> Result<Made, PaperError> {
        let problem = Problem::builtin(self.problem).map_err(|e| PaperError::run(e.message()))?;
        let set = self.activation.parse();
        let set =
            set.map_err(|e: rafnet::activation::UnknownSet| PaperError::run(e.to_string()))?;
        let mut made = Made::default();
        for (name, mode) in [("f64", Mode::F64Svd), ("f32", Mode::F32Theta)] {
            let (mut conditions, mut ranks) = (Vec::new(), Vec::new());
            for seed in 0..self.seeds {
                if !watch.going_on(seed as f64 / self.seeds as f64, name) {
                    return Err(PaperError::Stopped);
                }
                let settings = Settings {
                    activation: vec![set],
                    gaussian_width: self.gaussian_width,
                    points: self.points,
                    seed,
                    threads: asked.threads,
                    device: asked.device,
                    ..Settings::default()
                };
                let tangent = Tangent::new(&problem, &settings);
                let mut tangent = tangent.map_err(|e| PaperError::run(e.to_string()))?;
                let spectrum = tangent.spectrum(mode);
                let spectrum = spectrum.map_err(|e| PaperError::run(e.to_string()))?;
                // singular beyond every digit: larger than any number that is certain
                conditions.push(spectrum.condition_number().unwrap_or(f64::MAX));
                ranks.push(spectrum.effective_rank());
            }
            made.put(name, conditions);
            made.put(&format!("rank_{name}"), ranks);
        }
        Ok(made)
    }
}
