//! Gauss–Newton steps on the machine: the rows of all terms stay there, with their Gram matrix and its factors; what comes to the host are
//! sums of squares and the steps.
//!
//! ```text
//! parameters   (JᵀJ + λI) δ = −Jᵀr              samples   δ = −Jᵀ (JJᵀ + λI)⁻¹ r
//! ```
//!
//! J stands row by row, which is its transpose column by column. The smaller space is taken; where Cholesky has no digits left for λ, R of
//! [Jᵀ; √λ I] (or [J; √λ I]) takes its place, as on the processor.

use super::buffers::Room;
use super::{CudaEngine, Number, Resident, over};
use crate::machine::{Address, Argument, Dense, Facts, Kernel, Machine, Matrix, kernels_of};
use crate::text::{SQUARES, to_int};
use rafnet_engine::engine::{Cloud, EngineError, Row, Squares, check};
use std::sync::Arc;

/// Columns of the Gram matrix that are made at once, from their own row on.
const COLUMNS: usize = 1024;
/// Below this share of the mean diagonal Cholesky has no digits left for λ; the processor's steps have the same bound.
const DIGITS: f64 = 1e-13;
/// How often a damping grows by ten where reflections do not fit into memory, before there is no step.
const TENFOLD: usize = 6;
/// The Jacobian, its Gram matrix, what is factorised of it: at most five times as many numbers as the Jacobian has. It may take this share of
/// the memory in bytes, and at most so many numbers.
const SHARE: u64 = 5 * 8 * 4 / 3;
const MOST: u64 = 1 << 30;

/// How many numbers of a Jacobian such a machine takes; none where the numbers are not double.
pub(super) fn most_numbers<T: Number>(facts: &Facts) -> Option<usize> {
    (T::NAME == "f64").then(|| usize::try_from((facts.memory / SHARE).min(MOST)).unwrap_or(0))
}

/// The kernels around the dense algebra.
#[derive(Clone, Copy)]
pub(super) struct Kernels {
    scale_rows: Kernel,
    sum: Kernel,
    damp: Kernel,
    stack: Kernel,
}

/// A term at its points.
struct Term {
    at: Resident,
    /// √(λ/n)
    scale: f64,
    /// Where its rows begin, and how many it has.
    first: usize,
    rows: usize,
}

/// Rows with their Gram matrix, on the machine.
struct Linear {
    /// J, as it is meant.
    jacobian: Matrix,
    /// Rows of the Gram matrix.
    n: usize,
    is_in_samples: bool,
    /// The mean of its diagonal.
    mean: f64,
}

/// An objective at the points of a step.
struct OnMachine<'a, T> {
    engine: &'a mut CudaEngine<T>,
    machine: Arc<dyn Machine>,
    kernels: Kernels,
    terms: Vec<Term>,
    rows: usize,
    width: usize,
}

/// Brings the points of a step; none where the numbers are not double, or there are no rows.
pub(super) fn of<'a, T: Number>(
    engine: &'a mut CudaEngine<T>,
    clouds: &[Cloud<T>],
    weights: &[f64],
    closed: &[usize],
) -> Result<Option<Box<dyn Squares<T> + 'a>>, EngineError> {
    if T::NAME != "f64" {
        return Ok(None);
    }
    let width = engine.places.parameters;
    let zeros = vec![T::ZERO; width];
    let (mut terms, mut first) = (Vec::new(), 0);
    for (k, (cloud, weight)) in clouds.iter().zip(weights).enumerate() {
        let batch = cloud.of_term(k);
        let n = check::batch(&engine.objective, &zeros, &batch)?;
        let term = engine.objective.term(k)?;
        let (of_term, count) = (n / term.row.points(), term.residual.count());
        if n > 0 {
            let rows = of_term * count;
            terms.push(Term {
                at: engine.resident(&batch, n)?,
                scale: (weight / of_term as f64).sqrt(),
                first,
                rows,
            });
            first += rows;
        }
    }
    if first == 0 {
        return Ok(None);
    }
    let machine = Arc::clone(&engine.machine);
    machine.dense()?;
    let kernels = if let Some(known) = engine.squares {
        known
    } else {
        let names = ["scale_rows", "sum", "damp", "stack"];
        let [scale_rows, sum, damp, stack] = kernels_of(&*machine, SQUARES, names)?;
        *engine.squares.insert(Kernels {
            scale_rows,
            sum,
            damp,
            stack,
        })
    };
    let mut table = engine.places.table.clone();
    closed.iter().for_each(|k| table[2 * k + 1] = 0);
    engine.upload(Room::Open, &table)?;
    engine.room::<f64>(Room::Residuals, first)?;
    Ok(Some(Box::new(OnMachine {
        engine,
        machine,
        kernels,
        terms,
        rows: first,
        width,
    })))
}

