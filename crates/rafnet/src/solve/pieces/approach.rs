//! From a problem that is easy to the one that is asked: highest derivatives weigh more at first.
//!
//! ```text
//! r(…, κ D^m u) = 0        κ from where the highest derivatives are as large as all else, down to 1
//! ```
//!
//! A corner or a layer inside has its place by the balance of a small highest derivative. Newton's method over functions that are coarser
//! than it finds slopes of any sign pattern instead, each of which leaves residuals in a few pieces only. With large κ the solution is smooth; made
//! smaller step by step, its corner stays where it belongs.

use super::level::{Asked, Level, MOST_PIECES, MOST_WORK};
use super::pieced::Pieced;
use super::search::Search;
use super::{Bounds, Posed};
use crate::expr::{Expr, Leaf, larger};
use crate::halt::Crew;
use crate::posed::{Block, Purpose};
use crate::problem::Problem;
use crate::solve::Progress;

/// κ of one step over that of the next.
const STEP: f64 = 4.0;
/// The most that it is: beyond, highest derivatives are next to nothing, and no layer could be resolved.
const MOST: f64 = 1e8;
/// Functions of a piece and the largest flaw on the way.
const COARSE: (usize, f64) = (16, 1e-3);
/// Points at which terms are compared.
const POINTS: usize = 64;

impl Search<'_> {
    /// A solution that is gone to step by step; `None` where a step fails, or where there is nothing to make larger.
    pub(super) fn approached(&mut self, sizes: &[f64]) -> Option<Pieced> {
        let problem = &self.posed.system.problem;
        let most = weight(self.posed, sizes)?.min(MOST);
        let mut kappa = most;
        let (mut last, mut cut): (Option<Pieced>, Option<Vec<Bounds>>) = (None, None);
        while kappa > 1.0 {
            kappa = if kappa > STEP { kappa / STEP } else { 1.0 };
            let posed = Posed::new(&weighed(problem, kappa), self.options.device);
            let found = self.step(&posed, sizes, cut.take(), last.as_ref())?;
            cut = Some(found.cells.clone());
            last = Some(found);
        }
        let pieces = last.as_ref()?.boxes.len();
        self.note(format!(
            "highest derivatives weighed {most:.0e} times more at first, then less and less: {pieces} pieces"
        ));
        last
    }

    /// A coarse level of a problem in between.
    fn step(
        &mut self,
        posed: &Posed,
        sizes: &[f64],
        cut: Option<Vec<Bounds>>,
        start: Option<&Pieced>,
    ) -> Option<Pieced> {
        let (functions, tolerance) = COARSE;
        let asked = Asked {
            functions,
            tolerance,
            seed: self.options.seed,
            first: 4,
            pieces: None,
            slabs: None,
            most_work: MOST_WORK,
            most_pieces: MOST_PIECES,
        };
        let (started, halt, progress) = (self.started, self.halt, &mut *self.progress);
        let mut step = 0;
        let mut go_on = |flaw: f64, _: usize| {
            step += 1;
            let news = Progress {
                seconds: started.elapsed().as_secs_f64(),
                step,
                width: functions,
                residual: flaw,
                ..Progress::START
            };
            progress(&news).is_continue() && !halt.is_raised()
        };
        let crew = Crew::new(self.options.threads(), halt);
        let mut level = Level::new(posed, asked, crew, &mut go_on);
        let found = level.solve(sizes, cut, start);
        self.work += level.work;
        self.heed();
        Some(found?.pieced)
    }
}

/// The axes of the highest derivatives that an equation reads, and of which unknown.
fn highest(equation: &Expr) -> Vec<Leaf> {
    let jets = equation.jets();
    let order = jets.iter().map(|j| j.axes().len()).max().unwrap_or(0);
    let highest = jets.iter().filter(|j| j.axes().len() == order && order > 1);
    highest.map(|j| Leaf::jet(j.unknown(), j.axes())).collect()
}

/// The problem with highest derivatives that weigh κ times more.
fn weighed(problem: &Problem, kappa: f64) -> Problem {
    let weigh = |equation: &Expr| {
        let highest = highest(equation);
        equation.replace(&mut |leaf| {
            let is_highest = highest.contains(leaf);
            is_highest.then(|| Expr::leaf(leaf.clone()).scaled(kappa))
        })
    };
    Problem {
        equations: problem.equations.iter().map(weigh).collect(),
        ..problem.clone()
    }
}

/// How much more highest derivatives would have to weigh to be as large as the other terms, for functions of these sizes that change over half the domain;
/// `None` where they are.
fn weight(posed: &Posed, sizes: &[f64]) -> Option<f64> {
    let system = &posed.system;
    let bounds = system.problem.domain.bounds();
    let draw = system.draw(0).round(Purpose::Suited.round());
    let points = system.problem.domain.interior(POINTS, &draw).ok()?;
    let of_equation = |(r, equation): (usize, &Expr)| {
        let residual = &system.residuals[r];
        let highest = highest(equation);
        let block = Block::new(r, system.known.bare_sites(&points));
        let size = |(u, axes): &(usize, Vec<usize>)| {
            let half = |k: &usize| 0.5 * (bounds[*k][1] - bounds[*k][0]);
            axes.iter().fold(sizes[*u], |size, k| size / half(k))
        };
        let jets = residual.jets.iter();
        let jets: Vec<Vec<f64>> = jets.map(|jet| vec![size(jet); block.sites.n]).collect();
        let response = residual.respond(&block, &jets, &[]);
        let (mut top, mut rest) = (0.0, 0.0);
        for (((u, axes), jet), partial) in residual.jets.iter().zip(&jets).zip(&response[1..]) {
            let term: f64 = jet.iter().zip(partial).map(|(j, p)| (j * p).abs()).sum();
            if highest.contains(&Leaf::jet(*u, axes)) {
                top += term;
            } else {
                rest += term;
            }
        }
        rest / top
    };
    let equations = system.problem.equations.iter().enumerate();
    let most = equations.map(of_equation).filter(|w| w.is_finite());
    most.reduce(larger).filter(|most| *most > STEP)
}
