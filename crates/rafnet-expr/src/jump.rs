//! Jumps that a derivative would lose.
//!
//! Piecewise functions are differentiated piece by piece, so the derivative of a jump comes out as zero where it is a point mass. A
//! coefficient that jumps under a derivative, or one with a kink under two, would make another equation than the one that is written.
//! Such places are looked for before a derivative is taken:
//!
//! ```text
//! switches   c in where(l < r, a, b) and the like: l − r     abs(a), sign(a): a     min(a, b), max(a, b): a − b
//!            floor(a): sin πa     mod(a, b): sin(πa/b)
//! a place    s on a line along the axis where a switch changes sign
//! a jump     |f(s + δ) − f(s − δ)| stays the same as δ becomes a thousand times smaller
//! ```
//!
//! A [flux](super::flux) is the exception.
//!
//! Unknowns and their derivatives run through numbers of their own along each line, so `where(u > 0, 1, 2)*u_x` is found too.

use super::function::{Binary, Unary};
use super::leaf::Leaf;
use super::node::{Expr, Node};
use crate::largest;
use std::f64::consts::PI;

/// A place where a derivative would lose something.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// The function that switches there.
    pub function: &'static str,
    /// Along which axis.
    pub axis: usize,
    /// That coordinate there.
    pub at: f64,
}

/// Positions on a line at which switches are compared.
const STEPS: usize = 33;
/// How far from the place the two sides are looked at, in lengths of the line.
const SIDES: [f64; 2] = [1e-4, 1e-7];
/// A difference is a jump when this share of it stays on the nearer sides: |x|^(1/100) falls below it.
const STAYS: f64 = 0.9;
/// Smaller differences, over the largest value on the line, are rounding.
const ROUNDING: f64 = 1e-6;
impl Expr {
    /// The first jump that the derivatives along `axes`, one after the other, would lose on lines between points (pairs of them, in the
    /// order in which they stand).
    pub fn lost_under(&self, axes: &[usize], points: &[Vec<f64>]) -> Option<Jump> {
        let switches = self.switches();
        if switches.is_empty() {
            return None;
        }
        let mut f = self.clone();
        for (k, &axis) in axes.iter().enumerate() {
            let mut lines = Line::all(points, axis);
            let first = |line: Line<'_>| line.jumps(&f, &switches).into_iter().next();
            if let Some(jump) = lines.find_map(first) {
                return Some(jump);
            }
            if k + 1 < axes.len() {
                f = f.derivative(axis);
            }
        }
        None
    }

    /// What changes sign where a piece ends, with the function's name.
    pub(super) fn switches(&self) -> Vec<(&'static str, Expr)> {
        let mut found = Vec::new();
        self.visit(&mut |expr| {
            let switch = match expr.node() {
                Node::Unary(f @ (Unary::Abs | Unary::Sign), a) => (f.name(), a.clone()),
                Node::Unary(Unary::Floor, a) => ("floor", a.scaled(PI).apply(Unary::Sin)),
                Node::Binary(f @ (Binary::Min | Binary::Max), a, b) => {
                    (f.name(), a.clone() - b.clone())
                }
                Node::Binary(Binary::Less | Binary::LessEqual, a, b) => {
                    ("where", a.clone() - b.clone())
                }
                Node::Binary(Binary::Mod, a, b) => {
                    ("mod", (a.clone() / b.clone()).scaled(PI).apply(Unary::Sin))
                }
                _ => return,
            };
            if switch.1.constant().is_none() {
                found.push(switch);
            }
        });
        found
    }
}

/// A line along one axis, from the first of two points as far as the second.
pub(super) struct Line<'a> {
    ends: &'a [Vec<f64>],
    axis: usize,
    number: usize,
}

impl<'a> Line<'a> {
    /// Lines along an axis between points, pairs of them in the order in which they stand.
    pub(super) fn all(points: &'a [Vec<f64>], axis: usize) -> impl Iterator<Item = Self> {
        let pairs = points.chunks_exact(2).enumerate();
        pairs.map(move |(number, ends)| Self { ends, axis, number })
    }

    fn coordinate(&self, s: f64) -> f64 {
        let [from, to] = [0, 1].map(|k: usize| self.ends[k][self.axis]);
        from + s * (to - from)
    }

    /// A value at s in [0, 1] of the line.
    fn value(&self, f: &Expr, s: f64) -> f64 {
        f.eval(&|leaf: &Leaf| match leaf {
            Leaf::Coordinate(k) if *k == self.axis => self.coordinate(s),
            Leaf::Coordinate(k) => self.ends[0][*k],
            // each from a number in (−1, 1) to another, by line
            Leaf::Jet(jet) => {
                let mut seed = self.number as f64 + 0.37 * jet.unknown() as f64;
                jet.axes()
                    .iter()
                    .for_each(|k| seed = 1.7 * seed + 2.3 + *k as f64);
                let [a, b] = [12.9898, 78.233].map(|w: f64| (w * (seed + 0.7)).sin());
                a + s * (b - a)
            }
            _ => 1.0,
        })
    }

