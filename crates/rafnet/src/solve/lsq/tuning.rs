//! The numbers that the search was given: limits, shares and factors by which it chooses what to try and
//! when to end. What belongs to one formula stands beside it.
//!
//! Thresholds for what is believed were chosen on the random problems of `bench/trust` with seeds below 1,000; `docs/guide/trust.md` reports on others.

use super::recipe::Family;

// The whole search (`search`, `attempt`, `finish`).

/// The most columns of a least-squares problem, all unknowns together, unless the user asks for more.
pub(super) const COLUMNS: usize = 2400;
/// How many attempts are remembered, and the best of every other way, family and draw beside them.
pub(super) const REMEMBERED: usize = 12;
/// The residual of the equations, over the noise of observations, at which a search ends.
pub(super) const BELOW_NOISE: f64 = 1e-5;
/// Above this residual `auto` goes on with pieces or trains a network: after so many functions, or after so many multiplications and
/// additions (some seconds on one core) where pieces are fast.
pub(super) const POOR: f64 = 1e-3;
pub(super) const BEFORE_PIECES: f64 = 6e10;
/// What factoring the rows of a layer costs, over the cube of its columns.
pub(super) const ROWS_WORK: f64 = 6.0;
/// How many attempts are looked at again at the end.
pub(super) const EXAMINED: usize = 5;
/// Coordinates of the points at which answers are examined, at most, unless the search had more.
pub(super) const EXAMINED_NUMBERS: usize = 80_000;
/// Functions times points that a search which was ended looks at again, about a third of a second on one core; so many attempts at least, which an error
/// estimate takes.
pub(super) const SHORT_WORK: usize = 20_000_000;
pub(super) const COMPARED: usize = 3;
/// How much lower than what was asked for the search's own target may become.
pub(super) const TIGHTEST: f64 = 1e-3;
/// Above this held-out residual frozen features, in one layer or in pieces, have stalled and training is worth a try.
pub(in crate::solve) const STALLED: f64 = 1e-7;
/// Above this residual it is asked whether anything can be found.
pub(super) const DOUBTFUL: f64 = 1e-4;
/// Solutions with residuals below this are met; where they differ by more than `DIFFERENT` of their size they are different functions.
pub(super) const SAME: f64 = 1e-7;
/// Those below this are met to rounding: where they differ by more than `UNCERTAIN` of their size nothing that is given tells them apart.
pub(super) const ROUNDED: f64 = 1e-12;
pub(super) const UNCERTAIN: f64 = 1e-3;
/// A solution that is found again with other functions is found to this share of its size.
pub(super) const AGAIN: f64 = 1e-4;

// First layers (`first`, `recipe`).

/// Common scales that are tried whatever the spectrum says.
pub(super) const COMMON_SCALES: [f64; 4] = [2.0, 4.0, 8.0, 16.0];
/// What a finer scale is, against the one before.
pub(super) const FINER: f64 = 1.6;
/// Below this many cycles a spectrum says nothing that a scale does not.
pub(super) const SPECTRAL: f64 = 6.0;

// Other starts (`starts`).

/// The sizes of random starts, one after the other, against what the data imply; their functions, and the waves in them.
pub(super) const START_SIZES: [f64; 8] = [1.0, 2.0, 0.5, 4.0, 1.0, 2.0, 0.5, 4.0];
pub(super) const START_FUNCTIONS: usize = 12;
pub(super) const START_SCALE: f64 = 3.0;

// Other solutions (`branches`, `deflated`).

/// What looking for another solution costs, over the work that the first one took, or in multiplications and additions where that is more
/// (some hundredths of a second on one core); where one is in sight, each layer that it is fitted to costs as much.
pub(super) const BESIDE_SHARE: f64 = 0.02;
pub(super) const BESIDE_WORK: f64 = 1e8;
/// Most steps of a walk, and the steps that a fit takes from where it ends, about.
pub(super) const WALK_STEPS: usize = 12;
pub(super) const FIT_STEPS: usize = 4;
/// The layers that a solution in sight is fitted to: scales against those of the data, and steepness. It may be steeper than the first one.
pub(super) const BESIDE: [(Family, f64, f64); 6] = [
    (Family::Sine, 1.0, 1.0),
    (Family::Sine, 2.0, 1.0),
    (Family::Sine, 4.0, 1.0),
    (Family::Sine, 8.0, 1.0),
    (Family::Gaussian, 0.5, 10.0),
    (Family::Gaussian, 0.5, 40.0),
];
/// Most solutions beside the first.
pub(super) const MOST_OTHERS: usize = 8;

