//! Programs: expressions compiled once and evaluated over slices.
//!
//! `schedule` writes the graph as a list of steps in which nothing is computed twice; `registers` gives each step a
//! place and reuses places; `evaluate` runs the list over chunks of [`LANES`] points; `elementary` holds the
//! transcendental functions in one table; `kernel` prints the same list as C.

mod elementary;
mod evaluate;
mod kernel;
mod registers;
mod schedule;

use std::fmt;

pub use elementary::Elementary;
pub use evaluate::Scratch;
pub use kernel::{kernel_prelude, kernel_text};
pub use schedule::{Schedule, Step};

use super::leaf::Leaf;
use super::node::Expr;
use registers::Instruction;

/// Points evaluated together: a register of 1 KiB, so that some thirty of them stay in the first-level cache.
pub const LANES: usize = 128;

/// Several expressions as one list of instructions.
///
/// The registers are laid out as inputs, then constants, then temporaries.
///
/// ```
/// use rafnet::expr::{Leaf, Program, Scope, parse};
/// let scope = Scope::new(["x", "y"]);
/// let (f, g) = (parse("x*y", &scope)?, parse("x*y + 1", &scope)?);
/// let program = Program::compile(&[f, g], &[Leaf::Coordinate(0), Leaf::Coordinate(1)])?;
/// let (mut f, mut g) = ([0.0; 3], [0.0; 3]);
/// let mut scratch = program.scratch();
/// program.evaluate(&[&[1.0, 2.0, 3.0], &[10.0]], &mut [&mut f, &mut g], &mut scratch); // one y for all
/// assert_eq!((f, g), ([10.0, 20.0, 30.0], [11.0, 21.0, 31.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    instructions: Vec<Instruction>,
    /// For each input, whether any instruction reads it.
    inputs_read: Vec<bool>,
    constants: Vec<f64>,
    n_registers: usize,
    n_outputs: usize,
    elementary: Elementary,
}

impl Program {
    /// Compiles the expressions; `inputs` says which leaf each input slice holds.
    ///
    /// # Errors
    /// When a leaf of an expression is not among the inputs.
    pub fn compile(outputs: &[Expr], inputs: &[Leaf]) -> Result<Self, MissingInput> {
        let schedule = Schedule::new(outputs, inputs)?;
        Ok(registers::allocate(&schedule, inputs.len()))
    }

    /// This program with other elementary functions, such as vectorised ones.
    #[must_use]
    pub fn with_elementary(mut self, elementary: Elementary) -> Self {
        self.elementary = elementary;
        self
    }

    /// The number of instructions run for each chunk.
    pub fn n_instructions(&self) -> usize {
        self.instructions.len()
    }

    /// The number of registers an evaluation needs.
    pub fn n_registers(&self) -> usize {
        self.n_registers
    }
}

/// An expression depends on a leaf that is not among the inputs of the program.
///
/// ```
/// use rafnet::expr::{Expr, Leaf, Program};
/// let error = Program::compile(&[Expr::leaf(Leaf::Coordinate(1))], &[Leaf::Coordinate(0)]).unwrap_err();
/// assert_eq!(error.leaf, Leaf::Coordinate(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingInput {
    /// The leaf.
    pub leaf: Leaf,
}

impl fmt::Display for MissingInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the program needs {:?}, which is not among its inputs",
            self.leaf
        )
    }
}

impl std::error::Error for MissingInput {}
