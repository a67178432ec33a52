//! What a caller of an engine can get wrong.

use super::StreamsError;

/// A call that cannot be answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A slice of the wrong length.
    #[error("{what} has {found} numbers; expected {expected}")]
    Length {
        /// Which slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits, in words where it is not one number.
        expected: String,
    },
    /// A number that is infinite or NaN.
    #[error("{what} number {index} is {value}; every input must be finite")]
    NotFinite {
        /// Which slice.
        what: &'static str,
        /// Where, from 0.
        index: usize,
        /// What was found.
        value: String,
    },
    /// A weight below zero.
    #[error("weight {index} is {value}; weights must not be negative")]
    NegativeWeight {
        /// Where, from 0.
        index: usize,
        /// What was found.
        value: String,
    },
    /// A term that the objective does not have.
    #[error("the batch is for term {term}, but the objective has {of}")]
    Term {
        /// Which was asked for, from 0.
        term: usize,
        /// How many there are.
        of: usize,
    },
    /// A residual that reads more shared numbers than there are.
    #[error("the residual reads {found} shared numbers, but the objective has {expected}")]
    Shared {
        /// How many there are.
        expected: usize,
        /// How many it reads.
        found: usize,
    },
    /// Points of a step that could not be drawn.
    #[error("the points of a step could not be drawn: {why}")]
    Points {
        /// What went wrong.
        why: String,
    },
    /// No points to average over.
    #[error("the batch has no points; a loss needs at least one")]
    NoPoints,
    /// Another number of features than the network's description says.
    #[error("the network takes {expected} extra input features, but {found} were given")]
    Features {
        /// What the network says.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// Another number of ansätze than outputs.
    #[error(
        "{found} boundary ansätze were given for {expected} outputs; give one for each output, or none"
    )]
    Ansatz {
        /// The number of outputs.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// Derivatives that cannot be carried.
    #[error(transparent)]
    Streams(#[from] StreamsError),
    /// A derivative of a frozen function that cannot be computed.
    #[error(
        "the derivative along axes {axes:?} cannot be computed; expected at most two axes below {dimension}, and the extra inputs' own \
         derivatives with it"
    )]
    Derivative {
        /// What was asked for.
        axes: Vec<usize>,
        /// How many coordinates there are.
        dimension: usize,
    },
    /// A residual that does not fit the network.
    #[error("the residual reads {found} outputs, but the network has {expected}")]
    Outputs {
        /// The network's outputs.
        expected: usize,
        /// What the residual reads.
        found: usize,
    },
    /// A function that only the host can call.
    #[error(
        "{what} is a function of the host, which only the devices `cpu` and `reference` can call; give it as an expression"
    )]
    Closure {
        /// Which.
        what: String,
    },
    /// A sweep that does not fit into memory.
    #[error(transparent)]
    Memory(#[from] rafnet_memory::NotEnough),
    /// A device that could not do what was asked.
    #[error("{device}: {why}")]
    Device {
        /// Its name.
        device: String,
        /// What happened, and what helps.
        why: String,
    },
    /// Threads that could not be started.
    #[error("{found} threads were asked for; expected a number from 1 to {most}")]
    Threads {
        /// How many were asked for.
        found: usize,
        /// The most that are taken.
        most: usize,
    },
}
