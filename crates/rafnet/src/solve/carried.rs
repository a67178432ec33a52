//! A start for equations that Newton's method cannot begin with where every unknown is zero.
//!
//! ```text
//! not finite (1/u, log u)             what is given of an unknown, carried into the domain
//!   an initial value g at t = a         u(x, t) = g(x, a): it stands still
//!   values on the boundary              their lift, or their mean where there is none
//! no linear part (u_xx u_yy − u_xy²)  a bowl s |x|²/2, beside what is given: its second derivatives are those of no direction more than of another
//! ```

use crate::domain::{Draw, Sampler};
use crate::engine::Device;
use crate::expr::{Dependence, Expr, Leaf};
use crate::posed::{Block, Purpose, System, held_exactly, rms};
use crate::problem::{Condition, Problem};

/// Points at which equations are looked at, and of each condition whose mean is taken.
const POINTS: usize = 64;
/// Sizes of bowls that are tried: powers of two up to this one, and down to its inverse.
const SIZES: i32 = 10;

/// The problem with guesses for the unknowns that have none, where Newton's method could not begin without.
pub(super) fn with_start(problem: &Problem) -> Option<Problem> {
    let looked = looked_at(problem)?;
    with_values(problem, &looked).or_else(|| with_bowls(problem, &looked))
}

/// The same where equations have no linear part at the start: with the bowl whose residual is least.
fn with_bowls(problem: &Problem, looked: &Looked) -> Option<Problem> {
    let is_zero = |column: &Vec<f64>| column.iter().all(|v| *v == 0.0);
    let is_blind = |r: &usize| looked[*r][1..].iter().all(is_zero);
    let equations: Vec<usize> = (0..looked.len()).filter(is_blind).collect();
    if equations.is_empty() {
        return None;
    }
    let reads = |u: usize| {
        let mut jets = equations.iter().flat_map(|r| problem.equations[*r].jets());
        jets.any(|jet| jet.unknown() == u)
    };
    let held = held_exactly(problem);
    let bounds = problem.domain.bounds();
    let square = |k: usize| {
        let away =
            Expr::leaf(Leaf::Coordinate(k)) - Expr::number(0.5 * (bounds[k][0] + bounds[k][1]));
        away.clone() * away
    };
    let space = (0..bounds.len()).filter(|k| Some(*k) != problem.time);
    let bowl = space.map(square).reduce(|a, b| a + b)? * Expr::number(0.5);
    let with = |size: f64| {
        let mut begun = problem.clone();
        for (unknown, guess) in begun.guess.iter_mut().enumerate() {
            if guess.is_none() && reads(unknown) {
                let given = carried(problem, held.as_ref(), unknown);
                let bowl = bowl.clone() * Expr::number(size);
                *guess = Some(given.map_or(bowl.clone(), |given| given + bowl));
            }
        }
        begun
    };
    let sum = |looked: &Looked| equations.iter().map(|r| rms(&looked[*r][0])).sum::<f64>();
    let misfit = |begun: &Problem| looked_at(begun).map(|looked| sum(&looked));
    let sizes = (-SIZES..=SIZES).flat_map(|k| [2f64.powi(k), -(2f64.powi(k))]);
    let all = sizes.filter_map(|size| Some((misfit(&with(size))?, size)));
    let least = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (least.0 < sum(looked)).then(|| with(least.1))
}

/// The problem with guesses for the unknowns that have none, where equations are not finite at the start and more of them are with these.
fn with_values(problem: &Problem, looked: &Looked) -> Option<Problem> {
    let before = n_undefined(looked);
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
    (n_undefined(&looked_at(&begun)?) < before).then_some(begun)
}

/// The same for a network that is drawn around zero: u is what it starts from, and the network is added to it.
pub(super) fn around_start(problem: &Problem) -> Option<Problem> {
    let nowhere = Problem {
        guess: vec![None; problem.guess.len()],
        ..problem.clone()
    };
    let before = n_undefined(&looked_at(&nowhere)?);
    if before == 0 {
        return None;
    }
    let mut begun = nowhere;
    for (ansatz, guess) in begun.ansatz.iter_mut().zip(&problem.guess) {
        if ansatz.is_none() {
            *ansatz = guess.clone().map(|guess| (Expr::number(1.0), guess));
        }
    }
    (n_undefined(&looked_at(&begun)?) < before).then_some(begun)
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
fn n_undefined(looked: &Looked) -> usize {
    let undefined = |response: &Vec<Vec<f64>>| {
        let at = |i: &usize| response.iter().any(|column| !column[*i].is_finite());
        (0..response[0].len()).filter(at).count()
    };
    looked.iter().map(undefined).sum()
}

/// For each equation its residual and all its partial derivatives, each at all points.
type Looked = Vec<Vec<Vec<f64>>>;

/// What equations are at points, for the guess, or for the lift where there is none; of
/// nonlinear problems.
fn looked_at(problem: &Problem) -> Option<Looked> {
    if !problem.is_nonlinear() {
        return None;
    }
    let system = System::new(problem.clone(), Device::default());
    let draw = system.draw(0).round(Purpose::Suited.round());
    let points = problem.domain.interior(POINTS, &draw).ok()?;
    let sought: Vec<f64> = problem.sought.iter().map(|s| s.start).collect();
    let of_equation = |r: usize| {
        let block = Block::new(r, system.known.sites(&points));
        let jets = system.guessed(&block);
        system.residuals[r].respond(&block, &jets, &sought)
    };
    Some((0..problem.equations.len()).map(of_equation).collect())
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
