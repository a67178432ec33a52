//! NVRTC, NVIDIA's compiler for kernels as a library: text in, machine code (a cubin) out. It needs no card.

use super::driver::functions;
use super::libraries;
use crate::CudaError;
use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use libloading::Library;
use std::ffi::{CString, c_char, c_int};
use std::sync::OnceLock;

functions! {
    /// NVRTC's functions.
    Functions, sys, nvrtcResult:
    version = nvrtcVersion(*mut c_int, *mut c_int);
    create = nvrtcCreateProgram(*mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char);
    destroy = nvrtcDestroyProgram(*mut nvrtcProgram);
    compile = nvrtcCompileProgram(nvrtcProgram, c_int, *const *const c_char);
    log_size = nvrtcGetProgramLogSize(nvrtcProgram, *mut usize);
    log = nvrtcGetProgramLog(nvrtcProgram, *mut c_char);
    cubin_size = nvrtcGetCUBINSize(nvrtcProgram, *mut usize);
    cubin = nvrtcGetCUBIN(nvrtcProgram, *mut c_char);
}

/// Answers of NVRTC that are told apart.
const COMPILATION: u32 = 6;
const NO_BUILTINS: u32 = 7;

/// The compiler that was found.
pub(crate) struct Compiler {
    functions: Functions,
    /// Its version, (13, 0) say.
    pub(crate) version: (i32, i32),
    /// Where it was found.
    pub(crate) place: String,
}

/// How every text is compiled; the architecture comes before.
const OPTIONS: [&str; 2] = ["--std=c++17", "--fmad=true"];

impl Compiler {
    /// The compiler of this machine, opened once.
    ///
    /// # Errors
    /// [`CudaError::NoCompiler`] says where it was looked for.
    pub(crate) fn here() -> Result<&'static Self, CudaError> {
        static HERE: OnceLock<Result<Compiler, CudaError>> = OnceLock::new();
        HERE.get_or_init(Self::start).as_ref().map_err(Clone::clone)
    }

    #[allow(unsafe_code, reason = "calls into NVRTC")]
    fn start() -> Result<Self, CudaError> {
        let found = libraries::compiler()?;
        let place = found.place;
        let library: &'static Library = Box::leak(Box::new(found.library));
        let unusable = |why: String| CudaError::NoCompiler { why };
        let functions = Functions::of(library)
            .map_err(|missing| unusable(format!("the NVRTC of {place} lacks `{missing}`")))?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to numbers of this frame.
        let answer = unsafe { (functions.version)(&raw mut major, &raw mut minor) };
        if answer != 0 || major < 12 {
            return Err(unusable(format!(
                "the NVRTC of {place} is {major}.{minor}, and 12.0 is the oldest that can be used"
            )));
        }
        Ok(Self {
            functions,
            version: (major, minor),
            place,
        })
    }

    /// Everything beside the text and the architecture that the machine code depends on.
    pub(crate) fn identity(&self) -> String {
        format!(
            "NVRTC {}.{} {}",
            self.version.0,
            self.version.1,
            OPTIONS.join(" ")
        )
    }

    /// Machine code for an architecture, `sm_90a` say, and what the compiler said; `also` are options that do not change
    /// the instructions.
    ///
    /// # Errors
    /// [`CudaError::Compile`] with the compiler's words; [`CudaError::NoCompiler`] where a part of it is missing.
    pub(crate) fn compile(
        &self,
        text: &str,
        architecture: &str,
        also: &[&str],
    ) -> Result<(Vec<u8>, String), CudaError> {
        let options = [&format!("--gpu-architecture={architecture}")[..]];
        let options = options.iter().chain(&OPTIONS).chain(also);
        let options = options.map(|option| zero_ended(option));
        let options = options.collect::<Result<Vec<_>, _>>()?;
        let program = Program::new(&self.functions, text)?;
        match program.compile(&options) {
            0 => Ok((program.cubin()?, program.log())),
            NO_BUILTINS => Err(CudaError::NoCompiler {
                why: format!(
                    "the NVRTC of {} does not find its part `{}`, which belongs beside it",
                    self.place,
                    libraries::builtins_name(self.version)
                ),
            }),
            COMPILATION => Err(CudaError::Compile { log: program.log() }),
            code => Err(CudaError::Compile {
                log: format!(
                    "NVRTC {}.{} answers {code} for {architecture}. {}",
                    self.version.0,
                    self.version.1,
                    program.log()
                ),
            }),
        }
    }
}

