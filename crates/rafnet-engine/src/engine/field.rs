//! Known functions of the coordinates, with the derivatives that a jet carries.

use super::Carried;
use crate::expr::Expr;

/// Points as the sweeps see them: one slice for each coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, T> {
    coordinates: &'a [T], // (dimension, n)
    n: usize,
}

impl<'a, T> Points<'a, T> {
    /// Coordinates one after the other, each of `n` numbers.
    ///
    /// # Panics
    /// If the slice is no multiple of `n`.
    pub fn new(coordinates: &'a [T], n: usize) -> Self {
        assert!(
            n == 0 || coordinates.len().is_multiple_of(n),
            "every coordinate needs {n} numbers"
        );
        Self { coordinates, n }
    }
    /// How many points.
    pub fn len(&self) -> usize {
        self.n
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }
    /// How many coordinates.
    pub fn dimension(&self) -> usize {
        self.coordinates.len().checked_div(self.n).unwrap_or(0)
    }
    /// Coordinate `k` of every point.
    pub fn coordinate(&self, k: usize) -> &'a [T] {
        &self.coordinates[k * self.n..(k + 1) * self.n]
    }
}

/// A known function: a boundary factor, a lift, an extra input feature.
pub trait Field<T>: Send + Sync {
    /// Writes its streams at the points: `out[s·n + i]` is stream `s` (value, first derivatives, second-order
    /// combinations, in the order of `carried`) at point `i`. It must not allocate.
    fn streams(&self, points: &Points<'_, T>, carried: &Carried, out: &mut [T]);
    /// The function as an expression of the coordinates, which any device can compile; none for a function of the host.
    fn formula(&self) -> Option<&Expr> {
        None
    }
}
