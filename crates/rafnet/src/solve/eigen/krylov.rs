//! The eigenvalues of largest size of a linear map that is only known by what it does: a block Krylov space, restarted.
//!
//! ```text
//! K = span{ X, T X, T² X, … }        H = Vᵀ T V for an orthonormal basis V of K        T x ≈ μ x with x = V h, H h = μ h
//! ```
//!
//! (Y. Saad, "Numerical methods for large eigenvalue problems", 2011, chapter 6.) A block, and not one vector, because an eigenvalue of
//! multiplicity m shows itself m times only to m vectors. T need not be symmetric: a pair of conjugate values with imaginary parts at the
//! level of its errors is a double one.

use super::pencil::{product, transposed_product};
use super::tuning::{FOUND, KRYLOV_DEPTH, RESTARTS, SPARE};
use crate::activation::random;
use crate::expr::{larger, smaller};
use crate::halt::Halt;
use faer::Mat;
use rand::RngExt;

/// Columns of which less than this share lies beside the space and beside one another have lost so many digits of being orthogonal to it.
const DEPENDENT: f64 = 1e-6;
/// Columns of length one of which no more than this lies beside the space are taken to lie in it.
const INSIDE: f64 = 1e-2;

/// An eigenvalue of T with a vector, or one of the two that span a pair of conjugate ones.
#[derive(Clone, Debug)]
pub(super) struct Ritz {
    /// Its real and its imaginary part.
    pub(super) value: [f64; 2],
    /// ‖T x − μ x‖ / |μ| (of the pair).
    pub(super) residual: f64,
    /// T x, by what [`largest`]'s map answered with.
    pub(super) answer: Vec<f64>,
}

/// The `wanted` eigenvalues of largest size. `map` takes columns and answers with any description of their images, `read` makes the images'
/// values of it. The search begins with the vectors that are `known`, and with random ones. None once it is ended.
pub(super) fn largest(
    n: usize,
    wanted: usize,
    (seed, known): (u64, &[Vec<f64>]),
    map: impl Fn(&Mat<f64>) -> Mat<f64>,
    read: impl Fn(&Mat<f64>) -> Mat<f64>,
    halt: &Halt,
) -> Vec<Ritz> {
    let block = (wanted + SPARE).min(n / (KRYLOV_DEPTH + 1)).max(1);
    let mut random = random(seed);
    let known = &known[..known.len().min(block)];
    let mut start = Mat::from_fn(n, block, |_, _| 2.0 * random.random::<f64>() - 1.0);
    // what T makes of noise is smooth
    start = read(&map(&start));
    for (j, vector) in known.iter().enumerate() {
        (0..n).for_each(|i| start[(i, j)] = vector[i]);
    }
    let (mut best, mut vectors) = (Vec::<Ritz>::new(), None);
    for _ in 0..RESTARTS {
        let basis = space(&start, &map, &read, halt);
        if halt.is_raised() {
            return Vec::new();
        }
        let answers = map(&basis);
        let images = read(&answers);
        let Some((mut found, next)) = ritz(&basis, &images, block) else {
            break;
        };
        found.truncate(wanted);
        let worst = |all: &[Ritz]| match all.iter().map(|r| r.residual).fold(0.0, larger) {
            worst if worst.is_nan() => f64::INFINITY, // compared below
            worst => worst,
        };
        let settled = !best.is_empty() && worst(&found) > 0.5 * worst(&best);
        if best.is_empty() || worst(&found) < worst(&best) {
            (best, vectors) = (found, Some(next.clone()));
        }
        if worst(&best) < FOUND || settled {
            break;
        }
        start = next;
    }
    // the images of the vectors themselves: a combination of the basis's images would carry the errors of all of them
    if let Some(vectors) = vectors {
        let answers = map(&vectors);
        for (ritz, answer) in best.iter_mut().zip(answers.col_iter()) {
            ritz.answer = answer.iter().copied().collect();
        }
    }
    best
}

/// An orthonormal basis of span{X, T X, …}.
fn space(
    first: &Mat<f64>,
    map: &impl Fn(&Mat<f64>) -> Mat<f64>,
    read: &impl Fn(&Mat<f64>) -> Mat<f64>,
    halt: &Halt,
) -> Mat<f64> {
    let (n, width) = (first.nrows(), first.ncols());
    let depth = KRYLOV_DEPTH.min(n / width - 1);
    let mut basis = first.qr().compute_thin_Q();
    let mut last = basis.clone();
    for _ in 0..depth {
        if halt.is_raised() || last.ncols() == 0 {
            break;
        }
        last = beside(&basis, read(&map(&last)));
        let filled = basis.ncols();
        basis = Mat::from_fn(n, filled + last.ncols(), |i, j| {
            if j < filled {
                basis[(i, j)]
            } else {
                last[(i, j - filled)]
            }
        });
    }
    basis
}