fn zero_ended(text: &str) -> Result<CString, CudaError> {
    CString::new(text).map_err(|_| CudaError::Compile {
        log: "the text holds a zero byte".to_owned(),
    })
}

/// A text on its way through the compiler.
struct Program<'a> {
    functions: &'a Functions,
    handle: nvrtcProgram,
}

#[allow(unsafe_code, reason = "calls into NVRTC")]
impl<'a> Program<'a> {
    fn new(functions: &'a Functions, text: &str) -> Result<Self, CudaError> {
        let text = zero_ended(text)?;
        let mut handle = std::ptr::null_mut();
        let none = std::ptr::null();
        let name = c"rafnet.cu".as_ptr();
        // SAFETY: both texts end with a zero byte and are copied by the call; no headers are given, so their lists are not read.
        let answer =
            unsafe { (functions.create)(&raw mut handle, text.as_ptr(), name, 0, none, none) };
        if answer == 0 {
            Ok(Self { functions, handle })
        } else {
            Err(CudaError::Compile {
                log: format!("NVRTC answers {answer} to a new text"),
            })
        }
    }

    fn compile(&self, options: &[CString]) -> u32 {
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).unwrap_or(0);
        // SAFETY: the handle is this program's; so many pointers to texts that end with a zero byte and outlive the call.
        unsafe { (self.functions.compile)(self.handle, count, options.as_ptr()) }
    }

    fn log(&self) -> String {
        let text = self.bytes(self.functions.log_size, self.functions.log);
        let text = text.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.trim_end_matches('\0').trim().to_owned()
    }

    fn cubin(&self) -> Result<Vec<u8>, CudaError> {
        let bytes = self.bytes(self.functions.cubin_size, self.functions.cubin);
        bytes
            .filter(|bytes| !bytes.is_empty())
            .ok_or_else(|| CudaError::Compile {
                log: "NVRTC compiled the text and gives no machine code".to_owned(),
            })
    }

    fn bytes(
        &self,
        size: unsafe extern "C" fn(nvrtcProgram, *mut usize) -> u32,
        get: unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> u32,
    ) -> Option<Vec<u8>> {
        let mut count = 0;
        // SAFETY: the handle is this program's, the pointer to a number of this frame.
        let answer = unsafe { size(self.handle, &raw mut count) };
        if answer != 0 {
            return None;
        }
        let mut bytes = vec![0u8; count];
        // SAFETY: room for as many bytes as the compiler has just said.
        let answer = unsafe { get(self.handle, bytes.as_mut_ptr().cast()) };
        (answer == 0).then_some(bytes)
    }
}

impl Drop for Program<'_> {
    #[allow(unsafe_code, reason = "calls into NVRTC")]
    fn drop(&mut self) {
        // SAFETY: the handle is this program's and is not used again.
        unsafe { (self.functions.destroy)(&raw mut self.handle) };
    }
}

/// Compiles a text of CUDA C++ for an architecture (`sm_90a`, `sm_80`) and gives the machine code; needs NVRTC and no card.
///
/// # Errors
/// [`CudaError::NoCompiler`] where NVRTC is missing, [`CudaError::Compile`] with its words where the text does not compile.
pub fn compile_only(text: &str, architecture: &str) -> Result<Vec<u8>, CudaError> {
    let (cubin, _) = Compiler::here()?.compile(text, architecture, &[])?;
    Ok(cubin)
}

/// The compiler that kernels are compiled with here, in words: its version and where it was found.
///
/// # Errors
/// [`CudaError::NoCompiler`] where NVRTC is missing.
pub fn compiler_found() -> Result<String, CudaError> {
    let compiler = Compiler::here()?;
    let (major, minor) = compiler.version;
    Ok(format!("NVRTC {major}.{minor}, {}", compiler.place))
}
