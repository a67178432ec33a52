//! The machine that is an NVIDIA card, behind its driver.
//!
//! Libraries are found and opened when the first card is asked for; a machine without any of them answers with an error that says what to
//! install. One context and one stream a card: all work is done in the order in which it was asked for.

mod cache;
mod compiler;
mod dense;
mod driver;
mod failure;
mod libraries;
mod list;
mod pool;
mod report;
mod staging;
mod turn;

pub use compiler::{compile_only, compiler_found};
pub use list::Listed;
pub use report::{Compiled, FunctionUse, compile_report};

use crate::CudaError;
use crate::machine::{Address, Argument, Dense, Facts, Kernel, Machine, Recorded, Shape};
use cache::{Cache, Key};
use compiler::Compiler;
use cudarc::driver::sys::{
    CUcontext, CUevent, CUfunction, CUfunction_attribute as Property, CUgraph, CUgraphExec,
    CUstream, CUstreamCaptureMode as Mode,
};
use driver::{Code, Driver};
use failure::{Meaning, Recent, Work};
use pool::Pool;
use staging::Staging;
use std::collections::HashMap;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use turn::Turn;

/// The most arguments that a kernel has.
const MOST_ARGUMENTS: usize = 64;

/// The most kernels that an error names.
const MOST_NAMES: usize = 16;

/// Compute capability below which kernels are not written.
const OLDEST: (u32, u32) = (8, 0);

/// A graphics card.
pub struct Card {
    driver: &'static Driver,
    compiler: &'static Compiler,
    facts: Facts,
    architecture: String,
    process: u32,
    context: CUcontext,
    stream: CUstream,
    cache: Cache,
    texts: Mutex<HashMap<Key, Arc<Mutex<Option<Module>>>>>,
    compiled: AtomicUsize,
    pool: Mutex<Pool>,
    turn: Turn,
    recording: AtomicBool,
    /// cuBLAS and cuSOLVER, or what of them is missing.
    dense: OnceLock<Result<dense::Started, CudaError>>,
    state: Mutex<State>,
}

#[allow(
    unsafe_code,
    reason = "the driver's handles are pointers, which are not Send by themselves"
)]
// SAFETY: handles of the driver belong to the process and not to a thread. Work on the stream is asked for by who has the turn; everything else
// that changes is behind a lock.
unsafe impl Send for Card {}
#[allow(
    unsafe_code,
    reason = "the driver's handles are pointers, which are not Sync by themselves"
)]
// SAFETY: as above.
unsafe impl Sync for Card {}

/// What changes from call to call.
struct State {
    kernels: Vec<Loaded>,
    graphs: Vec<Graph>,
    recent: Recent,
    staging: Staging,
    /// The kernels of what is being recorded.
    recorded: Vec<usize>,
    /// Why the card takes no more work.
    ended: Option<CudaError>,
}

/// A kernel that was loaded.
struct Loaded {
    name: String,
    function: CUfunction,
    /// Bytes of each of its parameters.
    parameters: Vec<usize>,
    /// The most dynamic shared memory that it can be given.
    shared: u32,
}

/// Launches that were recorded.
struct Graph {
    handle: CUgraphExec,
    kernels: Vec<usize>,
}

/// The kernels of a text that were asked for.
struct Module {
    handle: cudarc::driver::sys::CUmodule,
    kernels: HashMap<String, Kernel>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // what these locks guard is whole between any two statements; a panic of who held one says nothing about it
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

/// What kernels for a capability are compiled for; 9.0 with the instructions that only it has.
fn architecture((major, minor): (u32, u32)) -> String {
    let own = if (major, minor) == (9, 0) { "a" } else { "" };
    format!("sm_{major}{minor}{own}")
}

#[allow(unsafe_code, reason = "calls into the driver")]
impl Card {
    /// The card of this number, opened once in a process.
    ///
    /// # Errors
    /// [`CudaError`] says what is missing: a driver, a newer one, the card, the compiler.
    pub fn open(ordinal: usize) -> Result<Arc<Self>, CudaError> {
        static OPEN: Mutex<Vec<(usize, Arc<Card>)>> = Mutex::new(Vec::new());
        let mut open = locked(&OPEN);
        if let Some((_, card)) = open.iter().find(|(number, _)| *number == ordinal) {
            card.in_its_process()?;
            return match &locked(&card.state).ended {
                Some(why) => Err(why.clone()),
                None => Ok(Arc::clone(card)),
            };
        }
        if let Some((_, other)) = open.first() {
            other.in_its_process()?;
        }
        let card = Arc::new(Self::start(ordinal)?);
        open.push((ordinal, Arc::clone(&card)));
        Ok(card)
    }

