//! Steps of a descent that the machine repeats by itself: points, sweeps, update, recorded once and done again and again.
//!
//! ```text
//! sweeps, their points drawn or at hand  →  sum over blocks, finite?, Adam  →  pack weights and count, or take the step back
//! ```

use super::buffers::Room;
use super::{CudaEngine, Drawn, Moving, Number, Resident, over};
use crate::machine::{Address, Argument, Recorded, Shape};
use crate::text::{Mode, to_int};
use rafnet_engine::engine::{
    Cloud, Descended, Descent, Engine, EngineError, Region, Rule, Source, Steps, Watched, check,
};
use std::sync::Arc;

/// Points of what is watched, with its number of residuals.
type Watching = (Resident, usize);

/// What memory that a descent brings holds, so that nothing is brought twice.
pub(super) struct Held<T> {
    /// Figures, θ and both moments as they were last read; empty where they have been written since.
    pub(super) state: Vec<u8>,
    still: Vec<u8>,
    /// Points of terms that stay the same.
    pub(super) clouds: Vec<(usize, Cloud<T>, Resident)>,
    /// Regions of terms whose points are drawn, and how many zeros stand beside these.
    pub(super) regions: Vec<(usize, Vec<f64>, usize)>,
}

impl<T> Default for Held<T> {
    fn default() -> Self {
        Self {
            state: Vec::new(),
            still: Vec::new(),
            clouds: Vec::new(),
            regions: Vec::new(),
        }
    }
}

/// How often a step is tried at most until its scales fit.
pub(super) const ROUNDS: usize = 400;

impl<T: Number> CudaEngine<T> {
    /// Takes at most so many steps; those whose rule is no data one by one.
    pub(super) fn steps(
        &mut self,
        descent: &mut Descent<T>,
        rule: &mut dyn Rule<T>,
        most: u64,
    ) -> Result<Descended, EngineError> {
        let step = descent.step;
        let repeated = match rule.steps(step, most)? {
            Some(steps) if !steps.sources.is_empty() => Some(self.repeat(descent, steps)?),
            _ => None,
        };
        let Some((taken, came, sums)) = repeated else {
            return descent.advance(rule, &mut |at, batch, into| {
                self.loss_and_gradient(at, batch, into)
            });
        };
        descent.step += taken;
        rule.taken(taken);
        if !sums.is_empty() {
            rule.watched(&sums);
        }
        debug_assert!(taken <= most, "more steps than were asked for");
        Ok(came)
    }

    fn repeat(
        &mut self,
        descent: &mut Descent<T>,
        mut steps: Steps<'_, T>,
    ) -> Result<(u64, Descended, Vec<f64>), EngineError> {
        let count = steps.adam.factors.len();
        let is_new = self.bring(descent, &steps)?;
        let mut at = Vec::with_capacity(steps.sources.len());
        for (term, source) in steps.sources.iter().enumerate() {
            at.push(self.placed(term, source, &descent.parameters, descent.step)?);
        }
        let watched = match &steps.watched {
            Some(watched) => {
                Some(self.watching(watched, &descent.parameters, descent.step, count)?)
            }
            None => None,
        };
        let wide = self.wide_of_all(&at)?;
        if let Some(wide) = wide {
            self.wide_begins(wide)?;
        } else if is_new || self.has_wide() {
            self.unfold(false)?;
        }
        let mut left = count;
        let key = self.fingerprint(&steps, &at, watched.as_ref());
        let mut recorded = self
            .recorded
            .iter()
            .find(|(k, _)| *k == key)
            .map(|(_, r)| *r);
        if recorded.is_none() {
            // everything is compiled and has its room before a step is recorded
            self.step(&steps, &at, watched.as_ref())?;
            left -= 1;
            if left > 0 {
                let key = self.fingerprint(&steps, &at, watched.as_ref());
                let new = self.record(&steps, &at, watched.as_ref())?;
                self.recorded.push((key, new));
                recorded = Some(new);
            }
        }
        if let Some(recorded) = recorded {
            for _ in 0..left {
                self.machine.replay(recorded)?;
            }
        }
        steps.meanwhile.happens();
        if wide.is_some() {
            self.repeat_in_vain(&steps, &at, watched.as_ref(), recorded)?;
        }
        let (taken, came) = self.fetch_state(descent, &mut steps)?;
        let each = watched.map_or(0, |(_, residuals)| residuals);
        let mut sums = vec![0.0; usize::try_from(taken).unwrap_or(0).min(count) * each];
        self.download(Room::Watched, &mut sums)?;
        Ok((taken, came, sums))
    }

