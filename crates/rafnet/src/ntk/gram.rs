//! The kernel as a matrix: Θ = J Jᵀ, JᵀJ where that is smaller, and the cross kernel Θ(x, X) = J(x) J(X)ᵀ.
//!
//! Made from pairs of slabs: the second one of a pair is computed anew each time, which costs little beside the product
//! (rows × columns × n against rows × columns), and memory stays that of the result and two slabs.

use super::tangent::{Rows, Tangent};
use super::{Mode, NtkError};
use crate::engine::Cloud;
use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Columns of a product that one thread makes at a time; fixed, so that no bit depends on the number of threads.
const TILE: usize = 128;

/// A kernel, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// How many rows.
    pub n_rows: usize,
    /// How many columns.
    pub n_columns: usize,
    /// All entries.
    pub values: Vec<f64>, // (n_rows, n_columns)
}

impl Kernel {
    /// The entry of row `i` and column `j`.
    ///
    /// ```
    /// use rafnet::ntk::Kernel;
    /// let kernel = Kernel { n_rows: 1, n_columns: 2, values: vec![3.0, 4.0] };
    /// assert_eq!(kernel.at(0, 1), 4.0);
    /// ```
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.n_columns + j]
    }
    fn new(matrix: MatRef<'_, f64>) -> Self {
        let (n_rows, n_columns) = matrix.shape();
        let entries = (0..n_rows * n_columns).map(|at| matrix[(at / n_columns, at % n_columns)]);
        Self {
            n_rows,
            n_columns,
            values: entries.collect(),
        }
    }
}

/// Of what a cross kernel is at its new points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Of the first unknown u.
    Value,
    /// Of the equations' residuals.
    Residual,
}

impl Tangent {
    /// Θ = J Jᵀ in f64 (entry (i, j) and (j, i) are the same number).
    ///
    /// # Errors
    /// [`NtkError`] where numbers overflow.
    pub fn gram(&mut self) -> Result<Kernel, NtkError> {
        Ok(Kernel::new(self.of_residuals(Mode::F64Svd)?.as_ref()))
    }

    /// Θ(x, X) = J(x) J(X)ᵀ: a row for each residual (or value) at the new points, a column for each residual of this tangent.
    ///
    /// # Errors
    /// [`NtkError`] where the points do not fit.
    pub fn cross(&mut self, of: Of, points: &[f64]) -> Result<Kernel, NtkError> {
        let new = self.rows_of(of, points)?;
        let mut product = Mat::zeros(new.residual.len(), self.n_rows());
        for slab in self.slabs() {
            let here = self.rows(&slab)?;
            let to = product.as_mut().subcols_mut(slab.first, slab.rows);
            multiply(
                to,
                Accum::Replace,
                new.matrix(),
                here.matrix().transpose(),
                self.threads,
            );
        }
        Ok(Kernel::new(product.as_ref()))
    }

    /// The first unknown at points, as the network is now.
    ///
    /// # Errors
    /// [`NtkError`] where the points do not fit.
    pub fn values(&mut self, points: &[f64]) -> Result<Vec<f64>, NtkError> {
        Ok(self.rows_of(Of::Value, points)?.residual)
    }

    fn rows_of(&mut self, of: Of, points: &[f64]) -> Result<Rows, NtkError> {
        let dimension = self.terms.system.known.dimension;
        if !points.len().is_multiple_of(dimension) {
            return Err(NtkError::Points {
                found: points.len(),
                dimension,
            });
        }
        let n = points.len() / dimension;
        if of == Of::Value {
            return self.value_rows(points, n);
        }
        let term = self.equations()?;
        let points = Cloud {
            weights: Vec::new(),
            points: points.to_vec(),
            data: vec![0.0; n * self.terms.columns(term)],
        };
        self.rows_at(term, &points, n * self.terms.count(term))
    }

    /// J Jᵀ; in f32 the Jacobian is rounded first, and sums are made in f32.
    pub(super) fn of_residuals(&mut self, mode: Mode) -> Result<Mat<f64>, NtkError> {
        let n = self.n_rows();
        let slabs = self.slabs();
        let mut gram = Mat::<f64>::zeros(n, n);
        for (a, left) in slabs.iter().enumerate() {
            let rows = self.rows(left)?;
            for (b, right) in slabs.iter().enumerate().take(a + 1) {
                let others = if a == b {
                    None
                } else {
                    Some(self.rows(right)?)
                };
                let others = others.as_ref().unwrap_or(&rows);
                let to =
                    gram.as_mut()
                        .submatrix_mut(left.first, right.first, left.rows, right.rows);
                product(to, &rows, others, mode, self.threads);
            }
        }
        for i in 0..n {
            for j in 0..i {
                gram[(j, i)] = gram[(i, j)];
            }
        }
        Ok(gram)
    }

    /// JᵀJ, whose eigenvalues other than zero are those of J Jᵀ.
    pub(super) fn of_parameters(&mut self) -> Result<Mat<f64>, NtkError> {
        let p = self.n_columns();
        let mut gram = Mat::<f64>::zeros(p, p);
        for slab in self.slabs() {
            let rows = self.rows(&slab)?;
            let (j, jt) = (rows.matrix(), rows.matrix().transpose());
            multiply(gram.as_mut(), Accum::Add, jt, j, self.threads);
        }
        Ok(gram)
    }
}

fn product(to: MatMut<'_, f64>, a: &Rows, b: &Rows, mode: Mode, threads: usize) {
    if mode == Mode::F64Svd {
        let (a, b) = (a.matrix(), b.matrix().transpose());
        return multiply(to, Accum::Replace, a, b, threads);
    }
    let mut single = Mat::<f32>::zeros(to.nrows(), to.ncols());
    let (a, b) = (rounded(a), rounded(b));
    multiply(
        single.as_mut(),
        Accum::Replace,
        a.as_ref().transpose(),
        b.as_ref(),
        threads,
    );
    faer::zip!(to, &single).for_each(|faer::unzip!(to, from)| *to = f64::from(*from));
}

/// The rows in f32, as columns.
fn rounded(rows: &Rows) -> Mat<f32> {
    let j = rows.matrix();
    #[expect(clippy::cast_possible_truncation, reason = "rounding is the purpose")]
    Mat::from_fn(j.ncols(), j.nrows(), |c, r| j[(r, c)] as f32)
}

/// C ← A B or C + A B, by tiles of columns.
pub(super) fn multiply<T: ComplexField + Send + Sync>(
    to: MatMut<'_, T>,
    how: Accum,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    threads: usize,
) {
    let mut tiles = Vec::new();
    let (mut rest, mut at) = (to, 0);
    while rest.ncols() > 0 {
        let width = TILE.min(rest.ncols());
        let (tile, others) = rest.split_at_col_mut(width);
        tiles.push((tile, b.subcols(at, width)));
        (rest, at) = (others, at + width);
    }
    let work = |mine: Vec<(MatMut<'_, T>, MatRef<'_, T>)>| {
        for (tile, b) in mine {
            matmul(tile, how, a, b, T::one_impl(), Par::Seq);
        }
    };
    let each = tiles.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        while tiles.len() > each {
            let mine = tiles.split_off(tiles.len() - each);
            scope.spawn(move || work(mine));
        }
        work(tiles);
    });
}