    /// The cards of this machine, with what is free on them now.
    ///
    /// # Errors
    /// [`CudaError`] where there is no driver, or a too old one, or no card.
    pub fn list() -> Result<Vec<Listed>, CudaError> {
        list::cards()
    }

    /// What the user should know that is no error: a cache that cannot be written, say.
    pub fn notes(&self) -> Vec<String> {
        self.cache.note().into_iter().collect()
    }

    /// How many texts were compiled since it was opened, not counting what had been kept on disk.
    pub fn compiled(&self) -> usize {
        self.compiled.load(Ordering::Relaxed)
    }

    fn start(ordinal: usize) -> Result<Self, CudaError> {
        let driver = Driver::here()?;
        let (device, facts) = list::device(driver, ordinal)?;
        if facts.capability < OLDEST {
            return Err(CudaError::OldCard {
                name: facts.name,
                capability: facts.capability,
            });
        }
        let compiler = Compiler::here()?;
        let what = format!("opening card {ordinal}");
        let must = |code: Code| list::must(driver, code, &what);
        let mut context = null_mut();
        // SAFETY: the pointer is to one of this frame, the device one that the driver named.
        must(unsafe { (driver.context_retain)(&raw mut context, device) })?;
        // SAFETY: the context that was just retained.
        must(unsafe { (driver.context_set)(context) })?;
        let mut stream = null_mut();
        // SAFETY: the pointer is to one of this frame. Flag 1: does not wait for the default stream.
        must(unsafe { (driver.stream_create)(&raw mut stream, 1) })?;
        let staging = Staging::new(driver).map_err(|code| list::error(driver, code, &what))?;
        Ok(Self {
            driver,
            compiler,
            architecture: architecture(facts.capability),
            facts,
            process: std::process::id(),
            context,
            stream,
            cache: Cache::of_user(),
            texts: Mutex::default(),
            compiled: AtomicUsize::new(0),
            pool: Mutex::default(),
            turn: Turn::default(),
            recording: AtomicBool::new(false),
            dense: OnceLock::new(),
            state: Mutex::new(State {
                kernels: Vec::new(),
                graphs: Vec::new(),
                recent: Recent::default(),
                staging,
                recorded: Vec::new(),
                ended: None,
            }),
        })
    }

    fn in_its_process(&self) -> Result<(), CudaError> {
        let here = std::process::id();
        if here == self.process {
            return Ok(());
        }
        Err(CudaError::Forked {
            opened: self.process,
            here,
        })
    }

    /// Makes the card this thread's; an error where it takes no more work.
    fn ready(&self) -> Result<(), CudaError> {
        self.in_its_process()?;
        if let Some(ended) = &locked(&self.state).ended {
            return Err(ended.clone());
        }
        // SAFETY: a context that is never released.
        let code = unsafe { (self.driver.context_set)(self.context) };
        self.must(code, "turning to the card")
    }

    /// An answer of the driver as an error, which stays where nothing can be done any more.
    fn must(&self, code: Code, what: &str) -> Result<(), CudaError> {
        if code == 0 {
            return Ok(());
        }
        self.must_in(&mut locked(&self.state), code, what)
    }

    fn must_in(&self, state: &mut State, code: Code, what: &str) -> Result<(), CudaError> {
        if code == 0 {
            return Ok(());
        }
        let error = failure::error(code, self.driver.words(code), what, state.sweep());
        if failure::meaning(code) != Meaning::Call {
            state.ended.get_or_insert_with(|| error.clone());
        }
        Err(error)
    }

    /// Refuses what cannot be recorded.
    fn not_recording(&self, what: &str) -> Result<(), CudaError> {
        if self.recording.load(Ordering::Relaxed) {
            return Err(CudaError::Driver {
                what: what.to_owned(),
                why: "this cannot be recorded, only launches and clears can".to_owned(),
            });
        }
        Ok(())
    }

