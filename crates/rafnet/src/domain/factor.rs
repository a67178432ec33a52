//! Factors: smooth functions that vanish on chosen pieces of the boundary and nowhere inside.
//!
//! u = lift + factor · network satisfies Dirichlet conditions exactly. A factor is a product of terms, one a piece:
//! ```text
//! box       Π (x_k − a_k) or (b_k − x_k)          annulus   (|x − c|² − r²)(R² − |x − c|²)
//! ball      R² − |x − c|²                         polygon   Π −n_k · (x − v_k), convex ones only
//! ```
//! On axis-parallel pieces the term is exactly zero at points that carry the exact coordinate. The list of terms is
//! public, so that a caller can write the factor as text and differentiate it symbolically.

use super::derivatives::Derivatives;

/// On which side of a sphere the domain lies.
///
/// ```
/// use rafnet::domain::{FactorTerm, Side};
/// let hole = FactorTerm::Sphere { axes: vec![0], centre: vec![0.0], radius: 1.0, side: Side::Outside };
/// assert_eq!(hole.value(&[3.0]), 8.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Inside: the term is R² − |x − c|².
    Inside,
    /// Outside: the term is |x − c|² − R².
    Outside,
}

/// One term of a factor: zero on one piece of the boundary, positive in the domain.
///
/// ```
/// use rafnet::domain::FactorTerm;
/// let term = FactorTerm::Below { axis: 1, at: 2.0 };
/// assert_eq!(term.value(&[9.0, 0.5]), 1.5);
/// assert_eq!(term.derivatives(&[9.0, 0.5]).gradient, [0.0, -1.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum FactorTerm {
    /// `x[axis]` − at.
    Above {
        /// The axis, from 0.
        axis: usize,
        /// Where the term vanishes.
        at: f64,
    },
    /// at − `x[axis]`.
    Below {
        /// The axis, from 0.
        axis: usize,
        /// Where the term vanishes.
        at: f64,
    },
    /// inward · (x − through), over two axes.
    HalfPlane {
        /// The two axes, from 0.
        axes: [usize; 2],
        /// A point of the line on which the term vanishes.
        through: [f64; 2],
        /// The unit normal into the domain.
        inward: [f64; 2],
    },
    /// ±(radius² − |x − centre|²), over the given axes.
    Sphere {
        /// The axes, from 0.
        axes: Vec<usize>,
        /// The centre, one number an axis.
        centre: Vec<f64>,
        /// The radius.
        radius: f64,
        /// Which sign.
        side: Side,
    },
}

impl FactorTerm {
    /// The sphere over the first axes.
    pub(super) fn sphere(centre: &[f64], radius: f64, side: Side) -> Self {
        Self::Sphere {
            axes: (0..centre.len()).collect(),
            centre: centre.to_vec(),
            radius,
            side,
        }
    }

    /// The value at x.
    ///
    /// # Panics
    ///
    /// When x has fewer coordinates than the term's axes need.
    pub fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::Above { axis, at } => x[*axis] - at,
            Self::Below { axis, at } => at - x[*axis],
            Self::HalfPlane {
                axes,
                through,
                inward,
            } => inward[0] * (x[axes[0]] - through[0]) + inward[1] * (x[axes[1]] - through[1]),
            Self::Sphere {
                axes,
                centre,
                radius,
                side,
            } => {
                let squared: f64 = axes
                    .iter()
                    .zip(centre)
                    .map(|(&axis, c)| (x[axis] - c).powi(2))
                    .sum();
                side.sign() * (radius * radius - squared)
            }
        }
    }

    /// Value, gradient and Hessian at x.
    ///
    /// # Panics
    ///
    /// As [`FactorTerm::value`].
    pub fn derivatives(&self, x: &[f64]) -> Derivatives {
        let dimension = x.len();
        let mut result = Derivatives::constant(self.value(x), dimension);
        match self {
            Self::Above { axis, .. } => result.gradient[*axis] = 1.0,
            Self::Below { axis, .. } => result.gradient[*axis] = -1.0,
            Self::HalfPlane { axes, inward, .. } => {
                for (&axis, &component) in axes.iter().zip(inward) {
                    result.gradient[axis] = component;
                }
            }
            Self::Sphere {
                axes, centre, side, ..
            } => {
                for (&axis, c) in axes.iter().zip(centre) {
                    result.gradient[axis] = -2.0 * side.sign() * (x[axis] - c);
                    result.hessian[axis * dimension + axis] = -2.0 * side.sign();
                }
            }
        }
        result
    }

    /// The same term after its axes were renumbered.
    pub(super) fn renumbered(self, renumber: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Above { axis, at } => Self::Above {
                axis: renumber(axis),
                at,
            },
            Self::Below { axis, at } => Self::Below {
                axis: renumber(axis),
                at,
            },
            Self::HalfPlane {
                axes,
                through,
                inward,
            } => Self::HalfPlane {
                axes: axes.map(renumber),
                through,
                inward,
            },
            Self::Sphere {
                axes,
                centre,
                radius,
                side,
            } => Self::Sphere {
                axes: axes.into_iter().map(renumber).collect(),
                centre,
                radius,
                side,
            },
        }
    }
}

