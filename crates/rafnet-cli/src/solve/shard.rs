//! `--shard I/N`: the part of several runs that one job of an array makes.

use super::options::refused;
use crate::output::Failure;

/// The I-th of N parts, counted from 1: of runs in their order, every N-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// Everything.
    pub(super) const WHOLE: Self = Self { index: 1, count: 1 };

    /// Reads `I/N`.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Self { index, count }),
            _ => Err(refused(
                "shard",
                text,
                "I/N with I from 1 to N, such as 3/8",
            )),
        }
    }

    /// Whether run `k`, from 0, is in it.
    pub(super) fn has(self, k: u64) -> bool {
        k % self.count == self.index - 1
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::Shard;

    #[test]
    fn every_run_is_in_one_shard() {
        let shards = ["1/3", "2/3", "3/3"].map(|text| Shard::read(text).unwrap());
        for k in 0..10 {
            assert_eq!(shards.iter().filter(|s| s.has(k)).count(), 1);
            assert!(Shard::WHOLE.has(k));
        }
        assert!(shards[0].has(0) && shards[2].has(2) && shards[0].has(3));
        for text in ["0/3", "4/3", "1", "1/0", "a/3", "1/3/3", "-1/3", ""] {
            assert!(Shard::read(text).is_err(), "{text}");
        }
    }
}
