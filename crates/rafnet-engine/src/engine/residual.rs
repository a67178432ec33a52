//! Residuals: what should be zero at a point, given the jet of u there, with its partial derivatives.

use super::{Carried, Formula, Points, Read, Streams};
use crate::expr::{Expr, Leaf};
use crate::simd::Real;

/// What a residual sees: points, the streams of u at them, and the data beside them.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a, T> {
    /// The points.
    pub points: Points<'a, T>,
    /// What the streams mean.
    pub carried: &'a Carried,
    pub(crate) jets: &'a [T],   // (outputs, streams, n)
    pub(crate) data: &'a [T],   // (columns, n)
    pub(crate) shared: &'a [T], // one for each shared number
}

impl<'a, T> Site<'a, T> {
    /// How many points.
    pub fn n(&self) -> usize {
        self.points.len()
    }
    /// Stream `s` of output `o` at every point.
    pub fn u(&self, o: usize, s: usize) -> &'a [T] {
        let n = self.n();
        let start = (o * self.carried.len() + s) * n;
        &self.jets[start..start + n]
    }
    /// Data column `c` at every point.
    pub fn data(&self, c: usize) -> &'a [T] {
        let n = self.n();
        &self.data[c * n..(c + 1) * n]
    }
    /// The numbers that are the same at every point, within their bounds.
    pub fn shared(&self) -> &'a [T] {
        self.shared
    }
}

/// Where a residual writes: its values and the partial derivatives that are not zero.
#[derive(Debug)]
pub struct Response<'a, T> {
    pub(crate) values: &'a mut [T],   // (residuals, n)
    pub(crate) partials: &'a mut [T], // (residuals, outputs, streams, n), zero at first
    pub(crate) slopes: &'a mut [T],   // (residuals, shared numbers, n), zero at first
    pub(crate) shared: usize,
    pub(crate) n: usize,
    pub(crate) streams: usize,
    pub(crate) outputs: usize,
}

impl<T> Response<'_, T> {
    /// Residual `m` at every point.
    pub fn value(&mut self, m: usize) -> &mut [T] {
        &mut self.values[m * self.n..(m + 1) * self.n]
    }
    /// ∂(residual `m`)/∂(stream `s` of output `o`) at every point; zero unless written.
    pub fn partial(&mut self, m: usize, o: usize, s: usize) -> &mut [T] {
        let start = ((m * self.outputs + o) * self.streams + s) * self.n;
        &mut self.partials[start..start + self.n]
    }
    /// ∂(residual `m`)/∂(shared number `k`) at every point; zero unless written.
    pub fn slope(&mut self, m: usize, k: usize) -> &mut [T] {
        let start = (m * self.shared + k) * self.n;
        &mut self.slopes[start..start + self.n]
    }
}

/// A pointwise residual r(x, data, u, ∂u, …, p) with numbers p that all points share; the loss is the mean of its squares.
pub trait Residual<T>: Send + Sync {
    /// The derivatives it reads.
    fn streams(&self) -> Streams;
    /// How many residuals a point has.
    fn count(&self) -> usize;
    /// How many outputs of the network it reads.
    fn outputs(&self) -> usize;
    /// How many shared numbers it reads: the first so many of an objective's.
    fn shared(&self) -> usize {
        0
    }
    /// How many data columns it reads.
    fn data_columns(&self) -> usize {
        0
    }
    /// Writes residuals and partial derivatives at every point. It must not allocate.
    fn evaluate(&self, site: &Site<'_, T>, response: &mut Response<'_, T>);
    /// The same as expressions, which any device can compile; none for a function of the host.
    fn formula(&self) -> Option<Formula> {
        None
    }
}

/// r_o = u_o − data_o: plain regression.
///
/// ```
/// use rafnet::engine::{Regression, Residual};
/// assert_eq!(Residual::<f64>::count(&Regression { outputs: 3 }), 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Regression {
    /// How many outputs.
    pub outputs: usize,
}

impl<T: Real> Residual<T> for Regression {
    fn streams(&self) -> Streams {
        Streams::value()
    }
    fn count(&self) -> usize {
        self.outputs
    }
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn data_columns(&self) -> usize {
        self.outputs
    }
    fn evaluate(&self, site: &Site<'_, T>, response: &mut Response<'_, T>) {
        for o in 0..self.outputs {
            let known = site.u(o, 0).iter().zip(site.data(o));
            for (value, (&u, &target)) in response.value(o).iter_mut().zip(known) {
                *value = u - target;
            }
            response.partial(o, o, 0).fill(T::ONE);
        }
    }
    fn formula(&self) -> Option<Formula> {
        let leaves = |o: usize| [Leaf::jet(o, &[]), Leaf::Column(o)];
        let reads = |o: usize| {
            let value = Read::Stream {
                output: o,
                stream: 0,
            };
            leaves(o).into_iter().zip([value, Read::Data(o)])
        };
        let difference = |o: usize| {
            let [u, target] = leaves(o).map(Expr::leaf);
            u - target
        };
        Some(Formula {
            reads: (0..self.outputs).flat_map(reads).collect(),
            residuals: (0..self.outputs).map(difference).collect(),
            partials: (0..self.outputs)
                .map(|o| ([o, o, 0], Expr::number(1.0)))
                .collect(),
            slopes: Vec::new(),
        })
    }
}