impl Side {
    fn sign(self) -> f64 {
        match self {
            Self::Inside => 1.0,
            Self::Outside => -1.0,
        }
    }
}

/// A product of terms; the empty product is 1.
///
/// ```
/// use rafnet::domain::{Cuboid, Domain};
/// use std::sync::Arc;
/// let square = Domain::new(Arc::new(Cuboid::new(vec![[0.0, 1.0], [0.0, 2.0]])?));
/// let factor = square.factor(&[0, 1, 2])?.expect("boxes have factors"); // x=0, x=1, y=0
/// assert_eq!(factor.value(&[0.5, 2.0]), 0.5);                           // x (1 − x) y
/// assert_eq!(factor.derivatives(&[0.5, 2.0]).gradient, [0.0, 0.25]);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    terms: Vec<FactorTerm>,
}

impl Factor {
    /// The product of these terms.
    pub fn new(terms: Vec<FactorTerm>) -> Self {
        Self { terms }
    }

    /// The terms.
    pub fn terms(&self) -> &[FactorTerm] {
        &self.terms
    }

    /// The value at x.
    ///
    /// # Panics
    ///
    /// As [`FactorTerm::value`].
    pub fn value(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|term| term.value(x)).product()
    }

    /// Value, gradient and Hessian at x.
    ///
    /// # Panics
    ///
    /// As [`FactorTerm::value`].
    pub fn derivatives(&self, x: &[f64]) -> Derivatives {
        let one = Derivatives::constant(1.0, x.len());
        self.terms
            .iter()
            .fold(one, |product, term| product.times(&term.derivatives(x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::derivatives::check_by_differences;
    use proptest::prelude::*;

    fn one_of_each() -> Factor {
        Factor::new(vec![
            FactorTerm::Above { axis: 2, at: -1.5 },
            FactorTerm::Below { axis: 0, at: 2.0 },
            FactorTerm::HalfPlane {
                axes: [2, 1],
                through: [0.3, -2.0],
                inward: [0.6, 0.8],
            },
            FactorTerm::Sphere {
                axes: vec![0, 2],
                centre: vec![0.1, -0.2],
                radius: 3.0,
                side: Side::Inside,
            },
            FactorTerm::Sphere {
                axes: vec![1],
                centre: vec![4.0],
                radius: 0.5,
                side: Side::Outside,
            },
        ])
    }

    proptest! {
        #[test]
        fn derivatives_agree_with_differences(x in prop::array::uniform3(-1.0..1.0f64)) {
            let factor = one_of_each();
            let found = factor.derivatives(&x);
            prop_assert!((found.value - factor.value(&x)).abs() <= 8.0 * f64::EPSILON * found.value.abs());
            check_by_differences(&found, &x, 1.0, |x| factor.derivatives(x));
        }
    }

    #[test]
    fn renumbering_moves_every_axis() {
        let x = [0.2, -0.4, 0.7];
        let moved = Factor::new(
            one_of_each()
                .terms
                .into_iter()
                .map(|term| term.renumbered(|axis| axis + 1))
                .collect(),
        );
        let shifted = [9.0, x[0], x[1], x[2]];
        assert_eq!(
            moved.value(&shifted).to_bits(),
            one_of_each().value(&x).to_bits()
        );
    }
}
