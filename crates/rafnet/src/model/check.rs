//! Whether the parts of a model fit together, and the known functions behind their texts.

use super::{ModelError, Parts, Precision};
use crate::engine::ExprField;
use crate::engine::{Ansatz, Field};
use crate::expr::{Expr, Scope, parse};
use crate::network::Bias;
use std::sync::Arc;

/// Counts, names and numbers.
pub(super) fn parts(parts: &Parts) -> Result<(), ModelError> {
    let network = &parts.network;
    let inputs = network.inputs();
    count("coordinates", parts.coordinates.len(), inputs.dimension)?;
    count("outputs", parts.outputs.len(), network.n_outputs())?;
    count("features", parts.features.len(), inputs.features)?;
    pieces(parts)?;
    count("parameters", parts.parameters.len(), parts.n_parameters())?;
    if let Some(time) = parts.time
        && time >= parts.coordinates.len()
    {
        return Err(ModelError::Number {
            what: "the number of the coordinate that is time".into(),
            found: time.to_string(),
            expected: "a number below that of the coordinates, from 0",
        });
    }
    names(parts)?;
    for output in &parts.outputs {
        if !output.scale.is_finite() || output.scale == 0.0 {
            return Err(ModelError::Number {
                what: format!("the scale of `{}`", output.name),
                found: output.scale.to_string(),
                expected: "a finite number other than 0",
            });
        }
    }
    if let Some((name, value)) = parts.constants.iter().find(|(_, v)| !v.is_finite()) {
        return Err(ModelError::Number {
            what: format!("the constant `{name}`"),
            found: value.to_string(),
            expected: "a finite number",
        });
    }
    finite(parts)?;
    region(parts)
}

/// Boxes that are some, and nothing in the coordinates beside them but features.
fn pieces(parts: &Parts) -> Result<(), ModelError> {
    if parts.pieces.is_empty() {
        return Ok(());
    }
    let around = parts
        .outputs
        .iter()
        .any(|o| o.factor.is_some() || o.lift.is_some());
    let reason = if around {
        "have no factors or lifts: the network is a function of a place in its box, and of features"
    } else if parts.precision == Precision::F32 {
        "are stored in f64: in f32 neighbours would not meet"
    } else if parts
        .network
        .layers()
        .last()
        .is_some_and(|l| l.bias == Bias::Yes)
    {
        "have a last layer without a bias"
    } else {
        ""
    };
    if !reason.is_empty() {
        return Err(ModelError::Pieces { reason });
    }
    for bounds in &parts.pieces {
        count("bounds of a piece", bounds.len(), parts.coordinates.len())?;
        let wrong = bounds
            .iter()
            .find(|[low, high]| !(low.is_finite() && high.is_finite() && low < high));
        if let Some([low, high]) = wrong {
            return Err(ModelError::Number {
                what: "the box of a piece".into(),
                found: format!("[{low}, {high}]"),
                expected: "two finite numbers, the lower one first",
            });
        }
    }
    Ok(())
}

fn count(what: &'static str, found: usize, expected: usize) -> Result<(), ModelError> {
    if found == expected {
        return Ok(());
    }
    Err(ModelError::Count {
        what,
        found,
        expected: format!("{expected}, as many as the network has"),
    })
}

fn names(parts: &Parts) -> Result<(), ModelError> {
    let coordinates = parts.coordinates.iter().map(|n| ("a coordinate", n));
    let features = parts.features.iter().map(|f| ("a feature", &f.name));
    let constants = parts.constants.iter().map(|(n, _)| ("a constant", n));
    let outputs = parts.outputs.iter().map(|o| ("an output", &o.name));
    let mut seen: Vec<&str> = Vec::new();
    for (what, name) in coordinates.chain(features).chain(constants).chain(outputs) {
        let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let reason = if seen.contains(&name.as_str()) {
            "the name is taken already"
        } else if starts_well && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            seen.push(name);
            continue;
        } else {
            "a name is a letter followed by letters, digits and underscores"
        };
        return Err(ModelError::Name {
            name: name.clone(),
            what,
            reason,
        });
    }
    Ok(())
}

