//! The spectrum of the kernel: eigenvalues, condition number, effective rank.
//!
//! | mode | how | κ is certain up to about |
//! |---|---|---|
//! | `f64-svd` | λ = σ², σ the singular values of J, by the triangle of J or Jᵀ | 1e30 |
//! | `f64-svd`, both sides of J beyond 3,000 | the eigenvalues of the smaller of J Jᵀ and JᵀJ | 1e15 |
//! | `f32-theta` | the eigenvalues of Θ formed in single precision | 1e7 |
//!
//! Squaring J loses half the digits, so the triangle is the way wherever it can be afforded. The third mode is what the magnitudes
//! printed in the paper agree with: of a singular kernel it gives the rounding noise of the smallest eigenvalue, 1e9 to 1e13, and no
//! property of the network (measured in `docs/guide/kernels.md`).

use super::tangent::ROOM;
use super::{NtkError, Tangent};
use crate::expr::{largest, smaller};
use crate::halt::Halt;
use crate::optimise::{ANYWHERE, triangularise};
use faer::{Mat, Side};

/// Largest number of residuals or parameters, whichever is smaller, for which singular values are sought.
pub(super) const LARGEST_TRIANGLE: usize = 3_000;

/// The most memory that the matrices of one spectrum may take (8 GiB).
const MOST_BYTES: usize = 1 << 33;

/// How the spectrum is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// `f64-svd`: singular values of J in double precision.
    #[default]
    F64Svd,
    /// `f32-theta`: Θ formed in single precision.
    F32Theta,
}

impl Mode {
    /// Its name on the command line.
    ///
    /// ```
    /// assert_eq!(rafnet::ntk::Mode::default().name(), "f64-svd");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64Svd => "f64-svd",
            Self::F32Theta => "f32-theta",
        }
    }
    /// The mode of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::F64Svd, Self::F32Theta]
            .into_iter()
            .find(|m| m.name() == name)
    }
}

/// How the spectrum was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Singular values of J: at most 3,000 residuals or parameters.
    Triangle,
    /// Eigenvalues of J Jᵀ or JᵀJ in double precision, beyond that size.
    Gram,
    /// Eigenvalues of J Jᵀ formed in single precision.
    SingleGram,
}

impl Way {
    /// In a word, for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Triangle => "singular values of J",
            Self::Gram => "eigenvalues of the Gram matrix in f64",
            Self::SingleGram => "eigenvalues of the Gram matrix in f32",
        }
    }
}

/// The eigenvalues of Θ.
///
/// ```
/// use rafnet::ntk::{Spectrum, Way};
/// let spectrum = Spectrum { eigenvalues: vec![4.0, 2.0, 1.0], n_rows: 3, way: Way::Triangle };
/// assert_eq!(spectrum.condition_number(), Some(4.0));
/// assert_eq!(spectrum.effective_rank(), 49.0 / 21.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// In descending order; where parameters are fewer than residuals, as many as those, and the others are zero.
    pub eigenvalues: Vec<f64>,
    /// The size of Θ.
    pub n_rows: usize,
    /// How they were found.
    pub way: Way,
}

impl Spectrum {
    /// Largest over smallest eigenvalue, in size; `None` where Θ is singular.
    pub fn condition_number(&self) -> Option<f64> {
        if self.eigenvalues.len() < self.n_rows {
            return None;
        }
        let sizes = || self.eigenvalues.iter().map(|v| v.abs());
        let (most, least) = (largest(sizes()), sizes().fold(f64::INFINITY, smaller));
        Some(most / least).filter(|v| v.is_finite())
    }

    /// (Σλ)²/Σλ²: from 1 (one direction learns) to n (all learn alike).
    pub fn effective_rank(&self) -> f64 {
        let sum: f64 = self.eigenvalues.iter().sum();
        let squares: f64 = self.eigenvalues.iter().map(|v| v * v).sum();
        if squares > 0.0 {
            sum * sum / squares
        } else {
            0.0
        }
    }

    /// Whether the smallest eigenvalue is below the rounding of Θ's own entries: κ > 1/ε of the precision that Θ has or would have.
    pub fn numerically_singular(&self) -> bool {
        let epsilon = match self.way {
            Way::SingleGram => f64::from(f32::EPSILON),
            Way::Triangle | Way::Gram => f64::EPSILON,
        };
        self.condition_number().is_none_or(|k| k > 1.0 / epsilon)
    }
}

impl Tangent {
    /// What the matrices of the spectrum take at the most at one time, in bytes: the tall matrix with its triangle and a copy, or the Gram
    /// matrix with a copy, and slabs of J. The process needs some tens of MB beside them.
    pub fn bytes(&self, mode: Mode) -> usize {
        let (n, p) = (self.n_rows(), self.n_columns());
        let (least, slab) = (n.min(p), ROOM.min(n.saturating_mul(p)));
        let square = least.saturating_mul(least);
        let numbers = match mode {
            Mode::F64Svd if least > LARGEST_TRIANGLE => {
                let slabs = if n <= p { 2 } else { 1 };
                (2 * square).max(square + slabs * slab)
            }
            Mode::F64Svd if n <= p => n.saturating_mul(p).saturating_add(slab.max(2 * square)),
            Mode::F64Svd => 5 * square,
            Mode::F32Theta => {
                let whole = n.saturating_mul(n);
                (2 * whole).max(whole.saturating_add(3 * slab))
            }
        };
        numbers.saturating_mul(size_of::<f64>())
    }

