//! The thresholds of the search for narrow features, chosen on the built-in problems (no place in any of them but true singularities)
//! and on Gaussian peaks, strips and steps of widths from 1e-2 to 1e-6 in one to four coordinates.

pub(super) use crate::problem::NARROW;

/// Coordinates beyond which nothing is searched.
pub(super) const MOST_COORDINATES: usize = 20;
/// Boxes for one search.
pub(super) const BOXES: usize = 20_000;
/// Operations on intervals for all texts of a problem, and for all their derivatives: some 10 ms each on one core. A peak of width 1e-6 takes 200
/// boxes on a line and 1,000 in four coordinates.
pub(super) const OPERATIONS: usize = 150_000;
/// Nodes that the derivative of a text may have: longer ones are not looked at.
pub(super) const LARGEST_DERIVATIVE: usize = 2_000;
/// What a value must exceed those at the judge's points by, over their spread.
pub(super) const EXCESS: f64 = 0.01;
/// Of so many values the most extreme one, at either end, may have met a narrow place by chance.
pub(super) const MET_BY_CHANCE: usize = 400;
/// The same for what points meet and few functions do not resolve: it takes up to a twentieth of the domain.
pub(super) const MET: usize = 20;
/// The spread of values is at least this share of their size: less is rounding.
pub(super) const ROUNDING: f64 = 1e-6;
/// Excesses beyond this many spreads count alike: the volume decides.
pub(super) const FAR: f64 = 1e3;
/// How often an infinite box is split along each axis.
pub(super) const SPLITS: usize = 40;
/// A peak is back on the ground at so many widths, where a smooth function has fallen as many times further …
pub(super) const AWAY: f64 = 16.0;
/// … and by less than this many times what it falls within its width: a peak has 2, a square root's cusp 4, a slope 16.
pub(super) const FALLEN: f64 = 3.0;
/// How many widths around a place are left to it.
pub(super) const REACH: f64 = 3.0;
/// Places of one text, and witnesses that are followed up for them.
pub(super) const PLACES: usize = 16;
pub(super) const WITNESSES: usize = 64;
