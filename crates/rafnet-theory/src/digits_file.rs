//! Digit networks as JSON: what no model file can hold.
//!
//! ```json
//! {"format": "rafnet-digits", "version": 1, "dimension": 1, "bits": 2, "omega": 1.5, "first": 0.0, "strings": ["b", "4"]}
//! ```
//!
//! `strings[j − 1]` holds θ_{j,1}, θ_{j,2}, … in hexadecimal, four digits a character, the first digit the highest bit. Numbers
//! are written so that they are read back to the same bits.

use super::{DigitNetwork, TheoryError};
use serde_json::{Value, json};

const FORMAT: &str = "rafnet-digits";

impl DigitNetwork {
    /// The network as JSON text.
    pub fn to_json(&self) -> String {
        let strings: Vec<String> = (1..=self.bits()).map(|j| self.hexadecimal(j)).collect();
        json!({
            "format": FORMAT, "version": 1, "dimension": self.dimension, "bits": self.bits(),
            "omega": self.omega(), "first": self.first(), "strings": strings,
        })
        .to_string()
    }

    /// The network that [`DigitNetwork::to_json`] wrote.
    ///
    /// # Errors
    /// [`TheoryError::Number`] says what is not as documented.
    ///
    /// ```
    /// use rafnet_theory::{Form, Formula, Modulus, DigitNetwork, floor_exponential};
    /// let made = floor_exponential(&Formula::read("sin(3*x)")?, 9, &Modulus::Estimated)?;
    /// let Form::Digits { network, real: None } = &made.form else { unreachable!("2⁹ digits") };
    /// assert_eq!(DigitNetwork::from_json(&network.to_json())?, *network);
    /// # Ok::<(), rafnet_theory::TheoryError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, TheoryError> {
        let wrong = |what, expected: &str| TheoryError::number(what, "something else", expected);
        let value: Value = serde_json::from_str(text)
            .map_err(|e| TheoryError::number("the digits file", e, "JSON"))?;
        if value["format"] != FORMAT || value["version"] != 1 {
            return Err(wrong("the format", "`rafnet-digits`, version 1"));
        }
        let count = |key: &str| value[key].as_u64().and_then(|v| usize::try_from(v).ok());
        let sizes = count("dimension").zip(count("bits"));
        let (dimension, bits) = sizes
            .filter(|(d, n)| {
                *d >= 1 && n >= d && d.saturating_mul(*n) <= super::digits::MOST_CELLS_LOG2
            })
            .ok_or_else(|| wrong("`dimension` or `bits`", "whole numbers that fit together"))?;
        let number = |key: &str| value[key].as_f64().map(f64::to_bits);
        let (omega, first) = number("omega")
            .zip(number("first"))
            .ok_or_else(|| wrong("`omega` or `first`", "a number"))?;
        let digits = 1_usize << (dimension * bits);
        let read = |value: &Value| -> Option<Vec<u64>> {
            let text = value.as_str().filter(|t| t.len() == digits.div_ceil(4))?;
            let mut words = vec![0_u64; digits.div_ceil(64)];
            for (i, c) in text.chars().enumerate() {
                let four = c.to_digit(16)?;
                for k in 0..4 {
                    let digit = u64::from(four >> (3 - k) & 1);
                    if let Some(word) = words.get_mut((4 * i + k) / 64) {
                        *word |= digit << ((4 * i + k) % 64);
                    }
                }
            }
            Some(words)
        };
        let strings = value["strings"].as_array();
        let strings: Option<Vec<Vec<u64>>> = strings.and_then(|all| all.iter().map(read).collect());
        let strings = strings
            .filter(|all| all.len() == bits)
            .ok_or_else(|| wrong("`strings`", "one string of hexadecimal digits for each bit"))?;
        Ok(Self {
            dimension,
            bits,
            omega,
            first,
            strings,
        })
    }

    fn hexadecimal(&self, j: usize) -> String {
        let digits: Vec<u32> = (1..=self.n_digits())
            .map(|k| u32::from(self.digit(j, k)))
            .collect();
        let fours = digits.chunks(4).map(|four| {
            let padded = (0..4).map(|k| four.get(k).copied().unwrap_or(0));
            padded.fold(0, |sum, d| 2 * sum + d)
        });
        fours
            .filter_map(|four| char::from_digit(four, 16))
            .collect()
    }
}
