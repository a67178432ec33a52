//! Bits of an H.264 header: fixed lengths and Exp-Golomb codes.

use super::truncated;
use crate::error::Result;

pub(super) struct Bits {
    bytes: Vec<u8>,
    at: usize, // bits
}

impl Bits {
    /// The bits of a unit's body. Three bytes 0, 0, 3 stand for 0, 0 there, so that no body looks like a start mark.
    pub(super) fn new(body: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(body.len());
        let mut zeros = 0;
        for &byte in body {
            if zeros >= 2 && byte == 3 {
                zeros = 0;
                continue;
            }
            zeros = if byte == 0 { zeros + 1 } else { 0 };
            bytes.push(byte);
        }
        Self { bytes, at: 0 }
    }

    pub(super) fn bit(&mut self) -> Result<bool> {
        let byte = self
            .bytes
            .get(self.at / 8)
            .ok_or_else(|| truncated("the H.264 parameters are cut off"))?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Ok(bit == 1)
    }

    /// The next `n` ≤ 32 bits as a number.
    pub(super) fn bits(&mut self, n: u32) -> Result<u32> {
        (0..n).try_fold(0u32, |value, _| Ok(value << 1 | u32::from(self.bit()?)))
    }

    /// An unsigned Exp-Golomb code: as many zeros as bits follow the leading one, less one.
    pub(super) fn unsigned(&mut self) -> Result<u32> {
        let mut n_zeros = 0;
        while !self.bit()? {
            n_zeros += 1;
            if n_zeros > 31 {
                return Err(super::damaged(
                    "a number in the H.264 parameters is out of range",
                ));
            }
        }
        let rest = self.bits(n_zeros)?;
        Ok((1u32 << n_zeros) - 1 + rest)
    }

    /// A signed Exp-Golomb code: 0, 1, −1, 2, −2, …
    pub(super) fn signed(&mut self) -> Result<i64> {
        let code = i64::from(self.unsigned()?);
        Ok(if code % 2 == 1 {
            code / 2 + 1
        } else {
            -(code / 2)
        })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn exp_golomb_codes_are_read_in_order() {
        // 1 010 011 00100 00101 and padding: 0, 1, 2, 3, 4 unsigned
        let mut bits = Bits::new(&[0b1010_0110, 0b0100_0010, 0b1000_0000]);
        let codes: Vec<u32> = (0..5).map(|_| bits.unsigned().unwrap()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4]);
        let mut bits = Bits::new(&[0b1010_0110, 0b0100_0010, 0b1000_0000]);
        let codes: Vec<i64> = (0..5).map(|_| bits.signed().unwrap()).collect();
        assert_eq!(codes, [0, 1, -1, 2, -2]);
    }

    #[test]
    fn prevention_bytes_are_removed_and_the_end_is_an_error() {
        let mut bits = Bits::new(&[0, 0, 3, 1]);
        assert_eq!(bits.bits(24).unwrap(), 1);
        assert!(bits.bit().is_err());
    }
}
