//! Networks built by hand: classical approximation tools represented exactly, with the sizes and bounds that the RAF paper states.
//!
//! A neuron has one basis function of an affine pre-activation; x and x² give sums and products, sin and the Gaussian give waves and
//! bumps, floor, 2^x and step give digits. Each builder returns a [`Construction`]: the network, its sizes, the bound, the measured
//! error, and a [`Model`](rafnet::Model) to be saved and evaluated like any other.
//!
//! | function | statement |
//! |---|---|
//! | [`identity()`], [`square()`], [`product()`], [`monomial()`] | the Lemma, parts i to iv |
//! | [`polynomial()`] with a [`RedBlue`] layout; [`relu_twin()`] for comparison | Theorem 3 |
//! | [`chebyshev()`] (width 6), [`chebyshev_by_monomials()`] (as stated) | Theorem 4 |
//! | [`BandLimited::build`] | Theorem 5 |
//! | [`dct()`], [`windowed_dct()`], [`dft()`], [`gabor()`], [`gaussian_rbf()`], [`radial()`] | the paper's harmonic analysis atoms |
//! | [`floor_exponential()`] | Theorem 2 |
//! | [`relu_identity()`], [`hat()`], [`piecewise_linear()`], [`fourier_sum()`] | pieces for Theorem 1, which has no construction ([`theorem_1()`]) |
//! | [`expand()`] | a learnable neuron as neurons of one basis function each |
//!
//! Depth counts hidden layers. Every construction bounds its own rounding (`wire.rs`), and `tests/theory` holds the measured errors
//! against the bounds, at integer points without any tolerance.

mod arithmetic;
mod bandlimited;
mod chebyshev;
mod complex;
mod construction;
mod dct;
mod diagram;
mod digits;
mod digits_file;
mod draft;
mod elementary;
mod error;
mod expand;
mod formula;
mod modulus;
mod monomial;
mod multinomial;
mod polynomial;
mod radial;
mod relu_twin;
mod sampling;
mod sine_relu;
mod tree;
mod wave;
mod wire;

pub use bandlimited::{BandLimited, Expectation, Kernel, Terms};
pub use chebyshev::{Degree, Ellipse, Series, chebyshev, chebyshev_by_monomials, theorem_layout};
pub use complex::{Complex, ComplexNetwork, ComplexNeuron};
pub use construction::{Bound, Construction, Form, Origin, Statement};
pub use dct::{CosineAxis, Way, Window, dct, windowed_dct};
pub use diagram::{monomial_diagram, polynomial_diagram};
pub use digits::{DigitNetwork, floor_exponential};
pub use draft::Built;
pub use elementary::{identity, product, square};
pub use error::TheoryError;
pub use expand::expand;
pub use formula::Formula;
pub use modulus::Modulus;
pub use monomial::{Variant, monomial, monomial_depth};
pub use multinomial::Polynomial;
pub use polynomial::{RedBlue, polynomial};
pub use radial::{gaussian_rbf, radial};
pub use relu_twin::relu_twin;
pub use sine_relu::{
    Measured, fourier_sum, hat, measured_rate, piecewise_linear, relu_identity, theorem_1,
};
pub use wave::{dft, gabor};
