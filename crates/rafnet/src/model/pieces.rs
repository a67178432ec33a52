//! Values and derivatives of a model of several pieces: points are sorted by their boxes, and the network is asked at places in them.
//!
//! ```text
//! ξ = (x − m) / h      u = φ_p(ξ, f(m + h ξ))      u_k = φ_p,k / h_k      u_ij = φ_p,ij / (h_i h_j)
//! ```
//!
//! A piece that reads a feature f has engines of its own, with f as a function of ξ. Others never ask for its value, which may be infinite
//! where they are.

use super::check::field;
use super::engines::Engines;
use super::{Model, ModelError, Parts};
use crate::engine::{Ansatz, Carried, EngineError, Gradient, Second, Streams};
use crate::expr::{Expr, Leaf, largest};
use std::collections::BTreeMap;

/// Points that are asked at once, at most: the network's values there need not fit into memory all together.
const AT_ONCE: usize = 65_536;

/// Engines of the pieces that read features.
pub(super) fn engines(
    parts: &Parts,
    features: &[Expr],
    ansatz: &[Ansatz<f64>],
) -> BTreeMap<usize, Engines> {
    let of_piece = |(p, bounds): (usize, &Vec<[f64; 2]>)| {
        let read = reads(parts, p);
        let place = |axis: usize| {
            let [low, high] = bounds[axis];
            let xi = Expr::leaf(Leaf::Coordinate(axis));
            xi.scaled(0.5 * (high - low)) + Expr::number(0.5 * (low + high))
        };
        let in_box = |(feature, read): (&Expr, &bool)| {
            let of_xi = feature.replace(&mut |leaf: &Leaf| match leaf {
                Leaf::Coordinate(axis) => Some(place(*axis)),
                _ => None,
            });
            field(&if *read { of_xi } else { Expr::number(0.0) }, parts)
        };
        read.contains(&true).then(|| {
            let features = features.iter().zip(&read).map(in_box).collect();
            let network = parts.network.clone();
            (p, Engines::new(network, features, ansatz.to_vec()))
        })
    };
    let pieces = parts.pieces.iter().enumerate();
    pieces.filter_map(of_piece).collect()
}

/// Which features a piece reads: those of neurons that its last layer weighs. In networks with more than one hidden layer it may be any.
fn reads(parts: &Parts, piece: usize) -> Vec<bool> {
    let (network, count) = (&parts.network, parts.features.len());
    if network.layers().len() != 2 {
        return vec![true; count];
    }
    let (shared, inputs) = (parts.n_shared(), network.fan_in(0));
    let last = network.n_parameters() - shared;
    let own = &parts.parameters[shared + piece * last..][..last];
    let first = network.layout().layers[0].weight;
    let neurons = network.fan_in(1);
    let weighed = |j: &usize| own.iter().skip(*j).step_by(neurons).any(|w| *w != 0.0);
    let weights = |j: usize| &parts.parameters[first + j * inputs..][..inputs];
    let mut read = vec![false; count];
    for j in (0..neurons).filter(weighed) {
        let of_features = &weights(j)[inputs - count..];
        read.iter_mut()
            .zip(of_features)
            .for_each(|(r, w)| *r |= *w != 0.0);
    }
    read
}

impl Model {
    /// Fills (outputs, streams, n) numbers.
    pub(super) fn piece_by_piece(
        &self,
        points: &[f64],
        carried: &Carried,
        values: &mut [f64],
    ) -> Result<(), ModelError> {
        let d = self.dimension();
        if !points.len().is_multiple_of(d) {
            return Err(ModelError::Engine(EngineError::Length {
                what: "the points",
                found: points.len(),
                expected: format!("a multiple of the dimension {d}"),
            }));
        }
        let (of_box, second) = local_streams(carried);
        let mut mine: Vec<Vec<usize>> = vec![Vec::new(); self.parts.pieces.len()];
        for (i, point) in points.chunks_exact(d).enumerate() {
            mine[self.piece_of(point)].push(i);
        }
        let (shared, all) = (self.parts.n_shared(), &self.parts.parameters);
        let last = self.parts.network.n_parameters() - shared;
        for (p, of_piece) in mine.iter().enumerate() {
            let own = &all[shared + p * last..][..last];
            let parameters = [&all[..shared], own].concat();
            for places in of_piece.chunks(AT_ONCE) {
                let local = self.local_points(p, points, places);
                let streams = 1 + carried.directions().len() + second.len();
                let mut found = vec![0.0; places.len() * streams * self.n_outputs()];
                let engines = self.of_pieces.get(&p).unwrap_or(&self.engines);
                engines.with(|engine| engine.evaluate(&parameters, &local, &of_box, &mut found))?;
                self.spread(p, places, carried, &second, &found, values);
            }
            self.of_pieces.get(&p).into_iter().for_each(Engines::rest);
        }
        Ok(())
    }

