//! The numbers that training was given: how often it looks at held-out points, how long it goes on, how a step is damped. Networks, points, rates
//! and steps where nothing is asked for are the setting's.

// Looks at held-out points.

/// Steps between them, by method; at the start of Adam they follow sooner.
pub(super) const LOOK_ADAM: u64 = 500;
pub(super) const LOOK_LBFGS: u64 = 20;
pub(super) const LOOK_LM: u64 = 5;
/// Looks that are remembered for the error estimate.
pub(super) const REMEMBERED: usize = 8;

// `lm`.

/// Steps of Adam before it, and points inside at each.
pub(super) const WARM_UP: u64 = 3_000;
pub(super) const WARM_POINTS: usize = 1_000;
/// Looks without a better one after which the points are doubled, so often; then nothing more is to be expected.
pub(super) const IDLE_LOOKS: u64 = 6;
pub(super) const DOUBLINGS: u32 = 2;
/// The most numbers of a Jacobian on the host (1.6 GB), a device has its own limit; more points than fit are left out.
pub(super) const MOST_NUMBERS: usize = 200_000_000;
/// The share of the newest state in the running mean.
pub(super) const NEWEST: f64 = 0.2;
/// λ at the start and at least, over the mean of the Gram matrix's diagonal.
pub(super) const FIRST_DAMPING: f64 = 1e-2;
pub(super) const LEAST_DAMPING: f64 = 1e-15;
/// Dampings that are tried for one Gram matrix, over the current one, and what follows a long step or none.
pub(super) const DAMPINGS: [f64; 2] = [1.0, 6.0];
pub(super) const SMALLER: f64 = 0.4;
pub(super) const LARGER: f64 = 16.0;
/// Step lengths that are tried: 2⁰ … 2⁻¹¹.
pub(super) const LENGTHS: i32 = 12;
/// The share of the last step that the next one starts from.
pub(super) const CARRIED: f64 = 0.9;

// `lbfgs`.

/// Pairs that are remembered.
pub(super) const MEMORY: usize = 20;
/// Evaluations of a line search at most.
pub(super) const MOST_EVALUATIONS: usize = 25;
