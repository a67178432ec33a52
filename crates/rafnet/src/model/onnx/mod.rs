//! Models as ONNX files, for other runtimes: the whole function, from points to values.
//!
//! ```text
//! points (n × d) ──encoding, features──▶ layers ──▶ φ ──▶ factor·scale·φ + lift ──▶ NaN outside the domain ──▶ values (n × outputs)
//! ```
//!
//! in the model's precision, any n. `message` writes the bytes, `graph` keeps the nodes, `layers` and `basis` are the network, `text`
//! and `function` the known functions around it. A runtime that shares no code with ours says whether the values are the same:
//! `tests/commands/export.rs` of the command.

mod basis;
mod function;
mod graph;
mod layers;
mod message;
mod text;

use super::{Model, ModelError, Precision, check};
use crate::expr::Expr;
use graph::{Graph, Value};

/// The version of ONNX's operators that a file asks for.
const OPERATORS: u32 = 13;

/// The longest file that a reader of the format takes.
const LONGEST: usize = i32::MAX as usize;

/// A model as an ONNX file.
///
/// ```
/// # use rafnet::activation::Set;
/// # use rafnet::model::{Output, Parts};
/// # use rafnet::network::{Bias, Inputs, Layer, Network};
/// # let layers = vec![Layer::dense(Set::Poly.shared_out(2, 1.0)), Layer::linear(1, Bias::Yes)];
/// # let network = Network::new(Inputs::coordinates(1), layers)?;
/// # let parameters = vec![1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// # let model = rafnet::Model::new(Parts::new(["x"], vec![Output::new("u")], network, parameters))?;
/// let onnx = model.to_onnx()?; // u = x²: a product, two groups of neurons, a product, a name
/// assert_eq!(onnx.nodes, 7);
/// assert_eq!(onnx.bytes[..2], [8, 7]); // version 7 of the format
/// # Ok::<(), rafnet::model::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Onnx {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many operators a runtime evaluates.
    pub nodes: usize,
}

impl Onnx {
    /// The name of the input, n × d.
    pub const INPUT: &'static str = "points";
    /// The name of the output, n × outputs.
    pub const OUTPUT: &'static str = "values";
    /// The version of ONNX's operators that a file asks for.
    pub const OPERATORS: u32 = OPERATORS;
}

impl Model {
    /// The model as an ONNX file: `points` (n × d) in, `values` (n × outputs) out, NaN outside the region, in the model's
    /// precision.
    ///
    /// # Errors
    /// [`ModelError::OnnxSize`] when the file would be longer than the format allows (2 GiB), [`ModelError::Pieces`] for a model of
    /// several pieces.
    pub fn to_onnx(&self) -> Result<Onnx, ModelError> {
        let parts = self.parts();
        if !parts.pieces.is_empty() {
            return Err(ModelError::Pieces {
                reason: "have no ONNX form; `raf eval` evaluates them anywhere",
            });
        }
        let size = match parts.precision {
            Precision::F32 => 4,
            Precision::F64 => 8,
        };
        fits(parts.parameters.len().saturating_mul(size))?;
        let known = check::known(parts)?;
        let (mut graph, points) = Graph::new(parts.precision, Onnx::INPUT);
        let around = known.around.iter();
        let texts = known.features.iter();
        let texts =
            texts.chain(around.flat_map(|(factor, lift)| [factor, lift].into_iter().flatten()));
        let texts: Vec<Expr> = texts.cloned().collect();
        let mut texts = text::values(&mut graph, points, &texts).into_iter();
        let mut features = Vec::new();
        for (expr, value) in known.features.iter().zip(texts.by_ref()) {
            features.push(match expr.constant() {
                Some(_) => text::everywhere(&mut graph, points, value),
                None => value,
            });
        }
        let phi = layers::network(&mut graph, parts, points, &features);
        let mut outputs = Vec::new();
        for (o, (factor, lift)) in known.around.iter().enumerate() {
            let mut u = match known.around.len() {
                1 => phi,
                _ => graph.columns(phi, o, o + 1),
            };
            for (given, operator) in [(factor, "Mul"), (lift, "Add")] {
                if let Some(value) = given.as_ref().and_then(|_| texts.next()) {
                    u = graph.node(operator, &[u, value]);
                }
            }
            outputs.push(u);
        }
        let values = graph.beside(&outputs);
        let values = self.inside(&mut graph, points, values);
        graph.output(values, Onnx::OUTPUT);
        let names = |all: Vec<&str>| all.join(", ");
        let coordinates = names(parts.coordinates.iter().map(String::as_str).collect());
        let outputs = names(parts.outputs.iter().map(|o| o.name.as_str()).collect());
        let message = graph.message("model", [self.dimension(), self.n_outputs()]);
        let notes = [("coordinates", coordinates), ("outputs", outputs)];
        let bytes = message::model(&message, &notes).into_bytes();
        fits(bytes.len())?;
        Ok(Onnx {
            bytes,
            nodes: graph.n_nodes(),
        })
    }

    /// The values where a point lies in the region, NaN elsewhere; as [`Model::contains`], in f32 with that type's rounding.
    fn inside(&self, graph: &mut Graph, points: Value, values: Value) -> Value {
        let Some(region) = &self.parts().region else {
            return values;
        };
        let slack = match graph.precision() {
            Precision::F32 => f64::from(f32::EPSILON),
            Precision::F64 => super::SLACK,
        };
        let room = |[low, high]: &[f64; 2]| slack * (high - low + low.abs().max(high.abs()));
        let low: Vec<f64> = region.bounds.iter().map(|b| b[0] - room(b)).collect();
        let high: Vec<f64> = region.bounds.iter().map(|b| b[1] + room(b)).collect();
        let low = graph.tensor("domain.low", &[low.len()], &low);
        let high = graph.tensor("domain.high", &[high.len()], &high);
        let above = graph.node("GreaterOrEqual", &[points, low]);
        let below = graph.node("LessOrEqual", &[points, high]);
        let both = graph.node("And", &[above, below]);
        let not = graph.node("Not", &[both]);
        let not = text::number(graph, not);
        let ones = graph.tensor(
            "domain.ones",
            &[self.dimension(), 1],
            &vec![1.0; self.dimension()],
        );
        let violated = graph.node("MatMul", &[not, ones]); // how many bounds a point violates
        let none = graph.number(0.0);
        let all = graph.node("Equal", &[violated, none]);
        let nan = graph.number(f64::NAN);
        graph.node("Where", &[all, values, nan])
    }
}

fn fits(bytes: usize) -> Result<(), ModelError> {
    if bytes > LONGEST {
        return Err(ModelError::OnnxSize {
            bytes,
            most: LONGEST,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beyond_the_format_is_refused() {
        assert!(fits(LONGEST).is_ok());
        let message = fits(LONGEST + 1).err().map(|e| e.to_string());
        assert!(message.is_some_and(|m| m.contains("2147483647 bytes")));
    }
}
