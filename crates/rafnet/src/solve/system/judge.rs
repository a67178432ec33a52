//! How good a solution is, at points that no solver sees.
//!
//! ```text
//! residual of a block = rms(r) / rms( Σ_α |∂r/∂(D^α u) · D^α u| + |what is left of r| )          the worst block counts
//! ```
//!
//! so that the figure means digits, whatever the units. The terms are never taken as smaller than those of a function that changes by
//! its own size over half the domain. For a condition the terms are also looked at inside, or zero data on zero
//! values would count as no agreement at all.

use super::{Block, JetColumns, Kind, Residual, System};
use crate::domain::{DomainError, Draw};
use crate::expr::{Expr, Leaf};

/// Held-out points.
pub(crate) struct Judge {
    pub(crate) blocks: Vec<Block>,
    /// For each block of a condition points inside.
    inner: Vec<Option<Block>>,
    /// Points inside, and each unknown itself: how large it is.
    inside: Block,
    values: Vec<Residual>,
}

/// What the judge found.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// The worst block's residual relative to its terms.
    pub(crate) residual: f64,
    /// Root mean squares: equations, boundary, initial, data; `None` where there are none.
    pub(crate) rms: [Option<f64>; 4],
}

/// Held-out points inside and on the edge.
const INSIDE: usize = 600;
const EDGE: usize = 300;
/// Observations whose misfit is this many times their noise are explained.
const EXPLAINED: f64 = 1.5;

impl Judge {
    /// Draws the points.
    pub(crate) fn new(system: &System, draw: &Draw) -> Result<Self, DomainError> {
        let blocks = system.blocks(INSIDE, EDGE, &draw.held_out(), &[])?;
        let points = system
            .problem
            .domain
            .interior(64, &draw.round(3).held_out())?;
        let inner = |block: &Block| {
            let kind = system.residuals[block.residual].kind;
            matches!(kind, Kind::Boundary | Kind::Initial)
                .then(|| Block::new(block.residual, system.known.sites(&points)))
        };
        let d = system.known.dimension;
        let value = |u| Residual::new(Kind::Equation, &Expr::leaf(Leaf::jet(u, &[])), d, 0);
        Ok(Self {
            inner: blocks.iter().map(inner).collect(),
            inside: Block::new(0, system.known.sites(&points)),
            values: (0..system.problem.unknowns.len()).map(value).collect(),
            blocks,
        })
    }

    /// Judges a solution by its jets.
    pub(crate) fn verdict(
        &self,
        system: &System,
        sought: &[f64],
        jets: impl Fn(&Residual, &Block) -> JetColumns,
    ) -> Verdict {
        let mut verdict = Verdict {
            residual: 0.0,
            rms: [None; 4],
        };
        let rms_of = |value: &Residual| {
            let column = jets(value, &self.inside).swap_remove(0);
            (column.iter().map(|v| v * v).sum::<f64>() / column.len().max(1) as f64).sqrt()
        };
        let sizes: Vec<f64> = self.values.iter().map(rms_of).collect();
        for (block, inner) in self.blocks.iter().zip(&self.inner) {
            let residual = &system.residuals[block.residual];
            let columns = jets(residual, block);
            let response = residual.respond(block, &columns, sought);
            let rows = block.rows(&response[0]);
            let rms = (rows.iter().map(|r| r * r).sum::<f64>() / rows.len().max(1) as f64).sqrt();
            let mut size = terms(&response, &columns);
            if let Some(inner) = inner {
                size = size.max(inner_terms(&response, &jets(residual, inner)));
            }
            size = size.max(natural(
                residual,
                &response,
                &sizes,
                system.problem.domain.bounds(),
            ));
            let relative = if size > 0.0 { rms / size } else { rms };
            let explained = block.noise.is_some_and(|sigma| rms <= EXPLAINED * sigma);
            if !relative.is_finite() {
                verdict.residual = f64::INFINITY;
            } else if !explained {
                verdict.residual = verdict.residual.max(relative);
            }
            let place = match residual.kind {
                Kind::Equation | Kind::Mean => 0,
                Kind::Boundary => 1,
                Kind::Initial => 2,
                Kind::Data => 3,
            };
            verdict.rms[place] = Some(verdict.rms[place].unwrap_or(0.0).max(rms));
        }
        verdict
    }
}

/// The root mean square of Σ|∂r/∂(D^α u) D^α u| + |what is left of r|.
fn terms(response: &[Vec<f64>], jets: &[Vec<f64>]) -> f64 {
    let n = response[0].len();
    let mut sum = 0.0;
    for i in 0..n {
        let (mut size, mut total) = (0.0, 0.0);
        for (jet, partial) in jets.iter().zip(&response[1..]) {
            let term = jet[i] * partial[i];
            (size, total) = (size + f64::abs(term), total + term);
        }
        sum += (size + (response[0][i] - total).abs()).powi(2);
    }
    (sum / n.max(1) as f64).sqrt()
}

/// The same with jets inside and the mean sizes of the partial derivatives on the edge: the text of a condition is evaluated on
/// its own set only.
fn inner_terms(response: &[Vec<f64>], jets: &[Vec<f64>]) -> f64 {
    let mean = |partial: &Vec<f64>| {
        partial.iter().map(|p| p.abs()).sum::<f64>() / partial.len().max(1) as f64
    };
    let n = jets.first().map_or(0, Vec::len);
    let factors: Vec<f64> = response[1..].iter().map(mean).collect();
    let size = |i: usize| {
        let terms = jets.iter().zip(&factors).map(|(jet, f)| f * jet[i].abs());
        terms.sum::<f64>().powi(2)
    };
    ((0..n).map(size).sum::<f64>() / n.max(1) as f64).sqrt()
}

/// What the terms amount to for functions that change by their own size over half the domain: Σ mean|∂r/∂(D^α u)| |u| / h^α. It counts
/// where every term of the solution itself vanishes, as those of a linear function do in Laplace's equation.
fn natural(residual: &Residual, response: &[Vec<f64>], sizes: &[f64], bounds: &[[f64; 2]]) -> f64 {
    let term = |((unknown, axes), partial): (&(usize, Vec<usize>), &Vec<f64>)| {
        let mean = partial.iter().map(|p| p.abs()).sum::<f64>() / partial.len().max(1) as f64;
        let halves = axes.iter().map(|&k| 0.5 * (bounds[k][1] - bounds[k][0]));
        mean * sizes[*unknown] / halves.product::<f64>()
    };
    residual.jets.iter().zip(&response[1..]).map(term).sum()
}
