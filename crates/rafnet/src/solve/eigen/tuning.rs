//! The numbers that the searches for eigenvalues were given: limits, shares and factors by which they choose what to try and when to end. What
//! belongs to one formula stands beside it.

// Eigenpairs over frozen layers (`search`, `attempt`, `krylov`, `corners`, `pencil`, `answer`).

/// Functions of the first round by dimension.
pub(super) const FIRST_LAYERS: [usize; 4] = [80, 300, 700, 900];
/// The most columns of the rows, all unknowns together, and the most functions along a line.
pub(super) const COLUMNS: usize = 1800;
pub(super) const ALONG_A_LINE: usize = 800;
/// Largest wave numbers, as shares of what so many functions could tell apart.
pub(super) const SHARES: [f64; 6] = [0.1, 0.16, 0.25, 0.38, 0.55, 0.8];
/// By how much an axis's wave number changes.
pub(super) const STRETCH: f64 = 1.5;
/// By how many times the number of functions grows, and the residual must fall for that to have helped.
pub(super) const GROWTH: f64 = 1.6;
pub(super) const HELPED: f64 = 0.6;
/// Above this residual nothing was found.
pub(super) const LOST: f64 = 1e-3;
/// Held-out points inside.
pub(super) const HELD_OUT_PAIRS: usize = 1500;
/// How many attempts are remembered for the estimates.
pub(super) const REMEMBERED: usize = 10;
/// Values beyond those asked for: they tell whether the last is a multiple one, and where the complex ones are among the first.
pub(super) const BEYOND: usize = 3;
/// How near, as a share of where the search began, the shift comes to eigenvalues that are known.
pub(super) const NEARER: f64 = 0.2;
/// How often the shift moves past eigenvalues that lie beyond it.
pub(super) const MOVES: usize = 8;
/// An imaginary part below this share of a value's distance from the shift is an error of it.
pub(super) const REAL: f64 = 1e-5;
/// A value whose vector is not found to this is none.
pub(super) const CREDIBLE: f64 = 1e-3;
/// Powers of T in a Krylov space, and vectors beyond those wanted, so that the last of them is found as quickly as the first.
pub(super) const KRYLOV_DEPTH: usize = 8;
pub(super) const SPARE: usize = 4;
/// Restarts at most, and the relative residual at which a value is found.
pub(super) const RESTARTS: usize = 14;
pub(super) const FOUND: f64 = 1e-12;
/// Powers of r at a corner up to here, lowered where there would be more than so many functions.
pub(super) const HIGHEST_POWER: f64 = 12.0;
pub(super) const MOST_CORNER_FUNCTIONS: usize = 300;
/// How much more a row of the boundary weighs than one inside, both in units of u.
pub(super) const EDGE_WEIGHT: f64 = 3.0;
/// Points at which coefficients are looked at.
pub(super) const UNIT_POINTS: usize = 2000;
/// Dimensions in which a linear operator's functions are found themselves.
pub(super) const FEW_DIMENSIONS: usize = 3;
/// Below this share of its size the mean of an eigenfunction has no sign.
pub(super) const SIGNED: f64 = 1e-3;

// Estimates (`estimate`, `single`, `lm`).

/// Rounding of λ in a pencil of some thousand rows, relative to it.
pub(super) const ROUNDING: f64 = 1e-14;
/// What differences between solutions are multiplied by.
pub(super) const CAUTION: f64 = 3.0;
/// Eigenvalues nearer to each other than so many times their errors cannot be told apart.
pub(super) const APART: f64 = 4.0;
/// Nor can those that agree to this share; those that differ by more than this are not called equal, however large their errors.
pub(super) const ALIKE: f64 = 1e-9;
pub(super) const MULTIPLE: f64 = 1e-4;

// Ground states by Gauss–Newton (`ground`, `newton`, `norm`).

/// Functions of the first layers on bounded domains by dimension, and the most of all.
pub(super) const FIRST_GROUND: [usize; 4] = [60, 200, 400, 500];
pub(super) const MOST_GROUND: usize = 1500;
/// Largest wave numbers, as shares of what so many functions could tell apart.
pub(super) const SHARES_GROUND: [f64; 4] = [0.15, 0.25, 0.4, 0.6];
/// By how many times the number of functions grows.
pub(super) const GROWTH_GROUND: f64 = 1.7;
/// Layers that did not help after which there are no more.
pub(super) const IDLE_LAYERS: usize = 2;
/// Held-out points inside.
pub(super) const HELD_OUT: usize = 2000;
/// Waves chosen one by one: functions at most, waves that are looked at, and lattice points at which.
pub(super) const MOST_CHOSEN: usize = 2500;
pub(super) const CANDIDATES: usize = 6000;
pub(super) const CHOSEN_POINTS: usize = 1 << 14;
/// By how many times the residual must fall for more of them to have helped.
pub(super) const CHOSEN_HELPED: f64 = 0.8;
/// Above this root of the sum of squares a start has not led to a solution.
pub(super) const LOST_START: f64 = 1e-2;
/// How far the operator stands for itself, one solve after the other.
pub(super) const LED: [f64; 5] = [0.1, 0.3, 0.5, 0.75, 1.0];
/// Corrections of the coarse mean square by the fine one at most, and what they end at.
pub(super) const CORRECTIONS: usize = 4;
pub(super) const CORRECT: f64 = 1e-13;
/// Points of the coarse lattice.
pub(super) const COARSE_LATTICE: usize = 1 << 13;
/// The fewest and the most of the fine one, and about how many values of functions one may take.
pub(super) const FINE_LATTICE: [usize; 2] = [1 << 15, 1 << 20];
pub(super) const LATTICE_VALUES: usize = 600_000_000;
/// What the row of the mean square weighs, in units of u.
pub(super) const MEAN_WEIGHT: f64 = 10.0;
/// Most steps, and most halvings of one.
pub(super) const NEWTON_STEPS: usize = 40;
pub(super) const NEWTON_HALVINGS: i32 = 10;
/// A step that lowers the sum of squares by less than this factor was the last.
pub(super) const IDLE_STEP: f64 = 0.7;

// Trained networks (`lm`).

/// Neurons, layers, steps and points unless told, and the width of Gaussians.
pub(super) const TRAINED_WIDTH: usize = 24;
pub(super) const TRAINED_DEPTH: usize = 2;
pub(super) const TRAINED_STEPS: u64 = 150;
pub(super) const TRAINED_POINTS: usize = 2000;
pub(super) const TRAINED_GAUSSIAN: f64 = 0.5;
/// μ at the start and at least, over the mean of the Gram matrix's diagonal, and what follows a step.
pub(super) const FIRST_DAMPING: f64 = 1e-2;
pub(super) const LEAST_DAMPING: f64 = 1e-15;
pub(super) const SMALLER: f64 = 0.3;
pub(super) const LARGER: f64 = 8.0;
/// Step lengths that are tried.
pub(super) const LENGTHS: i32 = 8;
/// Looks without a better one after which nothing more is to be expected.
pub(super) const IDLE_LOOKS: usize = 25;
