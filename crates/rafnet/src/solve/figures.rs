//! What is said of an answer. Residual, estimates, error bars and outcome are settled here, for every method, by rules that cannot contradict
//! each other:
//!
//! ```text
//! 1  NaN in what was measured               nothing is known: every figure is ∞, which a report shows as `null`
//! 2  residual > UNRESOLVED                  estimate ≥ min(1, slow), whatever other solutions agree on
//! 3  an equation without derivatives        estimate ≥ its misfit (`least`)
//! 4  estimate > MEANINGLESS                 nothing is known of the error
//! 5  bar of a reported quantity             ≥ estimate · (what it changes by when the unknowns change by their own size)
//! 6  nothing known, or estimate > POOR      stalled, unless a target was asked for and reached; `target reached` needs a residual at the target,
//!                                           and, where nobody asked for one, an estimate within CONFIRMED of it
//! ```
//!
//! Other solutions agree on whatever all of them miss: a source that is narrower than the distance between their points, say. The residual
//! at points that none of them saw is then the only witness, which is why rule 2 does not ask how well they agree.

use super::Options;
use super::reports::{Measured, Report};
use crate::posed::{Distance, UNRESOLVED, Verdict};
use crate::run::Outcome;

/// Above this error estimate an answer is called stalled.
pub const POOR: f64 = 1e-3;
/// Above this estimate not even the order of magnitude of the answer is known.
const MEANINGLESS: f64 = 10.0;
/// The default target counts as reached where the error estimate is at most so many times it.
const CONFIRMED: f64 = 1e3;

/// What a method measured of its answer.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// Held-out residual, relative to its terms.
    pub(crate) residual: f64,
    /// The error, if it were of the slowest kind that has this residual.
    pub(crate) slow: f64,
    /// What the error is at least.
    pub(crate) least: Distance,
    /// What other solutions make likely; ∞ in a norm in which nothing was compared.
    pub(crate) likely: Distance,
    /// How much of that is due to the noise of observations.
    pub(crate) by_noise: f64,
    /// The reported quantities.
    pub(crate) reports: Vec<Measured>,
}

/// What is said of it; ∞ where nothing is known.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) residual: f64,
    pub(crate) estimate: Distance,
    pub(crate) by_noise: f64,
    pub(crate) reports: Vec<Report>,
}

impl Evidence {
    pub(crate) fn new(verdict: &Verdict, likely: Distance) -> Self {
        Self {
            residual: verdict.residual,
            slow: verdict.slow,
            least: verdict.least,
            likely,
            by_noise: 0.0,
            reports: Vec::new(),
        }
    }

    /// Of an eigenpair, whose residual is relative to the eigenfunction's own terms.
    pub(crate) fn of_residual(residual: f64, likely: Distance) -> Self {
        Self {
            residual,
            slow: residual,
            least: Distance::default(),
            likely,
            by_noise: 0.0,
            reports: Vec::new(),
        }
    }

    /// What is said.
    pub(crate) fn figures(&self) -> Figures {
        let Self {
            residual,
            slow,
            least,
            likely,
            by_noise,
            ..
        } = *self;
        let measured = [
            residual,
            slow,
            least.l2,
            least.linf,
            likely.l2,
            likely.linf,
            by_noise,
        ];
        let known = !measured.iter().any(|v| v.is_nan()) && residual.is_finite();
        let estimate = if known {
            let unresolved = if residual > UNRESOLVED {
                slow.min(1.0)
            } else {
                0.0
            };
            let estimate = likely.max(least).max(Distance::both(unresolved));
            match estimate {
                e if e.l2 > MEANINGLESS => Distance::UNKNOWN,
                e => e.map(|e| if e > MEANINGLESS { f64::INFINITY } else { e }),
            }
        } else {
            Distance::UNKNOWN
        };
        Figures {
            residual: if known { residual } else { f64::INFINITY },
            estimate,
            by_noise: if known { by_noise } else { f64::INFINITY },
            reports: self.reports.iter().map(|r| bar(r, estimate.l2)).collect(),
        }
    }
}

/// A reported quantity with an error bar that the estimate allows.
fn bar(measured: &Measured, estimate: f64) -> Report {
    let Measured {
        name,
        value,
        change,
        error,
    } = measured;
    let by_estimate = match change * estimate {
        // an answer of nothing: what it changes by says nothing either
        bar if bar == 0.0 && estimate > POOR => f64::INFINITY,
        bar if bar.is_nan() => f64::INFINITY,
        bar => bar,
    };
    let known = value.is_finite() && estimate.is_finite() && !error.is_nan();
    Report {
        name: name.clone(),
        value: *value,
        error_estimate: if known {
            error.max(by_estimate)
        } else {
            f64::INFINITY
        },
    }
}

