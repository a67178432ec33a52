//! Waves: at which rate each frequency is learnt, and how much of a function a frequency holds.
//!
//! ```text
//! v = cos 2πk·(x − a)/(b − a) or sin of the same,   k ∈ Zᵈ,   shell m: those with |k| rounded to m
//! rate(m) = mean of |Jᵀv|²/|v|² over the shell       content(m)² = Σ (e·v)²/(n |v|²) over the shell
//! ```
//!
//! |Jᵀv|²/|v|² = vᵀΘv/vᵀv is the rate at which gradient flow on ½|r|² removes a residual in the shape of v. At n random points a wave that
//! the kernel does not see at all still has the rate tr Θ/n, the mean eigenvalue. On a full grid the squares of the contents add
//! up to the mean square (Parseval). The matrix Θ itself and trigonometric polynomials are the oracles, in `tests/library/ntk.rs`.

use super::gram::multiply;
use super::{NtkError, Tangent};
use faer::{Accum, Mat};
use std::f64::consts::TAU;

/// The most wave vectors that are taken.
const MOST_WAVES: usize = 1_000;

/// Waves over a box up to so many periods.
///
/// ```
/// use rafnet::ntk::Waves;
/// let waves = Waves::new(&[[0.0, 1.0]], 3)?;
/// let points: Vec<f64> = (0..8).map(|i| f64::from(i) / 8.0).collect();
/// let e: Vec<f64> = points.iter().map(|x| 2.0 * (std::f64::consts::TAU * 2.0 * x).sin()).collect();
/// let content = waves.content(&points, &e); // 2 sin has the mean square 2
/// assert!((content[2] - 2f64.sqrt()).abs() < 1e-14 && content[1] < 1e-14);
/// # Ok::<(), rafnet::ntk::NtkError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Waves {
    bounds: Vec<[f64; 2]>,
    /// k of every wave vector with its shell; of k and −k only one.
    vectors: Vec<(Vec<i32>, usize)>,
    shells: usize,
}

impl Waves {
    /// Every k with |k| rounded to at most `most`.
    ///
    /// # Errors
    /// [`NtkError::Setting`] where these are more than a thousand.
    pub fn new(bounds: &[[f64; 2]], most: usize) -> Result<Self, NtkError> {
        let refused = || NtkError::Setting {
            what: "the highest frequency",
            found: most.to_string(),
            expected: "a whole number with at most 1000 wave vectors below it (1000 in one dimension, 24 in two, 7 in three)",
        };
        let top = i32::try_from(most).map_err(|_| refused())?;
        if top == i32::MAX || most > MOST_WAVES {
            return Err(refused());
        }
        let radius = f64::from(top) + 0.5;
        let square = |k: &[i32]| k.iter().map(|k| f64::from(*k).powi(2)).sum::<f64>();
        let mut all: Vec<Vec<i32>> = vec![Vec::new()];
        for _ in bounds {
            let mut longer = Vec::new();
            for k in &all {
                for next in -top..=top {
                    let k = [&k[..], &[next]].concat();
                    if square(&k).sqrt() < radius {
                        longer.push(k);
                    }
                }
                if longer.len() > 2 * MOST_WAVES + 1 {
                    return Err(refused());
                }
            }
            all = longer;
        }
        // of k and −k the one whose first number other than zero is positive
        all.retain(|k| k.iter().find(|k| **k != 0).is_none_or(|k| *k > 0));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a length up to a thousand"
        )]
        let shell = |k: &[i32]| square(k).sqrt().round() as usize;
        let vectors = all.into_iter().map(|k| (shell(&k), k));
        Ok(Self {
            bounds: bounds.to_vec(),
            vectors: vectors.map(|(shell, k)| (k, shell)).collect(),
            shells: most + 1,
        })
    }

    /// How many shells, that of the constant among them.
    pub fn n_shells(&self) -> usize {
        self.shells
    }

    /// The shell of every wave: cosine, then sine, of every vector.
    fn shells(&self) -> impl Iterator<Item = usize> + '_ {
        self.vectors.iter().flat_map(|(_, shell)| [*shell; 2])
    }

    /// Cosine and sine of every vector at a point.
    fn at(&self, x: &[f64]) -> Vec<f64> {
        let place = |(x, [low, high]): (&f64, &[f64; 2])| TAU * (x - low) / (high - low);
        let phases: Vec<f64> = x.iter().zip(&self.bounds).map(place).collect();
        let waves = self.vectors.iter().flat_map(|(k, _)| {
            let along = k.iter().zip(&phases);
            let (sin, cos) = along.map(|(k, p)| f64::from(*k) * p).sum::<f64>().sin_cos();
            [cos, sin]
        });
        waves.collect()
    }

    /// The root mean square that each shell holds of a function with these values at points (n × d).
    pub fn content(&self, points: &[f64], values: &[f64]) -> Vec<f64> {
        let mut products = vec![[0.0; 2]; 2 * self.vectors.len()];
        for (x, e) in points.chunks_exact(self.bounds.len()).zip(values) {
            for ([along, square], v) in products.iter_mut().zip(self.at(x)) {
                *along += e * v;
                *square += v * v;
            }
        }
        let n = values.len().max(1) as f64;
        let mut squares = vec![0.0; self.shells];
        for ([along, square], shell) in products.iter().zip(self.shells()) {
            if *square > f64::EPSILON * n {
                squares[shell] += along * along / (square * n);
            }
        }
        squares.iter().map(|s| s.sqrt()).collect()
    }
}

impl Tangent {
    /// The rate of every shell: how fast the equations' residuals lose a wave of this frequency.
    ///
    /// # Errors
    /// [`NtkError`] where numbers overflow or there are no equations.
    pub fn rates(&mut self, waves: &Waves) -> Result<Vec<f64>, NtkError> {
        let term = self.equations()?;
        let (d, count) = (self.terms.system.known.dimension, self.terms.count(term));
        let (p, n_waves) = (self.n_columns(), 2 * waves.vectors.len());
        let mut images = Mat::<f64>::zeros(p, n_waves * count); // Jᵀv
        let mut squares = vec![0.0; n_waves];
        let slabs = self.slabs();
        for slab in slabs.iter().filter(|slab| slab.term == term) {
            let rows = self.rows(slab)?;
            let [from, to] = slab.points;
            let mut v = Mat::<f64>::zeros(slab.rows, n_waves * count);
            for (i, x) in self.points[term].points[from * d..to * d]
                .chunks_exact(d)
                .enumerate()
            {
                for (w, value) in waves.at(x).into_iter().enumerate() {
                    squares[w] += value * value;
                    (0..count).for_each(|c| v[(i * count + c, w * count + c)] = value);
                }
            }
            let jt = rows.matrix().transpose();
            multiply(images.as_mut(), Accum::Add, jt, v.as_ref(), self.threads);
        }
        let n = self.points[term].points.len() as f64 / d as f64;
        let (mut sums, mut counts) = (vec![0.0; waves.shells], vec![0.0; waves.shells]);
        for (w, (shell, square)) in waves.shells().zip(squares).enumerate() {
            if square > f64::EPSILON * n {
                for c in 0..count {
                    let image = images.col(w * count + c);
                    sums[shell] += image.squared_norm_l2() / square;
                    counts[shell] += 1.0;
                }
            }
        }
        Ok(sums.iter().zip(counts).map(|(s, n)| s / n).collect())
    }
}
