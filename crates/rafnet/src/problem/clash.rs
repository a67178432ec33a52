//! Values that clash: two conditions that give one unknown different values where their faces meet.
//!
//! No continuous function meets both, and whatever is found has a layer there that no number of functions resolves.

use super::{Condition, Problem};
use crate::expr::Expr;

/// Points of an edge that are looked at.
const LOOKED_AT: usize = 9;
/// Differences below this share of the values are rounding.
const ROUNDING: f64 = 1e-6;

/// Two values at one point.
struct Clash {
    point: Vec<f64>,
    values: [f64; 2],
}

impl Problem {
    /// A sentence for each pair of conditions that clash; of boxes, whose faces all meet but opposite ones.
    pub(crate) fn clashes(&self) -> Vec<String> {
        if self.domain.as_cuboid().is_none() {
            return Vec::new();
        }
        let given: Vec<(usize, &Condition)> = self
            .conditions
            .iter()
            .enumerate()
            .filter(|(_, c)| c.dirichlet.is_some() && c.filter.is_none())
            .collect();
        let mut sentences = Vec::new();
        for (k, (i, first)) in given.iter().enumerate() {
            for (j, second) in &given[k + 1..] {
                if let Some(clash) = self.clash(first, second) {
                    let names = [self.called(*i), self.called(*j)];
                    let coordinates = self.coordinates.iter().zip(&clash.point);
                    let at: Vec<String> = coordinates
                        .map(|(name, x)| format!("{name} = {x:.4}"))
                        .collect();
                    let [a, b] = clash.values;
                    sentences.push(format!(
                        "{} and {} clash at {}: {a:.4} and {b:.4}; no continuous function has both",
                        names[0],
                        names[1],
                        at.join(", ")
                    ));
                }
            }
        }
        sentences
    }

    /// What a condition is called in sentences.
    pub(crate) fn called(&self, condition: usize) -> String {
        let initial = self.conditions[condition].initial;
        let before = self.conditions[..condition].iter();
        let number = 1 + before.filter(|c| c.initial == initial).count();
        let kind = if initial { "initial" } else { "boundary" };
        format!("{kind} condition {number}")
    }

    /// Where two conditions on one unknown differ most, if they do.
    fn clash(&self, first: &Condition, second: &Condition) -> Option<Clash> {
        let ((u, one), (v, other)) = (first.dirichlet.as_ref()?, second.dirichlet.as_ref()?);
        if u != v {
            return None;
        }
        let faces = |c: &Condition| -> Vec<(usize, f64)> {
            let pieces = c.pieces.iter().filter_map(|p| self.domain.pieces().get(*p));
            pieces.filter_map(|piece| piece.face.fixed()).collect()
        };
        let mut worst: Option<Clash> = None;
        let (mut size, mut most) = (0.0f64, 0.0);
        for (a, at_a) in faces(first) {
            for (b, at_b) in faces(second).into_iter().filter(|(b, _)| *b != a) {
                for k in 0..LOOKED_AT {
                    let point = self.diagonal(&[(a, at_a), (b, at_b)], k);
                    let values = [one, other].map(|g: &Expr| g.at(&point));
                    let off = (values[0] - values[1]).abs();
                    // how large the values are elsewhere on their faces: both may vanish where they meet
                    let faces = [(one, (a, at_a)), (other, (b, at_b))];
                    let sizes = faces.map(|(g, face)| g.at(&self.diagonal(&[face], k)).abs());
                    size = size.max(sizes[0]).max(sizes[1]);
                    if off > most {
                        (worst, most) = (Some(Clash { point, values }), off);
                    }
                }
            }
        }
        worst.filter(|_| most > ROUNDING * size && most.is_finite())
    }

    /// A point of the box's diagonal with some coordinates fixed.
    fn diagonal(&self, fixed: &[(usize, f64)], k: usize) -> Vec<f64> {
        let share = k as f64 / (LOOKED_AT - 1) as f64;
        let bounds = self.domain.bounds().iter();
        let mut point: Vec<f64> = bounds
            .map(|[low, high]| low + share * (high - low))
            .collect();
        fixed.iter().for_each(|(axis, at)| point[*axis] = *at);
        point
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Problem, ProblemError};

    fn warnings(initial: &str, boundary: &str) -> Result<Vec<String>, ProblemError> {
        let text = format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 2]\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_xx\"\n\
             [[initial]]\nu = \"{initial}\"\n[[boundary]]\non = \"x\"\ndirichlet = \"{boundary}\"\n"
        );
        Ok(Problem::from_text(&text, "heat.toml", None)?.warnings())
    }

    #[test]
    fn clashes_are_named_and_agreement_is_not() -> Result<(), ProblemError> {
        assert!(warnings("sin(pi*x)", "t")?.is_empty());
        assert!(warnings("x", "x + t")?.is_empty());
        assert!(warnings("sin(pi*x)", "0")?.is_empty()); // sin(pi) rounds to 1e-16
        let found = warnings("1 + x", "0")?;
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("initial condition 1"), "{found:?}");
        assert!(found[0].contains("x = 1.0000, t = 0.0000"), "{found:?}");
        Ok(())
    }
}
