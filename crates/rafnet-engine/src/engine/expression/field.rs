//! Fields made of expressions: a factor, a lift or an extra input given as text, with exact derivatives.
//!
//! The derivatives are symbolic, and one program computes every stream of a jet at once, so that what they share is computed
//! once:
//!
//! ```text
//! f,   ∂_k f for each direction carried,   Σ_ij C_s,ij ∂_ij f for each second-order stream
//! ```
//!
//! A program is compiled when a set of streams is first asked for and kept; evaluating it allocates nothing.

use crate::engine::{Carried, Field, Points};
use crate::expr::{Expr, Leaf, MissingInput, Program, Scratch};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Up to this many coordinates and streams are handed to a program without allocating.
const FEW: usize = 96;

/// A known function of the coordinates, by its expression.
///
/// ```
/// use rafnet::engine::{ExprField, Field, Points, Streams};
/// use rafnet::expr::{Scope, parse};
/// let f = ExprField::new(&parse("x^2*y", &Scope::new(["x", "y"]))?, 2)?;
/// let carried = Streams::laplacian().carried(2)?;
/// let mut jet = [0.0; 4];
/// f.streams(&Points::new(&[3.0, 5.0], 1), &carried, &mut jet);
/// assert_eq!(jet, [45.0, 30.0, 9.0, 10.0]); // x²y, 2xy, x², 2y
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ExprField {
    expr: Expr,
    /// The coordinates that are read; the inputs of every program.
    axes: Vec<usize>,
    dimension: usize,
    programs: Mutex<Vec<Arc<Compiled>>>,
}

/// A program for one set of streams, with registers for as many threads as ever used it at once.
struct Compiled {
    carried: Carried,
    program: Program,
    scratch: Mutex<Vec<Scratch>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ExprField {
    /// The function of `dimension` coordinates that an expression stands for.
    ///
    /// # Errors
    /// When the expression depends on anything but those coordinates.
    pub fn new(expr: &Expr, dimension: usize) -> Result<Self, MissingInput> {
        let mut axes = Vec::new();
        for leaf in expr.leaves() {
            match leaf {
                Leaf::Coordinate(k) if k < dimension => axes.push(k),
                _ => return Err(MissingInput { leaf }),
            }
        }
        Ok(Self {
            expr: expr.clone(),
            axes,
            dimension,
            programs: Mutex::default(),
        })
    }

    /// Its expression.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// Compiles the program for a set of streams now and not when it is first evaluated.
    ///
    /// # Panics
    /// If the streams are for points of another dimension.
    pub fn prepare(&self, carried: &Carried) {
        self.compiled(carried);
    }

    fn compiled(&self, carried: &Carried) -> Arc<Compiled> {
        let mut programs = lock(&self.programs);
        if let Some(known) = programs.iter().find(|c| c.carried == *carried) {
            return Arc::clone(known);
        }
        assert_eq!(
            carried.dimension(),
            self.dimension,
            "the field is a function of {} coordinates",
            self.dimension
        );
        let inputs: Vec<Leaf> = self.axes.iter().map(|&k| Leaf::Coordinate(k)).collect();
        let program = match Program::compile(&Self::streams_of(&self.expr, carried), &inputs) {
            Ok(program) => program,
            Err(missing) => unreachable!("a derivative reads what its function reads: {missing}"),
        };
        let compiled = Arc::new(Compiled {
            carried: carried.clone(),
            program,
            scratch: Mutex::default(),
        });
        programs.push(Arc::clone(&compiled));
        compiled
    }

    /// The value, the first derivatives, the second-order combinations, as expressions.
    pub(super) fn streams_of(expr: &Expr, carried: &Carried) -> Vec<Expr> {
        let directions = carried.directions();
        let first: Vec<Expr> = directions.iter().map(|&k| expr.derivative(k)).collect();
        let second = carried.second().iter().map(|quadratic| {
            let entries = quadratic.entries.iter();
            entries.fold(Expr::number(0.0), |sum, &(i, j, c)| {
                sum + Expr::number(c) * first[i].derivative(directions[j])
            })
        });
        let second: Vec<Expr> = second.collect();
        [expr.clone()]
            .into_iter()
            .chain(first)
            .chain(second)
            .collect()
    }
}

impl Field<f64> for ExprField {
    fn streams(&self, points: &Points<'_, f64>, carried: &Carried, out: &mut [f64]) {
        let n = points.len();
        if n == 0 {
            return;
        }
        let compiled = self.compiled(carried);
        let waiting = lock(&compiled.scratch).pop();
        let mut scratch = waiting.unwrap_or_else(|| compiled.program.scratch());
        let coordinates = self.axes.iter().map(|&k| points.coordinate(k));
        let streams = out.chunks_exact_mut(n).take(carried.len());
        if self.axes.len() <= FEW && carried.len() <= FEW {
            let mut inputs: [&[f64]; FEW] = [&[]; FEW];
            let mut outputs: [&mut [f64]; FEW] = std::array::from_fn(|_| &mut [][..]);
            let inputs = filled(&mut inputs, coordinates);
            let outputs = filled(&mut outputs, streams);
            compiled.program.evaluate(inputs, outputs, &mut scratch);
        } else {
            let inputs: Vec<&[f64]> = coordinates.collect();
            let mut outputs: Vec<&mut [f64]> = streams.collect();
            compiled
                .program
                .evaluate(&inputs, &mut outputs, &mut scratch);
        }
        lock(&compiled.scratch).push(scratch);
    }
    fn formula(&self) -> Option<&Expr> {
        Some(&self.expr)
    }
}

/// The places that were filled, in order.
fn filled<T>(places: &mut [T], items: impl Iterator<Item = T>) -> &mut [T] {
    let mut count = 0;
    for (place, item) in places.iter_mut().zip(items) {
        *place = item;
        count += 1;
    }
    &mut places[..count]
}

impl fmt::Debug for ExprField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExprField({:?})", self.expr)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;
    use crate::engine::Streams;
    use crate::expr::{Scope, parse};

