//! How large the terms of a problem are for the solution that its data imply, whatever a candidate says.
//!
//! ```text
//! T(r; U)   = rms( Σ_α |∂r/∂(D^α u) · D^α u| )   for a function of size U, with |D^α u| = U / ℓ^α      at points of r's own set
//! size of u = the largest, over source, conditions, observations and means r, of the U with T(r; U) = rms( r where every unknown is zero ),
//!             and of rms(guess)
//! ```
//!
//! ℓ is half the extent of an axis, or the shortest wave of the data along it; around a narrow place at most its width, and U there at least
//! what the condition that it belongs to says there: a narrow initial value starts with terms as large as its width makes them. An unknown that no data reach takes the size at which
//! its terms balance those of the others. The sizes follow the units: an equation, a coordinate or an unknown in other units gives the same
//! digits.

use super::{Block, JetColumns, Purpose, Residual, System, extent, rms, spectra};
use crate::domain::{DomainError, Draw};
use crate::problem::Place;
use std::f64::consts::PI;

/// Points of each set, and those at which sources are looked for: narrow ones lie between a few.
const POINTS: usize = 64;
const SOUGHT: usize = 4_096;
/// Sizes from the smallest to the largest that are looked at, by this factor; then halved on a logarithmic scale.
const COARSE: f64 = 1e10;
const HALVINGS: usize = 40;

/// What the data imply.
pub(super) struct Given {
    everywhere: Scale,
    /// The same around each narrow place of the problem.
    around: Vec<Scale>,
    start: Vec<f64>,
}

/// How large unknowns are, and over what lengths they change by as much.
#[derive(Clone)]
struct Scale {
    /// One for each unknown; zero where nothing but zero is given.
    sizes: Vec<f64>,
    /// One for each coordinate.
    lengths: Vec<f64>,
}

impl Given {
    pub(super) fn new(system: &System, draw: &Draw) -> Result<Self, DomainError> {
        let problem = &system.problem;
        let draw = draw.round(Purpose::Given.round()).held_out();
        let blocks = blocks(system, &draw)?;
        let bounds = problem.domain.bounds().iter();
        let waves = spectra(system, &problem.domain.interior(16, &draw)?);
        let length = |([low, high], power): (&[f64; 2], &Vec<f64>)| {
            0.5 * (high - low) / (PI * extent(power)).max(1.0)
        };
        let nothing = Scale {
            sizes: vec![0.0; problem.unknowns.len()],
            lengths: bounds.zip(&waves).map(length).collect(),
        };
        let mut given = Self {
            everywhere: nothing.clone(),
            around: Vec::new(),
            start: problem.sought.iter().map(|s| s.start).collect(),
        };
        let mut sizes = guesses(system, &blocks);
        let inside = problem.domain.interior(SOUGHT, &draw)?;
        for block in &blocks {
            let mut source = given.source(system, block);
            if block.residual < problem.equations.len() {
                let sites = system.known.bare_sites(&inside);
                source = source.max(given.source(system, &Block::new(block.residual, sites)));
                source = source.max(given.at_places(system, block.residual, &draw)?);
            }
            given.raise(&mut sizes, system, block, source, &nothing);
        }
        // a narrow value of a condition acts by the share of the domain that it takes, as narrow sources do
        let mut on_faces = Vec::with_capacity(problem.places.len());
        for place in &problem.places {
            let blocks = system.on_faces(place, POINTS, &draw)?.into_iter();
            let with_source = |block| (given.source(system, &block), block);
            let said: Vec<(f64, Block)> = blocks.map(with_source).collect();
            for (source, block) in &said {
                let source = source * place.share(problem);
                given.raise(&mut sizes, system, block, source, &nothing);
            }
            on_faces.push(said);
        }
        // what no data reach balances what they do
        for _ in 0..problem.unknowns.len() {
            let known = Scale {
                sizes: sizes.clone(),
                ..nothing.clone()
            };
            for (u, size) in sizes.iter_mut().enumerate().filter(|(_, s)| **s == 0.0) {
                for block in &blocks {
                    let others = given.terms(system, block, &known);
                    *size = size.max(given.balance(system, block, u, others, &known));
                }
            }
        }
        given.everywhere.sizes = sizes;
        let around = problem.places.iter().zip(&on_faces);
        given.around = around
            .map(|(place, said)| given.near(system, place, said))
            .collect();
        Ok(given)
    }

    /// How large the data imply each unknown to be; zero where nothing but zero is given.
    pub(super) fn sizes(&self) -> &[f64] {
        &self.everywhere.sizes
    }

    /// What the terms of a block amount to.
    pub(super) fn implied(&self, system: &System, block: &Block) -> f64 {
        let scale = block.around.map_or(&self.everywhere, |p| &self.around[p]);
        let own = self.terms(system, block, scale);
        own.max(self.source(system, block))
    }

    /// Sizes and lengths around a narrow place, with what its conditions say there.
    fn near(&self, system: &System, place: &Place, said: &[(f64, Block)]) -> Scale {
        let mut scale = self.everywhere.clone();
        for near in place.inside(&system.problem) {
            for (k, length) in scale.lengths.iter_mut().enumerate() {
                let width = match &near.across {
                    Some(strip) => strip.width / strip.normal[k].abs(),
                    None => near.width[k].unwrap_or(f64::INFINITY),
                };
                *length = length.min(width);
            }
        }
        let nothing = Scale {
            sizes: vec![0.0; scale.sizes.len()],
            lengths: scale.lengths.clone(),
        };
        for (source, block) in said {
            self.raise(&mut scale.sizes, system, block, *source, &nothing);
        }
        scale
    }

