//! How far off eigenvalues and eigenfunctions are likely to be, from how much attempts differ.
//!
//! ```text
//! error of λ  ≈  3 max over attempts a of  |λ_a − λ| min(1, ρ/ρ_a)          ρ: held-out residuals; the best attempt has ρ
//! error of u  ≈  the same with the part of u_a outside the span of the best attempt's functions of that λ
//! ```
//!
//! An attempt with a larger residual is off by more, in proportion.

use super::attempt::{Attempt, Pair};
use super::tuning::{ALIKE, APART, CAUTION, MULTIPLE, ROUNDING};
use crate::expr::larger;
use crate::posed::Distance;

/// What is likely of one pair.
#[derive(Clone, Debug)]
pub(super) struct Likely {
    pub(super) of_value: f64,
    pub(super) of_function: Distance,
    pub(super) multiplicity: usize,
}

/// The likely errors of the best attempt's first `count` pairs.
pub(super) fn likely(attempts: &[Attempt], count: usize) -> Vec<Likely> {
    let Some((best, others)) = attempts.split_first() else {
        return Vec::new();
    };
    let of_value = |k: usize, pair: &Pair| {
        let off = others.iter().filter_map(|other| {
            let theirs = other.pairs.get(k)?;
            Some((theirs.lambda - pair.lambda).abs() * share(pair, theirs))
        });
        let alone = pair.residual * pair.lambda.abs().max(1.0);
        let spread = off.reduce(larger).map_or(alone, |off| CAUTION * off);
        spread + ROUNDING * pair.lambda.abs()
    };
    let errors: Vec<f64> = best
        .pairs
        .iter()
        .enumerate()
        .map(|(k, pair)| of_value(k, pair))
        .collect();
    let same = |i: usize, j: usize| {
        let (a, b) = (best.pairs[i].lambda, best.pairs[j].lambda);
        let apart = APART * (errors[i] + errors[j]);
        (a - b).abs() <= apart.clamp(ALIKE * a.abs(), MULTIPLE * a.abs())
    };
    let pairs = 0..best.pairs.len().min(count);
    pairs
        .map(|k| {
            let kin: Vec<usize> = (0..best.pairs.len()).filter(|j| same(k, *j)).collect();
            let functions: Vec<&Pair> = kin.iter().map(|j| &best.pairs[*j]).collect();
            let off = others.iter().filter_map(|other| {
                let theirs = other.pairs.get(k)?;
                let outside = outside(&theirs.values, &functions);
                let share = share(&best.pairs[k], theirs);
                Some(outside.map(|off| off * share))
            });
            let of_function = off.reduce(Distance::max);
            Likely {
                of_value: errors[k],
                of_function: of_function.map_or(Distance::both(1.0), |off| {
                    off.map(|off| CAUTION * off + ROUNDING)
                }),
                multiplicity: kin.len(),
            }
        })
        .collect()
}

/// How much of another attempt's difference is the best one's.
fn share(best: &Pair, other: &Pair) -> f64 {
    if other.residual > best.residual {
        best.residual / other.residual
    } else {
        1.0
    }
}

/// The part of a function, of mean square one, outside the span of others.
fn outside(values: &[f64], functions: &[&Pair]) -> Distance {
    let mut left = values.to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for function in functions {
        let mut next = function.values.clone();
        for b in &basis {
            remove(&mut next, b);
        }
        let norm = next.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm > 0.0 {
            next.iter_mut().for_each(|v| *v /= norm);
            basis.push(next);
        }
    }
    for b in &basis {
        remove(&mut left, b);
    }
    Distance::of(&left, values)
}

/// x − (x·b) b.
fn remove(x: &mut [f64], b: &[f64]) {
    let dot: f64 = x.iter().zip(b).map(|(x, b)| x * b).sum();
    x.iter_mut().zip(b).for_each(|(x, b)| *x -= dot * b);
}