/// An orthonormal basis of what columns have beside an orthonormal one. Where the map has no more to give than the space holds already (T of a layer has as
/// many dimensions as the layer has functions), columns are rounding, which may lie in any direction: once more, without those that lie in the space.
fn beside(basis: &Mat<f64>, mut columns: Mat<f64>) -> Mat<f64> {
    let project = |columns: &mut Mat<f64>| {
        for _ in 0..2 {
            let part = transposed_product(basis, columns);
            *columns -= product(basis, &part);
        }
    };
    let size = columns.col_iter().map(|c| c.norm_l2()).fold(0.0, larger);
    project(&mut columns);
    let factors = columns.qr();
    let diagonal = factors.thin_R().diagonal().column_vector();
    let least = diagonal.iter().map(|r| r.abs()).reduce(smaller);
    let independent = least.is_some_and(|least| least > DEPENDENT * size);
    columns = factors.compute_thin_Q();
    if independent {
        return columns;
    }
    project(&mut columns);
    let factors = columns.col_piv_qr();
    let diagonal = factors.thin_R().diagonal().column_vector();
    let kept = diagonal.iter().take_while(|r| r.abs() > INSIDE).count();
    let all = factors.compute_thin_Q();
    all.submatrix(0, 0, all.nrows(), kept).to_owned()
}

/// The values of H of largest size, and the images of their vectors to go on from.
fn ritz(basis: &Mat<f64>, images: &Mat<f64>, wanted: usize) -> Option<(Vec<Ritz>, Mat<f64>)> {
    let h = transposed_product(basis, images);
    let eigen = h.eigen().ok()?;
    let (values, vectors) = (eigen.S(), eigen.U());
    let k = h.nrows();
    let size = |j: usize| values[j].re.hypot(values[j].im);
    let mut order: Vec<usize> = (0..k).filter(|j| values[*j].im >= 0.0).collect();
    order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
    let mut found = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for j in order {
        if found.len() >= wanted || size(j) == 0.0 || !size(j).is_finite() {
            break;
        }
        let value = [values[j].re, values[j].im];
        let parts: [Vec<f64>; 2] = [
            (0..k).map(|i| vectors[(i, j)].re).collect(),
            (0..k).map(|i| vectors[(i, j)].im).collect(),
        ];
        let paired = value[1] > 0.0;
        let h = Mat::from_fn(k, 2, |i, c| parts[c][i]);
        let (x, image) = (product(basis, &h), product(images, &h));
        // T (a + ib) − (μ + iν)(a + ib)
        let off = |i: usize| {
            let re = image[(i, 0)] - value[0] * x[(i, 0)] + value[1] * x[(i, 1)];
            let im = image[(i, 1)] - value[0] * x[(i, 1)] - value[1] * x[(i, 0)];
            re * re + im * im
        };
        let norm = x.norm_l2() * size(j);
        let residual = (0..x.nrows()).map(off).sum::<f64>().sqrt() / norm;
        for part in parts.into_iter().take(1 + usize::from(paired)) {
            let answer = Vec::new();
            found.push(Ritz {
                value,
                residual,
                answer,
            });
            columns.push(part);
        }
    }
    if columns.is_empty() {
        return None;
    }
    let h = Mat::from_fn(k, columns.len(), |i, c| columns[c][i]);
    Some((found, product(images, &h)))
}

#[cfg(test)]
mod tests {
    use super::largest;
    use crate::halt::Halt;
    use faer::Mat;

    /// A diagonal map with a double value: both copies are found, with their vectors.
    #[test]
    fn double_values_come_twice() {
        let n = 300;
        let mu = |i: usize| match i {
            0 | 1 => 1.0,
            _ => -1.0 / (1.0 + i as f64),
        };
        let map = |x: &Mat<f64>| Mat::from_fn(n, x.ncols(), |i, j| mu(i) * x[(i, j)]);
        let found = largest(n, 6, (3, &[]), map, Mat::clone, &Halt::default());
        let values: Vec<f64> = found.iter().map(|r| r.value[0]).collect();
        let expected = [1.0, 1.0, -1.0 / 3.0, -0.25, -0.2, -1.0 / 6.0];
        for (v, e) in values.iter().zip(expected) {
            assert!((v - e).abs() < 1e-12, "{values:?}");
        }
        let (a, b) = (&found[0].answer, &found[1].answer);
        let cross = (a[0] * b[1] - a[1] * b[0]).abs();
        assert!(cross > 1e-3 * a[0].hypot(a[1]) * b[0].hypot(b[1]));
    }

    /// A map that has fewer dimensions than the space that is searched: all of its values, and then zeros.
    #[test]
    fn a_map_of_few_dimensions() {
        let (n, rank) = (200, 20);
        let mu = |i: usize| {
            if i < rank {
                1.0 / (1.0 + (i / 2) as f64)
            } else {
                0.0
            }
        };
        let map = |x: &Mat<f64>| Mat::from_fn(n, x.ncols(), |i, j| mu(i) * x[(i, j)]);
        let found = largest(n, 7, (3, &[]), map, Mat::clone, &Halt::default());
        for (i, ritz) in found.iter().enumerate() {
            assert!(
                (ritz.value[0] - mu(i)).abs() < 1e-12 && ritz.residual < 1e-9,
                "{i}: {ritz:?}"
            );
        }
        assert_eq!(found.len(), 7);
    }

    /// A rotation in one plane: a pair of conjugate values is told as such.
    #[test]
    fn conjugate_values_keep_their_imaginary_parts() {
        let n = 60;
        let map = |x: &Mat<f64>| {
            Mat::from_fn(n, x.ncols(), |i, j| match i {
                0 => -2.0 * x[(1, j)],
                1 => 2.0 * x[(0, j)],
                _ => x[(i, j)] / (1.0 + i as f64),
            })
        };
        let found = largest(n, 2, (3, &[]), map, Mat::clone, &Halt::default());
        assert!(found.iter().all(|r| (r.value[1].abs() - 2.0).abs() < 1e-12));
    }
}
