//! Polynomials in several variables, read off a formula.
//!
//! ```text
//! P(x) = Σ_j c_j x^α_j
//! ```
//!
//! The expression room has already computed the numbers and resolved the names; what is left of a polynomial is `+ − * / ^`,
//! brackets, numbers and coordinates, and this file multiplies it out. Everything else is named in the refusal.

use super::{Formula, TheoryError};
use std::collections::BTreeMap;

/// Largest total degree.
const MOST_DEGREE: u32 = 512;
/// Most terms.
const MOST_TERMS: usize = 20_000;

/// A polynomial: its terms by descending degree, the constant last.
///
/// ```
/// use rafnet_theory::{Formula, Polynomial};
/// let p = Polynomial::of(&Formula::read("(x + 1)^2 - y")?)?;
/// assert_eq!(p.terms(), [(1.0, vec![2, 0]), (2.0, vec![1, 0]), (-1.0, vec![0, 1]), (1.0, vec![0, 0])]);
/// assert_eq!(p.degree(), 2);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    variables: Vec<String>,
    terms: Vec<(f64, Vec<u32>)>,
}

impl Polynomial {
    /// The polynomial that a formula is.
    ///
    /// # Errors
    /// [`TheoryError::NotPolynomial`] names what is no part of a polynomial.
    pub fn of(formula: &Formula) -> Result<Self, TheoryError> {
        let variables = formula.variables();
        let text = formula.normal_text();
        let mut reader = Reader {
            text: &text,
            at: 0,
            variables,
        };
        let fail = |reason| TheoryError::NotPolynomial {
            text: formula.text().into(),
            reason,
        };
        let sum = reader.sum().map_err(fail)?;
        match reader.peek() {
            None => Ok(Self::new(variables.to_vec(), sum)),
            Some(c) => Err(fail(format!("`{c}` stands in `{text}`"))),
        }
    }

    /// A polynomial in one variable, its coefficients by ascending power.
    pub fn univariate(variable: &str, coefficients: &[f64]) -> Self {
        let powers = (0_u32..).map(|k| vec![k]);
        Self::new(
            vec![variable.into()],
            powers.zip(coefficients.iter().copied()).collect(),
        )
    }

    fn new(variables: Vec<String>, sum: Sum) -> Self {
        let mut terms: Vec<(f64, Vec<u32>)> = sum
            .into_iter()
            .filter(|(_, c)| *c != 0.0)
            .map(|(powers, c)| (c, powers))
            .collect();
        if terms.is_empty() {
            terms.push((0.0, vec![0; variables.len()]));
        }
        terms.sort_by(|(_, a), (_, b)| degree(b).cmp(&degree(a)).then_with(|| b.cmp(a)));
        Self { variables, terms }
    }

    /// The variables' names.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }
    /// (c_j, α_j), by descending degree.
    pub fn terms(&self) -> &[(f64, Vec<u32>)] {
        &self.terms
    }
    /// The largest total degree.
    pub fn degree(&self) -> usize {
        degree(&self.terms[0].1) as usize
    }
}

fn degree(powers: &[u32]) -> u32 {
    powers.iter().sum()
}

