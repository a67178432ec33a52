//! Steps of fits with wide layers: the launches of `crate::wide`.

use super::buffers::Room;
use super::descent::ROUNDS;
use super::{CudaEngine, Moving, Number, Resident, over};
use crate::machine::{Address, Argument, Kernel, Shape, kernels_of};
use crate::text::to_int;
use crate::wide::{self, Plan, SHARED_OF_WEIGHTS};
use rafnet_engine::engine::EngineError;

/// The compiled kernels with their sizes.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    plan: Plan,
    pack: Kernel,
    chain: Kernel,
    weights: Kernel,
    sum: Kernel,
    step: Kernel,
}

impl<T: Number> CudaEngine<T> {
    /// The fast path, if these points can take it; compiled when it is first asked for.
    pub(super) fn wide(&mut self, at: &Resident) -> Result<Option<Wide>, EngineError> {
        if at.weights.is_some() || at.drawn.is_some() {
            return Ok(None);
        }
        if let Some(known) = self.wide.get() {
            return Ok(*known);
        }
        let facts = self.machine.facts();
        let mut found = None;
        if wide::suits(&self.objective, at.term, facts) {
            let plan = Plan::new::<T>(&self.objective.network, &self.places, facts);
            let text = wide::text(&self.objective, &self.places, &plan)?;
            let names = [
                "wide_pack",
                "wide_chain",
                "wide_weights",
                "wide_sum",
                "wide_step",
            ];
            let [pack, chain, weights, sum, step] = kernels_of(&*self.machine, &text, names)?;
            found = Some(Wide {
                plan,
                pack,
                chain,
                weights,
                sum,
                step,
            });
        }
        Ok(*self.wide.get_or_init(|| found))
    }

    /// The fast path, if all terms can take it.
    pub(super) fn wide_of_all(&mut self, at: &[Resident]) -> Result<Option<Wide>, EngineError> {
        match at {
            [one] => self.wide(one),
            _ => Ok(None),
        }
    }

    /// Whether some steps take the fast path.
    pub(super) fn has_wide(&self) -> bool {
        matches!(self.wide.get(), Some(Some(_)))
    }

    /// Scales as they are at the beginning, so that what a run gives depends on nothing that was before it, and weights packed by them.
    pub(super) fn wide_begins(&mut self, wide: Wide) -> Result<(), EngineError> {
        self.upload(Room::WideState, &wide.plan.state())?;
        self.room::<u8>(Room::WidePacked, wide.plan.packed())?;
        self.wide_pack(wide, false)
    }

    /// Packed weights and numbers of the activations, from the parameters on the machine; after a step of a descent it is counted too.
    pub(super) fn wide_pack(&mut self, wide: Wide, after_step: bool) -> Result<(), EngineError> {
        let room = |room| Argument::Address(self.buffers.at(room));
        let pack = [
            room(Room::Theta),
            room(Room::Fixed),
            room(Room::Numbers),
            room(Room::WidePacked),
            room(Room::WideState),
            self.call(after_step),
            room(Room::Loss),
            room(Room::Figures),
        ];
        let shape = Shape::new(wide.plan.packing(), 256, 0);
        Ok(self.machine.launch(wide.pack, shape, &pack)?)
    }

    /// Where a call of a descent stands, in a step of one.
    fn call(&self, in_step: bool) -> Argument {
        Argument::Address(if in_step {
            self.buffers.at(Room::Call)
        } else {
            Address(0)
        })
    }

    /// The gradient from scales that fit, which are looked for from the beginning.
    pub(super) fn wide_gradient_at_last(
        &mut self,
        wide: Wide,
        at: &Resident,
    ) -> Result<(), EngineError> {
        self.wide_begins(wide)?;
        for _ in 0..ROUNDS {
            self.wide_gradient(wide, at, 1.0, None)?;
            let mut again = [0u32];
            let state = self.buffers.at(Room::WideState);
            self.machine.read(
                state.offset(wide.plan.again()),
                bytemuck::cast_slice_mut(&mut again),
            )?;
            if again[0] == 0 {
                break;
            }
            self.wide_pack(wide, false)?;
        }
        Ok(())
    }

    /// λ times the loss and the gradient, into their rooms; in a step of a descent Adam behind it.
    pub(super) fn wide_gradient(
        &mut self,
        wide: Wide,
        at: &Resident,
        lambda: f64,
        moving: Option<Moving>,
    ) -> Result<(), EngineError> {
        let (plan, multiprocessors) = (wide.plan, self.machine.facts().multiprocessors as usize);
        let all = at.n.div_ceil(plan.points());
        let at_once = plan.at_once(at.n, multiprocessors);
        let blocks = at_once.min(multiprocessors);
        self.room::<u8>(Room::WideH, plan.handed(at_once))?;
        self.room::<u8>(Room::WideZ, plan.handed(at_once))?;
        self.room::<u8>(Room::WideKept, plan.kept(blocks))?;
        self.room::<u8>(Room::WideSums, plan.sums(blocks))?;
        self.room::<u8>(Room::WideParts, plan.partial())?;
        let room = |room| Argument::Address(self.buffers.at(room));
        let int = |n: usize| Argument::Int(to_int(n));
        let [first, second] = plan.slices;
        for begin in (0..all).step_by(at_once) {
            let groups = at_once.min(all - begin);
            let is_first = int(usize::from(begin == 0));
            let chain = [
                Argument::Address(at.points),
                Argument::Address(at.data),
                room(Room::Theta),
                room(Room::Numbers),
                room(Room::WidePacked),
                room(Room::WideH),
                room(Room::WideZ),
                room(Room::WideKept),
                room(Room::WideSums),
                room(Room::WideState),
                int(at.n),
                int(begin),
                int(groups),
                is_first,
            ];
            self.machine
                .launch(wide.chain, Shape::new(blocks, 384, plan.shared), &chain)?;
            let weights = [
                room(Room::WideH),
                room(Room::WideZ),
                room(Room::WideParts),
                int(groups * plan.teams),
                int(first),
                int(second),
                int(plan.most_slices()),
                is_first,
            ];
            self.machine.launch(
                wide.weights,
                Shape::new(plan.weighing(), 384, SHARED_OF_WEIGHTS),
                &weights,
            )?;
        }
        let sum = [
            room(Room::WideParts),
            room(Room::WideSums),
            room(Room::Numbers),
            room(Room::WideState),
            self.call(moving.is_some()),
            room(Room::Gradient),
            room(Room::Loss),
            int(blocks * plan.teams),
            int(first),
            int(second),
            int(plan.most_slices()),
            Argument::Double(lambda),
            Argument::Double(1.0 / at.n as f64),
        ];
        self.machine
            .launch(wide.sum, Shape::new(plan.summing(), 256, 0), &sum)?;
        let Some(moving) = moving else {
            return Ok(());
        };
        let step = [
            room(Room::Theta),
            room(Room::Gradient),
            room(Room::First),
            room(Room::Second),
            room(Room::Still),
            room(Room::Call),
            int(self.places.parameters),
            Argument::Double(moving.betas[0]),
            Argument::Double(moving.betas[1]),
            Argument::Double(moving.epsilon),
            Argument::Double(moving.decay),
        ];
        let everywhere = over(self.places.parameters, 256, usize::MAX >> 9);
        Ok(self.machine.launch(wide.step, everywhere, &step)?)
    }
}
