//! The method and its kernels: networks whose neurons mix basic functions, and the sweeps that carry values, derivatives and
//! gradients through them. The crate `rafnet` shows all of it under the same names.
//!
//! Each room uses only those below it: [`engine`] · [`network`] · [`activation`] · [`basis`] · [`expr`] · [`simd`].

pub mod activation;
pub mod basis;
pub mod engine;
pub mod network;
pub mod simd;

pub use rafnet_expr as expr;
