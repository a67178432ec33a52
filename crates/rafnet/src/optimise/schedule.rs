//! Learning rates over the steps of a run.

/// How the learning rate falls.
///
/// ```
/// use rafnet::optimise::Schedule;
/// assert_eq!(Schedule::Cosine { steps: 100 }.rate(1e-4, 50), 0.5e-4);
/// assert_eq!(Schedule::Step { factor: 0.5, every: 10 }.rate(1.0, 25), 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    /// lr
    Constant,
    /// ½ lr (1 + cos(π step / steps)): to zero.
    Cosine {
        /// All steps of the run.
        steps: u64,
    },
    /// lr (1 − s)² over the first 350 steps (or all, if they are fewer), then again and again from a hundredth of lr over 100 steps each:
    /// what the first descent leaves is taken up by the others.
    Descents {
        /// All steps of the run.
        steps: u64,
    },
    /// lr · factor^⌊step / every⌋
    Step {
        /// What a fall is.
        factor: f64,
        /// Steps from one fall to the next.
        every: u64,
    },
}

/// Steps of the first descent and of the others, and where these start as a share of the first.
const FIRST: u64 = 350;
const OTHERS: u64 = 100;
const AGAIN: f64 = 0.01;

impl Schedule {
    /// A schedule by its name: `constant`, `cosine` or `descents` over all steps, or `step` with the paper's fall by 0.95 every 1,000 steps.
    pub fn named(name: &str, steps: u64) -> Option<Self> {
        match name {
            "constant" => Some(Self::Constant),
            "cosine" => Some(Self::Cosine { steps }),
            "descents" => Some(Self::Descents { steps }),
            "step" => Some(Self::Step {
                factor: 0.95,
                every: 1_000,
            }),
            _ => None,
        }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Cosine { .. } => "cosine",
            Self::Descents { .. } => "descents",
            Self::Step { .. } => "step",
        }
    }

    /// How many of a run's steps the rate takes to come down for the first time.
    pub fn first_descent(&self, all: u64) -> u64 {
        match *self {
            Self::Descents { steps } => steps.min(FIRST),
            Self::Cosine { steps } => steps,
            _ => all,
        }
    }

    /// The steps that the rates depend on, where they do: of a run with others, every rate may be another.
    pub(crate) fn length(&self) -> Option<u64> {
        match *self {
            Self::Cosine { .. } | Self::Descents { .. } => Some(self.first_descent(0)),
            Self::Constant | Self::Step { .. } => None,
        }
    }

    /// The rate of a step, from 0.
    pub fn rate(&self, lr: f64, step: u64) -> f64 {
        match *self {
            Self::Constant => lr,
            Self::Cosine { steps } => {
                let done = step.min(steps) as f64 / steps.max(1) as f64;
                0.5 * lr * (1.0 + (std::f64::consts::PI * done).cos())
            }
            Self::Descents { .. } => {
                let first = self.first_descent(u64::MAX);
                let (begin, done, length) = if step < first {
                    (lr, step, first)
                } else {
                    (AGAIN * lr, (step - first) % OTHERS, OTHERS)
                };
                begin * (1.0 - done as f64 / length.max(1) as f64).powi(2)
            }
            Self::Step { factor, every } => {
                let falls = i32::try_from(step / every.max(1)).unwrap_or(i32::MAX);
                lr * factor.powi(falls)
            }
        }
    }
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    #[test]
    fn descents_begin_again_from_less() {
        let descents = Schedule::Descents { steps: 750 };
        let rates = [0, 175, 349, 350, 400, 449, 450].map(|step| descents.rate(1.0, step));
        let expected = [1.0, 0.25, 350f64.powi(-2), 0.01, 0.0025, 0.01e-4, 0.01];
        for (rate, expected) in rates.iter().zip(expected) {
            assert!((rate - expected).abs() < 1e-12, "{rates:?}");
        }
        assert!((Schedule::Descents { steps: 60 }.rate(1.0, 30) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_cosine_ends_at_zero_and_stays() {
        let cosine = Schedule::Cosine { steps: 7 };
        assert!((cosine.rate(3.0, 0) - 3.0).abs() < 1e-15);
        assert!(cosine.rate(3.0, 7).abs() < 1e-15 && cosine.rate(3.0, 90).abs() < 1e-15);
        assert!((Schedule::Constant.rate(0.5, 9) - 0.5).abs() < 1e-15);
    }
}
