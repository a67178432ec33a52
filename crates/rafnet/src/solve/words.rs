//! What is said of residuals: what they are called, where they are largest, which of them fight, what they leave open, and what may help.

use super::{Place, Solved};
use crate::expr::Expr;
use crate::posed::Worst;
use crate::problem::{Condition, Problem};

impl Problem {
    /// A place where a residual is largest, in words.
    pub(super) fn place(&self, worst: &Worst) -> Place {
        let what = self.name_of_residual(worst.residual);
        let point = worst.point.clone();
        Place { what, point }
    }

    /// What is wrong with the problem itself: residuals that fight, an unknown that is left open.
    pub(super) fn remark(&self, fighting: &[usize], open: Option<usize>) -> Option<String> {
        if let Some((unknown, axis)) = self.free_along() {
            let [name, along] = [&self.unknowns[unknown], &self.coordinates[axis]];
            let missing = if Some(axis) == self.time {
                format!("add `[[condition]]` with `mean = \"{name}\"` and `each = \"{along}\"`")
            } else {
                format!("give more of `{name}`")
            };
            return Some(format!(
                "under-determined: `{name}` plus any function of `{along}` meets every equation as `{name}` does; {missing}"
            ));
        }
        if let Some(unknown) = open {
            let name = &self.unknowns[unknown];
            return Some(format!(
                "under-determined: functions `{name}` that differ meet every equation and condition; give more of `{name}`"
            ));
        }
        let names = fighting.iter().map(|r| self.name_of_residual(*r));
        let names: Vec<String> = names.collect();
        let (last, before) = names.split_last()?;
        let names = format!("{} and {last}", before.join(", "));
        let first = self.equations.len() + self.conditions.len();
        let observed = |r: &usize| (first..first + self.data.len()).contains(r);
        let noise = if fighting.iter().any(observed) {
            ", or give the noise of the observations as `sigma`"
        } else {
            ""
        };
        Some(format!(
            "no function meets {names} together; correct or remove one of them{noise}"
        ))
    }

    /// Where an answer is worst, and what may help there.
    pub(super) fn advice(&self, solved: &Solved) -> String {
        if let Some(remark) = &solved.remark {
            return remark.clone();
        }
        let exact_data = self.data.iter().any(|o| o.sigma.is_none());
        let hint = match solved.steps {
            _ if exact_data => {
                "observations are taken as exact: if they were measured, give their noise as `sigma` under `[[data]]`"
            }
            Some(_) if solved.expired => "give it more `--steps` or more `--time-limit`",
            None if solved.expired => "give it more `--time-limit`",
            _ if solved.method == "lsq" && !self.data.is_empty() => {
                "check the observations and their `sigma` against the equation"
            }
            _ => {
                "name what is steep or singular there under `[features]`, or start nearer with `[guess]`"
            }
        };
        let Some(place) = &solved.worst else {
            return hint.to_owned();
        };
        let coordinates = self.coordinates.iter().zip(&place.point).take(6);
        let at: Vec<String> = coordinates
            .map(|(name, x)| format!("{name} = {x:.3}"))
            .collect();
        let what = &place.what;
        format!("worst is {what} near {}; {hint}", at.join(", "))
    }

    /// An unknown, and a coordinate of which any function, zero in a mean perhaps, may be added to it: nothing reads the unknown without a
    /// derivative along another coordinate, but where this one is fixed.
    pub(super) fn free_along(&self) -> Option<(usize, usize)> {
        let all = (0..self.n_own()).flat_map(|u| (0..self.coordinates.len()).map(move |k| (u, k)));
        all.into_iter().find(|&(u, axis)| self.is_free(u, axis))
    }

    fn is_free(&self, unknown: usize, axis: usize) -> bool {
        // whether the text is another one when a function of this coordinate is added
        let notices = |e: &Expr| {
            let own = e.jets().into_iter().filter(|j| j.unknown() == unknown);
            own.into_iter().any(|j| j.axes().iter().all(|k| *k == axis))
        };
        let across = |c: &Condition| {
            let face = |piece: &usize| self.domain.pieces()[*piece].face.fixed();
            c.pieces
                .iter()
                .all(|p| face(p).is_some_and(|(k, _)| k == axis))
        };
        let conditions = self.conditions.iter().filter(|c| !across(c));
        let mut read = self.equations.iter().chain(conditions.map(|c| &c.residual));
        let differentiated = self.equations.iter().any(|e| e.order_of(unknown) > Some(0));
        differentiated
            && !read.any(notices)
            && !self.data.iter().any(|o| notices(&o.observe))
            && !self
                .constraints
                .iter()
                .any(|c| c.each == Some(axis) && notices(&c.of))
            && self.coordinates.len() > 1
            && self.eigen.is_none()
    }

    /// What a residual is called in sentences, by its place in a system's list.
    fn name_of_residual(&self, residual: usize) -> String {
        let (equations, conditions) = (self.equations.len(), self.conditions.len());
        let own = equations - self.helpers;
        match residual {
            0 if own == 1 => "the equation".into(),
            k if k < own => format!("equation {}", k + 1),
            k if k < equations => format!("`{}`", self.unknowns[self.n_own() + k - own]),
            k if k < equations + conditions => self.called(k - equations),
            k if k < equations + conditions + self.data.len() => "observations".into(),
            k => format!(
                "`[[condition]]` {}",
                k + 1 - equations - conditions - self.data.len()
            ),
        }
    }
}
