//! Constructions: a network built by hand, what the theory says of it, and what was measured.
//!
//! | figure | meaning |
//! |---|---|
//! | width, depth | the widest hidden layer, the number of hidden layers (of the network as built) |
//! | parameters | dense weights and biases of the network as built |
//! | statement | width, depth and parameters as the theorem counts them, where it does |
//! | bound | the error in exact arithmetic: 0 for exact ones |
//! | rounding | a bound on what floating point adds |
//! | `max_error` | the largest difference to the function's own text at sample points |

use super::complex::ComplexNetwork;
use super::digits::DigitNetwork;
use super::{Built, TheoryError};
use rafnet::expr::largest;
use rafnet::model::{Model, Output, Parts, Region};

/// Where a bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The network equals the function.
    Exact,
    /// A statement whose constants were given.
    Stated,
    /// A statement whose constants were estimated from the text.
    Estimated,
}

impl Origin {
    /// `exact`, `stated` or `estimated`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Stated => "stated",
            Self::Estimated => "estimated",
        }
    }
}

/// What is promised of the error.
///
/// ```
/// use rafnet_theory::{Bound, Origin};
/// let bound = Bound { value: 0.25, rounding: 0.5, origin: Origin::Estimated };
/// assert_eq!((bound.total(), bound.origin.name()), (0.75, "estimated"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// In exact arithmetic.
    pub value: f64,
    /// What rounding may add.
    pub rounding: f64,
    /// Where the value comes from.
    pub origin: Origin,
}

impl Bound {
    /// An exact network with this much rounding.
    pub fn exact(rounding: f64) -> Self {
        Self {
            value: 0.0,
            rounding,
            origin: Origin::Exact,
        }
    }
    /// The error that must not be exceeded.
    pub fn total(&self) -> f64 {
        self.value + self.rounding
    }
}

/// The sizes that a theorem states.
///
/// ```
/// use rafnet_theory::Statement;
/// assert_eq!(Statement::dense(2, 7, 17).parameters, 925);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Width.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// Parameters.
    pub parameters: usize,
}

impl Statement {
    /// A dense network of `d` inputs and one output: (d+1)m + (L−1)(m+1)m + (m+1) parameters.
    pub fn dense(d: usize, width: usize, depth: usize) -> Self {
        let (m, hidden) = (width, depth.saturating_sub(1));
        Self {
            width,
            depth,
            parameters: (d + 1) * m + hidden * (m + 1) * m + (m + 1),
        }
    }
}

/// How the network is stored.
#[derive(Clone, Debug)]
pub enum Form {
    /// Real numbers.
    Real(Built),
    /// Complex parameters as pairs of real parts, and a real network with the same values as pairs.
    Complex {
        /// The network with complex parameters.
        network: ComplexNetwork,
        /// A real network whose outputs are the real and the imaginary part.
        pairs: Built,
    },
    /// Numbers beyond f64, as binary digits; with few digits a real network too.
    Digits {
        /// The network with its digits.
        network: DigitNetwork,
        /// The same in f64, where that is exact.
        real: Option<Built>,
    },
}

/// A network built by hand.
///
/// ```
/// let product = rafnet_theory::product()?;
/// assert_eq!((product.width(), product.depth()), (2, 1));
/// assert_eq!(product.to_model()?.eval(&[3.0, -5.0])?, [-15.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Construction {
    /// Its kind, such as `polynomial`.
    pub kind: &'static str,
    /// The coordinates' names.
    pub coordinates: Vec<String>,
    /// The outputs' names.
    pub outputs: Vec<String>,
    /// The network.
    pub form: Form,
    /// The sizes the theorem states, where it does.
    pub statement: Option<Statement>,
    /// What is promised.
    pub bound: Bound,
    /// What was measured.
    pub max_error: f64,
    /// Where it was measured: [low, high] of each coordinate.
    pub measured_on: Vec<[f64; 2]>,
    /// The region of the model; none for a function that holds everywhere.
    pub region: Option<Vec<[f64; 2]>>,
    /// Further numbers with names, such as an expected error.
    pub figures: Vec<(&'static str, f64)>,
    /// Remarks for the reader: what was chosen or estimated.
    pub notes: Vec<String>,
}

