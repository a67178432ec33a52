//! γ as a text in x, for example `a*sin(b*x) + exp(-abs(x)); b = 30`.
//!
//! Names without a meaning are trained, one number a neuron; behind a semicolon stands where they start (1 unless told). The
//! derivatives in x and by the names are taken symbolically, once, and every text is kept for as long as the program runs, so that a
//! [`Text`] is as small and as easily copied as any other basis function. `interpret` computes the values.

mod interpret;

use super::Basis;
use super::function::{Function, Sensitivities};
use crate::expr::{Expr, ExprError, Leaf, Schedule, Scope, free_names, parse, parse_number};
use crate::simd::Vector;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Most names that a text may train.
pub const MOST_NAMES: usize = crate::basis::rational::COEFFICIENTS;
/// Most steps of arithmetic that a text and its derivatives may take.
const MOST_STEPS: usize = 512;

/// A basis function that was given as a text.
///
/// ```
/// use rafnet::basis::Text;
/// let text: Text = "a*sin(b*x) + exp(-abs(x)); b = 30".parse()?;
/// assert_eq!(text.names(), ["a", "b"]);
/// assert_eq!(text.start(), [1.0, 30.0]);
/// assert_eq!(text.to_string(), "a*sin(b*x) + exp(-abs(x)); a = 1, b = 30");
/// # Ok::<(), rafnet::basis::TextError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Text(&'static Kept);

/// A text, read, and itself as a row of one basis function.
struct Kept {
    formula: Formula,
    basis: OnceLock<[Basis; 1]>,
}

/// A text, read.
struct Formula {
    /// As [`Text`] is written: the function, then where its names start.
    whole: String,
    function: Expr,
    names: Vec<String>,
    start: Vec<f64>,
    /// [γ, …, γ⁽ᵏ⁾] for k = 0 … 3.
    towers: [Schedule; 4],
    /// For each name [∂γ] and [∂γ, ∂γ′, ∂γ″].
    sensitivities: Vec<[Schedule; 2]>,
}

/// Why a text is no basis function.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// It cannot be read.
    #[error("{error}\n{}{}", error.underlined(), hint(error))]
    Unreadable {
        /// Where and why.
        error: ExprError,
    },
    /// It is the same everywhere.
    #[error("`{text}` does not depend on x; write a function of x, for example a*sin(b*x)")]
    Constant {
        /// The text.
        text: String,
    },
    /// A start for something that is no name of the text.
    #[error(
        "`{found}` says nothing of a name in the text; write its names and where they start, for example {example}"
    )]
    Start {
        /// What stands behind the semicolon.
        found: String,
        /// What could stand there.
        example: String,
    },
    /// Too many names or too much arithmetic.
    #[error("`{text}` has {found} {what}; at most {most} are taken")]
    TooLong {
        /// The text.
        text: String,
        /// How many.
        found: usize,
        /// Of what.
        what: &'static str,
        /// How many are taken.
        most: usize,
    },
}

fn hint(error: &ExprError) -> String {
    error.hint().map_or_else(String::new, |h| format!("\n{h}"))
}

impl std::str::FromStr for Text {
    type Err = TextError;
    fn from_str(text: &str) -> Result<Self, TextError> {
        let formula = Formula::read(text)?;
        static KNOWN: Mutex<Vec<&'static Kept>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.iter().find(|k| k.formula.whole == formula.whole) {
            return Ok(Self(same));
        }
        let kept: &'static Kept = Box::leak(Box::new(Kept {
            formula,
            basis: OnceLock::new(),
        }));
        known.push(kept);
        Ok(Self(kept))
    }
}

impl Text {
    /// The text with where its names start.
    pub fn name(self) -> &'static str {
        &self.0.formula.whole
    }
    /// Whether this is meant as a text and not as a name: it has more than letters, digits and hyphens.
    pub fn is_meant(text: &str) -> bool {
        let is_named = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        !text.trim().chars().all(is_named)
    }
    /// The trained names, in alphabetical order.
    pub fn names(self) -> &'static [String] {
        &self.0.formula.names
    }
    /// Where they start.
    pub fn start(self) -> &'static [f64] {
        &self.0.formula.start
    }
    /// Itself as the only basis function of a set.
    pub(crate) fn as_basis(self) -> &'static [Basis] {
        self.0.basis.get_or_init(|| [Basis::Text(self)])
    }
    /// How fast it varies where its names start: the root of ∫γ′² / ∫γ² over [−1, 1]; about ω for sin ωx.
    pub fn frequency(self) -> f64 {
        const POINTS: usize = 4_000;
        let (mut slopes, mut values) = (0.0, 0.0);
        for k in 0..POINTS {
            let x = (2 * k + 1) as f64 / POINTS as f64 - 1.0;
            let [value, slope, ..] = Basis::Text(self).derivatives(x);
            slopes += slope * slope;
            values += value * value;
        }
        let found: f64 = f64::sqrt(slopes / values);
        if found.is_finite() {
            found.clamp(0.1, 1e4)
        } else {
            1.0
        }
    }
    /// The steps of arithmetic of γ alone, from x and the names.
    pub(crate) fn steps(self) -> &'static Schedule {
        &self.0.formula.towers[0]
    }
    /// γ as an expression in x (coordinate 0) and the names (parameters).
    pub fn function(self) -> &'static Expr {
        &self.0.formula.function
    }
}

