//! Two registers as one: twice the independent work for each step of a formula, which hides the latency of its steps.

use super::Vector;

/// A pair of registers, the second holding the numbers after the first's.
#[derive(Clone, Copy)]
pub struct Two<V>(V, V);

impl<V: Vector> Vector for Two<V> {
    type Element = V::Element;
    const LANES: usize = 2 * V::LANES;

    #[inline(always)]
    unsafe fn load(from: *const V::Element) -> Self {
        // SAFETY: the caller vouches for both registers' numbers.
        unsafe { Self(V::load(from), V::load(from.add(V::LANES))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut V::Element) {
        // SAFETY: as above.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(V::LANES));
        }
    }
    #[inline(always)]
    fn splat(value: V::Element) -> Self {
        Self(V::splat(value), V::splat(value))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0), self.1.add(other.1))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0.sub(other.0), self.1.sub(other.1))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0.mul(other.0), self.1.mul(other.1))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0.div(other.0), self.1.div(other.1))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(
            self.0.mul_add(factor.0, term.0),
            self.1.mul_add(factor.1, term.1),
        )
    }
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        Self(
            self.0.neg_mul_add(factor.0, term.0),
            self.1.neg_mul_add(factor.1, term.1),
        )
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1.max(other.1))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(self.0.floor(), self.1.floor())
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        Self(self.0.scale(n.0), self.1.scale(n.1))
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> Self {
        Self(self.0.shift_left::<N>(), self.1.shift_left::<N>())
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        Self(
            self.0.select_by_sign(negative.0, positive.0),
            self.1.select_by_sign(negative.1, positive.1),
        )
    }
    #[inline(always)]
    fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
        Self(
            self.0.select_above(bound.0, then.0, otherwise.0),
            self.1.select_above(bound.1, then.1, otherwise.1),
        )
    }
    #[inline(always)]
    fn all_at_most(self, bound: Self) -> bool {
        self.0.all_at_most(bound.0) & self.1.all_at_most(bound.1)
    }
    #[inline(always)]
    fn sum(self) -> V::Element {
        self.0.add(self.1).sum()
    }
    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        let (low, high) = (self.0.zip(other.0), self.1.zip(other.1));
        (Self(low.0, low.1), Self(high.0, high.1))
    }
    #[inline(always)]
    fn lanewise(self, other: Self, f: impl Fn(V::Element, V::Element) -> V::Element) -> Self {
        Self(self.0.lanewise(other.0, &f), self.1.lanewise(other.1, &f))
    }
}
