//! What is shown of a solution at points: each unknown with its residual, its estimated and, where it is known, its true error.

use super::Solution;
use rafnet::domain::Domain;
use rafnet::expr::{Expr, Leaf};
use rafnet::model::{Expressions, Model};

/// An unknown of a model, or an eigenfunction.
pub(crate) struct Group<'a> {
    pub(crate) name: String,
    pub(crate) model: &'a Model,
    unknown: usize,
    /// What should be zero: of one unknown only where several share their equations.
    residuals: Vec<Expr>,
    exact: Option<Expr>,
    /// Whether −u is as good as u.
    signless: bool,
    compared: Option<&'a Model>,
    /// The estimated relative L2 error, and that of the largest error over the largest value.
    estimate: Option<f64>,
    largest: Option<f64>,
}

/// One figure at every point.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) role: &'static str,
    pub(crate) values: Vec<f64>,
}

impl<'a> Group<'a> {
    /// The unknowns of a model without a problem.
    pub(crate) fn of_model(model: &'a Model) -> Vec<Self> {
        let outputs = model.parts().outputs.iter().enumerate();
        let group = |(unknown, output): (usize, &rafnet::model::Output)| Self {
            name: output.name.clone(),
            model,
            unknown,
            residuals: Vec::new(),
            exact: None,
            signless: false,
            compared: None,
            estimate: None,
            largest: None,
        };
        outputs.map(group).collect()
    }

    /// How many fields there are at most.
    pub(crate) fn n_fields(&self) -> usize {
        let count = |there: bool| usize::from(there);
        1 + count(!self.residuals.is_empty())
            + count(self.compared.is_some())
            + count(self.exact.is_some())
    }

    /// The largest error that is likely anywhere, where the values have this size.
    pub(crate) fn bar(&self, largest_value: f64) -> Option<f64> {
        self.largest.map(|relative| relative * largest_value)
    }

    /// The fields at points; `inside` says which of them count.
    pub(crate) fn fields(&self, points: &[f64], inside: &[bool]) -> Option<Vec<Field>> {
        let n = inside.len();
        let value = Expr::leaf(Leaf::jet(self.unknown, &[]));
        let mut texts = vec![value.clone()];
        if let Some(exact) = &self.exact {
            texts.push(value.clone() - exact.clone());
            if self.signless {
                texts.push(value + exact.clone());
            }
        }
        let plain = texts.len();
        texts.extend(self.residuals.iter().cloned());
        let mut expressions = Expressions::new(self.model, &texts);
        if expressions.is_err() {
            // derivatives of third order, say: the model gives two
            texts.truncate(plain);
            expressions = Expressions::new(self.model, &texts);
        }
        let columns = expressions.ok()?.evaluate(self.model, points).ok()?;
        let mut columns: Vec<Vec<f64>> = columns.chunks(n).map(<[f64]>::to_vec).collect();
        let residuals = columns.split_off(plain);
        let mut fields = vec![Field {
            name: self.name.clone(),
            role: "value",
            values: columns.swap_remove(0),
        }];
        if !residuals.is_empty() {
            fields.push(Field {
                name: match residuals.len() {
                    1 => "residual of the equation".into(),
                    k => format!("residual of the {k} equations together"),
                },
                role: "residual",
                values: together(residuals),
            });
        }
        if let Some(values) = self.estimated(points, inside, &fields[0].values) {
            let name = format!("estimated error of {}", self.name);
            fields.push(Field {
                name,
                role: "estimate",
                values,
            });
        }
        let size = |values: &Vec<f64>| rms(values, inside);
        // the columns but for the first, the last of which took its place
        columns.sort_by(|a, b| size(a).total_cmp(&size(b)));
        if let Some(values) = columns.into_iter().next().filter(|_| self.exact.is_some()) {
            let name = format!("true error of {}", self.name);
            fields.push(Field {
                name,
                role: "error",
                values,
            });
        }
        Some(fields)
    }