    /// The eigenvalues of Θ.
    ///
    /// # Errors
    /// [`NtkError`] where numbers overflow, or beyond 8 GiB of matrices.
    pub fn spectrum(&mut self, mode: Mode) -> Result<Spectrum, NtkError> {
        let (n_rows, n_columns) = (self.n_rows(), self.n_columns());
        let least = n_rows.min(n_columns);
        let bytes = self.bytes(mode);
        if bytes > MOST_BYTES {
            return Err(NtkError::Memory {
                rows: n_rows,
                columns: n_columns,
                bytes,
                most: MOST_BYTES,
            });
        }
        let (way, mut eigenvalues) = match mode {
            Mode::F32Theta => (
                Way::SingleGram,
                eigenvalues(self.of_residuals(Mode::F32Theta)?)?,
            ),
            Mode::F64Svd if least <= LARGEST_TRIANGLE => {
                let triangle = self.triangle()?;
                let values = triangle.singular_values();
                let values = values.map_err(|_| NtkError::NoEigenvalues { size: least })?;
                (Way::Triangle, values.iter().map(|s| s * s).collect())
            }
            Mode::F64Svd => (Way::Gram, self.gram_eigenvalues()?),
        };
        eigenvalues.sort_by(|a, b| b.total_cmp(a));
        Ok(Spectrum {
            eigenvalues,
            n_rows,
            way,
        })
    }

    /// The eigenvalues of the smaller Gram matrix; what rounding puts below zero is zero.
    fn gram_eigenvalues(&mut self) -> Result<Vec<f64>, NtkError> {
        let gram = if self.n_rows() <= self.n_columns() {
            self.of_residuals(Mode::F64Svd)
        } else {
            self.of_parameters()
        };
        let found = eigenvalues(gram?)?;
        Ok(found.into_iter().map(|value| value.max(0.0)).collect())
    }

    /// R of Jᵀ = QR, or of J = QR where parameters are fewer: its singular values are those of J.
    pub(super) fn triangle(&mut self) -> Result<Mat<f64>, NtkError> {
        if self.n_rows() <= self.n_columns() {
            let mut tall = Mat::<f64>::zeros(self.n_columns(), self.n_rows());
            for slab in self.slabs() {
                let rows = self.rows(&slab)?;
                let to = tall.as_mut().subcols_mut(slab.first, slab.rows);
                to.col_iter_mut()
                    .zip(rows.jacobian.chunks_exact(self.n_columns()))
                    .for_each(|(column, row)| {
                        column
                            .iter_mut()
                            .zip(row)
                            .for_each(|(to, from)| *to = *from)
                    });
            }
            triangularise(&mut tall, ANYWHERE, &Halt::default());
            return Ok(upper(&tall));
        }
        // slab by slab: the triangle so far on top of the next rows
        let p = self.n_columns();
        let mut so_far = Mat::<f64>::zeros(p, p);
        for slab in self.slabs_of(p.max(256)) {
            let rows = self.rows(&slab)?;
            let j = rows.matrix();
            let mut stacked = Mat::from_fn(p + slab.rows, p, |i, c| match i.checked_sub(p) {
                None => so_far[(i, c)],
                Some(i) => j[(i, c)],
            });
            triangularise(&mut stacked, ANYWHERE, &Halt::default());
            so_far = upper(&stacked);
        }
        Ok(so_far)
    }
}

/// The triangle on and above the diagonal, zeros below.
fn upper(tall: &Mat<f64>) -> Mat<f64> {
    let n = tall.ncols();
    Mat::from_fn(n, n, |i, j| if i <= j { tall[(i, j)] } else { 0.0 })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the matrix is dropped as soon as it can be"
)]
fn eigenvalues(gram: Mat<f64>) -> Result<Vec<f64>, NtkError> {
    let size = gram.nrows();
    let found = gram.self_adjoint_eigenvalues(Side::Lower);
    found.map_err(|_| NtkError::NoEigenvalues { size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntk::Settings;
    use crate::problem::Problem;

    /// Singular values against eigenvalues, on both sides and over several slabs: a Gram matrix has errors of (n + p) ε λ_max.
    #[test]
    fn two_ways_to_one_spectrum() {
        let problem = Problem::builtin("heat").expect("a built-in problem");
        for (width, depth, points) in [(12, 4, 60), (4, 2, 300)] {
            let settings = Settings {
                width: Some(width),
                depth: Some(depth),
                points,
                threads: 2,
                ..Settings::default()
            };
            let mut tangent = Tangent::new(&problem, &settings).expect("a tangent");
            assert!(tangent.slabs().len() > 2);
            let by_triangle = tangent.spectrum(Mode::F64Svd).expect("a spectrum");
            let mut by_gram = tangent.gram_eigenvalues().expect("eigenvalues");
            by_gram.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(by_gram.len(), by_triangle.eigenvalues.len());
            let sizes = (tangent.n_rows() + tangent.n_columns()) as f64;
            let rounding = 4.0 * sizes * f64::EPSILON * by_gram[0];
            for (a, b) in by_gram.iter().zip(&by_triangle.eigenvalues) {
                assert!(*a >= 0.0 && (a - b).abs() < rounding, "{a:e} {b:e}");
            }
        }
    }
}
