//! A residual that reads every stream.

use super::number::Number;
use crate::engine::{Formula, Read, Residual, Response, Site, Streams};
use crate::expr::{Expr, Leaf};
use crate::simd::Real;
use std::sync::atomic::{AtomicUsize, Ordering};

/// r_m = (1 + ¼x₀) Σ_os c_mos u_os + ½ u_00 u_OS + Σ_k p_k² u_00 − data_m, u_os stream s of output o, u_OS the last of them, p_k shared.
#[derive(Debug)]
pub(super) struct Probe {
    pub(super) streams: Streams,
    pub(super) n_streams: usize,
    pub(super) outputs: usize,
    pub(super) count: usize,
    pub(super) c: Vec<f64>, // (residuals, outputs, streams)
    /// How many shared numbers.
    pub(super) shared: usize,
    /// The most points it saw in one call: the engine's tile.
    pub(super) tile: AtomicUsize,
}

impl Probe {
    /// Its residuals at a point with these streams.
    pub(super) fn all<N: Number>(&self, x0: f64, u: &[N], data: &[f64], p: &[N]) -> Vec<N> {
        let all = data.iter().enumerate();
        all.map(|(m, &data)| self.at(m, x0, u, data, p)).collect()
    }

    fn at<N: Number>(&self, m: usize, x0: f64, u: &[N], data: f64, p: &[N]) -> N {
        let c = &self.c[m * u.len()..(m + 1) * u.len()];
        let sum = c
            .iter()
            .zip(u)
            .fold(N::exact(0.0), |sum, (&c, &u)| sum + N::rounded(c) * u);
        let stretch = N::exact(1.0) + N::exact(0.25) * N::exact(x0);
        let scaled = p.iter().fold(N::exact(0.0), |sum, &p| sum + p * p * u[0]);
        stretch * sum + N::exact(0.5) * u[0] * u[u.len() - 1] + scaled - N::exact(data)
    }
}

impl<T: Real> Residual<T> for Probe {
    fn streams(&self) -> Streams {
        self.streams.clone()
    }
    fn count(&self) -> usize {
        self.count
    }
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn shared(&self) -> usize {
        self.shared
    }
    fn data_columns(&self) -> usize {
        self.count
    }
    fn evaluate(&self, site: &Site<'_, T>, response: &mut Response<'_, T>) {
        self.tile.fetch_max(site.n(), Ordering::Relaxed);
        let x = site.points.coordinate(0);
        let (half, quarter) = (T::from_f64(0.5), T::from_f64(0.25));
        let (first, last) = (site.u(0, 0), site.u(self.outputs - 1, self.n_streams - 1));
        for m in 0..self.count {
            for (i, value) in response.value(m).iter_mut().enumerate() {
                *value = half * first[i] * last[i] - site.data(m)[i];
            }
            for o in 0..self.outputs {
                for s in 0..self.n_streams {
                    let place = (m * self.outputs + o) * self.n_streams + s;
                    let c = T::from_f64(self.c[place]);
                    for (i, &x) in x.iter().enumerate() {
                        let slope = (T::ONE + quarter * x) * c;
                        response.value(m)[i] += slope * site.u(o, s)[i];
                        response.partial(m, o, s)[i] += slope;
                    }
                }
            }
            for i in 0..site.n() {
                response.partial(m, 0, 0)[i] += half * last[i];
                response.partial(m, self.outputs - 1, self.n_streams - 1)[i] += half * first[i];
            }
            for (k, &p) in site.shared().iter().enumerate() {
                for (i, &u) in first.iter().enumerate() {
                    response.value(m)[i] += p * p * u;
                    response.partial(m, 0, 0)[i] += p * p;
                    response.slope(m, k)[i] = (p + p) * u;
                }
            }
        }
    }
    fn formula(&self) -> Option<Formula> {
        let mut reads = vec![(Leaf::Coordinate(0), Read::Coordinate(0))];
        // leaves of any kind will do, as long as no two are the same
        let mut leaf = |read: Read| {
            let leaf = Leaf::Column(reads.len());
            reads.push((leaf.clone(), read));
            Expr::leaf(leaf)
        };
        let places = (0..self.outputs).flat_map(|o| (0..self.n_streams).map(move |s| [o, s]));
        let u: Vec<Expr> = places
            .clone()
            .map(|[output, stream]| leaf(Read::Stream { output, stream }))
            .collect();
        let data: Vec<Expr> = (0..self.count).map(|m| leaf(Read::Data(m))).collect();
        let p: Vec<Expr> = (0..self.shared).map(|k| leaf(Read::Shared(k))).collect();
        let number = Expr::number;
        let stretch = number(1.0) + number(0.25) * Expr::leaf(Leaf::Coordinate(0));
        let half = |e: &Expr| number(0.5) * e.clone();
        let (first, last) = (&u[0], &u[u.len() - 1]);
        let squares = p
            .iter()
            .fold(number(0.0), |sum, p| sum + p.clone() * p.clone());
        let (mut residuals, mut partials, mut slopes) = (Vec::new(), Vec::new(), Vec::new());
        for (m, (c, data)) in self.c.chunks_exact(u.len()).zip(&data).enumerate() {
            let sum = c
                .iter()
                .zip(&u)
                .fold(number(0.0), |sum, (&c, u)| sum + number(c) * u.clone());
            let bent = half(first) * last.clone() + squares.clone() * first.clone();
            residuals.push(stretch.clone() * sum + bent - data.clone());
            for (at, ([o, s], &c)) in places.clone().zip(c).enumerate() {
                let mut partial = stretch.clone() * number(c);
                if at == 0 {
                    partial = partial + half(last) + squares.clone();
                }
                if at + 1 == u.len() {
                    partial = partial + half(first);
                }
                partials.push(([m, o, s], partial));
            }
            for (k, p) in p.iter().enumerate() {
                slopes.push(([m, k], number(2.0) * p.clone() * first.clone()));
            }
        }
        Some(Formula {
            reads,
            residuals,
            partials,
            slopes,
        })
    }
}