// A little time first (`causal`).

/// The first share of the time, and how much longer each next one is.
pub(super) const FIRST_PART: f64 = 0.05;
pub(super) const LONGER_PART: f64 = 1.4;
/// The most functions for a part of the time.
pub(super) const PART_FUNCTIONS: usize = 600;

// Corners of plane domains (`corners`).

/// Below this residual the first layer says that the solution has no singular parts.
pub(super) const WITHOUT_CORNERS: f64 = 1e-6;
/// Powers at a re-entrant corner and at another one.
pub(super) const RE_ENTRANT: usize = 4;
pub(super) const CONVEX: usize = 2;
/// Corners beyond which this is no way to go.
pub(super) const MOST_CORNERS: usize = 12;

// Functions of few coordinates (`groups`, `first`).

/// Inputs from which on functions of few of them are tried.
pub(super) const MANY_INPUTS: usize = 4;
/// Sets of coordinates at most, and functions for each at least.
pub(super) const MOST_SETS: usize = 1_200;
pub(super) const EACH_SET: usize = 2;
/// The least share of a set, against the largest.
pub(super) const LEAST_SET: f64 = 0.02;
/// Points over which the mean is taken that says which coordinates act together.
pub(super) const SLOPE_POINTS: usize = 96;
/// Scales that are tried, against those of the solution: all of them above the residual `COARSE`, the last two below.
pub(super) const GROUP_SCALES: [f64; 4] = [0.4, 0.63, 1.0, 1.6];
pub(super) const COARSE: f64 = 1e-4;
/// Rounds at most.
pub(super) const GROUP_ROUNDS: usize = 2;

// More functions (`widen`, `groups`), gathered where the residual is large (`hot`, `drawn`).

/// Growth of the layer from one round to the next.
pub(super) const GROWTH: f64 = 1.6;
/// Below this many functions the second-best way is kept in the race.
pub(super) const NARROW: usize = 700;
/// Below this many functions a stagnating residual says nothing; so many are enough to leave a poor one to others.
pub(super) const ENOUGH: usize = 900;
/// Below this residual one idle round is enough to stop, and from so many functions on more are not worth their price.
pub(super) const FINE: f64 = 1e-10;
pub(super) const LARGE: usize = 1_500;
/// So many functions are enough to leave a poor residual to pieces, where the last ones lowered it by less than this factor.
pub(super) const ENOUGH_IF_POOR: usize = 380;
pub(super) const MUCH_IF_POOR: f64 = 3.0;
/// So many are enough to leave a rough residual to them, where the last ones lowered it by less than this factor; at corners as few as of a poor one.
pub(super) const ENOUGH_IF_ROUGH: usize = 600;
pub(super) const MUCH_IF_ROUGH: f64 = 30.0;
/// In one coordinate, where pieces take a twentieth of a second, so many are enough to leave it to them.
pub(super) const ENOUGH_ON_A_LINE: usize = 190;
/// Above this residual functions and points gather where it is largest.
pub(super) const ROUGH: f64 = 1e-5;
/// A round that lowers the residual by less than this factor was idle.
pub(super) const HELPED: f64 = 0.7;
/// Points among which is drawn, and how many are.
pub(super) const HOT_POOL: usize = 8192;
pub(super) const HOT_DRAWN: usize = 2048;
/// The share of the draw that is uniform.
pub(super) const HOT_UNIFORM: f64 = 0.1;
/// How far from a point of interest, as a share of the extent.
pub(super) const NEAR_HOT: f64 = 0.01;

// Turned axes (`turn`).

/// Points over which the mean of ∇u ∇uᵀ is taken.
pub(super) const GRADIENT_POINTS: usize = 2048;
/// Scales along the steepest axis, in the box's unit, and the least ones along the others.
pub(super) const STEEPEST: [f64; 3] = [20.0, 60.0, 180.0];
pub(super) const LEAST_SCALES: [f64; 2] = [1.0, 4.0];
/// The same once a layer is turned: the first over the present one.
pub(super) const NEARBY: [f64; 3] = [0.6, 1.0, 1.7];
pub(super) const NEARBY_LEAST: [f64; 2] = [0.2, 1.5];
/// Functions at most, and turns in a row.
pub(super) const TURNED_FUNCTIONS: usize = 620;
pub(super) const TURNS: usize = 3;
/// A turn that lowers the residual by less than this factor was the last.
pub(super) const TURN_HELPED: f64 = 0.5;
