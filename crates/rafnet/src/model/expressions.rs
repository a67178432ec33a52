//! Expressions over a model: any text in coordinates, unknowns and their derivatives, evaluated at points.

use super::{Jets, Model, ModelError};
use crate::engine::{Gradient, Second, Streams};
use crate::expr::{Expr, Leaf, MissingInput, Program, Scratch};

/// Several expressions as one program over a model's jet.
///
/// ```
/// # use rafnet::activation::Set;
/// # use rafnet::model::{Expressions, Output, Parts};
/// # use rafnet::network::{Bias, Inputs, Layer, Network};
/// # use rafnet::Model;
/// # let layers = vec![Layer::dense(Set::Poly.shared_out(2, 1.0)), Layer::linear(1, Bias::Yes)];
/// # let network = Network::new(Inputs::coordinates(1), layers)?;
/// # let parameters = vec![1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// # let model = Model::new(Parts::new(["x"], vec![Output::new("u")], network, parameters))?; // u = x²
/// let text = rafnet::expr::parse("u_x + x*u_xx", &model.scope())?;
/// let mut expressions = Expressions::new(&model, &[text])?;
/// assert_eq!(expressions.evaluate(&model, &[3.0, 5.0])?, [12.0, 20.0]); // 4x
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Expressions {
    program: Program,
    scratch: Scratch,
    inputs: Vec<Leaf>,
    streams: Streams,
    n_columns: usize,
    coordinates: Vec<f64>, // (dimension, n)
}

impl Expressions {
    /// Compiles expressions for a model.
    ///
    /// # Errors
    /// When an expression reads anything but coordinates, unknowns and their derivatives.
    pub fn new(model: &Model, expressions: &[Expr]) -> Result<Self, MissingInput> {
        let mut inputs: Vec<Leaf> = expressions.iter().flat_map(Expr::leaves).collect();
        inputs.sort();
        inputs.dedup();
        let mut along = vec![false; model.dimension()];
        let mut second = Vec::new();
        for leaf in &inputs {
            match leaf {
                Leaf::Coordinate(_) => {}
                Leaf::Jet(jet) => match *jet.axes() {
                    [] => {}
                    [k] => along[k] = true,
                    [i, j] => {
                        let mixed = Second::Mixed(i, j);
                        if !second.contains(&mixed) {
                            second.push(mixed);
                        }
                    }
                    _ => return Err(MissingInput { leaf: leaf.clone() }),
                },
                _ => return Err(MissingInput { leaf: leaf.clone() }),
            }
        }
        let directions: Vec<usize> = (0..along.len()).filter(|&k| along[k]).collect();
        let streams = Streams {
            gradient: Gradient::Along(directions),
            second,
        };
        let program = Program::compile(expressions, &inputs)?;
        Ok(Self {
            scratch: program.scratch(),
            program,
            inputs,
            streams,
            n_columns: expressions.len(),
            coordinates: Vec::new(),
        })
    }

    /// The expressions at points (n × d, row by row): a column of n numbers each, one after the other.
    ///
    /// # Errors
    /// As [`Model::jet`].
    pub fn evaluate(&mut self, model: &Model, points: &[f64]) -> Result<Vec<f64>, ModelError> {
        let d = model.dimension();
        let n = points.len() / d;
        let jets = model.jet(points, self.streams.clone())?;
        self.coordinates.clear();
        for k in 0..d {
            self.coordinates.extend(points[k..].iter().step_by(d));
        }
        let inputs: Vec<&[f64]> = self
            .inputs
            .iter()
            .map(|leaf| stream(leaf, &jets, &self.coordinates))
            .collect();
        let mut columns = vec![0.0; n * self.n_columns];
        let mut outputs: Vec<&mut [f64]> = columns.chunks_exact_mut(n.max(1)).collect();
        self.program
            .evaluate(&inputs, &mut outputs, &mut self.scratch);
        Ok(columns)
    }
}

/// A leaf's values at every point.
fn stream<'a>(leaf: &Leaf, jets: &'a Jets, coordinates: &'a [f64]) -> &'a [f64] {
    let n = jets.n_points();
    let found = match leaf {
        Leaf::Coordinate(k) => Some(&coordinates[k * n..(k + 1) * n]),
        Leaf::Jet(jet) => match *jet.axes() {
            [] => Some(jets.value(jet.unknown())),
            [k] => jets.gradient(jet.unknown(), k),
            [i, j] => jets.hessian(jet.unknown(), i, j),
            _ => None,
        },
        _ => None,
    };
    let Some(values) = found else {
        unreachable!("the streams were chosen for the leaves")
    };
    values
}