impl<T: Number> OnMachine<'_, T> {
    fn at(&self, room: Room) -> Address {
        self.engine.buffers.at(room)
    }

    /// The residuals of all terms, each times √(λ/n).
    fn residuals(&mut self) -> Result<(), EngineError> {
        let into = self.at(Room::Residuals);
        for term in &self.terms {
            let of = self.engine.objective.term(term.at.term)?;
            let (row, count) = (of.row, of.residual.count());
            let key = self.engine.key(
                super::Mode::Residuals,
                term.at.term,
                term.at.weights.is_some(),
            )?;
            self.engine.room::<T>(Room::Each, term.at.n * count)?;
            self.engine.start(&key, &term.at, None, Room::Each, 0.0)?;
            let each = self.engine.buffers.at(Room::Each);
            let into = into.offset(term.first * size_of::<f64>());
            self.scaled(each, into, count, row, term.rows, term.scale)?;
        }
        Ok(())
    }

    /// Rows that are sums of others, times a factor.
    fn scaled(
        &self,
        from: Address,
        into: Address,
        count: usize,
        row: Row,
        rows: usize,
        scale: f64,
    ) -> Result<(), EngineError> {
        let arguments = [
            Argument::Address(from),
            Argument::Address(into),
            Argument::Int(to_int(count)),
            Argument::Int(to_int(row.points())),
            Argument::Int(to_int(rows)),
            Argument::Double(scale),
        ];
        let shape = over(rows * 32, 256, 1 << 16);
        Ok(self
            .machine
            .launch(self.kernels.scale_rows, shape, &arguments)?)
    }

    fn copied(&self, from: Address, into: Address, numbers: usize) -> Result<(), EngineError> {
        self.scaled(from, into, 1, Row::Point, numbers, 1.0)
    }

    /// The sum of so many numbers so far apart, or of their squares.
    fn sum(
        &self,
        of: Address,
        n: usize,
        apart: usize,
        is_squared: bool,
    ) -> Result<f64, EngineError> {
        let arguments = [
            Argument::Address(of),
            Argument::Int(to_int(n)),
            Argument::Int(to_int(apart)),
            Argument::Int(i32::from(is_squared)),
            Argument::Address(self.at(Room::Loss)),
        ];
        self.machine
            .launch(self.kernels.sum, over(1, 256, 1), &arguments)?;
        let mut sum = [0.0];
        self.engine.download(Room::Loss, &mut sum)?;
        Ok(sum[0])
    }

    /// Residuals and rows at parameters, and the Gram matrix of these.
    fn linearised(&mut self, parameters: &[T], start: &[T]) -> Result<Linear, EngineError> {
        let (rows, width) = (self.rows, self.width);
        let is_in_samples = rows <= width;
        let n = rows.min(width);
        self.engine.load(parameters)?;
        self.residuals()?;
        let jacobian = self.engine.room::<f64>(Room::Rows, rows * width)?;
        for term in &self.terms {
            let into = jacobian.offset(term.first * width * size_of::<f64>());
            self.engine
                .jacobian_of(&term.at, Room::Open, into, term.scale)?;
        }
        let gram = self.engine.room::<f64>(Room::Gram, n * n)?;
        let ahead = self.engine.room::<f64>(Room::Ahead, rows)?;
        self.engine.room::<f64>(Room::Solved, n)?;
        self.engine.room::<f64>(Room::Step, width)?;
        let start = self.engine.upload(Room::Start, start)?;
        let dense = self.machine.dense()?;
        // row by row is the transpose column by column
        let jacobian = Matrix::new(jacobian, width).transpose();
        self.copied(self.at(Room::Residuals), ahead, rows)?;
        dense.apply([rows, width], jacobian, [1.0, 1.0], start, ahead)?;
        let (factor, inner) = if is_in_samples {
            (jacobian, width)
        } else {
            (jacobian.transpose(), rows)
        };
        let whole = Matrix::new(gram, n);
        for first in (0..n).step_by(COLUMNS) {
            let columns = COLUMNS.min(n - first);
            let from = factor.below(first);
            let corner = gram.offset((first * n + first) * size_of::<f64>());
            let into = Matrix {
                at: corner,
                ..whole
            };
            dense.multiply([n - first, columns, inner], from, from, into)?;
        }
        let mean = self.sum(gram, n, n + 1, false)? / n as f64;
        Ok(Linear {
            jacobian,
            n,
            is_in_samples,
            mean,
        })
    }
}

