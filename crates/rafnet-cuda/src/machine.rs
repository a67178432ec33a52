//! What runs kernels: a graphics card, or in tests this processor pretending to be one.
//!
//! The engine writes kernels as text and asks a [`Machine`] for memory, launches and copies; it never sees a driver. All work of a machine
//! happens in the order in which it was asked for.

use crate::CudaError;
use std::sync::Arc;

/// A place in the machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub u64);

impl Address {
    /// So many bytes behind it.
    #[must_use]
    pub fn offset(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u64)
    }
}

/// A compiled kernel; it lives as long as its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(pub u64);

/// Launches that were recorded to be repeated; they live as long as their machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded(pub u64);

/// What a kernel is called with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// `T *`
    Address(Address),
    /// `int`
    Int(i32),
    /// `unsigned long long`
    Long(u64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
}

/// How a kernel is launched: blocks in a row, threads of a block, bytes of shared memory beyond what its text declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub blocks: u32,
    /// Threads of each.
    pub threads: u32,
    /// Bytes of dynamic shared memory of each.
    pub shared: u32,
}

impl Shape {
    /// From sizes of the host; a number beyond 2³² would be refused by every machine, and becomes the largest.
    pub fn new(blocks: usize, threads: usize, shared: usize) -> Self {
        let [blocks, threads, shared] =
            [blocks, threads, shared].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Self {
            blocks,
            threads,
            shared,
        }
    }
}

/// What a machine is.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// As its maker calls it.
    pub name: String,
    /// Compute capability, (9, 0) say.
    pub capability: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of shared memory that a block may ask for.
    pub shared_of_block: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_of_multiprocessor: u32,
    /// Bytes of its memory.
    pub memory: u64,
    /// Bytes of its second-level cache.
    pub cache: u64,
    /// Whether it has Hopper's products of warpgroups.
    pub warpgroups: bool,
}

/// Runs kernels.
pub trait Machine: Send + Sync {
    /// What it is.
    fn facts(&self) -> &Facts;

    /// Compiles a text of CUDA C++ and looks up its kernels (`extern "C" __global__`). The same text is compiled once.
    ///
    /// # Errors
    /// [`CudaError`] where it does not compile, with the compiler's words, or a kernel is not there.
    fn kernels(&self, text: &str, names: &[&str]) -> Result<Vec<Kernel>, CudaError>;

    /// Memory of so many bytes, not cleared, aligned to 256; given back by [`free`](Self::free).
    ///
    /// # Errors
    /// [`CudaError::Memory`] says how much there was.
    fn alloc(&self, bytes: usize) -> Result<Address, CudaError>;

    /// Gives memory back.
    fn free(&self, at: Address);

    /// Bytes that are free.
    fn free_memory(&self) -> u64;

    /// Copies to the machine.
    ///
    /// # Errors
    /// [`CudaError`] where the card is lost.
    fn write(&self, to: Address, bytes: &[u8]) -> Result<(), CudaError>;

    /// Copies from the machine, when all work before it is done.
    ///
    /// # Errors
    /// [`CudaError`] where the card is lost, or a kernel before it failed.
    fn read(&self, from: Address, into: &mut [u8]) -> Result<(), CudaError>;

    /// Sets bytes to zero.
    ///
    /// # Errors
    /// [`CudaError`] where the card is lost.
    fn clear(&self, at: Address, bytes: usize) -> Result<(), CudaError>;

    /// Starts a kernel behind all work before it.
    ///
    /// # Errors
    /// [`CudaError`] where it cannot be launched.
    fn launch(&self, kernel: Kernel, shape: Shape, arguments: &[Argument])
    -> Result<(), CudaError>;

    /// Records the launches (and clears) of `work` instead of doing them.
    ///
    /// # Errors
    /// [`CudaError`] where something cannot be recorded.
    fn record(
        &self,
        work: &mut dyn FnMut() -> Result<(), CudaError>,
    ) -> Result<Recorded, CudaError>;

    /// Does what was recorded.
    ///
    /// # Errors
    /// [`CudaError`] where it cannot be launched.
    fn replay(&self, recorded: Recorded) -> Result<(), CudaError>;

    /// Waits until all work is done.
    ///
    /// # Errors
    /// [`CudaError`] where a kernel failed or the card is lost.
    fn wait(&self) -> Result<(), CudaError>;

