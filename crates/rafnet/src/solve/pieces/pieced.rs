//! A function made of pieces.

use super::functions::{Functions, Own};
use super::{Bounds, Posed};
use crate::engine::ridges::Layer;
use crate::expr::{Expr, larger};
use crate::frozen::jets_of;
use crate::posed::{Block, JetColumns, Residual};

/// Boxes with coefficients of the same functions.
#[derive(Clone, Debug)]
pub(crate) struct Pieced {
    pub(super) functions: Functions,
    /// In whose coordinates the functions are.
    pub(super) boxes: Vec<Bounds>,
    /// The cells of the cut: the same, but where they lie partly outside the domain.
    pub(super) cells: Vec<Bounds>,
    /// For each box N numbers for each unknown.
    pub(super) coefficients: Vec<Vec<f64>>,
}

/// The same as a model has it.
pub(crate) struct Whole {
    /// The functions of every piece, in its own coordinates, and of the known ones beside these.
    pub(crate) layer: Layer,
    /// Known functions of the place.
    pub(crate) features: Vec<(String, Expr)>,
    pub(crate) boxes: Vec<Bounds>,
    /// One number for each function, of one unknown after the other, of one piece after the other.
    pub(crate) coefficients: Vec<f64>,
}

impl Pieced {
    /// The jets that a residual reads, at a block's points.
    pub(super) fn jets(&self, posed: &Posed, residual: &Residual, block: &Block) -> JetColumns {
        let coordinates = &block.sites.coordinates;
        let (d, n) = (coordinates.len(), block.sites.n);
        let mut mine: Vec<Vec<usize>> = vec![Vec::new(); self.boxes.len()];
        (0..n).fold(0, |last, i| {
            let piece = self.piece_of(&|k| coordinates[k][i], last);
            mine[piece].push(i);
            piece
        });
        let mut out = vec![vec![0.0; n]; residual.jets.len()];
        for (p, places) in mine.iter().enumerate().filter(|(_, m)| !m.is_empty()) {
            let points: Vec<f64> = places
                .iter()
                .flat_map(|i| (0..d).map(|k| coordinates[k][*i]))
                .collect();
            let sites = posed.sites(&self.functions, &self.boxes[p], &points);
            let there = Block::new(block.residual, sites);
            let layer = posed.layer(&self.functions, &self.boxes[p]);
            let found = jets_of(&layer, &self.coefficients[p], residual, &there);
            for (to, from) in out.iter_mut().zip(&found) {
                places.iter().zip(from).for_each(|(i, v)| to[*i] = *v);
            }
        }
        out
    }

    /// The box of a point, or the nearest: the one that is tried first, or else the first of all that holds it.
    fn piece_of(&self, x: &dyn Fn(usize) -> f64, tried: usize) -> usize {
        let away = |bounds: &Bounds| {
            let off = |(k, [low, high]): (usize, &[f64; 2])| (low - x(k)).max(x(k) - high);
            bounds
                .iter()
                .enumerate()
                .map(off)
                .fold(f64::NEG_INFINITY, larger)
        };
        if self.boxes.get(tried).is_some_and(|b| away(b) < 0.0) {
            return tried; // well inside, so in no other
        }
        let mut nearest = (0, f64::INFINITY);
        for (p, bounds) in self.boxes.iter().enumerate() {
            let distance = away(bounds).max(0.0);
            if distance < nearest.1 {
                nearest = (p, distance);
            }
            if distance <= 0.0 {
                break;
            }
        }
        nearest.0
    }

    /// Takes the pieces of another one with the same functions.
    pub(super) fn extend(&mut self, other: Self) {
        self.boxes.extend(other.boxes);
        self.cells.extend(other.cells);
        self.coefficients.extend(other.coefficients);
    }

    /// With one layer for all pieces: behind what all have, the functions of every corner that has some, and waves that solve the equations.
    pub(super) fn whole(self, posed: &Posed) -> Whole {
        let n = self.functions.len();
        let own = |bounds: &Bounds| posed.own(&self.functions, bounds);
        let of_piece: Vec<Own> = self.boxes.iter().map(own).collect();
        let (mut features, mut first) = (Vec::new(), vec![0; posed.corners.len()]);
        for (c, corner) in posed.corners.iter().enumerate() {
            first[c] = features.len();
            let has = |own: &Own| matches!(own, Own::Corner(k, _) if *k == c);
            if of_piece.iter().any(has) {
                let named =
                    |(k, e): (usize, &Expr)| (format!("corner{}_{}", c + 1, k + 1), e.clone());
                features.extend(corner.expressions(corner.of(n)).enumerate().map(named));
            }
        }
        let first_wave = features.len();
        if of_piece.iter().any(|own| matches!(own, Own::Waves(_))) {
            let waves = self.functions.wave_expressions().enumerate();
            features.extend(waves.map(|(k, e)| (format!("wave{}", k + 1), e)));
        }
        let layer = self.functions.with(n, &vec![1.0; features.len()]);
        let mut coefficients = Vec::new();
        for (own, found) in of_piece.iter().zip(&self.coefficients) {
            let (at, units) = match own {
                Own::Nothing => (0, Vec::new()),
                Own::Corner(c, units) => (first[*c], units.clone()),
                Own::Waves(count) => (first_wave, vec![1.0; *count]),
            };
            for of_unknown in found.chunks_exact(n) {
                let (general, known) = of_unknown.split_at(n - units.len());
                let mut all = vec![0.0; layer.len()];
                all[..general.len()].copy_from_slice(general);
                let known = known.iter().zip(&units).map(|(c, unit)| c * unit);
                all[n + at..]
                    .iter_mut()
                    .zip(known)
                    .for_each(|(to, c)| *to = c);
                coefficients.extend(all);
            }
        }
        Whole {
            layer,
            features,
            boxes: self.boxes,
            coefficients,
        }
    }
}
