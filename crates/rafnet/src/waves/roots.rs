//! Determinants and roots of polynomials, of complex numbers.

use crate::expr::largest;
use faer::c64;

/// Coefficients below this share of the largest are rounding.
const ROUNDING: f64 = 1e-14;
/// Steps for all roots at once.
const STEPS: usize = 80;
/// Newton's steps for one of them.
const POLISHED: usize = 4;

/// A determinant, by elimination with pivots.
pub(super) fn determinant(mut rows: Vec<Vec<c64>>) -> c64 {
    let mut product = c64::new(1.0, 0.0);
    for k in 0..rows.len() {
        let size = |i: &usize| rows[*i][k].norm();
        let pivot = (k..rows.len()).max_by(|i, j| size(i).total_cmp(&size(j)));
        let pivot = pivot.unwrap_or(k);
        if pivot != k {
            rows.swap(pivot, k);
            product = -product;
        }
        let (above, below) = rows.split_at_mut(k + 1);
        let first = &above[k];
        product *= first[k];
        if first[k].norm() > 0.0 {
            for row in below {
                let factor = row[k] / first[k];
                row.iter_mut()
                    .zip(first)
                    .for_each(|(x, f)| *x -= factor * f);
            }
        }
    }
    product
}

/// All roots of a polynomial, lowest coefficient first, at once (E. Durand, I. Kerner).
pub(super) fn all_roots(coefficients: &[c64]) -> Vec<c64> {
    let size = largest(coefficients.iter().map(|c| c.norm()));
    let last = coefficients
        .iter()
        .rposition(|c| c.norm() > ROUNDING * size);
    let Some(degree) = last.filter(|d| *d > 0) else {
        return Vec::new();
    };
    let monic: Vec<c64> = coefficients[..=degree]
        .iter()
        .map(|c| c / coefficients[degree])
        .collect();
    // no root is larger (M. Fujiwara)
    let bound = |k: usize| monic[degree - k].norm().powf(1.0 / k as f64);
    let bound = 2.0 * largest((1..=degree).map(bound));
    let start = |k: usize| c64::from_polar(0.5 * bound, 0.4 + 2.4 * k as f64);
    let mut roots: Vec<c64> = (0..degree).map(start).collect();
    for _ in 0..STEPS {
        for k in 0..degree {
            let value = value(&monic, roots[k]);
            let others = (0..degree).filter(|j| *j != k);
            let apart: c64 = others.map(|j| roots[k] - roots[j]).product();
            let off = value / apart;
            if off.is_finite() {
                roots[k] -= off;
            }
        }
    }
    roots
}

/// A polynomial at a place.
fn value(polynomial: &[c64], z: c64) -> c64 {
    let highest_first = polynomial.iter().rev();
    highest_first.fold(c64::new(0.0, 0.0), |sum, c| sum * z + c)
}

/// A root of so many times near a place: the derivative that has it once has all of its digits.
pub(super) fn multiple_root(coefficients: &[c64], times: usize, near: c64) -> c64 {
    let derivative = |p: &[c64]| -> Vec<c64> {
        let powers = p.iter().enumerate().skip(1);
        powers.map(|(k, c)| c * k as f64).collect()
    };
    let simple = (1..times).fold(coefficients.to_vec(), |p, _| derivative(&p));
    let slope = derivative(&simple);
    (0..POLISHED).fold(near, |z, _| {
        let off = value(&simple, z) / value(&slope, z);
        if off.is_finite() { z - off } else { z }
    })
}

/// Roots in groups whose members are no further than this from the first one.
pub(super) fn together(roots: &[c64], apart: f64) -> Vec<Vec<c64>> {
    let mut groups: Vec<Vec<c64>> = Vec::new();
    for root in roots {
        let near = |group: &&mut Vec<c64>| (group[0] - root).norm() <= apart;
        match groups.iter_mut().find(near) {
            Some(group) => group.push(*root),
            None => groups.push(vec![*root]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{all_roots, determinant, multiple_root, together};
    use crate::expr::smaller;
    use faer::c64;

    /// (z − 1)(z + 2)(z − 3i) = z³ + (1 − 3i) z² − (2 + 3i) z + 6i, with a leading coefficient that is none.
    #[test]
    fn roots_are_those_of_the_factors() {
        let polynomial = [
            [0.0, 6.0],
            [-2.0, -3.0],
            [1.0, -3.0],
            [1.0, 0.0],
            [0.0, 1e-17],
        ];
        let found = all_roots(&polynomial.map(|[re, im]| c64::new(re, im)));
        assert_eq!(found.len(), 3);
        for [re, im] in [[1.0, 0.0], [-2.0, 0.0], [0.0, 3.0]] {
            let off = found.iter().map(|z| (z - c64::new(re, im)).norm());
            let off = off.reduce(smaller).expect("three roots");
            assert!(off < 1e-13, "{found:?}");
        }
    }

    /// (z − 1)² (z + 2)² = z⁴ + 2z³ − 3z² − 4z + 4.
    #[test]
    fn double_roots_have_all_digits() {
        let p = [4.0, -4.0, -3.0, 2.0, 1.0].map(|c| c64::new(c, 0.0));
        let groups = together(&all_roots(&p), 1e-3);
        assert_eq!(groups.len(), 2);
        for group in groups {
            let expected = if group[0].re > 0.0 { 1.0 } else { -2.0 };
            let found = multiple_root(&p, 2, group[0]);
            assert!((found - c64::new(expected, 0.0)).norm() < 1e-14, "{found}");
        }
    }

    /// Rows that need a pivot: |0 2 i; 1 0 3; 4 i 0| = 2·3·4 + i·1·i = 23.
    #[test]
    fn a_determinant_with_zeros_on_its_diagonal() {
        let i = c64::new(0.0, 1.0);
        let real = |v: f64| c64::new(v, 0.0);
        let rows = vec![
            vec![real(0.0), real(2.0), i],
            vec![real(1.0), real(0.0), real(3.0)],
            vec![real(4.0), i, real(0.0)],
        ];
        assert!((determinant(rows) - real(23.0)).norm() < 1e-13);
    }
}