    /// Its dense algebra, started when it is first asked for.
    ///
    /// # Errors
    /// [`CudaError::NoDense`] says what is missing.
    fn dense(&self) -> Result<&dyn Dense, CudaError> {
        Err(CudaError::NoDense {
            why: format!("the {} has none", self.facts().name),
        })
    }

    /// Milliseconds of device time that `work` takes, its launches and replays timed on the device.
    ///
    /// # Errors
    /// [`CudaError`] as `work`'s.
    fn timed(&self, work: &mut dyn FnMut() -> Result<(), CudaError>) -> Result<f64, CudaError>;
}

/// A matrix on a machine: column by column, the columns so many numbers apart; or the transpose of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Its first number.
    pub at: Address,
    /// From a column to the next.
    pub apart: usize,
    /// Whether its transpose is meant.
    pub transposed: bool,
}

impl Matrix {
    /// Column by column.
    pub fn new(at: Address, apart: usize) -> Self {
        let transposed = false;
        Self {
            at,
            apart,
            transposed,
        }
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(self) -> Self {
        let transposed = !self.transposed;
        Self { transposed, ..self }
    }

    /// What begins at a row.
    #[must_use]
    pub fn below(self, row: usize) -> Self {
        let numbers = if self.transposed {
            row * self.apart
        } else {
            row
        };
        let at = self.at.offset(numbers * size_of::<f64>());
        Self { at, ..self }
    }
}

/// Products and factorisations in double precision on a machine's memory, behind all work before them and with the same bits every time.
pub trait Dense {
    /// C ← A Bᵀ, of so many rows and columns and so many products each.
    ///
    /// # Errors
    /// [`CudaError`] where it cannot be done.
    fn multiply(
        &self,
        sizes: [usize; 3],
        left: Matrix,
        right: Matrix,
        into: Matrix,
    ) -> Result<(), CudaError>;

    /// y ← α A x + β y, A of so many rows and columns.
    ///
    /// # Errors
    /// [`CudaError`] where it cannot be done.
    fn apply(
        &self,
        sizes: [usize; 2],
        matrix: Matrix,
        factors: [f64; 2],
        x: Address,
        y: Address,
    ) -> Result<(), CudaError>;

    /// The lower triangle of an n × n matrix becomes L, A = L Lᵀ; false where A is not positive. Waits for it.
    ///
    /// # Errors
    /// [`CudaError`] where it cannot be done.
    fn cholesky(&self, n: usize, a: Address) -> Result<bool, CudaError>;

    /// The upper triangle of a matrix of so many rows and columns becomes R, AᵀA = RᵀR.
    ///
    /// # Errors
    /// [`CudaError`] where it cannot be done.
    fn reflect(&self, sizes: [usize; 2], a: Address) -> Result<(), CudaError>;

    /// b ← (L Lᵀ)⁻¹ b for the lower triangle of a matrix, or of its upper one (RᵀR)⁻¹ b.
    ///
    /// # Errors
    /// [`CudaError`] where it cannot be done.
    fn solve(&self, n: usize, triangle: Matrix, upper: bool, b: Address) -> Result<(), CudaError>;
}

/// The kernels of a text, each under its name.
pub(crate) fn kernels_of<const N: usize>(
    machine: &dyn Machine,
    text: &str,
    names: [&str; N],
) -> Result<[Kernel; N], CudaError> {
    let found = machine.kernels(text, &names)?;
    found.try_into().map_err(|_| CudaError::Compile {
        log: "a kernel is missing".to_owned(),
    })
}

/// Memory that is given back when nobody holds it any more.
pub struct Memory {
    machine: Arc<dyn Machine>,
    at: Address,
    bytes: usize,
}

impl Memory {
    /// So many bytes.
    ///
    /// # Errors
    /// As [`Machine::alloc`].
    pub fn new(machine: &Arc<dyn Machine>, bytes: usize) -> Result<Self, CudaError> {
        Ok(Self {
            at: machine.alloc(bytes.max(1))?,
            machine: Arc::clone(machine),
            bytes,
        })
    }

    /// Where it is.
    pub fn at(&self) -> Address {
        self.at
    }

    /// How many bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.machine.free(self.at);
    }
}
