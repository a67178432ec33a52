//! The dense algebra of this processor: the formulas, number by number.

use super::Emulated;
use rafnet_cuda::CudaError;
use rafnet_cuda::machine::{Address, Dense, Matrix};

/// Numbers at an address.
struct Numbers(*mut f64);

#[allow(
    unsafe_code,
    reason = "memory is handed out by address, as a card does"
)]
impl Numbers {
    fn new(at: Address) -> Self {
        Self(at.0 as *mut f64)
    }

    fn get(&self, k: usize) -> f64 {
        // SAFETY: the engine asked for so much memory there.
        unsafe { self.0.add(k).read() }
    }

    fn set(&self, k: usize, value: f64) {
        // SAFETY: as above.
        unsafe { self.0.add(k).write(value) }
    }
}

fn entry(of: Matrix, i: usize, j: usize) -> f64 {
    let (row, column) = if of.transposed { (j, i) } else { (i, j) };
    Numbers::new(of.at).get(row + column * of.apart)
}

impl Dense for Emulated {
    fn multiply(
        &self,
        [m, n, k]: [usize; 3],
        left: Matrix,
        right: Matrix,
        into: Matrix,
    ) -> Result<(), CudaError> {
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let sum = (0..k).map(|l| entry(left, i, l) * entry(right, j, l)).sum();
            Numbers::new(into.at).set(i + j * into.apart, sum);
        }
        Ok(())
    }

    fn apply(
        &self,
        [m, n]: [usize; 2],
        matrix: Matrix,
        [alpha, beta]: [f64; 2],
        x: Address,
        y: Address,
    ) -> Result<(), CudaError> {
        let [x, y] = [x, y].map(Numbers::new);
        for i in 0..m {
            let sum: f64 = (0..n).map(|j| entry(matrix, i, j) * x.get(j)).sum();
            let before = if beta.abs() > 0.0 {
                beta * y.get(i)
            } else {
                0.0
            };
            y.set(i, alpha * sum + before);
        }
        Ok(())
    }

    fn cholesky(&self, n: usize, a: Address) -> Result<bool, CudaError> {
        let a = Numbers::new(a);
        for j in 0..n {
            let square = |k: usize| a.get(j + k * n).powi(2);
            let pivot = a.get(j + j * n) - (0..j).map(square).sum::<f64>();
            if pivot.is_nan() || pivot <= 0.0 {
                return Ok(false);
            }
            a.set(j + j * n, pivot.sqrt());
            for i in j + 1..n {
                let product = |k: usize| a.get(i + k * n) * a.get(j + k * n);
                let left = a.get(i + j * n) - (0..j).map(product).sum::<f64>();
                a.set(i + j * n, left / pivot.sqrt());
            }
        }
        Ok(true)
    }

    fn reflect(&self, [m, n]: [usize; 2], a: Address) -> Result<(), CudaError> {
        let a = Numbers::new(a);
        for k in 0..n {
            let norm = (k..m).map(|i| a.get(i + k * m).powi(2)).sum::<f64>().sqrt();
            let first = a.get(k + k * m);
            let end = if first > 0.0 { -norm } else { norm };
            let mut v: Vec<f64> = (k..m).map(|i| a.get(i + k * m)).collect();
            v[0] -= end;
            let size: f64 = v.iter().map(|v| v * v).sum();
            if size > 0.0 {
                for j in k..n {
                    let along = v.iter().zip(k..m).map(|(v, i)| v * a.get(i + j * m));
                    let factor = 2.0 * along.sum::<f64>() / size;
                    let each = v.iter().zip(k..m);
                    each.for_each(|(v, i)| a.set(i + j * m, a.get(i + j * m) - factor * v));
                }
            }
        }
        Ok(())
    }

    fn solve(&self, n: usize, triangle: Matrix, upper: bool, b: Address) -> Result<(), CudaError> {
        let b = Numbers::new(b);
        // L of L Lᵀ
        let lower = |i: usize, j: usize| {
            let (row, column) = if upper { (j, i) } else { (i, j) };
            entry(triangle, row, column)
        };
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| lower(i, k) * b.get(k)).sum();
            b.set(i, (b.get(i) - sum) / lower(i, i));
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| lower(k, i) * b.get(k)).sum();
            b.set(i, (b.get(i) - sum) / lower(i, i));
        }
        Ok(())
    }
}
