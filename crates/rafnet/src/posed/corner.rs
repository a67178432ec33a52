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
//!
//! Other second derivatives than the Laplacian's, Σ A_ij u_ij, are the Laplacian's in the coordinates y = M(x − corner) with M A Mᵀ = 1 ([`Sector`]):
//! r, θ and ω are those of y.

use crate::domain::{Domain, Wedge};
use crate::expr::{Binary, Expr, Leaf, Unary, largest};
use crate::problem::Problem;
use std::f64::consts::TAU;

/// Which function of the angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wave {
    /// Zero on the edge where the angle begins.
    Sine,
    /// Without a slope across that edge.
    Cosine,
}

/// Below this share of the others a coefficient of second derivatives is zero.
const NOTHING: f64 = 1e-9;

/// A corner of the domain in coordinates in which the equations' second derivatives are the Laplacian's there.
#[derive(Clone, Debug)]
pub(crate) struct Sector {
    /// As it is in the domain.
    pub(crate) wedge: Wedge,
    /// M = [m₀ 0; m₁ m₂]; `None` where it is one.
    map: Option<[f64; 3]>,
    /// The angle ω and the bisector in these coordinates.
    pub(crate) angle: f64,
    bisector: [f64; 2],
}

impl Sector {
    /// For the equations of a problem, of these two coordinates. Where they have no common second derivatives of an elliptic kind, and where slopes
    /// are given across an edge that are not along A n, the corner is taken as it is.
    pub(crate) fn new(problem: &Problem, axes: [usize; 2], wedge: &Wedge) -> Self {
        let plain = Self {
            wedge: wedge.clone(),
            map: None,
            angle: wedge.angle,
            bisector: wedge.bisector,
        };
        let Some([a, b, c]) = second_derivatives(problem, axes, wedge) else {
            return plain;
        };
        let values = problem.conditions.iter().all(|c| c.dirichlet.is_some());
        let is_natural = |[x, y]: [f64; 2]| {
            let across = x * (b * x - a * y) + y * (c * x - b * y); // e·A n with n = (−y, x)
            across.abs() < NOTHING
        };
        let round = b.abs() < NOTHING && (a - c).abs() < NOTHING;
        if round || !values && !wedge.edges().into_iter().all(is_natural) {
            return plain;
        }
        let root = (c - b * b / a).sqrt();
        let map = [1.0 / a.sqrt(), -b / (a * root), 1.0 / root];
        let [from, to] = wedge.edges().map(|e| mapped(map, e));
        let turn = (from[0] * to[1] - from[1] * to[0]).atan2(from[0] * to[0] + from[1] * to[1]);
        let angle = turn.rem_euclid(TAU);
        let half = from[1].atan2(from[0]) + 0.5 * angle;
        Self {
            map: Some(map),
            angle,
            bisector: [half.cos(), half.sin()],
            ..plain
        }
    }

    /// Whether its functions are continuous in the domain within a box.
    pub(crate) fn turns_around(&self, domain: &Domain, within: &[[f64; 2]]) -> bool {
        let Some([m0, m1, m2]) = self.map else {
            return domain.turns_around(&self.wedge, within);
        };
        let x = self.bisector[0] / m0;
        let y = (self.bisector[1] - m1 * x) / m2;
        let length = x.hypot(y);
        let behind = Wedge {
            bisector: [x / length, y / length],
            ..self.wedge.clone()
        };
        domain.turns_around(&behind, within)
    }
}

