//! W̄ += Σ z̄ aᵀ with the inputs transposed: columns of W̄ along the registers.
//!
//! For a panel of two registers of columns, a is transposed into `[point][column]`; then each point adds an outer product,
//!
//! ```text
//! w̄[r][0..B] += z̄[r][point] · aᵀ[point][0..B]
//! ```
//!
//! with up to `Isa::ROWS` rows in registers over all points of the tile, so that no lane sums are needed.
#![allow(
    unsafe_code,
    reason = "unchecked loads and stores in the innermost loops"
)]

use super::plan::{Panel, Plan};
use crate::simd::{Isa, Real, Vector, transpose};

/// How many numbers a transposed panel takes.
pub(super) fn room(plan: &Plan) -> usize {
    plan.tile_blocks * plan.carried.len() * plan.block * plan.block
}

/// `c[i][j]` += Σ ⟨z row i, a row j⟩ over every `step`-th (block, stream) pair.
///
/// # Safety
/// `z` must hold `pairs · step` groups of m rows of two registers, `a` as many of k rows; the panels must cover m rows.
///
/// # Panics
/// If `c` or the scratch are too short, or a panel has more rows than the registers hold.
#[inline(always)]
#[allow(
    clippy::too_many_arguments,
    reason = "two matrices, their sizes, and where the sum goes"
)]
pub(super) unsafe fn products<I: Isa, T: Real>(
    z: *const T,
    m: usize,
    panels: &[Panel],
    a: *const T,
    k: usize,
    pairs: usize,
    step: usize,
    c: &mut [T],
    scratch: &mut [T],
) {
    let lanes = T::Register::<I>::LANES;
    assert!(c.len() >= m * k && scratch.len() >= pairs * 4 * lanes * lanes);
    for start in (0..k).step_by(2 * lanes) {
        let columns = (2 * lanes).min(k - start);
        let registers = columns.div_ceil(lanes);
        // SAFETY: columns start.. are rows of every group of a; the scratch holds pairs · B rows of at most two registers.
        unsafe {
            for pair in 0..pairs {
                let to = scratch
                    .as_mut_ptr()
                    .add(pair * 2 * lanes * registers * lanes);
                transpose_group::<T::Register<I>>(
                    a.add((pair * step * k + start) * 2 * lanes),
                    columns,
                    registers,
                    to,
                );
            }
            for panel in panels {
                let z = z.add(panel.start * 2 * lanes);
                let c = &mut c[panel.start * k + start..];
                macro_rules! rows {
                    ($($n:literal)*) => {
                        match (panel.rows, registers) {
                            $(($n, 1) if $n <= I::ROWS => sums::<T::Register<I>, $n, 1>(z, m * step, scratch.as_ptr(), pairs, c, k, columns),
                              ($n, 2) if $n <= I::ROWS => sums::<T::Register<I>, $n, 2>(z, m * step, scratch.as_ptr(), pairs, c, k, columns),)*
                            (rows, _) => unreachable!("a panel of {rows} rows, at most {} fit", I::ROWS),
                        }
                    };
                }
                rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
            }
        }
    }
}

/// `columns` rows of two registers of points become B rows of `registers` registers of columns, zero beyond.
#[inline(always)]
unsafe fn transpose_group<V: Vector>(
    from: *const V::Element,
    columns: usize,
    registers: usize,
    to: *mut V::Element,
) {
    for half in 0..2 {
        for register in 0..registers {
            let mut rows = [V::zero(); 16];
            for (r, row) in rows.iter_mut().enumerate().take(V::LANES) {
                let column = register * V::LANES + r;
                if column < columns {
                    // SAFETY: the caller's rows.
                    *row = unsafe { V::load(from.add(column * 2 * V::LANES + half * V::LANES)) };
                }
            }
            transpose(&mut rows);
            for (point, row) in rows.iter().enumerate().take(V::LANES) {
                // SAFETY: the caller's room.
                unsafe {
                    row.store(to.add(((half * V::LANES + point) * registers + register) * V::LANES))
                };
            }
        }
    }
}

/// R rows and N registers of columns of W̄ over all points; the groups of z are `z_rows` rows apart.
#[inline(always)]
unsafe fn sums<V: Vector, const R: usize, const N: usize>(
    z: *const V::Element,
    z_rows: usize,
    right: *const V::Element,
    pairs: usize,
    c: &mut [V::Element],
    k: usize,
    columns: usize,
) {
    let b = 2 * V::LANES;
    let mut sums = [[V::zero(); N]; R];
    let mut right = right;
    for pair in 0..pairs {
        // SAFETY: see `products`.
        let left = unsafe { z.add(pair * z_rows * b) };
        for point in 0..b {
            // SAFETY: as above.
            unsafe {
                let mut a = [V::zero(); N];
                for (n, a) in a.iter_mut().enumerate() {
                    *a = V::load(right.add(n * V::LANES));
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let z = V::splat(*left.add(r * b + point));
                    for (sum, a) in sums.iter_mut().zip(a) {
                        *sum = z.mul_add(a, *sum);
                    }
                }
                right = right.add(N * V::LANES);
            }
        }
    }
    // out of the registers in one unrolled go: a loop with more in it would keep the sums in memory all along
    let mut rows = [V::Element::default(); 14 * 32];
    for (r, sums) in sums.iter().enumerate() {
        for (n, sum) in sums.iter().enumerate() {
            // SAFETY: at most 14 rows of two registers of at most 16 lanes.
            unsafe { sum.store(rows.as_mut_ptr().add((r * N + n) * V::LANES)) };
        }
    }
    for r in 0..R {
        let row = &rows[r * N * V::LANES..][..columns];
        for (out, &sum) in c[r * k..r * k + columns].iter_mut().zip(row) {
            *out += sum;
        }
    }
}