    /// Does what a recording of this thread would not allow and is not part of it.
    fn beside_recording<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut mode = Mode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the pointer is to one of this frame; the mode that was comes back in it.
        let relaxed = unsafe { (self.driver.capture_mode)(&raw mut mode) } == 0;
        let result = work();
        if relaxed {
            // SAFETY: as above.
            unsafe { (self.driver.capture_mode)(&raw mut mode) };
        }
        result
    }

    /// The machine code of a text: kept, or compiled now.
    fn load(&self, text: &str, key: Key) -> Result<Module, CudaError> {
        if let Some(kept) = self.cache.get(key)
            && let Ok(module) = self.module(&kept)
        {
            return Ok(module);
        }
        let (cubin, _) = self.compiler.compile(text, &self.architecture, &[])?;
        self.compiled.fetch_add(1, Ordering::Relaxed);
        let module = self.module(&cubin)?;
        self.cache.put(key, &cubin);
        Ok(module)
    }

    fn module(&self, cubin: &[u8]) -> Result<Module, CudaError> {
        let mut handle = null_mut();
        let code = self.beside_recording(|| {
            // SAFETY: a whole ELF file as NVRTC wrote it (what comes from disk has its checksum); the driver copies it.
            unsafe { (self.driver.module_load)(&raw mut handle, cubin.as_ptr().cast()) }
        });
        self.must(code, "loading compiled kernels")?;
        Ok(Module {
            handle,
            kernels: HashMap::new(),
        })
    }

    /// Looks a kernel up, and makes it ready to be launched with all the shared memory there is.
    fn kernel(&self, module: &Module, name: &str) -> Result<Kernel, CudaError> {
        let what = format!("looking up the kernel `{name}`");
        let driver = self.driver;
        let symbol = CString::new(name).map_err(|_| CudaError::Driver {
            what: what.clone(),
            why: "a name holds a zero byte".to_owned(),
        })?;
        let mut function = null_mut();
        // SAFETY: a module that is never unloaded, a name that ends with a zero byte, a pointer to one of this frame.
        let code =
            unsafe { (driver.module_function)(&raw mut function, module.handle, symbol.as_ptr()) };
        self.must(code, &what)?;
        // now and not at its first launch, which may be one that is recorded
        // SAFETY: the function that was just found.
        let code = self.beside_recording(|| unsafe { (driver.function_load)(function) });
        self.must(code, &what)?;
        let mut own = 0;
        let of_text = Property::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
        // SAFETY: as above, and a pointer to a number of this frame.
        let code = unsafe { (driver.function_get)(&raw mut own, of_text, function) };
        self.must(code, &what)?;
        let own = u32::try_from(own).unwrap_or(0);
        let shared = self.facts.shared_of_block.saturating_sub(own);
        let most = Property::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = i32::try_from(shared).unwrap_or(i32::MAX);
        // SAFETY: as above.
        let code = unsafe { (driver.function_set)(function, most, value) };
        self.must(code, &what)?;
        let mut parameters = Vec::new();
        let (mut offset, mut size) = (0, 0);
        // SAFETY: as above; the driver answers with an error behind the last parameter.
        while unsafe {
            (driver.function_parameter)(function, parameters.len(), &raw mut offset, &raw mut size)
        } == 0
        {
            parameters.push(size);
        }
        let mut state = locked(&self.state);
        state.kernels.push(Loaded {
            name: name.to_owned(),
            function,
            parameters,
            shared,
        });
        Ok(Kernel(state.kernels.len() as u64 - 1))
    }

    /// Bytes that the driver calls free.
    fn free_of_driver(&self) -> u64 {
        let (mut free, mut total) = (0, 0);
        // SAFETY: pointers to numbers of this frame; the context is current.
        let code = unsafe { (self.driver.memory_info)(&raw mut free, &raw mut total) };
        if code == 0 { free as u64 } else { 0 }
    }

    fn alloc_new(&self, size: usize) -> (Code, u64) {
        let mut at = 0;
        let code = self.beside_recording(|| {
            // SAFETY: the pointer is to a number of this frame; the context is current.
            unsafe { (self.driver.memory_alloc)(&raw mut at, size) }
        });
        (code, at)
    }

    fn free_all(&self, blocks: Vec<u64>) {
        self.beside_recording(|| {
            for at in blocks {
                // SAFETY: a block of this card that nobody holds. The driver waits for work that may use it.
                unsafe { (self.driver.memory_free)(at) };
            }
        });
    }
}

