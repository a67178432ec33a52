//! Why a problem could not be solved.

use super::OptionError;
use crate::activation::ActivationError;
use crate::domain::DomainError;
use crate::engine::EngineError;
use crate::model::ModelError;
use crate::network::NetworkError;
use crate::posed::PosedError;
use crate::problem::Problem;
use crate::run::{CheckpointError, Outcome};

/// Why a problem could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// No points could be drawn.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The answer does not make a model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The layer does not make a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The layer does not make an activation.
    #[error(transparent)]
    Activation(#[from] ActivationError),
    /// Something that was asked for does not fit into memory.
    #[error(transparent)]
    Memory(#[from] rafnet_memory::NotEnough),
    /// It was stopped before there was anything to return.
    #[error("`{problem}` was stopped before there was a first solution")]
    Stopped {
        /// The problem's name.
        problem: String,
    },
    /// The time limit came before anything to return.
    #[error("`{problem}` has no first solution after {limit} s, the time limit; give it more time")]
    NoTime {
        /// The problem's name.
        problem: String,
        /// The limit in seconds.
        limit: f64,
    },
    /// No layer gave finite numbers.
    #[error("`{problem}` diverged: no start gave finite residuals")]
    Diverged {
        /// The problem's name.
        problem: String,
    },
    /// No layer has as many real eigenvalues.
    #[error("`{problem}` has no {count} real eigenvalues that could be found")]
    NoEigenvalues {
        /// The problem's name.
        problem: String,
        /// How many were asked for.
        count: usize,
    },
    /// The problem's file asks for an option that cannot be taken.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A checkpoint that does not fit.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// Something the solver does not do yet.
    #[error("`{problem}` needs {what}")]
    Unsupported {
        /// The problem's name.
        problem: String,
        /// What it needs.
        what: &'static str,
    },
}

impl From<PosedError> for SolveError {
    fn from(error: PosedError) -> Self {
        match error {
            PosedError::Domain(e) => e.into(),
            PosedError::Engine(e) => e.into(),
            PosedError::Memory(e) => e.into(),
            PosedError::Unsupported { problem, what } => Self::Unsupported { problem, what },
        }
    }
}

impl SolveError {
    /// How a run ended that began and found nothing; none where it could not begin.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Stopped { .. } => Some(Outcome::Stopped),
            Self::NoTime { .. } => Some(Outcome::BudgetSpent),
            Self::Diverged { .. } => Some(Outcome::Diverged),
            _ => None,
        }
    }

    /// Whether something was asked for that is too large.
    pub fn is_size(&self) -> bool {
        matches!(
            self,
            Self::Memory(_)
                | Self::Domain(DomainError::Memory(_))
                | Self::Network(NetworkError::Memory(_) | NetworkError::Size { .. })
                | Self::Engine(EngineError::Memory(_))
        )
    }

    pub(super) fn diverged(problem: &Problem) -> Self {
        let problem = problem.name.clone();
        Self::Diverged { problem }
    }

    pub(crate) fn unsupported(problem: &Problem, what: &'static str) -> Self {
        Self::Unsupported {
            problem: problem.name.clone(),
            what,
        }
    }
}
