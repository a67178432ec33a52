//! What solutions of elliptic equations contain at a corner of the domain.
//!
//! ```text
//! r^(ν+2j) sin(νθ), r^(ν+2j) cos(νθ)                       ν = kπ/ω; (k − ½)π/ω where two kinds of conditions meet
//! r^(ν+2j) (ln r sin(νθ) + θ cos(νθ)), and with cos        where ν is a whole number and the powers themselves are polynomials
//! ```
//!
//! ω is the interior angle, θ runs from one edge to the other (P. Grisvard, "Elliptic problems in nonsmooth domains", 1985). With j these are
//! the terms of J_ν(√λ r) sin(νθ) for every λ (L. Fox, P. Henrici, C. Moler, "Approximations and bounds for eigenvalues of elliptic
//! operators", 1967). θ is measured from the bisector, so that its jump lies behind the corner.

use crate::domain::Wedge;
use crate::expr::{Binary, Expr, Leaf, Unary};

/// Which function of the angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wave {
    /// Zero on the edge where the angle begins.
    Sine,
    /// Without a slope across that edge.
    Cosine,
}

/// Whether an exponent is a whole number.
pub(crate) fn is_whole(exponent: f64) -> bool {
    (exponent - exponent.round()).abs() < 1e-9
}

/// One of these functions, of two of the coordinates.
pub(crate) fn corner_function(
    wedge: &Wedge,
    axes: [usize; 2],
    (nu, j): (f64, i32),
    wave: Wave,
) -> Expr {
    let offset = |k: usize| Expr::leaf(Leaf::Coordinate(axes[k])) - Expr::number(wedge.position[k]);
    let [c, s] = wedge.bisector;
    let along = offset(0).scaled(c) + offset(1).scaled(s);
    let across = offset(1).scaled(c) - offset(0).scaled(s);
    let square = offset(0).powi(2) + offset(1).powi(2);
    let theta = across.apply_with(Binary::Atan2, along) + Expr::number(0.5 * wedge.angle);
    let power = square.pow(&Expr::number(0.5 * nu + f64::from(j)));
    let sine = theta.scaled(nu).apply(Unary::Sin);
    let cosine = theta.scaled(nu).apply(Unary::Cos);
    let (wave, turned) = match wave {
        Wave::Sine => (sine, cosine),
        Wave::Cosine => (cosine, -sine),
    };
    if !is_whole(nu) {
        return power * wave;
    }
    // at the corner itself the power is zero and its logarithm need only be finite
    let square = square.apply_with(Binary::Max, Expr::number(f64::MIN_POSITIVE));
    let logarithm = square.apply(Unary::Log).scaled(0.5);
    power * (logarithm * wave + theta * turned)
}