impl Figures {
    /// What the end of a run is called, that came about as `ended` says; `asked`: the target that the user named.
    pub(super) fn outcome(&self, ended: Outcome, asked: Option<f64>) -> Outcome {
        let target = asked.unwrap_or(Options::DEFAULT_TARGET);
        // noise is no fault of the answer
        let estimate = match (self.estimate.l2, self.by_noise) {
            (all, noise) if all.is_finite() => (all * all - noise * noise).max(0.0).sqrt(),
            _ => f64::INFINITY,
        };
        let known = estimate.is_finite() && self.residual.is_finite();
        let reached = known && self.residual <= target;
        let poor = !known || estimate > POOR;
        match ended {
            Outcome::Stopped | Outcome::Diverged | Outcome::Contradictory => ended,
            Outcome::TargetReached | Outcome::Converged | Outcome::Stalled if asked.is_some() => {
                if reached {
                    Outcome::TargetReached
                } else {
                    Outcome::Stalled
                }
            }
            _ if poor => Outcome::Stalled,
            Outcome::TargetReached if reached && estimate <= CONFIRMED * target => ended,
            Outcome::TargetReached | Outcome::Stalled => Outcome::Converged,
            Outcome::Converged | Outcome::BudgetSpent => ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, MEANINGLESS, Options, POOR, UNRESOLVED};
    use crate::posed::Distance;
    use crate::run::Outcome;
    use crate::solve::reports::Measured;

    const ENDS: [Outcome; 6] = [
        Outcome::TargetReached,
        Outcome::Converged,
        Outcome::BudgetSpent,
        Outcome::Stopped,
        Outcome::Diverged,
        Outcome::Contradictory,
    ];

    /// Numbers in [0, 1) without a pattern (splitmix64).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }

        /// A size between 1e-17 and 1e9, now and then zero or infinite.
        fn size(&mut self) -> f64 {
            match self.next() {
                r if r < 0.03 => 0.0,
                r if r < 0.06 => f64::INFINITY,
                _ => 10f64.powf(26.0 * self.next() - 17.0),
            }
        }

        fn pick<T: Copy>(&mut self, from: &[T]) -> T {
            let (k, n) = (self.next(), from.len());
            from[(0..n).rfind(|i| *i as f64 <= k * n as f64).unwrap_or(0)]
        }

        fn evidence(&mut self) -> Evidence {
            let distance = |r: &mut Self| Distance {
                l2: r.size(),
                linf: r.size(),
            };
            Evidence {
                residual: self.size(),
                slow: self.size(),
                least: if self.next() < 0.7 {
                    Distance::default()
                } else {
                    distance(self)
                },
                likely: distance(self),
                by_noise: if self.next() < 0.7 { 0.0 } else { self.size() },
                reports: (0..2)
                    .map(|k| Measured {
                        name: format!("q{k}"),
                        value: self.size(),
                        change: self.size(),
                        error: self.size(),
                    })
                    .collect(),
            }
        }
    }

    /// The rules, over ten thousand random pieces of evidence.
    #[test]
    fn no_figure_contradicts_another() {
        let mut random = Random(1);
        for case in 0..10_000 {
            let evidence = random.evidence();
            let said = evidence.figures();
            let at = format!("case {case}: {evidence:?} {said:?}");
            let l2 = said.estimate.l2;
            for norm in [l2, said.estimate.linf] {
                assert!(norm <= MEANINGLESS || norm == f64::INFINITY, "{at}");
                if said.residual > UNRESOLVED {
                    assert!(norm >= evidence.slow.min(1.0), "{at}");
                }
            }
            assert!(l2 >= evidence.least.l2, "{at}");
            assert!(l2.is_finite() || said.estimate.linf.is_infinite(), "{at}");
            for (report, measured) in said.reports.iter().zip(&evidence.reports) {
                let bar = report.error_estimate;
                assert!(!bar.is_nan() && bar >= measured.error, "{at}");
                assert!(bar == f64::INFINITY || bar >= l2 * measured.change, "{at}");
                assert!(bar > 0.0 || l2 <= POOR, "{at}");
            }
            let asked = if random.next() < 0.5 {
                Some(random.size())
            } else {
                None
            };
            let ended = random.pick(&ENDS);
            let outcome = said.outcome(ended, asked);
            let target = asked.unwrap_or(Options::DEFAULT_TARGET);
            if outcome == Outcome::TargetReached {
                assert!(said.residual <= target && l2.is_finite(), "{at}");
            }
            let good = [
                Outcome::TargetReached,
                Outcome::Converged,
                Outcome::BudgetSpent,
            ];
            if good.contains(&outcome) {
                assert!(l2.is_finite(), "{at}");
                let own = (l2 * l2 - said.by_noise * said.by_noise).max(0.0).sqrt();
                assert!(asked.is_some() || own <= POOR, "{at}");
            }
            let from_outside = [Outcome::Stopped, Outcome::Diverged, Outcome::Contradictory];
            assert_eq!(
                from_outside.contains(&ended),
                from_outside.contains(&outcome),
                "{at}"
            );
        }
    }

    /// NaN in any input of a verdict leaves no finite figure, and no end that sounds like a success.
    #[test]
    fn nan_is_never_small() {
        let spoil: [fn(&mut Evidence); 7] = [
            |e| e.residual = f64::NAN,
            |e| e.slow = f64::NAN,
            |e| e.least.l2 = f64::NAN,
            |e| e.least.linf = f64::NAN,
            |e| e.likely.l2 = f64::NAN,
            |e| e.likely.linf = f64::NAN,
            |e| e.by_noise = f64::NAN,
        ];
        let mut random = Random(2);
        for _ in 0..500 {
            for spoil in spoil {
                let mut evidence = random.evidence();
                spoil(&mut evidence);
                let said = evidence.figures();
                let bars = said.reports.iter().map(|r| r.error_estimate);
                let mut figures = vec![said.residual, said.estimate.l2, said.estimate.linf];
                figures.extend(bars);
                assert!(
                    figures.iter().all(|f| *f == f64::INFINITY),
                    "{evidence:?} {said:?}"
                );
                for ended in [
                    Outcome::TargetReached,
                    Outcome::Converged,
                    Outcome::BudgetSpent,
                ] {
                    for asked in [None, Some(1.0)] {
                        assert_eq!(said.outcome(ended, asked), Outcome::Stalled);
                    }
                }
            }
        }
    }
}