fn finite(parts: &Parts) -> Result<(), ModelError> {
    let Some(place) = parts.parameters.iter().position(|v| !v.is_finite()) else {
        return Ok(());
    };
    let named = parts.network.layout().named();
    let (tensor, start) = named
        .iter()
        .find(|block| block.range.contains(&place))
        .map_or(("the last layers of pieces", parts.n_shared()), |block| {
            (&block.name, block.range.start)
        });
    Err(ModelError::NotFinite {
        tensor: tensor.into(),
        index: place - start,
        value: parts.parameters[place].to_string(),
    })
}

fn region(parts: &Parts) -> Result<(), ModelError> {
    let Some(region) = &parts.region else {
        return Ok(());
    };
    count("bounds", region.bounds.len(), parts.coordinates.len())?;
    for (name, bounds) in parts.coordinates.iter().zip(&region.bounds) {
        let [low, high] = *bounds;
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Err(ModelError::Number {
                what: format!("the range of `{name}`"),
                found: format!("[{low}, {high}]"),
                expected: "two finite numbers in ascending order",
            });
        }
    }
    if let Err(error) = serde_json::from_str::<serde_json::Value>(&region.description) {
        return Err(ModelError::Description {
            at: "domain.description".into(),
            found: format!("no JSON ({error})"),
            expected: "a JSON text".into(),
        });
    }
    Ok(())
}

/// Coordinates and constants: what the first feature may use.
pub(super) fn scope(parts: &Parts) -> Scope {
    let mut scope = Scope::new(parts.coordinates.clone());
    if let Some(time) = parts.time {
        scope = scope.time(&parts.coordinates[time]);
    }
    let constants = parts.constants.iter();
    constants.fold(scope, |scope, (name, value)| scope.number(name, *value))
}

/// The texts of a model as expressions in its coordinates.
pub(super) struct Known {
    pub(super) features: Vec<Expr>,
    /// For each output its factor, times the scale, and its lift.
    pub(super) around: Vec<(Option<Expr>, Option<Expr>)>,
}

/// Reads every text.
pub(super) fn known(parts: &Parts) -> Result<Known, ModelError> {
    let mut scope = scope(parts);
    let mut features = Vec::new();
    for feature in &parts.features {
        let what = || format!("the feature `{}`", feature.name);
        features.push(read(&feature.text, &scope, what)?);
        scope = scope.define(&feature.name, &feature.text);
    }
    let mut around = Vec::new();
    for output in &parts.outputs {
        let given = |text: &Option<String>, which: &str| match text {
            None => Ok(None),
            Some(text) => {
                let what = || format!("the {which} of `{}`", output.name);
                read(text, &scope, what).map(Some)
            }
        };
        let scale = Expr::number(output.scale);
        let factor = match given(&output.factor, "factor")? {
            Some(factor) => Some(scale * factor),
            #[expect(clippy::float_cmp, reason = "a scale of exactly 1 costs nothing")]
            None => (output.scale != 1.0).then_some(scale),
        };
        around.push((factor, given(&output.lift, "lift")?));
    }
    Ok(Known { features, around })
}

type Fields = (Vec<Arc<dyn Field<f64>>>, Vec<Ansatz<f64>>);

/// The features, and the factor (times the scale) and lift of every output; of several pieces the features are those of one that reads none.
pub(super) fn fields(parts: &Parts, known: &Known) -> Fields {
    let nothing = Expr::number(0.0);
    let features = known.features.iter().map(|expr| {
        let expr = if parts.pieces.is_empty() {
            expr
        } else {
            &nothing
        };
        field(expr, parts)
    });
    let ansatz = known.around.iter().map(|(factor, lift)| Ansatz {
        factor: factor.as_ref().map(|expr| field(expr, parts)),
        lift: lift.as_ref().map(|expr| field(expr, parts)),
    });
    (features.collect(), ansatz.collect())
}

fn read(text: &str, scope: &Scope, what: impl Fn() -> String) -> Result<Expr, ModelError> {
    parse(text, scope).map_err(|error| ModelError::Text {
        what: what(),
        error,
    })
}

pub(super) fn field(expr: &Expr, parts: &Parts) -> Arc<dyn Field<f64>> {
    match ExprField::new(expr, parts.coordinates.len()) {
        Ok(field) => Arc::new(field),
        Err(missing) => unreachable!("the scope knows coordinates only: {missing}"),
    }
}
