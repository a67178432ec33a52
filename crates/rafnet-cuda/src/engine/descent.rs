//! Steps of a descent that the machine repeats by itself: points, sweeps, update, recorded once and done again and again.
//!
//! ```text
//! draw points of every term  →  pack weights  →  sweeps  →  sum over blocks  →  finite?  →  Adam  →  count
//! ```

use super::buffers::Room;
use super::{CudaEngine, Number, Resident, over};
use crate::machine::{Address, Argument, Shape};
use crate::text::to_int;
use rafnet_engine::engine::{Descended, Descent, Engine, EngineError, Rule, Source, Steps};

/// A launch of one thread.
const ONE: Shape = Shape {
    blocks: 1,
    threads: 1,
    shared: 0,
};

impl<T: Number> CudaEngine<T> {
    /// Takes at most so many steps; those whose rule is no data one by one.
    pub(super) fn steps(&mut self, descent: &mut Descent<T>, rule: &mut dyn Rule<T>, most: u64) -> Result<Descended, EngineError> {
        let step = descent.step;
        let Some(steps) = rule.steps(step, most)? else {
            return descent.advance(rule, &mut |at, batch, into| self.loss_and_gradient(at, batch, into));
        };
        let count = steps.adam.factors.len() as u64;
        let (taken, came) = self.repeat(descent, steps)?;
        descent.step += taken;
        rule.taken(taken);
        debug_assert!(taken <= count, "more steps than were asked for");
        Ok(came)
    }

    fn repeat(&mut self, descent: &mut Descent<T>, steps: Steps<'_, T>) -> Result<(u64, Descended), EngineError> {
        let count = steps.adam.factors.len();
        self.upload(Room::Theta, &descent.parameters)?;
        self.upload(Room::First, steps.adam.m)?;
        self.upload(Room::Second, steps.adam.v)?;
        let mut still = vec![0u8; self.places.parameters];
        steps.still.iter().for_each(|range| still[range.clone()].fill(1));
        self.upload(Room::Still, &still)?;
        self.upload(Room::Factors, &steps.adam.factors.concat())?;
        self.upload(Room::Counters, &[0u64, 0, descent.step])?;
        self.upload(Room::Figures, &[0.0f64; 2])?;
        let mut at = Vec::with_capacity(steps.sources.len());
        for (term, source) in steps.sources.iter().enumerate() {
            at.push(self.placed(term, source)?);
        }
        // everything is compiled and has its room before a step is recorded
        self.step(&steps, &at, descent.step)?;
        let mut counters = [0u64; 3];
        if count > 1 {
            let key = self.fingerprint(&steps, &at, descent.step);
            let recorded = match self.recorded.iter().find(|(k, _)| *k == key) {
                Some((_, recorded)) => *recorded,
                None => {
                    let machine = std::sync::Arc::clone(&self.machine);
                    let mut failed = None;
                    let recorded = machine.record(&mut || {
                        if let Err(error) = self.step(&steps, &at, descent.step) {
                            failed = Some(error);
                        }
                        Ok(())
                    })?;
                    if let Some(error) = failed {
                        return Err(error);
                    }
                    self.recorded.push((key, recorded));
                    recorded
                }
            };
            for _ in 1..count {
                self.machine.replay(recorded)?;
            }
        }
        self.download(Room::Counters, &mut counters)?;
        let mut figures = [0.0f64; 2];
        self.download(Room::Figures, &mut figures)?;
        self.download(Room::Theta, &mut descent.parameters)?;
        self.download(Room::First, steps.adam.m)?;
        self.download(Room::Second, steps.adam.v)?;
        let came = Descended {
            loss: figures[0],
            least: if counters[0] > 0 { figures[1] } else { figures[0] },
            is_finite: counters[1] == 0,
        };
        Ok((counters[0], came))
    }