type Sum = BTreeMap<Vec<u32>, f64>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    variables: &'a [String],
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn while_is(&mut self, belongs: impl Fn(char) -> bool) -> &str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn sum(&mut self) -> Result<Sum, String> {
        let mut total = Sum::new();
        let mut sign = if self.take('-') { -1.0 } else { 1.0 };
        loop {
            for (powers, c) in self.term()? {
                *total.entry(powers).or_default() += sign * c;
            }
            sign = match self.peek() {
                Some('+') => 1.0,
                Some('-') => -1.0,
                _ => return Ok(total),
            };
            self.at += 1;
        }
    }

    fn term(&mut self) -> Result<Sum, String> {
        let mut product = self.power()?;
        loop {
            if self.take('*') {
                product = times(&product, &self.power()?)?;
            } else if self.take('/') {
                let start = self.at;
                let below = self.power()?;
                let number = constant(&below);
                let number = number.ok_or_else(|| {
                    let part = self.text[start..self.at].trim();
                    format!("it divides by `{part}`, a negative degree")
                })?;
                product.values_mut().for_each(|c| *c /= number);
            } else {
                return Ok(product);
            }
        }
    }

    fn power(&mut self) -> Result<Sum, String> {
        let base = self.atom()?;
        if !self.take('^') {
            return Ok(base);
        }
        let start = self.at;
        let exponent = if self.take('-') {
            constant(&self.atom()?).map(|v| -v)
        } else {
            constant(&self.atom()?)
        };
        let power = self.text[start..self.at].trim().to_owned();
        if let (Some(base), Some(exponent)) = (constant(&base), exponent) {
            return Ok(Sum::from([(
                vec![0; self.variables.len()],
                base.powf(exponent),
            )]));
        }
        let whole = exponent.filter(|n| n.fract() == 0.0 && *n >= 0.0);
        let n = whole.ok_or_else(|| format!("the power {power} is no whole number from 0"))?;
        if n > f64::from(MOST_DEGREE) {
            return Err(format!("the power {power} is above {MOST_DEGREE}"));
        }
        let mut result = Sum::from([(vec![0; self.variables.len()], 1.0)]);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked above"
        )]
        for _ in 0..n as u32 {
            result = times(&result, &base)?;
        }
        Ok(result)
    }

    fn atom(&mut self) -> Result<Sum, String> {
        let zero = vec![0; self.variables.len()];
        if self.take('(') {
            let inner = self.sum()?;
            return if self.take(')') {
                Ok(inner)
            } else {
                Err("it holds a condition or a list".into())
            };
        }
        let start = self.at;
        match self.peek() {
            Some(c) if c.is_ascii_digit() || c == '.' => {
                self.while_is(|c| c.is_ascii_digit() || c == '.');
                if self.text[self.at..].starts_with(['e', 'E']) {
                    self.at += 1;
                    self.at += usize::from(self.text[self.at..].starts_with(['+', '-']));
                    self.while_is(|c| c.is_ascii_digit());
                }
                let digits = self.text[start..self.at].trim();
                let value = digits
                    .parse()
                    .map_err(|_| format!("`{digits}` is no number"))?;
                Ok(Sum::from([(zero, value)]))
            }
            _ => {
                let name = self
                    .while_is(|c| c.is_alphanumeric() || c == '_')
                    .to_owned();
                if self.text[self.at..].starts_with('(') {
                    return Err(format!("it holds the function `{name}`"));
                }
                if let Some(k) = self.variables.iter().position(|v| *v == name) {
                    let powers = (0..self.variables.len()).map(|i| u32::from(i == k));
                    return Ok(Sum::from([(powers.collect(), 1.0)]));
                }
                let value = match name.as_str() {
                    "pi" => std::f64::consts::PI,
                    "e" => std::f64::consts::E,
                    _ => return Err("it is no sum of products".into()),
                };
                Ok(Sum::from([(zero, value)]))
            }
        }
    }
}

fn constant(sum: &Sum) -> Option<f64> {
    let degree_zero = sum.keys().all(|powers| degree(powers) == 0);
    degree_zero.then(|| sum.values().sum())
}

fn times(a: &Sum, b: &Sum) -> Result<Sum, String> {
    let mut product = Sum::new();
    for (p, c) in a {
        for (q, e) in b {
            let powers: Vec<u32> = p.iter().zip(q).map(|(i, j)| i + j).collect();
            if degree(&powers) > MOST_DEGREE {
                return Err(format!("its degree is above {MOST_DEGREE}"));
            }
            *product.entry(powers).or_default() += c * e;
        }
    }
    if product.len() > MOST_TERMS {
        return Err(format!("it has more than {MOST_TERMS} terms"));
    }
    Ok(product)
}
