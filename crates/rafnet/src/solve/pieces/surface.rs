//! The boundary of a domain that is not a box, shared out among cells.
//!
//! A curve is followed at so many places of its own parameter; each run of places in one cell is an arc, which gets Chebyshev points of its
//! own, however short it is. Surfaces in space are met by a sequence of points. Time is a factor: a curve through time is its points times those
//! of the slab.

use super::Bounds;
use super::points::chebyshev;
use crate::domain::{Domain, Placed};
use crate::expr::{largest, smaller};

/// Places on a curve, and on a surface; fewer where there are very many, but never less than so many.
const ON_CURVE: usize = 4_000;
const ON_SURFACE: usize = 20_000;
const ON_ALL: usize = 200_000;
const LEAST: usize = 40;
/// Points of the shortest arc.
const FEWEST: usize = 6;

/// Points on one piece of the boundary, to find out which cells it crosses.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    piece: usize,
    /// Its dimension, time not counted.
    dimension: usize,
    /// How many places are looked at.
    places: usize,
    /// Those that bound the domain: their numbers in the sequence, and where they lie.
    numbers: Vec<usize>,
    points: Vec<f64>,
}

/// Points with normals.
#[derive(Default)]
pub(super) struct OnSurface {
    pub(super) points: Vec<f64>,
    pub(super) normals: Vec<f64>,
}

impl Surface {
    /// Every piece of the boundary but the ends of time.
    pub(super) fn all(domain: &Domain) -> Vec<Self> {
        let of_piece = |piece: usize| {
            let swept = usize::from(domain.time_axis().is_some());
            let dimension = domain.pieces()[piece].dimension - swept;
            let wanted = [2, ON_CURVE, ON_SURFACE][dimension.min(2)];
            let mut surface = Self {
                piece,
                dimension,
                places: wanted.min((ON_ALL / domain.pieces().len()).max(LEAST)),
                numbers: Vec::new(),
                points: Vec::new(),
            };
            for i in 0..surface.places {
                if let Some((x, _)) = surface.at(domain, &surface.parameter(domain, i)) {
                    surface.numbers.push(i);
                    surface.points.extend(x);
                }
            }
            surface
        };
        domain.space_pieces().into_iter().map(of_piece).collect()
    }

    pub(super) fn piece(&self) -> usize {
        self.piece
    }

    /// How far away the nearest of its points is.
    pub(super) fn distance(&self, from: &[f64]) -> f64 {
        let away = |x: &[f64]| {
            x.iter()
                .zip(from)
                .map(|(x, y)| (x - y).powi(2))
                .sum::<f64>()
        };
        let all = self.points.chunks_exact(from.len()).map(away);
        all.fold(f64::INFINITY, smaller).sqrt()
    }

    /// Numbers in (0, 1) of a place; on a curve they ascend.
    fn parameter(&self, domain: &Domain, i: usize) -> Vec<f64> {
        let count = domain.pieces()[self.piece].numbers - usize::from(domain.time_axis().is_some());
        if self.dimension < 2 {
            return vec![(i as f64 + 0.5) / self.places as f64; count];
        }
        // the sequence of M. Roberts (2018)
        let root = (0..64).fold(1.5f64, |x, _| (1.0 + x).powf(1.0 / (count as f64 + 1.0)));
        let along = |k: usize| (0.5 + (i as f64 + 1.0) * root.powf(-(k as f64 + 1.0))).fract();
        (0..count).map(along).collect()
    }

    /// The point and the normal of a parameter, half-way through time; `None` where it does not bound the domain.
    fn at(&self, domain: &Domain, u: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let piece = &domain.pieces()[self.piece];
        let (mut x, mut normal) = (vec![0.0; domain.dimension()], vec![0.0; domain.dimension()]);
        let time = domain.time_axis().map(|_| 0.5);
        let u: Vec<f64> = time.into_iter().chain(u.iter().copied()).collect();
        let placed = domain
            .shape()
            .place_on(&piece.part, piece.face, &u, &mut x, &mut normal);
        (placed == Placed::Kept).then_some((x, normal))
    }

    /// Which cell each of its points belongs to: the one that holds it, or the nearest.
    pub(super) fn owners(&self, domain: &Domain, cells: &[Bounds]) -> Vec<usize> {
        let time = domain.time_axis();
        let owner = |x: &[f64]| {
            let away = |cell: &Bounds| {
                let off = |(k, [low, high]): (usize, &[f64; 2])| match time {
                    Some(t) if t == k => 0.0,
                    _ => (low - x[k]).max(x[k] - high).max(0.0),
                };
                largest(cell.iter().enumerate().map(off))
            };
            let mut nearest = (0, f64::INFINITY);
            for (p, cell) in cells.iter().enumerate() {
                let distance = away(cell);
                if distance < nearest.1 {
                    nearest = (p, distance);
                }
                if distance <= 0.0 {
                    break;
                }
            }
            nearest.0
        };
        self.points
            .chunks_exact(domain.dimension())
            .map(owner)
            .collect()
    }

    /// Points of a cell, about `n` on a curve and n² on a surface, times as many instants of the cell.
    pub(super) fn within(
        &self,
        domain: &Domain,
        (cell, bounds): (usize, &Bounds),
        owners: &[usize],
        n: usize,
    ) -> OnSurface {
        let mine: Vec<usize> = (0..owners.len()).filter(|i| owners[*i] == cell).collect();
        let found: Vec<(Vec<f64>, Vec<f64>)> = if self.dimension == 1 {
            self.arcs(domain, &mine, n)
        } else {
            let stride = mine.len().div_ceil((n * n).max(1)).max(1);
            let parameter = |i: &usize| self.parameter(domain, self.numbers[*i]);
            let some = mine.iter().step_by(stride).map(parameter);
            some.filter_map(|u| self.at(domain, &u)).collect()
        };
        let instants: Vec<f64> = match domain.time_axis() {
            Some(time) => {
                let [first, last] = bounds[time];
                let at = |xi: f64| 0.5 * (first + last) + 0.5 * (last - first) * xi;
                chebyshev(n.div_ceil(2)).map(at).collect()
            }
            None => vec![0.0],
        };
        let mut all = OnSurface::default();
        for (x, normal) in &found {
            for t in &instants {
                let at = all.points.len();
                all.points.extend(x);
                all.normals.extend(normal);
                if let Some(time) = domain.time_axis() {
                    all.points[at + time] = *t;
                }
            }
        }
        all
    }

    /// Points on the arcs that runs of places make.
    fn arcs(&self, domain: &Domain, mine: &[usize], n: usize) -> Vec<(Vec<f64>, Vec<f64>)> {
        let (mut found, step) = (Vec::new(), 1.0 / self.places as f64);
        let follows = |a: &usize, b: &usize| self.numbers[*b] == self.numbers[*a] + 1;
        for run in mine.chunk_by(follows) {
            let [first, last] = [run[0], run[run.len() - 1]].map(|i| self.numbers[i] as f64);
            let (a, b) = (first * step, (last + 1.0) * step);
            let count = (n * run.len()).div_ceil(mine.len()).max(FEWEST);
            let numbers = self.parameter(domain, 0).len();
            for xi in chebyshev(count) {
                let u = vec![0.5 * (a + b) + 0.5 * (b - a) * xi; numbers];
                found.extend(self.at(domain, &u));
            }
        }
        found
    }
}
