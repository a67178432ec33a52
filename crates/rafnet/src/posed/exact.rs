//! The error against a known solution, for reports and records alone.

use crate::expr::{Leaf, Program, larger};
use crate::problem::Problem;

/// The exact solutions that a problem states.
pub(crate) struct Exact {
    program: Program,
    /// Which unknowns have one.
    unknowns: Vec<usize>,
    dimension: usize,
}

impl Exact {
    /// `None` where no unknown has a known solution.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let known = problem.exact.iter().enumerate();
        let (unknowns, texts): (Vec<_>, Vec<_>) =
            known.filter_map(|(u, e)| e.clone().map(|e| (u, e))).unzip();
        let dimension = problem.coordinates.len();
        let inputs: Vec<Leaf> = (0..dimension).map(Leaf::Coordinate).collect();
        let program = Program::compile(&texts, &inputs)
            .ok()
            .filter(|_| !unknowns.is_empty())?;
        Some(Self {
            program,
            unknowns,
            dimension,
        })
    }

    /// `[relative L2, relative L∞]` of each unknown with a known solution at points (n × d by rows), `found(i, u)` being unknown `u` at
    /// point `i`. Against a solution that is zero the errors are absolute.
    pub(crate) fn errors(
        &self,
        points: &[f64],
        found: impl Fn(usize, usize) -> f64,
    ) -> Vec<(usize, [f64; 2])> {
        let d = self.dimension;
        let n = points.len() / d;
        let columns: Vec<Vec<f64>> = (0..d)
            .map(|k| points.iter().skip(k).step_by(d).copied().collect())
            .collect();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut exact = vec![vec![0.0; n]; self.unknowns.len()];
        let mut outputs: Vec<&mut [f64]> = exact.iter_mut().map(Vec::as_mut_slice).collect();
        self.program
            .evaluate(&inputs, &mut outputs, &mut self.program.scratch());
        let one = |(&u, truth): (&usize, &Vec<f64>)| {
            let (mut square, mut total, mut largest, mut most) = (0.0, 0.0, 0.0, 0.0);
            for (i, truth) in truth.iter().enumerate() {
                let difference = found(i, u) - truth;
                (square, total) = (square + difference * difference, total + truth * truth);
                largest = larger(largest, difference.abs());
                most = larger(most, truth.abs());
            }
            let (total, most) = if most == 0.0 {
                (n as f64, 1.0)
            } else {
                (total, most)
            };
            (u, [(square / total).sqrt(), largest / most])
        };
        self.unknowns.iter().zip(&exact).map(one).collect()
    }
}

/// Relative L2 errors from the sums of (u − u*)² and of u*² of each unknown in turn, over so many points.
pub(crate) fn errors_of_sums(sums: &[f64], points: usize) -> impl Iterator<Item = f64> + '_ {
    sums.chunks_exact(2).map(move |s| match s[1] {
        0.0 => (s[0] / points as f64).sqrt(),
        total => (s[0] / total).sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::Exact;
    use crate::problem::Problem;

    /// Wherever a found value is no number, neither is any error of that unknown; those of the other stay.
    #[test]
    fn one_value_that_is_no_number_leaves_no_error() {
        let text = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\n\
                    residual = [\"u - 1 - x\", \"v - 2\"]\n[exact]\nu = \"1 + x\"\nv = \"2\"\n";
        let problem = Problem::from_text(text, "lines.toml", None).expect("a problem");
        let exact = Exact::new(&problem).expect("solutions are stated");
        let points = [0.1, 0.5, 0.9];
        for broken in 0..points.len() {
            let found = |i: usize, u: usize| match (i, u) {
                (i, 0) if i == broken => f64::NAN,
                (i, 0) => 1.0 + points[i],
                _ => 2.5,
            };
            let errors = exact.errors(&points, found);
            assert!(errors[0].1.iter().all(|e| e.is_nan()), "{errors:?}");
            assert!(errors[1].1.iter().all(|e| (e - 0.25).abs() < 1e-15));
        }
    }
}
