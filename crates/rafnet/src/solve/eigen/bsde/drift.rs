//! f(x, y) = −(what the operator adds to −Δ), with its derivative in y.
//!
//! Most are polynomials in y, Σ c_j(x) y^j: then the c_j are evaluated at all points of a tile at once, and the recursion along a path is
//! left with Horner's rule.

use crate::expr::{Elementary, Expr, Leaf, Program, Scratch};
use crate::problem::{Eigen, Problem};
use crate::simd::{cosines, exponentials, sines};

/// The highest power of y that is looked for.
const HIGHEST: usize = 8;

/// f and ∂f/∂y.
pub(super) struct Drift {
    dimension: usize,
    form: Form,
}

enum Form {
    /// c_0, c_1, …
    Polynomial(Program, usize),
    /// f and ∂f/∂y of the coordinates and y.
    Any(Program),
}

/// What an evaluation needs beside the points, kept from tile to tile.
#[derive(Default)]
pub(super) struct Room {
    x: Vec<Vec<f64>>,
    coefficients: Vec<Vec<f64>>,
    scratch: Scratch,
    /// f and ∂f/∂y of the last evaluation.
    pub(super) f: Vec<f64>,
    pub(super) slope: Vec<f64>,
}

impl Drift {
    /// From an operator −Δu + g(x, u); what is missing where it is none.
    pub(super) fn of(problem: &Problem, eigen: &Eigen) -> Result<Self, &'static str> {
        let d = problem.coordinates.len();
        let around = |axis: usize| {
            let [low, high] = problem.domain.bounds()[axis];
            (high - low - std::f64::consts::TAU).abs() < 1e-12 * std::f64::consts::TAU
        };
        if problem.unknowns.len() != 1 {
            return Err("a single unknown for `--method bsde`");
        }
        if problem.periodic.len() != d || !(0..d).all(around) {
            return Err("coordinates that are periodic over 2*pi for `--method bsde`");
        }
        if (eigen.mean_square - 1.0).abs() > 1e-12 {
            return Err("`mean(u^2) = 1` for `--method bsde`");
        }
        let operator = &eigen.operators[0];
        let mut rest = operator.clone();
        for jet in operator.jets() {
            let leaf = Leaf::jet(0, jet.axes());
            let expected = match *jet.axes() {
                [] => continue,
                [i, j] if i == j => Some(-1.0),
                _ => None,
            };
            if operator.partial(&leaf).constant() != expected {
                return Err(
                    "an operator `-laplacian(u) + …` without further derivatives for `--method bsde`",
                );
            }
            rest = rest + Expr::leaf(leaf);
        }
        let second = |axis: usize| {
            operator.order_of(0).is_some() && {
                let leaf = Leaf::jet(0, &[axis, axis]);
                operator.leaves().contains(&leaf)
            }
        };
        if !(0..d).all(second) {
            return Err("an operator `-laplacian(u) + …` over all coordinates for `--method bsde`");
        }
        Self::from_expr(&-rest, d)
            .ok_or("an operator of the coordinates and the unknown for `--method bsde`")
    }

    /// f of d coordinates and u.
    fn from_expr(f: &Expr, d: usize) -> Option<Self> {
        let mut inputs: Vec<Leaf> = (0..d).map(Leaf::Coordinate).collect();
        let form = if let Some(coefficients) = polynomial(f) {
            let program = Program::compile(&coefficients, &inputs).ok()?;
            Form::Polynomial(program.with_elementary(by_registers()), coefficients.len())
        } else {
            let u = Leaf::jet(0, &[]);
            inputs.push(u.clone());
            let program = Program::compile(&[f.clone(), f.partial(&u)], &inputs).ok()?;
            Form::Any(program.with_elementary(by_registers()))
        };
        Some(Self { dimension: d, form })
    }

    /// d
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Takes the points of a tile, n × d.
    pub(super) fn prepare(&self, points: &[f64], room: &mut Room) {
        let (d, n) = (self.dimension, points.len() / self.dimension);
        room.x.resize_with(d, Vec::new);
        for (i, x) in room.x.iter_mut().enumerate() {
            x.clear();
            x.extend(points.iter().skip(i).step_by(d));
        }
        if let Form::Polynomial(program, count) = &self.form {
            room.coefficients.resize_with(*count, Vec::new);
            let coefficients = room.coefficients.iter_mut().map(|c| {
                c.resize(n, 0.0);
                c.as_mut_slice()
            });
            let inputs: Vec<&[f64]> = room.x.iter().map(Vec::as_slice).collect();
            let mut coefficients: Vec<&mut [f64]> = coefficients.collect();
            program.evaluate(&inputs, &mut coefficients, &mut room.scratch);
        }
    }

    /// f and ∂f/∂y for values `y` at the points `first`, `first + step`, … of the tile.
    pub(super) fn evaluate(&self, (first, step): (usize, usize), y: &[f64], room: &mut Room) {
        room.f.resize(y.len(), 0.0);
        room.slope.resize(y.len(), 0.0);
        match &self.form {
            Form::Polynomial(..) => {
                let out = room.f.iter_mut().zip(&mut room.slope);
                for (p, (y, (f, slope))) in y.iter().zip(out).enumerate() {
                    let (mut value, mut first_derivative) = (0.0, 0.0);
                    for c in room.coefficients.iter().rev() {
                        first_derivative = first_derivative * y + value;
                        value = value * y + c[first + p * step];
                    }
                    (*f, *slope) = (value, first_derivative);
                }
            }
            Form::Any(program) => {
                let some = |x: &Vec<f64>| -> Vec<f64> {
                    x[first..]
                        .iter()
                        .step_by(step)
                        .take(y.len())
                        .copied()
                        .collect()
                };
                let x: Vec<Vec<f64>> = room.x.iter().map(some).collect();
                let inputs: Vec<&[f64]> = x.iter().map(Vec::as_slice).chain([y]).collect();
                let out = &mut [room.f.as_mut_slice(), room.slope.as_mut_slice()];
                program.evaluate(&inputs, out, &mut room.scratch);
            }
        }
    }
}