    /// The piece of a point: the first box that holds it, or the nearest one.
    fn piece_of(&self, point: &[f64]) -> usize {
        let away = |bounds: &Vec<[f64; 2]>| {
            let off = |(x, [low, high]): (&f64, &[f64; 2])| (low - x).max(x - high).max(0.0);
            largest(point.iter().zip(bounds).map(off))
        };
        let mut nearest = (0, f64::INFINITY);
        for (p, bounds) in self.parts.pieces.iter().enumerate() {
            let distance = away(bounds);
            if distance < nearest.1 {
                nearest = (p, distance);
            }
            if distance <= 0.0 {
                break;
            }
        }
        nearest.0
    }

    /// Places in a box: every coordinate from −1 to 1.
    fn local_points(&self, piece: usize, points: &[f64], places: &[usize]) -> Vec<f64> {
        let (bounds, d) = (&self.parts.pieces[piece], self.dimension());
        let local =
            |(x, [low, high]): (&f64, &[f64; 2])| (x - 0.5 * (low + high)) / (0.5 * (high - low));
        let of_point = |i: &usize| points[i * d..(i + 1) * d].iter().zip(bounds).map(local);
        places.iter().flat_map(of_point).collect()
    }

    /// Puts what was found at places in a box where it belongs, in the user's units.
    fn spread(
        &self,
        piece: usize,
        places: &[usize],
        carried: &Carried,
        second: &[(usize, usize)],
        found: &[f64],
        values: &mut [f64],
    ) {
        let bounds = &self.parts.pieces[piece];
        let (count, n) = (
            places.len(),
            values.len() / (carried.len() * self.n_outputs()),
        );
        let directions = carried.directions();
        let steeper = |k: usize| 2.0 / (bounds[directions[k]][1] - bounds[directions[k]][0]);
        let streams = 1 + directions.len() + second.len();
        for output in 0..self.n_outputs() {
            let from = |s: usize| &found[(output * streams + s) * count..][..count];
            let mut add = |stream: usize, factor: f64, column: &[f64]| {
                let to = &mut values[(output * carried.len() + stream) * n..][..n];
                let pairs = places.iter().zip(column);
                pairs.for_each(|(i, v)| to[*i] += factor * v);
            };
            add(0, 1.0, from(0));
            for k in 0..directions.len() {
                add(1 + k, steeper(k), from(1 + k));
            }
            for (s, quadratic) in carried.second().iter().enumerate() {
                for &(i, j, c) in &quadratic.entries {
                    let at = second.iter().position(|pair| *pair == (i, j)).unwrap_or(0);
                    let factor = c * steeper(i) * steeper(j);
                    add(
                        carried.second_stream(s),
                        factor,
                        from(1 + directions.len() + at),
                    );
                }
            }
        }
    }
}

/// What the network is asked in a box: the same first derivatives, and every second one by itself. The pairs count carried directions.
fn local_streams(carried: &Carried) -> (Streams, Vec<(usize, usize)>) {
    let directions = carried.directions();
    let entries = carried.second().iter().flat_map(|q| &q.entries);
    let mut pairs: Vec<(usize, usize)> = entries.map(|&(i, j, _)| (i, j)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mixed = |&(i, j): &(usize, usize)| Second::Mixed(directions[i], directions[j]);
    let streams = Streams {
        gradient: Gradient::Along(directions.to_vec()),
        second: pairs.iter().map(mixed).collect(),
    };
    (streams, pairs)
}
