//! Thin matrices by columns: inner products of all pairs of columns, and combinations of columns taken away from others.
//!
//! ```text
//! w_ij = a_i · b_j                b_j −= Σ_i a_i w_ij
//! ```
//!
//! Four columns of each are in registers at a time, so that a number that is read takes part in four products: a few columns are too few for a
//! general product, which would copy them first.
#![allow(
    unsafe_code,
    reason = "loads and stores through pointers in the innermost loops"
)]

use super::{Isa, Kernel, Vector, dispatch};

/// Columns of each side at a time.
const TILE: usize = 4;
/// Rows that are gone through for all columns before the next ones, so that they stay in the first-level cache.
const CHUNK: usize = 256;
/// Lanes of the widest register.
const MOST: usize = 8;

/// w ← aᵀ b, a column of w for each of b, when all columns are as long.
///
/// # Panics
/// If columns differ in length, or w does not have a number for each pair.
pub fn inner_products(a: &[&[f64]], b: &[&[f64]], w: &mut [f64]) {
    let n = a.first().map_or(0, |a| a.len());
    let equal = a.is_empty() || a.iter().chain(b).all(|column| column.len() == n);
    assert!(equal && w.len() == a.len() * b.len(), "sizes that fit");
    w.fill(0.0);
    dispatch(InnerProducts { a, b, w });
}

/// b ← b − a w, a column of w for each of b.
///
/// # Panics
/// If columns differ in length, or w does not have a number for each pair.
pub fn take_away(b: &mut [&mut [f64]], a: &[&[f64]], w: &[f64]) {
    let n = a.first().map_or(0, |a| a.len());
    let equal = a.iter().all(|a| a.len() == n) && b.iter().all(|b| a.is_empty() || b.len() == n);
    assert!(equal && w.len() == a.len() * b.len(), "sizes that fit");
    dispatch(TakeAway { b, a, w });
}

struct InnerProducts<'a> {
    a: &'a [&'a [f64]],
    b: &'a [&'a [f64]],
    w: &'a mut [f64],
}

struct TakeAway<'a, 'b> {
    b: &'a mut [&'b mut [f64]],
    a: &'a [&'a [f64]],
    w: &'a [f64],
}

/// Calls `$tile` for all columns of `$a` and `$b`, four by four while there are as many.
macro_rules! tiles {
    ($a:expr, $b:expr, |$i:ident, $j:ident| $tile:ident::<$isa:ty>($($argument:expr),*)) => {
        let (all_a, all_b) = ($a, $b);
        let mut $j = 0;
        while $j < all_b {
            let wide = all_b - $j >= TILE;
            let mut $i = 0;
            while $i < all_a {
                let tall = all_a - $i >= TILE;
                match (tall, wide) {
                    (true, true) => $tile::<$isa, TILE, TILE>($($argument),*),
                    (true, false) => $tile::<$isa, TILE, 1>($($argument),*),
                    (false, true) => $tile::<$isa, 1, TILE>($($argument),*),
                    (false, false) => $tile::<$isa, 1, 1>($($argument),*),
                }
                $i += if tall { TILE } else { 1 };
            }
            $j += if wide { TILE } else { 1 };
        }
    };
}

impl Kernel for InnerProducts<'_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { a, b, w } = self;
        let rows = a.first().map_or(0, |a| a.len());
        let mut from = 0;
        while from < rows {
            let n = CHUNK.min(rows - from);
            tiles!(a.len(), b.len(), |i, j| products_of_tile::<I::F64>(
                a,
                b,
                w,
                [i, j],
                from,
                n
            ));
            from += n;
        }
    }
}

impl Kernel for TakeAway<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { b, a, w } = self;
        let rows = a.first().map_or(0, |a| a.len());
        let mut from = 0;
        while from < rows {
            let n = CHUNK.min(rows - from);
            tiles!(a.len(), b.len(), |i, j| tile_taken_away::<I::F64>(
                b,
                a,
                w,
                [i, j],
                from,
                n
            ));
            from += n;
        }
    }
}

/// The places of a last register that ends with the last of `n` rows: zero for those that the registers before it had.
#[inline(always)]
fn last_rows<V: Vector<Element = f64>>(n: usize) -> V {
    static PLACES: [u64; 2 * MOST] = {
        let mut places = [0; 2 * MOST];
        let mut at = MOST;
        while at < 2 * MOST {
            places[at] = u64::MAX;
            at += 1;
        }
        places
    };
    // SAFETY: between MOST − LANES and MOST numbers of 2 MOST stand before these LANES.
    unsafe { V::load(PLACES.as_ptr().add(MOST - V::LANES + n % V::LANES).cast()) }
}

