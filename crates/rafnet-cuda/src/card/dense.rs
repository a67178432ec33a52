//! Dense algebra on the card: cuBLAS and cuSOLVER, opened when the first second-order step is asked for, on the card's own stream and with
//! workspaces of their own, so that every run has the same bits.

use super::driver::{Code, functions};
use super::{Card, libraries, locked};
use crate::CudaError;
use crate::machine::{Address, Dense, Machine, Matrix};
use cudarc::cublas::sys::{self as blas, cublasHandle_t, cublasOperation_t, cublasStatus_t};
use cudarc::cusolver::sys::{
    self as solver, cublasFillMode_t, cusolverDnHandle_t, cusolverStatus_t,
};
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock};

functions! {
    /// cuBLAS's functions.
    Blas, blas, cublasStatus_t:
    create = cublasCreate_v2(*mut cublasHandle_t);
    stream = cublasSetStream_v2(cublasHandle_t, blas::cudaStream_t);
    workspace = cublasSetWorkspace_v2(cublasHandle_t, *mut c_void, usize);
    multiply = cublasDgemm_v2(
        cublasHandle_t, cublasOperation_t, cublasOperation_t, c_int, c_int, c_int, *const f64, *const f64, c_int, *const f64, c_int, *const f64,
        *mut f64, c_int
    );
    apply = cublasDgemv_v2(
        cublasHandle_t, cublasOperation_t, c_int, c_int, *const f64, *const f64, c_int, *const f64, c_int, *const f64, *mut f64, c_int
    );
}

functions! {
    /// cuSOLVER's functions.
    Solver, solver, cusolverStatus_t:
    create = cusolverDnCreate(*mut cusolverDnHandle_t);
    stream = cusolverDnSetStream(cusolverDnHandle_t, solver::cudaStream_t);
    cholesky_room = cusolverDnDpotrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, c_int, *mut f64, c_int, *mut c_int);
    cholesky = cusolverDnDpotrf(cusolverDnHandle_t, cublasFillMode_t, c_int, *mut f64, c_int, *mut f64, c_int, *mut c_int);
    solve = cusolverDnDpotrs(cusolverDnHandle_t, cublasFillMode_t, c_int, c_int, *const f64, c_int, *mut f64, c_int, *mut c_int);
    reflect_room = cusolverDnDgeqrf_bufferSize(cusolverDnHandle_t, c_int, c_int, *mut f64, c_int, *mut c_int);
    reflect = cusolverDnDgeqrf(cusolverDnHandle_t, c_int, c_int, *mut f64, c_int, *mut f64, *mut f64, c_int, *mut c_int);
}

struct Libraries {
    blas: Blas,
    solver: Solver,
}

impl Libraries {
    fn here() -> Result<&'static Self, CudaError> {
        static HERE: OnceLock<Result<Libraries, CudaError>> = OnceLock::new();
        HERE.get_or_init(Self::start).as_ref().map_err(Clone::clone)
    }

    fn start() -> Result<Self, CudaError> {
        let [blas, solver] = libraries::dense()?;
        let lacks = |place: &str, missing: &str| CudaError::NoDense {
            why: format!("{place} lacks `{missing}`"),
        };
        let kept = |library: Library| -> &'static Library { Box::leak(Box::new(library)) };
        Ok(Self {
            blas: Blas::of(kept(blas.library)).map_err(|m| lacks(&blas.place, m))?,
            solver: Solver::of(kept(solver.library)).map_err(|m| lacks(&solver.place, m))?,
        })
    }
}

/// Bytes that cuBLAS works in; as much as it takes by itself on the largest cards.
const BLAS_ROOM: usize = 32 << 20;

/// Both libraries on a card.
pub(super) struct Started {
    libraries: &'static Libraries,
    blas: cublasHandle_t,
    solver: cusolverDnHandle_t,
    /// What cuSOLVER says of a matrix.
    info: Address,
    /// What it works in, and how many bytes that is.
    room: Mutex<(Address, usize)>,
}

fn must(library: &str, code: Code, what: &str) -> Result<(), CudaError> {
    if code == 0 {
        return Ok(());
    }
    Err(CudaError::Driver {
        what: what.to_owned(),
        why: format!("{library} answers {code}"),
    })
}

fn blas_must(code: Code, what: &str) -> Result<(), CudaError> {
    must("cuBLAS", code, what)
}