/// c_j with f = Σ c_j u^j, where it is such a sum.
fn polynomial(f: &Expr) -> Option<Vec<Expr>> {
    let u = Leaf::jet(0, &[]);
    let at_zero = |e: &Expr| e.replace(&mut |leaf| (*leaf == u).then(|| Expr::number(0.0)));
    let (mut derivative, mut factorial) = (f.clone(), 1.0);
    let mut coefficients = Vec::new();
    for j in 0..=HIGHEST {
        coefficients.push(at_zero(&derivative).scaled(1.0 / factorial));
        derivative = derivative.partial(&u);
        factorial *= (j + 1) as f64;
        if derivative.constant() == Some(0.0) {
            return Some(coefficients);
        }
    }
    None
}

/// Sine, cosine and exponential a register at a time.
fn by_registers() -> Elementary {
    Elementary {
        sin: sines,
        cos: cosines,
        exp: exponentials,
        ..Elementary::standard()
    }
}

#[cfg(test)]
mod tests {
    use super::{Drift, Form, Room};
    use crate::expr::{Scope, parse};

    /// Powers of u, and what is none: both against the formula.
    #[test]
    fn as_a_polynomial_and_as_it_is() {
        let scope = Scope::new(["x", "y"]).unknowns(["u"]);
        for (text, is_polynomial) in [
            ("-u^3 - (sin(x) + exp(cos(y)))*u + x", true),
            ("sin(x)*sin(u) - u^2*y", false),
        ] {
            let f = parse(text, &scope).expect("an expression");
            let drift = Drift::from_expr(&f, 2).expect("a drift");
            assert_eq!(matches!(drift.form, Form::Polynomial(..)), is_polynomial);
            let (points, values) = ([0.3, -1.0, 0.7, 2.0, 1.1, 0.2, -2.0, 0.4], [0.5, -1.5]);
            let mut room = Room::default();
            drift.prepare(&points, &mut room);
            drift.evaluate((1, 2), &values, &mut room);
            for (k, y) in values.iter().enumerate() {
                let x = &points[2 * (1 + 2 * k)..];
                let at = |y: f64| {
                    f.eval(&|leaf| match leaf {
                        crate::expr::Leaf::Coordinate(i) => x[*i],
                        _ => y,
                    })
                };
                let quotient = (at(y + 1e-5) - at(y - 1e-5)) / 2e-5;
                assert!((room.f[k] - at(*y)).abs() < 1e-14 * 10.0, "{text}");
                assert!((room.slope[k] - quotient).abs() < 1e-8, "{text}");
            }
        }
    }
}