    #[test]
    fn all_streams_of_a_polynomial() -> Result<(), Box<dyn std::error::Error>> {
        let scope = Scope::new(["x", "y", "z"]);
        let f = ExprField::new(&parse("x^2*y*z + 3*z^3", &scope)?, 3)?;
        let (x, y, z) = (2.0, 3.0, 5.0);
        let carried = Streams::hessian(3).carried(3)?;
        let mut out = [0.0; 10];
        f.streams(&Points::new(&[x, y, z], 1), &carried, &mut out);
        let first = [2.0 * x * y * z, x * x * z, x * x * y + 9.0 * z * z];
        let second = [2.0 * y * z, 2.0 * x * z, 2.0 * x * y, 0.0, x * x, 18.0 * z];
        assert_eq!(out[0], x * x * y * z + 3.0 * z.powi(3));
        assert_eq!((&out[1..4], &out[4..]), (&first[..], &second[..]));
        Ok(())
    }

    #[test]
    fn more_streams_than_a_few() -> Result<(), Box<dyn std::error::Error>> {
        let names: Vec<String> = (1..=20).map(|k| format!("x{k}")).collect();
        let f = ExprField::new(&parse("sum(i, 1, 20, i*x[i]^2)", &Scope::new(names))?, 20)?;
        let carried = Streams::hessian(20).carried(20)?;
        assert!(carried.len() > FEW);
        let n = 3;
        let mut out = vec![f64::NAN; carried.len() * n];
        f.streams(&Points::new(&[1.0; 60], n), &carried, &mut out);
        assert_eq!((out[0], out[n], out[21 * n]), (210.0, 2.0, 2.0));
        assert!(out.iter().all(|v| v.is_finite()));
        Ok(())
    }

    #[test]
    fn only_coordinates_are_taken() -> Result<(), Box<dyn std::error::Error>> {
        let scope = Scope::new(["x", "y"]).unknowns(["u"]);
        let refused =
            |text| Ok::<_, crate::expr::ExprError>(ExprField::new(&parse(text, &scope)?, 1).err());
        assert_eq!(refused("y")?.map(|e| e.leaf), Some(Leaf::Coordinate(1)));
        assert_eq!(refused("u")?.map(|e| e.leaf), Some(Leaf::jet(0, &[])));
        Ok(())
    }
}
