//! Square transposes of registers by repeated interleaving.
//!
//! One round replaces the rows (v₀ … v_{N−1}) by zip(v₀, v_{N/2}), zip(v₁, v_{N/2+1}), …; after log₂ N rounds row j holds
//! what column j held. Adding the two halves of each zip instead of keeping both sums the rows on the way.

use super::Vector;

/// Most lanes of any register.
const MOST: usize = 16;

/// Transposes `LANES` rows of `LANES` numbers: row j becomes (`v₀[j]`, `v₁[j]`, …).
#[inline(always)]
pub fn transpose<V: Vector>(rows: &mut [V; MOST]) {
    let half = V::LANES / 2;
    let mut round = 1;
    while round < V::LANES {
        let old = *rows;
        for i in 0..half {
            (rows[2 * i], rows[2 * i + 1]) = old[i].zip(old[i + half]);
        }
        round *= 2;
    }
}

/// The sums of `LANES` registers as one register: lane j is the sum of `rows[j]`.
#[inline(always)]
pub fn reduce_rows<V: Vector>(rows: &[V; MOST]) -> V {
    let mut rows = *rows;
    let mut half = V::LANES / 2;
    while half > 0 {
        for i in 0..half {
            let (low, high) = rows[i].zip(rows[i + half]);
            rows[i] = low.add(high);
        }
        half /= 2;
    }
    rows[0]
}
