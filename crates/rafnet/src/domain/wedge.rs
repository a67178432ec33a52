//! Corners of plane domains: where solutions of elliptic equations lose their smoothness.

use super::plane::{Point, angle, minus};
use std::f64::consts::{PI, TAU};

/// A corner of a plane domain.
///
/// ```
/// use rafnet::domain::{Domain, Polygon};
/// use std::sync::Arc;
/// let ell = Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])?;
/// let inner = &Domain::new(Arc::new(ell)).wedges()[3];
/// assert_eq!(inner.position, [1.0, 1.0]);
/// assert!((inner.angle - 1.5 * std::f64::consts::PI).abs() < 1e-15);
/// assert!(inner.bisector[0] < 0.0 && inner.bisector[1] < 0.0); // into the domain
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Wedge {
    /// Where it is.
    pub position: [f64; 2],
    /// The interior angle ω.
    pub angle: f64,
    /// The unit vector halfway between the edges, into the domain.
    pub bisector: [f64; 2],
}

/// An angle this near to π is a straight line with rounding.
const STRAIGHT: f64 = 1e-9;

/// The corners of a counterclockwise outline.
pub(super) fn wedges(outline: &[Point]) -> Vec<Wedge> {
    let count = outline.len();
    let wedge = |k: usize| {
        let leaving = minus(outline[(k + 1) % count], outline[k]);
        let arriving = minus(outline[(k + count - 1) % count], outline[k]);
        let angle = angle(leaving, arriving).rem_euclid(TAU);
        let direction = leaving[1].atan2(leaving[0]) + 0.5 * angle;
        (angle - PI).abs().gt(&STRAIGHT).then(|| Wedge {
            position: outline[k],
            angle,
            bisector: [direction.cos(), direction.sin()],
        })
    };
    (0..count).filter_map(wedge).collect()
}
