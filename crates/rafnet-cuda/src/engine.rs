//! The engine: an objective on a machine, its sweeps compiled when they are first asked for.

mod buffers;
mod descent;
mod squares;
mod wide;

use crate::CudaError;
use crate::machine::{Address, Argument, Kernel, Machine, Shape, kernels_of};
use crate::text::{self, Asked, Mode, Places, Tiling, to_int};
use buffers::{Buffers, Room};
use rafnet_engine::engine::{
    Batch, Carried, Cloud, Couple, Descended, Descent, Engine, EngineError, Objective, Row, Rule,
    Squares, Streams, check,
};
use rafnet_engine::simd::Real;
use std::sync::Arc;

/// Numbers that cards compute with.
pub(crate) trait Number: Real + bytemuck::Pod {}
impl Number for f32 {}
impl Number for f64 {}

/// Points that are evaluated at once: what comes back is then some megabytes.
const AT_ONCE: usize = 1 << 17;

/// Rows of slots that stand at once take this share of the memory, and at most so many bytes.
const SLOTS_SHARE: u64 = 64;
const MOST_SLOTS: usize = 1 << 30;

/// The kernels around the sweeps.
#[derive(Clone, Copy)]
struct Around {
    pack: Kernel,
    read_shared: Kernel,
    gather: Kernel,
    gather_and_move: Kernel,
    gather_rows: Kernel,
    group_rows: Kernel,
    watch: Kernel,
    choose: Kernel,
}

impl Around {
    fn new(machine: &dyn Machine, text: &str) -> Result<Self, CudaError> {
        let names = [
            "pack",
            "read_shared",
            "gather",
            "gather_and_move",
            "gather_rows",
            "group_rows",
            "watch",
            "choose",
        ];
        let [
            pack,
            read_shared,
            gather,
            gather_and_move,
            gather_rows,
            group_rows,
            watch,
            choose,
        ] = kernels_of(machine, text, names)?;
        Ok(Self {
            pack,
            read_shared,
            gather,
            gather_and_move,
            gather_rows,
            group_rows,
            watch,
            choose,
        })
    }
}

/// What a compiled sweep is for.
#[derive(Clone, PartialEq)]
struct Key {
    mode: Mode,
    term: Option<usize>,
    carried: Carried,
    weighted: bool,
}

#[derive(Clone, Copy)]
struct Compiled {
    kernel: Kernel,
    tiling: Tiling,
}

/// An objective on a machine.
pub(crate) struct CudaEngine<T> {
    machine: Arc<dyn Machine>,
    objective: Objective<T>,
    places: Places,
    around: Around,
    sweeps: Vec<(Key, Compiled)>,
    buffers: Buffers,
    recorded: Vec<(Vec<u64>, crate::machine::Recorded)>,
    /// The kernels of Gauss–Newton steps, once they were asked for.
    squares: Option<squares::Kernels>,
    /// What the parts of memory that a descent brings hold, as the host knows it.
    held: descent::Held<T>,
    /// The fast path of fits with wide layers, where it was asked for and suits.
    wide: std::cell::OnceCell<Option<wide::Wide>>,
    /// How many threads of the host couple points.
    threads: usize,
    /// Values at coupled points, and then their cotangents.
    columns: Vec<T>,
}

/// How points are drawn: the seed, the round of step 0, labels.
#[derive(Clone, Copy, PartialEq)]
struct Drawn {
    seed: u64,
    round: u64,
    labels: [u32; 2],
    /// In a spherical shell, not in a box.
    is_shell: bool,
}

/// The numbers of Adam that do not change from step to step.
#[derive(Clone, Copy)]
struct Moving {
    betas: [f64; 2],
    epsilon: f64,
    decay: f64,
}

