//! `pieces`: many small frozen layers, each on its own box, joined by rows.
//!
//! ```text
//! u(x) = Σ_j c_pj sin(w_j·ξ + b_j)    on piece p,  ξ = (x − m_p) / h_p                  c by least squares over all rows at once
//! ```
//!
//! One layer over the whole domain is the wrong space for fronts, layers, peaks, long and stiff times; local ones are a spectral element method
//! whose functions are waves. Data flow: a [`Posed`] problem says what is continuous across a cut; [`functions`] are drawn once for all pieces;
//! a [`slab`] holds boxes with their rows and solves them by structure ([`Fronts`](crate::optimise)); [`flaws`] say where it is wrong; a
//! [`level`] cuts again until it is good enough, and [`march`] goes through time. Several levels, each to a smaller tolerance with other
//! functions on another cut, say how large the error is; where the problem is nonlinear, how far the best moves when it is [`shaken`] does too.
//!
//! (Local extreme learning machines: S. Dong, Z. Li, 2021; the random feature method: J. Chen, X. Chi, W. E, Z. Yang, 2022.)

mod answer;
mod approach;
mod corners;
mod cut;
mod finish;
mod flaws;
mod functions;
mod level;
mod longer;
mod march;
mod open;
mod own;
mod pieced;
mod points;
mod posed;
mod region;
mod rows;
mod runaway;
mod scale;
mod search;
mod shaken;
mod slab;
mod split;
mod start;
mod surface;
mod waves;

pub(super) use pieced::Whole;
pub(crate) use posed::{obstacle, suits};

use super::event::Event;
use super::figures::Evidence;
use super::{Options, Progress};
use crate::domain::DomainError;
use crate::halt::Halt;
use crate::posed::Verdict;
use crate::problem::Problem;
use crate::run::Outcome;
use posed::Posed;
use search::Search;
use std::ops::ControlFlow;

/// [low, high] along each axis.
type Bounds = Vec<[f64; 2]>;

/// The best of all levels, with its figures.
pub(crate) struct Solution {
    pub(crate) whole: Whole,
    /// The next best.
    pub(crate) compared: Option<Whole>,
    pub(crate) verdict: Verdict,
    pub(crate) evidence: Evidence,
    pub(crate) outcome: Outcome,
    pub(crate) events: Vec<Event>,
    pub(crate) points: usize,
}

/// Solves a problem that has no [`obstacle`], with so many times the usual work and as many times finer first cuts; `None` where nothing was
/// found.
pub(super) fn solve(
    problem: &Problem,
    options: &Options,
    patience: usize,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    halt: &Halt,
) -> Result<Option<Solution>, DomainError> {
    let posed = Posed::new(problem, options.device);
    let mut search = Search::new(&posed, options, patience, progress, halt)?;
    search.run()?;
    search.finish()
}
