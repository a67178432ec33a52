//! Formulas: a function given as text, its variables found in it.
//!
//! Variables are x, y, z, t in this order, or x1, x2, … up to the largest number that occurs; any other free name is refused,
//! so that a slip of the pen does not become a coordinate. Other names can be declared.

use super::TheoryError;
use rafnet::expr::{Expr, Leaf, Program, Scope, free_names, parse};

/// Names that are variables without being declared.
const USUAL: [&str; 4] = ["x", "y", "z", "t"];
/// Most numbered variables.
const MOST: usize = 64;

/// The letter alone for one coordinate, numbered from 1 for several.
pub(super) fn numbered(letter: &str, dimension: usize) -> Vec<String> {
    match dimension {
        1 => vec![letter.into()],
        _ => (1..=dimension).map(|k| format!("{letter}{k}")).collect(),
    }
}

/// A function of a few variables.
///
/// ```
/// use rafnet_theory::Formula;
/// let f = Formula::read("x^3*y - 2*x")?;
/// assert_eq!(f.variables(), ["x", "y"]);
/// assert_eq!(f.value(&[2.0, 1.0]), 4.0);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    scope: Scope,
    expr: Expr,
    program: Program,
}

impl Formula {
    /// Reads a text in the usual variables; a text without any is a constant function of x.
    ///
    /// # Errors
    /// [`TheoryError`] for a text that is none, or another free name.
    pub fn read(text: &str) -> Result<Self, TheoryError> {
        let free = free_names(text, &Scope::default()).map_err(|error| TheoryError::Text {
            what: format!("cannot read `{text}`"),
            error,
        })?;
        let mut most = 0;
        for name in &free {
            let number = name.strip_prefix('x').and_then(|n| n.parse().ok());
            match number.filter(|n| (1..=MOST).contains(n)) {
                Some(n) => most = most.max(n),
                None if USUAL.contains(&name.as_str()) => {}
                None => {
                    return Err(TheoryError::UnknownVariable {
                        name: name.clone(),
                        text: text.into(),
                        known: format!("{}, x1 to x{MOST}", USUAL.join(", ")),
                    });
                }
            }
        }
        let usual = USUAL.iter().filter(|n| free.iter().any(|f| f == *n));
        let mut variables: Vec<String> = usual.map(|n| (*n).to_owned()).collect();
        variables.extend((1..=most).map(|k| format!("x{k}")));
        if variables.is_empty() {
            variables.push("x".into());
        }
        Self::in_variables(text, &variables)
    }

    /// Reads a text in these variables.
    ///
    /// # Errors
    /// [`TheoryError::UnknownVariable`] for any other free name, [`TheoryError::Text`] for a text that is no function.
    pub fn in_variables<N: AsRef<str>>(text: &str, names: &[N]) -> Result<Self, TheoryError> {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let scope = Scope::new(names.clone());
        let wrong = |error| TheoryError::Text {
            what: format!("cannot read `{text}`"),
            error,
        };
        let free = free_names(text, &scope).map_err(wrong)?;
        if let Some(name) = free.first() {
            return Err(TheoryError::UnknownVariable {
                name: name.clone(),
                text: text.into(),
                known: names.join(", "),
            });
        }
        let expr = parse(text, &scope).map_err(wrong)?;
        let leaves: Vec<Leaf> = (0..names.len()).map(Leaf::Coordinate).collect();
        let program = match Program::compile(std::slice::from_ref(&expr), &leaves) {
            Ok(program) => program,
            Err(missing) => unreachable!("the scope knows coordinates only: {missing}"),
        };
        Ok(Self {
            text: text.into(),
            scope,
            expr,
            program,
        })
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// The variables' names.
    pub fn variables(&self) -> &[String] {
        self.scope.coordinates()
    }
    /// How many variables.
    pub fn dimension(&self) -> usize {
        self.variables().len()
    }
    /// The text with its numbers computed and its terms collected.
    pub(super) fn normal_text(&self) -> String {
        self.expr.display(&self.scope).to_string()
    }
    /// The derivative along a coordinate.
    pub(super) fn derivative(&self, axis: usize) -> Expr {
        self.expr.derivative(axis)
    }

    /// The value at one point.
    pub fn value(&self, point: &[f64]) -> f64 {
        self.values(point)[0]
    }
    /// The values at points (n × d).
    pub fn values(&self, points: &[f64]) -> Vec<f64> {
        let d = self.dimension();
        let column = |k: usize| points[k..].iter().step_by(d).copied().collect();
        let columns: Vec<Vec<f64>> = (0..d).map(column).collect();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut out = vec![0.0; points.len() / d];
        let mut scratch = self.program.scratch();
        self.program
            .evaluate(&inputs, &mut [&mut out], &mut scratch);
        out
    }

    /// Refuses a function of more than one variable.
    pub(super) fn univariate(&self) -> Result<(), TheoryError> {
        match self.dimension() {
            1 => Ok(()),
            found => Err(TheoryError::Variables {
                text: self.text.clone(),
                found,
                names: self.variables().join(", "),
                expected: "one",
            }),
        }
    }
}