/// Points of a term on the machine.
#[derive(Clone, Copy)]
struct Resident {
    /// None where they are drawn.
    points: Address,
    drawn: Option<Drawn>,
    data: Address,
    weights: Option<Address>,
    /// Numbers of points and data that are chosen before every step from those of all steps.
    chosen: Option<[usize; 2]>,
    n: usize,
    term: usize,
}

impl<T: Number> CudaEngine<T> {
    pub(crate) fn new(
        machine: Arc<dyn Machine>,
        objective: Objective<T>,
        threads: usize,
    ) -> Result<Self, EngineError> {
        check::objective(&objective)?;
        let places = Places::new::<T>(&objective.network, objective.shared.len());
        let around = Around::new(&*machine, &text::steps(&objective, &places))?;
        let mut engine = Self {
            buffers: Buffers::new(&machine),
            machine,
            around,
            sweeps: Vec::new(),
            recorded: Vec::new(),
            squares: None,
            held: descent::Held::default(),
            wide: std::cell::OnceCell::new(),
            threads,
            columns: Vec::new(),
            places,
            objective,
        };
        let real = |v: &[f64]| v.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>();
        let fixed = real(&text::fixed::<T>(&engine.objective.network, &engine.places));
        let bounds: Vec<T> = real(&engine.objective.shared.concat());
        engine.upload(Room::Fixed, &fixed)?;
        engine.upload(Room::Bounds, &bounds)?;
        let table = engine.places.table.clone();
        engine.upload(Room::Table, &table)?;
        let cells = engine.places.cells.concat();
        engine.upload(Room::Cells, &cells)?;
        let numbers = engine.places.parameters * size_of::<T>();
        let parts = [
            (Room::Figures, 32),
            (Room::Theta, numbers),
            (Room::First, numbers),
            (Room::Second, numbers),
        ];
        engine.buffers.together(Room::State, &parts)?;
        engine.room::<T>(Room::Packed, engine.places.packed)?;
        engine.room::<T>(Room::Numbers, engine.places.numbers)?;
        engine.room::<T>(Room::Shared, engine.objective.shared.len())?;
        engine.room::<T>(Room::Gradient, engine.places.parameters)?;
        engine.room::<T>(Room::Before, 3 * engine.places.parameters)?;
        engine.room::<f64>(Room::Loss, 1)?;
        Ok(engine)
    }

    /// Room for so many numbers.
    fn room<N>(&mut self, room: Room, numbers: usize) -> Result<Address, EngineError> {
        Ok(self.buffers.at_least(room, numbers * size_of::<N>())?)
    }

    fn upload<N: bytemuck::Pod>(
        &mut self,
        room: Room,
        numbers: &[N],
    ) -> Result<Address, EngineError> {
        let at = self.room::<N>(room, numbers.len())?;
        if !numbers.is_empty() {
            self.machine.write(at, bytemuck::cast_slice(numbers))?;
        }
        Ok(at)
    }

    fn download<N: bytemuck::Pod>(&self, room: Room, into: &mut [N]) -> Result<(), EngineError> {
        if !into.is_empty() {
            self.machine
                .read(self.buffers.at(room), bytemuck::cast_slice_mut(into))?;
        }
        Ok(())
    }

    /// The points of a batch, behind what other terms have there.
    fn resident(&mut self, batch: &Batch<'_, T>, n: usize) -> Result<Resident, EngineError> {
        let term = batch.term;
        self.held.clouds.retain(|(of, ..)| *of != term);
        self.held.regions.retain(|(of, ..)| *of != term);
        Ok(Resident {
            points: self.upload(Room::Points(term), batch.points)?,
            drawn: None,
            data: self.upload(Room::Data(term), batch.data)?,
            weights: match batch.weights {
                [] => None,
                weights => Some(self.upload(Room::Weights(term), weights)?),
            },
            chosen: None,
            n,
            term,
        })
    }