    /// The points of a term, or room for those that are drawn.
    fn placed(&mut self, term: usize, source: &Source<'_, T>) -> Result<Resident, EngineError> {
        let d = self.objective.network.inputs().dimension;
        match source {
            Source::Same(cloud) => {
                let n = cloud.points.len() / d;
                self.resident(&cloud.of_term(term), n)
            }
            Source::Uniform {
                bounds, points, columns, ..
            } => {
                let ends = |[low, high]: &[f64; 2]| [*low, high - low, low.next_up(), high.next_down()];
                let ends: Vec<f64> = bounds.iter().flat_map(ends).collect();
                self.upload(Room::Box(term), &ends)?;
                let at = self.room::<T>(Room::Points(term), points * d)?;
                let zeros = vec![T::ZERO; points * columns];
                Ok(Resident {
                    points: at,
                    data: self.upload(Room::Data(term), &zeros)?,
                    weights: None,
                    n: *points,
                    term,
                })
            }
        }
    }

    /// One step, asked of the machine.
    fn step(&mut self, steps: &Steps<'_, T>, at: &[Resident], step: u64) -> Result<(), EngineError> {
        let d = self.objective.network.inputs().dimension;
        for (source, at) in steps.sources.iter().zip(at) {
            if let Source::Uniform {
                seed, round, labels, points, ..
            } = source
            {
                let arguments = [
                    Argument::Address(at.points),
                    Argument::Int(to_int(*points)),
                    Argument::Long(*seed),
                    Argument::Long(round.wrapping_sub(step)),
                    Argument::Int(labels[0].cast_signed()),
                    Argument::Int(labels[1].cast_signed()),
                    Argument::Address(self.buffers.at(Room::Box(at.term))),
                    Argument::Address(self.buffers.at(Room::Counters)),
                ];
                let shape = over(points * d.div_ceil(2), 256, usize::MAX >> 9);
                self.machine.launch(self.around.draw, shape, &arguments)?;
            }
        }
        self.unfold()?;
        for (k, (at, lambda)) in at.iter().zip(&steps.weights).enumerate() {
            self.gradient_of(at, *lambda, k > 0)?;
        }
        let room = |room| Argument::Address(self.buffers.at(room));
        let [gradient, loss, counters] = [Room::Gradient, Room::Loss, Room::Counters].map(room);
        let everywhere = over(self.places.parameters, 256, usize::MAX >> 9);
        self.machine.launch(
            self.around.look,
            over(self.places.parameters, 256, 64),
            &[gradient, loss, counters],
        )?;
        let adam = [
            room(Room::Theta),
            gradient,
            room(Room::First),
            room(Room::Second),
            room(Room::Still),
            room(Room::Factors),
            counters,
            Argument::Double(steps.adam.betas[0]),
            Argument::Double(steps.adam.betas[1]),
            Argument::Double(steps.adam.epsilon),
            Argument::Double(steps.decay),
        ];
        self.machine.launch(self.around.adam, everywhere, &adam)?;
        Ok(self.machine.launch(self.around.count_step, ONE, &[counters, loss, room(Room::Figures)])?)
    }

    /// All that a recorded step depends on: sizes, numbers in its arguments, places in memory.
    fn fingerprint(&self, steps: &Steps<'_, T>, at: &[Resident], step: u64) -> Vec<u64> {
        let mut key = vec![
            steps.decay.to_bits(),
            steps.adam.betas[0].to_bits(),
            steps.adam.betas[1].to_bits(),
            steps.adam.epsilon.to_bits(),
        ];
        let mut rooms = vec![
            Room::Theta, Room::Packed, Room::Stash, Room::Matrices, Room::First, Room::Second, Room::Still, Room::Factors, Room::Counters,
            Room::Figures, Room::Each, Room::Grouped,
        ];
        for (source, at) in steps.sources.iter().zip(at) {
            key.extend([at.n as u64, at.points.0, at.data.0, at.weights.map_or(0, |w| w.0)]);
            rooms.extend([Room::Partial(at.term), Room::Losses(at.term), Room::Box(at.term)]);
            if let Source::Uniform {
                seed, labels, round, ..
            } = source
            {
                let begin = round.wrapping_sub(step);
                key.extend([*seed, begin, u64::from(labels[0]), u64::from(labels[1])]);
            }
        }
        key.extend(steps.weights.iter().map(|w| w.to_bits()));
        key.extend(rooms.into_iter().map(|room| {
            let Address(at) = self.buffers.at(room);
            at
        }));
        key
    }
}
