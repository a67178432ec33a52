//! Why there is no kernel.

use crate::domain::DomainError;
use crate::engine::EngineError;
use crate::network::NetworkError;
use crate::posed::PosedError;

/// Why there is no kernel.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NtkError {
    /// A setting that makes no sense.
    #[error("{what} is {found}; expected {expected}")]
    Setting {
        /// Which.
        what: &'static str,
        /// What was given.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// Another number of parameters than the network has.
    #[error("there are {found} parameters; the network and the sought ones make {expected}")]
    Parameters {
        /// How many were given.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// Coordinates that do not make whole points.
    #[error("{found} numbers do not make points of dimension {dimension}")]
    Points {
        /// How many numbers.
        found: usize,
        /// Numbers of a point.
        dimension: usize,
    },
    /// A model of another problem.
    #[error("the model's {what} are {found}; the problem has {expected}")]
    Model {
        /// Which part of it.
        what: &'static str,
        /// What the model has.
        found: String,
        /// What the problem has.
        expected: String,
    },
    /// A model without a number that the problem seeks.
    #[error("the model holds no value of `{name}`, which the problem seeks")]
    Sought {
        /// The parameter's name.
        name: String,
    },
    /// A text of a model that cannot be read.
    #[error("in the model: {0}")]
    Text(crate::expr::ExprError),
    /// No residual at all.
    #[error("`{problem}` has no residuals to take a kernel of")]
    Empty {
        /// The problem's name.
        problem: String,
    },
    /// Derivatives that overflow.
    #[error("the Jacobian of `{problem}` is not finite at its points")]
    NotFinite {
        /// The problem's name.
        problem: String,
    },
    /// Eigenvectors of so many residuals are not sought.
    #[error("{found} residuals are too many for eigenvectors; at most {most} are taken")]
    TooMany {
        /// How many.
        found: usize,
        /// The most.
        most: usize,
    },
    /// Matrices beyond the memory that is taken.
    #[error(
        "the kernel of {rows} residuals and {columns} parameters takes {bytes} bytes; at most {most} are taken"
    )]
    Memory {
        /// Residuals.
        rows: usize,
        /// Parameters.
        columns: usize,
        /// What the matrices would take.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// The iteration for the eigenvalues did not end.
    #[error("the eigenvalues of the {size} × {size} kernel were not found")]
    NoEigenvalues {
        /// The size of the matrix.
        size: usize,
    },
    /// The problem does not make terms.
    #[error(transparent)]
    Problem(#[from] PosedError),
    /// The network cannot be.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// No points could be drawn.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