    /// The gradient for the cotangents at hand, at points on the machine.
    fn pull(
        &mut self,
        at: &Resident,
        carried: Carried,
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let key = Key {
            mode: Mode::Pullback,
            term: None,
            carried,
            weighted: false,
        };
        let blocks = self.start(&key, at, Some(Room::Given), Room::Gradient, 0.0)?;
        self.gather(at.term, blocks, false, [1.0, 0.0], false, None)?;
        self.download(Room::Gradient, gradient)?;
        // no cotangent reaches a shared number
        gradient[self.objective.network.n_parameters()..].fill(T::ZERO);
        Ok(())
    }

    /// Brings the parameters, and what follows from them, to the machine.
    fn load(&mut self, parameters: &[T]) -> Result<(), EngineError> {
        self.held.state.clear();
        self.upload(Room::Theta, parameters)?;
        self.unfold(false)
    }

    /// Packed weights, numbers of the activations and shared numbers, from the parameters on the machine; after a step of a descent it is
    /// counted too.
    fn unfold(&mut self, after_step: bool) -> Result<(), EngineError> {
        let at = |room| Argument::Address(self.buffers.at(room));
        if !self.objective.shared.is_empty() {
            let shape = Shape::new(1, 32, 0);
            let arguments = [at(Room::Theta), at(Room::Bounds), at(Room::Shared)];
            self.machine
                .launch(self.around.read_shared, shape, &arguments)?;
        }
        let shape = over(self.places.packing, 256, 1 << 10);
        let call = if after_step {
            at(Room::Call)
        } else {
            Argument::Address(Address(0))
        };
        let arguments = [
            at(Room::Theta),
            at(Room::Fixed),
            at(Room::Packed),
            at(Room::Numbers),
            call,
            at(Room::Loss),
            at(Room::Figures),
            at(Room::First),
            at(Room::Second),
            at(Room::Before),
        ];
        Ok(self.machine.launch(self.around.pack, shape, &arguments)?)
    }

    /// The compiled sweep of a kind, with room for what its blocks keep.
    fn compiled(&mut self, key: &Key) -> Result<Compiled, EngineError> {
        if let Some((_, known)) = self.sweeps.iter().find(|(k, _)| k == key) {
            return Ok(*known);
        }
        let term = key.term.map(|k| self.objective.term(k)).transpose()?;
        let (formula, known) = match key.term {
            Some(term) => {
                let formulas = self.objective.formulas(term)?;
                (Some(formulas.residual), formulas.known)
            }
            None => (None, self.objective.known_streams(&key.carried)?),
        };
        let residual = formula.as_ref().zip(term);
        let asked = Asked {
            mode: key.mode,
            carried: &key.carried,
            known: &known,
            columns: term.map_or(0, |t| t.residual.data_columns()),
            residual: residual.map(|(formula, term)| (formula, term.row, term.residual.count())),
            weighted: key.weighted,
        };
        let swept = text::sweep(&self.objective, &self.places, self.machine.facts(), &asked);
        let [kernel] = kernels_of(&*self.machine, &swept.text, ["sweep"])?;
        let compiled = Compiled {
            kernel,
            tiling: swept.tiling,
        };
        self.sweeps.push((key.clone(), compiled));
        Ok(compiled)
    }

    /// Blocks that a sweep over so many points takes.
    fn blocks(&self, tiling: &Tiling, n: usize) -> usize {
        let most = self.machine.facts().multiprocessors as usize * tiling.blocks;
        let eights = n.div_ceil(8);
        eights.div_ceil(eights.div_ceil(most).max(1)).max(1)
    }

