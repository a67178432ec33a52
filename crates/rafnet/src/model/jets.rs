//! Values and derivatives at a batch of points.

use crate::engine::{Carried, Second, Streams};

/// u and its derivatives at points, one slice of n numbers for each.
///
/// Outputs, coordinates and second-order streams count from 0; what was not asked for is `None`.
#[derive(Clone, Debug)]
pub struct Jets {
    values: Vec<f64>, // (outputs, streams, n)
    n: usize,
    outputs: usize,
    streams: Streams,
    carried: Carried,
}

impl Jets {
    pub(super) fn new(
        values: Vec<f64>,
        n: usize,
        outputs: usize,
        streams: Streams,
        carried: Carried,
    ) -> Self {
        Self {
            values,
            n,
            outputs,
            streams,
            carried,
        }
    }

    /// How many points.
    pub fn n_points(&self) -> usize {
        self.n
    }

    /// How many outputs.
    pub fn n_outputs(&self) -> usize {
        self.outputs
    }

    /// `u_o` at every point.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn value(&self, output: usize) -> &[f64] {
        self.stream(output, 0)
    }

    /// `∂u_o/∂x_k` at every point.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn gradient(&self, output: usize, k: usize) -> Option<&[f64]> {
        let s = self.carried.direction(k)?;
        Some(self.stream(output, s))
    }

    /// The second-order stream `s` of the [`Streams`] asked for, at every point.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn second(&self, output: usize, s: usize) -> Option<&[f64]> {
        (s < self.carried.second().len())
            .then(|| self.stream(output, self.carried.second_stream(s)))
    }

    /// `Δu_o` at every point: the sum of the second derivatives along the coordinates in space.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn laplacian(&self, output: usize) -> Option<&[f64]> {
        self.find(output, |second| match second {
            Second::Laplacian => true,
            Second::Matrix(c) => self.is_laplacian(c),
            Second::Mixed(..) => false,
        })
    }

    /// `∂²u_o/∂x_i∂x_j` at every point, where it was asked for by its coordinates.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn hessian(&self, output: usize, i: usize, j: usize) -> Option<&[f64]> {
        self.find(output, |second| match *second {
            Second::Mixed(a, b) => (a, b) == (i, j) || (a, b) == (j, i),
            _ => false,
        })
    }

    fn find(&self, output: usize, wanted: impl Fn(&Second) -> bool) -> Option<&[f64]> {
        let s = self.streams.second.iter().position(wanted)?;
        self.second(output, s)
    }

    /// Whether a matrix is the identity but for one zero on the diagonal: how a model asks for the Laplacian in space.
    #[expect(clippy::float_cmp, reason = "ones and zeros are exact")]
    fn is_laplacian(&self, c: &[f64]) -> bool {
        let d = self.carried.dimension();
        let ones = c.iter().step_by(d + 1).filter(|v| **v == 1.0).count();
        let zeros = c.iter().filter(|v| **v == 0.0).count();
        ones + 1 == d && ones + zeros == d * d
    }

    fn stream(&self, output: usize, s: usize) -> &[f64] {
        let start = (output * self.carried.len() + s) * self.n;
        &self.values[start..start + self.n]
    }
}
