//! From a model to its description.

use super::{FORMAT, VERSION};
use crate::activation::{Activation, Coefficient, Group, Initial, Scale, Term, Training};
use crate::model::{ModelError, Output, Parts, Region};
use crate::network::{Bias, Encoding, Layer, Network, Skip};
use serde_json::{Map, Value, json};

/// The description as JSON text.
pub(in crate::model) fn write(parts: &Parts) -> Result<String, ModelError> {
    let features = parts.features.iter();
    let region = parts.region.as_ref().map(region).transpose()?;
    let constants = parts.constants.iter();
    let constants: Map<String, Value> = constants.map(|(n, v)| (n.clone(), json!(v))).collect();
    let version = if parts.pieces.is_empty() { 1 } else { VERSION };
    let mut value = json!({
        "format": FORMAT,
        "version": version,
        "written_by": concat!("rafnet ", env!("CARGO_PKG_VERSION")),
        "precision": parts.precision.name(),
        "coordinates": parts.coordinates,
        "time": parts.time.map(|axis| &parts.coordinates[axis]),
        "features": features.map(|f| json!({ "name": f.name, "text": f.text })).collect::<Vec<_>>(),
        "outputs": parts.outputs.iter().map(output).collect::<Vec<_>>(),
        "constants": constants,
        "domain": region,
        "network": network(&parts.network),
    });
    if version > 1 {
        value["pieces"] = json!(parts.pieces.len());
    }
    Ok(value.to_string())
}

fn output(output: &Output) -> Value {
    json!({ "name": output.name, "scale": output.scale, "factor": output.factor, "lift": output.lift })
}

fn region(region: &Region) -> Result<Value, ModelError> {
    let description: Value =
        serde_json::from_str(&region.description).map_err(|e| ModelError::NotJson {
            reason: e.to_string(),
        })?;
    Ok(json!({ "bounds": region.bounds, "description": description }))
}

fn network(network: &Network) -> Value {
    let encoding = match network.inputs().encoding {
        Encoding::Raw => json!("raw"),
        Encoding::Periodic { order } => json!({ "periodic": order }),
    };
    json!({ "encoding": encoding, "layers": network.layers().iter().map(layer).collect::<Vec<_>>() })
}

fn layer(layer: &Layer) -> Value {
    let skip = match layer.skip {
        Skip::None => Value::Null,
        Skip::Inputs => json!("inputs"),
        Skip::Layer(from) => json!(from),
    };
    let groups = |a: &Activation| a.groups().iter().map(group).collect::<Vec<_>>();
    json!({
        "width": layer.width,
        "bias": layer.bias == Bias::Yes,
        "skip": skip,
        "activation": layer.activation.as_ref().map(groups),
    })
}

fn group(group: &Group) -> Value {
    let terms: Vec<Value> = group.terms.iter().map(term).collect();
    json!({ "neurons": group.neurons, "terms": terms })
}

fn term(term: &Term) -> Value {
    let (key, scale) = match &term.scale {
        Scale::One => {
            return json!({ "basis": term.basis.name(), "alpha": coefficient(&term.alpha) });
        }
        Scale::Frequency(c) => ("frequency", coefficient(c)),
        Scale::Width(c) => ("width", coefficient(c)),
    };
    json!({ "basis": term.basis.name(), "alpha": coefficient(&term.alpha), key: scale })
}

/// {"trained" or "fixed": where it starts, which for a fixed number is what it is}.
fn coefficient(coefficient: &Coefficient) -> Value {
    let initial = match &coefficient.initial {
        Initial::Constant(value) => json!(value),
        Initial::Values(values) => json!(values),
        Initial::Harmonics(step) => json!({ "harmonics": step }),
        Initial::Normal { mean, deviation } => json!({ "normal": [mean, deviation] }),
        Initial::Uniform { low, high } => json!({ "uniform": [low, high] }),
    };
    match coefficient.training {
        Training::Trained => json!({ "trained": initial }),
        Training::Fixed => json!({ "fixed": initial }),
    }
}
