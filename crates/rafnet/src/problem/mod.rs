//! Problems: equations, conditions and data on a domain, read from a ten-line text file.
//!
//! Everything a solver needs is an expression over leaves: coordinates, the unknowns' jets, parameters that are sought, and on
//! a boundary the components of the outward normal. Whatever kind a condition was (Dirichlet, Neumann, Robin, general,
//! initial, periodic), here it is a residual on a set of points. `exact` is only ever read by reports.

mod builtin;
mod clash;
mod error;
mod fault;
mod fault_hint;
mod file;
mod option;
mod origin;
mod place;
mod second_order;
mod suggestion;

pub use error::ProblemError;
pub use fault::Fault;
pub use option::{SOLVER_OPTIONS, SolverOption};
pub(crate) use place::{NARROW, Owner, Place, REACH, Shape, Strip};

use crate::domain::Domain;
use crate::expr::{Expr, Flux};
use origin::Origin;
use std::sync::Arc;

/// A problem, checked and with all names resolved.
#[derive(Clone)]
pub struct Problem {
    /// Its name.
    pub name: String,
    /// One line on what a user learns from it.
    pub about: String,
    /// Coordinates, in the order of a point's columns.
    pub coordinates: Vec<String>,
    /// Which coordinate is time.
    pub time: Option<usize>,
    /// The unknown functions.
    pub unknowns: Vec<String>,
    /// How many of the last unknowns stand for derivatives of others ([`Problem::second_order`]); a file has none.
    pub helpers: usize,
    /// Where the equations hold.
    pub domain: Domain,
    /// Axes along which every unknown is periodic.
    pub periodic: Vec<usize>,
    /// What should be zero inside; leaves: coordinates, jets, sought parameters.
    pub equations: Vec<Expr>,
    /// What the equations differentiate across jumps of its coefficients: continuous there.
    pub fluxes: Vec<Flux>,
    /// What should be zero on parts of the boundary, the first time among them.
    pub conditions: Vec<Condition>,
    /// Observations.
    pub data: Vec<Observation>,
    /// What is given of means, integrals and values at points.
    pub constraints: Vec<Constraint>,
    /// Figures that are wanted of the solution.
    pub reports: Vec<Figure>,
    /// Parameters that are sought.
    pub sought: Vec<Sought>,
    /// Parameters that are numbers. They stand in the expressions already; texts about a solution may use their names.
    pub numbers: Vec<(String, f64)>,
    /// What is asked of an eigenvalue problem, where this is one: its equations then are operator − λ u, with λ sought.
    pub eigen: Option<Eigen>,
    /// Extra inputs of the network: name and expression in the coordinates.
    pub features: Vec<(String, Expr)>,
    /// For each unknown a factor and a lift given by the user.
    pub ansatz: Vec<Option<(Expr, Expr)>>,
    /// For each unknown a first guess.
    pub guess: Vec<Option<Expr>>,
    /// For each unknown the exact solution, for the report alone.
    pub exact: Vec<Option<Expr>>,
    /// What `[network]` and `[solver]` ask for, by the names of the command line's options (`-` as `_`).
    pub options: Vec<(String, String)>,
    /// What its networks are trained with where no option says otherwise.
    pub trained: Trained,
    /// Where its texts change within a small part of the domain, once they were searched for it: solvers and judges put points there.
    pub(crate) places: Vec<Place>,
    /// What it was read from.
    pub(crate) origin: Arc<Origin>,
}

/// `[trained]`: the network that methods which train, and `raf ntk`, begin with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trained {
    /// Neurons of a layer.
    pub width: usize,
    /// The width s of Gaussians exp(−x²/2s²).
    pub gaussian_width: f64,
    /// Of PSG: how many neurons of a layer are Gaussians, where not a quarter.
    pub gaussians: Option<usize>,
    /// `[trained.code]`: with `--preset code`.
    pub code: TrainedByCode,
}

/// What the paper's published code does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainedByCode {
    /// The width of Gaussians.
    pub gaussian_width: f64,
    /// Half of it times |θ|² is added to the loss.
    pub weight_decay: f64,
    /// The rate's factor …
    pub decay: f64,
    /// … after so many steps.
    pub decay_every: u64,
}

impl Default for Trained {
    fn default() -> Self {
        Self {
            width: 50,
            gaussian_width: 0.1,
            gaussians: None,
            code: TrainedByCode {
                gaussian_width: 0.1,
                weight_decay: 1e-4,
                decay: 0.95,
                decay_every: 1_000,
            },
        }
    }
}

impl Problem {
    /// How many unknowns the file has: all but the helpers.
    pub fn n_own(&self) -> usize {
        self.unknowns.len() - self.helpers
    }