impl<T: Number> Squares<T> for OnMachine<'_, T> {
    fn loss(&mut self, parameters: &[T]) -> Result<f64, EngineError> {
        check::length("the parameter vector", parameters.len(), self.width)?;
        self.engine.load(parameters)?;
        self.residuals()?;
        self.sum(self.at(Room::Residuals), self.rows, 1, true)
    }

    fn steps(
        &mut self,
        parameters: &[T],
        dampings: &[f64],
        start: &[T],
    ) -> Result<Vec<Option<Vec<T>>>, EngineError> {
        check::length("the parameter vector", parameters.len(), self.width)?;
        check::length("the start of a step", start.len(), self.width)?;
        let linear = self.linearised(parameters, start)?;
        let step = |damping: &f64| -> Result<_, EngineError> {
            let step = self.step(&linear, *damping)?;
            let whole = |step: Vec<T>| step.iter().zip(start).map(|(d, s)| *d + *s).collect();
            Ok(step.map(whole))
        };
        dampings.iter().map(step).collect()
    }
}

impl<T: Number> OnMachine<'_, T> {
    /// The step for a damping over the mean; `None` where nothing finite comes out.
    fn step(&mut self, linear: &Linear, damping: f64) -> Result<Option<Vec<T>>, EngineError> {
        let is_solved = (damping > DIGITS && self.by_cholesky(linear, damping)?)
            || self.by_reflections(linear, damping)?
            || self.by_more_damping(linear)?;
        if !is_solved {
            return Ok(None);
        }
        let sizes = [self.width, self.rows];
        let solved = self.at(Room::Solved);
        let room = if linear.is_in_samples {
            let step = self.at(Room::Step);
            let back = linear.jacobian.transpose();
            self.dense()?.apply(sizes, back, [1.0, 0.0], solved, step)?;
            Room::Step
        } else {
            Room::Solved
        };
        let mut step = vec![T::ZERO; self.width];
        self.engine.download(room, &mut step)?;
        step.iter_mut().for_each(|v| *v = -*v);
        Ok(step.iter().all(|v| v.is_finite()).then_some(step))
    }

    fn dense(&self) -> Result<&dyn Dense, EngineError> {
        Ok(self.machine.dense()?)
    }

    /// What is solved for: r, or Jᵀr; the sign comes last.
    fn right(&self, linear: &Linear) -> Result<Address, EngineError> {
        let (ahead, into) = (self.at(Room::Ahead), self.at(Room::Solved));
        if linear.is_in_samples {
            self.copied(ahead, into, linear.n)?;
        } else {
            let sizes = [self.width, self.rows];
            let back = linear.jacobian.transpose();
            self.dense()?.apply(sizes, back, [1.0, 0.0], ahead, into)?;
        }
        Ok(into)
    }

    /// With L of G + λI; false where it is not positive.
    fn by_cholesky(&mut self, linear: &Linear, damping: f64) -> Result<bool, EngineError> {
        let n = linear.n;
        let factor = self.engine.room::<f64>(Room::Factor, n * n)?;
        let arguments = [
            Argument::Address(self.at(Room::Gram)),
            Argument::Address(factor),
            Argument::Int(to_int(n)),
            Argument::Double(damping * linear.mean),
        ];
        let shape = over(n * n, 256, 1 << 14);
        self.machine.launch(self.kernels.damp, shape, &arguments)?;
        let is_positive = self.dense()?.cholesky(n, factor)?;
        if is_positive {
            let right = self.right(linear)?;
            self.dense()?
                .solve(n, Matrix::new(factor, n), false, right)?;
        }
        Ok(is_positive)
    }

    /// With R of [F; √λ I], F the tall one of J and Jᵀ: RᵀR is G + λI, and was never formed. False where there is no room for it.
    fn by_reflections(&mut self, linear: &Linear, damping: f64) -> Result<bool, EngineError> {
        let (n, height) = (linear.n, self.rows.max(self.width));
        let Ok(factor) = self.engine.room::<f64>(Room::Factor, (height + n) * n) else {
            return Ok(false);
        };
        let root = damping.max(f64::EPSILON * f64::EPSILON) * linear.mean;
        let arguments = [
            Argument::Address(linear.jacobian.at),
            Argument::Address(factor),
            Argument::Int(to_int(height)),
            Argument::Int(to_int(n)),
            Argument::Int(to_int(linear.jacobian.apart)),
            Argument::Int(i32::from(!linear.is_in_samples)),
            Argument::Double(root.sqrt()),
        ];
        let shape = over((height + n) * n, 256, 1 << 14);
        self.machine.launch(self.kernels.stack, shape, &arguments)?;
        self.dense()?.reflect([height + n, n], factor)?;
        let right = self.right(linear)?;
        let triangle = Matrix::new(factor, height + n);
        self.dense()?.solve(n, triangle, true, right)?;
        Ok(true)
    }

    /// With the least damping for which Cholesky has digits, or ten times that, and so on.
    fn by_more_damping(&mut self, linear: &Linear) -> Result<bool, EngineError> {
        let mut damping = 2.0 * DIGITS;
        for _ in 0..TENFOLD {
            if self.by_cholesky(linear, damping)? {
                return Ok(true);
            }
            damping *= 10.0;
        }
        Ok(false)
    }
}
