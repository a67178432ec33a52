//! The search for the layer: how fast its functions oscillate along each axis, and how many there are.

use super::ansatz::with_factors;
use super::features::Layer;
use super::newton::{Start, State, System};
use super::rows::{Block, Kind, KnownParts, Residual, jets_of, respond};
use super::spectrum::{Power, extent, spectra};
use crate::activation::random;
use crate::basis::Basis;
use crate::domain::{DomainError, Draw, Sampler};
use crate::problem::Problem;
use rand::RngExt;
use std::f64::consts::PI;
use std::time::Instant;

/// What a user may choose.
#[derive(Clone, Debug)]
pub struct Options {
    /// The same seed, the same bits.
    pub seed: u64,
    /// Held-out residual, relative to its own terms, at which the search ends.
    pub target: f64,
    /// Seconds after which the best so far is returned.
    pub time_limit: f64,
    /// The most functions.
    pub width: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            target: 1e-12,
            time_limit: 300.0,
            width: 1600,
        }
    }
}

/// What is said on the way.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Seconds since the start.
    pub seconds: f64,
    /// Functions of the layer just tried.
    pub width: usize,
    /// Its held-out residual.
    pub residual: f64,
    /// The best so far.
    pub best: f64,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The frozen layer.
    pub layer: Layer,
    /// N output weights for each unknown.
    pub coefficients: Vec<f64>,
    /// The sought parameters.
    pub sought: Vec<f64>,
    /// Held-out residual of the worst kind of rows, relative to its terms.
    pub residual: f64,
    /// Root mean squares of the held-out residuals: equations, boundary, initial, data; `None` where there are none.
    pub rms: [Option<f64>; 4],
    /// For each unknown the factor and the lift that were used.
    pub ansatz: Vec<Option<(crate::expr::Expr, crate::expr::Expr)>>,
    /// The relative difference to an independent solution.
    pub error_estimate: f64,
    /// Rows of the last solve.
    pub points: usize,
    /// How it ended: `target reached`, `converged`, `budget spent` or `stopped`.
    pub outcome: &'static str,
    /// What was tried, in words.
    pub decisions: Vec<String>,
}

struct Search<'a> {
    system: System<'a>,
    known: KnownParts,
    options: &'a Options,
    spectra: Vec<Power>,
    held_out: Vec<Block>,
    scale_blocks: Vec<Option<Block>>,
    started: Instant,
    best: Option<(State, f64)>,
    /// What Newton starts from while there is no best.
    start: Option<State>,
    tried: usize,
    stopped: bool,
    progress: &'a mut dyn FnMut(Progress) -> bool,
}

/// How the layer's weights are drawn, in cycles per half extent times 2π.
#[derive(Clone, Debug)]
struct Scales(Vec<f64>);