    /// What is allowed and was probably not meant, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let called_t = self.coordinates.iter().any(|name| name == "t");
        let unflagged = called_t && self.time.is_none();
        let sentence = "the coordinate `t` is treated as space; add `time = \"t\"` to `[domain]` if it is time";
        let unflagged = unflagged.then(|| sentence.to_owned());
        unflagged.into_iter().chain(self.clashes()).collect()
    }
}

/// How a condition is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforce {
    /// By whichever way the held-out residual prefers.
    Auto,
    /// Exactly, by the ansatz.
    Exact,
    /// By weighted rows.
    Penalty,
}

/// A residual on a part of the boundary.
#[derive(Clone)]
pub struct Condition {
    /// Indices into `domain.pieces()`.
    pub pieces: Vec<usize>,
    /// A further condition on the points (non-zero: taken), if any; where a later condition also holds, the later one wins:
    /// earlier filters already exclude its points where pieces are shared only in part.
    pub filter: Option<Expr>,
    /// What should be zero; leaves: coordinates, jets, sought parameters, normal components.
    pub residual: Expr,
    /// For a Dirichlet condition the unknown and its value (an expression in the coordinates).
    pub dirichlet: Option<(usize, Expr)>,
    /// Whether it holds at the first time.
    pub initial: bool,
    /// How it is met.
    pub enforce: Enforce,
    /// A weight given by the user.
    pub weight: Option<f64>,
    /// A number of points given by the user.
    pub points: Option<usize>,
}

/// Values observed at points: `observe` − value should be zero.
#[derive(Clone)]
pub struct Observation {
    /// n × d
    pub points: Vec<f64>,
    /// n
    pub values: Vec<f64>,
    /// What was observed.
    pub observe: Expr,
    /// The noise's standard deviation, if known.
    pub sigma: Option<f64>,
}

/// A mean, an integral or a value at a point that is given.
#[derive(Clone)]
pub struct Constraint {
    /// Of what; leaves: coordinates, jets, sought parameters.
    pub of: Expr,
    /// What it is: a number, or with `each` an expression in time.
    pub equals: Expr,
    /// How it is taken.
    pub over: Extent,
    /// The axis of time where it holds at every time; else it holds once, time being a coordinate like the others.
    pub each: Option<usize>,
}

/// What a constraint is taken over.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// The mean over the domain, or over space at every time.
    Mean,
    /// The integral likewise.
    Integral,
    /// The value at a point; where it holds at every time its time does not count.
    Point(Vec<f64>),
}

/// A figure that is wanted of the solution.
#[derive(Clone)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// What is summed or taken; leaves: coordinates, jets, sought parameters, on a boundary normal components.
    pub of: Expr,
    /// Where.
    pub over: Over,
}

/// Where a figure is taken.
#[derive(Clone, Debug)]
pub enum Over {
    /// An integral over the domain.
    Domain,
    /// An integral over parts of the boundary.
    Boundary {
        /// Indices into `domain.pieces()`.
        pieces: Vec<usize>,
        /// A further condition on the points (non-zero: taken), if any.
        filter: Option<Expr>,
    },
    /// The value at a point.
    Point(Vec<f64>),
}

/// A parameter that is sought.
#[derive(Clone, Debug, PartialEq)]
pub struct Sought {
    /// Its name.
    pub name: String,
    /// Where the search starts.
    pub start: f64,
    /// The smallest value it may take.
    pub min: Option<f64>,
    /// The largest value it may take.
    pub max: Option<f64>,
}

impl Sought {
    /// [low, high] between which it lies.
    pub fn bounds(&self) -> [f64; 2] {
        let low = self.min.unwrap_or(f64::NEG_INFINITY);
        [low, self.max.unwrap_or(f64::INFINITY)]
    }
}

/// An eigenvalue problem: operator(u) = λ u.
#[derive(Clone)]
pub struct Eigen {
    /// For each unknown the operator; leaves: coordinates and jets.
    pub operators: Vec<Expr>,
    /// Whether it is nonlinear: λ then depends on how large u is.
    pub nonlinear: bool,
    /// How many eigenpairs are wanted.
    pub count: usize,
    /// A number near which eigenvalues are looked for; without one the smallest are.
    pub start: Option<f64>,
    /// Whether u is sought as e^N, which has no zeros.
    pub positive: bool,
    /// The mean over the domain of the sum of the unknowns' squares.
    pub mean_square: f64,
}

impl Eigen {
    /// λ as the parameter that the equations seek.
    pub(crate) fn sought(&self) -> Sought {
        Sought {
            name: "lambda".into(),
            start: self.start.unwrap_or(0.0),
            min: None,
            max: None,
        }
    }
}
