//! f(x, y) = −(what the operator adds to −Δ), with its derivative in y.

use crate::expr::{Expr, Leaf, Program, Scratch};
use crate::problem::{Eigen, Problem};

/// f and ∂f/∂y as one program.
pub(super) struct Drift {
    program: Program,
    scratch: Scratch,
    dimension: usize,
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
        let u = Leaf::jet(0, &[]);
        let f = -rest;
        let outputs = [f.clone(), f.partial(&u)];
        let mut inputs: Vec<Leaf> = (0..d).map(Leaf::Coordinate).collect();
        inputs.push(u);
        let program = Program::compile(&outputs, &inputs)
            .map_err(|_| "an operator of the coordinates and the unknown for `--method bsde`")?;
        Ok(Self {
            scratch: program.scratch(),
            program,
            dimension: d,
        })
    }

    /// f and ∂f/∂y at points (by coordinate) and values.
    pub(super) fn evaluate(&mut self, x: &[Vec<f64>], y: &[f64], out: [&mut [f64]; 2]) {
        let mut inputs: Vec<&[f64]> = x[..self.dimension].iter().map(Vec::as_slice).collect();
        inputs.push(y);
        let [f, slope] = out;
        self.program
            .evaluate(&inputs, &mut [f, slope], &mut self.scratch);
    }
}