    /// The points of what is watched, with its number of residuals, and room for its sums.
    fn watching(
        &mut self,
        watched: &Watched<'_, T>,
        parameters: &[T],
        step: u64,
        count: usize,
    ) -> Result<Watching, EngineError> {
        let at = self.placed(watched.term, &watched.source, parameters, step)?;
        let residuals = self.objective.term(watched.term)?.residual.count();
        let most = count.next_power_of_two().max(1 << 10);
        self.room::<f64>(Room::Watched, most * residuals)?;
        Ok((at, residuals))
    }

    /// Sums what is watched after a step.
    fn watch(&mut self, (at, residuals): &Watching) -> Result<(), EngineError> {
        let key = self.key(Mode::Squares, at.term, false)?;
        let blocks = self.start(&key, at, None, Room::Gradient, 0.0)?;
        let room = |room| Argument::Address(self.buffers.at(room));
        let arguments = [
            room(Room::Losses(at.term)),
            Argument::Int(to_int(blocks)),
            room(Room::Call),
            room(Room::Watched),
        ];
        let shape = Shape::new(*residuals, 32, 0);
        Ok(self.machine.launch(self.around.watch, shape, &arguments)?)
    }

    /// Steps whose numbers did not fit their scales are done again, until they do.
    fn repeat_in_vain(
        &mut self,
        steps: &Steps<'_, T>,
        at: &[Resident],
        watched: Option<&Watching>,
        recorded: Option<Recorded>,
    ) -> Result<(), EngineError> {
        let count = steps.adam.factors.len() as u64;
        let (mut before, mut rounds) = (0, 0);
        loop {
            // steps taken, whether something was not finite
            let mut call = [0u64; 2];
            self.download(Room::Call, &mut call)?;
            let left = count.saturating_sub(call[0]);
            rounds = if call[0] > before { 0 } else { rounds + 1 };
            before = call[0];
            if left == 0 || call[1] != 0 || rounds > ROUNDS {
                return Ok(());
            }
            for _ in 0..left {
                match recorded {
                    Some(recorded) => self.machine.replay(recorded)?,
                    None => self.step(steps, at, watched)?,
                }
            }
        }
    }

    fn record(
        &mut self,
        steps: &Steps<'_, T>,
        at: &[Resident],
        watched: Option<&Watching>,
    ) -> Result<Recorded, EngineError> {
        let machine = Arc::clone(&self.machine);
        let mut failed = None;
        let recorded = machine.record(&mut || {
            failed = self.step(steps, at, watched).err();
            Ok(())
        })?;
        failed.map_or(Ok(recorded), Err)
    }

    /// Brings what is not yet on the machine: θ and Adam's moments, what stays, the factors of the steps.
    /// Answers whether θ is new.
    fn bring(&mut self, descent: &Descent<T>, steps: &Steps<'_, T>) -> Result<bool, EngineError> {
        let parts = [
            (Room::Theta, &descent.parameters[..]),
            (Room::First, &*steps.adam.m),
            (Room::Second, &*steps.adam.v),
        ];
        let mut is_new = false;
        for (room, numbers) in parts {
            let (begin, bytes) = (
                self.buffers.offset(room),
                bytemuck::cast_slice::<T, u8>(numbers),
            );
            if self.held.state.get(begin..begin + bytes.len()) != Some(bytes) {
                self.upload(room, numbers)?;
                is_new |= room == Room::Theta;
            }
        }
        let mut still = vec![0u8; self.places.parameters];
        steps
            .still
            .iter()
            .for_each(|range| still[range.clone()].fill(1));
        if self.held.still != still {
            self.upload(Room::Still, &still)?;
            self.held.still = still;
        }
        let mut call = vec![0, 0, descent.step];
        call.extend(steps.adam.factors.iter().flatten().map(|f| f.to_bits()));
        // room that hardly ever has to grow: recorded steps hold its place
        self.room::<u64>(Room::Call, call.len().next_power_of_two().max(1 << 12))?;
        self.upload(Room::Call, &call)?;
        Ok(is_new)
    }

