//! The frozen functions of an eigenvalue problem.
//!
//! ```text
//! sin(w·x + b)     w_k = K_k U, b = π U, U uniform in (−1, 1)      bounded domains: K_k the largest wave number along axis k
//! sin(w·x), cos(w·x)   w_k = 2π n_k / L_k, smallest |w| first      where every axis is periodic: no number is drawn
//! corners' functions, each by itself
//! ```
//!
//! Eigenfunctions are waves whose number grows with λ: sines of all waves up to a largest one hold them all.

use crate::activation::random;
use crate::basis::Basis;
use crate::engine::ridges::Layer;
use crate::expr::{largest, smaller};
use crate::problem::Problem;
use rand::RngExt;
use std::f64::consts::{PI, TAU};

/// How to draw a layer.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    /// Functions, the corners' among them.
    pub(super) n: usize,
    /// The largest wave number along each coordinate, times half its extent.
    pub(super) waves: Vec<f64>,
    /// How many of the last features are corners' functions.
    pub(super) corners: usize,
    /// Whole waves around every axis, where they are chosen one by one; the longest ones otherwise.
    pub(super) chosen: Vec<Vec<i32>>,
    pub(super) seed: u64,
}

/// Waves along each axis, equally long in space, of which `n` functions could tell a share apart: about 2K/π + 2 are needed along an axis.
pub(super) fn waves(problem: &Problem, n: usize, share: f64) -> Vec<f64> {
    let bounds = problem.domain.bounds();
    let longest = largest(bounds.iter().map(|[a, b]| b - a));
    let sides: Vec<f64> = bounds.iter().map(|[a, b]| (b - a) / longest).collect();
    let count = |wave: f64| -> f64 { sides.iter().map(|s| 2.0 * wave * s / PI + 2.0).product() };
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if count(middle) < n as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    sides.iter().map(|s| (share * low * s).max(1.5)).collect()
}

/// Whether every axis closes on itself: layers are then not drawn, only longer or shorter.
pub(super) fn is_closed(problem: &Problem) -> bool {
    problem.periodic.len() == problem.coordinates.len() && problem.features.is_empty()
}

/// Draws a layer for a problem.
pub(super) fn draw(problem: &Problem, recipe: &Recipe) -> Layer {
    let mut layer = Layer::default();
    let d = problem.coordinates.len();
    let inputs = d + problem.features.len();
    for k in 0..recipe.corners {
        let mut weights = vec![0.0; inputs];
        weights[inputs - recipe.corners + k] = 1.0;
        layer.push(Basis::Identity, &weights, 0.0);
    }
    if is_closed(problem) {
        ordered(problem, recipe, &mut layer);
        return layer;
    }
    let bounds = problem.domain.bounds();
    let mut random = random(recipe.seed);
    let mut uniform = || 2.0 * random.random::<f64>() - 1.0;
    while layer.len() < recipe.n {
        let mut bias = PI * uniform();
        let mut weights = vec![0.0; inputs];
        for (k, [low, high]) in bounds.iter().enumerate() {
            let half = 0.5 * (high - low);
            let mut along = recipe.waves[k] * uniform();
            if problem.periodic.contains(&k) {
                along = PI * (along / PI).round();
            }
            weights[k] = along / half;
            bias -= weights[k] * 0.5 * (low + high);
        }
        for weight in &mut weights[d..inputs - recipe.corners] {
            *weight = uniform();
        }
        layer.push(Basis::Sine, &weights, bias);
    }
    layer
}

/// How many times the waves of a layer go around each axis, in their order.
pub(super) fn numbers(problem: &Problem, recipe: &Recipe) -> Vec<Vec<i32>> {
    if recipe.chosen.is_empty() {
        longest(problem, recipe.n)
    } else {
        recipe.chosen.clone()
    }
}

/// The longest waves, enough for `n` functions.
pub(super) fn longest(problem: &Problem, n: usize) -> Vec<Vec<i32>> {
    let waves = longest_waves(&base(problem), n).into_iter();
    waves.map(|(_, numbers)| numbers).collect()
}

/// Whole waves around every axis, the longest first or as they were chosen.
fn ordered(problem: &Problem, recipe: &Recipe, layer: &mut Layer) {
    let bounds = problem.domain.bounds();
    let d = bounds.len();
    let base = base(problem);
    for numbers in numbers(problem, recipe) {
        let mut weights = vec![0.0; d + problem.features.len()];
        let mut phase = 0.0;
        for k in 0..d {
            weights[k] = f64::from(numbers[k]) * base[k];
            phase -= weights[k] * bounds[k][0];
        }
        let zero = numbers.iter().all(|n| *n == 0);
        for shift in [0.5 * PI, 0.0].into_iter().take(2 - usize::from(zero)) {
            if layer.len() < recipe.n {
                layer.push(Basis::Sine, &weights, phase + shift);
            }
        }
    }
}

/// One wave around each axis.
pub(super) fn base(problem: &Problem) -> Vec<f64> {
    let bounds = problem.domain.bounds().iter();
    bounds.map(|[low, high]| TAU / (high - low)).collect()
}

/// Waves around every axis, the longest first, enough of them for `n` sines and cosines and to the end of the last length.
fn longest_waves(base: &[f64], n: usize) -> Vec<(f64, Vec<i32>)> {
    let slowest = base.iter().copied().fold(f64::INFINITY, smaller);
    let mut waves: Vec<(f64, Vec<i32>)> = Vec::new();
    let mut square = 1;
    while 2 * waves.len() < n + 2 && square < 1 << 24 {
        waves = ball(base, slowest * f64::from(square).sqrt());
        square += 1;
    }
    waves.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    waves
}

/// The least number of functions, `n` or more, that holds all waves of a length or none, up to `most`.
pub(super) fn whole_lengths(problem: &Problem, n: usize, most: usize) -> usize {
    let waves = longest_waves(&base(problem), n);
    let mut count = 0;
    for (k, (square, _)) in waves.iter().enumerate() {
        count += if k == 0 { 1 } else { 2 };
        let last = waves
            .get(k + 1)
            .is_none_or(|next| next.0 > square * (1.0 + 1e-9));
        if last && count >= n {
            return count.min(most);
        }
    }
    n.min(most)
}

/// Whole numbers n with |n · base| ≤ radius, one of n and −n.
fn ball(base: &[f64], radius: f64) -> Vec<(f64, Vec<i32>)> {
    let mut all: Vec<(f64, Vec<i32>)> = vec![(0.0, Vec::new())];
    for b in base {
        let mut longer = Vec::new();
        for (square, numbers) in &all {
            let left = (radius * radius * (1.0 + 1e-12) - square).max(0.0).sqrt();
            #[expect(clippy::cast_possible_truncation, reason = "a small whole number")]
            let most = (left / b).floor() as i32;
            let leading = numbers.iter().all(|n| *n == 0);
            for n in if leading { 0 } else { -most }..=most {
                let wave = f64::from(n) * b;
                let mut more = numbers.clone();
                more.push(n);
                longer.push((square + wave * wave, more));
            }
        }
        all = longer;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::ball;

    /// Of 13 lattice points within a radius of 2, the origin and one of each opposite pair.
    #[test]
    fn one_of_each_opposite_pair() {
        let found = ball(&[1.0, 1.0], 2.0);
        assert_eq!(found.len(), 7);
        for (_, n) in &found {
            assert!(n == &[0, 0] || !found.iter().any(|(_, m)| m[0] == -n[0] && m[1] == -n[1]));
        }
    }
}
