//! What an engine keeps on its machine, by name; every part grows when more is asked of it.

use crate::CudaError;
use crate::machine::{Address, Machine, Memory};
use std::collections::HashMap;
use std::sync::Arc;

/// The parts. Those with a number belong to a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Room {
    /// θ and the shared numbers.
    Theta,
    /// Weights in the order of products.
    Packed,
    /// Numbers of the activations.
    Numbers,
    /// Fixed numbers of the activations.
    Fixed,
    /// Bounds of shared numbers.
    Bounds,
    /// Shared numbers within their bounds.
    Shared,
    /// Which slots of a Jacobian's row are a parameter's, and which sums of a block.
    Table,
    Cells,
    Points(usize),
    Data(usize),
    Weights(usize),
    /// Of a term whose points are others at every step: those of all steps of a call.
    Choices(usize),
    /// What a block keeps for the way back.
    Stash,
    /// Matrices that do not fit into shared memory.
    Matrices,
    /// Sums of every block.
    Partial(usize),
    Losses(usize),
    Gradient,
    Loss,
    /// Values.
    Out,
    /// Residuals point by point.
    Each,
    /// Rows that are sums over points.
    Grouped,
    /// Rows of a Jacobian, slot by slot and as they are handed on.
    Slots,
    Rows,
    /// The table of a Jacobian without the parameters that stay.
    Open,
    /// Residuals of all terms, and what the linearisation foretells of them.
    Residuals,
    Ahead,
    /// Where a step starts, its right side and what solves it, the step.
    Start,
    Solved,
    Step,
    /// The Gram matrix, and what is factorised.
    Gram,
    Factor,
    /// Given cotangents.
    Given,
    /// What a descent moves, in one piece: figures, θ, Adam's moments.
    State,
    /// What came of the steps: the last loss, the smallest, how many were taken, whether all was finite.
    Figures,
    First,
    Second,
    /// θ and the moments before a step.
    Before,
    /// Parameters that stay.
    Still,
    /// What a call brings, in one piece: steps taken, whether something was not finite, the first step; factors of every step.
    Call,
    /// What was watched after every step.
    Watched,
    /// Of a term: its box.
    Region(usize),
    /// Of a wide step: scales, packed weights, what the chain hands over, its scratch and sums, parts of W̄.
    WideState,
    WidePacked,
    WideH,
    WideZ,
    WideKept,
    WideSums,
    WideParts,
}

pub(super) struct Buffers {
    machine: Arc<dyn Machine>,
    all: HashMap<Room, Memory>,
    /// Parts of other parts: which, and how many bytes behind its beginning.
    within: HashMap<Room, (Room, usize)>,
}

impl Buffers {
    pub(super) fn new(machine: &Arc<dyn Machine>) -> Self {
        Self {
            machine: Arc::clone(machine),
            all: HashMap::new(),
            within: HashMap::new(),
        }
    }

    /// Makes parts, of so many bytes each, that lie behind one another in one.
    pub(super) fn together(
        &mut self,
        whole: Room,
        parts: &[(Room, usize)],
    ) -> Result<(), CudaError> {
        let mut end = 0;
        for &(part, bytes) in parts {
            self.within.insert(part, (whole, end));
            end += bytes.next_multiple_of(64);
        }
        self.at_least(whole, end).map(|_| ())
    }

    /// How many bytes of the whole stand before a part.
    pub(super) fn offset(&self, part: Room) -> usize {
        self.within.get(&part).map_or(0, |p| p.1)
    }

    /// Makes a part at least so large; what was in it is lost if it must grow.
    pub(super) fn at_least(&mut self, room: Room, bytes: usize) -> Result<Address, CudaError> {
        if self.within.contains_key(&room) {
            return Ok(self.at(room));
        }
        let is_enough = self.all.get(&room).is_some_and(|m| m.bytes() >= bytes);
        if !is_enough {
            self.all.remove(&room);
            self.all
                .insert(room, Memory::new(&self.machine, bytes.max(16))?);
        }
        Ok(self.at(room))
    }

    /// Where a part is; zero if it was never asked for.
    pub(super) fn at(&self, room: Room) -> Address {
        let (whole, offset) = self.within.get(&room).copied().unwrap_or((room, 0));
        self.all
            .get(&whole)
            .map_or(Address(0), |m| m.at().offset(offset))
    }
}
