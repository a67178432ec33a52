//! `--threads`: one limit and one message for every command.

use crate::output::Failure;
use rafnet::engine::MOST_THREADS;

/// How many threads are meant: 0 is one for each core.
pub(crate) fn meant(asked: usize) -> Result<usize, Failure> {
    match asked {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        n if n <= MOST_THREADS => Ok(n),
        n => Err(Failure::new(
            format!(
                "`--threads {n}` cannot be used: expected a whole number from 0 to {MOST_THREADS}"
            ),
            "leave it out for one thread on each core",
        )),
    }
}
