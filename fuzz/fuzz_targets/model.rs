//! Any bytes as a model file: a model that can be evaluated, written and read again to the same bits, or an error.
//!
//! A text that begins with `{` is taken as the description of a model instead; its tensors are made to fit, from the bytes behind the
//! first zero, so that what is behind the check of the tensors is reached too.
#![no_main]

use rafnet::Streams;
use rafnet::activation::{Activation, Coefficient, Group, Initial, Scale, Set, Signal, Term};
use rafnet::basis::Basis;
use rafnet::model::{Model, ModelError, Output, Parts, Precision, Region};
use rafnet::network::{Bias, Init, Inputs, Layer, Network, Skip, Weights};
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;
use std::path::Path;

/// The most tensors that are made for a description, and the most numbers of one.
const MOST_TENSORS: usize = 60;
const MOST_NUMBERS: usize = 1 << 16;

/// A model that is evaluated has no more coordinates than this.
const MOST_COORDINATES: usize = 12;

libfuzzer_sys::fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let read = if bytes.starts_with(b"{") {
        described(bytes)
    } else {
        Model::from_bytes(bytes)
    };
    match read {
        Ok(model) => is_whole(&model),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

/// A model of any description: tensors are added until none is missing.
fn described(bytes: &[u8]) -> Result<Model, ModelError> {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let (text, numbers) = bytes.split_at(end);
    let text = String::from_utf8_lossy(text);
    let single = text.contains("\"f32\"");
    let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
    loop {
        let error = match Model::from_bytes(&file(&text, single, &tensors)) {
            Ok(model) => return Ok(model),
            Err(error) => error,
        };
        let ModelError::MissingTensor { tensor, expected } = &error else {
            return Err(error);
        };
        let count = expected.iter().try_fold(1usize, |n, m| n.checked_mul(*m));
        let Some(count) = count.filter(|n| *n <= MOST_NUMBERS && tensors.len() < MOST_TENSORS)
        else {
            return Err(error);
        };
        let value = |k: usize| match numbers {
            [] => 0.5,
            some => f64::from(some[k % some.len()]) / 16.0 - 8.0,
        };
        let data = (0..count).map(value);
        let data: Vec<u8> = if single {
            #[expect(clippy::cast_possible_truncation, reason = "multiples of 1/16 below 8")]
            data.flat_map(|x| (x as f32).to_le_bytes()).collect()
        } else {
            data.flat_map(f64::to_le_bytes).collect()
        };
        tensors.push((tensor.clone(), expected.clone(), data));
    }
}

fn file(text: &str, single: bool, tensors: &[(String, Vec<usize>, Vec<u8>)]) -> Vec<u8> {
    let kind = if single { Dtype::F32 } else { Dtype::F64 };
    let views = tensors.iter().filter_map(|(name, shape, data)| {
        let view = TensorView::new(kind, shape.clone(), data).ok()?;
        Some((name.as_str(), view))
    });
    let about = HashMap::from([("rafnet".to_owned(), text.to_owned())]);
    safetensors::serialize(views, Some(about)).unwrap_or_default()
}

/// Whatever was read can be evaluated and is read again as it was.
fn is_whole(model: &Model) {
    let bytes = model.to_bytes().expect("a model that was read is written");
    let again = Model::from_bytes(&bytes).expect("and read again");
    assert!(again.to_bytes().is_ok_and(|b| b == bytes));
    let d = model.dimension();
    if d > MOST_COORDINATES || model.parts().parameters.len() > MOST_NUMBERS {
        return;
    }
    let middle: Vec<f64> = match &model.parts().region {
        Some(region) => region
            .bounds
            .iter()
            .map(|[a, b]| 0.5 * a + 0.5 * b)
            .collect(),
        None => vec![0.25; d],
    };
    let points = [middle.clone(), vec![0.0; d], middle].concat();
    let model = again.with_threads(1);
    for streams in [Streams::value(), Streams::laplacian(), Streams::hessian(d)] {
        if let Ok(jets) = model.jet(&points, streams) {
            for o in 0..model.n_outputs() {
                let u = jets.value(o);
                assert!(
                    u[0].to_bits() == u[2].to_bits() || u[0].is_nan(),
                    "one point, two values"
                );
            }
        }
    }
    let _ = model.to_onnx();
}

/// With RAFNET_SEEDS=folder: writes models to begin with there, and their descriptions.
fn write_seeds() {
    let Some(folder) = std::env::var_os("RAFNET_SEEDS") else {
        return;
    };
    for (k, parts) in [simple(), rich(Precision::F64), rich(Precision::F32)]
        .into_iter()
        .enumerate()
    {
        let bytes = Model::new(parts)
            .and_then(|m| m.to_bytes())
            .expect("a seed");
        let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).expect("a header");
        let text = header
            .metadata()
            .as_ref()
            .map(|m| m["rafnet"].clone())
            .expect("a description");
        let put = |name: String, bytes: &[u8]| {
            std::fs::write(Path::new(&folder).join(name), bytes).expect("a folder for the seeds");
        };
        put(format!("file-{k}"), &bytes);
        put(format!("text-{k}"), text.as_bytes());
    }
    std::process::exit(0);
}

fn simple() -> Parts {
    let network = Network::resnet(Inputs::coordinates(2), &Set::Psg.shared_out(6, 1.0), 1);
    let network = network.expect("a network");
    let theta = network.init(Init::new(Weights::FanIn, 0));
    let u = Output::new("u").with_factor("x*(1 - x)").with_lift("k*t");
    Parts::new(["x", "t"], vec![u], network, theta)
        .with_time(1)
        .with_constant("k", 2.0)
        .with_region(Region::new(vec![[0.0, 1.0], [-1.0, 2.0]]))
}

/// Groups, trained coefficients, texts, features, skips.
fn rich(precision: Precision) -> Parts {
    let text: Set = "a*sin(b*x) + exp(-abs(x)); b = 3".parse().expect("a text");
    let trained = Coefficient::trained(Initial::Uniform {
        low: 0.1,
        high: 0.3,
    });
    let sine = Term {
        basis: Basis::Sine,
        alpha: trained.clone(),
        scale: Scale::Frequency(trained),
    };
    let groups = vec![
        Group {
            neurons: 3,
            terms: vec![sine, Term::gaussian(0.3)],
        },
        Group {
            neurons: 2,
            terms: vec![Term::plain(Basis::Rational), Term::plain(Basis::Tanh)],
        },
    ];
    let mixed = Activation::new(groups).expect("an activation");
    let layers = vec![
        Layer::dense(mixed.clone()).with_skip(Skip::Inputs),
        Layer::dense(text.learnable(4, Signal::Image)),
        Layer::dense(mixed).with_skip(Skip::Layer(0)),
        Layer::linear(2, Bias::Yes),
    ];
    let network = Network::new(Inputs::coordinates(2).with_features(1), layers).expect("a network");
    let theta = network.init(Init::new(Weights::Siren, 1));
    Parts::new(
        ["x", "y"],
        vec![Output::new("u").with_scale(3.0), Output::new("v")],
        network,
        theta,
    )
    .with_feature("r", "sqrt(x^2 + y^2)")
    .with_precision(precision)
}
