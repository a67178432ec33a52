//! The neural tangent kernel of a problem's residuals, and what follows from its spectrum.
//!
//! With every residual of a problem (equations, conditions, observations; an equation of order 0 is regression) in one
//! vector r(θ), and J = ∂r/∂θ,
//!
//! ```text
//! Θ = J Jᵀ = U diag(λ) Uᵀ        κ = λ_max / λ_min        effective rank = (Σλ)² / Σλ²
//! r(t) = U e^{−λt} Uᵀ r(0)       under gradient flow on ½|r|², linearised at the start
//! ```
//!
//! The operator acts on the whole ansatz, and a nonlinear one enters with its true derivative. [`Tangent`] holds a network at its
//! start with the points and makes J in slabs; [`Spectrum`] has the eigenvalues, [`Kernel`] the matrices themselves, [`Linearised`] the
//! closed form of training, [`TermWeight`] the weights that the kernel's traces suggest, [`Waves`] the rates of frequencies. (Liang, Lyu, Wang, Yang, arXiv 2101.04844,
//! Table 5; S. Wang, X. Yu, P. Perdikaris, "When and why PINNs fail to train", 2022, for kernels of residuals.)
//! Golden values and training itself are the oracles, in `tests/library/ntk.rs`.

mod descent;
mod error;
mod fourier;
mod gram;
mod linearised;
mod of_model;
mod settings;
mod spectrum;
mod tangent;
mod weights;

pub use descent::Descended;
pub use error::NtkError;
pub use fourier::Waves;
pub use gram::{Kernel, Of};
pub use linearised::Linearised;
pub use settings::Settings;
pub use spectrum::{Mode, Spectrum, Way};
pub use tangent::Tangent;
pub use weights::TermWeight;
