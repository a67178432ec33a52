//! `lm` for one eigenpair: Levenberg–Marquardt on every weight of a network and on λ.
//!
//! ```text
//! rows: the equations at fresh points, the conditions, and mean(u²)/m − 1 over a fixed lattice
//! (θ, λ) ← (θ, λ) + t δ(μ),    δ(μ) minimises |r + J δ|² + μ |δ|²
//! ```
//!
//! Around a torus the network sees sines and cosines of the coordinates.

mod looks;

use super::form::Unknown;
use super::tuning::{
    COARSE_LATTICE, FIRST_DAMPING, HELD_OUT, IDLE_LOOKS, LARGER, LEAST_DAMPING, LENGTHS,
    MEAN_WEIGHT, SMALLER, TRAINED_DEPTH, TRAINED_GAUSSIAN, TRAINED_POINTS, TRAINED_STEPS,
    TRAINED_WIDTH,
};
use crate::activation::Set;
use crate::domain::{Draw, Sampler};
use crate::engine::Cloud;
use crate::expr::{Expr, Leaf};
use crate::halt::{Crew, Halt};
use crate::network::{Bias, Init, Inputs, Layer, Network, Weights};
use crate::optimise::GaussNewton;
use crate::posed::{Block, Purpose, Terms, with_factors};
use crate::problem::{Eigen, Problem};
use crate::run::{Budget, Outcome, Watch};
use crate::solve::solved::Solved;
use crate::solve::watched::Pulse;
use crate::solve::{Options, Progress, SolveError};
use looks::Look;
use std::f64::consts::TAU;
use std::time::Instant;

struct Run<'a> {
    unknown: Unknown,
    eigen: &'a Eigen,
    terms: Terms,
    network: Network,
    lattice: Vec<f64>,
    held_out: Vec<Block>,
    inside: Vec<f64>,
    unit: f64,
}

impl Problem {
    /// One eigenpair by a trained network.
    pub(in crate::solve) fn eigen_by_lm(
        &self,
        eigen: &Eigen,
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let (started, halt) = (Instant::now(), &Halt::default());
        let budget = Budget::new(started, options.time_limit, f64::INFINITY);
        let mut pulse = Pulse::new(watch, halt, started, options.time_limit);
        if self.unknowns.len() > 1 || eigen.count > 1 {
            let what = "`--method lsq` for several unknowns or eigenpairs";
            return Err(SolveError::unsupported(self, what));
        }
        let mut run = Run::new(self, eigen, options)?;
        let mut theta: Vec<f64> = run.network.init(Init::new(Weights::FanIn, options.seed));
        theta.push(run.first_lambda());
        let steps = options.steps.unwrap_or(TRAINED_STEPS);
        let (mut damping, mut idle, mut outcome) = (FIRST_DAMPING, 0, None);
        let mut looks: Vec<Look> = vec![run.look(&theta)?];
        let mut taken = 0;
        while taken < steps && outcome.is_none() && idle < IDLE_LOOKS {
            let inside = options.points.unwrap_or(TRAINED_POINTS);
            let drawn = run.terms.system.draw(options.seed).round(taken + 1);
            let points = run.terms.drawing().draw([inside, inside / 2], drawn)?;
            let threads = options.threads();
            let stepped = run.step(&mut theta, &points, &mut damping, threads, &mut pulse)?;
            let Some(loss) = stepped else {
                outcome = pulse.outcome();
                break;
            };
            taken += 1;
            let look = run.look(&theta)?;
            let best = looks[0].residual;
            idle = if look.residual < 0.95 * best {
                0
            } else {
                idle + 1
            };
            looks.push(look);
            looks.sort_by(|a, b| a.residual.total_cmp(&b.residual));
            looks.truncate(6);
            let told = Progress {
                seconds: budget.seconds(),
                step: taken,
                steps: Some(steps),
                width: run.network.layers()[0].width,
                loss: Some(loss),
                residual: looks[0].residual,
                best: looks[0].residual,
                ..Progress::START
            };
            let reached = looks[0].residual <= options.goal();
            outcome = budget
                .ended(told.seconds, pulse.says_stop(&told))
                .or(reached.then_some(Outcome::TargetReached));
        }
        run.told(
            self,
            options,
            &looks,
            (taken, outcome.unwrap_or(Outcome::Converged)),
        )
    }
}

