//! From a description to a model without parameters.

use super::place::Place;
use super::{FORMAT, VERSION};
use crate::activation::{Activation, Coefficient, Group, Initial, Scale, Term, Training};
use crate::model::{Feature, ModelError, Output, Parts, Precision, Region};
use crate::network::{Bias, Encoding, Inputs, Layer, Network, Skip};
use serde_json::Value;

/// How many pieces, in descriptions from version 2.
const PIECES: &str = "pieces";
/// The keys of a description.
const KEYS: [&str; 12] = [
    "format",
    "version",
    "written_by",
    "precision",
    "coordinates",
    "time",
    "features",
    "outputs",
    "constants",
    "domain",
    "network",
    PIECES,
];

/// The parts, their parameters still to come, and the number of pieces, whose boxes are still to come.
pub(in crate::model) fn read(text: &str) -> Result<(Parts, usize), ModelError> {
    let value: Value = serde_json::from_str(text).map_err(|e| ModelError::NotJson {
        reason: e.to_string(),
    })?;
    let root = Place::root(&value);
    let version = version(&value, &root)?;
    let found = root.optional_fields(KEYS)?;
    let mut missing = KEYS.iter().zip(&found).filter(|(_, place)| place.is_none());
    let old = version == 1;
    if let Some((key, _)) = missing.find(|(key, _)| !(old && **key == PIECES)) {
        return Err(root.without(key));
    }
    let [
        _,
        _,
        _,
        Some(precision),
        Some(coordinates),
        Some(time),
        Some(features),
        Some(outputs),
        Some(constants),
        Some(domain),
        Some(network_at),
        pieces,
    ] = found
    else {
        return Err(root.unlike("an object with every key"));
    };
    if let Some(place) = pieces.as_ref().filter(|_| old) {
        return Err(place.unlike("no pieces in version 1"));
    }
    let precision = match precision.text()? {
        "f32" => Precision::F32,
        "f64" => Precision::F64,
        _ => return Err(precision.unlike("`f32` or `f64`")),
    };
    let coordinates = coordinates.list(Place::owned_text)?;
    let time = time.nullable(|time| {
        let name = time.text()?;
        let axis = coordinates.iter().position(|other| other == name);
        axis.ok_or_else(|| time.unlike(format!("one of {}", coordinates.join(", "))))
    })?;
    let features = features.list(|at| {
        let [name, text] = at.fields(["name", "text"])?;
        let (name, text) = (name.owned_text()?, text.owned_text()?);
        Ok(Feature { name, text })
    })?;
    // their boxes are a tensor
    let pieces = match pieces.map(|at| at.count().map(|n| (n, at))).transpose()? {
        Some((0, at)) => return Err(at.unlike("a whole number from 1")),
        Some((n, _)) => n,
        None => 0,
    };
    let parts = Parts {
        network: network(&network_at, coordinates.len(), features.len())?,
        coordinates,
        time,
        outputs: outputs.list(output)?,
        features,
        constants: constants.entries(Place::number)?,
        parameters: Vec::new(),
        precision,
        region: domain.nullable(region)?,
        pieces: Vec::new(),
    };
    Ok((parts, pieces))
}

/// Looked at before anything else: another version may have other keys.
fn version(value: &Value, root: &Place<'_>) -> Result<u64, ModelError> {
    let has = |key: &str| value.get(key).ok_or_else(|| root.without(key));
    if has("format")? != FORMAT {
        return Err(ModelError::NoDescription);
    }
    match has("version")?.as_u64() {
        Some(found @ 1..=VERSION) => Ok(found),
        Some(found) if found > VERSION => Err(ModelError::NewerVersion {
            found,
            known: VERSION,
        }),
        _ => Err(ModelError::Description {
            at: "version".into(),
            found: has("version")?.to_string(),
            expected: format!("a number from 1 to {VERSION}"),
        }),
    }
}

fn output(at: &Place<'_>) -> Result<Output, ModelError> {
    let [name, scale, factor, lift] = at.fields(["name", "scale", "factor", "lift"])?;
    Ok(Output {
        name: name.owned_text()?,
        scale: scale.number()?,
        factor: factor.nullable(Place::owned_text)?,
        lift: lift.nullable(Place::owned_text)?,
    })
}

