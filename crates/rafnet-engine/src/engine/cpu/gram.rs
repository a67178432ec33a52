//! JᵀJ and Jᵀr without J: a block of rows is computed, multiplied with itself and forgotten.
//!
//! ```text
//! G += Jᵀ_block J_block        column block c of G:  C_c += W·A_c,   W = all columns of J_block as rows,  A_c = J_block's columns c
//! ```
//!
//! by the same product as a layer's. Columns of G are shared out among the workers, each summed block after block, so the bits do not
//! depend on the number of threads; below the diagonal G is a copy.
#![allow(
    unsafe_code,
    reason = "the product reads and writes by pointer, at places asserted here"
)]

use super::aligned::Aligned;
use super::coefficients::pack;
use super::plan::{Panel, Plan, panels};
use super::product::{Start, multiply};
use super::{CpuEngine, lock};
use crate::engine::{Batch, Columns, Engine, EngineError};
use crate::simd::{Isa, Kernel, Real};
use std::sync::Mutex;

/// Rows of a block: as many as keep a product's operands in the second-level cache.
const ROWS: usize = 256;

/// One block of columns of G: C += W·A.
pub(super) struct Columnwise<'a, T> {
    pub(super) plan: &'a Plan,
    /// The rows of a block of J, packed as columns of W.
    w: &'a [T],
    rows: usize,
    panels: &'a [Panel],
    /// (rows, B)
    a: &'a [T],
    /// (columns, B)
    c: &'a mut [T],
}

impl<T: Real> Kernel for Columnwise<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.plan.assert_level::<I, T>();
        let b = self.plan.block;
        let covered = self.panels.iter().map(|p| p.start + p.rows).max();
        let covered = covered.unwrap_or(0);
        assert!(self.a.len() >= self.rows * b && self.c.len() >= covered * b);
        assert!(self.w.len() >= covered * self.rows);
        // SAFETY: the lengths are asserted above.
        unsafe {
            multiply::<I, T>(
                self.w.as_ptr(),
                self.rows,
                self.panels,
                self.a.as_ptr(),
                self.c.as_mut_ptr(),
                Start::Accumulate,
            );
        }
    }
}

/// The sum over a batch of `n` points; the lengths were checked.
pub(super) fn sum<T: Real>(
    engine: &mut CpuEngine<T>,
    parameters: &[T],
    batch: &Batch<'_, T>,
    columns: Columns,
    gram: &mut [T],
    right: &mut [T],
) -> Result<f64, EngineError> {
    let (width, count, b) = (
        right.len(),
        engine.objective.residual.count(),
        engine.plan.block,
    );
    let n = batch.points.len() / engine.plan.inputs.dimension;
    let chunk = (ROWS / count.max(1)).max(1);
    let (rows, blocks) = (chunk * count, width.div_ceil(b));
    let panels = panels(width, engine.plan.rows);
    rafnet_memory::require(
        format_args!("the Gram matrix of {width} parameters"),
        &[2 * rows + blocks * b, width, size_of::<T>()],
    )?;
    let (mut r, mut j) = (vec![T::ZERO; rows], vec![T::ZERO; rows * width]);
    let mut w = Aligned::zeros(rows * width);
    let sums: Vec<Mutex<(Aligned<T>, Aligned<T>)>> = (0..blocks)
        .map(|_| Mutex::new((Aligned::zeros(rows * b), Aligned::zeros(width * b))))
        .collect();
    let mut squares = 0.0;
    right.fill(T::ZERO);
    for first in (0..n).step_by(chunk) {
        let points = chunk.min(n - first);
        let rows = points * count;
        let part = batch.part(first..first + points, n);
        let (r, j) = (&mut r[..rows], &mut j[..rows * width]);
        engine.residuals_and_jacobian(parameters, &part, columns, r, j)?;
        squares += r.iter().map(|r| r.to_f64() * r.to_f64()).sum::<f64>();
        for (row, &r) in j.chunks_exact(width).zip(&*r) {
            right
                .iter_mut()
                .zip(row)
                .for_each(|(sum, &j)| *sum += r * j);
        }
        pack(j, 1, width, rows, &panels, &mut w);
        let (plan, j, w) = (&engine.plan, &*j, &w[..]);
        engine.workers.run(blocks, &|block, _| {
            let (a, c) = &mut *lock(&sums[block]);
            let from = block * b..width.min((block + 1) * b);
            for (a, row) in a.chunks_exact_mut(b).zip(j.chunks_exact(width)) {
                a[..from.len()].copy_from_slice(&row[from.clone()]);
            }
            // above the diagonal and on it
            let needed = panels.iter().filter(|p| p.start < from.end).count();
            let panels = &panels[..needed];
            Columnwise {
                plan,
                w,
                rows,
                panels,
                a,
                c,
            }
            .execute();
        });
    }
    for (block, sum) in sums.iter().enumerate() {
        let c = &lock(sum).1;
        for column in block * b..width.min((block + 1) * b) {
            for row in 0..=column {
                let value = c[row * b + column - block * b];
                gram[row * width + column] = value;
                gram[column * width + row] = value;
            }
        }
    }
    Ok(squares)
}