impl State {
    /// What ran last, in words.
    fn sweep(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        let mut add = |state: &Self, number: usize, from: &str| {
            if let Some(kernel) = state.kernels.get(number) {
                let name = format!("`{}`{from}", kernel.name);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        };
        for work in self.recent.each() {
            match work {
                Work::Kernel(number) => add(self, number, ""),
                Work::Recorded(number) => {
                    let graph = self.graphs.get(number);
                    for kernel in graph.map_or(&[][..], |graph| &graph.kernels) {
                        add(self, *kernel, " (recorded)");
                    }
                }
            }
        }
        names.truncate(MOST_NAMES);
        failure::one_of(&names)
    }
}

/// A recording that has begun; it ends when this is dropped, in whatever way.
struct Recording<'a> {
    card: &'a Card,
    graph: Option<CUgraph>,
}

#[allow(unsafe_code, reason = "calls into the driver")]
impl<'a> Recording<'a> {
    fn begin(card: &'a Card) -> Result<Self, CudaError> {
        let mode = Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the card's own stream; its context is current.
        let code = unsafe { (card.driver.capture_begin)(card.stream, mode) };
        card.must(code, "beginning a recording")?;
        locked(&card.state).recorded.clear();
        card.recording.store(true, Ordering::Relaxed);
        Ok(Self { card, graph: None })
    }

    /// Ends it; the driver's answer, and the graph where there is one.
    fn end(&mut self) -> Code {
        if !self.card.recording.swap(false, Ordering::Relaxed) {
            return 0;
        }
        let mut graph = null_mut();
        // SAFETY: the stream on which this thread began, and a pointer to one of this frame.
        let code = unsafe { (self.card.driver.capture_end)(self.card.stream, &raw mut graph) };
        if !graph.is_null() {
            self.graph = Some(graph);
        }
        code
    }

    /// What can be replayed.
    fn finish(mut self) -> Result<Recorded, CudaError> {
        let what = "ending a recording";
        let (card, driver) = (self.card, self.card.driver);
        card.must(self.end(), what)?;
        let graph = self.graph.ok_or_else(|| CudaError::Driver {
            what: what.to_owned(),
            why: "nothing was recorded".to_owned(),
        })?;
        let mut handle = null_mut();
        // SAFETY: the graph that was just recorded, and a pointer to one of this frame.
        let code = unsafe { (driver.graph_instantiate)(&raw mut handle, graph, 0) };
        card.must(code, what)?;
        // SAFETY: what was just made of it, and the card's own stream.
        card.must(unsafe { (driver.graph_upload)(handle, card.stream) }, what)?;
        let mut state = locked(&card.state);
        let mut kernels = std::mem::take(&mut state.recorded);
        kernels.sort_unstable();
        kernels.dedup();
        state.graphs.push(Graph { handle, kernels });
        Ok(Recorded(state.graphs.len() as u64 - 1))
    }
}

impl Drop for Recording<'_> {
    #[allow(unsafe_code, reason = "calls into the driver")]
    fn drop(&mut self) {
        self.end();
        if let Some(graph) = self.graph {
            // SAFETY: a graph that nobody else has; what was instantiated of it is its own.
            unsafe { (self.card.driver.graph_destroy)(graph) };
        }
    }
}

/// The argument's bytes in the low end of a word, and how many there are.
fn word(argument: Argument) -> (u64, usize) {
    match argument {
        Argument::Address(at) => (at.0, 8),
        Argument::Long(value) => (value, 8),
        Argument::Double(value) => (value.to_bits(), 8),
        Argument::Int(value) => (u64::from(value.cast_unsigned()), 4),
        Argument::Float(value) => (u64::from(value.to_bits()), 4),
    }
}

/// Whether a kernel can be called so; what is wrong otherwise.
fn call_fits(
    parameters: &[usize],
    shared: u32,
    shape: Shape,
    arguments: &[Argument],
) -> Result<(), String> {
    if arguments.len() > MOST_ARGUMENTS {
        return Err(format!(
            "{} arguments, at most {MOST_ARGUMENTS} are foreseen",
            arguments.len()
        ));
    }
    let given = arguments.iter().map(|argument| word(*argument).1);
    if !given.eq(parameters.iter().copied()) {
        let given: Vec<usize> = arguments.iter().map(|a| word(*a).1).collect();
        return Err(format!(
            "its parameters have {parameters:?} bytes, the arguments {given:?}"
        ));
    }
    if shape.shared > shared {
        return Err(format!(
            "{} bytes of dynamic shared memory are asked for, a block can have {shared} here",
            shape.shared
        ));
    }
    Ok(())
}

