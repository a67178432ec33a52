//! The functions of the driver that are called, looked up in its library when it is there.
//!
//! cudarc gives the types, and its bindings are what the compiler checks these signatures against. They are looked up here so that a
//! function that a driver lacks is an error and not a panic, and an answer that these bindings do not know is a number and not an invalid enum.

use super::libraries;
use crate::CudaError;
use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUgraph, CUgraphExec, CUmodule, CUresult, CUstream, CUstreamCaptureMode,
};
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

/// What a function of the driver or of the compiler answers; 0 is success.
pub(crate) type Code = c_uint;

/// A struct of a library's functions, each checked against cudarc's binding of the same name.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident, $bindings:ident, $answer:ty: $($name:ident = $symbol:ident($($kind:ty),*);)*) => {
        $(#[$doc])*
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($kind),*) -> $crate::card::driver::Code,)*
        }

        impl $table {
            /// Looks them up; `Err` names the first that is not there.
            #[allow(unsafe_code, reason = "what a symbol is cannot be read from a library")]
            pub(crate) fn of(library: &'static libloading::Library) -> Result<Self, &'static str> {
                $(const _: unsafe fn($($kind),*) -> $answer = $bindings::$symbol;)*
                Ok(Self {
                    $($name: {
                        // SAFETY: the signature is the one of cudarc's binding (the line above does not compile otherwise), but for the
                        // answer, which is an enum of `unsigned int` there; the library is never closed.
                        let found = unsafe { library.get(stringify!($symbol).as_bytes()) };
                        *found.map_err(|_| stringify!($symbol))?
                    },)*
                })
            }
        }
    };
}
pub(crate) use functions;

functions! {
    /// The driver's functions.
    Driver, sys, CUresult:
    init = cuInit(c_uint);
    version = cuDriverGetVersion(*mut c_int);
    error_name = cuGetErrorName(CUresult, *mut *const c_char);
    error_text = cuGetErrorString(CUresult, *mut *const c_char);
    device_count = cuDeviceGetCount(*mut c_int);
    device = cuDeviceGet(*mut CUdevice, c_int);
    device_name = cuDeviceGetName(*mut c_char, c_int, CUdevice);
    device_attribute = cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    device_memory = cuDeviceTotalMem_v2(*mut usize, CUdevice);
    context_retain = cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    context_release = cuDevicePrimaryCtxRelease_v2(CUdevice);
    context_set = cuCtxSetCurrent(CUcontext);
    context_get = cuCtxGetCurrent(*mut CUcontext);
    stream_create = cuStreamCreate(*mut CUstream, c_uint);
    stream_wait = cuStreamSynchronize(CUstream);
    capture_begin = cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode);
    capture_end = cuStreamEndCapture(CUstream, *mut CUgraph);
    capture_mode = cuThreadExchangeStreamCaptureMode(*mut CUstreamCaptureMode);
    graph_instantiate = cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, c_ulonglong);
    graph_upload = cuGraphUpload(CUgraphExec, CUstream);
    graph_launch = cuGraphLaunch(CUgraphExec, CUstream);
    graph_destroy = cuGraphDestroy(CUgraph);
    memory_alloc = cuMemAlloc_v2(*mut CUdeviceptr, usize);
    memory_free = cuMemFree_v2(CUdeviceptr);
    memory_info = cuMemGetInfo_v2(*mut usize, *mut usize);
    host_alloc = cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
    copy_in = cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    copy_out = cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    set_bytes = cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
    event_create = cuEventCreate(*mut CUevent, c_uint);
    event_destroy = cuEventDestroy_v2(CUevent);
    event_record = cuEventRecord(CUevent, CUstream);
    event_wait = cuEventSynchronize(CUevent);
    event_elapsed = cuEventElapsedTime_v2(*mut f32, CUevent, CUevent);
    module_load = cuModuleLoadData(*mut CUmodule, *const c_void);
    module_function = cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    function_set = cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
    function_get = cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
    function_parameter = cuFuncGetParamInfo(CUfunction, usize, *mut usize, *mut usize);
    function_load = cuFuncLoad(CUfunction);
    launch = cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void
    );
}

/// The CUDA version whose drivers are new enough.
const NEEDED: c_int = 13_000;

impl Driver {
    /// The driver of this machine, opened and started once.
    ///
    /// # Errors
    /// [`CudaError`]: there is none, it is too old, or it shows no card.
    pub(crate) fn here() -> Result<&'static Self, CudaError> {
        static HERE: OnceLock<Result<Driver, CudaError>> = OnceLock::new();
        HERE.get_or_init(Self::start).as_ref().map_err(Clone::clone)
    }

    #[allow(unsafe_code, reason = "calls into the driver")]
    fn start() -> Result<Self, CudaError> {
        let library: &'static Library = Box::leak(Box::new(libraries::driver()?));
        let driver = Self::of(library).map_err(|missing| CudaError::OldDriver {
            have: format!("a CUDA without `{missing}`"),
        })?;
        let version = driver.cuda_version();
        if version < NEEDED {
            return Err(CudaError::OldDriver {
                have: format!("CUDA {}", dotted(version)),
            });
        }
        // SAFETY: takes no pointer.
        match unsafe { (driver.init)(0) } {
            0 => Ok(driver),
            code => Err(CudaError::NoCard {
                why: driver.not_started(code),
            }),
        }
    }

    /// The newest CUDA that the driver knows, 13000 for 13.0; 0 where it does not say.
    #[allow(unsafe_code, reason = "calls into the driver")]
    pub(crate) fn cuda_version(&self) -> c_int {
        let mut version = 0;
        // SAFETY: the pointer is to a number of this frame.
        let code = unsafe { (self.version)(&raw mut version) };
        if code == 0 { version } else { 0 }
    }

    /// The driver's own words for an answer.
    #[allow(unsafe_code, reason = "calls into the driver")]
    pub(crate) fn words(&self, code: Code) -> String {
        // the driver takes a number here; cudarc's signature would have an enum, and not every number is one of it
        type Bound = unsafe extern "C" fn(CUresult, *mut *const c_char) -> Code;
        type Asked = unsafe extern "C" fn(Code, *mut *const c_char) -> Code;
        let ask = |function: Bound| {
            let mut text = std::ptr::null();
            // SAFETY: `CUresult` is an enum of `unsigned int`: the same function with its first argument as a number.
            let asked = unsafe { std::mem::transmute::<Bound, Asked>(function) };
            // SAFETY: the pointer is to one of this frame; the driver answers with a text that it keeps, or with an error.
            let answer = unsafe { asked(code, &raw mut text) };
            if answer != 0 || text.is_null() {
                return None;
            }
            // SAFETY: the driver's own constant text, ended by a zero byte.
            let text = unsafe { CStr::from_ptr(text) };
            Some(text.to_string_lossy().into_owned())
        };
        match (ask(self.error_text), ask(self.error_name)) {
            (Some(text), Some(name)) => format!("{text} ({name})"),
            _ => format!("the driver's error {code}"),
        }
    }

    fn not_started(&self, code: Code) -> String {
        let said = self.words(code);
        match (code, std::env::var("CUDA_VISIBLE_DEVICES")) {
            (100 | 101, Ok(shown)) => {
                format!("{said}; CUDA_VISIBLE_DEVICES is `{shown}`, which hides the others")
            }
            (803 | 804, _) => {
                format!("{said}; the driver was updated since it was loaded: restart the machine")
            }
            (34, _) => {
                format!("{said}: the library that was found is a stub, only for linking programs")
            }
            _ => said,
        }
    }
}

/// 13000 as "13.0".
pub(crate) fn dotted(version: c_int) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}
