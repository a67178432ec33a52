//! Running a program over slices, chunk by chunk.
//!
//! Each instruction is one loop over a chunk of fixed length, which the compiler turns into vector instructions; the
//! cost of choosing the instruction is spread over [`LANES`] points.

use super::elementary::{map, map2};
use super::registers::Instruction;
use super::schedule::Step;
use super::{LANES, Program};

/// The values of a register at the points of a chunk.
type Chunk = [f64; LANES];

/// The registers of an evaluation, owned by the caller and used again from call to call.
///
/// ```
/// use rafnet::expr::{Leaf, Program, Scope, parse};
/// let square = parse("x^2", &Scope::new(["x"]))?;
/// let program = Program::compile(&[square], &[Leaf::Coordinate(0)])?;
/// let mut scratch = program.scratch();
/// let mut out = [0.0; 2];
/// for shift in [0.0, 1.0] {
///     program.evaluate(&[&[shift, shift + 1.0]], &mut [&mut out], &mut scratch); // allocates nothing
/// }
/// assert_eq!(out, [1.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    registers: Vec<Chunk>,
}

impl Program {
    /// Registers for evaluating this program, or any other that needs no more.
    pub fn scratch(&self) -> Scratch {
        Scratch {
            registers: vec![[0.0; LANES]; self.n_registers],
        }
    }

    /// Evaluates at n points, where n is the length of the outputs: `inputs[k][i]` is the k-th input at point i.
    ///
    /// An input of length 1 holds one value for all points. Nothing is allocated unless `scratch` was made for a
    /// program with fewer registers; then it grows, once.
    ///
    /// # Panics
    /// When the number of inputs or outputs is not what was compiled, or a slice has another length.
    pub fn evaluate(&self, inputs: &[&[f64]], outputs: &mut [&mut [f64]], scratch: &mut Scratch) {
        let n_points = self.check(inputs, outputs);
        let registers = &mut scratch.registers;
        if registers.len() < self.n_registers {
            registers.resize(self.n_registers, [0.0; LANES]);
        }
        for (register, value) in registers[inputs.len()..].iter_mut().zip(&self.constants) {
            register.fill(*value);
        }
        for start in (0..n_points).step_by(LANES) {
            let length = LANES.min(n_points - start);
            self.load(inputs, registers, start, length);
            for instruction in &self.instructions {
                match *instruction {
                    Instruction::Compute { step, into } => self.compute(step, into, registers),
                    Instruction::Store { from, output } => outputs[output][start..start + length]
                        .copy_from_slice(&registers[from][..length]),
                }
            }
        }
    }

    fn check(&self, inputs: &[&[f64]], outputs: &[&mut [f64]]) -> usize {
        let (n_inputs, n_outputs) = (self.inputs_read.len(), self.n_outputs);
        assert_eq!(inputs.len(), n_inputs, "the program has {n_inputs} inputs");
        assert_eq!(
            outputs.len(),
            n_outputs,
            "the program has {n_outputs} outputs"
        );
        let n_points = outputs.first().map_or(0, |output| output.len());
        for (k, output) in outputs.iter().enumerate() {
            assert_eq!(output.len(), n_points, "length of output {k}");
        }
        for (k, input) in inputs
            .iter()
            .enumerate()
            .filter(|(k, _)| self.inputs_read[*k])
        {
            let length = input.len();
            assert!(
                length == n_points || length == 1,
                "input {k} has {length} values for {n_points} points"
            );
        }
        n_points
    }

    /// Copies a chunk of every input that is read into its register. Lanes beyond the end keep what they held.
    fn load(&self, inputs: &[&[f64]], registers: &mut [Chunk], start: usize, length: usize) {
        let read = inputs.iter().zip(registers).zip(&self.inputs_read);
        for ((input, register), _) in read.filter(|(_, read)| **read) {
            match input {
                [value] => register.fill(*value),
                _ => register[..length].copy_from_slice(&input[start..start + length]),
            }
        }
    }

    fn compute(&self, step: Step, into: usize, registers: &mut [Chunk]) {
        let (before, rest) = registers.split_at_mut(into);
        let Some((out, after)) = rest.split_first_mut() else {
            unreachable!("register {into} is within the program's registers")
        };
        let read = |k: usize| -> &Chunk {
            if k < into {
                &before[k]
            } else {
                &after[k - into - 1]
            }
        };
        match step {
            Step::Add(a, b) => map2(read(a), read(b), out, |a, b| a + b),
            Step::AddScaled(a, b, c) => map2(read(a), read(b), out, |a, b| a + c * b),
            Step::Scale(a, c) => map(read(a), out, |a| c * a),
            Step::Shift(a, c) => map(read(a), out, |a| a + c),
            Step::Multiply(a, b) => map2(read(a), read(b), out, |a, b| a * b),
            Step::Divide(a, b) => map2(read(a), read(b), out, |a, b| a / b),
            Step::Reciprocal(a) => map(read(a), out, |a| 1.0 / a),
            Step::Unary(function, a) => self.elementary.unary(function, read(a), out),
            Step::Binary(function, a, b) => self.elementary.binary(function, read(a), read(b), out),
            Step::Select(c, a, b) => {
                out.copy_from_slice(read(b));
                for ((out, a), c) in out.iter_mut().zip(read(a)).zip(read(c)) {
                    *out = if *c == 0.0 { *out } else { *a };
                }
            }
            Step::Input(_) | Step::Constant(_) => {
                unreachable!("inputs and constants are loaded, not computed")
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use crate::{Expr, Leaf, Program, Scope, parse};

    #[test]
    fn chunks_of_every_length() -> Result<(), Box<dyn std::error::Error>> {
        let f = parse("2*x^3 - x/(1 + y)", &Scope::new(["x", "y"]))?;
        let program = Program::compile(
            std::slice::from_ref(&f),
            &[Leaf::Coordinate(0), Leaf::Coordinate(1)],
        )?;
        let mut scratch = program.scratch();
        for n in [0, 1, 2, 127, 128, 129, 300] {
            let x: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.1).collect();
            let mut out = vec![f64::NAN; x.len()];
            program.evaluate(&[&x, &[0.5]], &mut [&mut out], &mut scratch);
            for (x, out) in x.iter().zip(out) {
                let at = |leaf: &Leaf| {
                    if *leaf == Leaf::Coordinate(0) {
                        *x
                    } else {
                        0.5
                    }
                };
                assert_eq!(out, f.eval(&at));
            }
        }
        Ok(())
    }

    #[test]
    fn inputs_and_constants_can_be_outputs() -> Result<(), Box<dyn std::error::Error>> {
        let x = Expr::leaf(Leaf::Coordinate(0));
        let outputs = [x.clone(), 3.0.into(), x, 3.0.into()];
        let program = Program::compile(&outputs, &[Leaf::Coordinate(0)])?;
        let mut columns = [[0.0; 2]; 4];
        let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(|c| &mut c[..]).collect();
        program.evaluate(&[&[1.0, 2.0]], &mut slices, &mut program.scratch());
        assert_eq!(columns, [[1.0, 2.0], [3.0; 2], [1.0, 2.0], [3.0; 2]]);
        Ok(())
    }

    #[test]
    #[should_panic(expected = "input 0 has 3 values for 2 points")]
    fn wrong_lengths_are_refused() {
        let x = Expr::leaf(Leaf::Coordinate(0));
        if let Ok(program) = Program::compile(&[x], &[Leaf::Coordinate(0)]) {
            program.evaluate(&[&[1.0; 3]], &mut [&mut [0.0; 2]], &mut program.scratch());
        }
    }
}
