//! Muon (Jordan et al. 2024): momentum whose singular values are all brought near 1, for square weight matrices.
//!
//! ```text
//! M ← βM + (1−β)G      X = (1−β)G + βM      W ← W − 0.2 √n · lr · O(X)        n × n matrices, β = 0.9
//! O(X):  X ← X/‖X‖, then five times  X ← aX + (bA + cA²)X,  A = XXᵀ           (a, b, c) = (3.4445, −4.7750, 2.0315)
//! ```
//!
//! With X = U S Vᵀ the polynomial acts on S alone and takes everything from 0.01 to 1 to between 0.6 and 1.3: the loss is felt alike along
//! all directions, not mostly along the few that Adam sees. 0.2 √n makes the entries of a step as large as Adam's usually are. The
//! polynomial is computed in f32 whatever the precision: a direction needs no more.

use crate::network::Network;
use crate::simd::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::Range;

const BETA: f64 = 0.9;
const ROUNDS: usize = 5;
const POLYNOMIAL: [f32; 3] = [3.4445, -4.7750, 2.0315];

/// The momenta of a network's hidden weights.
#[derive(Clone, Debug)]
pub struct Muon<T> {
    matrices: Vec<Matrix<T>>,
}

#[derive(Clone, Debug)]
struct Matrix<T> {
    place: Range<usize>,
    n: usize,
    momentum: Vec<T>,
    work: [Vec<f32>; 3],
}

impl<T: Real> Muon<T> {
    /// No step taken yet; the matrices are the square weights of all layers but the first and the last.
    pub fn new(network: &Network) -> Self {
        let last = network.layers().len() - 1;
        let hidden = (1..last).filter_map(|l| network.layout().get(&format!("layers.{l}.weight")));
        let matrices = hidden.filter(|block| block.shape[0] == block.shape[1]);
        let matrix = |block: &crate::network::Named| Matrix {
            place: block.range.clone(),
            n: block.shape[0],
            momentum: vec![T::ZERO; block.range.len()],
            work: [(); 3].map(|()| vec![0.0; block.range.len()]),
        };
        Self {
            matrices: matrices.map(matrix).collect(),
        }
    }

    /// All momenta, one after the other.
    pub fn state(&self) -> Vec<T> {
        let all = self.matrices.iter().flat_map(|m| &m.momentum);
        all.copied().collect()
    }

    /// Goes on from a state; `None` if it is another network's.
    #[must_use]
    pub fn with_state(mut self, state: &[T]) -> Option<Self> {
        let mut rest = state;
        for matrix in &mut self.matrices {
            let (own, after) = rest.split_at_checked(matrix.momentum.len())?;
            matrix.momentum.copy_from_slice(own);
            rest = after;
        }
        rest.is_empty().then_some(self)
    }

    /// One step, matrix by matrix over at most `threads` threads; the bits do not depend on how many. Takes the matrices' part out of the
    /// gradient, so that a rule for all other parameters leaves them alone.
    pub fn step(&mut self, lr: f64, parameters: &mut [T], gradient: &mut [T], threads: usize) {
        for matrix in &mut self.matrices {
            matrix.take(&mut gradient[matrix.place.clone()]);
        }
        let share = self.matrices.len().div_ceil(threads.max(1)).max(1);
        std::thread::scope(|scope| {
            let mut parts = self.matrices.chunks_mut(share);
            let own = parts.next();
            for part in parts {
                scope.spawn(move || part.iter_mut().for_each(Matrix::orthogonalise));
            }
            own.into_iter().flatten().for_each(Matrix::orthogonalise);
        });
        for matrix in &self.matrices {
            let rate = 0.2 * (matrix.n as f64).sqrt() * lr;
            let weights = &mut parameters[matrix.place.clone()];
            for (w, x) in weights.iter_mut().zip(&matrix.work[0]) {
                *w = *w - T::from_f64(rate * f64::from(*x));
            }
        }
    }
}

impl<T: Real> Matrix<T> {
    /// Feeds the momentum and leaves X/‖X‖ in the first work space and zeros in the gradient.
    #[expect(clippy::cast_possible_truncation, reason = "a direction in f32")]
    fn take(&mut self, gradient: &mut [T]) {
        let (beta, rest) = (T::from_f64(BETA), T::from_f64(1.0 - BETA));
        let mut square = 0.0;
        for (m, g) in self.momentum.iter_mut().zip(gradient.iter_mut()) {
            *m = beta * *m + rest * *g;
            *g = rest * *g + beta * *m;
            square += g.to_f64().powi(2);
        }
        let scale = 1.0 / square.sqrt().max(f64::MIN_POSITIVE);
        for (x, g) in self.work[0].iter_mut().zip(gradient) {
            *x = (g.to_f64() * scale) as f32;
            *g = T::ZERO;
        }
    }

