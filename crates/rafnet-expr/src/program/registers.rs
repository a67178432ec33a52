//! Registers: every step gets a place, and a place is used again after its value was read for the last time.
//!
//! A step never writes where it reads, so that each is a plain loop from some slices into another.

use super::schedule::{Schedule, Step};
use super::{Elementary, Program};

/// What a program does, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Instruction {
    /// Computes a step on registers into another register.
    Compute { step: Step, into: usize },
    /// Copies a register to an output.
    Store { from: usize, output: usize },
}

/// Lays the steps out over registers.
pub(super) fn allocate(schedule: &Schedule, n_inputs: usize) -> Program {
    let Schedule { steps, outputs } = schedule;
    let mut last_read: Vec<usize> = (0..steps.len()).collect();
    let mut inputs_read = vec![false; n_inputs];
    for (at, step) in steps.iter().enumerate() {
        step.operands().for_each(|operand| last_read[operand] = at);
        if let Step::Input(k) = step {
            inputs_read[*k] = true;
        }
    }
    let constants: Vec<f64> = steps.iter().filter_map(as_constant).collect();
    let mut free: Vec<usize> = Vec::new();
    let mut n_registers = n_inputs + constants.len();
    let mut n_constants = 0;
    let mut register = vec![0; steps.len()];
    let mut instructions = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        register[at] = match step {
            Step::Input(k) => *k,
            Step::Constant(_) => {
                n_constants += 1;
                n_inputs + n_constants - 1
            }
            _ => {
                let into = free.pop().unwrap_or_else(|| {
                    n_registers += 1;
                    n_registers - 1
                });
                let step = step.map(|operand| register[operand]);
                instructions.push(Instruction::Compute { step, into });
                into
            }
        };
        for (output, _) in outputs
            .iter()
            .enumerate()
            .filter(|(_, place)| **place == at)
        {
            let from = register[at];
            instructions.push(Instruction::Store { from, output });
        }
        let mut done: Vec<usize> = step.operands().chain([at]).collect();
        done.sort_unstable();
        done.dedup();
        done.retain(|value| last_read[*value] == at && is_temporary(&steps[*value]));
        free.extend(done.into_iter().map(|value| register[value]));
    }
    Program {
        instructions,
        inputs_read,
        constants,
        n_registers,
        n_outputs: outputs.len(),
        elementary: Elementary::standard(),
    }
}

fn as_constant(step: &Step) -> Option<f64> {
    match step {
        Step::Constant(value) => Some(*value),
        _ => None,
    }
}

fn is_temporary(step: &Step) -> bool {
    !matches!(step, Step::Input(_) | Step::Constant(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Leaf, Program, Scope, parse};

    #[test]
    fn registers_are_reused_and_never_read_and_written_at_once()
    -> Result<(), Box<dyn std::error::Error>> {
        let text = "sum(i, 1, 50, sin(i*x)*exp(i*x))";
        let program =
            Program::compile(&[parse(text, &Scope::new(["x"]))?], &[Leaf::Coordinate(0)])?;
        assert!(program.n_instructions() > 150);
        assert!(program.n_registers() <= 6, "{}", program.n_registers());
        for instruction in &program.instructions {
            if let Instruction::Compute { step, into } = instruction {
                assert!(step.operands().all(|operand| operand != *into));
            }
        }
        Ok(())
    }
}
