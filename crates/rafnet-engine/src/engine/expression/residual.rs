//! Residuals as texts write them, for any engine: streams chosen by the text, values and partial derivatives by one program.
//!
//! Second derivatives whose coefficients are constant, or all the same, collapse into one stream: `-laplacian(u) + u^3` carries the
//! value, the gradient and the Laplacian, not u_xx and u_yy apart.

use super::{Formula, Read};
use crate::engine::{Gradient, Residual, Response, Second, Site, Streams};
use crate::expr::{Expr, Leaf, Program, Scratch};
use std::sync::{Mutex, PoisonError};

/// Residuals of one set of points, by their expressions.
pub struct ExprResidual {
    streams: Streams,
    count: usize,
    outputs: usize,
    dimension: usize,
    columns: usize,
    program: Program,
    formula: Formula,
    /// Which (residual, output, stream) the program's outputs after the residuals themselves are.
    partials: Vec<[usize; 3]>,
    /// Which (residual, shared number) the outputs after those are.
    slopes: Vec<[usize; 2]>,
    /// Which output and stream each jet among the inputs is.
    jets: Vec<[usize; 2]>,
    n_shared: usize,
    scratch: Mutex<Vec<Scratch>>,
}

/// Up to this many inputs and outputs are handed over without allocating.
const FEW: usize = 128;

/// A stream of an unknown that stands for Σ c_ij u_ij; its leaf in rewritten residuals.
fn stream_leaf(unknown: usize, stream: usize) -> Leaf {
    Leaf::Column((1 + unknown) << 20 | stream)
}