impl Construction {
    /// A construction still to be measured on a box, with one output u, holding everywhere.
    pub(super) fn new(
        kind: &'static str,
        coordinates: Vec<String>,
        form: Form,
        bound: Bound,
        measured_on: Vec<[f64; 2]>,
    ) -> Self {
        Self {
            kind,
            coordinates,
            outputs: vec!["u".into()],
            form,
            statement: None,
            bound,
            max_error: f64::NAN,
            measured_on,
            region: None,
            figures: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Hidden layers' widths.
    pub fn widths(&self) -> Vec<usize> {
        let of = |built: &Built| {
            let layers = built.network.layers();
            layers[..layers.len() - 1].iter().map(|l| l.width).collect()
        };
        match &self.form {
            Form::Real(built) => of(built),
            Form::Complex { network, .. } => network.widths(),
            Form::Digits { network, .. } => network.widths(),
        }
    }
    /// The widest hidden layer.
    pub fn width(&self) -> usize {
        self.widths().into_iter().max().unwrap_or(0)
    }
    /// How many hidden layers.
    pub fn depth(&self) -> usize {
        self.widths().len()
    }
    /// How many hidden neurons.
    pub fn neurons(&self) -> usize {
        self.widths().into_iter().sum()
    }
    /// How many numbers, each layer dense; complex ones count once.
    pub fn parameters(&self) -> usize {
        match &self.form {
            Form::Real(built) => built.network.n_parameters(),
            Form::Complex { network, .. } => network.n_parameters(),
            Form::Digits { network, .. } => network.n_parameters(),
        }
    }
    /// How many of them are not zero.
    pub fn nonzero(&self) -> usize {
        match &self.form {
            Form::Real(built) => built.parameters.iter().filter(|&&v| v != 0.0).count(),
            Form::Complex { network, .. } => network.n_nonzero(),
            Form::Digits { network, .. } => network.n_parameters(),
        }
    }

    /// The network as a model, for `raf eval` and everything else that takes one.
    ///
    /// # Errors
    /// [`TheoryError::NoModel`] when its numbers are beyond f64.
    pub fn to_model(&self) -> Result<Model, TheoryError> {
        let built = match &self.form {
            Form::Real(built) | Form::Complex { pairs: built, .. } => built,
            Form::Digits { network, real } => {
                real.as_ref().ok_or_else(|| TheoryError::NoModel {
                    kind: self.kind,
                    reason: format!(
                        "its numbers have {} binary digits, f64 holds 53",
                        network.n_digits() + 1
                    ),
                })?
            }
        };
        let outputs = self.outputs.iter().map(Output::new).collect();
        let (network, parameters) = (built.network.clone(), built.parameters.clone());
        let mut parts = Parts::new(self.coordinates.clone(), outputs, network, parameters);
        if let Some(bounds) = &self.region {
            parts = parts.with_region(Region::new(bounds.clone()));
        }
        Ok(Model::new(parts)?)
    }

    /// The values at points (n × d), n × outputs.
    ///
    /// # Errors
    /// [`TheoryError::Model`] if a point is not finite or the length does not fit.
    pub fn eval(&self, points: &[f64]) -> Result<Vec<f64>, TheoryError> {
        match &self.form {
            Form::Digits {
                network,
                real: None,
            } => Ok(network.eval(points)),
            _ => Ok(self.to_model()?.eval(points)?),
        }
    }

    /// Measures the largest difference to given values (n × outputs) at points (n × d).
    pub(super) fn measured(
        mut self,
        points: &[f64],
        expected: &[f64],
    ) -> Result<Self, TheoryError> {
        let found = self.eval(points)?;
        let differences = found.iter().zip(expected).map(|(f, e)| (f - e).abs());
        self.max_error = largest(differences);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::square;

    /// Wherever the network or the function has no value, the largest error has none.
    #[test]
    fn an_error_that_is_no_number_is_the_largest() {
        let points = [0.0, 0.5, 1.0];
        for place in 0..points.len() {
            let mut expected = points.map(|x| x * x + 0.25);
            expected[place] = f64::NAN;
            let made = square().expect("a network").measured(&points, &expected);
            assert!(made.expect("values").max_error.is_nan(), "{place}");
        }
    }
}
