//! What cannot be built, and why.

use rafnet::expr::ExprError;
use rafnet::model::ModelError;
use rafnet::network::NetworkError;

/// A network that cannot be built by hand.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TheoryError {
    /// A text that is no function.
    #[error("{what}: {error}")]
    Text {
        /// Which text.
        what: String,
        /// The mistake.
        error: ExprError,
    },
    /// A name in a text that is no variable.
    #[error("unknown variable `{name}` in `{text}`; known: {known}")]
    UnknownVariable {
        /// The name.
        name: String,
        /// The text.
        text: String,
        /// What is known, in words.
        known: String,
    },
    /// A function of another number of variables.
    #[error("`{text}` is a function of {found} variables ({names}); expected {expected}")]
    Variables {
        /// The text.
        text: String,
        /// How many it has.
        found: usize,
        /// Their names.
        names: String,
        /// What is taken.
        expected: &'static str,
    },
    /// A text that is a function, but no polynomial.
    #[error("`{text}` is no polynomial: {reason}")]
    NotPolynomial {
        /// The text.
        text: String,
        /// What it holds instead.
        reason: String,
    },
    /// A number or a count that makes no sense.
    #[error("{what} is {found}; expected {expected}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What was found.
        found: String,
        /// What is taken.
        expected: String,
    },
    /// Lists that should have the same length.
    #[error("there are {found} {what}; expected {expected}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many fit.
        expected: usize,
    },
    /// A function that is infinite or undefined somewhere on the interval.
    #[error("`{text}` has a pole or is undefined near {at}, inside the interval [{low}, {high}]")]
    Pole {
        /// The text.
        text: String,
        /// Where, as `x = 0.3`.
        at: String,
        /// The interval's lower end.
        low: f64,
        /// The interval's upper end.
        high: f64,
    },
    /// A series that does not converge fast enough.
    #[error(
        "the Chebyshev coefficients of `{text}` are still {size:.1e} at degree {degree}: it has a kink, a jump or a singularity on \
         or very near the interval"
    )]
    NoConvergence {
        /// The text.
        text: String,
        /// The largest of the last coefficients.
        size: f64,
        /// How far they were followed.
        degree: usize,
    },
    /// An accuracy that f64 does not hold.
    #[error(
        "the tolerance {tolerance:e} is below the rounding of f64 for values of size {size:.1e}; the least that makes sense is {least:.1e}"
    )]
    BelowRounding {
        /// What was asked for.
        tolerance: f64,
        /// The largest value of the function.
        size: f64,
        /// The least tolerance.
        least: f64,
    },
    /// An ellipse that is too large.
    #[error(
        "the ellipse with parameter {s} is too large for `{text}`: its coefficients fall by a factor of about {rate:.3} a degree, so it \
         is not seen to be analytic inside"
    )]
    Ellipse {
        /// The text.
        text: String,
        /// The parameter.
        s: f64,
        /// How fast the coefficients fall.
        rate: f64,
    },
    /// A network whose numbers are beyond f64, so that no model file holds it.
    #[error("the network `{kind}` cannot be written as a model: {reason}")]
    NoModel {
        /// The kind.
        kind: &'static str,
        /// Why.
        reason: String,
    },
    /// A statement without a construction.
    #[error(
        "Theorem 1 (Sine-ReLU, after Yarotsky and Zhevnerchuk 2020) states that a network exists and gives no construction, and its \
         constant is not explicit"
    )]
    NoConstruction,
    /// A network that cannot be rewritten.
    #[error("the network cannot be expanded: {reason}")]
    NotExpandable {
        /// Why.
        reason: String,
    },
    /// A network that cannot be.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A model that cannot be.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl TheoryError {
    /// A number that makes no sense.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "numbers and texts are handed over alike"
    )]
    pub(super) fn number(
        what: &'static str,
        found: impl ToString,
        expected: impl Into<String>,
    ) -> Self {
        Self::Number {
            what,
            found: found.to_string(),
            expected: expected.into(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Text { error, .. } => error
                .hint()
                .unwrap_or_else(|| "write a function such as `x^3*y - 2*x` or `exp(x)`".into()),
            Self::UnknownVariable { .. } => {
                "use x, y, z, t or x1, x2, …; or say which names are variables".into()
            }
            Self::Variables { .. } => "write a function of that many variables".into(),
            Self::NotPolynomial { .. } => {
                "a polynomial has sums, products and powers 0, 1, 2, …; try a Chebyshev series".into()
            }
            Self::Number { .. } => "pass a value in that range".into(),
            Self::Count { .. } => "give one for each coordinate".into(),
            Self::Pole { .. } => "choose an interval on which the function is finite".into(),
            Self::NoConvergence { .. } => {
                "choose an interval away from the singularity, a larger tolerance, or a degree".into()
            }
            Self::BelowRounding { least, .. } => format!("pass a tolerance of {least:.0e} or more"),
            Self::Ellipse { .. } => "pass a smaller parameter, or none to have one chosen".into(),
            Self::NoModel { .. } => "use the digits file, or a smaller width".into(),
            Self::NoConstruction => {
                "the exact pieces exist: identity, hat functions, piecewise linear interpolation, Fourier sums".into()
            }
            Self::NotExpandable { .. } => "expand a fully connected network".into(),
            Self::Network(_) | Self::Model(_) => "choose smaller sizes".into(),
        }
    }
}
