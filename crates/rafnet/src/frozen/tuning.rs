//! The numbers of Newton's iteration.

/// Most Newton steps, and most halvings of one.
pub(super) const MOST_STEPS: usize = 30;
pub(crate) const MOST_HALVINGS: i32 = 12;
/// Newton ends when the sum of squares is this near to what the linearised rows foretold: a further step would change nothing.
pub(crate) const FORETOLD: f64 = 1.02;
/// Newton ends when a full step lowers the sum of squares by less than this factor.
pub(super) const IDLE_STEP: f64 = 0.5;
/// Where observations have known noise the sum of squares has a floor, and a share of it says nothing: Newton goes on until χ² is this
/// near to its least value, which moves no sought parameter by more than a hundredth of its standard error.
pub(super) const SETTLED: f64 = 1e-4;
/// How much less observations with known noise weigh than equations: these hold, those are only near.
pub(super) const NOISY: f64 = 1e-3;
/// By how much noisy observations lead, one solve after the other, before they take their place.
pub(super) const LEADS: [f64; 3] = [1.0, 0.6, 0.3];