    /// Starts a sweep; answers how many blocks it took.
    fn start(
        &mut self,
        key: &Key,
        at: &Resident,
        given: Option<Room>,
        out: Room,
        scale: f64,
    ) -> Result<usize, EngineError> {
        let compiled = self.compiled(key)?;
        let Tiling {
            scratch, shared, ..
        } = compiled.tiling;
        let blocks = self.blocks(&compiled.tiling, at.n);
        let matrices = compiled
            .tiling
            .matrices(self.objective.network.inputs().dimension);
        self.room::<T>(Room::Stash, blocks * scratch)?;
        self.room::<T>(Room::Matrices, blocks * matrices)?;
        let partial = Room::Partial(at.term);
        self.room::<T>(
            partial,
            if key.mode.goes_back() {
                blocks * self.places.sums
            } else {
                0
            },
        )?;
        let summed = match key.mode {
            Mode::Squares => self.objective.term(at.term)?.residual.count(),
            _ => 1,
        };
        self.room::<f64>(Room::Losses(at.term), blocks * summed + 1)?;
        let drawn = at.drawn.unwrap_or(Drawn {
            seed: 0,
            round: 0,
            labels: [0; 2],
            is_shell: false,
        });
        let room = |room| Argument::Address(self.buffers.at(room));
        let arguments = [
            room(Room::Theta),
            room(Room::Packed),
            room(Room::Numbers),
            Argument::Address(at.points),
            Argument::Address(at.data),
            Argument::Address(at.weights.unwrap_or(Address(0))),
            Argument::Int(to_int(at.n)),
            room(Room::Shared),
            given.map_or(Argument::Address(Address(0)), room),
            room(out),
            room(partial),
            room(Room::Losses(at.term)),
            room(Room::Stash),
            room(Room::Matrices),
            Argument::Double(scale),
            Argument::Long(drawn.seed),
            Argument::Long(drawn.round),
            Argument::Int(drawn.labels[0].cast_signed()),
            Argument::Int(drawn.labels[1].cast_signed()),
            room(Room::Region(at.term)),
            Argument::Int(i32::from(drawn.is_shell)),
            room(Room::Call),
        ];
        let shape = Shape::new(blocks, compiled.tiling.threads, shared);
        self.machine.launch(compiled.kernel, shape, &arguments)?;
        Ok(blocks)
    }

    fn key(&self, mode: Mode, term: usize, weighted: bool) -> Result<Key, EngineError> {
        let streams = self.objective.term(term)?.residual.streams();
        Ok(Key {
            mode,
            term: Some(term),
            carried: streams.carried(self.objective.network.inputs().dimension)?,
            weighted,
        })
    }

    /// λ times a term's loss and gradient, into the gradient's room or added to what is there.
    fn gradient_of(
        &mut self,
        at: &Resident,
        lambda: f64,
        add: bool,
        moving: Option<Moving>,
    ) -> Result<(), EngineError> {
        if let Some(wide) = self.wide(at)? {
            return self.wide_gradient(wide, at, lambda, moving);
        }
        let term = self.objective.term(at.term)?;
        let (row, count) = (term.row, term.residual.count());
        let rows = at.n / row.points();
        let weighted = at.weights.is_some();
        let key = self.key(Mode::Gradient, at.term, weighted)?;
        let given = match row {
            Row::Point => None,
            Row::Sum(group) => {
                let each = self.key(Mode::Residuals, at.term, weighted)?;
                self.room::<T>(Room::Each, at.n * count)?;
                self.room::<T>(Room::Grouped, rows * count)?;
                self.start(&each, at, None, Room::Each, 0.0)?;
                let tiling = self.compiled(&key)?.tiling;
                let blocks = self.blocks(&tiling, at.n);
                self.room::<f64>(Room::Losses(at.term), blocks + 1)?;
                let behind = self
                    .buffers
                    .at(Room::Losses(at.term))
                    .offset(blocks * size_of::<f64>());
                self.grouped(count, group, rows, behind)?;
                Some(Room::Grouped)
            }
        };
        let blocks = self.start(&key, at, given, Room::Gradient, 2.0 / rows as f64)?;
        self.gather(
            at.term,
            blocks,
            given.is_some(),
            [lambda, 1.0 / rows as f64],
            add,
            moving,
        )
    }