    /// Every size at least what balances a source of a block.
    fn raise(&self, sizes: &mut [f64], system: &System, block: &Block, source: f64, known: &Scale) {
        for (u, size) in sizes.iter_mut().enumerate() {
            *size = size.max(self.balance(system, block, u, source, known));
        }
    }

    /// The largest source at narrow places, which points may miss: as much as it is of it that acts, the share of the domain it takes.
    fn at_places(&self, system: &System, equation: usize, draw: &Draw) -> Result<f64, DomainError> {
        let problem = &system.problem;
        let mut most = 0.0f64;
        for place in problem.places.iter().flat_map(|p| p.inside(problem)) {
            let points = place.points(problem, POINTS, draw)?;
            if !points.is_empty() {
                let sites = system.known.bare_sites(&points);
                let source = self.source(system, &Block::new(equation, sites));
                most = most.max(source * place.share(problem));
            }
        }
        Ok(most)
    }

    /// rms(r) where every unknown is zero.
    fn source(&self, system: &System, block: &Block) -> f64 {
        let residual = &system.residuals[block.residual];
        let zero = vec![vec![0.0; block.sites.n]; residual.jets.len()];
        let r = residual.respond(block, &zero, &self.start).swap_remove(0);
        Some(rms(&block.rows(&r)))
            .filter(|s| s.is_finite())
            .unwrap_or(0.0)
    }

    /// Jets of functions of given sizes: signs without a pattern, the same for every size.
    fn jets(residual: &Residual, n: usize, scale: &Scale) -> JetColumns {
        let column = |(k, (u, axes)): (usize, &(usize, Vec<usize>))| {
            let size = axes
                .iter()
                .fold(scale.sizes[*u], |s, a| s / scale.lengths[*a]);
            let sign = |i: usize| {
                (12.9898 * i as f64 + 78.233 * (k + 1) as f64)
                    .sin()
                    .signum()
            };
            (0..n).map(|i| size * sign(i)).collect()
        };
        residual.jets.iter().enumerate().map(column).collect()
    }

    /// T(r; sizes).
    fn terms(&self, system: &System, block: &Block, scale: &Scale) -> f64 {
        let residual = &system.residuals[block.residual];
        let n = block.sites.n;
        let jets = Self::jets(residual, n, scale);
        let response = residual.respond(block, &jets, &self.start);
        let term = |i: usize| {
            let pairs = jets.iter().zip(&response[1..]);
            pairs
                .map(|(jet, partial)| (jet[i] * partial[i]).abs())
                .sum::<f64>()
        };
        rms(&(0..n).map(term).collect::<Vec<f64>>())
    }

    /// The size of unknown `u` at which its terms are as large as `wanted`, the others as large as they are known.
    fn balance(&self, system: &System, block: &Block, u: usize, wanted: f64, known: &Scale) -> f64 {
        let residual = &system.residuals[block.residual];
        if wanted <= 0.0 || residual.jets.iter().all(|(v, _)| *v != u) {
            return 0.0;
        }
        let without = self.terms(system, block, known);
        let reaches = |size: f64| {
            let mut scale = known.clone();
            scale.sizes[u] = size;
            self.terms(system, block, &scale) - without >= wanted
        };
        let sizes = (-29..=29).map(|k| COARSE.powi(k));
        let Some(mut high) = sizes.into_iter().find(|size| reaches(*size)) else {
            return 0.0;
        };
        let mut low = high / COARSE;
        for _ in 0..HALVINGS {
            let middle = low.sqrt() * high.sqrt();
            if reaches(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }
}

/// A few points of every residual's own set, those of conditions that the ansatz meets among them.
fn blocks(system: &System, draw: &Draw) -> Result<Vec<Block>, DomainError> {
    let problem = &system.problem;
    let first = problem.equations.len();
    let of_condition = first..first + problem.conditions.len();
    let mut blocks = system.evenly(POINTS, POINTS, draw, &[])?;
    blocks.retain(|block| !of_condition.contains(&block.residual));
    for (c, condition) in problem.conditions.iter().enumerate() {
        if !condition.pieces.is_empty() {
            let (points, normals) = system.on_boundary(condition, POINTS, draw)?;
            let sites = system.known.bare_sites(&points);
            blocks.push(Block::new(first + c, sites).with_normals(&normals));
        }
    }
    blocks.retain(|block| block.sites.n > 0);
    Ok(blocks)
}

/// How large each unknown's guess is.
fn guesses(system: &System, blocks: &[Block]) -> Vec<f64> {
    let inside = blocks
        .iter()
        .find(|b| b.residual < system.problem.equations.len());
    let value = system.known.wanted.place(&[]);
    let size = |guess: &Option<super::sites::Known>| {
        let jets = guess.as_ref()?.jets(&inside?.sites.coordinates);
        Some(rms(&jets[value])).filter(|s| s.is_finite())
    };
    let guesses = system.known.guess.iter();
    guesses.map(|guess| size(guess).unwrap_or(0.0)).collect()
}
