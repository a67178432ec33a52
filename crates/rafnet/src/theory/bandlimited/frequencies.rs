//! The band by quadrature: f itself, and what sampling can be expected to do.
//!
//! ```text
//! f(x) ≈ Σ v_j |F(w_j)| Re e^(iθ_j) K(w_j·x)        C_F = Σ v_j |F(w_j)|        E‖f − f_n‖² = (E‖g‖² − ‖f‖²)/n
//! ```

use super::{BandLimited, Expectation};
use crate::theory::quadrature;

/// Nodes along an axis, by dimension: at most 4·10⁵ pairs (w, x).
pub(super) const NODES: [usize; 3] = [96, 24, 8];

impl BandLimited {
    /// f at a point, by quadrature over the band.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.quadrature().value(self, x)
    }

    pub(super) fn quadrature(&self) -> Frequencies {
        let d = self.dimension();
        let (w, weights) = quadrature::cube(d, NODES[d - 1], [-self.band, self.band]);
        let density = self.density.values(&w);
        let theta = self.phases(&w, &density);
        let weights = weights.iter().zip(&density).map(|(v, f)| v * f.abs());
        Frequencies {
            weights: weights.collect(),
            w,
            theta,
        }
    }

    /// C_F, E‖g‖² and ‖f‖², by quadrature over band and cube.
    pub fn expectation(&self) -> Expectation {
        let d = self.dimension();
        let all = self.quadrature();
        let (x, share) = quadrature::cube(d, NODES[d - 1], [0.0, 1.0]);
        let mass: f64 = all.weights.iter().sum();
        let (mut mean_square, mut norm_square) = (0.0, 0.0);
        for (x, share) in x.chunks_exact(d).zip(&share) {
            let k = self.kernel_values(&all.arguments(x), &all.theta);
            let terms = k.iter().zip(&all.weights);
            let (f, square) = terms.fold((0.0, 0.0), |(f, g), (k, v)| (f + v * k, g + v * k * k));
            mean_square += share * mass * square;
            norm_square += share * f * f;
        }
        Expectation {
            mass,
            mean_square,
            norm_square,
        }
    }
}

/// The nodes of the band, with |F| in the weights.
pub(super) struct Frequencies {
    w: Vec<f64>, // n × d
    weights: Vec<f64>,
    theta: Vec<f64>,
}

impl Frequencies {
    /// w·x at every node.
    fn arguments(&self, x: &[f64]) -> Vec<f64> {
        let dot = |w: &[f64]| w.iter().zip(x).map(|(w, x)| w * x).sum();
        self.w.chunks_exact(x.len()).map(dot).collect()
    }
    pub(super) fn value(&self, function: &BandLimited, x: &[f64]) -> f64 {
        let k = function.kernel_values(&self.arguments(x), &self.theta);
        k.iter().zip(&self.weights).map(|(k, v)| k * v).sum()
    }
}
