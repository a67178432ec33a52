//! A checksum over bytes: CRC-64/XZ (ECMA-182, reflected), which notices every flipped bit and every burst of up to 64.
//!
//! Eight bytes at a time: entry `k` of the tables is a byte followed by `k` zero bytes.

use std::fmt;

const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;

static TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut bit) = (byte as u64, 0);
        while bit < 8 {
            rest = (rest >> 1) ^ if rest & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = rest;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = tables[0][(before & 0xff) as usize] ^ (before >> 8);
            byte += 1;
        }
        k += 1;
    }
    tables
}

/// A checksum on its way; what is written with `write!` is taken in too.
#[derive(Clone, Debug)]
pub(crate) struct Checksum(u64);

impl Checksum {
    pub(crate) const fn new() -> Self {
        Self(!0)
    }

    /// Takes in bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            let mixed = (self.0 ^ u64::from_le_bytes(*word)).to_le_bytes();
            self.0 = (0..8).fold(0, |sum, k| sum ^ TABLES[7 - k][usize::from(mixed[k])]);
        }
        for byte in rest {
            let at = self.0.to_le_bytes()[0] ^ byte;
            self.0 = TABLES[0][usize::from(at)] ^ (self.0 >> 8);
        }
    }

    /// Takes in numbers, bit by bit.
    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|v| self.bytes(&v.to_le_bytes()));
    }

    /// The checksum as sixteen hexadecimal digits.
    pub(crate) fn digits(&self) -> String {
        format!("{:016x}", !self.0)
    }
}

impl fmt::Write for Checksum {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    fn of(bytes: &[u8]) -> String {
        let mut sum = Checksum::new();
        sum.bytes(bytes);
        sum.digits()
    }

    /// The catalogue's own example, and the same bytes in pieces of every length.
    #[test]
    fn it_is_the_one_that_others_compute() {
        assert_eq!(of(b"123456789"), "995dc9bbdf1939fa");
        let all: Vec<u8> = (0..200u8).collect();
        for length in 1..40 {
            let mut sum = Checksum::new();
            all.chunks(length).for_each(|piece| sum.bytes(piece));
            assert_eq!(sum.digits(), of(&all), "pieces of {length}");
        }
    }
}
