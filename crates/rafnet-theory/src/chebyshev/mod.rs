//! Chebyshev series of analytic functions as networks (the paper's Theorem 4), in two ways.
//!
//! ```text
//! f ≈ f_n = Σ_{k≤n} c_k T_k(x̂),   x̂ = (2x − low − high)/(high − low)        |f − f_n| ≤ 2 C_f s⁻ⁿ/(s − 1)
//! ```
//!
//! for f analytic and bounded by C_f inside the ellipse of parameter s (half-axes (s ± 1/s)/2 in x̂; the open interior is meant).
//! `series` finds the coefficients and the degree, `ellipse` the constants of the bound, `recurrence` and `theorem` build:
//!
//! | way | width | depth | remark |
//! |---|---|---|---|
//! | theorem | 2N + 2 | L with (L − 2n − 2 − (n+1) log₂ N) N ≥ n(n+1) | by monomials, whose coefficients grow like 2ⁿ |
//! | recurrence | 6 | n − 1 | the same function, stable |

mod ellipse;
mod recurrence;
mod series;
mod theorem;

pub use ellipse::Ellipse;
pub use recurrence::chebyshev;
pub(super) use recurrence::{carry_series, series_rounding};
pub use series::{Degree, Series};
pub use theorem::{chebyshev_by_monomials, theorem_layout};