    /// The rows of a term, without their derivatives.
    fn rows_of(&mut self, at: &Resident, rows: &mut [T]) -> Result<(), EngineError> {
        let term = self.objective.term(at.term)?;
        let (row, count) = (term.row, term.residual.count());
        let key = self.key(Mode::Residuals, at.term, at.weights.is_some())?;
        self.room::<T>(Room::Each, at.n * count)?;
        self.start(&key, at, None, Room::Each, 0.0)?;
        match row {
            Row::Point => self.download(Room::Each, rows),
            Row::Sum(group) => {
                self.room::<T>(Room::Grouped, rows.len())?;
                self.grouped(count, group, at.n / group, self.buffers.at(Room::Loss))?;
                self.download(Room::Grouped, rows)
            }
        }
    }

    /// Rows that are sums of what stands in `Each`, into `Grouped`.
    fn grouped(
        &self,
        count: usize,
        group: usize,
        rows: usize,
        loss: Address,
    ) -> Result<(), EngineError> {
        let arguments = [
            Argument::Address(self.buffers.at(Room::Each)),
            Argument::Address(self.buffers.at(Room::Grouped)),
            Argument::Address(loss),
            Argument::Int(to_int(count)),
            Argument::Int(to_int(group)),
            Argument::Int(to_int(rows * count)),
        ];
        let shape = Shape::new(1, 32, 0);
        Ok(self
            .machine
            .launch(self.around.group_rows, shape, &arguments)?)
    }

    /// The rows of a term's Jacobian times a factor, by a table of slots. Those of the slots stand for a piece of the points at a time.
    fn jacobian_of(
        &mut self,
        at: &Resident,
        table: Room,
        into: Address,
        scale: f64,
    ) -> Result<(), EngineError> {
        let term = self.objective.term(at.term)?;
        let (group, count) = (term.row.points(), term.residual.count());
        let columns = term.residual.data_columns();
        let (d, width) = (
            self.objective.network.inputs().dimension,
            self.places.parameters,
        );
        let key = self.key(Mode::Jacobian, at.term, at.weights.is_some())?;
        let each = count * self.places.slots * size_of::<T>();
        let bytes = usize::try_from(self.machine.facts().memory / SLOTS_SHARE).unwrap_or(0);
        let most = (bytes.min(MOST_SLOTS) / each.max(1)).max(1);
        let mut begin = 0;
        while begin < at.n {
            // whole groups, or a part of one that is too large
            let n = if most < group {
                most.min(group - begin % group)
            } else {
                (most / group * group).min(at.n - begin)
            };
            let behind = |start: Address, numbers| start.offset(begin * numbers * size_of::<T>());
            let part = Resident {
                points: behind(at.points, d),
                data: behind(at.data, columns),
                weights: at.weights.map(|w| behind(w, 1)),
                n,
                ..*at
            };
            self.room::<T>(Room::Slots, n * count * self.places.slots)?;
            self.start(&key, &part, None, Room::Slots, 0.0)?;
            let rows = n / n.min(group) * count;
            let first = begin / group * count;
            let arguments = [
                Argument::Address(self.buffers.at(Room::Slots)),
                Argument::Address(self.buffers.at(table)),
                Argument::Address(into.offset(first * width * size_of::<T>())),
                Argument::Int(to_int(count)),
                Argument::Int(to_int(n.min(group))),
                Argument::Int(to_int(rows)),
                Argument::Double(scale),
                Argument::Int(i32::from(!begin.is_multiple_of(group))),
            ];
            let shape = over(rows * width, 256, 4096);
            self.machine
                .launch(self.around.gather_rows, shape, &arguments)?;
            begin += n;
        }
        Ok(())
    }