fn mapped([m0, m1, m2]: [f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    [m0 * x, m1 * x + m2 * y]
}

/// A₁₁, A₁₂ and A₂₂ at a corner, of mean diagonal 1: those of every equation and unknown that has second derivatives, if they are the same up to a
/// factor and have one sign.
fn second_derivatives(problem: &Problem, axes: [usize; 2], wedge: &Wedge) -> Option<[f64; 3]> {
    let bounds = problem.domain.bounds();
    let at = |leaf: &Leaf| match leaf {
        Leaf::Coordinate(k) => match axes.iter().position(|axis| axis == k) {
            Some(place) => wedge.position[place],
            None => 0.5 * (bounds[*k][0] + bounds[*k][1]),
        },
        _ => 0.0,
    };
    let [i, j] = axes;
    let mut common: Option<[f64; 3]> = None;
    for equation in &problem.equations {
        for u in 0..problem.unknowns.len() {
            let of = |pair: [usize; 2]| equation.partial(&Leaf::jet(u, &pair)).eval(&at);
            let [a, b, c] = [of([i, i]), 0.5 * of([i, j]), of([j, j])];
            if [a, b, c].iter().all(|v| *v == 0.0) {
                continue;
            }
            let mean = 0.5 * (a + c);
            let [a, b, c] = [a, b, c].map(|v| v / mean);
            let elliptic = a > NOTHING && a * c - b * b > NOTHING;
            let same = common.is_none_or(|known| {
                let off = known.iter().zip([a, b, c]).map(|(x, y)| (x - y).abs());
                largest(off) < NOTHING
            });
            if !elliptic || !same {
                return None;
            }
            common = Some([a, b, c]);
        }
    }
    common
}

/// Whether an exponent is a whole number.
pub(crate) fn is_whole(exponent: f64) -> bool {
    (exponent - exponent.round()).abs() < 1e-9
}

/// One of these functions, of two of the coordinates.
pub(crate) fn corner_function(
    sector: &Sector,
    axes: [usize; 2],
    (nu, j): (f64, i32),
    wave: Wave,
) -> Expr {
    let offset =
        |k: usize| Expr::leaf(Leaf::Coordinate(axes[k])) - Expr::number(sector.wedge.position[k]);
    let [x, y] = match sector.map {
        None => [offset(0), offset(1)],
        Some([m0, m1, m2]) => [
            offset(0).scaled(m0),
            offset(0).scaled(m1) + offset(1).scaled(m2),
        ],
    };
    let [c, s] = sector.bisector;
    let along = x.scaled(c) + y.scaled(s);
    let across = y.scaled(c) - x.scaled(s);
    let square = x.powi(2) + y.powi(2);
    let theta = across.apply_with(Binary::Atan2, along) + Expr::number(0.5 * sector.angle);
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

#[cfg(test)]
mod tests {
    use super::{Sector, Wave, corner_function};
    use crate::expr::Leaf;
    use crate::problem::Problem;
    use std::f64::consts::PI;

    fn ell(equation: &str, condition: &str) -> (Problem, Sector) {
        let text = format!(
            "[domain]\nkind = \"polygon\"\nvertices = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]\n\
             [equation]\nresidual = \"{equation}\"\n[[boundary]]\non = \"all\"\n{condition}\n"
        );
        let problem = Problem::from_text(&text, "ell.toml", None).expect("a problem");
        let inner = problem.domain.wedges().into_iter().find(|w| w.angle > PI);
        let sector = Sector::new(&problem, [0, 1], &inner.expect("a corner"));
        (problem, sector)
    }

    /// Each function solves Σ A_ij u_ij = 0 (by second differences, whose error is the square of their step times a fourth derivative) and vanishes on both edges.
    #[test]
    fn other_second_derivatives_have_functions_of_their_own() {
        let (problem, sector) = ell(
            "3*u_xx + u_xy*(1 + x) + 2*x*u_yy + u_x - 1",
            "dirichlet = 0",
        );
        assert!((sector.angle - sector.wedge.angle).abs() > 0.1);
        assert!(sector.turns_around(&problem.domain, problem.domain.bounds()));
        for k in 1..4 {
            let function = corner_function(
                &sector,
                [0, 1],
                (f64::from(k) * PI / sector.angle, 0),
                Wave::Sine,
            );
            let at = |x: f64, y: f64| {
                function.eval(&|leaf| match leaf {
                    Leaf::Coordinate(0) => x,
                    _ => y,
                })
            };
            for r in [0.1, 0.5, 0.9] {
                let [right, up] = [at(1.0 + r, 1.0), at(1.0, 1.0 + r)];
                assert!(
                    right.abs() < 1e-14 && up.abs() < 1e-14,
                    "{k} {right:e} {up:e}"
                );
            }
            for [x, y] in [[0.4, 0.3], [1.5, 0.6], [0.7, 1.5], [0.8, 0.8]] {
                let h = 1e-3;
                let second = |[a, b]: [f64; 2], [c, d]: [f64; 2]| {
                    let corner =
                        |s: f64, t: f64| at(x + h * (s * a + t * c), y + h * (s * b + t * d));
                    (corner(0.5, 0.5) - corner(0.5, -0.5) - corner(-0.5, 0.5) + corner(-0.5, -0.5))
                        / (h * h)
                };
                let [e, f] = [[1.0, 0.0], [0.0, 1.0]];
                let terms = [3.0 * second(e, e), 2.0 * second(e, f), 2.0 * second(f, f)];
                let [sum, size] = [
                    terms.iter().sum::<f64>(),
                    terms.iter().map(|t| t.abs()).sum(),
                ];
                assert!(sum.abs() < 1e-4 * size, "{k} {x} {y}: {terms:?}");
            }
        }
    }

    /// The Laplacian's own corner, one with no common second derivatives, and slopes across A n ≠ n leave everything as it is.
    #[test]
    fn plain_corners_stay_plain() {
        let values = "dirichlet = 0";
        for (equation, condition) in [
            ("2*laplacian(u) + u_x - 1", values),
            ("u_xx - u_yy", values),
            ("u_x + u_y - 1", values),
            ("u_xx + u_xy + 2*u_yy - u", "neumann = 0"),
        ] {
            let (_, sector) = ell(equation, condition);
            assert!(sector.map.is_none(), "{equation}");
        }
        let (_, sector) = ell("u_xx + 2*u_yy - u", "neumann = 0");
        assert!(sector.map.is_some());
    }
}