impl Function for Text {
    #[inline(always)]
    fn tower<V: Vector, const ORDER: usize>(self, y: V, shape: &[V::Element]) -> [V; 4] {
        interpret::tower::<V, ORDER>(self, y, shape)
    }
    #[inline(always)]
    fn sensitivities<V: Vector, const ORDER: usize>(
        self,
        y: V,
        shape: &[V::Element],
    ) -> Sensitivities<V> {
        interpret::sensitivities::<V, ORDER>(self, y, shape)
    }
}

impl Formula {
    fn read(text: &str) -> Result<Self, TextError> {
        let (function, starts) = text.split_once(';').unwrap_or((text, ""));
        let function = function.trim();
        let unreadable = |error| TextError::Unreadable { error };
        let scope = Scope::new(["x"]).forbid_unknowns();
        let names = free_names(function, &scope).map_err(unreadable)?;
        let too_long = |found, what, most| TextError::TooLong {
            text: function.to_owned(),
            found,
            what,
            most,
        };
        if names.len() > MOST_NAMES {
            return Err(too_long(names.len(), "trained names", MOST_NAMES));
        }
        let scope = scope.parameters(names.iter().cloned());
        let gamma = parse(function, &scope).map_err(unreadable)?;
        let x = Leaf::Coordinate(0);
        if !gamma.leaves().contains(&x) {
            let text = function.to_owned();
            return Err(TextError::Constant { text });
        }
        let start = starting_values(starts, &names)?;
        let mut tower = vec![gamma.clone()];
        for order in 0..3 {
            tower.push(tower[order].partial(&x));
        }
        let inputs: Vec<Leaf> = std::iter::once(x)
            .chain((0..names.len()).map(Leaf::Parameter))
            .collect();
        let schedule = |outputs: &[Expr]| match Schedule::new(outputs, &inputs) {
            Ok(schedule) if schedule.steps.len() > MOST_STEPS => Err(too_long(
                schedule.steps.len(),
                "steps of arithmetic with its derivatives",
                MOST_STEPS,
            )),
            Ok(schedule) => Ok(schedule),
            Err(missing) => unreachable!("{missing}: x and the names are all there is"),
        };
        let by_name = |k: usize| -> Vec<Expr> {
            let by = Leaf::Parameter(k);
            tower[..3].iter().map(|g| g.partial(&by)).collect()
        };
        let sensitivities = (0..names.len()).map(by_name);
        let sensitivities = sensitivities.map(|all| Ok([schedule(&all[..1])?, schedule(&all)?]));
        let written = names.iter().zip(&start);
        let written: Vec<String> = written.map(|(name, s)| format!("{name} = {s}")).collect();
        Ok(Self {
            whole: match names.len() {
                0 => function.to_owned(),
                _ => format!("{function}; {}", written.join(", ")),
            },
            sensitivities: sensitivities.collect::<Result<_, TextError>>()?,
            towers: [
                schedule(&tower[..1])?,
                schedule(&tower[..2])?,
                schedule(&tower[..3])?,
                schedule(&tower)?,
            ],
            function: gamma,
            names,
            start,
        })
    }
}

/// `a = 2, b = 30`; 1 for the names that are not mentioned.
fn starting_values(text: &str, names: &[String]) -> Result<Vec<f64>, TextError> {
    let mut start = vec![1.0; names.len()];
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let example = || TextError::Start {
            found: part.to_owned(),
            example: names
                .first()
                .map_or("nothing: it has none".to_owned(), |n| format!("{n} = 30")),
        };
        let (name, value) = part.split_once('=').ok_or_else(example)?;
        let place = names.iter().position(|n| n == name.trim());
        let value = parse_number(value.trim(), &Scope::default());
        let value = value.ok().filter(|v| v.is_finite());
        *place.map(|k| &mut start[k]).ok_or_else(example)? = value.ok_or_else(example)?;
    }
    Ok(start)
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) // every text is kept once
    }
}
impl Eq for Text {}
impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({:?})", self.name())
    }
}
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
