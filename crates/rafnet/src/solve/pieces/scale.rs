//! How large a residual's terms are for a function of the unknowns' sizes that changes over a piece.
//!
//! ```text
//! plain     Σ_α |∂r/∂(D^α u)| U / h^α
//! strict    the same with u_kk as U / (h H):   H = √(a U / the other terms), between h and half the domain
//! ```
//!
//! In a piece that is small against H, the length over which its second derivatives act, a residual r is a source of strength r h for everything
//! within H. Over the plain terms, which grow as h⁻², it would look like nothing: a kink could hide in a piece of length 1e-9.
//! Terms with first derivatives shorten H in a small piece more than they shorten how far a source acts: that is R, half the domain or where one of them
//! balances the second derivatives, a U / R² = b U / R. In a piece that is larger than R what r makes is r / c or 2 h r / b, by the terms
//! c u and b u_k.

use crate::posed::Residual;

/// The sizes of a residual's terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) plain: f64,
    pub(super) strict: f64,
    /// a U / (h R), or c U or b U / 2 h where one of these is more: what a source in the piece is held against that acts as far as R, where there are
    /// second derivatives in space.
    pub(super) source: Option<f64>,
}

/// By how much small pieces are asked for more, at most: beyond, rounding would be asked for.
const MOST: f64 = 1e3;

impl Terms {
    /// From the partial derivatives of r, a column for each of its jets; `halves` are half the extents of the piece and of the domain.
    pub(super) fn new(
        residual: &Residual,
        partials: &[Vec<f64>],
        sizes: &[f64],
        halves: [&[f64]; 2],
        time: Option<usize>,
    ) -> Self {
        let [piece, domain] = halves;
        let size = |((u, axes), partial): (&(usize, Vec<usize>), &Vec<f64>)| {
            let mean = partial.iter().map(|v| v.abs()).sum::<f64>() / partial.len().max(1) as f64;
            axes.iter().fold(mean * sizes[*u], |s, k| s / piece[*k])
        };
        let all: Vec<f64> = residual.jets.iter().zip(partials).map(size).collect();
        let spreads = |axes: &[usize]| axes.len() == 2 && !axes.iter().any(|k| Some(*k) == time);
        let (mut plain, mut others, mut lower) = (0.0, 0.0, 0.0f64);
        for ((_, axes), term) in residual.jets.iter().zip(&all) {
            plain += term;
            others += if spreads(axes) { 0.0 } else { *term };
            lower = lower.max(match axes.len() {
                0 => *term,
                1 => 0.5 * term,
                _ => 0.0,
            });
        }
        let (mut strict, mut source) = (others, 0.0);
        for ((_, axes), term) in residual
            .jets
            .iter()
            .zip(&all)
            .filter(|((_, axes), _)| spreads(axes))
        {
            let (h, most) = (piece[axes[0]], domain[axes[0]]);
            let balances = |((_, axes), other): (&(usize, Vec<usize>), &f64)| match axes.len() {
                0 => h * (term / other).sqrt(),
                1 => h * term / other,
                _ => f64::INFINITY,
            };
            let reach = residual.jets.iter().zip(&all).map(balances);
            // without NaN: 0/0, a term that vanishes and balances nothing
            source += term * h / reach.fold(most, f64::min).max(h);
            let far = h * (term / others).sqrt(); // others = 0: as far as the domain goes
            strict += term * h
                / if far.is_nan() {
                    h
                } else {
                    far.clamp(h, most.max(h))
                };
        }
        Self {
            plain,
            strict: strict.max(plain / MOST),
            source: Some(source.max(lower)).filter(|_| source > 0.0),
        }
    }
}

/// Half the extents of a box.
pub(super) fn halves(bounds: &[[f64; 2]]) -> Vec<f64> {
    bounds
        .iter()
        .map(|[low, high]| 0.5 * (high - low))
        .collect()
}
