//! Which texts of a problem are searched, and where each is looked at.

use super::place::Owner;
use super::{Looks, field::Within};
use crate::expr::{Expr, Interval, Leaf, Role};
use crate::problem::{Extent, Over, Problem};
use std::collections::HashMap;

/// A known part of a text with the box it is looked at in.
pub(super) struct Text<'a> {
    pub(super) owner: Owner,
    pub(super) role: Role,
    pub(super) expr: Expr,
    /// What it is a part of.
    pub(super) whole: &'a Expr,
    /// One for each coordinate of the problem; one number on a face.
    pub(super) sides: Vec<Interval>,
    /// Faces on which it is looked at; none: inside.
    pub(super) pieces: Vec<usize>,
    pub(super) within: Within<'a>,
    /// Where the judge looks (n × d).
    pub(super) points: &'a [f64],
}

/// All texts.
pub(super) struct Texts<'a> {
    pub(super) list: Vec<Text<'a>>,
    /// Whether every text could be put into boxes: those on curved boundaries cannot.
    pub(super) complete: bool,
    problem: &'a Problem,
    /// Where in the list a part stands, by its owner, its structure and the sides of what it depends on.
    places: HashMap<(Owner, u128, Vec<[u64; 2]>), usize>,
}

impl<'a> Texts<'a> {
    /// Those of equations, conditions, constraints, features, ansatz and reports. Observations are looked at at every one of their
    /// points, so nothing hides there.
    pub(super) fn of(problem: &'a Problem, looks: &'a Looks) -> Self {
        let mut texts = Self {
            list: Vec::new(),
            complete: true,
            problem,
            places: HashMap::new(),
        };
        for (k, equation) in problem.equations.iter().enumerate() {
            texts.inside(Owner::Residual(k), equation, &looks.residuals[k]);
        }
        let first = problem.equations.len();
        for (k, condition) in problem.conditions.iter().enumerate() {
            let (owner, points) = (Owner::Residual(first + k), &looks.residuals[first + k]);
            let filter = condition.filter.as_ref();
            texts.on(
                owner,
                &condition.residual,
                &condition.pieces,
                filter,
                points,
            );
            if let Some(filter) = filter {
                texts.on(Owner::Filter(k), filter, &condition.pieces, None, points);
            }
        }
        let first = first + problem.conditions.len() + problem.data.len();
        for (k, constraint) in problem.constraints.iter().enumerate() {
            if !matches!(constraint.over, Extent::Point(_)) {
                let owner = Owner::Residual(first + k);
                texts.inside(owner, &constraint.of, &looks.residuals[first + k]);
            }
        }
        for (k, (_, feature)) in problem.features.iter().enumerate() {
            texts.inside(Owner::Feature(k), feature, &looks.inside);
        }
        for (k, ansatz) in problem.ansatz.iter().enumerate() {
            for text in ansatz.iter().flat_map(|(factor, lift)| [factor, lift]) {
                texts.inside(Owner::Ansatz(k), text, &looks.inside);
            }
        }
        for (k, report) in problem.reports.iter().enumerate() {
            let (owner, points) = (Owner::Report(k), &looks.reports[k]);
            match &report.over {
                Over::Domain => texts.inside(owner, &report.of, points),
                Over::Boundary { pieces, filter } => {
                    texts.on(owner, &report.of, pieces, filter.as_ref(), points);
                }
                Over::Point(_) => {}
            }
        }
        texts
    }

    fn inside(&mut self, owner: Owner, whole: &'a Expr, points: &'a [f64]) {
        let bounds = self.problem.domain.bounds().iter();
        let sides: Vec<Interval> = bounds
            .map(|[low, high]| Interval::new(*low, *high))
            .collect();
        self.parts(owner, whole, &sides, None, None, points);
    }

    /// Each flat piece has a box of its own.
    fn on(
        &mut self,
        owner: Owner,
        whole: &'a Expr,
        pieces: &[usize],
        filter: Option<&'a Expr>,
        points: &'a [f64],
    ) {
        for &piece in pieces {
            let bounds = self.problem.domain.bounds().iter();
            let mut sides: Vec<Interval> = bounds
                .map(|[low, high]| Interval::new(*low, *high))
                .collect();
            let Some((axis, at)) = self.problem.domain.pieces()[piece].face.fixed() else {
                self.complete &= known_parts(whole).is_empty();
                continue;
            };
            sides[axis] = Interval::point(at);
            self.parts(owner, whole, &sides, Some(piece), filter, points);
        }
    }

    fn parts(
        &mut self,
        owner: Owner,
        whole: &'a Expr,
        sides: &[Interval],
        piece: Option<usize>,
        filter: Option<&'a Expr>,
        points: &'a [f64],
    ) {
        for part in known_parts(whole) {
            let own = part.expr.coordinates().into_iter();
            let own: Vec<[u64; 2]> = own
                .map(|k| [sides[k].low.to_bits(), sides[k].high.to_bits()])
                .collect();
            if own.iter().all(|[low, high]| low == high) {
                continue;
            }
            let key = (owner, part.expr.fingerprint(), own);
            if let Some(&there) = self.places.get(&key) {
                self.list[there].pieces.extend(piece);
                continue;
            }
            self.places.insert(key, self.list.len());
            self.list.push(Text {
                owner,
                role: part.role,
                expr: part.expr,
                whole,
                sides: sides.to_vec(),
                pieces: piece.into_iter().collect(),
                within: Within {
                    domain: &self.problem.domain,
                    filter,
                },
                points,
            });
        }
    }
}

fn known_parts(whole: &Expr) -> Vec<crate::expr::KnownPart> {
    whole.known_parts(&|leaf| !matches!(leaf, Leaf::Coordinate(_)))
}
