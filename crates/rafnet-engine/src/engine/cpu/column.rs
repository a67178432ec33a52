//! One neuron's rows at one block, stream by stream.
//!
//! A struct with methods and not a closure: a closure cannot be marked `#[inline(always)]`, and one that the compiler leaves out of
//! line is compiled for the baseline machine, where each vector operation in it is a call. (That once halved the speed of a step.)
#![allow(
    unsafe_code,
    reason = "unchecked loads and stores; every place is an offset into a buffer sized by the plan"
)]

use crate::simd::{Isa, Real, Two, Vector};
use std::marker::PhantomData;

/// A row of a block: two registers.
pub(super) type Row<I, T> = Two<<T as Real>::Register<I>>;

/// Rows `stride` numbers apart: stream s of a neuron.
#[derive(Clone, Copy)]
pub(super) struct Column<I, T> {
    start: *const T,
    stride: usize,
    isa: PhantomData<I>,
}

impl<I: Isa, T: Real> Column<I, T> {
    #[inline(always)]
    pub(super) fn new(start: *const T, stride: usize) -> Self {
        Self {
            start,
            stride,
            isa: PhantomData,
        }
    }

    /// The row of stream `s`.
    ///
    /// # Safety
    /// The stream must exist behind the pointer.
    #[inline(always)]
    pub(super) unsafe fn row(self, s: usize) -> Row<I, T> {
        // SAFETY: the caller's stream.
        unsafe { Row::<I, T>::load(self.start.add(s * self.stride)) }
    }

    /// q = Σ C_ij a_i a_j of the first derivatives a.
    ///
    /// # Safety
    /// The streams of the first derivatives must exist behind the pointer.
    #[inline(always)]
    pub(super) unsafe fn quadratic(self, entries: &[(usize, usize, f64)]) -> Row<I, T> {
        let mut q = Row::<I, T>::zero();
        for &(i, j, c) in entries {
            // SAFETY: the caller's streams.
            let (a, b) = unsafe { (self.row(1 + i), self.row(1 + j)) };
            q = a.mul(Row::<I, T>::constant(c)).mul_add(b, q);
        }
        q
    }
}
