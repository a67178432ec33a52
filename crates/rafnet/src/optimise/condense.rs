//! What the rows of one group leave open, before it is joined with others.
//!
//! ```text
//! A P = Q | R  S |     |column of T| < τ        c = P | R⁻¹ (y − S z) |        z: as many as rows of other groups have to say
//!         | 0  T |                                    |       z       |
//! ```
//!
//! Directions that the group's own rows hold by more than τ are decided by them alone; the others, few where the rows are a differential
//! equation, are what joins and fronts are about. Q by Householder reflections, the longest column first, P the order of columns
//! (P. Businger, G. Golub, 1965).

use super::{RIDGE, triangularise};
use crate::halt::Halt;
use faer::linalg::matmul::dot::inner_prod;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Conj, Mat, MatRef, Par, unzip, zip};

/// A square that has shrunk to this share by subtraction is summed again: half of its digits are left.
const SUMMED_AGAIN: f64 = 1e-8;

/// One group of columns, and its rows over those that are left open.
pub(crate) struct Condensed {
    /// T beside the sides: rows over the open columns.
    rows: Mat<f64>,
    /// R⁻¹ [S y].
    back: Mat<f64>,
    /// Columns in the order of P.
    order: Vec<usize>,
    scales: Vec<f64>,
    sides: usize,
}

impl Condensed {
    /// Condenses what stands in the [`room`](super::LeastSquares::room) of a least-squares problem to what it holds by less than `open`, and
    /// to no fewer columns than `at_least`. Columns are taken to be of norm one, but those that are shorter than `noise` says are nothing;
    /// the values of `needless` ones are held at zero. Of no use once it is ended.
    pub(crate) fn new(
        mut room: Mat<f64>,
        sides: usize,
        (open, at_least): (f64, usize),
        noise: &[f64],
        needless: &dyn Fn(usize) -> bool,
        halt: &Halt,
    ) -> Self {
        let total = room.ncols();
        let columns = total - sides;
        let height = room.nrows() - columns;
        let mut scales = vec![1.0; columns];
        for (j, scale) in scales.iter_mut().enumerate() {
            let norm = room
                .col(j)
                .norm_l2()
                .max(noise.get(j).copied().unwrap_or(0.0));
            if norm > 0.0 && norm.is_finite() {
                *scale = 1.0 / norm;
                let factor = *scale;
                room.col_mut(j).iter_mut().for_each(|v| *v *= factor);
            }
            room[(height + j, j)] = if needless(j) { 1.0 } else { RIDGE };
        }
        if room.nrows() > total {
            triangularise(&mut room, halt);
            room = Mat::from_fn(total, total, |i, j| if i <= j { room[(i, j)] } else { 0.0 });
        }
        let most = columns.saturating_sub(at_least);
        let (order, closed) = longest_first(&mut room, columns, most, open, halt);
        let mut back = room.submatrix(0, closed, closed, total - closed).to_owned();
        if !halt.is_raised() {
            let upper = room.submatrix(0, 0, closed, closed);
            solve_upper_triangular_in_place(upper, back.as_mut(), Par::Seq);
        }
        Self {
            rows: room
                .submatrix(closed, closed, room.nrows() - closed, total - closed)
                .to_owned(),
            back,
            order,
            scales,
            sides,
        }
    }

    /// How many columns are open.
    pub(crate) fn open(&self) -> usize {
        self.order.len() - self.back.nrows()
    }

    /// Rows over the open columns, the right-hand sides behind them; they are given away.
    pub(crate) fn take_rows(&mut self) -> Mat<f64> {
        std::mem::replace(&mut self.rows, Mat::new())
    }

    /// Other rows that read all columns, [J₁ J₂] P, over the open ones: [J₂ − J₁ R⁻¹ S, −J₁ R⁻¹ y].
    pub(crate) fn over_open(&self, rows: MatRef<'_, f64>) -> Mat<f64> {
        let closed = self.back.nrows();
        let scaled = |i: usize, j: usize| rows[(i, self.order[j])] * self.scales[self.order[j]];
        let first = Mat::from_fn(rows.nrows(), closed, scaled);
        let mut over = Mat::from_fn(rows.nrows(), self.back.ncols(), |i, j| {
            if j < self.open() {
                scaled(i, closed + j)
            } else {
                0.0
            }
        });
        over -= first * &self.back;
        over
    }

    /// All columns' values from those of the open ones, for the combination Σ_k t_k y_k.
    pub(crate) fn whole(&self, open: &[f64], combination: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.order.len()];
        let closed = self.back.nrows();
        for i in 0..closed {
            let row = self.back.row(i);
            let known: f64 = (0..self.sides)
                .map(|k| row[open.len() + k] * combination[k])
                .sum();
            let rest: f64 = open.iter().enumerate().map(|(j, z)| row[j] * z).sum();
            values[self.order[i]] = known - rest;
        }
        for (j, z) in open.iter().enumerate() {
            values[self.order[closed + j]] = *z;
        }
        values
            .iter()
            .zip(&self.scales)
            .map(|(v, s)| v * s)
            .collect()
    }
}