fn solver_must(code: Code, what: &str) -> Result<(), CudaError> {
    must("cuSOLVER", code, what)
}

fn number(n: usize) -> Result<c_int, CudaError> {
    c_int::try_from(n).map_err(|_| CudaError::Driver {
        what: "dense algebra".to_owned(),
        why: format!("a matrix has {n} rows or columns; 2³¹ is too many"),
    })
}

fn pointer(at: Address) -> *mut f64 {
    std::ptr::with_exposed_provenance_mut(usize::try_from(at.0).unwrap_or(0))
}

fn operation(transposed: bool) -> cublasOperation_t {
    if transposed {
        cublasOperation_t::CUBLAS_OP_T
    } else {
        cublasOperation_t::CUBLAS_OP_N
    }
}

const LOWER: cublasFillMode_t = cublasFillMode_t::CUBLAS_FILL_MODE_LOWER;
const UPPER: cublasFillMode_t = cublasFillMode_t::CUBLAS_FILL_MODE_UPPER;

impl Card {
    /// Both libraries, started once.
    pub(super) fn started(&self) -> Result<&Started, CudaError> {
        let started = self.dense.get_or_init(|| self.start_dense());
        started.as_ref().map_err(Clone::clone)
    }

    #[allow(unsafe_code, reason = "calls into cuBLAS and cuSOLVER")]
    fn start_dense(&self) -> Result<Started, CudaError> {
        let libraries = Libraries::here()?;
        let _turn = self.turn.take();
        self.ready()?;
        self.not_recording("starting cuBLAS")?;
        let what = "starting cuBLAS and cuSOLVER";
        let (mut blas, mut solver) = (null_mut(), null_mut());
        let room = self.alloc(BLAS_ROOM)?;
        let stream = self.stream.cast();
        // SAFETY: the pointer is to one of this frame; the card's context is current.
        blas_must(unsafe { (libraries.blas.create)(&raw mut blas) }, what)?;
        // SAFETY: the handle that was just made, and the card's own stream, which is never destroyed.
        blas_must(unsafe { (libraries.blas.stream)(blas, stream) }, what)?;
        let at = pointer(room).cast();
        // SAFETY: so many bytes of the card, which nobody else has and which are never given back.
        let code = unsafe { (libraries.blas.workspace)(blas, at, BLAS_ROOM) };
        blas_must(code, what)?;
        // SAFETY: the pointer is to one of this frame; the card's context is current.
        let code = unsafe { (libraries.solver.create)(&raw mut solver) };
        solver_must(code, what)?;
        // SAFETY: the handle that was just made, and the card's own stream.
        let code = unsafe { (libraries.solver.stream)(solver, self.stream.cast()) };
        solver_must(code, what)?;
        Ok(Started {
            libraries,
            blas,
            solver,
            info: self.alloc(size_of::<c_int>())?,
            room: Mutex::new((Address(0), 0)),
        })
    }

    /// What a call needs: both libraries, and the card turned to this thread.
    fn dense_call<'a>(
        &'a self,
        what: &str,
    ) -> Result<(super::turn::Taken<'a>, &'a Started), CudaError> {
        let started = self.started()?;
        let turn = self.turn.take();
        self.ready()?;
        self.not_recording(what)?;
        Ok((turn, started))
    }

    /// Room for so many numbers that cuSOLVER works in.
    fn dense_room(&self, started: &Started, numbers: usize) -> Result<Address, CudaError> {
        let mut room = locked(&started.room);
        let bytes = numbers * size_of::<f64>();
        if room.1 < bytes {
            if room.1 > 0 {
                self.free(room.0);
            }
            *room = (Address(0), 0);
            *room = (self.alloc(bytes)?, bytes);
        }
        Ok(room.0)
    }
}