/// Solves a problem; `progress` returns whether to go on.
///
/// Where zero boundary values can hold exactly, both that way and the way of weighted rows are tried, and the held-out residual
/// chooses.
///
/// # Errors
/// [`DomainError`] if no points can be drawn.
pub fn solve(
    problem: &Problem,
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Solution, DomainError> {
    let started = Instant::now();
    let factored = with_factors(problem);
    let Some(factored) = &factored else {
        let mut search = Search::new(problem, options, started, progress)?;
        let first = search.begin()?;
        return search.run(first);
    };
    let (exactly, reached) = {
        let mut search = Search::new(factored, options, started, progress)?;
        let first = search.begin()?;
        if search.over() {
            return search.run(first);
        }
        (first, search.best.as_ref().map_or(f64::INFINITY, |b| b.1))
    };
    let (by_rows, rows) = {
        let mut search = Search::new(problem, options, started, progress)?;
        let first = search.begin()?;
        if search.over() || search.best.as_ref().map_or(f64::INFINITY, |b| b.1) < reached {
            return search.run(first);
        }
        (first, search.best.as_ref().map_or(f64::INFINITY, |b| b.1))
    };
    let mut search = Search::new(factored, options, started, progress)?;
    let mut first = exactly;
    first.decisions.push(format!(
        "boundary values held exactly: {reached:.1e} against {rows:.1e} by rows (scales {})",
        numbers(&by_rows.scales.0)
    ));
    first.residual = search.attempt(first.n, &first.scales, first.seed)?;
    search.run(first)
}

/// Where a search stands after its first tuning.
struct First {
    n: usize,
    scales: Scales,
    seed: u64,
    residual: f64,
    decisions: Vec<String>,
}

/// Every equation, condition, observation and mean, compiled.
fn residuals(problem: &Problem) -> Vec<Residual> {
    let d = problem.coordinates.len();
    let n_sought = problem.sought.len();
    let residual = |kind, e: &crate::expr::Expr| Residual::new(kind, e, d, n_sought);
    let mut residuals: Vec<Residual> = problem
        .equations
        .iter()
        .map(|e| residual(Kind::Equation, e))
        .collect();
    for c in &problem.conditions {
        residuals.push(residual(
            if c.initial {
                Kind::Initial
            } else {
                Kind::Boundary
            },
            &c.residual,
        ));
    }
    for o in &problem.data {
        let value = crate::expr::Expr::leaf(crate::expr::Leaf::Column(0));
        residuals.push(residual(Kind::Data, &(o.observe.clone() - value)));
    }
    for m in &problem.means {
        residuals.push(residual(
            Kind::Mean,
            &(m.of.clone() - crate::expr::Expr::number(m.value)),
        ));
    }
    residuals
}

/// Sobol points where there are direction numbers, random ones beyond.
fn sampler(d: usize) -> Sampler {
    if d <= 20 {
        Sampler::Sobol
    } else {
        Sampler::Random
    }
}

impl<'a> Search<'a> {
    fn new(
        problem: &'a Problem,
        options: &'a Options,
        started: Instant,
        progress: &'a mut dyn FnMut(Progress) -> bool,
    ) -> Result<Self, DomainError> {
        let d = problem.coordinates.len();
        let (known, residuals) = (KnownParts::new(problem), residuals(problem));
        let through = problem
            .domain
            .interior(16, &Draw::new(sampler(d), options.seed).round(7))?;
        let spectra = spectra(problem, &residuals, &known, &through);
        let mut search = Self {
            system: System { problem, residuals },
            known,
            options,
            spectra,
            held_out: Vec::new(),
            scale_blocks: Vec::new(),
            started,
            best: None,
            start: None,
            tried: 0,
            stopped: false,
            progress,
        };
        search.held_out =
            search.blocks(600, 300, &Draw::new(sampler(d), options.seed).held_out())?;
        search.scale_blocks =
            search.inner_blocks(&Draw::new(sampler(d), options.seed).round(3).held_out())?;
        Ok(search)
    }

    /// Points for every residual: `inside` for each equation, `edge` shared by the conditions.
    fn blocks(&self, inside: usize, edge: usize, draw: &Draw) -> Result<Vec<Block>, DomainError> {
        let problem = self.system.problem;
        let mut blocks = Vec::new();
        let interior = problem.domain.interior(inside, draw)?;
        for r in 0..problem.equations.len() {
            blocks.push(Block::new(r, &self.known, &interior, &[], Vec::new(), 1.0));
        }
        for (c, condition) in problem.conditions.iter().enumerate() {
            let held = condition
                .dirichlet
                .as_ref()
                .is_some_and(|(u, _)| problem.ansatz[*u].is_some());
            let exact = held && !condition.initial;
            if exact || condition.pieces.is_empty() {
                continue;
            }
            let share = (edge / problem.conditions.len().max(1)).max(8);
            let n = condition.points.unwrap_or(share);
            let drawn = problem.domain.boundary(&condition.pieces, n, draw)?;
            let (points, normals) = filtered(
                condition.filter.as_ref(),
                &drawn.points,
                &drawn.normals,
                self.known.dimension,
            );
            let weight = condition.weight.unwrap_or(1.0);
            blocks.push(Block::new(
                problem.equations.len() + c,
                &self.known,
                &points,
                &normals,
                Vec::new(),
                weight,
            ));
        }
        let mut r = problem.equations.len() + problem.conditions.len();
        for o in &problem.data {
            blocks.push(Block::new(
                r,
                &self.known,
                &o.points,
                &[],
                o.values.clone(),
                1.0,
            ));
            r += 1;
        }
        for _ in &problem.means {
            let mut block = Block::new(r, &self.known, &interior, &[], Vec::new(), 1.0);
            block.averaged = true;
            blocks.push(block);
            r += 1;
        }
        Ok(blocks)
    }

    /// For each held-out block of a condition the same residual at points inside, to see the size of its terms there.
    fn inner_blocks(&self, draw: &Draw) -> Result<Vec<Option<Block>>, DomainError> {
        let problem = self.system.problem;
        let points = problem.domain.interior(64, draw)?;
        let inner = |b: &Block| {
            let edge = matches!(
                self.system.residuals[b.residual].kind,
                Kind::Boundary | Kind::Initial
            );
            edge.then(|| {
                Block::new(
                    b.residual,
                    &self.known,
                    &points,
                    &vec![1.0; points.len()],
                    Vec::new(),
                    1.0,
                )
            })
        };
        Ok(self.held_out.iter().map(inner).collect())
    }

    /// The held-out residual of each block relative to the size of its terms, and its root mean square.
    fn held_out(&self, state: &State) -> Vec<(Kind, f64, f64)> {
        let one = |(block, inner): (&Block, &Option<Block>)| {
            let residual = &self.system.residuals[block.residual];
            let jets = jets_of(&state.layer, &state.coefficients, residual, block);
            let response = respond(residual, block, &jets, &state.sought);
            let n = block.sites.n.max(1) as f64;
            let rms = if block.averaged {
                (response[0].iter().sum::<f64>() / n).abs()
            } else {
                (response[0].iter().map(|r| r * r).sum::<f64>() / n).sqrt()
            };
            let mut size = terms(&response, &jets, true);
            if let Some(inner) = inner {
                let jets = jets_of(&state.layer, &state.coefficients, residual, inner);
                let response = respond(residual, inner, &jets, &state.sought);
                size = size.max(terms(&response, &jets, false));
            }
            (
                residual.kind,
                if size > 0.0 { rms / size } else { rms },
                rms,
            )
        };
        self.held_out
            .iter()
            .zip(&self.scale_blocks)
            .map(one)
            .collect()
    }

    fn draw_layer(&self, n: usize, scales: &Scales, seed: u64) -> Layer {
        let bounds = self.system.problem.domain.bounds();
        let d = bounds.len();
        let inputs = d + self.known.inputs.len();
        let mut random = random(seed);
        let (mut weights, mut biases) = (Vec::with_capacity(n * inputs), Vec::with_capacity(n));
        // squares of ridge functions span the quadratics: few suffice
        let squares = ((inputs + 1) * (inputs + 2)).min(n / 8);
        let bases: Vec<Basis> = (0..n)
            .map(|j| {
                if j < squares {
                    Basis::Square
                } else {
                    Basis::Sine
                }
            })
            .collect();
        for j in 0..n {
            if j < squares {
                let mut bias = 2.0 * random.random::<f64>() - 1.0;
                for [low, high] in bounds {
                    let w = (2.0 * random.random::<f64>() - 1.0) * 2.0 / (high - low);
                    weights.push(w);
                    bias -= w * 0.5 * (high + low);
                }
                weights.extend((d..inputs).map(|_| 2.0 * random.random::<f64>() - 1.0));
                biases.push(bias);
                continue;
            }
            let mut bias = PI * (2.0 * random.random::<f64>() - 1.0);
            let tuned = random.random::<f64>() < 0.5;
            for (k, [low, high]) in bounds.iter().enumerate() {
                let (half, middle) = (0.5 * (high - low), 0.5 * (high + low));
                let uniform = 2.0 * random.random::<f64>() - 1.0;
                let pick = random.random::<f64>();
                let jitter = 2.0 * random.random::<f64>() - 1.0;
                let power = &self.spectra[k];
                let normalised = if tuned && extent(power) >= 6.0 {
                    let mut sum = 0.0;
                    let f = power.iter().position(|p| {
                        sum += p;
                        sum >= pick
                    });
                    (f.unwrap_or(0) as f64 + 2.0 * jitter) * PI * uniform.signum()
                } else {
                    scales.0[k] * uniform
                };
                let w = normalised / half;
                weights.push(w);
                bias -= w * middle;
            }
            for k in d..inputs {
                let uniform = 2.0 * random.random::<f64>() - 1.0;
                weights.push(scales.0[k] * uniform);
            }
            biases.push(bias);
        }
        Layer {
            bases,
            weights,
            biases,
        }
    }

    /// Fits a layer of `n` functions and keeps it if the held-out residual says so.
    fn attempt(&mut self, n: usize, scales: &Scales, seed: u64) -> Result<f64, DomainError> {
        let d = self.known.dimension;
        let unknowns = self.system.problem.unknowns.len();
        let equations = self.system.problem.equations.len().max(1);
        let draw = Draw::new(sampler(d), self.options.seed).round(1);
        let inside = (2 * n * unknowns / equations).max(40);
        let edge = if d == 1 { 2 } else { n.max(40) };
        let blocks = self.blocks(inside, edge, &draw)?;
        let layer = self.draw_layer(n, scales, seed);
        let start = self
            .best
            .as_ref()
            .map(|b| &b.0)
            .or(self.start.as_ref())
            .map_or(Start::Guess, Start::From);
        let fitted = self.system.fit(&layer, &blocks, &start);
        self.tried += 1;
        let residual = fitted
            .as_ref()
            .map_or(f64::INFINITY, |s| worst(&self.held_out(s)));
        let residual = if residual.is_finite() {
            residual
        } else {
            f64::INFINITY
        };
        if let Some(state) = fitted
            && self.best.as_ref().is_none_or(|b| residual < b.1)
            && residual.is_finite()
        {
            self.best = Some((state, residual));
        }
        let best = self.best.as_ref().map_or(f64::INFINITY, |b| b.1);
        let seconds = self.started.elapsed().as_secs_f64();
        let go_on = (self.progress)(Progress {
            seconds,
            width: n,
            residual,
            best,
        });
        self.stopped |= !go_on;
        Ok(residual)
    }

    fn over(&self) -> bool {
        let reached = self
            .best
            .as_ref()
            .is_some_and(|b| b.1 <= self.options.target);
        reached || self.stopped || self.started.elapsed().as_secs_f64() > self.options.time_limit
    }

    /// The first layer and its scales: all axes together, then each alone.
    fn begin(&mut self) -> Result<First, DomainError> {
        let d = self.known.dimension;
        let inputs = d + self.known.inputs.len();
        let base = |k: usize| {
            if k < d {
                (PI * extent(&self.spectra[k])).clamp(2.0, 200.0)
            } else {
                2.0
            }
        };
        let mut scales = Scales((0..inputs).map(base).collect());
        let mut decisions = vec![format!("frequencies of the data: {}", numbers(&scales.0))];
        let n = [60, 240, 360, 480][d.clamp(1, 4) - 1].min(self.options.width);
        let seed = self.options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(1);
        let mut residual = self.attempt(n, &scales, seed)?;
        residual = self.tune(n, &mut scales, seed, residual, 1.6, None)?;
        for axis in 0..inputs {
            if inputs > 1 {
                residual = self.tune(n, &mut scales, seed, residual, 1.4, Some(axis))?;
            }
        }
        decisions.push(format!(
            "scales {} with {n} functions: {residual:.1e}",
            numbers(&scales.0)
        ));
        Ok(First {
            n,
            scales,
            seed,
            residual,
            decisions,
        })
    }

    /// More functions while they help.
    fn run(mut self, first: First) -> Result<Solution, DomainError> {
        let First {
            mut n,
            mut scales,
            seed,
            mut residual,
            mut decisions,
        } = first;
        let mut idle = 0;
        while !self.over() && n < self.options.width && idle < 2 {
            let wider = (n * 8 / 5).min(self.options.width);
            let wide = self.attempt(wider, &scales, seed)?;
            let tuned = if self.over() {
                wide
            } else {
                self.tune(wider, &mut scales, seed, wide, 1.25, None)?
            };
            decisions.push(format!(
                "scales {} with {wider} functions: {tuned:.1e}",
                numbers(&scales.0)
            ));
            idle = if tuned > 0.5 * residual { idle + 1 } else { 0 };
            (n, residual) = (wider, tuned.min(residual));
        }
        self.finish(n, &scales, seed, decisions)
    }

    /// Multiplies or divides scales (all, or one axis) by a factor while the held-out residual falls.
    fn tune(
        &mut self,
        n: usize,
        scales: &mut Scales,
        seed: u64,
        start: f64,
        factor: f64,
        axis: Option<usize>,
    ) -> Result<f64, DomainError> {
        let mut current = start;
        for factor in [factor, 1.0 / factor] {
            let mut moved = false;
            while !self.over() {
                let mut tried = scales.clone();
                tried
                    .0
                    .iter_mut()
                    .enumerate()
                    .filter(|(k, _)| axis.is_none_or(|a| a == *k))
                    .for_each(|(_, s)| *s *= factor);
                if tried.0.iter().any(|s| !(0.05..=2000.0).contains(s)) {
                    break;
                }
                let residual = self.attempt(n, &tried, seed)?;
                if residual >= current {
                    break;
                }
                (*scales, current, moved) = (tried, residual, true);
            }
            if moved {
                break;
            }
        }
        Ok(current)
    }

    /// An independent second solution, the better of both, and their difference.
    fn finish(
        mut self,
        n: usize,
        scales: &Scales,
        seed: u64,
        mut decisions: Vec<String>,
    ) -> Result<Solution, DomainError> {
        let reached = self
            .best
            .as_ref()
            .is_some_and(|b| b.1 <= self.options.target);
        let first = self.best.take();
        self.start = first.as_ref().map(|f| f.0.clone());
        let width = first.as_ref().map_or(n, |f| f.0.layer.len());
        let stopped = self.stopped;
        self.attempt(width, scales, seed.wrapping_add(77))?;
        let second = self.best.take();
        let (chosen, other) = match (first, second) {
            (Some(a), Some(b)) if b.1 < a.1 => (b, a),
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) | (None, Some(a)) => (a.clone(), a),
            (None, None) => {
                let layer = self.draw_layer(1, scales, seed);
                let coefficients = vec![0.0; self.system.problem.unknowns.len()];
                let state = State {
                    layer,
                    coefficients,
                    sought: self.system.problem.sought.iter().map(|s| s.start).collect(),
                };
                ((state.clone(), f64::INFINITY), (state, f64::INFINITY))
            }
        };
        let error_estimate = self.difference(&chosen.0, &other.0);
        let parts = self.held_out(&chosen.0);
        let rms = [Kind::Equation, Kind::Boundary, Kind::Initial, Kind::Data].map(|kind| {
            parts
                .iter()
                .filter(|p| p.0 == kind)
                .map(|p| p.2)
                .reduce(f64::max)
        });
        decisions.push(format!("{} layers tried", self.tried));
        let over = self.started.elapsed().as_secs_f64() > self.options.time_limit;
        let outcome = match () {
            () if stopped => "stopped",
            () if reached => "target reached",
            () if !chosen.1.is_finite() => "diverged",
            () if over => "budget spent",
            () => "converged",
        };
        Ok(Solution {
            points: self.held_out.iter().map(|b| b.sites.n).sum(),
            layer: chosen.0.layer,
            coefficients: chosen.0.coefficients,
            sought: chosen.0.sought,
            residual: chosen.1,
            rms,
            ansatz: self.system.problem.ansatz.clone(),
            error_estimate,
            outcome,
            decisions,
        })
    }

    /// The largest relative difference of two solutions over the unknowns, at held-out points inside.
    fn difference(&self, a: &State, b: &State) -> f64 {
        let Some(block) = self.held_out.first() else {
            return 0.0;
        };
        let unknowns = self.system.problem.unknowns.len();
        let of = |u: usize| {
            let value = Residual::new(
                Kind::Equation,
                &crate::expr::Expr::leaf(crate::expr::Leaf::jet(u, &[])),
                self.known.dimension,
                0,
            );
            let [x, y] =
                [a, b].map(|s| jets_of(&s.layer, &s.coefficients, &value, block).remove(0));
            let difference: f64 = x.iter().zip(&y).map(|(x, y)| (x - y).powi(2)).sum();
            (difference / x.iter().map(|x| x * x).sum::<f64>().max(f64::MIN_POSITIVE)).sqrt()
        };
        (0..unknowns).map(of).fold(0.0, f64::max)
    }
}