fn region(at: &Place<'_>) -> Result<Region, ModelError> {
    let [bounds, description] = at.fields(["bounds", "description"])?;
    Ok(Region {
        bounds: bounds.list(Place::pair)?,
        description: description.value().to_string(),
    })
}

fn network(at: &Place<'_>, dimension: usize, features: usize) -> Result<Network, ModelError> {
    let [encoding, layers] = at.fields(["encoding", "layers"])?;
    let encoding = if encoding.value() == "raw" {
        Encoding::Raw
    } else {
        let [order] = encoding.fields(["periodic"])?;
        Encoding::Periodic {
            order: order.count()?,
        }
    };
    let inputs = Inputs {
        dimension,
        encoding,
        features,
    };
    Ok(Network::new(inputs, layers.list(layer)?)?)
}

fn layer(at: &Place<'_>) -> Result<Layer, ModelError> {
    let [width, bias, skip, activation_at] = at.fields(["width", "bias", "skip", "activation"])?;
    let bias = if bias.flag()? { Bias::Yes } else { Bias::No };
    let skip = match skip.value() {
        Value::Null => Skip::None,
        value if value == "inputs" => Skip::Inputs,
        Value::Number(_) => Skip::Layer(skip.count()?),
        _ => return Err(skip.unlike("null, `inputs` or the number of a layer")),
    };
    Ok(Layer {
        width: width.count()?,
        bias,
        activation: activation_at.nullable(activation)?,
        skip,
    })
}

fn activation(at: &Place<'_>) -> Result<Activation, ModelError> {
    let groups = at.list(group)?;
    Activation::new(groups).map_err(|e| ModelError::Network(e.into()))
}

fn group(at: &Place<'_>) -> Result<Group, ModelError> {
    let [neurons, terms] = at.fields(["neurons", "terms"])?;
    let neurons = match neurons.count()? {
        0 => return Err(neurons.unlike("a whole number from 1")),
        n => n,
    };
    let terms = terms.list(term)?;
    Ok(Group { neurons, terms })
}

fn term(at: &Place<'_>) -> Result<Term, ModelError> {
    let [basis, alpha, frequency, width] =
        at.optional_fields(["basis", "alpha", "frequency", "width"])?;
    let basis = basis.ok_or_else(|| at.without("basis"))?;
    let alpha = alpha.ok_or_else(|| at.without("alpha"))?;
    let scale = match (frequency, width) {
        (None, None) => Scale::One,
        (Some(frequency), None) => Scale::Frequency(coefficient(&frequency)?),
        (None, Some(width)) => Scale::Width(coefficient(&width)?),
        (Some(_), Some(width)) => {
            return Err(width.unlike("a frequency or a width, not both"));
        }
    };
    let known = basis.text()?.parse();
    Ok(Term {
        basis: known.map_err(|e: crate::basis::UnknownBasis| basis.unlike(e.to_string()))?,
        alpha: coefficient(&alpha)?,
        scale,
    })
}

fn coefficient(at: &Place<'_>) -> Result<Coefficient, ModelError> {
    let (training, start) = match at.optional_fields(["trained", "fixed"])? {
        [Some(start), None] => (Training::Trained, start),
        [None, Some(start)] => (Training::Fixed, start),
        _ => return Err(at.unlike("an object with one of the keys trained, fixed")),
    };
    let initial = initial(&start)?;
    Ok(Coefficient { initial, training })
}

fn initial(at: &Place<'_>) -> Result<Initial, ModelError> {
    match at.value() {
        Value::Number(_) => return at.number().map(Initial::Constant),
        Value::Array(_) => return at.list(Place::number).map(Initial::Values),
        _ => {}
    }
    match at.optional_fields(["harmonics", "normal", "uniform"])? {
        [Some(step), None, None] => step.number().map(Initial::Harmonics),
        [None, Some(normal), None] => {
            let [mean, deviation] = normal.pair()?;
            Ok(Initial::Normal { mean, deviation })
        }
        [None, None, Some(uniform)] => {
            let [low, high] = uniform.pair()?;
            Ok(Initial::Uniform { low, high })
        }
        _ => Err(at.unlike("a number, a list of numbers, or one of harmonics, normal, uniform")),
    }
}
