//! Equations and conditions that no function meets together.
//!
//! Rows are weighed by what the data imply, so that the least sum of squares is a number of the problem and not of a layer:
//!
//! ```text
//! J = min over u of Σ_b mean(r_b²) / implied_b²
//! ```
//!
//! Where more is given than the equations take, or on a line, a contradiction is said to be one where J stays as it is while the layer doubles and doubles again, where what is left over is a function that
//! the layer could have met (a front that is too steep for the layer leaves something rough), and where J vanishes once one of the parts is
//! left out. Those parts are the ones that fight.
//!
//! That holds for the functions of such layers. A peak that is far narrower and far higher than the data show may meet everything, and nothing that
//! smooth functions leave over tells of it: (ε + x²)u″ + 4xu′ + 2u = ((ε + x²)u)″ vanishes for 1/(ε + x²), and is 2 for u = 1. On a line pieces
//! find such a function, and only what they do not meet either is a contradiction.

use super::attempt::{Attempt, Way};
use super::recipe::Recipe;
use super::search::Search;
use crate::domain::DomainError;
use crate::engine::ridges::Layer;
use crate::frozen::Start;
use crate::frozen::{State, Weighing};
use crate::frozen::{each_function, jets_of};
use crate::halt::Halt;
use crate::optimise::LeastSquares;
use crate::posed::{Block, Kind, Purpose, Residual, System, rms};
use crate::problem::Problem;
use crate::solve::{Options, pieces};

/// Below this held-out residual nothing fights.
const MET: f64 = 1e-6;
/// Functions of the smallest layer, by dimension; it is doubled twice.
const SMALLEST: [usize; 3] = [32, 80, 120];
/// By how much J may fall when the layer doubles, and again, and counts as unchanged.
const UNCHANGED: [f64; 2] = [0.7, 0.95];
/// What is left over counts as smooth where a layer meets it to this share.
const SMOOTH: f64 = 0.2;
/// J counts as vanished below this share.
const VANISHED: f64 = 1e-4;
/// Highest derivatives below this share of all terms are a perturbation.
const PERTURBED: f64 = 1e-3;
/// A part with this share of J, where leaving out one is not enough.
const LOUD: f64 = 0.05;

/// The least sum of squares over a layer.
struct Least {
    state: State,
    /// (rms(r_b) / implied_b)² of each block at points of its own.
    parts: Vec<(usize, f64)>,
}

impl Least {
    fn sum(&self) -> f64 {
        self.parts.iter().map(|p| p.1).sum()
    }
}

impl Search<'_> {
    /// Whether pieces on a line meet what one layer does not; what they found is kept.
    pub(super) fn is_met_in_pieces(&mut self, problem: &Problem) -> Result<bool, DomainError> {
        if problem.coordinates.len() > 1 || pieces::obstacle(problem).is_some() {
            return Ok(false);
        }
        let left = self.options.time_limit - self.started.elapsed().as_secs_f64();
        let limited = Options {
            time_limit: left.max(0.0),
            ..self.options.clone()
        };
        let progress = &mut *self.progress;
        let found = pieces::solve(problem, &limited, 1, progress, self.halt)?;
        self.heed();
        self.in_pieces = found.filter(|found| found.verdict.residual < MET);
        Ok(self.in_pieces.is_some())
    }
}

/// The residuals (by their place in the system's list) that fight; none where nothing is known to, or when it is ended. `scales` are
/// those of the data.
pub(super) fn fighting(
    problem: &Problem,
    best: &Attempt,
    scales: Vec<f64>,
    options: &Options,
    halt: &Halt,
) -> Result<Vec<usize>, DomainError> {
    // as many conditions as an equation takes may be hard to meet, more may be impossible; on a line what is hard is soon resolved
    let more = problem.equations.len() > problem.unknowns.len();
    let observed = !problem.data.is_empty() && problem.sought.is_empty();
    let on_a_line = problem.coordinates.len() == 1 && problem.time.is_none();
    let given = more || observed || on_a_line || !problem.constraints.is_empty();
    let noisy = problem.data.iter().any(|o| o.sigma.is_some());
    // a layer that does not resolve the texts shows nothing
    let given = given && problem.places.is_empty();
    let way = Way::new("as rows", problem.clone(), 0, options)?;
    if best.verdict.residual < MET || noisy || !given || way.system.nonlinear() && !more {
        return Ok(Vec::new());
    }
    let n = SMALLEST[problem.coordinates.len().clamp(1, 3) - 1];
    let recipe = Recipe::sines(scales, options.seed);
    let layers = [n, 2 * n, 4 * n].map(|n| way.inputs.draw(n, &recipe));
    let start = Start {
        state: best.state.clone(),
        until: None,
    };
    let nonlinear = way.system.nonlinear();
    let start = Some(&start).filter(|_| nonlinear);
    let all = |_: usize| true;
    let Some(mut least) = minimise(&way, &layers[0], start, &all, halt)? else {
        return Ok(Vec::new());
    };
    for (layer, unchanged) in layers[1..].iter().zip(UNCHANGED) {
        let Some(next) = minimise(&way, layer, start, &all, halt)? else {
            return Ok(Vec::new());
        };
        if next.sum() < unchanged * least.sum() {
            return Ok(Vec::new());
        }
        // a larger layer that leaves more at points of its own fits its rows and no function
        if next.sum() < least.sum() {
            least = next;
        }
    }
    if least.sum() < MET * MET {
        return Ok(Vec::new());
    }
    if !leftover_is_smooth(&way, &layers[2], &least, halt)? || is_perturbed(&way, &least)? {
        return Ok(Vec::new());
    }
    let mut fighting = Vec::new();
    for (part, _) in &least.parts {
        let without = |r: usize| r != *part;
        let rest = minimise(&way, &layers[1], start, &without, halt)?;
        if rest.is_some_and(|rest| rest.sum() < VANISHED * least.sum()) {
            fighting.push(*part);
        }
    }
    if fighting.len() < 2 {
        let loud = least.parts.iter().filter(|p| p.1 > LOUD * least.sum());
        fighting = loud.map(|p| p.0).collect();
    }
    // one part alone cannot fight
    fighting.retain({
        let several = fighting.len() > 1;
        move |_| several
    });
    Ok(halt.unless(fighting).unwrap_or_default())
}