impl<'a> Run<'a> {
    fn new(problem: &Problem, eigen: &'a Eigen, options: &Options) -> Result<Self, SolveError> {
        let unknown = Unknown::of(problem, eigen);
        let mut posed = unknown.posed(problem, eigen);
        // the operator stands for itself from the start
        for equation in &mut posed.equations {
            *equation = equation.replace(&mut |leaf| match leaf {
                Leaf::Parameter(1) => Some(Expr::number(1.0)),
                _ => None,
            });
        }
        posed.sought.truncate(1);
        let d = posed.coordinates.len();
        let closed = posed.periodic.len() == d && {
            let mut bounds = posed.domain.bounds().iter();
            bounds.all(|[low, high]| (high - low - TAU).abs() < 1e-12 * TAU)
        };
        if !posed.periodic.is_empty() && !closed {
            let what = "coordinates that are all periodic over 2*pi, or none, for `--method lm`";
            return Err(SolveError::unsupported(problem, what));
        }
        let inputs = if closed {
            Inputs::periodic(d, 1)
        } else {
            Inputs::coordinates(d).with_features(posed.features.len())
        };
        let set = options.activation.first().copied().unwrap_or(Set::Psg);
        let width = options.width.unwrap_or(TRAINED_WIDTH.max(2 * d));
        let depth = options.depth.unwrap_or(TRAINED_DEPTH);
        let mut layers = vec![Layer::dense(set.shared_out(width, TRAINED_GAUSSIAN)); depth];
        layers.push(Layer::linear(1, Bias::Yes));
        let network = Network::new(inputs, layers)?;
        let held = with_factors(&posed);
        let lattice = Draw::new(Sampler::Lattice, options.seed).round(Purpose::Sized.round());
        let lattice = held.domain.interior(COARSE_LATTICE, &lattice)?;
        let sums = vec![(
            unknown.square().scaled(1.0 / eigen.mean_square) - Expr::number(1.0),
            Cloud {
                weights: vec![1.0 / COARSE_LATTICE as f64; COARSE_LATTICE],
                points: lattice.clone(),
                data: Vec::new(),
            },
        )];
        let (device, threads) = (options.device, options.threads());
        let mut terms = Terms::with_sums(held, sums, &network, device, threads)?;
        let system = &terms.system;
        let draw = system
            .draw(options.seed)
            .round(Purpose::Examined.round())
            .held_out();
        let held_out = system.blocks(HELD_OUT, HELD_OUT / 2, &draw, &[])?;
        let inside = system
            .problem
            .domain
            .interior(HELD_OUT, &draw.round(Purpose::Compared.round()))?;
        let linear = Unknown::Itself.linear_part(problem, eigen);
        let unit = super::units::units(&crate::posed::System::new(linear, options.device))?
            .0
            .operator;
        // rows in the operator's unit, but for that of the mean square
        let mut weights = terms.weights();
        let (mean, others) = weights.split_last_mut().expect("the mean square");
        others.iter_mut().for_each(|w| *w /= unit * unit);
        *mean = MEAN_WEIGHT * MEAN_WEIGHT;
        terms.set_weights(&weights);
        Ok(Self {
            unknown,
            eigen,
            terms,
            network,
            lattice,
            held_out,
            inside,
            unit,
        })
    }

    fn first_lambda(&self) -> f64 {
        let residual = &self.terms.system.residuals[0];
        let block = &self.held_out[0];
        // w = 0: u is one, or nothing
        let zero = vec![vec![0.0; block.sites.n]; residual.jets.len()];
        let of = residual.respond(block, &zero, &[0.0]).swap_remove(0);
        let mean = of.iter().sum::<f64>() / of.len().max(1) as f64;
        self.eigen.start.unwrap_or(mean)
    }
    /// One damped step; the loss after it, or `None` when it is ended: then nothing has moved.
    fn step(
        &mut self,
        theta: &mut Vec<f64>,
        points: &[Cloud<f64>],
        damping: &mut f64,
        threads: usize,
        pulse: &mut Pulse<'_>,
    ) -> Result<Option<f64>, SolveError> {
        let (rows, width) = (self.terms.n_rows(points), self.terms.n_unknowns());
        let what = format_args!("the derivatives of {rows} residuals by {width} parameters");
        rafnet_memory::require(what, &[rows, width, 8])?;
        let (mut r, mut j) = (vec![0.0; rows], vec![0.0; rows * width]);
        self.terms.jacobian(theta, points, &mut r, &mut j)?;
        let crew = Crew::new(threads, pulse.halt);
        let direction = pulse.during(|| {
            let normal = GaussNewton::new(&j, rows, width, crew);
            normal.step(*damping * normal.mean, &r)
        });
        let before: f64 = r.iter().map(|r| r * r).sum();
        let mut best = (before, None);
        if let Some(direction) = direction {
            for k in 0..LENGTHS {
                if pulse.is_ended() {
                    break;
                }
                let t = 0.5f64.powi(k);
                let moved = theta.iter().zip(&direction).map(|(a, d)| a + t * d);
                let there: Vec<f64> = moved.collect();
                self.terms.residuals(&there, points, &mut r)?;
                let loss: f64 = r.iter().map(|r| r * r).sum();
                if loss.is_finite() && loss < best.0 {
                    best = (loss, Some((there, k)));
                    break;
                }
            }
        }
        if pulse.halt.is_raised() {
            return Ok(None);
        }
        let (after, moved) = best;
        *damping = match &moved {
            Some((_, k)) if *k <= 1 => (SMALLER * *damping).max(LEAST_DAMPING),
            Some(_) => *damping,
            None => (LARGER * *damping).min(1e6),
        };
        if let Some((there, _)) = moved {
            *theta = there;
        }
        Ok(Some(after))
    }
}
