//! What an answer of the driver means: an error that says what was being done, and what ran last where a kernel failed.

use super::driver::Code;
use crate::CudaError;

/// No memory left.
pub(crate) const OUT_OF_MEMORY: Code = 2;

/// What kind of failure an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A kernel did what it must not; the context is of no use any more.
    Kernel,
    /// The card, or the way to it, is gone.
    Lost,
    /// The call alone failed.
    Call,
}

/// By the driver's numbers (`cudaError_enum`).
pub(crate) fn meaning(code: Code) -> Meaning {
    match code {
        // contained, illegal address, timeout, assert, stack, instruction, alignment, address space, counter, launch failed
        226 | 700 | 702 | 710 | 714..=719 | 721 => Meaning::Kernel,
        // taken down, unavailable, uncorrectable memory or link, context destroyed, system not ready, MPS gone, external device, unknown
        4 | 46 | 214 | 220 | 709 | 802 | 805..=807 | 810 | 911 | 999 => Meaning::Lost,
        _ => Meaning::Call,
    }
}

/// The error for an answer other than success: `what` was being done, `sweep` ran before.
pub(crate) fn error(code: Code, words: String, what: &str, sweep: String) -> CudaError {
    match meaning(code) {
        Meaning::Kernel => CudaError::Kernel { sweep, why: words },
        Meaning::Lost => CudaError::Lost {
            what: what.to_owned(),
            why: words,
        },
        Meaning::Call => CudaError::Driver {
            what: what.to_owned(),
            why: words,
        },
    }
}

/// What was started last, for the day on which it fails.
#[derive(Default)]
pub(crate) struct Recent {
    ring: [Option<Work>; 12],
    next: usize,
}

/// Something that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// The kernel of this number.
    Kernel(usize),
    /// The recording of this number.
    Recorded(usize),
}

impl Recent {
    /// One more.
    pub(crate) fn push(&mut self, work: Work) {
        self.ring[self.next] = Some(work);
        self.next = (self.next + 1) % self.ring.len();
    }

    /// All of it is done.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What was started, oldest first, each once.
    pub(crate) fn each(&self) -> Vec<Work> {
        let (newer, older) = self.ring.split_at(self.next);
        let mut each: Vec<Work> = Vec::new();
        for work in older.iter().chain(newer).flatten() {
            if !each.contains(work) {
                each.push(*work);
            }
        }
        each
    }
}

/// One of these kernels, in words.
pub(crate) fn one_of(names: &[String]) -> String {
    match names {
        [] => "work that was started before".to_owned(),
        [name] => name.clone(),
        names => format!("one of {}", names.join(", ")),
    }
}