/// Adds a_i · b_j over some rows to w for columns from `i` and `j` on.
#[inline(always)]
fn products_of_tile<V: Vector<Element = f64>, const A: usize, const B: usize>(
    a: &[&[f64]],
    b: &[&[f64]],
    w: &mut [f64],
    [i, j]: [usize; 2],
    from: usize,
    n: usize,
) {
    let all_a = a.len();
    let (mut ours, mut theirs) = ([&[0.0; 0][..]; A], [&[0.0; 0][..]; B]);
    for (k, ours) in ours.iter_mut().enumerate() {
        *ours = &a[i + k][from..from + n];
    }
    for (k, theirs) in theirs.iter_mut().enumerate() {
        *theirs = &b[j + k][from..from + n];
    }
    if n < V::LANES {
        for (k, ours) in ours.iter().enumerate() {
            for (l, theirs) in theirs.iter().enumerate() {
                for (a, b) in ours.iter().zip(*theirs) {
                    w[(j + l) * all_a + i + k] += a * b;
                }
            }
        }
        return;
    }
    let mut sums = [[V::zero(); B]; A];
    let mut at = 0;
    let mut places = V::zero();
    loop {
        let whole = at + V::LANES <= n;
        if !whole {
            if at == n {
                break;
            }
            places = last_rows::<V>(n);
            at = n - V::LANES;
        }
        let mut column = [V::zero(); B];
        for (value, theirs) in column.iter_mut().zip(&theirs) {
            // SAFETY: at + LANES ≤ n, the length of every column.
            *value = unsafe { V::load(theirs.as_ptr().add(at)) };
        }
        for (sums, ours) in sums.iter_mut().zip(&ours) {
            // SAFETY: as above.
            let mut own = unsafe { V::load(ours.as_ptr().add(at)) };
            if !whole {
                own = own.and(places);
            }
            for (sum, theirs) in sums.iter_mut().zip(&column) {
                *sum = own.mul_add(*theirs, *sum);
            }
        }
        at += V::LANES;
    }
    for (k, sums) in sums.iter().enumerate() {
        for (l, sum) in sums.iter().enumerate() {
            w[(j + l) * all_a + i + k] += sum.sum();
        }
    }
}

/// b_j −= a_i w_ij over some rows for columns from `i` and `j` on.
#[inline(always)]
fn tile_taken_away<V: Vector<Element = f64>, const A: usize, const B: usize>(
    b: &mut [&mut [f64]],
    a: &[&[f64]],
    w: &[f64],
    [i, j]: [usize; 2],
    from: usize,
    n: usize,
) {
    let all_a = a.len();
    let mut factors = [[V::zero(); B]; A];
    let (mut ours, mut theirs) = ([std::ptr::null(); A], [std::ptr::null_mut(); B]);
    for k in 0..A {
        ours[k] = a[i + k][from..from + n].as_ptr();
        for l in 0..B {
            factors[k][l] = V::splat(w[(j + l) * all_a + i + k]);
        }
    }
    for (k, theirs) in theirs.iter_mut().enumerate() {
        *theirs = b[j + k][from..from + n].as_mut_ptr();
    }
    if n < V::LANES {
        for k in 0..A {
            for l in 0..B {
                let own = &a[i + k][from..from + n];
                let factor = w[(j + l) * all_a + i + k];
                for (b, a) in b[j + l][from..from + n].iter_mut().zip(own) {
                    *b -= a * factor;
                }
            }
        }
        return;
    }
    let mut at = 0;
    let mut places = V::zero();
    loop {
        let whole = at + V::LANES <= n;
        if !whole {
            if at == n {
                return;
            }
            places = last_rows::<V>(n);
            at = n - V::LANES;
        }
        let mut column = [V::zero(); B];
        for (value, theirs) in column.iter_mut().zip(&theirs) {
            // SAFETY: at + LANES ≤ n, the length of every column.
            *value = unsafe { V::load(theirs.add(at)) };
        }
        for (ours, factors) in ours.iter().zip(&factors) {
            // SAFETY: as above.
            let mut own = unsafe { V::load(ours.add(at)) };
            if !whole {
                own = own.and(places);
            }
            for (value, factor) in column.iter_mut().zip(factors) {
                *value = own.neg_mul_add(*factor, *value);
            }
        }
        for (value, theirs) in column.iter().zip(&theirs) {
            // SAFETY: as above; what the places leave out is written as it was read.
            unsafe { value.store(theirs.add(at)) };
        }
        at += V::LANES;
    }
}

#[cfg(test)]
mod tests {
    use super::{inner_products, take_away};

    /// Columns of small whole numbers, whose sums are exact.
    fn columns(count: usize, rows: usize, seed: usize) -> Vec<Vec<f64>> {
        let entry = |i: usize, j: usize| ((i * 7 + j * 13 + seed) % 11) as f64 - 5.0;
        let column = |j: usize| (0..rows).map(|i| entry(i, j)).collect();
        (0..count).map(column).collect()
    }

    fn borrowed(columns: &[Vec<f64>]) -> Vec<&[f64]> {
        columns.iter().map(|c| &c[..]).collect()
    }

    /// Every number of columns around a tile, every number of rows around a register and around a chunk, against plain loops.
    #[test]
    fn every_size() {
        for rows in (0..20).chain(250..270) {
            for (n, m) in (0..10).flat_map(|n| (0..6).map(move |m| (n, m))) {
                let (a, mut b) = (columns(n, rows, 1), columns(m, rows, 2));
                let mut w = vec![1.0; n * m];
                inner_products(&borrowed(&a), &borrowed(&b), &mut w);
                for (place, w) in w.iter().enumerate() {
                    let pairs = a[place % n].iter().zip(&b[place / n]);
                    let expected: f64 = pairs.map(|(a, b)| a * b).sum();
                    assert!((w - expected).abs() < 0.5, "{rows} {n} {m}: {w} {expected}");
                }
                let expected: Vec<Vec<f64>> = (0..m)
                    .map(|j| {
                        let taken = |i: usize| (0..n).map(|k| a[k][i] * w[j * n + k]).sum::<f64>();
                        (0..rows).map(|i| b[j][i] - taken(i)).collect()
                    })
                    .collect();
                let mut to: Vec<&mut [f64]> = b.iter_mut().map(|b| &mut b[..]).collect();
                take_away(&mut to, &borrowed(&a), &w);
                for (found, expected) in b.iter().flatten().zip(expected.iter().flatten()) {
                    assert!((found - expected).abs() < 0.5, "{rows} {n} {m}");
                }
            }
        }
    }
}