    /// What came of the steps; θ and the moments come back with it in one piece.
    fn fetch_state(
        &mut self,
        descent: &mut Descent<T>,
        steps: &mut Steps<'_, T>,
    ) -> Result<(u64, Descended), EngineError> {
        let mut state = std::mem::take(&mut self.held.state);
        state.resize(
            self.buffers.offset(Room::Second) + self.places.parameters * size_of::<T>(),
            0,
        );
        self.machine
            .read(self.buffers.at(Room::State), &mut state)?;
        let of = |room, into: &mut [T]| {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(into);
            bytes.copy_from_slice(&state[self.buffers.offset(room)..][..bytes.len()]);
        };
        of(Room::Theta, &mut descent.parameters);
        of(Room::First, steps.adam.m);
        of(Room::Second, steps.adam.v);
        let mut figures = [0.0f64; 4];
        bytemuck::cast_slice_mut::<f64, u8>(&mut figures).copy_from_slice(&state[..32]);
        let mut counted = [0u8; 8];
        counted.copy_from_slice(&state[16..24]);
        self.held.state = state;
        let [loss, least, _, bad] = figures;
        let (taken, all) = (u64::from_le_bytes(counted), steps.adam.factors.len() as u64);
        let came = Descended {
            loss,
            least: if taken > 0 { least } else { loss },
            is_finite: bad.abs() < 0.5 && taken >= all,
        };
        Ok((taken, came))
    }

    /// The points of a term, or room for those that are drawn.
    fn placed(
        &mut self,
        term: usize,
        source: &Source<'_, T>,
        parameters: &[T],
        step: u64,
    ) -> Result<Resident, EngineError> {
        match source {
            Source::Same(cloud) => {
                let known = self
                    .held
                    .clouds
                    .iter()
                    .find(|(of, held, _)| *of == term && held == *cloud);
                if let Some((.., at)) = known {
                    return Ok(*at);
                }
                let batch = cloud.of_term(term);
                let n = check::batch(&self.objective, parameters, &batch)?;
                let at = self.resident(&batch, n)?;
                self.held.clouds.push((term, (*cloud).clone(), at));
                Ok(at)
            }
            Source::Each(clouds) => {
                let first = clouds.first().ok_or(EngineError::NoPoints)?;
                let sizes = [first.points.len(), first.data.len()];
                let at = self.resident(&first.of_term(term), first.points.len())?;
                let all = self.room::<T>(
                    Room::Choices(term),
                    clouds.len() * sizes.iter().sum::<usize>(),
                )?;
                let mut n = 0;
                let mut place = all;
                for cloud in *clouds {
                    n = check::batch(&self.objective, parameters, &cloud.of_term(term))?;
                    check::length("points of a step", cloud.points.len(), sizes[0])?;
                    check::length("data of a step", cloud.data.len(), sizes[1])?;
                    check::length("weights of a step", cloud.weights.len(), 0)?;
                    for numbers in [&cloud.points, &cloud.data] {
                        let bytes = bytemuck::cast_slice::<T, u8>(numbers);
                        self.machine.write(place, bytes)?;
                        place = place.offset(bytes.len());
                    }
                }
                Ok(Resident {
                    chosen: Some(sizes),
                    n,
                    ..at
                })
            }
            Source::Uniform {
                region,
                points,
                columns,
                seed,
                round,
                labels,
            } => {
                let numbers = numbers_of(region);
                let is_known = |held: &(usize, Vec<f64>, usize)| {
                    held.0 == term && held.1 == numbers && held.2 == points * columns
                };
                if !self.held.regions.iter().any(is_known) {
                    self.upload(Room::Region(term), &numbers)?;
                    self.upload(Room::Data(term), &vec![T::ZERO; points * columns])?;
                    self.held.clouds.retain(|(of, ..)| *of != term);
                    self.held.regions.retain(|(of, ..)| *of != term);
                    self.held.regions.push((term, numbers, points * columns));
                }
                Ok(Resident {
                    points: Address(0),
                    drawn: Some(Drawn {
                        seed: *seed,
                        round: round.wrapping_sub(step),
                        labels: *labels,
                        is_shell: matches!(region, Region::Shell { .. }),
                    }),
                    data: self.buffers.at(Room::Data(term)),
                    weights: None,
                    chosen: None,
                    n: *points,
                    term,
                })
            }
        }
    }

