//! Why a problem cannot be put on a network.

use crate::domain::DomainError;
use crate::engine::EngineError;
use crate::problem::Problem;

/// Why a problem cannot be put on a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PosedError {
    /// No points could be drawn.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Something that was asked for does not fit into memory.
    #[error(transparent)]
    Memory(#[from] rafnet_memory::NotEnough),
    /// Something that networks do not have.
    #[error("`{problem}` needs {what}")]
    Unsupported {
        /// The problem's name.
        problem: String,
        /// What it needs.
        what: &'static str,
    },
}

/// What a coefficient that jumps under a derivative needs.
pub(crate) const ACROSS_JUMPS: &str = "a cut where its coefficient jumps under a derivative: use `--method pieces`, or make what is differentiated an unknown of its own";

impl PosedError {
    pub(crate) fn unsupported(problem: &Problem, what: &'static str) -> Self {
        Self::Unsupported {
            problem: problem.name.clone(),
            what,
        }
    }
}
