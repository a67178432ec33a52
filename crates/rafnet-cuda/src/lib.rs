//! Sweeps on NVIDIA GPUs, behind the same trait as on the processor.
//!
//! Kernels are text, generated for the network, the streams and the equations at hand, and compiled when they are needed: nothing of CUDA is
//! needed to build this crate, or to run a program that holds it on a machine without a card.

mod card;
mod error;
pub mod machine;

pub use card::{Card, Compiled, FunctionUse, Listed, compile_only, compile_report, compiler_found};
pub use error::CudaError;