#[allow(unsafe_code, reason = "calls into cuBLAS and cuSOLVER")]
impl Dense for Card {
    fn multiply(
        &self,
        [m, n, k]: [usize; 3],
        left: Matrix,
        right: Matrix,
        into: Matrix,
    ) -> Result<(), CudaError> {
        let what = "multiplying matrices";
        let (_turn, started) = self.dense_call(what)?;
        let (one, zero) = (1.0, 0.0);
        let [m, n, k] = [number(m)?, number(n)?, number(k)?];
        let aparts = [
            number(left.apart)?,
            number(right.apart)?,
            number(into.apart)?,
        ];
        let of_right = operation(!right.transposed);
        // SAFETY: factors of this frame, read before the call returns; matrices of the card's memory, which cannot reach this process's.
        let code = unsafe {
            (started.libraries.blas.multiply)(
                started.blas,
                operation(left.transposed),
                of_right,
                m,
                n,
                k,
                &raw const one,
                pointer(left.at),
                aparts[0],
                pointer(right.at),
                aparts[1],
                &raw const zero,
                pointer(into.at),
                aparts[2],
            )
        };
        blas_must(code, what)
    }

    fn apply(
        &self,
        [m, n]: [usize; 2],
        matrix: Matrix,
        [alpha, beta]: [f64; 2],
        x: Address,
        y: Address,
    ) -> Result<(), CudaError> {
        let what = "multiplying a vector";
        let (_turn, started) = self.dense_call(what)?;
        // the sizes of the matrix as it stands
        let (m, n) = if matrix.transposed { (n, m) } else { (m, n) };
        let [m, n, apart] = [number(m)?, number(n)?, number(matrix.apart)?];
        // SAFETY: as above.
        let code = unsafe {
            (started.libraries.blas.apply)(
                started.blas,
                operation(matrix.transposed),
                m,
                n,
                &raw const alpha,
                pointer(matrix.at),
                apart,
                pointer(x),
                1,
                &raw const beta,
                pointer(y),
                1,
            )
        };
        blas_must(code, what)
    }

    fn cholesky(&self, n: usize, a: Address) -> Result<bool, CudaError> {
        let what = "Cholesky's factorisation";
        let (_turn, started) = self.dense_call(what)?;
        let (handle, solver) = (started.solver, &started.libraries.solver);
        let (n, a, mut size) = (number(n)?, pointer(a), 0);
        // SAFETY: the pointer is to a number of this frame; the matrix is not read.
        let code = unsafe { (solver.cholesky_room)(handle, LOWER, n, a, n, &raw mut size) };
        solver_must(code, what)?;
        let room = self.dense_room(started, usize::try_from(size).unwrap_or(0))?;
        let (room, info) = (pointer(room), pointer(started.info).cast());
        // SAFETY: memory of the card alone, as much as was asked for.
        let code = unsafe { (solver.cholesky)(handle, LOWER, n, a, n, room, size, info) };
        solver_must(code, what)?;
        let mut said = [0; size_of::<c_int>()];
        self.read(started.info, &mut said)?;
        Ok(c_int::from_ne_bytes(said) == 0)
    }

    fn reflect(&self, [m, n]: [usize; 2], a: Address) -> Result<(), CudaError> {
        let what = "a factorisation by reflections";
        let (_turn, started) = self.dense_call(what)?;
        let (handle, solver) = (started.solver, &started.libraries.solver);
        let (columns, m, n, a, mut size) = (n, number(m)?, number(n)?, pointer(a), 0);
        // SAFETY: the pointer is to a number of this frame; the matrix is not read.
        let code = unsafe { (solver.reflect_room)(handle, m, n, a, m, &raw mut size) };
        solver_must(code, what)?;
        let numbers = usize::try_from(size).unwrap_or(0);
        let room = self.dense_room(started, numbers + columns)?;
        let heads = pointer(room.offset(numbers * size_of::<f64>()));
        let (room, info) = (pointer(room), pointer(started.info).cast());
        // SAFETY: memory of the card alone: as much as was asked for, and behind it a number a column.
        let code = unsafe { (solver.reflect)(handle, m, n, a, m, heads, room, size, info) };
        solver_must(code, what)
    }

    fn solve(&self, n: usize, triangle: Matrix, upper: bool, b: Address) -> Result<(), CudaError> {
        let what = "solving with a triangle";
        let (_turn, started) = self.dense_call(what)?;
        let (n, apart) = (number(n)?, number(triangle.apart)?);
        let (a, b, info) = (
            pointer(triangle.at),
            pointer(b),
            pointer(started.info).cast(),
        );
        let side = if upper { UPPER } else { LOWER };
        // SAFETY: memory of the card alone.
        let code = unsafe {
            (started.libraries.solver.solve)(started.solver, side, n, 1, a, apart, b, n, info)
        };
        solver_must(code, what)
    }
}
