//! Philox4x32-10: random bits as a function of a counter and a key.
//!
//! There is no state. A block of four words is ten rounds over a 128-bit counter with a 64-bit key,
//! ```text
//! (c₀, c₁, c₂, c₃) ← (hi(M₁c₂) ⊕ c₁ ⊕ k₀,  lo(M₁c₂),  hi(M₀c₀) ⊕ c₃ ⊕ k₁,  lo(M₀c₀)),     k ← k + W,
//! ```
//! a bijection of the counter for each key (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3", SC 2011). So the number with index i is the same whoever asks for it, in whatever order.
//! Truth: the known-answer vectors of the authors' Random123 distribution, in the tests below.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// One block of four random words.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let first = u64::from(MULTIPLIERS[0]) * u64::from(counter[0]);
        let second = u64::from(MULTIPLIERS[1]) * u64::from(counter[2]);
        counter = [
            high(second) ^ counter[1] ^ key[0],
            low(second),
            high(first) ^ counter[3] ^ key[1],
            low(first),
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

fn low(word: u64) -> u32 {
    (word & 0xFFFF_FFFF) as u32
}

/// The number in the middle of one of the 2⁵² equal cells of (0, 1): never 0 and never 1.
pub(super) fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) * 2f64.powi(-52)
}

/// A key of the generator: what a seed becomes for one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key([u32; 2]);

impl Key {
    /// The key for one use of a seed: `round` and `labels` tell the uses apart.
    pub(super) fn derive(seed: u64, round: u64, labels: [u32; 2]) -> Self {
        let block = philox(
            [low(round), high(round), labels[0], labels[1]],
            [low(seed), high(seed)],
        );
        Self([block[0], block[1]])
    }

    /// Two words of 64 random bits for an index and a label.
    pub(super) fn pair(self, index: u64, label: u32) -> [u64; 2] {
        let block = philox([low(index), high(index), label, 0], self.0);
        let join = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        [join(block[0], block[1]), join(block[2], block[3])]
    }

    /// Fills `u` with independent uniform numbers in (0, 1): the point with this index.
    pub(super) fn fill(self, index: u64, u: &mut [f64]) {
        for (label, numbers) in (0..).zip(u.chunks_mut(2)) {
            let bits = self.pair(index, label);
            for (number, bits) in numbers.iter_mut().zip(bits) {
                *number = unit(bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_random123() {
        let ones = u32::MAX;
        for (counter, key, expected) in [
            (
                [0; 4],
                [0; 2],
                [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8],
            ),
            (
                [ones; 4],
                [ones; 2],
                [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD],
            ),
            (
                [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344],
                [0xA409_3822, 0x299F_31D0],
                [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1],
            ),
        ] {
            assert_eq!(philox(counter, key), expected);
        }
    }

    #[test]
    fn the_ends_of_the_interval_are_never_met() {
        assert_eq!(unit(0).to_bits(), 2f64.powi(-53).to_bits());
        assert_eq!(unit(u64::MAX).to_bits(), (1.0 - 2f64.powi(-53)).to_bits());
    }

    #[test]
    fn every_ingredient_changes_the_key() {
        let key = Key::derive(1, 2, [3, 4]);
        assert_eq!(key, Key::derive(1, 2, [3, 4]));
        let others = [
            Key::derive(2, 2, [3, 4]),
            Key::derive(1 << 32 | 1, 2, [3, 4]),
            Key::derive(1, 3, [3, 4]),
            Key::derive(1, 1 << 32 | 2, [3, 4]),
            Key::derive(1, 2, [4, 4]),
            Key::derive(1, 2, [3, 5]),
        ];
        assert!(others.iter().all(|&other| other != key));
    }
}
