//! Expressions as a list of steps, each computed once.
//!
//! Sums become additions of scaled terms, products become multiplications and one division, integer powers become
//! repeated squarings. Equal steps are found by their operands (value numbering), so x² is shared between x², x³ and
//! x⁴ even though these are different expressions.

use std::collections::HashMap;

use super::MissingInput;
use crate::algebra::fold_power;
use crate::function::{Binary, Unary};
use crate::leaf::Leaf;
use crate::node::{Expr, Node, Sum};

/// One step. Operands are numbers of earlier steps here, and of registers in a [`Program`](super::Program).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// an input
    Input(usize),
    /// c
    Constant(f64),
    /// a + b
    Add(usize, usize),
    /// a + c b
    AddScaled(usize, usize, f64),
    /// c a
    Scale(usize, f64),
    /// a + c
    Shift(usize, f64),
    /// a b
    Multiply(usize, usize),
    /// a / b
    Divide(usize, usize),
    /// 1 / a
    Reciprocal(usize),
    /// f(a)
    Unary(Unary, usize),
    /// f(a, b)
    Binary(Binary, usize, usize),
    /// a where c is not 0, else b; operands c, a, b
    Select(usize, usize, usize),
}

impl Step {
    /// The step with its operands renamed.
    pub(super) fn map(self, rename: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Input(_) | Self::Constant(_) => self,
            Self::Add(a, b) => Self::Add(rename(a), rename(b)),
            Self::AddScaled(a, b, c) => Self::AddScaled(rename(a), rename(b), c),
            Self::Scale(a, c) => Self::Scale(rename(a), c),
            Self::Shift(a, c) => Self::Shift(rename(a), c),
            Self::Multiply(a, b) => Self::Multiply(rename(a), rename(b)),
            Self::Divide(a, b) => Self::Divide(rename(a), rename(b)),
            Self::Reciprocal(a) => Self::Reciprocal(rename(a)),
            Self::Unary(f, a) => Self::Unary(f, rename(a)),
            Self::Binary(f, a, b) => Self::Binary(f, rename(a), rename(b)),
            Self::Select(c, a, b) => Self::Select(rename(c), rename(a), rename(b)),
        }
    }

    /// The operands.
    pub fn operands(self) -> impl Iterator<Item = usize> {
        let (a, b, c) = match self {
            Self::Input(_) | Self::Constant(_) => (None, None, None),
            Self::Scale(a, _) | Self::Shift(a, _) | Self::Reciprocal(a) | Self::Unary(_, a) => {
                (Some(a), None, None)
            }
            Self::Add(a, b)
            | Self::AddScaled(a, b, _)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::Binary(_, a, b) => (Some(a), Some(b), None),
            Self::Select(c, a, b) => (Some(c), Some(a), Some(b)),
        };
        [a, b, c].into_iter().flatten()
    }

    /// Equal for equal steps: kind, number or function, operands.
    fn key(self) -> (u8, u64, [usize; 3]) {
        let mut operands = [usize::MAX; 3];
        for (place, operand) in operands.iter_mut().zip(self.operands()) {
            *place = operand;
        }
        if matches!(self, Self::Add(..) | Self::Multiply(..)) {
            operands[..2].sort_unstable(); // these two commute, to the last bit
        }
        let (kind, detail) = match self {
            Self::Input(k) => (0, k as u64),
            Self::Constant(c) => (1, c.to_bits()),
            Self::Add(..) => (2, 0),
            Self::AddScaled(_, _, c) => (3, c.to_bits()),
            Self::Scale(_, c) => (4, c.to_bits()),
            Self::Shift(_, c) => (5, c.to_bits()),
            Self::Multiply(..) => (6, 0),
            Self::Divide(..) => (7, 0),
            Self::Reciprocal(_) => (8, 0),
            Self::Unary(f, _) => (9, f as u64),
            Self::Binary(f, ..) => (10, f as u64),
            Self::Select(..) => (11, 0),
        };
        (kind, detail, operands)
    }
}

/// The steps, and which of them are the outputs.
pub struct Schedule {
    /// In an order in which operands come first.
    pub steps: Vec<Step>,
    /// For each output the step that has it.
    pub outputs: Vec<usize>,
}

impl Schedule {
    /// The steps that compute `outputs` from `inputs`, equal ones once.
    ///
    /// # Errors
    /// [`MissingInput`] if an output needs a leaf that is no input.
    pub fn new(outputs: &[Expr], inputs: &[Leaf]) -> Result<Self, MissingInput> {
        let mut writer = Writer {
            inputs,
            steps: Vec::new(),
            place: HashMap::new(),
            known: HashMap::new(),
        };
        let outputs = outputs.iter().map(|output| writer.expr(output));
        let outputs = outputs.collect::<Result<_, _>>()?;
        let steps = writer.steps;
        Ok(Self { steps, outputs })
    }
}

struct Writer<'a> {
    inputs: &'a [Leaf],
    steps: Vec<Step>,
    place: HashMap<(u8, u64, [usize; 3]), usize>,
    known: HashMap<u128, usize>,
}