fn numbers(values: &[f64]) -> String {
    values
        .iter()
        .map(|v| format!("{v:.1}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn worst(parts: &[(Kind, f64, f64)]) -> f64 {
    parts
        .iter()
        .map(|p| if p.1.is_finite() { p.1 } else { f64::INFINITY })
        .fold(0.0, f64::max)
}

/// The root mean square of Σ|∂r/∂(D^α u) D^α u| (+ |what is left of r|).
fn terms(response: &[Vec<f64>], jets: &[Vec<f64>], rest: bool) -> f64 {
    let n = response[0].len();
    let sum: f64 = (0..n)
        .map(|i| {
            let parts = jets.iter().zip(&response[1..]).map(|(j, p)| j[i] * p[i]);
            let (size, total) =
                parts.fold((0.0, 0.0), |(size, total), v| (size + v.abs(), total + v));
            (size
                + if rest {
                    (response[0][i] - total).abs()
                } else {
                    0.0
                })
            .powi(2)
        })
        .sum();
    (sum / n.max(1) as f64).sqrt()
}

/// The boundary points where a filter holds.
fn filtered(
    filter: Option<&crate::expr::Expr>,
    points: &[f64],
    normals: &[f64],
    d: usize,
) -> (Vec<f64>, Vec<f64>) {
    let Some(filter) = filter else {
        return (points.to_vec(), normals.to_vec());
    };
    let mut kept = (Vec::new(), Vec::new());
    for (x, n) in points.chunks_exact(d).zip(normals.chunks_exact(d)) {
        let holds = filter.eval(&|leaf| match leaf {
            crate::expr::Leaf::Coordinate(k) => x[*k],
            _ => f64::NAN,
        });
        if holds > 0.5 {
            kept.0.extend_from_slice(x);
            kept.1.extend_from_slice(n);
        }
    }
    kept
}