#[allow(unsafe_code, reason = "calls into the driver")]
impl Machine for Card {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn kernels(&self, text: &str, names: &[&str]) -> Result<Vec<Kernel>, CudaError> {
        self.ready()?;
        let key = Key::of(&[
            text,
            &self.architecture,
            &self.compiler.identity(),
            env!("CARGO_PKG_VERSION"),
        ]);
        let slot = Arc::clone(locked(&self.texts).entry(key).or_default());
        // the text's own lock: other texts compile meanwhile, and nobody compiles this one again
        let mut slot = locked(&slot);
        let module = match &mut *slot {
            Some(module) => module,
            empty => empty.insert(self.load(text, key)?),
        };
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            let kernel = match module.kernels.get(*name) {
                Some(kernel) => *kernel,
                None => self.kernel(module, name)?,
            };
            module.kernels.insert((*name).to_owned(), kernel);
            found.push(kernel);
        }
        Ok(found)
    }

    fn alloc(&self, bytes: usize) -> Result<Address, CudaError> {
        self.ready()?;
        let size = Pool::size(bytes);
        let mut pool = locked(&self.pool);
        if let Some(at) = pool.again(size) {
            return Ok(Address(at));
        }
        let (mut code, mut at) = self.alloc_new(size);
        if code == failure::OUT_OF_MEMORY && pool.kept_bytes() > 0 {
            self.free_all(pool.drain());
            (code, at) = self.alloc_new(size);
        }
        if code == failure::OUT_OF_MEMORY {
            return Err(CudaError::Memory {
                asked: megabytes(bytes as u64),
                free: self.free_of_driver() >> 20,
            });
        }
        self.must(code, "taking memory of the card")?;
        pool.lend(at, size);
        Ok(Address(at))
    }

    fn free(&self, at: Address) {
        let recording = self.recording.load(Ordering::Relaxed);
        let ready = self.ready().is_ok();
        let mut pool = locked(&self.pool);
        if pool.back(at.0, recording || !ready) {
            drop(pool);
            self.free_all(vec![at.0]);
        }
    }

    fn free_memory(&self) -> u64 {
        if self.ready().is_err() {
            return 0;
        }
        self.free_of_driver() + locked(&self.pool).kept_bytes() as u64
    }

    fn write(&self, to: Address, bytes: &[u8]) -> Result<(), CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        self.not_recording("copying to the card")?;
        if bytes.is_empty() {
            return Ok(());
        }
        let state = &mut *locked(&self.state);
        let written = state.staging.write(self.driver, self.stream, to.0, bytes);
        written.or_else(|code| self.must_in(state, code, "copying to the card"))
    }

    fn read(&self, from: Address, into: &mut [u8]) -> Result<(), CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        self.not_recording("copying from the card")?;
        if into.is_empty() {
            return Ok(());
        }
        let state = &mut *locked(&self.state);
        let read = state.staging.read(self.driver, self.stream, from.0, into);
        read.or_else(|code| self.must_in(state, code, "copying from the card"))?;
        state.recent.clear();
        Ok(())
    }

    fn clear(&self, at: Address, bytes: usize) -> Result<(), CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: memory of the card alone is written, on its own stream.
        let code = unsafe { (self.driver.set_bytes)(at.0, 0, bytes, self.stream) };
        self.must(code, "clearing memory of the card")
    }

    fn launch(
        &self,
        kernel: Kernel,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        let state = &mut *locked(&self.state);
        let number = usize::try_from(kernel.0).unwrap_or(usize::MAX);
        let Some(loaded) = state.kernels.get(number) else {
            return Err(CudaError::Driver {
                what: "launching a kernel".to_owned(),
                why: "it is not of this card".to_owned(),
            });
        };
        call_fits(&loaded.parameters, loaded.shared, shape, arguments).map_err(|why| {
            CudaError::Driver {
                what: format!("launching the kernel `{}`", loaded.name),
                why,
            }
        })?;
        let mut words = [0; MOST_ARGUMENTS];
        let mut pointers = [null_mut(); MOST_ARGUMENTS];
        for ((word_of, pointer), argument) in words.iter_mut().zip(&mut pointers).zip(arguments) {
            // the bytes of a 4-byte value come first in a word of a machine that stores the low end first
            *word_of = word(*argument).0.to_le();
            *pointer = std::ptr::from_mut(word_of).cast();
        }
        let (blocks, threads) = (shape.blocks, shape.threads);
        // SAFETY: a function that is never unloaded, of as many parameters as there are arguments, each of its size, as was just checked; the
        // driver copies them. What the kernel does with the card's memory is the text's own matter and cannot reach this process's.
        let code = unsafe {
            (self.driver.launch)(
                loaded.function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shape.shared,
                self.stream,
                pointers.as_mut_ptr(),
                null_mut(),
            )
        };
        if code != 0 {
            let what = format!(
                "launching the kernel `{}` ({blocks} blocks of {threads} threads, {} bytes of shared memory each)",
                loaded.name, shape.shared
            );
            return self.must_in(state, code, &what);
        }
        if self.recording.load(Ordering::Relaxed) {
            state.recorded.push(number);
        } else {
            state.recent.push(Work::Kernel(number));
        }
        Ok(())
    }

    fn record(
        &self,
        work: &mut dyn FnMut() -> Result<(), CudaError>,
    ) -> Result<Recorded, CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        self.not_recording("recording")?;
        let recording = Recording::begin(self)?;
        work()?;
        recording.finish()
    }

    fn replay(&self, recorded: Recorded) -> Result<(), CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        self.not_recording("replaying")?;
        let state = &mut *locked(&self.state);
        let number = usize::try_from(recorded.0).unwrap_or(usize::MAX);
        let Some(graph) = state.graphs.get(number) else {
            return Err(CudaError::Driver {
                what: "replaying a recording".to_owned(),
                why: "it is not of this card".to_owned(),
            });
        };
        // SAFETY: a graph that is never destroyed, and the card's own stream.
        let code = unsafe { (self.driver.graph_launch)(graph.handle, self.stream) };
        self.must_in(state, code, "replaying a recording")?;
        state.recent.push(Work::Recorded(number));
        Ok(())
    }

    fn wait(&self) -> Result<(), CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        self.not_recording("waiting")?;
        // SAFETY: the card's own stream.
        let code = unsafe { (self.driver.stream_wait)(self.stream) };
        self.must(code, "waiting for the card")?;
        locked(&self.state).recent.clear();
        Ok(())
    }

    fn dense(&self) -> Result<&dyn Dense, CudaError> {
        self.started()?;
        Ok(self)
    }

    fn timed(&self, work: &mut dyn FnMut() -> Result<(), CudaError>) -> Result<f64, CudaError> {
        let _turn = self.turn.take();
        self.ready()?;
        self.not_recording("timing")?;
        let (begin, end) = (Event::new(self)?, Event::new(self)?);
        begin.record()?;
        work()?;
        end.record()?;
        self.wait()?;
        let mut milliseconds = 0.0;
        // SAFETY: two events of this context that are done, and a pointer to a number of this frame.
        let code = unsafe { (self.driver.event_elapsed)(&raw mut milliseconds, begin.at, end.at) };
        self.must(code, "reading the card's clock")?;
        Ok(f64::from(milliseconds))
    }
}

/// A place in the order of work, with its time.
struct Event<'a> {
    card: &'a Card,
    at: CUevent,
}

#[allow(unsafe_code, reason = "calls into the driver")]
impl<'a> Event<'a> {
    fn new(card: &'a Card) -> Result<Self, CudaError> {
        let mut at = null_mut();
        // SAFETY: the pointer is to one of this frame; the context is current.
        let code = unsafe { (card.driver.event_create)(&raw mut at, 0) };
        card.must(code, "creating an event")?;
        Ok(Self { card, at })
    }

    fn record(&self) -> Result<(), CudaError> {
        // SAFETY: an event and a stream of the same context.
        let code = unsafe { (self.card.driver.event_record)(self.at, self.card.stream) };
        self.card.must(code, "recording an event")
    }
}

impl Drop for Event<'_> {
    #[allow(unsafe_code, reason = "calls into the driver")]
    fn drop(&mut self) {
        // SAFETY: an event that nobody uses any more; the driver keeps it until work that needs it is done.
        unsafe { (self.card.driver.event_destroy)(self.at) };
    }
}