    /// One step, asked of the machine.
    fn step(
        &mut self,
        steps: &Steps<'_, T>,
        at: &[Resident],
        watched: Option<&Watching>,
    ) -> Result<(), EngineError> {
        let moving = Moving {
            betas: steps.adam.betas,
            epsilon: steps.adam.epsilon,
            decay: steps.decay,
        };
        for (k, (at, lambda)) in at.iter().zip(&steps.weights).enumerate() {
            let is_last = k + 1 == steps.sources.len();
            self.choose(at)?;
            self.gradient_of(at, *lambda, k > 0, is_last.then_some(moving))?;
        }
        match self.wide_of_all(at)? {
            Some(wide) => self.wide_pack(wide, true),
            None => self.unfold(true),
        }?;
        watched.map_or(Ok(()), |watched| self.watch(watched))
    }

    /// Where the points of a term are others at every step, those of this one.
    fn choose(&mut self, at: &Resident) -> Result<(), EngineError> {
        let Some([points, data]) = at.chosen else {
            return Ok(());
        };
        let arguments = [
            Argument::Address(self.buffers.at(Room::Choices(at.term))),
            Argument::Address(self.buffers.at(Room::Call)),
            Argument::Address(at.points),
            Argument::Address(at.data),
            Argument::Int(to_int(points)),
            Argument::Int(to_int(data)),
        ];
        let shape = over(points + data, 256, 1 << 10);
        Ok(self.machine.launch(self.around.choose, shape, &arguments)?)
    }

    /// All that a recorded step depends on: sizes, numbers in its arguments, places in memory.
    fn fingerprint(
        &self,
        steps: &Steps<'_, T>,
        at: &[Resident],
        watched: Option<&Watching>,
    ) -> Vec<u64> {
        let [a, b] = steps.adam.betas;
        let mut key: Vec<u64> = [steps.decay, a, b, steps.adam.epsilon]
            .map(f64::to_bits)
            .to_vec();
        let mut rooms = vec![
            Room::State,
            Room::Packed,
            Room::Stash,
            Room::Matrices,
            Room::Still,
            Room::Call,
            Room::Each,
            Room::Grouped,
            Room::Watched,
            Room::WideState,
            Room::WidePacked,
            Room::WideH,
            Room::WideZ,
            Room::WideKept,
            Room::WideSums,
            Room::WideParts,
        ];
        for at in at.iter().chain(watched.map(|(at, _)| at)) {
            key.extend([
                at.n as u64,
                at.points.0,
                at.data.0,
                at.weights.map_or(0, |w| w.0),
            ]);
            key.extend(at.chosen.into_iter().flatten().map(|n| n as u64));
            rooms.extend([
                Room::Partial(at.term),
                Room::Losses(at.term),
                Room::Region(at.term),
                Room::Choices(at.term),
            ]);
            if let Some(drawn) = at.drawn {
                key.extend([
                    drawn.seed,
                    drawn.round,
                    u64::from(drawn.labels[0]),
                    u64::from(drawn.labels[1]),
                    u64::from(drawn.is_shell),
                ]);
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

/// A region in the numbers that a kernel reads: of each coordinate of a box low, high − low, the least and the largest number between;
/// of a shell R, q and the centre.
fn numbers_of(region: &Region) -> Vec<f64> {
    match region {
        Region::Box(bounds) => {
            let ends = |[low, high]: &[f64; 2]| [*low, high - low, low.next_up(), high.next_down()];
            bounds.iter().flat_map(ends).collect()
        }
        Region::Shell { centre, outer, q } => [&[*outer, *q], &centre[..]].concat(),
    }
}