/// Reflects the longest of the first `columns`, then the longest of what is left, `most` times or until all are shorter than `open`; the
/// order, and how often.
fn longest_first(
    a: &mut Mat<f64>,
    columns: usize,
    most: usize,
    open: f64,
    halt: &Halt,
) -> (Vec<usize>, usize) {
    let rows = a.nrows();
    let mut order: Vec<usize> = (0..columns).collect();
    let square = |a: &Mat<f64>, from: usize, j: usize| {
        let column = a.col(j).subrows(from, rows - from);
        inner_prod(column.transpose(), Conj::No, column, Conj::No)
    };
    // squares of what is left of each column, and what they were when last summed
    let mut left: Vec<[f64; 2]> = (0..columns).map(|j| [square(a, 0, j); 2]).collect();
    for k in 0..most.min(rows) {
        let longest = (k..columns).max_by(|i, j| left[*i][0].total_cmp(&left[*j][0]));
        let longest = longest.filter(|j| left[*j][0] >= open * open);
        let Some(j) = longest.filter(|_| !halt.is_raised()) else {
            return (order, k);
        };
        order.swap(k, j);
        left.swap(k, j);
        swap_columns(a, k, j);
        reflect(a, k, square(a, k, k).sqrt());
        for c in k + 1..columns {
            let [now, summed] = &mut left[c];
            *now -= a[(k, c)] * a[(k, c)];
            if *now <= SUMMED_AGAIN * *summed {
                left[c] = [square(a, k + 1, c); 2];
            }
        }
    }
    (order, most.min(rows))
}

fn swap_columns(a: &mut Mat<f64>, k: usize, j: usize) {
    for i in 0..if k == j { 0 } else { a.nrows() } {
        let kept = a[(i, k)];
        a[(i, k)] = a[(i, j)];
        a[(i, j)] = kept;
    }
}

/// x ← β e₁ for column k from the diagonal on, of length |β|, and the same reflection for the columns after it.
fn reflect(a: &mut Mat<f64>, k: usize, norm: f64) {
    let rows = a.nrows();
    let beta = -norm.copysign(a[(k, k)]);
    let (mut first, rest) = a.as_mut().split_at_col_mut(k + 1);
    let mut v = first.rb_mut().col_mut(k).subrows_mut(k, rows - k);
    v[0] -= beta;
    let factor = 1.0 / (beta * v[0]);
    for column in rest.col_iter_mut() {
        let mut column = column.subrows_mut(k, rows - k);
        let dot: f64 = inner_prod(v.rb().transpose(), Conj::No, column.rb(), Conj::No);
        let step = dot * factor;
        zip!(column.rb_mut(), v.rb()).for_each(|unzip!(x, v)| *x += step * *v);
    }
    v.fill(0.0);
    v[0] = beta;
}

#[cfg(test)]
mod tests {
    use super::Condensed;
    use crate::halt::{Halt, Why};
    use crate::optimise::LeastSquares;
    use faer::Mat;

    /// Seven columns of which own rows hold five: these and four other rows that read all of them give a known solution back.
    #[test]
    fn own_rows_and_others_together_give_the_solution() {
        let entry =
            |i: usize, j: usize| (1.7 * (i * i) as f64 + 0.9 * ((j + 2) * (i + 1)) as f64).sin();
        let solution: Vec<f64> = (0..7).map(|j| 1.0 + f64::from(j)).collect();
        let mut room = LeastSquares::room(9, 7, 1);
        let held = Mat::from_fn(9, 7, |i, j| {
            (0..5).map(|k| entry(i, k) * entry(k + 20, j)).sum::<f64>()
        });
        let other = Mat::from_fn(4, 7, |i, j| entry(i + 40, j));
        let times = |a: &Mat<f64>, i: usize| (0..7).map(|j| a[(i, j)] * solution[j]).sum::<f64>();
        for i in 0..9 {
            (0..7).for_each(|j| room[(i, j)] = held[(i, j)]);
            room[(i, 7)] = times(&held, i);
        }
        let halt = Halt::default();
        let condensed = Condensed::new(room.clone(), 1, (1e-8, 0), &[], &|_| false, &halt);
        assert_eq!(condensed.open(), 2);
        let over = condensed.over_open(other.as_ref());
        // the two open ones from the other rows, b − (−J₁ R⁻¹ y) on the right
        let mut least = LeastSquares::room(4, 2, 1);
        for i in 0..4 {
            (0..2).for_each(|j| least[(i, j)] = over[(i, j)]);
            least[(i, 2)] = times(&other, i) + over[(i, 2)];
        }
        let open = LeastSquares::new(least, 1, &halt).solve(&[1.0]);
        for (found, expected) in condensed.whole(&open, &[1.0]).iter().zip(&solution) {
            assert!((found - expected).abs() < 1e-10, "{found} {expected}");
        }
        assert_eq!(
            Condensed::new(room.clone(), 1, (1e-8, 4), &[], &|_| false, &halt).open(),
            4
        );
        assert_eq!(
            Condensed::new(room.clone(), 1, (f64::INFINITY, 0), &[], &|_| false, &halt).open(),
            7
        );
        halt.raise(Why::Stopped);
        let ended = Condensed::new(room, 1, (1e-8, 0), &[], &|_| false, &halt);
        assert_eq!(ended.open(), 7, "no column is decided once it is ended");
    }
}
