//! What the rows of one group leave open, before it is joined with others.
//!
//! ```text
//! A P = Q | R  S |     |column of T| < τ        c = P | R⁻¹ (y − S z) |        z: as many as rows of other groups have to say
//!         | 0  T |                                    |       z       |
//! ```
//!
//! Directions that the group's own rows hold by more than τ are decided by them alone; the others, few where the rows are a differential
//! equation, are what joins and fronts are about. Q by Householder reflections, long columns first, P the order of columns
//! (P. Businger, G. Golub, 1965).

use super::triangle::{shared, slices_mut};
use super::{ANYWHERE, RIDGE, norm, triangularise, triangularise_first};
use crate::activation::random;
use crate::halt::{Crew, Halt};
use crate::simd::{inner_products, take_away};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatRef, Par, unzip, zip};
use rand::RngExt;

/// Columns that are found to be the longest at a time, and random directions beyond as many.
const STEPS: usize = 32;
const MORE: usize = 8;

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
            let norm = norm(room.col_as_slice(j)).max(noise.get(j).copied().unwrap_or(0.0));
            if norm > 0.0 && norm.is_finite() {
                *scale = 1.0 / norm;
                let factor = *scale;
                room.col_mut(j).iter_mut().for_each(|v| *v *= factor);
            }
            room[(height + j, j)] = if needless(j) { 1.0 } else { RIDGE };
        }
        if room.nrows() > total {
            triangularise(&mut room, &|end| height + end, halt);
            room = Mat::from_fn(total, total, |i, j| if i <= j { room[(i, j)] } else { 0.0 });
        }
        // all are shorter than infinity
        let most = if open.is_finite() {
            columns.saturating_sub(at_least)
        } else {
            0
        };
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

/// Reflects long ones of the first `columns` until what is left of the next one is shorter than `open`, `most` times at most; the order, and
/// how often.
///
/// The longest are found some at a time by what is left of all in a space of few dimensions, which random directions span (J. Duersch,
/// M. Gu, "Randomized QR with column pivoting", 2017): one by one each would have to be taken from all others before the next is known.
fn longest_first(
    a: &mut Mat<f64>,
    columns: usize,
    most: usize,
    open: f64,
    halt: &Halt,
) -> (Vec<usize>, usize) {
    let (rows, all) = (a.nrows(), a.ncols());
    let mut order: Vec<usize> = (0..columns).collect();
    let most = most.min(rows);
    let directions = directions(STEPS.min(most) + MORE, rows);
    let mut done = 0;
    while done < most && !halt.is_raised() {
        let steps = STEPS.min(most - done);
        let left = a.submatrix(done, done, rows - done, columns - done);
        let directions = directions.subcols(done, rows - done);
        let mut shadows = Mat::zeros(directions.nrows(), left.ncols());
        matmul(
            &mut shadows,
            Accum::Replace,
            directions,
            left,
            1.0,
            Par::Seq,
        );
        for (k, j) in longest_of(shadows, steps).into_iter().enumerate() {
            order.swap(done + k, done + j);
            swap_columns(a, done + k, done + j);
        }
        let rest = a
            .as_mut()
            .submatrix_mut(done, done, rows - done, all - done);
        triangularise_first(rest, steps, ANYWHERE, Crew::single(halt));
        for k in done..done + steps {
            a.col_as_slice_mut(k)[k + 1..].fill(0.0);
        }
        if let Some(k) = (done..done + steps).find(|k| a[(*k, *k)].abs() < open) {
            return (order, k);
        }
        done += steps;
    }
    (order, done)
}

/// Random directions, a row each.
fn directions(count: usize, dimensions: usize) -> Mat<f64> {
    let mut random = random(0);
    Mat::from_fn(count, dimensions, |_, _| random.random::<f64>() - 0.5)
}