impl Writer<'_> {
    fn push(&mut self, step: Step) -> usize {
        let steps = &mut self.steps;
        *self.place.entry(step.key()).or_insert_with(|| {
            steps.push(step);
            steps.len() - 1
        })
    }

    fn expr(&mut self, expr: &Expr) -> Result<usize, MissingInput> {
        if let Some(known) = self.known.get(&expr.fingerprint()) {
            return Ok(*known);
        }
        let step = match expr.node() {
            Node::Constant(value) => Step::Constant(*value),
            Node::Leaf(leaf) => {
                let input = self.inputs.iter().position(|other| other == leaf);
                Step::Input(input.ok_or_else(|| MissingInput { leaf: leaf.clone() })?)
            }
            Node::Sum(sum) => return self.remember(expr, |writer| writer.sum(sum)),
            Node::Product(factors) => return self.remember(expr, |writer| writer.product(factors)),
            Node::Unary(function, a) => Step::Unary(*function, self.expr(a)?),
            Node::Binary(function, a, b) => Step::Binary(*function, self.expr(a)?, self.expr(b)?),
            Node::Where(c, a, b) => Step::Select(self.expr(c)?, self.expr(a)?, self.expr(b)?),
        };
        self.remember(expr, |writer| Ok(writer.push(step)))
    }

    fn remember(
        &mut self,
        expr: &Expr,
        write: impl FnOnce(&mut Self) -> Result<usize, MissingInput>,
    ) -> Result<usize, MissingInput> {
        let place = write(self)?;
        self.known.insert(expr.fingerprint(), place);
        Ok(place)
    }

    /// ((c₁ t₁ + c₂ t₂) + …) + c, the order of [`Expr::eval`].
    fn sum(&mut self, sum: &Sum) -> Result<usize, MissingInput> {
        let mut total = None;
        for (c, term) in &sum.terms {
            let term = self.expr(term)?;
            let plain = c.to_bits() == 1f64.to_bits();
            total = Some(match (total, plain) {
                (None, true) => term,
                (None, false) => self.push(Step::Scale(term, *c)),
                (Some(total), true) => self.push(Step::Add(total, term)),
                (Some(total), false) => self.push(Step::AddScaled(total, term, *c)),
            });
        }
        Ok(match total {
            None => self.push(Step::Constant(sum.constant)),
            Some(total) if sum.constant == 0.0 => total,
            Some(total) => self.push(Step::Shift(total, sum.constant)),
        })
    }

    fn product(&mut self, factors: &[(Expr, i32)]) -> Result<usize, MissingInput> {
        let (mut above, mut below) = (None, None);
        for (base, exponent) in factors {
            let base = self.expr(base)?;
            let power = self.integer_power(base, exponent.abs());
            let part = if *exponent > 0 {
                &mut above
            } else {
                &mut below
            };
            *part = Some(match *part {
                None => power,
                Some(product) => self.push(Step::Multiply(product, power)),
            });
        }
        Ok(match (above, below) {
            (Some(above), Some(below)) => self.push(Step::Divide(above, below)),
            (Some(above), None) => above,
            (None, Some(below)) => self.push(Step::Reciprocal(below)),
            (None, None) => self.push(Step::Constant(1.0)),
        })
    }

    fn integer_power(&mut self, base: usize, n: i32) -> usize {
        let by_squaring = fold_power(base, n, |a, b| self.push(Step::Multiply(a, b)));
        by_squaring.unwrap_or_else(|| {
            let exponent = self.push(Step::Constant(f64::from(n)));
            self.push(Step::Binary(Binary::Power, base, exponent))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scope, parse};

    #[test]
    fn nothing_is_computed_twice() -> Result<(), Box<dyn std::error::Error>> {
        let scope = Scope::new(["x"]);
        let f = parse("x^4 + x^2 + sin(x^2)*exp(sin(x^2))", &scope)?;
        let schedule = Schedule::new(&[f.clone(), f.derivative(0)], &[Leaf::Coordinate(0)])?;
        let count = |wanted: fn(&Step) -> bool| schedule.steps.iter().filter(|s| wanted(s)).count();
        assert_eq!(count(|s| matches!(s, Step::Unary(Unary::Sin, _))), 1);
        assert_eq!(count(|s| matches!(s, Step::Unary(Unary::Exp, _))), 1);
        let square = |s: &Step| matches!(s, Step::Multiply(a, b) if a == b);
        assert_eq!(count(square), 2, "x² and (x²)²");
        Ok(())
    }

    #[test]
    fn exchanged_operands_are_the_same_step() -> Result<(), Box<dyn std::error::Error>> {
        let scope = Scope::new(["x", "y", "z"]);
        let (f, g) = (parse("x*y*sin(z)", &scope)?, parse("y*x*cos(z)", &scope)?);
        let inputs: Vec<Leaf> = (0..3).map(Leaf::Coordinate).collect();
        let steps = Schedule::new(&[f, g], &inputs)?.steps;
        let products = steps
            .iter()
            .filter(|step| matches!(step, Step::Multiply(..)));
        assert_eq!(products.count(), 3, "x·y once, then two more");
        Ok(())
    }
}
