//! A value with its gradient and Hessian at one point.
//!
//! What factors and lifts return, in closed form. Products follow Leibniz:
//! ```text
//! ∇(fg) = f∇g + g∇f,     ∇²(fg) = f∇²g + g∇²f + ∇f∇gᵀ + ∇g∇fᵀ
//! ```

/// A function's value, gradient and Hessian at a point of d coordinates.
///
/// ```
/// use rafnet::domain::Derivatives;
/// let x = Derivatives { value: 3.0, gradient: vec![1.0], hessian: vec![0.0] };
/// let square = x.times(&x);
/// assert_eq!((square.value, square.gradient[0], square.hessian[0]), (9.0, 6.0, 2.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Derivatives {
    /// The value.
    pub value: f64,
    /// The first derivatives, d of them.
    pub gradient: Vec<f64>,
    /// The second derivatives, d × d by rows.
    pub hessian: Vec<f64>,
}

impl Derivatives {
    /// A constant function of `dimension` coordinates.
    pub fn constant(value: f64, dimension: usize) -> Self {
        Self {
            value,
            gradient: vec![0.0; dimension],
            hessian: vec![0.0; dimension * dimension],
        }
    }

    /// The product of two functions of the same coordinates.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let dimension = self.gradient.len();
        let gradient = self
            .gradient
            .iter()
            .zip(&other.gradient)
            .map(|(f, g)| self.value * g + other.value * f);
        let entry = |(k, (f, g)): (usize, (&f64, &f64))| {
            let (i, j) = (k / dimension, k % dimension);
            let mixed = self.gradient[i] * other.gradient[j] + other.gradient[i] * self.gradient[j];
            self.value * g + other.value * f + mixed
        };
        let hessian = self
            .hessian
            .iter()
            .zip(&other.hessian)
            .enumerate()
            .map(entry);
        Self {
            value: self.value * other.value,
            gradient: gradient.collect(),
            hessian: hessian.collect(),
        }
    }

    /// Adds another function of the same coordinates.
    pub(super) fn add(&mut self, other: &Self) {
        let add = |to: &mut [f64], from: &[f64]| {
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        };
        self.value += other.value;
        add(&mut self.gradient, &other.gradient);
        add(&mut self.hessian, &other.hessian);
    }
}

/// Compares with differences: the gradient with those of the value, the Hessian with those of the gradient.
///
/// `length` is that over which the function changes. Central differences at h = 1e-3 lengths and at h/2, combined to fourth
/// order, leave about h⁴ = 1e-12 times the fifth derivative, and ε/h = 2e-13 of rounding; 1e-8 of the largest derivative
/// leaves room for a fifth derivative of 1e4.
#[cfg(test)]
pub(super) fn check_by_differences(
    found: &Derivatives,
    x: &[f64],
    length: f64,
    f: impl Fn(&[f64]) -> Derivatives,
) {
    use crate::expr::larger;
    let dimension = x.len();
    let central = |axis: usize, h: f64, pick: &dyn Fn(&Derivatives) -> f64| {
        let moved = |by: f64| {
            let mut x = x.to_vec();
            x[axis] += by;
            pick(&f(&x))
        };
        (moved(h) - moved(-h)) / (2.0 * h)
    };
    let h = 1e-3 * length;
    let difference = |axis: usize, pick: &dyn Fn(&Derivatives) -> f64| {
        (4.0 * central(axis, h / 2.0, pick) - central(axis, h, pick)) / 3.0
    };
    let size = |values: &[f64], before: f64| {
        values
            .iter()
            .fold(before, |size, value| larger(size, value.abs() * length))
    };
    let first = size(&found.gradient, found.value.abs());
    let second = size(&found.hessian, first / length);
    for axis in 0..dimension {
        let gap = (difference(axis, &|d| d.value) - found.gradient[axis]).abs();
        assert!(
            gap <= 1e-8 * first / length,
            "gradient {axis} at {x:?}: off by {gap:e} of {first:e}"
        );
        for other in 0..dimension {
            let entry = found.hessian[other * dimension + axis];
            let gap = (difference(axis, &|d| d.gradient[other]) - entry).abs();
            assert!(
                gap <= 1e-8 * second / length,
                "Hessian {other}, {axis} at {x:?}: off by {gap:e} of {second:e}"
            );
        }
    }
}