/// The layer's best coefficients for the parts that are kept.
fn minimise(
    way: &Way,
    layer: &Layer,
    start: Option<&Start>,
    kept: &dyn Fn(usize) -> bool,
    halt: &Halt,
) -> Result<Option<Least>, DomainError> {
    if halt.is_raised() {
        return Ok(None);
    }
    let system = &way.system;
    let draw = system.draw(way.seed);
    let points = 3 * layer.len();
    let blocks = system.evenly(points, points, &draw, &[])?;
    let blocks: Vec<Block> = blocks.into_iter().filter(|b| kept(b.residual)).collect();
    let scale = |block: &Block| Ok(1.0 / (size(system, block)? * (block.n_rows() as f64).sqrt()));
    let scales = blocks.iter().map(scale);
    let scales: Vec<f64> = scales.collect::<Result<_, DomainError>>()?;
    let fitted = system.fit_weighed(layer, &blocks, start, Weighing::Given(&scales), halt);
    let Some(state) = fitted else {
        return Ok(None);
    };
    let held_out = system.evenly(points, points, &draw.held_out(), &[])?;
    let mut parts: Vec<(usize, f64)> = Vec::new();
    for block in held_out.iter().filter(|b| kept(b.residual)) {
        let off = rms(&left_over(system, &state, block)) / size(system, block)?;
        parts.push((block.residual, off * off));
    }
    Ok(Some(Least { state, parts }))
}

/// What the terms of a block amount to; 1 where nothing but zero is given.
fn size(system: &System, block: &Block) -> Result<f64, DomainError> {
    let implied = system.implied(block)?;
    Ok(if implied > 0.0 { implied } else { 1.0 })
}

/// The residuals of a block, row by row.
fn left_over(system: &System, state: &State, block: &Block) -> Vec<f64> {
    let residual = &system.residuals[block.residual];
    let jets = jets_of(&state.layer, &state.coefficients, residual, block);
    block.rows(&residual.respond(block, &jets, &state.sought)[0])
}

/// Whether the highest derivatives of an equation are next to nothing for what was found: they come into their own in layers that are
/// too thin to be seen, and a function with such a layer may meet everything.
fn is_perturbed(way: &Way, least: &Least) -> Result<bool, DomainError> {
    let system = &way.system;
    let blocks = system.evenly(
        200,
        8,
        &system.draw(way.seed).round(Purpose::Contradiction.round()),
        &[],
    )?;
    for block in &blocks {
        let residual = &system.residuals[block.residual];
        let order = residual.jets.iter().map(|(_, axes)| axes.len()).max();
        let Some(order) = order.filter(|o| *o > 0 && residual.kind == Kind::Equation) else {
            continue;
        };
        let state = &least.state;
        let jets = jets_of(&state.layer, &state.coefficients, residual, block);
        let response = residual.respond(block, &jets, &state.sought);
        let term = |k: usize| {
            let values = jets[k].iter().zip(&response[k + 1]);
            rms(&values.map(|(jet, p)| jet * p).collect::<Vec<f64>>())
        };
        let highest = (0..jets.len()).filter(|k| residual.jets[*k].1.len() == order);
        let highest: f64 = highest.map(term).sum();
        let all = (0..jets.len()).map(term).sum::<f64>();
        if highest < PERTURBED * all.max(size(system, block)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the loudest equation's residual is a function like those of the layer.
fn leftover_is_smooth(
    way: &Way,
    layer: &Layer,
    least: &Least,
    halt: &Halt,
) -> Result<bool, DomainError> {
    let system = &way.system;
    let points = 3 * layer.len();
    let blocks = system.evenly(
        points,
        8,
        &system.draw(way.seed).round(Purpose::Sized.round()),
        &[],
    )?;
    let of_equation = |r: usize| system.residuals[r].kind == Kind::Equation;
    let loudest = least.parts.iter().filter(|p| of_equation(p.0));
    let Some(loudest) = loudest.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Ok(true);
    };
    if loudest.1 < LOUD * least.sum() {
        return Ok(true); // conditions fight, each on its own set
    }
    let Some(block) = blocks.iter().find(|b| b.residual == loudest.0) else {
        return Ok(true);
    };
    let r = left_over(system, &least.state, block);
    let value = crate::expr::Expr::leaf(crate::expr::Leaf::jet(0, &[]));
    let value = Residual::new(Kind::Equation, &value, system.known.dimension, 0);
    let mut rows = LeastSquares::room(block.sites.n, layer.len(), 1);
    each_function(layer, &value, block, halt, |j, _, column| {
        for (i, v) in column.iter().enumerate() {
            rows[(i, j)] = *v;
        }
    });
    for (i, r) in r.iter().enumerate() {
        rows[(i, layer.len())] = *r;
    }
    let misfit = LeastSquares::new(rows, 1, halt).misfit(&[1.0]);
    let norm = rms(&r) * (r.len() as f64).sqrt();
    Ok(misfit <= SMOOTH * norm)
}
