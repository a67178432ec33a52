//! Networks with *reproducing activation functions* (RAF): every neuron has its own learnable mix of x, x², sin, a
//! Gaussian and other basic functions,
//!
//! ```text
//! σ(x) = Σ_p α_p γ_p(β_p x)
//! ```
//!
//! and the engine carries values, gradients and second derivatives through such networks, forward and reverse, by
//! hand-written sweeps at the speed of the machine's matrix product (Liang, Lyu, Wang, Yang, "Reproducing Activation
//! Function for Deep Learning", arXiv 2101.04844).
//!
//! Rooms, each using only those below it: [`ntk`] · [`theory`] · [`fit`] · [`solve`] · [`problem`] · [`model`] · [`engine`] · [`network`] · [`activation`] · [`basis`] · [`domain`] · [`expr`] ·
//! [`simd`].
//! Read [`basis`], [`activation`] and `engine/cpu` in that order to learn the method.

pub mod activation;
pub mod basis;
pub mod domain;
pub mod engine;
pub mod expr;
pub mod fit;
pub mod model;
pub mod network;
pub mod ntk;
pub mod problem;
pub mod simd;
pub mod solve;
pub mod theory;

pub use engine::Streams;
pub use model::Model;
pub use problem::Problem;
