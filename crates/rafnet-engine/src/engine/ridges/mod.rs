//! Frozen layers: ridge functions at points, with derivatives up to second order.
//!
//! ```text
//! φ_j = γ_j(z)           z    = b_j + w_j·ξ + v_j·f(x)        ξ = x, or (x − m) / h in a box of the layer's own
//! ∂_i φ_j  = γ′ z_i      z_i  = w_i / h_i + v·∂_i f
//! ∂_ik φ_j = γ″ z_i z_k + γ′ z_ik        z_ik = v·∂_ik f
//! ```
//!
//! f are known functions beside the coordinates, with the weights v. [`Device::ridges`](super::Device::ridges) hands the functions out one after the other,
//! each as columns over all points: `reference` states the formulas, `cpu` goes along the columns.
//!
//! They have a sweep of their own and do not go through the Jacobian by an output layer: a reverse sweep carries every first derivative that a
//! second one needs for all points and functions of a tile, 460 MB for 600 functions in 1,000 dimensions where columns take 10 MB.

pub(super) mod cpu;
pub(super) mod reference;

use crate::basis::Basis;
use std::ops::ControlFlow;

/// A derivative up to second order: `[]`, `[i]` or `[i, k]` with i ≤ k.
pub type Axes = Vec<usize>;

/// What functions are handed to: their place in the layer and a column for each wanted derivative; it says whether to go on.
pub type Take<'a> = dyn FnMut(usize, &[Vec<f64>]) -> ControlFlow<()> + 'a;

/// A layer of ridge functions in the user's coordinates.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// γ of each function, equal ones together.
    pub bases: Vec<Basis>,
    /// N × inputs, row by row: the coordinates' weights w, then the known functions' v.
    pub weights: Vec<f64>,
    /// N
    pub biases: Vec<f64>,
    /// Where the layer's own coordinates run from −1 to 1, if they are not the user's.
    pub local: Option<LocalBox>,
}

impl Layer {
    /// How many functions.
    pub fn len(&self) -> usize {
        self.biases.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.biases.is_empty()
    }

    /// One more function.
    pub fn push(&mut self, basis: Basis, weights: &[f64], bias: f64) {
        self.bases.push(basis);
        self.weights.extend_from_slice(weights);
        self.biases.push(bias);
    }
}

/// A box with coordinates of its own: ξ = (x − m) / h.
#[derive(Clone, Debug)]
pub struct LocalBox {
    /// m
    pub middle: Vec<f64>,
    /// h
    pub half: Vec<f64>,
}

impl LocalBox {
    /// The box between these bounds, an axis each.
    pub fn new(bounds: &[[f64; 2]]) -> Self {
        let each = |of: fn(&[f64; 2]) -> f64| bounds.iter().map(of).collect();
        Self {
            middle: each(|[low, high]| 0.5 * (low + high)),
            half: each(|[low, high]| 0.5 * (high - low)),
        }
    }
}

/// Points by column, with what is known there.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// For each coordinate n numbers.
    pub coordinates: &'a [Vec<f64>],
    /// For each known function beside the coordinates n numbers for each of its derivatives.
    pub inputs: &'a [Vec<Vec<f64>>],
    /// Which derivatives these are, sorted.
    pub derivatives: &'a [Axes],
}

impl Places<'_> {
    /// n
    pub fn n(&self) -> usize {
        self.coordinates.first().map_or(0, Vec::len)
    }

    /// Where a derivative of the known functions stands.
    pub(super) fn place(&self, axes: &[usize]) -> Option<usize> {
        let known = |known: &Axes| known[..].cmp(axes);
        self.derivatives.binary_search_by(known).ok()
    }

    /// A derivative of every known function, a column each.
    fn known(&self, axes: &[usize]) -> impl Iterator<Item = &[f64]> {
        let place = self.place(axes);
        self.inputs.iter().map(move |f| match place {
            Some(place) => &f[place][..],
            None => unreachable!("a derivative that was not asked for"),
        })
    }
}
