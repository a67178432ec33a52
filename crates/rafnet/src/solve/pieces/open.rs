//! What the rows of a piece leave open to its neighbours.
//!
//! Of 180 functions of two coordinates about 80 combinations solve an equation nearly; the equation alone decides the others, and fronts
//! over the open ones cost a tenth.

use super::Posed;
use super::functions::{Functions, n_polynomials};
use super::slab::{Join, Slab};
use crate::halt::Halt;
use crate::optimise::{Condensed, Fronts, Rows, each};
use faer::Mat;

/// What the rows of a piece, with columns of norm one, hold by less is open. (A hole in a plate, sources, waves around a square: 1e-3 to 1e-6
/// give the same answers, the larger are dearer, and with 1e-7 too little is open.)
const OPEN: f64 = 1e-5;
/// Open columns over the polynomials of the functions' degree that solve an equation of second order, in one or two coordinates and in three:
/// at least, and usually. (A plate in time: 1.5 for 1.0 is no better and takes twice as long.)
const AT_LEAST: [f64; 2] = [1.5, 1.0];
const USUALLY: [f64; 2] = [2.4, 1.2];

/// How much pieces leave open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    below: f64,
    /// How many columns there are, and how many of them are open where rows decide others: at least, and usually.
    width: usize,
    at_least: usize,
    usually: usize,
}

impl Open {
    pub(super) fn everything(posed: &Posed, functions: &Functions) -> Self {
        let (p, d) = (functions.degree, posed.system.known.dimension);
        let fewer = p.checked_sub(2).map_or(0, |p| n_polynomials(p, d));
        let solve = (n_polynomials(p, d) - fewer) * posed.unknowns();
        let width = functions.len() * posed.unknowns();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let times = |factor: f64| ((factor * solve as f64) as usize).min(width);
        Self {
            below: f64::INFINITY,
            width,
            at_least: times(posed.flat_or_solid(AT_LEAST)),
            usually: times(posed.flat_or_solid(USUALLY)),
        }
    }

    /// What the equations and conditions of a piece hold is not open.
    pub(super) fn little(self) -> Self {
        Self {
            below: OPEN,
            ..self
        }
    }

    /// The rows of a piece, over what they leave open; shorter columns than `noise` are open, `needless` ones are zero. Of no use once it
    /// is ended.
    pub(super) fn condensed(
        &self,
        rows: Mat<f64>,
        noise: &[f64],
        needless: &dyn Fn(usize) -> bool,
        halt: &Halt,
    ) -> Condensed {
        let open = (self.below, self.at_least);
        Condensed::new(rows, 2, open, noise, needless, halt)
    }

    /// About how many columns are open.
    pub(super) fn columns(&self) -> usize {
        if self.below.is_infinite() {
            self.width
        } else {
            self.usually
        }
    }

    /// What fronts cost with little open, over what they cost as it is.
    pub(super) fn cheaper(self) -> f64 {
        (self.little().columns() as f64 / self.columns() as f64).powi(3)
    }
}

/// The pieces' rows and joins, over the columns that their own rows leave open, factored.
pub(super) struct Factored {
    condensed: Vec<Condensed>,
    pub(super) fronts: Fronts,
}

impl Factored {
    /// Of no use once it is ended.
    pub(super) fn new(slab: &Slab<'_>, mut condensed: Vec<Condensed>) -> Self {
        let join = |k: usize| over_open(&slab.joins[k], &condensed);
        let joins = each(slab.joins.len(), slab.crew, &join);
        let widths: Vec<usize> = condensed.iter().map(Condensed::open).collect();
        let own = condensed.iter_mut().enumerate().map(|(p, c)| Rows {
            groups: vec![p],
            entries: c.take_rows(),
            triangle: false,
        });
        let fronts = Fronts::new(&widths, own.chain(joins).collect(), 2, slab.crew);
        Self { condensed, fronts }
    }

    /// The coefficients of every piece.
    pub(super) fn solve(&self, combination: &[f64]) -> Vec<Vec<f64>> {
        let open = self.fronts.solve(combination);
        let whole = |(c, z): (&Condensed, &Vec<f64>)| c.whole(z, combination);
        self.condensed.iter().zip(&open).map(whole).collect()
    }
}

/// The rows of a join over what its pieces leave open.
fn over_open(join: &Join, condensed: &[Condensed]) -> Rows {
    let width = (join.entries.ncols() - 2) / join.pieces.len();
    let parts: Vec<Mat<f64>> = (0..join.pieces.len())
        .map(|k| {
            let own = join
                .entries
                .submatrix(0, k * width, join.entries.nrows(), width);
            condensed[join.pieces[k]].over_open(own)
        })
        .collect();
    let open: usize = join.pieces.iter().map(|p| condensed[*p].open()).sum();
    let mut entries = Mat::zeros(join.entries.nrows(), open + 2);
    let mut at = 0;
    for (p, part) in join.pieces.iter().zip(&parts) {
        let wide = condensed[*p].open();
        entries
            .subcols_mut(at, wide)
            .copy_from(part.subcols(0, wide));
        let mut sides = entries.subcols_mut(open, 2);
        sides += part.subcols(wide, 2);
        at += wide;
    }
    Rows {
        groups: join.pieces.clone(),
        entries,
        triangle: false,
    }
}