    /// Where the answer and the one it was compared with differ, as if by the error: its mean square is the estimate.
    fn estimated(&self, points: &[f64], inside: &[bool], values: &[f64]) -> Option<Vec<f64>> {
        let (other, estimate) = (self.compared?, self.estimate?);
        let others = other.eval(points).ok()?;
        let others = others.iter().skip(self.unknown).step_by(other.n_outputs());
        let apart: Vec<f64> = values
            .iter()
            .zip(others)
            .map(|(a, b)| (a - b).abs())
            .collect();
        let factor = estimate * rms(values, inside) / rms(&apart, inside);
        factor
            .is_finite()
            .then(|| apart.into_iter().map(|v| v * factor).collect())
    }
}

impl Solution<'_> {
    /// The unknowns, or the eigenfunctions.
    pub(crate) fn groups(&self) -> Vec<Group<'_>> {
        let problem = self.problem;
        let pairs = self.result["eigenvalues"].as_array();
        let pairs = pairs.map_or(&[][..], Vec::as_slice);
        let models = std::iter::once(self.model).chain(self.modes);
        let mut groups = Vec::new();
        for (k, model) in models.enumerate() {
            let eigenvalue = pairs.get(k).and_then(|pair| pair["value"].as_f64());
            let residuals = self.residuals(eigenvalue);
            for (unknown, name) in problem.unknowns.iter().enumerate() {
                let figure = |key: &str, of_pair: &str| match pairs.get(k) {
                    Some(pair) => pair[of_pair].as_f64(),
                    None => self.figure(key),
                };
                let mode = match eigenvalue {
                    Some(value) if pairs.len() > 1 => format!("{name} of λ = {value:.6}"),
                    _ => name.clone(),
                };
                groups.push(Group {
                    name: mode,
                    model,
                    unknown,
                    residuals: if unknown == 0 {
                        residuals.clone()
                    } else {
                        Vec::new()
                    },
                    exact: problem.exact[unknown].clone().filter(|_| k == 0),
                    signless: problem.eigen.is_some(),
                    compared: self.compared.filter(|_| k == 0),
                    estimate: figure("error_estimate", "function_estimate"),
                    largest: figure("linf_estimate", "function_estimate"),
                });
            }
        }
        groups
    }

    /// What should be zero, with what was found in the place of what was sought.
    pub(crate) fn residuals(&self, eigenvalue: Option<f64>) -> Vec<Expr> {
        let equations = self.problem.equations.iter();
        equations.map(|e| self.filled(e, eigenvalue)).collect()
    }

    /// An expression with what was found in the place of what was sought.
    pub(crate) fn filled(&self, text: &Expr, eigenvalue: Option<f64>) -> Expr {
        let found = |p: usize| {
            let name = &self.problem.sought.get(p)?.name;
            self.result["found"][name].as_f64()
        };
        text.replace(&mut |leaf| match leaf {
            Leaf::Parameter(p) => eigenvalue.or_else(|| found(*p)).map(Expr::number),
            _ => None,
        })
    }
}

/// Which points lie in a domain.
pub(crate) fn inside(domain: &Domain, points: &[f64]) -> Vec<bool> {
    points
        .chunks(domain.dimension())
        .map(|x| domain.contains(x))
        .collect()
}

/// The root of the mean square of the values that count.
fn rms(values: &[f64], counts: &[bool]) -> f64 {
    let counted = values.iter().zip(counts);
    let counted = counted.filter(|(v, counts)| **counts && v.is_finite());
    let (sum, n) = counted.fold((0.0, 0usize), |(sum, n), (v, _)| (sum + v * v, n + 1));
    (sum / n.max(1) as f64).sqrt()
}

/// Of several columns the root of the sum of squares, of one itself.
fn together(mut columns: Vec<Vec<f64>>) -> Vec<f64> {
    if columns.len() == 1 {
        return columns.swap_remove(0);
    }
    let n = columns[0].len();
    let of = |i: usize| columns.iter().map(|c| c[i] * c[i]).sum::<f64>().sqrt();
    (0..n).map(of).collect()
}
