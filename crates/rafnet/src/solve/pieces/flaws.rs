//! Where a slab is wrong, by how much, and along which axis it is rough.
//!
//! ```text
//! flaw of a piece = √(its share of the slab) · the largest of  rms(r) / terms         equations at points that no solve sees, conditions, start
//!                                                              rms(jump of D^α u) h^α / U                       towards its neighbours
//! ```
//!
//! U: the size of the unknown, h: half the extent of the piece, terms: those of a function of this size ([`Terms`](super::scale::Terms)). So a
//! flaw means digits of the error in the mean square, whatever the units. A kink acts as a source does, and in pieces that are small enough its jump times h is nothing: on a line
//! it is told beside the flaw. On a line the mean of r over a piece is told beside it: it acts as a source does,
//! far beyond a small piece, where no rms tells of it. In the plane and in space the mean jump of a slope over a face acts so, and
//! no equation has it.

use super::Bounds;
use super::pieced::Pieced;
use super::points::tails;
use super::rows::points_an_axis;
use super::slab::Slab;
use crate::expr::{larger, largest};
use crate::frozen::jets_of;
use crate::posed::{Block, rms};

/// What is wrong with the pieces of a slab.
pub(super) struct Flaws {
    pub(super) each: Vec<Flaw>,
    /// What is made everywhere by sources that hide in small pieces or between them: the sum on a line, where they are few, else as of random signs.
    pub(super) hidden: f64,
    /// The size of each unknown.
    pub(super) sizes: Vec<f64>,
}

/// What is wrong with one piece.
#[derive(Clone, Debug)]
pub(super) struct Flaw {
    pub(super) size: f64,
    /// On a line, what the mean of the equations' residual makes everywhere, as a source would.
    hidden: f64,
    /// On a line, by which share of itself a slope changes where the piece ends, if that is much.
    pub(super) kink: f64,
    /// Along each axis how rough the solution is.
    pub(super) tails: Vec<f64>,
    /// Along each axis where half of the equations' squared residual lies below, as a share of the extent.
    pub(super) middle: Vec<f64>,
}

/// Fewer points along an axis than those of the solve, so that they lie elsewhere.
const FEWER: usize = 3;
/// However small a piece is, its flaw counts by this share.
const SMALLEST: f64 = 1e-3;

/// On a line a slope that changes by more than this share of itself where two pieces meet is a kink.
const KINK: f64 = 0.1;

/// Flaws are compared with limits: one that is no number is beyond them all.
fn bad(flaw: f64) -> f64 {
    if flaw.is_nan() { f64::INFINITY } else { flaw }
}