    /// The jumps of f, by switch.
    pub(super) fn jumps(&self, f: &Expr, switches: &[(&'static str, Expr)]) -> Vec<Jump> {
        let mut positions: Vec<f64> = (0..STEPS).map(|i| i as f64 / (STEPS - 1) as f64).collect();
        // where one switches, another may be on for a short while: |x − a| < w
        let first = switches.iter().flat_map(|s| self.changes(&s.1, &positions));
        let first: Vec<f64> = first.collect();
        if first.is_empty() {
            return Vec::new();
        }
        positions.extend(first);
        positions.sort_by(f64::total_cmp);
        let sizes = positions.iter().map(|s| self.value(f, *s).abs());
        let size = largest(sizes.filter(|v| v.is_finite()));
        let mut found = Vec::new();
        for (function, switch) in switches {
            for place in self.changes(switch, &positions) {
                let [far, near] = SIDES.map(|d| {
                    (self.value(f, (place + d).min(1.0)) - self.value(f, (place - d).max(0.0)))
                        .abs()
                });
                if near > ROUNDING * size && near > STAYS * far {
                    let at = self.coordinate(place);
                    let (function, axis) = (*function, self.axis);
                    found.push(Jump { function, axis, at });
                }
            }
        }
        found
    }

    /// Where a switch changes sign between neighbouring positions.
    fn changes(&self, switch: &Expr, positions: &[f64]) -> Vec<f64> {
        let sides: Vec<f64> = positions.iter().map(|s| self.value(switch, *s)).collect();
        let changed = |i: &usize| {
            let product = sides[i - 1] * sides[*i];
            product <= 0.0 && product.is_finite()
        };
        let places = (1..positions.len()).filter(changed);
        places
            .map(|i| self.place(switch, positions[i - 1], positions[i]))
            .collect()
    }

    /// Where between two positions a switch changes sign.
    fn place(&self, switch: &Expr, mut low: f64, mut high: f64) -> f64 {
        let positive = self.value(switch, high) > 0.0;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (self.value(switch, middle) > 0.0) == positive {
                high = middle;
            } else {
                low = middle;
            }
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::{ExprError, Scope, parse};

    /// Pairs of points of the unit square, on a lattice without symmetry.
    pub(crate) fn points() -> Vec<Vec<f64>> {
        let place = |i: usize, w: f64| (0.5 + w * i as f64).fract();
        (0..64)
            .map(|i| vec![place(i, 0.754_877_666), place(i, 0.569_840_291)])
            .collect()
    }

    #[test]
    fn jumps_are_told_from_kinks_and_from_continuous_pieces() -> Result<(), ExprError> {
        let scope = Scope::new(["x", "y"]).unknowns(["u"]);
        for (text, axes, function) in [
            ("where(y <= 0.5, 1, 0.01)*u_y", &[1][..], Some("where")),
            ("where(y <= 0.5, 1, 0.01)*u_x", &[0], None),
            ("where(x < 0.5, x, 1 - x)*u_x", &[0], None),
            ("where(x < 0.5, x, 1 - x)*u", &[0, 0], Some("where")),
            ("abs(x - 0.3)*u", &[0], None),
            ("abs(x - 0.3)*u", &[0, 0], Some("abs")),
            ("abs(x - 0.3)^1.5*u", &[0, 0], None),
            ("sign(x - y)*u", &[0], Some("sign")),
            ("floor(3*x)*u_x", &[0], Some("floor")),
            ("mod(x, 0.25)*u_x", &[0], Some("mod")),
            ("max(x, y)*u", &[0], None),
            ("min(x, y)*u", &[0, 0], Some("min")),
            ("where(u > 0, 1, 2)*u_x", &[0], Some("where")),
            ("max(u, 0)*u_x", &[0], None),
            ("where(x > 2, 1, 3)*u_x", &[0], None),
            ("exp(x*y)*u_x", &[0, 0], None),
        ] {
            let found = parse(text, &scope)?.lost_under(axes, &points());
            assert_eq!(found.map(|jump| jump.function), function, "{text} {axes:?}");
        }
        let thin = parse("where(abs(x - 0.5123) < 1e-3, 100, 1)*u_x", &scope)?;
        let found = thin.lost_under(&[0], &points()).map(|j| j.at);
        assert!(
            found.is_some_and(|at| ((at - 0.5123).abs() - 1e-3).abs() < 1e-9),
            "{found:?}"
        );
        let jump = parse("where(y <= 0.5, 1, 0.01)*u_y", &scope)?.lost_under(&[1], &points());
        assert!(jump.is_some_and(|j| (j.at - 0.5).abs() < 1e-9 && j.axis == 1));
        Ok(())
    }
}