    /// Sums the blocks' shares; `share` is what a sum of squares is multiplied by. With the last term of a step the parameters move.
    fn gather(
        &self,
        term: usize,
        blocks: usize,
        grouped: bool,
        [lambda, share]: [f64; 2],
        add: bool,
        moving: Option<Moving>,
    ) -> Result<(), EngineError> {
        let room = |room| Argument::Address(self.buffers.at(room));
        let mut arguments = vec![
            room(Room::Partial(term)),
            room(Room::Losses(term)),
            Argument::Int(to_int(blocks)),
            Argument::Int(to_int(blocks + usize::from(grouped))),
            room(Room::Cells),
            room(Room::Gradient),
            room(Room::Loss),
            Argument::Double(lambda),
            Argument::Double(share),
            Argument::Int(i32::from(add)),
        ];
        let mut kernel = self.around.gather;
        if let Some(moving) = moving {
            kernel = self.around.gather_and_move;
            arguments.extend(
                [
                    Room::Call,
                    Room::Theta,
                    Room::First,
                    Room::Second,
                    Room::Before,
                    Room::Still,
                ]
                .map(room),
            );
            let numbers = [
                moving.betas[0],
                moving.betas[1],
                moving.epsilon,
                moving.decay,
            ];
            arguments.extend(numbers.map(Argument::Double));
        }
        let shape = Shape::new(self.places.parameters.div_ceil(32), 512, 0);
        Ok(self.machine.launch(kernel, shape, &arguments)?)
    }
}

/// The sweep that evaluates a network.
fn evaluation(carried: Carried) -> Key {
    Key {
        mode: Mode::Evaluate,
        term: None,
        carried,
        weighted: false,
    }
}

/// Couples the points of whole groups, (rows, n), so many parts of them at once.
fn couple_in_parts<T: Number>(
    couple: &Couple<'_, T>,
    (n, group): (usize, usize),
    threads: usize,
    columns: &mut [T],
) {
    let each = (n / group).div_ceil(threads.max(1)) * group;
    let mut parts: Vec<Vec<&mut [T]>> = Vec::new();
    parts.resize_with(n.div_ceil(each), Vec::new);
    for row in columns.chunks_exact_mut(n) {
        let pieces = parts.iter_mut().zip(row.chunks_mut(each));
        pieces.for_each(|(part, piece)| part.push(piece));
    }
    std::thread::scope(|scope| {
        for (k, mut part) in parts.into_iter().enumerate() {
            scope.spawn(move || {
                let mut own = part.concat();
                let count = own.len() / part.len().max(1);
                couple(k * each..k * each + count, &mut own);
                let back = part.iter_mut().zip(own.chunks_exact(count));
                back.for_each(|(to, from)| to.copy_from_slice(from));
            });
        }
    });
}

/// A launch over so many things, a thread each, with a bound on the blocks.
fn over(things: usize, threads: usize, most: usize) -> Shape {
    Shape::new(things.div_ceil(threads).clamp(1, most), threads, 0)
}

impl<T: Number> Engine<T> for CudaEngine<T> {
    fn objective(&self) -> &Objective<T> {
        &self.objective
    }

    fn paths(&self) -> Vec<String> {
        vec!["cuda".to_owned()]
    }

    fn evaluate(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        out: &mut [T],
    ) -> Result<(), EngineError> {
        let what = "the output";
        let (n, carried) = check::evaluation(
            &self.objective,
            parameters,
            points,
            streams,
            what,
            out.len(),
        )?;
        if n == 0 {
            return Ok(());
        }
        self.load(parameters)?;
        let (d, rows) = (
            carried.dimension(),
            self.objective.network.n_outputs() * carried.len(),
        );
        let key = evaluation(carried);
        let mut back = Vec::new();
        for (part, points) in points.chunks(AT_ONCE * d).enumerate() {
            let n_of = points.len() / d;
            let at = self.resident(&Batch::points(points), n_of)?;
            self.room::<T>(Room::Out, n_of * rows)?;
            self.start(&key, &at, None, Room::Out, 0.0)?;
            back.resize(n_of * rows, T::ZERO);
            self.download(Room::Out, &mut back)?;
            for (row, values) in back.chunks_exact(n_of).enumerate() {
                out[row * n + part * AT_ONCE..][..n_of].copy_from_slice(values);
            }
        }
        Ok(())
    }

