//! What the registers of all x86-64 instruction sets have in common: the operations that are one instruction each, written once. The
//! files of the sets name their instructions and write the rest.

/// An operation on registers.
///
/// SAFETY (all of them): a value of a register type only exists inside a body entered through the `run` of its instruction set, which has
/// checked the processor, or is of the baseline, which every x86-64 processor has; `load` and `store` pass their caller's guarantee on.
macro_rules! operation {
    ($body:expr) => {
        // SAFETY: see above.
        unsafe { $body }
    };
}

/// The part of `impl Vector` that is one instruction each: the numbers of a register and the names of the instructions.
macro_rules! single_instructions {
    ($type:ident, $raw:ident, $lanes:literal,
     $load:ident $store:ident $splat:ident $add:ident $sub:ident $mul:ident $div:ident $max:ident $min:ident $sqrt:ident $and:ident $xor:ident
     $to_bits:ident $from_bits:ident $shift:ident) => {
        type Element = $type;
        const LANES: usize = $lanes;

        #[inline(always)]
        unsafe fn load(from: *const $type) -> Self {
            operation!(Self($load(from)))
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut $type) {
            operation!($store(to, self.0))
        }
        #[inline(always)]
        fn splat(value: $type) -> Self {
            operation!(Self($splat(value)))
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            operation!(Self($add(self.0, other.0)))
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            operation!(Self($sub(self.0, other.0)))
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            operation!(Self($mul(self.0, other.0)))
        }
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            operation!(Self($div(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            operation!(Self($max(self.0, other.0)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            operation!(Self($min(self.0, other.0)))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            operation!(Self($and(self.0, other.0)))
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            operation!(Self($xor(self.0, other.0)))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            operation!(Self($sqrt(self.0)))
        }
        #[inline(always)]
        fn shift_left<const N: u32>(self) -> Self {
            operation!(Self($from_bits($shift(
                $to_bits(self.0),
                _mm_cvtsi32_si128(N.cast_signed())
            ))))
        }
        #[inline(always)]
        fn lanewise(self, other: Self, f: impl Fn($type, $type) -> $type) -> Self {
            let lanes = |a: $raw| operation!(transmute::<$raw, [$type; $lanes]>(a));
            let (a, b) = (lanes(self.0), lanes(other.0));
            let values: [$type; $lanes] = std::array::from_fn(|i| f(a[i], b[i]));
            operation!(Self(transmute::<[$type; $lanes], $raw>(values)))
        }
    };
}

/// The instructions that a set has for fused products.
macro_rules! fused_instructions {
    ($fused:ident $negated:ident) => {
        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            operation!(Self($fused(self.0, factor.0, term.0)))
        }
        #[inline(always)]
        fn neg_mul_add(self, factor: Self, term: Self) -> Self {
            operation!(Self($negated(self.0, factor.0, term.0)))
        }
    };
}

/// `self · 2ⁿ` where no instruction does it: 2ᵏ from the low bits of k + bias + 1.5·2^fraction; in two halves, so that each factor is a
/// normal number.
macro_rules! scaled_by_bits {
    ($type:ident, $fraction:literal, $bias:literal) => {
        #[inline(always)]
        fn scale(self, n: Self) -> Self {
            let bias = Self::splat((3u64 << ($fraction - 1)) as $type + $bias);
            let half = n.mul(Self::splat(0.5)).floor();
            let rest = n.sub(half);
            self.mul(half.add(bias).shift_left::<$fraction>())
                .mul(rest.add(bias).shift_left::<$fraction>())
        }
    };
}
