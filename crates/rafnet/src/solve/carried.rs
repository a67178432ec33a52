//! A start for equations that are not finite where every unknown is zero, 1/u and log u among them: what is given of an unknown, carried into
//! the domain.
//!
//! ```text
//! an initial value g at t = a         u(x, t) = g(x, a): it stands still
//! values on the boundary              their lift, or their mean where there is none
//! ```

use crate::domain::{Draw, Sampler};
use crate::engine::Device;
use crate::expr::{Dependence, Expr, Leaf};
use crate::posed::{Block, Purpose, System, held_exactly};
use crate::problem::{Condition, Problem};

/// Points at which equations are looked at, and of each condition whose mean is taken.
const POINTS: usize = 64;

/// The problem with guesses for the unknowns that have none, where equations are not finite at the start and more of them are with these.
pub(super) fn with_start(problem: &Problem) -> Option<Problem> {
    let before = n_undefined(problem);
    if before == 0 {
        return None;
    }
    let mut begun = problem.clone();
    let held = held_exactly(problem);
    for (unknown, guess) in begun.guess.iter_mut().enumerate() {
        if guess.is_none() {
            *guess = carried(problem, held.as_ref(), unknown);
        }
    }
    (n_undefined(&begun) < before).then_some(begun)
}

/// The same for a network that is drawn around zero: u is what it starts from, and the network is added to it.
pub(super) fn around_start(problem: &Problem) -> Option<Problem> {
    let nowhere = Problem {
        guess: vec![None; problem.guess.len()],
        ..problem.clone()
    };
    let before = n_undefined(&nowhere);
    if before == 0 {
        return None;
    }
    let mut begun = nowhere;
    for (ansatz, guess) in begun.ansatz.iter_mut().zip(&problem.guess) {
        if ansatz.is_none() {
            *ansatz = guess.clone().map(|guess| (Expr::number(1.0), guess));
        }
    }
    (n_undefined(&begun) < before).then_some(begun)
}

impl Problem {
    /// Whether an equation or a condition is nonlinear in unknowns and sought parameters.
    pub(super) fn is_nonlinear(&self) -> bool {
        let unknown = |leaf: &Leaf| matches!(leaf, Leaf::Jet(_) | Leaf::Parameter(_));
        let conditions = self.conditions.iter().map(|c| &c.residual);
        let mut texts = self.equations.iter().chain(conditions);
        texts.any(|e| e.dependence(&unknown) == Dependence::Nonlinear)
    }
}

/// At how many points equations or their partial derivatives are not finite for the guess, or for the lift where there is none.
fn n_undefined(problem: &Problem) -> usize {
    if !problem.is_nonlinear() {
        return 0;
    }
    let system = System::new(problem.clone(), Device::default());
    let draw = system.draw(0).round(Purpose::Suited.round());
    let Ok(points) = problem.domain.interior(POINTS, &draw) else {
        return 0;
    };
    let sought: Vec<f64> = problem.sought.iter().map(|s| s.start).collect();
    let of_equation = |r: usize| {
        let block = Block::new(r, system.known.sites(&points));
        let jets = system.guessed(&block);
        let response = system.residuals[r].respond(&block, &jets, &sought);
        let undefined = |i: &usize| response.iter().any(|column| !column[*i].is_finite());
        (0..block.sites.n).filter(undefined).count()
    };
    (0..problem.equations.len()).map(of_equation).sum()
}

/// What is given of an unknown, everywhere.
fn carried(problem: &Problem, held: Option<&Problem>, unknown: usize) -> Option<Expr> {
    let given = |c: &&Condition| c.dirichlet.as_ref().is_some_and(|d| d.0 == unknown);
    let given: Vec<&Condition> = problem.conditions.iter().filter(given).collect();
    let initial = given.iter().find(|c| c.initial && c.filter.is_none());
    if let Some(((_, value), time)) = initial.and_then(|c| c.dirichlet.as_ref()).zip(problem.time) {
        let first = Expr::number(problem.domain.bounds()[time][0]);
        let still =
            value.replace(&mut |leaf| (*leaf == Leaf::Coordinate(time)).then(|| first.clone()));
        if still.check_second_derivatives().is_ok() {
            return Some(still);
        }
    }
    if let Some((_, lift)) = held.and_then(|held| held.ansatz[unknown].as_ref()) {
        return Some(lift.clone());
    }
    mean(problem, &given).map(Expr::number)
}

/// The mean of given values over points of their own sets.
fn mean(problem: &Problem, given: &[&Condition]) -> Option<f64> {
    let d = problem.coordinates.len();
    let draw = Draw::new(Sampler::Random, 0).round(Purpose::Suited.round());
    let mut values = Vec::new();
    for condition in given {
        let (_, value) = condition.dirichlet.as_ref()?;
        let drawn = problem
            .domain
            .boundary(&condition.pieces, POINTS, &draw)
            .ok()?;
        let holds = |x: &&[f64]| condition.filter.as_ref().is_none_or(|f| f.at(x) > 0.5);
        let places = drawn.points.chunks_exact(d).filter(holds);
        values.extend(places.map(|x| value.at(x)));
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}
