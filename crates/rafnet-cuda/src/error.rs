//! What can go wrong on a graphics card, and what to do about it.

/// Why something could not be done on a card.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// A text that does not compile.
    #[error("a kernel does not compile, which is a mistake of this program: {log}")]
    Compile {
        /// What the compiler said.
        log: String,
    },
    /// Not enough of the card's memory.
    #[error(
        "the card has {free} MB free and {asked} MB more were asked for; use fewer points or a smaller network, close other programs on the card, \
         or use --device cpu"
    )]
    Memory {
        /// Megabytes that were asked for.
        asked: u64,
        /// Megabytes that are free.
        free: u64,
    },
    /// Anything else that the driver says.
    #[error("{what}: {why}")]
    Driver {
        /// What was being done.
        what: String,
        /// What the driver said, and what helps.
        why: String,
    },
}