impl Slab<'_> {
    /// The flaws of a solution; none once it is ended.
    pub(super) fn flaws(&self, found: &Pieced) -> Flaws {
        let looked = self.each(&|p| self.flaw(p, &found.coefficients[p]));
        if self.crew.halt.is_raised() {
            return Flaws {
                each: Vec::new(),
                hidden: 0.0,
                sizes: Vec::new(),
            };
        }
        let (mut flaws, sizes): (Vec<Flaw>, Vec<Vec<f64>>) = looked.into_iter().unzip();
        let on_a_line = self.boxes[0].len() == 1;
        let mut between = 0.0f64;
        for join in &self.joins {
            let square = join.square(&found.coefficients, self.width());
            let jump = bad(square / join.entries.nrows() as f64).sqrt();
            let kink = bad(join.kink(&found.coefficients, self.width()));
            let kink = if on_a_line && kink > KINK { kink } else { 0.0 };
            between = between.hypot(join.hidden(&found.coefficients, self.width()));
            for p in &join.pieces {
                flaws[*p].size = flaws[*p].size.max(jump);
                flaws[*p].kink = flaws[*p].kink.max(kink);
            }
        }
        let volume = |bounds: &Bounds| bounds.iter().map(|[low, high]| high - low).product::<f64>();
        let all: f64 = self.boxes.iter().map(volume).sum();
        for (flaw, bounds) in flaws.iter_mut().zip(&self.boxes) {
            flaw.size *= (volume(bounds) / all).sqrt().max(SMALLEST);
        }
        let largest = |u: usize| largest(sizes.iter().map(|s| s[u]));
        let hidden = if on_a_line {
            flaws.iter().map(|f| f.hidden).sum()
        } else {
            between
        };
        Flaws {
            each: flaws,
            hidden,
            sizes: (0..self.posed.unknowns()).map(largest).collect(),
        }
    }

    fn flaw(&self, p: usize, coefficients: &[f64]) -> (Flaw, Vec<f64>) {
        let (system, bounds) = (&self.posed.system, &self.boxes[p]);
        let (d, layer) = (bounds.len(), self.posed.layer(self.functions, bounds));
        let [inside, _] = points_an_axis(self.functions, d);
        let fewer = inside.saturating_sub(FEWER).max(3);
        let held_out = self.posed.region.inside(bounds, fewer, None);
        let equations = system.problem.equations.len();
        let sites = |points: &[f64]| self.posed.sites(self.functions, bounds, points);
        let (mut size, mut hidden) = (0.0f64, 0.0f64);
        let mut square = vec![0.0; held_out.len() / d];
        let mut look = |block: &Block| {
            let residual = &system.residuals[block.residual];
            let jets = jets_of(&layer, coefficients, residual, block);
            let response = residual.respond(block, &jets, &[]);
            let terms = self.terms(p, block.residual, &response[1..]);
            let natural = terms.strict;
            let acts = block.residual < equations && d == 1;
            if let Some(source) = terms.source.filter(|_| acts) {
                let mean = mean(&held_out, &response[0], bounds[0]);
                hidden = larger(hidden, mean.abs() / source);
            }
            let relative = if natural == 0.0 {
                0.0
            } else {
                rms(&response[0]) / natural
            };
            size = size.max(bad(relative));
            if block.residual < equations {
                let pairs = square.iter_mut().zip(&response[0]);
                pairs.for_each(|(s, r)| *s += (r / natural.max(f64::MIN_POSITIVE)).powi(2));
            }
        };
        for r in 0..equations {
            look(&Block::new(r, sites(&held_out)));
        }
        self.blocks[p]
            .iter()
            .filter(|b| b.residual >= equations)
            .for_each(look);
        let (tails, sizes) = self.shape(p, coefficients);
        let middle = (0..d)
            .map(|axis| middle(&held_out, &square, axis, bounds))
            .collect();
        (
            Flaw {
                size,
                hidden,
                kink: 0.0,
                tails,
                middle,
            },
            sizes,
        )
    }

    /// How rough the unknowns are along each axis, in units of their sizes, and how large.
    fn shape(&self, p: usize, coefficients: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (system, bounds) = (&self.posed.system, &self.boxes[p]);
        let (d, layer) = (bounds.len(), self.posed.layer(self.functions, bounds));
        let [inside, _] = points_an_axis(self.functions, d);
        let region = &self.posed.region;
        let points = region.inside(bounds, inside, None);
        let (mut rough, mut sizes) = (vec![0.0f64; d], Vec::new());
        for u in 0..self.posed.unknowns() {
            let r = self.posed.known(u, &[]);
            let values = |points: &[f64]| {
                let sites = self.posed.sites(self.functions, bounds, points);
                let block = Block::new(r, sites);
                jets_of(&layer, coefficients, &system.residuals[r], &block).swap_remove(0)
            };
            // on lines inside, where the box is not all of it
            let along = |axis: usize| {
                let lines = values(&region.lines(bounds, axis, inside));
                tails(&lines, inside, 1, self.functions.degree)[0]
            };
            let degree = self.functions.degree;
            let found: Vec<f64> = if region.is_plain() {
                tails(&values(&points), inside, d, degree)
            } else {
                (0..d).map(along).collect()
            };
            let values = values(&points);
            rough
                .iter_mut()
                .zip(&found)
                .for_each(|(r, t)| *r = r.max(bad(t / self.sizes[u])));
            sizes.push(rms(&values));
        }
        (rough, sizes)
    }
}

/// The mean over an interval of values at Chebyshev's points.
fn mean(points: &[f64], values: &[f64], [low, high]: [f64; 2]) -> f64 {
    let weight = |x: &f64| ((x - low) * (high - x)).max(0.0).sqrt();
    let sum: f64 = points.iter().zip(values).map(|(x, v)| weight(x) * v).sum();
    sum / points.iter().map(weight).sum::<f64>()
}

/// The share of an axis below which half of the squares lie.
fn middle(points: &[f64], squares: &[f64], axis: usize, bounds: &[[f64; 2]]) -> f64 {
    let places = points.iter().skip(axis).step_by(bounds.len());
    let mut all: Vec<(f64, f64)> = places.copied().zip(squares.iter().copied()).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = squares.iter().sum();
    let mut sum = 0.0;
    let half = all.iter().find(|(_, s)| {
        sum += s;
        sum >= 0.5 * total
    });
    let [low, high] = bounds[axis];
    half.map_or(0.5, |(x, _)| (x - low) / (high - low))
}
