//! Sums of squares at points that stay for a step, with the damped Gauss–Newton steps that make them smaller.
//!
//! ```text
//! J(θ) = Σ_k λ_k (1/n_k) Σ_i r_k,i(θ)²        δ(λ) = argmin |r + J δ|² + λ |δ − δ₀|²
//! ```
//!
//! An engine that keeps rows and Gram matrix on its device answers [`Engine::squares`](super::Engine::squares); for the others the
//! host makes them of [`Engine::residuals_and_jacobian`](super::Engine::residuals_and_jacobian).

use super::EngineError;

/// The points of a step, and what is computed of them again and again.
pub trait Squares<T>: Send {
    /// The sum of squares at these parameters; may be infinite or NaN.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or the device is lost.
    fn loss(&mut self, parameters: &[T]) -> Result<f64, EngineError>;

    /// The steps from these parameters for several dampings, each over the mean of the Gram matrix's diagonal, that start from δ₀. `None` for
    /// one of which nothing finite comes out, or that was ended.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit, memory is not enough or the device is lost.
    fn steps(
        &mut self,
        parameters: &[T],
        dampings: &[f64],
        start: &[T],
    ) -> Result<Vec<Option<Vec<T>>>, EngineError>;
}
