//! A machine that is this processor: kernels are compiled by its C++ compiler, and the threads of a block take turns.
//!
//! Slow, and exact enough that everything a kernel computes can be tested where there is no card: products lane by lane, barriers,
//! shared memory (filled with NaN before a block begins), random numbers.

use rafnet_cuda::CudaError;
mod dense;

use rafnet_cuda::machine::{Address, Argument, Dense, Facts, Kernel, Machine, Recorded, Shape};
use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const HEADER: &str = concat!(include_str!("emulator.h"), include_str!("hopper.h"));

type Launch = (usize, Kernel, Shape, Vec<Argument>);

#[derive(Default)]
struct State {
    modules: Vec<(u64, libloading::Library)>,
    kernels: Vec<(usize, usize)>, // module, address
    memory: HashMap<u64, Layout>,
    recorded: Vec<Vec<Launch>>,
    recording: Option<Vec<Launch>>,
}

pub(crate) struct Emulated {
    facts: Facts,
    state: Mutex<State>,
}

fn failed(what: &str, why: impl std::fmt::Display) -> CudaError {
    CudaError::Driver {
        what: what.to_owned(),
        why: why.to_string(),
    }
}

impl Emulated {
    /// With so many multiprocessors and so much shared memory; none where there is no C++ compiler.
    #[allow(
        dead_code,
        clippy::new_ret_no_self,
        reason = "some tests say how much memory there is; nobody needs the type itself"
    )]
    pub(crate) fn new(
        multiprocessors: u32,
        shared: u32,
        warpgroups: bool,
    ) -> Option<Arc<dyn Machine>> {
        Self::with_memory(multiprocessors, shared, warpgroups, 1 << 32)
    }

    /// The same that says it has so many bytes of memory.
    pub(crate) fn with_memory(
        multiprocessors: u32,
        shared: u32,
        warpgroups: bool,
        memory: u64,
    ) -> Option<Arc<dyn Machine>> {
        Command::new("c++").arg("--version").output().ok()?;
        Some(Arc::new(Self {
            facts: Facts {
                name: "emulated".to_owned(),
                capability: (9, 0),
                multiprocessors,
                shared_of_block: shared,
                shared_of_multiprocessor: shared,
                memory,
                cache: 1 << 20,
                warpgroups,
            },
            state: Mutex::default(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text as a shared library, compiled once for all time.
    fn compiled(text: &str) -> Result<PathBuf, CudaError> {
        let mut whole = format!("{HEADER}\n{text}\n");
        for (name, parameters) in kernels_of(text) {
            let values: Vec<String> = parameters
                .iter()
                .enumerate()
                .map(|(k, t)| format!("*({t} *)a[{k}]"))
                .collect();
            let _ = writeln!(
                whole,
                "extern \"C\" void launch_{name}(void **a) {{ {name}({}); }}",
                values.join(", ")
            );
        }
        let hash = whole.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        std::fs::create_dir_all(&folder).map_err(|e| failed("a folder for kernels", e))?;
        let library = folder.join(format!("{hash:016x}.so"));
        if library.exists() {
            return Ok(library);
        }
        let mine = std::process::id();
        let source = folder.join(format!("{hash:016x}.cpp"));
        let fresh = folder.join(format!(
            "{hash:016x}-{mine}-{:?}.so",
            std::thread::current().id()
        ));
        std::fs::write(&source, whole).map_err(|e| failed("writing a kernel", e))?;
        let said = Command::new("c++")
            .args([
                "-std=c++17",
                "-O0",
                "-w",
                "-shared",
                "-fPIC",
                "-ffp-contract=off",
                "-U_FORTIFY_SOURCE",
                "-fpermissive",
                "-o",
            ])
            .args([&fresh, &source])
            .output()
            .map_err(|e| failed("compiling a kernel", e))?;
        if !said.status.success() {
            return Err(CudaError::Compile {
                log: format!(
                    "{}: {}",
                    source.display(),
                    String::from_utf8_lossy(&said.stderr)
                        .chars()
                        .take(3000)
                        .collect::<String>()
                ),
            });
        }
        std::fs::rename(&fresh, &library).map_err(|e| failed("keeping a kernel", e))?;
        Ok(library)
    }

    #[allow(unsafe_code, reason = "compiled kernels are called")]
    fn run(state: &State, (module, kernel, shape, arguments): &Launch) -> Result<(), CudaError> {
        type Go = unsafe extern "C" fn(usize, u32, u32, u32, *mut *mut c_void);
        // SAFETY: the library was compiled from the header that defines it with this signature.
        let go = unsafe { state.modules[*module].1.get::<Go>(b"emulated_launch") }
            .map_err(|e| failed("a kernel", e))?;
        let mut values: Vec<u64> = arguments
            .iter()
            .map(|a| match *a {
                Argument::Address(Address(at)) => at,
                Argument::Int(v) => u64::from(v.cast_unsigned()),
                Argument::Long(v) => v,
                Argument::Float(v) => u64::from(v.to_bits()),
                Argument::Double(v) => v.to_bits(),
            })
            .collect();
        let mut pointers: Vec<*mut c_void> = values
            .iter_mut()
            .map(|v| std::ptr::from_mut(v).cast())
            .collect();
        let address = state.kernels[usize::try_from(kernel.0).unwrap_or(0)].1;
        // a library that several machines opened is one library, with one set of threads that take turns
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the arguments have the types of the kernel's parameters, which its callers see to.
        unsafe {
            go(
                address,
                shape.blocks,
                shape.threads,
                shape.shared,
                pointers.as_mut_ptr(),
            )
        };
        Ok(())
    }
}

/// The kernels of a text with the types of their parameters.
fn kernels_of(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for part in text.split("extern \"C\" __global__").skip(1) {
        let part = part.split("__launch_bounds__").last().unwrap_or(part);
        let part = part
            .strip_prefix('(')
            .and_then(|p| p.split_once(')'))
            .map_or(part, |p| p.1);
        let Some((head, rest)) = part.split_once('(') else {
            continue;
        };
        let name = head.split_whitespace().last().unwrap_or("").to_owned();
        let list = rest.split_once(')').map_or("", |p| p.0);
        let list: String = list
            .lines()
            .map(|l| l.split("//").next().unwrap_or(""))
            .collect::<Vec<_>>()
            .join(" ");
        let types = list.split(',').map(|p| {
            let p = p.trim();
            let cut = p
                .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
                .map_or(0, |k| k + 1);
            p[..cut].trim().to_owned()
        });
        found.push((name, types.collect()));
    }
    found
}

#[allow(
    unsafe_code,
    reason = "memory is handed out by address, as a card does"
)]
impl Machine for Emulated {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn kernels(&self, text: &str, names: &[&str]) -> Result<Vec<Kernel>, CudaError> {
        let hash = text.bytes().fold(7u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut state = self.state();
        let known = state.modules.iter().position(|m| m.0 == hash);
        let module = if let Some(at) = known {
            at
        } else {
            let path = Self::compiled(text)?;
            // SAFETY: the library was compiled here; loading it runs nothing.
            let library =
                unsafe { libloading::Library::new(&path) }.map_err(|e| failed("a kernel", e))?;
            state.modules.push((hash, library));
            state.modules.len() - 1
        };
        let mut found = Vec::new();
        for name in names {
            // SAFETY: only its address is taken.
            let address = unsafe {
                state.modules[module]
                    .1
                    .get::<*const c_void>(format!("launch_{name}").as_bytes())
            };
            let address = address.map_err(|e| failed(name, e))?;
            let address = *address as usize;
            state.kernels.push((module, address));
            found.push(Kernel(state.kernels.len() as u64 - 1));
        }
        Ok(found)
    }

    fn alloc(&self, bytes: usize) -> Result<Address, CudaError> {
        let layout = Layout::from_size_align(bytes.max(1), 256).map_err(|e| failed("memory", e))?;
        // SAFETY: the size is not zero.
        let at = unsafe { alloc(layout) };
        if at.is_null() {
            return Err(CudaError::Memory {
                asked: bytes as u64 >> 20,
                free: 0,
            });
        }
        // SAFETY: all of it was just allocated; numbers that nobody wrote are NaN.
        unsafe { at.write_bytes(0xff, bytes) };
        self.state().memory.insert(at as u64, layout);
        Ok(Address(at as u64))
    }

    fn free(&self, at: Address) {
        if let Some(layout) = self.state().memory.remove(&at.0) {
            // SAFETY: it was allocated with this layout, and is given back once.
            unsafe { dealloc(at.0 as *mut u8, layout) };
        }
    }

    fn free_memory(&self) -> u64 {
        1 << 32
    }

    fn write(&self, to: Address, bytes: &[u8]) -> Result<(), CudaError> {
        // SAFETY: the engine asked for so much memory there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.0 as *mut u8, bytes.len()) };
        Ok(())
    }

    fn read(&self, from: Address, into: &mut [u8]) -> Result<(), CudaError> {
        // SAFETY: as above.
        unsafe {
            std::ptr::copy_nonoverlapping(from.0 as *const u8, into.as_mut_ptr(), into.len())
        };
        Ok(())
    }

    fn clear(&self, at: Address, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: as above.
        unsafe { (at.0 as *mut u8).write_bytes(0, bytes) };
        Ok(())
    }

    fn launch(
        &self,
        kernel: Kernel,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let mut state = self.state();
        let module = state.kernels[usize::try_from(kernel.0).unwrap_or(0)].0;
        let launch = (module, kernel, shape, arguments.to_vec());
        if let Some(recording) = &mut state.recording {
            recording.push(launch);
            return Ok(());
        }
        Self::run(&state, &launch)
    }

    fn record(
        &self,
        work: &mut dyn FnMut() -> Result<(), CudaError>,
    ) -> Result<Recorded, CudaError> {
        self.state().recording = Some(Vec::new());
        let done = work();
        let mut state = self.state();
        let launches = state.recording.take().unwrap_or_default();
        done?;
        state.recorded.push(launches);
        Ok(Recorded(state.recorded.len() as u64 - 1))
    }

    fn replay(&self, recorded: Recorded) -> Result<(), CudaError> {
        let state = self.state();
        let launches = &state.recorded[usize::try_from(recorded.0).unwrap_or(0)];
        launches
            .iter()
            .try_for_each(|launch| Self::run(&state, launch))
    }

    fn wait(&self) -> Result<(), CudaError> {
        Ok(())
    }

    fn dense(&self) -> Result<&dyn Dense, CudaError> {
        Ok(self)
    }

    fn timed(&self, work: &mut dyn FnMut() -> Result<(), CudaError>) -> Result<f64, CudaError> {
        let begun = std::time::Instant::now();
        work()?;
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    }
}
