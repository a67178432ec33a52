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
//! # A problem file, solved
//!
//! ```
//! use rafnet::Problem;
//! let problem = Problem::from_text(r#"
//!     [domain]
//!     kind = "interval"
//!     x = [0, 1]
//!     [equation]
//!     residual = "-u_xx - (pi^2)*sin(pi*x)"
//!     [boundary]
//!     on = "all"
//!     dirichlet = 0
//! "#, "string.toml", None)?;
//! let solved = problem.solve(&Default::default(), |progress| progress.go_on())?;
//! assert!((solved.model.eval(&[0.5])?[0] - 1.0).abs() < 1e-10); // sin(πx)
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A residual of your own, trained
//!
//! The same equation by hand: what should be zero at a point and how it changes with each derivative, a network, an optimiser.
//!
//! ```
//! use rafnet::activation::Set;
//! use rafnet::engine::{Ansatz, Batch, Device, ExprField, Objective, Residual, Response, Site};
//! use rafnet::expr::{Scope, parse};
//! use rafnet::network::{Init, Inputs, Network, Weights};
//! use rafnet::{Streams, optimise::Adam};
//! use std::{f64::consts::PI, sync::Arc};
//!
//! struct Sine;
//! impl Residual<f64> for Sine {
//!     fn streams(&self) -> Streams { Streams::laplacian() } // u, u_x, u_xx
//!     fn count(&self) -> usize { 1 }
//!     fn outputs(&self) -> usize { 1 }
//!     fn evaluate(&self, site: &Site<'_, f64>, response: &mut Response<'_, f64>) {
//!         let u_xx = site.carried.second_stream(0);
//!         for (i, x) in site.points.coordinate(0).iter().enumerate() {
//!             response.value(0)[i] = -site.u(0, u_xx)[i] - PI * PI * (PI * x).sin();
//!             response.partial(0, 0, u_xx)[i] = -1.0;
//!         }
//!     }
//! }
//!
//! let factor = ExprField::new(&parse("x*(1 - x)", &Scope::new(["x"]))?, 1)?; // zero at both ends
//! let ansatz = Ansatz { factor: Some(Arc::new(factor)), lift: None };
//! let network = Network::resnet(Inputs::coordinates(1), &Set::Psg.shared_out(20, 0.5), 1)?;
//! let mut theta: Vec<f64> = network.init(Init::new(Weights::FanIn, 0));
//! let objective = Objective::new(network, Arc::new(Sine)).with_ansatz(vec![ansatz]);
//! let mut engine = Device::CPU.engine(objective, 1)?;
//! let points: Vec<f64> = (1..64).map(|i| f64::from(i) / 64.0).collect();
//! let (mut adam, mut gradient) = (Adam::new(theta.len()), vec![0.0; theta.len()]);
//! for step in 0..800 {
//!     engine.loss_and_gradient(&theta, &Batch::points(&points), &mut gradient)?;
//!     adam.step(1e-2 * 0.995f64.powi(step), &mut theta, &gradient);
//! }
//! let mut u = [0.0];
//! engine.evaluate(&theta, &[0.5], &Streams::value(), &mut u)?;
//! assert!((u[0] - 1.0).abs() < 1e-2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rooms
//!
//! On floors, each using only those below it: [`solve`], [`fit`], [`ntk`] · `frozen`, `waves` · [`posed`], [`run`] · [`problem`] · [`model`] · [`engine`] ·
//! [`optimise`] · [`network`] · [`activation`] · [`basis`] · [`domain`] · [`expr`] · [`simd`].
//! [`engine`], [`network`], [`activation`], [`basis`] and [`simd`] live in the crate `rafnet-engine`, [`expr`] in `rafnet-expr`.
//! Read [`basis`], [`activation`] and `engine/reference` in that order to learn the method, then `engine/cpu` for how it is made fast.

pub mod domain;
pub mod fit;
mod frozen;
mod halt;
pub mod model;
pub mod ntk;
pub mod optimise;
pub mod posed;
pub mod problem;
pub mod run;
pub mod solve;
mod waves;

#[doc(inline)]
pub use rafnet_engine::{activation, basis, engine, expr, network, simd};
#[cfg(feature = "signal")]
#[doc(inline)]
pub use rafnet_signal as signal;

pub use engine::Streams;
pub use model::Model;
pub use problem::Problem;