/// Which columns are the longest once those before are taken away, as places to swap with one after the other.
fn longest_of(mut columns: Mat<f64>, count: usize) -> Vec<usize> {
    let n = columns.ncols();
    let mut left: Vec<f64> = (0..n).map(|j| square(columns.col_as_slice(j))).collect();
    let mut chosen = Vec::with_capacity(count);
    for k in 0..count {
        let longest = (k..n).max_by(|i, j| left[*i].total_cmp(&left[*j]));
        let j = longest.unwrap_or(k);
        chosen.push(j);
        swap_columns(&mut columns, k, j);
        left.swap(k, j);
        let (mut own, rest) = columns.as_mut().split_at_col_mut(k + 1);
        let own = slices_mut(own.rb_mut().subcols_mut(k, 1), 0);
        let mut rest = slices_mut(rest, 0);
        let mut shares = vec![0.0; rest.len()];
        inner_products(&shared(&own), &shared(&rest), &mut shares);
        let unit = 1.0 / square(own[0]).max(f64::MIN_POSITIVE);
        for (share, left) in shares.iter_mut().zip(&mut left[k + 1..]) {
            *left -= *share * *share * unit;
            *share *= unit;
        }
        take_away(&mut rest, &shared(&own), &shares);
    }
    chosen
}

/// x · x
fn square(x: &[f64]) -> f64 {
    let mut square = [0.0];
    inner_products(&[x], &[x], &mut square);
    square[0]
}

fn swap_columns(a: &mut Mat<f64>, k: usize, j: usize) {
    if k != j {
        let (mut before, after) = a.as_mut().split_at_col_mut(k.max(j));
        let pair = zip!(before.rb_mut().col_mut(k.min(j)), after.col_mut(0));
        pair.for_each(|unzip!(x, y)| std::mem::swap(x, y));
    }
}

#[cfg(test)]
mod tests {
    use super::Condensed;
    use crate::halt::{Halt, Why};
    use crate::optimise::LeastSquares;
    use faer::Mat;

    fn entry(i: usize, j: usize) -> f64 {
        (1.7 * (i * i) as f64 + 0.9 * ((j + 2) * (i + 1)) as f64).sin()
    }

    /// Columns of which own rows hold some, fewer and more than are found at a time: these and other rows that read all of them give a known
    /// solution back.
    #[test]
    fn own_rows_and_others_together_give_the_solution() {
        for (columns, kept) in [(7, 5), (90, 50)] {
            let (height, others) = (columns + 2, 2 * (columns - kept));
            let solution: Vec<f64> = (0..columns).map(|j| 1.0 + j as f64).collect();
            let mut room = LeastSquares::room(height, columns, 1);
            let held = Mat::from_fn(height, columns, |i, j| {
                (0..kept)
                    .map(|k| entry(i, k) * entry(k + 20, j))
                    .sum::<f64>()
            });
            let other = Mat::from_fn(others, columns, |i, j| entry(i + 140, j));
            let times = |a: &Mat<f64>, i: usize| {
                let terms = (0..columns).map(|j| a[(i, j)] * solution[j]);
                terms.sum::<f64>()
            };
            for i in 0..height {
                (0..columns).for_each(|j| room[(i, j)] = held[(i, j)]);
                room[(i, columns)] = times(&held, i);
            }
            let halt = Halt::default();
            let condensed = |open: f64, at_least: usize, halt: &Halt| {
                Condensed::new(room.clone(), 1, (open, at_least), &[], &|_| false, halt)
            };
            let found = condensed(1e-8, 0, &halt);
            let open = columns - kept;
            assert_eq!(found.open(), open);
            let over = found.over_open(other.as_ref());
            // the open ones from the other rows, b − (−J₁ R⁻¹ y) on the right
            let mut least = LeastSquares::room(others, open, 1);
            for i in 0..others {
                (0..open).for_each(|j| least[(i, j)] = over[(i, j)]);
                least[(i, open)] = times(&other, i) + over[(i, open)];
            }
            let z = LeastSquares::new(least, 1, &halt).solve(&[1.0]);
            for (found, expected) in found.whole(&z, &[1.0]).iter().zip(&solution) {
                assert!((found / expected - 1.0).abs() < 1e-8, "{found} {expected}");
            }
            assert_eq!(condensed(1e-8, open + 2, &halt).open(), open + 2);
            assert_eq!(condensed(f64::INFINITY, 0, &halt).open(), columns);
            halt.raise(Why::Stopped);
            let ended = condensed(1e-8, 0, &halt);
            assert_eq!(ended.open(), columns, "none is decided once it is ended");
        }
    }
}
