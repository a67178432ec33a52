//! An expression compiled once and enclosed over many boxes.
//!
//! The steps are those of a [`Program`](crate::Program), so every shared part is enclosed once. Multiplications that build a power of
//! one part are put together again: x·x is a square, which is not negative, and x³ over [−1, 2] reaches down to −1, not to −4.

use super::{Enclosure, Interval};
use crate::leaf::Leaf;
use crate::node::Expr;
use crate::program::{MissingInput, Schedule, Step};

/// An expression as a list of operations on enclosures.
///
/// ```
/// use rafnet::expr::{Enclosing, Interval, Leaf, Scope, parse};
/// let f = parse("x^3 + y", &Scope::new(["x", "y"]))?;
/// let enclosing = Enclosing::compile(&f, &[Leaf::Coordinate(0), Leaf::Coordinate(1)])?;
/// let mut registers = enclosing.registers();
/// let over = enclosing.enclose(&[Interval::new(-1.0, 2.0), Interval::point(1.0)], &mut registers);
/// assert!(over.range.contains(0.0) && over.range.contains(9.0) && over.range.width() < 9.001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Enclosing {
    operations: Vec<Operation>,
    output: usize,
    n_registers: usize,
}

/// One operation and the register for its result.
#[derive(Clone, Copy, Debug)]
struct Operation {
    what: What,
    into: usize,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Step(Step),
    /// xⁿ, n ≥ 2
    Power(usize, i32),
}

impl Enclosing {
    /// Compiles an expression; `inputs` says which leaf each interval is for.
    ///
    /// # Errors
    /// [`MissingInput`] when a leaf of the expression is not among the inputs.
    pub fn compile(expr: &Expr, inputs: &[Leaf]) -> Result<Self, MissingInput> {
        let schedule = Schedule::new(std::slice::from_ref(expr), inputs)?;
        let output = schedule.outputs[0];
        let whats = with_powers(&schedule.steps);
        let mut needed = vec![false; whats.len()];
        needed[output] = true;
        for k in (0..whats.len()).rev().filter(|k| *k <= output) {
            if needed[k] {
                match whats[k] {
                    What::Power(base, _) => needed[base] = true,
                    What::Step(step) => step.operands().for_each(|operand| needed[operand] = true),
                }
            }
        }
        let listed = whats.iter().enumerate().filter(|(k, _)| needed[*k]);
        Ok(Self {
            operations: listed
                .map(|(into, &what)| Operation { what, into })
                .collect(),
            output,
            n_registers: whats.len(),
        })
    }

    /// The number of operations for each box.
    pub fn n_operations(&self) -> usize {
        self.operations.len()
    }

    /// Registers for [`Enclosing::enclose`], used again from box to box.
    pub fn registers(&self) -> Vec<Enclosure> {
        vec![Enclosure::NOWHERE; self.n_registers]
    }

    /// What is known of the values over a box: `inputs[k]` is what the k-th input runs through. Allocates nothing unless `registers`
    /// are too few.
    ///
    /// # Panics
    /// When there are fewer inputs than were compiled for.
    pub fn enclose(&self, inputs: &[Interval], registers: &mut Vec<Enclosure>) -> Enclosure {
        if registers.len() < self.n_registers {
            registers.resize(self.n_registers, Enclosure::NOWHERE);
        }
        for operation in &self.operations {
            registers[operation.into] = match operation.what {
                What::Power(base, n) => registers[base].power(n),
                What::Step(step) => enclosed(step, inputs, registers),
            };
        }
        registers[self.output]
    }
}

fn enclosed(step: Step, inputs: &[Interval], registers: &[Enclosure]) -> Enclosure {
    let at = |k: usize| registers[k];
    match step {
        Step::Input(k) => Enclosure::everywhere(inputs[k].low, inputs[k].high),
        Step::Constant(c) => Enclosure::number(c),
        Step::Add(a, b) => at(a).add(at(b)),
        Step::AddScaled(a, b, c) => at(a).add(at(b).scale(c)),
        Step::Scale(a, c) => at(a).scale(c),
        Step::Shift(a, c) => at(a).shift(c),
        Step::Multiply(a, b) => at(a).multiply(at(b)),
        Step::Divide(a, b) => at(a).divide(at(b)),
        Step::Reciprocal(a) => Enclosure::everywhere(1.0, 1.0).divide(at(a)),
        Step::Unary(f, a) => at(a).apply(f),
        Step::Binary(f, a, b) => at(a).apply_with(f, at(b)),
        Step::Select(c, a, b) => at(c).choose(at(a), at(b)),
    }
}

/// The steps with products of powers of one part as one power of it.
fn with_powers(steps: &[Step]) -> Vec<What> {
    let mut powers: Vec<(usize, i32)> = Vec::with_capacity(steps.len()); // of each step: base and exponent
    let mut whats = Vec::with_capacity(steps.len());
    for (k, step) in steps.iter().enumerate() {
        let (power, what) = match *step {
            Step::Multiply(a, b) if powers[a].0 == powers[b].0 => {
                let (base, n) = (powers[a].0, powers[a].1 + powers[b].1);
                ((base, n), What::Power(base, n))
            }
            step => ((k, 1), What::Step(step)),
        };
        powers.push(power);
        whats.push(what);
    }
    whats
}