    fn loss_and_gradient(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        gradient: &mut [T],
    ) -> Result<f64, EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        if n == 0 {
            return Err(EngineError::NoPoints);
        }
        self.load(parameters)?;
        let at = self.resident(batch, n)?;
        match self.wide(&at)? {
            Some(wide) => self.wide_gradient_at_last(wide, &at)?,
            None => self.gradient_of(&at, 1.0, false, None)?,
        }
        self.download(Room::Gradient, gradient)?;
        let mut loss = [0.0];
        self.download(Room::Loss, &mut loss)?;
        Ok(loss[0])
    }

    fn descend(
        &mut self,
        descent: &mut Descent<T>,
        rule: &mut dyn Rule<T>,
        most: u64,
    ) -> Result<Descended, EngineError> {
        self.steps(descent, rule, most)
    }

    fn residuals(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let term = self.objective.term(batch.term)?;
        let rows = n / term.row.points() * term.residual.count();
        check::length("the residual", residual.len(), rows)?;
        if n == 0 {
            return Ok(());
        }
        self.load(parameters)?;
        let at = self.resident(batch, n)?;
        self.rows_of(&at, residual)
    }

    fn residuals_and_jacobian(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
        jacobian: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let term = self.objective.term(batch.term)?;
        let (rows, width) = (
            n / term.row.points() * term.residual.count(),
            parameters.len(),
        );
        check::length("the residual", residual.len(), rows)?;
        check::length("the Jacobian", jacobian.len(), rows * width)?;
        if n == 0 {
            return Ok(());
        }
        self.load(parameters)?;
        let at = self.resident(batch, n)?;
        self.rows_of(&at, residual)?;
        let into = self.room::<T>(Room::Rows, rows * width)?;
        self.jacobian_of(&at, Room::Table, into, 1.0)?;
        self.download(Room::Rows, jacobian)
    }

    fn squares(
        &mut self,
        clouds: &[Cloud<T>],
        weights: &[f64],
        closed: &[usize],
    ) -> Result<Option<Box<dyn Squares<T> + '_>>, EngineError> {
        squares::of(self, clouds, weights, closed)
    }

    fn most_numbers(&self) -> Option<usize> {
        squares::most_numbers::<T>(self.machine.facts())
    }

    fn pullback(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        cotangents: &[T],
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let (what, given) = ("the list of cotangents", cotangents.len());
        let (n, carried) =
            check::evaluation(&self.objective, parameters, points, streams, what, given)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        gradient.fill(T::ZERO);
        if n == 0 {
            return Ok(());
        }
        self.load(parameters)?;
        let at = self.resident(&Batch::points(points), n)?;
        self.upload(Room::Given, cotangents)?;
        self.pull(&at, carried, gradient)
    }

    fn coupled(
        &mut self,
        parameters: &[T],
        (points, group): (&[T], usize),
        streams: &Streams,
        couple: &Couple<'_, T>,
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::groups(&self.objective, parameters, points, group)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        gradient.fill(T::ZERO);
        if n == 0 {
            return Ok(());
        }
        let network = &self.objective.network;
        let carried = streams.carried(network.inputs().dimension)?;
        let rows = network.n_outputs() * carried.len();
        self.load(parameters)?;
        let at = self.resident(&Batch::points(points), n)?;
        let mut columns = std::mem::take(&mut self.columns);
        columns.resize(n * rows, T::ZERO);
        self.room::<T>(Room::Out, n * rows)?;
        self.start(&evaluation(carried.clone()), &at, None, Room::Out, 0.0)?;
        self.download(Room::Out, &mut columns)?;
        couple_in_parts(couple, (n, group), self.threads, &mut columns);
        self.upload(Room::Given, &columns)?;
        self.columns = columns;
        self.pull(&at, carried, gradient)
    }
}
