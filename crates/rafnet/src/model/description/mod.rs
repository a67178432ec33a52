//! The JSON description in a model file: everything but the parameters.
//!
//! Its schema is documented in `docs/reference/model-file.md`. `write` makes it, `read` takes it apart again and refuses what is
//! not as documented, `place` remembers where in the description a value stands, for the messages.

mod place;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// The newest version of the format that is read. Models of several pieces are written in it, others as 1, which every reader takes.
const VERSION: u64 = 2;

/// What the description calls the format.
const FORMAT: &str = "rafnet model";
