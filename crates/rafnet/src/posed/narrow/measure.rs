//! Where exactly a text is highest near a witness, and how wide it is there.
//!
//! Every line is looked at at [`LANES`] positions whose distances are a geometric series, which costs as much as one position would:
//! widths from the domain's down to rounding are met alike.

use super::bisect::Witness;
use super::field::Field;
use super::tuning::{AWAY, FALLEN};
use crate::expr::LANES;
use crate::problem::REACH;

/// A place as it was measured, in the coordinates of its field.
pub(super) struct Measured {
    pub(super) at: Vec<f64>,
    /// Where the excess has halved: the distance from one side to the other.
    pub(super) width: Vec<f64>,
    /// The longer way to one of these sides.
    pub(super) half: Vec<f64>,
    /// Where nothing is left of it.
    pub(super) ends: Vec<[f64; 2]>,
    /// The value there.
    pub(super) value: f64,
}

/// The share of a height that counts as nothing: what is more and lies beyond a break is met by no point of the long piece there, on any level.
const NOTHING: f64 = f64::EPSILON;
/// It is looked for up to so many widths away: an exponential tail takes 52.
const TAIL: f64 = 60.0;
/// Turns of looking along every axis.
const TURNS: usize = 24;
/// How many widths of the witness's box the first looks reach.
const FIRST: f64 = 32.0;

/// Climbs from a witness: along each axis in turn to the best of positions at all distances.
pub(super) fn climb(field: &mut Field<'_>, witness: &Witness) -> (Vec<f64>, f64) {
    let mut at = super::bisect::middle(&witness.sides);
    let mut best = field.at(&at);
    for _ in 0..TURNS {
        let before = best;
        for k in field.free.clone() {
            let (side, reach) = (field.sides[k], FIRST * witness.sides[k].width());
            let distance = |j: usize| reach * 0.5f64.powi(i32::try_from(j / 2).unwrap_or(0));
            let moved = |j: usize| {
                at[k]
                    + if j.is_multiple_of(2) {
                        distance(j)
                    } else {
                        -distance(j)
                    }
            };
            let moved: Vec<f64> = (0..LANES)
                .map(|j| moved(j).clamp(side.low, side.high))
                .collect();
            let values = field.along(&at, k, &moved);
            for (x, value) in moved.iter().zip(values) {
                if witness.sign * value > witness.sign * best {
                    let mut there = at.clone();
                    there[k] = *x;
                    if field.holds(&there) {
                        (at, best) = (there, value);
                    }
                }
            }
        }
        if (best - before).abs() <= 1e-3 * before.abs() || !best.is_finite() {
            break;
        }
    }
    (at, best)
}

/// How wide the text is around a point where it is highest (sign 1) or lowest (−1): as far as it is beyond `level`. The place is half way
/// between where it falls on both sides, if the text is beyond the level there too.
pub(super) fn measure(
    field: &mut Field<'_>,
    at: Vec<f64>,
    value: f64,
    level: f64,
    sign: f64,
) -> Measured {
    let (mut width, mut half) = (vec![0.0; at.len()], vec![0.0; at.len()]);
    let mut centre = at.clone();
    for k in field.free.clone() {
        let side = field.sides[k];
        let ends = [side.low, side.high].map(|end| fall(field, &at, k, end, level, sign));
        width[k] = ends[1] - ends[0];
        half[k] = (ends[1] - at[k]).max(at[k] - ends[0]);
        if ends[0] > side.low && ends[1] < side.high {
            centre[k] = 0.5 * (ends[0] + ends[1]);
        }
    }
    let centred = sign * field.at(&centre) > sign * level && field.holds(&centre);
    let at = if centred { centre } else { at };
    let mut ends = vec![[0.0; 2]; at.len()];
    for k in field.free.clone() {
        ends[k] = [-1.0, 1.0].map(|to| end(field, &at, k, to * width[k]));
    }
    Measured {
        at,
        width,
        half,
        ends,
        value,
    }
}

/// Where nothing is left of what has a height at a point, next to what there is [`TAIL`] widths away along axis k: no nearer than
/// [`REACH`] widths.
fn end(field: &mut Field<'_>, at: &[f64], k: usize, width: f64) -> f64 {
    let side = field.sides[k];
    let [near, far] = [REACH, TAIL].map(|n| (at[k] + n * width).clamp(side.low, side.high));
    let value = field.at(at);
    let ground = field.along(at, k, &[far])[0];
    let level = ground + NOTHING * (value - ground);
    if !level.is_finite() {
        return near;
    }
    let fallen = fall(field, at, k, far, level, (value - ground).signum());
    if (fallen - at[k]).abs() > (near - at[k]).abs() {
        fallen
    } else {
        near
    }
}

impl Measured {
    /// The same in the coordinates of another field; the whole side where this one does not depend on a coordinate.
    pub(super) fn in_coordinates_of(&self, field: &Field<'_>, axes: &[usize]) -> Self {
        let of = |own: &[f64], k: usize| {
            let place = axes.iter().position(|axis| *axis == field.axes[k]);
            place.map(|j| own[j])
        };
        let all = 0..field.axes.len();
        let width = all
            .clone()
            .map(|k| of(&self.width, k).unwrap_or(field.sides[k].width()));
        let half = all
            .clone()
            .map(|k| of(&self.half, k).unwrap_or(field.sides[k].width()));
        let whole = |k: usize| [field.sides[k].low, field.sides[k].high];
        let ends = |k: usize| {
            let place = axes.iter().position(|axis| *axis == field.axes[k]);
            place.map_or(whole(k), |j| self.ends[j])
        };
        Self {
            width: width.collect(),
            half: half.collect(),
            ends: all.clone().map(ends).collect(),
            at: all
                .map(|k| of(&self.at, k).unwrap_or(field.sides[k].middle()))
                .collect(),
            value: self.value,
        }
    }
}

/// Where the text falls back to a level on the way from a point to an end of axis k; the end, where it does not.
fn fall(field: &mut Field<'_>, at: &[f64], k: usize, end: f64, level: f64, sign: f64) -> f64 {
    let whole = end - at[k];
    let shares: Vec<f64> = (0..LANES)
        .map(|j| 0.5f64.powf(0.5 * (LANES - 1 - j) as f64))
        .collect();
    let mut first = |shares: &[f64]| {
        let moved: Vec<f64> = shares.iter().map(|s| at[k] + s * whole).collect();
        let values = field.along(at, k, &moved);
        values
            .iter()
            .position(|v| v.is_nan() || sign * v <= sign * level)
    };
    let Some(coarse) = first(&shares) else {
        return end;
    };
    let before = coarse.checked_sub(1).map_or(0.0, |j| shares[j]);
    let step = (shares[coarse] - before) / LANES as f64;
    let fine: Vec<f64> = (1..=LANES).map(|j| before + j as f64 * step).collect();
    let share = first(&fine).map_or(shares[coarse], |j| fine[j]);
    at[k] + share * whole
}

/// Whether the text is back on the ground at some widths from a place, along the axis k: a slope or a smooth top goes on falling.
pub(super) fn is_localised(
    field: &mut Field<'_>,
    measured: &Measured,
    k: usize,
    half: f64,
    sign: f64,
) -> bool {
    let (side, reach) = (field.sides[k], AWAY * measured.half[k]);
    let away = [measured.at[k] - reach, measured.at[k] + reach];
    let away = away.map(|x| x.clamp(side.low, side.high));
    let values = field.along(&measured.at, k, &away);
    let fallen = values.iter().map(|v| sign * (measured.value - v));
    fallen.filter(|f| f.is_finite()).all(|f| f < FALLEN * half)
}
