//! Third and fourth derivatives as first and second ones of further unknowns, the *helpers*:
//!
//! ```text
//! u_xxxx − f = 0          →   w_xx − f = 0,      w − u_xx = 0         w for any second derivative
//! Δ(a Δu) − f = 0         →   Δ(a w) − f = 0,    w − Δu = 0           where higher derivatives come as those of Δu alone
//! u_xx = 0 on a boundary  →   w = 0 on it, a value that can be held exactly
//! ```
//!
//! Engines carry second derivatives, and a least-squares system of second order keeps twice as many digits as one of fourth order, whose rows
//! reach over frequencies to the fourth power.

mod helper;

use super::{Condition, Problem};
use crate::expr::{Expr, Jet, Leaf};
use helper::{Helper, Meaning, rest};

/// The highest derivative of an unknown.
pub(crate) const HIGHEST_ORDER: usize = 4;

impl Problem {
    /// The same problem with helpers in the place of third and fourth derivatives; `None` where there are none.
    ///
    /// ```
    /// use rafnet::Problem;
    /// let beam = Problem::builtin("beam")?;
    /// let split = beam.second_order().expect("a fourth derivative");
    /// assert_eq!(split.unknowns, ["u", "u_xx"]);
    /// assert_eq!(format!("{:?}", split.equations[1]), "u2 - u1_x1x1");
    /// # Ok::<(), rafnet::problem::ProblemError>(())
    /// ```
    pub fn second_order(&self) -> Option<Self> {
        let mut split = self.clone();
        let space: Vec<usize> = (0..self.coordinates.len())
            .filter(|axis| Some(*axis) != self.time)
            .collect();
        for unknown in 0..self.unknowns.len() {
            let high = high_jets(&split, unknown);
            if high.is_empty() {
                continue;
            }
            let number = split.unknowns.len();
            let laplacian = Helper {
                of: unknown,
                meaning: Meaning::Laplacian(space.clone()),
                number,
            };
            if space.len() > 1 && split.texts().all(|e| laplacian.lowered(e).is_some()) {
                split.add(&laplacian);
                continue;
            }
            for pair in pairs(high) {
                let number = split.unknowns.len();
                let meaning = Meaning::Second(pair);
                let of = unknown;
                split.add(&Helper {
                    of,
                    meaning,
                    number,
                });
            }
        }
        (split.unknowns.len() > self.unknowns.len()).then_some(split)
    }

    /// Every text that unknowns occur in.
    fn texts(&self) -> impl Iterator<Item = &Expr> {
        let conditions = self.conditions.iter().map(|c| &c.residual);
        let observed = self.data.iter().map(|o| &o.observe);
        let constraints = self.constraints.iter().map(|c| &c.of);
        let figures = self.reports.iter().map(|f| &f.of);
        let equations = self.equations.iter();
        equations
            .chain(conditions)
            .chain(observed)
            .chain(constraints)
            .chain(figures)
    }

    /// Puts a helper in everywhere and adds the equation that says what it is.
    fn add(&mut self, helper: &Helper) {
        let lower = |e: &mut Expr| {
            if let Some(lowered) = helper.lowered(e) {
                *e = lowered;
            }
        };
        self.equations.iter_mut().for_each(lower);
        self.data.iter_mut().for_each(|o| lower(&mut o.observe));
        self.constraints.iter_mut().for_each(|c| lower(&mut c.of));
        self.reports.iter_mut().for_each(|f| lower(&mut f.of));
        for condition in &mut self.conditions {
            lower(&mut condition.residual);
            if condition.dirichlet.is_none() {
                condition.dirichlet = value_given(condition, helper.number);
            }
        }
        let sum = |leaf: &dyn Fn(&[usize]) -> Expr| match &helper.meaning {
            Meaning::Second(pair) => leaf(pair),
            Meaning::Laplacian(axes) => Expr::sum(axes.iter().map(|k| leaf(&[*k, *k]))),
        };
        let derivatives = sum(&|axes| Expr::leaf(Leaf::jet(helper.of, axes)));
        self.equations
            .push(Expr::leaf(Leaf::jet(helper.number, &[])) - derivatives);
        let guess = self.guess[helper.of].clone();
        self.guess.push(guess.map(|guess| {
            sum(&|axes| {
                axes.iter()
                    .fold(guess.clone(), |g, axis| g.derivative(*axis))
            })
        }));
        self.exact.push(None);
        self.ansatz.push(None);
        self.unknowns
            .push(helper.name(&self.unknowns, &self.coordinates));
        self.helpers += 1;
    }
}

