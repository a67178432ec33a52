//! The product with a known function, plus a lift: boundary conditions that hold exactly.
//!
//! ```text
//! u = gφ + l
//! u_k = gφ_k + g_kφ + l_k          u_s = gφ_s + 2 Σ_ij C_ij g_i φ_j + g_sφ + l_s
//! φ̄_v = g ū_v + Σ_k g_k ū_k + Σ_s g_s ū_s      φ̄_k = g ū_k + 2 Σ_s ū_s (C_s ∇g)_k      φ̄_s = g ū_s
//! ```

use super::{Carried, Field};
use crate::simd::Real;
use std::sync::Arc;

/// u = factor·φ + lift.
#[derive(Clone)]
pub struct Ansatz<T> {
    /// g, or none for 1.
    pub factor: Option<Arc<dyn Field<T>>>,
    /// l, or none for 0.
    pub lift: Option<Arc<dyn Field<T>>>,
}

/// φ's streams become u's, in place; `factor` and `lift` hold the known streams (s, n), `product` is scratch of the same size.
pub(super) fn apply<T: Real>(
    carried: &Carried,
    n: usize,
    factor: Option<&[T]>,
    lift: Option<&[T]>,
    u: &mut [T],
) {
    if let Some(g) = factor {
        let row = |s: usize| s * n..(s + 1) * n;
        // the second-order streams first: they read the value and the first derivatives of φ
        for (s, q) in carried.second().iter().enumerate() {
            let (firsts, rest) = u.split_at_mut(carried.second_stream(s) * n);
            let out = &mut rest[..n];
            let (g_v, g_s) = (&g[row(0)], &g[row(carried.second_stream(s))]);
            for i in 0..n {
                out[i] = g_v[i] * out[i] + g_s[i] * firsts[i];
            }
            for &(i, j, c) in &q.entries {
                let c = T::from_f64(c);
                let [g_i, g_j] = [i, j].map(|k| &g[row(1 + k)]);
                let [u_i, u_j] = [i, j].map(|k| &firsts[row(1 + k)]);
                for p in 0..n {
                    out[p] += c * (g_i[p] * u_j[p] + g_j[p] * u_i[p]);
                }
            }
        }
        let (value, rest) = u.split_at_mut(n);
        for k in 0..carried.directions().len() {
            let out = &mut rest[row(k)];
            for i in 0..n {
                out[i] = g[i] * out[i] + g[row(1 + k)][i] * value[i];
            }
        }
        for i in 0..n {
            value[i] *= g[i];
        }
    }
    if let Some(l) = lift {
        for (u, &l) in u.iter_mut().zip(l) {
            *u += l;
        }
    }
}

/// ū becomes φ̄, in place.
pub(super) fn reverse<T: Real>(carried: &Carried, n: usize, factor: Option<&[T]>, u_bar: &mut [T]) {
    let Some(g) = factor else { return };
    let row = |s: usize| s * n..(s + 1) * n;
    let (value, rest) = u_bar.split_at_mut(n);
    for i in 0..n {
        let mut sum = g[i] * value[i];
        for s in 1..carried.len() {
            sum += g[s * n + i] * rest[(s - 1) * n + i];
        }
        value[i] = sum;
    }
    let (firsts, seconds) = rest.split_at_mut(carried.directions().len() * n);
    for (first, g) in firsts.chunks_exact_mut(n.max(1)).map(|f| (f, &g[..n])) {
        for i in 0..n {
            first[i] *= g[i];
        }
    }
    for (s, q) in carried.second().iter().enumerate() {
        let bar = &mut seconds[row(s)];
        for &(i, j, c) in &q.entries {
            let c = T::from_f64(c);
            for p in 0..n {
                firsts[i * n + p] += c * bar[p] * g[(1 + j) * n + p];
                firsts[j * n + p] += c * bar[p] * g[(1 + i) * n + p];
            }
        }
        for i in 0..n {
            bar[i] *= g[i];
        }
    }
}