impl ExprResidual {
    /// From residuals over coordinates, jets, shared numbers (sought parameters), normals (data columns 0 … d − 1) and an observed value
    /// (column d).
    ///
    /// # Panics
    /// If an expression has derivatives above second order, or reads what is not listed here.
    pub fn new(residuals: &[Expr], dimension: usize, outputs: usize, n_shared: usize) -> Self {
        let (second, rewritten) = collapse(residuals, dimension, outputs);
        let mut along: Vec<usize> = rewritten
            .iter()
            .flat_map(Expr::jets)
            .filter_map(|j| (j.axes().len() == 1).then(|| j.axes()[0]))
            .collect();
        along.sort_unstable();
        along.dedup();
        let streams = Streams {
            gradient: Gradient::Along(along),
            second,
        };
        let carried = streams.carried(dimension).expect("axes of a problem exist");
        let mut leaves: Vec<(Leaf, [usize; 2])> = Vec::new();
        for output in 0..outputs {
            leaves.push((Leaf::jet(output, &[]), [output, 0]));
            for k in 0..dimension {
                if let Some(s) = carried.direction(k) {
                    leaves.push((Leaf::jet(output, &[k]), [output, s]));
                }
            }
            for s in 0..carried.second().len() {
                leaves.push((stream_leaf(output, s), [output, carried.second_stream(s)]));
            }
        }
        let used = |leaf: &Leaf| rewritten.iter().any(|r| r.leaves().contains(leaf));
        leaves.retain(|(leaf, _)| used(leaf));
        let mut inputs: Vec<Leaf> = (0..dimension).map(Leaf::Coordinate).collect();
        let beside = |leaf: &Leaf| matches!(leaf, Leaf::Normal(_) | Leaf::Column(0));
        let columns = if rewritten.iter().any(|r| r.leaves().iter().any(beside)) {
            inputs.extend((0..dimension).map(Leaf::Normal));
            inputs.push(Leaf::Column(0));
            dimension + 1
        } else {
            0
        };
        inputs.extend((0..n_shared).map(Leaf::Parameter));
        inputs.extend(leaves.iter().map(|l| l.0.clone()));
        let mut exprs = rewritten.clone();
        let mut partials = Vec::new();
        for (m, r) in rewritten.iter().enumerate() {
            for (leaf, [output, stream]) in &leaves {
                let partial = r.partial(leaf);
                if partial.constant() != Some(0.0) {
                    partials.push([m, *output, *stream]);
                    exprs.push(partial);
                }
            }
        }
        debug_assert!(
            partials.is_sorted(),
            "in the order of the response's columns"
        );
        let mut slopes = Vec::new();
        for (m, r) in rewritten.iter().enumerate() {
            for k in 0..n_shared {
                let slope = r.partial(&Leaf::Parameter(k));
                if slope.constant() != Some(0.0) {
                    slopes.push([m, k]);
                    exprs.push(slope);
                }
            }
        }
        let program = Program::compile(&exprs, &inputs)
            .expect("every leaf of a problem's residual is an input");
        let jets: Vec<[usize; 2]> = leaves.iter().map(|l| l.1).collect();
        let read = |leaf: &Leaf| match leaf {
            Leaf::Coordinate(k) => Read::Coordinate(*k),
            Leaf::Normal(k) => Read::Data(*k),
            Leaf::Column(0) => Read::Data(dimension),
            Leaf::Parameter(k) => Read::Shared(*k),
            leaf => {
                let at = leaves.iter().position(|(l, _)| l == leaf).unwrap_or(0);
                let [output, stream] = jets[at];
                Read::Stream { output, stream }
            }
        };
        let of_slopes = exprs.split_off(rewritten.len() + partials.len());
        let of_partials = exprs.split_off(rewritten.len());
        let formula = Formula {
            reads: inputs
                .iter()
                .map(|leaf| (leaf.clone(), read(leaf)))
                .collect(),
            partials: partials.iter().copied().zip(of_partials).collect(),
            slopes: slopes.iter().copied().zip(of_slopes).collect(),
            residuals: exprs,
        };
        Self {
            streams,
            count: residuals.len(),
            outputs,
            dimension,
            columns,
            program,
            formula,
            partials,
            slopes,
            jets,
            n_shared,
            scratch: Mutex::default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Second-order streams, and the residuals over them.
fn collapse(residuals: &[Expr], dimension: usize, outputs: usize) -> (Vec<Second>, Vec<Expr>) {
    let mut second: Vec<Second> = Vec::new();
    let mut place = |wanted: Second| {
        second.iter().position(|s| *s == wanted).unwrap_or_else(|| {
            second.push(wanted);
            second.len() - 1
        })
    };
    let mut rewritten = residuals.to_vec();
    for r in &mut rewritten {
        for unknown in 0..outputs {
            let axes: Vec<Vec<usize>> = r
                .jets()
                .iter()
                .filter(|j| j.unknown() == unknown && j.axes().len() == 2)
                .map(|j| j.axes().to_vec())
                .collect();
            let slopes: Vec<Expr> = axes
                .iter()
                .map(|a| r.partial(&Leaf::jet(unknown, a)))
                .collect();
            let free = |e: &Expr| {
                let read = e.jets();
                !read
                    .iter()
                    .any(|j| j.unknown() == unknown && j.axes().len() == 2)
            };
            let constants: Option<Vec<f64>> = slopes.iter().map(Expr::constant).collect();
            let equal = slopes.windows(2).all(|w| w[0] == w[1]);
            let one = match (&constants, slopes.first()) {
                _ if axes.len() < 2 => None,
                (Some(constants), _) => Some((constants.clone(), Expr::number(1.0))),
                (None, Some(first)) if equal && free(first) => {
                    Some((vec![1.0; axes.len()], first.clone()))
                }
                _ => None,
            };
            let zeroed = |e: &Expr, with: &mut dyn FnMut(&[usize]) -> Expr| {
                e.replace(&mut |leaf| match leaf {
                    Leaf::Jet(jet) if jet.unknown() == unknown && jet.axes().len() == 2 => {
                        Some(with(jet.axes()))
                    }
                    _ => None,
                })
            };
            if let Some((entries, factor)) = one {
                let mut matrix = vec![0.0; dimension * dimension];
                for (axes, c) in axes.iter().zip(&entries) {
                    let (i, j) = (axes[0], axes[1]);
                    matrix[i * dimension + j] += 0.5 * c;
                    matrix[j * dimension + i] += 0.5 * c;
                }
                let stream = place(Second::Matrix(matrix));
                let rest = zeroed(r, &mut |_| Expr::number(0.0));
                *r = rest + factor * Expr::leaf(stream_leaf(unknown, stream));
            } else {
                *r = zeroed(r, &mut |axes| {
                    Expr::leaf(stream_leaf(unknown, place(Second::Mixed(axes[0], axes[1]))))
                });
            }
        }
    }
    (second, rewritten)
}

impl Residual<f64> for ExprResidual {
    fn streams(&self) -> Streams {
        self.streams.clone()
    }
    fn count(&self) -> usize {
        self.count
    }
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn shared(&self) -> usize {
        self.n_shared
    }
    fn data_columns(&self) -> usize {
        self.columns
    }
    fn evaluate(&self, site: &Site<'_, f64>, response: &mut Response<'_, f64>) {
        let n = site.n();
        if n == 0 {
            return;
        }
        let waiting = lock(&self.scratch).pop();
        let mut scratch = waiting.unwrap_or_else(|| self.program.scratch());
        let coordinates = (0..self.dimension).map(|k| site.points.coordinate(k));
        let data = (0..self.columns).map(|c| site.data(c));
        let jets = self.jets.iter().map(|&[o, s]| site.u(o, s));
        let shared = site.shared.chunks(1);
        let inputs = coordinates.chain(data).chain(shared).chain(jets);
        let (streams, all_outputs) = (response.streams, response.outputs);
        let values = response.values.chunks_exact_mut(n).take(self.count);
        // the program's outputs come in the order of the response's columns
        let mut wanted = self
            .partials
            .iter()
            .map(|&[m, o, s]| (m * all_outputs + o) * streams + s)
            .peekable();
        let partials = response.partials.chunks_exact_mut(n).enumerate();
        let partials = partials.filter_map(|(at, column)| wanted.next_if_eq(&at).map(|_| column));
        let mut wanted = self
            .slopes
            .iter()
            .map(|&[m, k]| m * self.n_shared + k)
            .peekable();
        let slopes = response.slopes.chunks_exact_mut(n).enumerate();
        let slopes = slopes.filter_map(|(at, column)| wanted.next_if_eq(&at).map(|_| column));
        let outputs = values.chain(partials).chain(slopes);
        let n_inputs = self.dimension + self.columns + self.n_shared + self.jets.len();
        let n_outputs = self.count + self.partials.len() + self.slopes.len();
        if n_inputs <= FEW && n_outputs <= FEW {
            let mut ins: [&[f64]; FEW] = [&[]; FEW];
            let mut outs: [&mut [f64]; FEW] = std::array::from_fn(|_| &mut [][..]);
            ins.iter_mut()
                .zip(inputs)
                .for_each(|(place, item)| *place = item);
            outs.iter_mut()
                .zip(outputs)
                .for_each(|(place, item)| *place = item);
            let outs = &mut outs[..n_outputs];
            self.program.evaluate(&ins[..n_inputs], outs, &mut scratch);
        } else {
            let ins: Vec<&[f64]> = inputs.collect();
            let mut outs: Vec<&mut [f64]> = outputs.collect();
            self.program.evaluate(&ins, &mut outs, &mut scratch);
        }
        lock(&self.scratch).push(scratch);
    }
    fn formula(&self) -> Option<Formula> {
        Some(self.formula.clone())
    }
}
