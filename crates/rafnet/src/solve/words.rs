//! What is said of residuals: what they are called, where they are largest, which of them fight.

use super::Place;
use crate::posed::Worst;
use crate::problem::Problem;

impl Problem {
    /// A place where a residual is largest, in words.
    pub(super) fn place(&self, worst: &Worst) -> Place {
        let what = self.name_of_residual(worst.residual);
        let point = worst.point.clone();
        Place { what, point }
    }

    /// What is wrong with the problem itself: residuals that fight, an unknown that is left open.
    pub(super) fn remark(&self, fighting: &[usize], open: Option<usize>) -> Option<String> {
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