    /// O(X), in the first work space.
    fn orthogonalise(&mut self) {
        let n = self.n;
        let [a, b, c] = POLYNOMIAL;
        let [x, next, sum] = &mut self.work;
        for _ in 0..ROUNDS {
            multiply(next, Accum::Replace, 1.0, [x, x], Second::Transposed, n);
            sum.iter_mut().zip(&*next).for_each(|(s, g)| *s = b * g);
            multiply(sum, Accum::Add, c, [next, next], Second::AsItIs, n);
            next.iter_mut().zip(&*x).for_each(|(next, x)| *next = a * x);
            multiply(next, Accum::Add, 1.0, [sum, x], Second::AsItIs, n);
            std::mem::swap(x, next);
        }
    }
}

/// How the second factor of a product is taken.
#[derive(Clone, Copy, PartialEq)]
enum Second {
    AsItIs,
    Transposed,
}

/// to = (to +) factor · left · right, of n × n matrices.
fn multiply(
    to: &mut [f32],
    accumulate: Accum,
    factor: f32,
    [left, right]: [&[f32]; 2],
    second: Second,
    n: usize,
) {
    let to = MatMut::from_row_major_slice_mut(to, n, n);
    let left = MatRef::from_row_major_slice(left, n, n);
    let mut right = MatRef::from_row_major_slice(right, n, n);
    if second == Second::Transposed {
        right = right.transpose();
    }
    matmul(to, accumulate, left, right, factor, Par::Seq);
}

#[cfg(test)]
mod tests {
    use super::{Muon, POLYNOMIAL, ROUNDS};
    use crate::activation::Set;
    use crate::network::{Init, Inputs, Network, Weights};
    use faer::Mat;

    fn network(width: usize) -> Result<Network, crate::network::NetworkError> {
        let layers = vec![Set::Siren.shared_out(width, 0.1); 3];
        Network::fully_connected(Inputs::coordinates(2), layers, 1)
    }

    /// The step is U p(S) Vᵀ with the singular vectors of the gradient, S/‖S‖ through the polynomial five times; other parameters stay.
    #[test]
    fn the_step_has_the_gradients_singular_vectors() -> Result<(), Box<dyn std::error::Error>> {
        let n = 24;
        let network = network(n)?;
        let mut theta: Vec<f64> = vec![0.0; network.n_parameters()];
        let gradient: Vec<f64> = network.init(Init::new(Weights::FanIn, 3));
        let mut left = gradient.clone();
        Muon::new(&network).step(1.0, &mut theta, &mut left, 2);
        for layer in 0..4 {
            let name = format!("layers.{layer}.weight");
            let place = &network.layout().get(&name).ok_or("a weight")?.range;
            let (step, g) = (&theta[place.clone()], &gradient[place.clone()]);
            if layer == 0 || layer == 3 {
                assert!(step.iter().all(|s| *s == 0.0) && left[place.clone()] == *g);
                continue;
            }
            assert!(left[place.clone()].iter().all(|g| *g == 0.0));
            let matrix = Mat::from_fn(n, n, |i, j| g[i * n + j]);
            let svd = matrix.svd().map_err(|e| format!("{e:?}"))?;
            let [a, b, c] = POLYNOMIAL.map(f64::from);
            let norm = matrix.norm_l2();
            let values: Vec<f64> = (0..n)
                .map(|k| {
                    (0..ROUNDS).fold(svd.S()[k] / norm, |s, _| s * (a + s * s * (b + c * s * s)))
                })
                .collect();
            // small singular values are not near 1 yet
            assert!(
                values[..n - 2].iter().all(|s| (0.6..1.3).contains(s)),
                "{values:?}"
            );
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let expected: f64 = (0..n)
                    .map(|k| svd.U()[(i, k)] * values[k] * svd.V()[(j, k)])
                    .sum();
                let found = -step[i * n + j] / (0.2 * f64::sqrt(24.0));
                // rounding to f32 grows by the polynomial's slope at 0, at most 3.4445⁵ = 485
                assert!(
                    (found - expected).abs() < 485.0 * 1.2e-7,
                    "{found} {expected}"
                );
            }
        }
        Ok(())
    }

    #[test]
    fn threads_and_a_saved_state_change_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let network = network(17)?;
        let start: Vec<f32> = network.init(Init::new(Weights::FanIn, 5));
        let run = |threads: usize, saved: bool| -> Option<Vec<f32>> {
            let (mut theta, mut muon) = (start.clone(), Muon::new(&network));
            for k in 0..4u8 {
                let mut gradient: Vec<f32> = theta.iter().map(|t| t.sin() + f32::from(k)).collect();
                muon.step(0.01, &mut theta, &mut gradient, threads);
                if saved {
                    muon = Muon::new(&network).with_state(&muon.state())?;
                }
            }
            Some(theta)
        };
        let one = run(1, false).ok_or("a run")?;
        assert_eq!(run(3, false), Some(one.clone()));
        assert_eq!(run(2, true), Some(one));
        assert!(Muon::<f32>::new(&network).with_state(&[0.0; 5]).is_none());
        Ok(())
    }
}
