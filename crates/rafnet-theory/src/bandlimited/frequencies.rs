//! The band by quadrature: f itself, and what sampling can be expected to do.
//!
//! ```text
//! f(x) ≈ Σ v_j |F(w_j)| Re e^(iθ_j) K(w_j·x)        C_F = Σ v_j |F(w_j)|        E‖f − f_n‖² = (E‖g‖² − ‖f‖²)/n
//! ```

use super::{BandLimited, Expectation};
use rafnet::domain::gauss_legendre;

/// Nodes along an axis, by dimension: at most 4·10⁵ pairs (w, x).
pub(super) const NODES: [usize; 3] = [96, 24, 8];

/// Gauss–Legendre nodes (n × d) and weights of the cube [low, high]^d.
pub(super) fn cube(d: usize, [low, high]: [f64; 2]) -> (Vec<f64>, Vec<f64>) {
    let onto = |[x, w]: [f64; 2]| (low + (high - low) * x, (high - low) * w);
    let rule: Vec<_> = gauss_legendre(NODES[d - 1]).into_iter().map(onto).collect();
    let mut nodes = vec![Vec::new()];
    let mut weights = vec![1.0];
    for _ in 0..d {
        let old = nodes.iter().zip(&weights);
        let pairs: Vec<(Vec<f64>, f64)> = old
            .flat_map(|(node, w): (&Vec<f64>, &f64)| {
                rule.iter().map(move |(x, v)| {
                    let mut longer = node.clone();
                    longer.push(*x);
                    (longer, w * v)
                })
            })
            .collect();
        (nodes, weights) = pairs.into_iter().unzip();
    }
    (nodes.concat(), weights)
}

impl BandLimited {
    /// f at a point, by quadrature over the band.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.quadrature().value(self, x)
    }

    pub(super) fn quadrature(&self) -> Frequencies {
        let d = self.dimension();
        let (w, weights) = cube(d, [-self.band, self.band]);
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
        let (x, share) = cube(d, [0.0, 1.0]);
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