/// The value that a condition on a helper gives, if that is all it says: w − g = 0, g known.
fn value_given(condition: &Condition, helper: usize) -> Option<(usize, Expr)> {
    let value = Leaf::jet(helper, &[]);
    let factor = condition.residual.partial(&value).constant()?;
    let rest = condition
        .residual
        .replace(&mut |leaf| (*leaf == value).then(|| Expr::number(0.0)));
    let known = rest
        .leaves()
        .iter()
        .all(|leaf| matches!(leaf, Leaf::Coordinate(_)));
    (known && factor != 0.0).then(|| (helper, rest.scaled(-1.0 / factor)))
}

/// Every third and fourth derivative of an unknown.
fn high_jets(problem: &Problem, unknown: usize) -> Vec<Jet> {
    let jets = problem.texts().flat_map(Expr::jets);
    let high = jets.filter(|jet| jet.unknown() == unknown && jet.order() > 2);
    let mut high: Vec<Jet> = high.collect();
    high.sort();
    high.dedup();
    high
}

/// Second derivatives of which all of these are derivatives: the one that serves most of them first, u_ii before u_ij.
fn pairs(mut high: Vec<Jet>) -> Vec<[usize; 2]> {
    let mut chosen = Vec::new();
    while !high.is_empty() {
        let mut candidates: Vec<[usize; 2]> = Vec::new();
        for axes in high.iter().map(Jet::axes) {
            for (k, first) in axes.iter().enumerate() {
                candidates.extend(axes[k + 1..].iter().map(|second| [*first, *second]));
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        let served =
            |pair: &[usize; 2]| high.iter().filter(|jet| rest(jet, pair).is_some()).count();
        let Some(best) = candidates
            .iter()
            .max_by_key(|pair| (served(pair), pair[0] == pair[1], std::cmp::Reverse(**pair)))
        else {
            break;
        };
        high.retain(|jet| rest(jet, best).is_none());
        chosen.push(*best);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use crate::problem::Problem;

    fn split(equation: &str, boundary: &str) -> Problem {
        let text = format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"{equation}\"\n\
             [[boundary]]\non = \"all\"\ndirichlet = 0\n[[boundary]]\non = \"all\"\n{boundary}\n"
        );
        let problem = Problem::from_text(&text, "plate.toml", None).expect("a problem");
        problem.second_order().expect("higher derivatives")
    }

    fn shown(problem: &Problem) -> Vec<String> {
        let equations = problem.equations.iter();
        equations.map(|e| format!("{e:?}")).collect()
    }

    /// However the biharmonic operator is written, one helper is enough, and a moment on the boundary is its value.
    #[test]
    fn a_plate_has_one_helper() {
        for text in [
            "laplacian(laplacian(u)) - 1",
            "u_xxxx + 2*u_xxyy + u_yyyy - 1",
        ] {
            let plate = split(text, "residual = \"laplacian(u) - x\"");
            assert_eq!(plate.unknowns, ["u", "laplacian(u)"], "{text}");
            assert_eq!(plate.helpers, 1);
            assert_eq!(
                shown(&plate),
                ["u2_x1x1 + u2_x2x2 - 1", "u2 - u1_x1x1 - u1_x2x2"]
            );
            let (unknown, value) = plate.conditions[1].dirichlet.clone().expect("a value");
            assert_eq!((unknown, format!("{value:?}").as_str()), (1, "x1"));
        }
        let slope = split("laplacian(laplacian(u)) - 1", "neumann = 0");
        assert!(slope.conditions[1].dirichlet.is_none());
    }

    /// A stiffness that varies stays under the operator; an operator with directions of its own gets a helper for each.
    #[test]
    fn other_operators() {
        let varying = split("laplacian((1 + x)*laplacian(u))", "neumann = 0");
        assert_eq!(varying.unknowns.len(), 2);
        let directed = split("u_xxxx + 3*u_xxyy + u_yyyy - 1", "neumann = 0");
        assert_eq!(directed.unknowns, ["u", "u_xx", "u_yy"]);
        assert_eq!(shown(&directed)[0], "u2_x1x1 + 3*u2_x2x2 + u3_x2x2 - 1");
        let squared = split("u_xxx^2 + u_yyyy - 1", "neumann = 0");
        assert_eq!(shown(&squared)[0], "u2_x1^2 + u3_x2x2 - 1");
    }
}
