//! Leaves: what an expression is ultimately a function of.

use std::sync::Arc;

/// An unknown or one of its derivatives, the axes sorted, so that `u_xy` and `u_yx` are one.
///
/// ```
/// use rafnet::expr::Jet;
/// let u_xy = Jet::new(0, &[1, 0]);
/// assert_eq!(u_xy.axes(), [0, 1]);
/// assert_eq!(u_xy.raised(0), Jet::new(0, &[0, 0, 1]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Jet {
    unknown: usize,
    axes: Arc<[usize]>,
}

impl Jet {
    /// The derivative of unknown number `unknown` along `axes` (coordinate numbers, in any order, empty for the value).
    pub fn new(unknown: usize, axes: &[usize]) -> Self {
        let mut axes = axes.to_vec();
        axes.sort_unstable();
        Self {
            unknown,
            axes: axes.into(),
        }
    }

    /// The number of the unknown.
    pub fn unknown(&self) -> usize {
        self.unknown
    }

    /// The coordinates by which it is differentiated, ascending, repeated as often as differentiated.
    pub fn axes(&self) -> &[usize] {
        &self.axes
    }

    /// The order of the derivative; 0 is the unknown itself.
    pub fn order(&self) -> usize {
        self.axes.len()
    }

    /// This jet differentiated once more, along `axis`.
    #[must_use]
    pub fn raised(&self, axis: usize) -> Self {
        let mut axes = self.axes.to_vec();
        axes.push(axis);
        Self::new(self.unknown, &axes)
    }
}

/// A leaf of an expression; numbers refer to the order of declaration in the [`Scope`](super::Scope).
///
/// The order of this type (`Ord`) puts coordinates first, then jets by unknown and axes, then the rest.
///
/// ```
/// use rafnet::expr::{Expr, Leaf};
/// let u_x = Expr::leaf(Leaf::jet(0, &[0]));
/// assert_eq!(u_x.eval(&|leaf: &Leaf| if *leaf == Leaf::jet(0, &[0]) { 3.0 } else { 0.0 }), 3.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leaf {
    /// A coordinate.
    Coordinate(usize),
    /// An unknown or a derivative of it.
    Jet(Jet),
    /// A parameter that is to be found.
    Parameter(usize),
    /// A column of given data, one value a point.
    Column(usize),
    /// The outward normal derivative of an unknown.
    NormalDerivative(usize),
    /// The component of the outward normal along a coordinate.
    Normal(usize),
}

impl Leaf {
    /// The derivative of an unknown along `axes`; the unknown itself when `axes` is empty.
    pub fn jet(unknown: usize, axes: &[usize]) -> Self {
        Self::Jet(Jet::new(unknown, axes))
    }

    /// The unknown this leaf belongs to, for jets and normal derivatives.
    pub fn unknown(&self) -> Option<usize> {
        match self {
            Self::Jet(jet) => Some(jet.unknown()),
            Self::NormalDerivative(unknown) => Some(*unknown),
            _ => None,
        }
    }
}
