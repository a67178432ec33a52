//! Models of every kind for the tests of other runtimes: solved, built, trained networks' shapes, every basis and function.

use rafnet::activation::{Activation, Coefficient, Group, Initial, Scale, Set, Signal, Term};
use rafnet::basis::Basis;
use rafnet::model::{Model, Output, Parts, Precision, Region};
use rafnet::network::{Bias, Init, Inputs, Layer, Network, Skip, Weights};
use rand::{RngExt, SeedableRng};
use std::path::{Path, PathBuf};
use std::process::Command;

type Fault = Box<dyn std::error::Error>;

/// Makes a model.
pub(crate) type Make = fn() -> Result<Made, Fault>;

/// Those that ONNX can hold, which is all but models of several pieces.
pub(crate) const MODELS: [Make; 11] = [
    solved_with_lift,
    solved_with_feature,
    built,
    trained_shape,
    periodic,
    derivatives,
    shaped,
    || functions(Precision::F64),
    || functions(Precision::F32),
    || everything(Precision::F64),
    || everything(Precision::F32),
];

/// A model and how near another runtime must come to it, for each unknown over its largest value.
pub(crate) struct Made {
    pub(crate) name: &'static str,
    pub(crate) model: Model,
    pub(crate) tolerance: f64,
}

impl Made {
    fn new(name: &'static str, model: Model) -> Self {
        let tolerance = match model.parts().precision {
            Precision::F64 => 1e-12,
            Precision::F32 => 6e-6, // a hundred roundings
        };
        Self {
            name,
            model,
            tolerance,
        }
    }

    /// Points that f32 holds exactly, over the domain and a little beyond.
    pub(crate) fn points(&self, n: usize) -> Vec<f64> {
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
        let region = self.model.parts().region.as_ref();
        let boxed = vec![[-1.0, 1.0]; self.model.dimension()];
        let bounds = region.map_or(boxed, |region| region.bounds.clone());
        let mut points = Vec::new();
        for _ in 0..n {
            for [low, high] in &bounds {
                let at = random.random_range(-0.02..1.02);
                #[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
                let rounded = (low + (high - low) * at) as f32;
                points.push(f64::from(rounded));
            }
        }
        points
    }
}

/// What a command of `raf` writes.
fn written(name: &'static str, arguments: &[&str]) -> Result<Made, Fault> {
    let folder = Folder::new(&format!("{name}-written"))?;
    let run = Command::new(env!("CARGO_BIN_EXE_raf"))
        .args(arguments)
        .args(["--out", &folder.join("run")])
        .output()?;
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let model = Model::load(folder.join("run/model.safetensors"))?;
    Ok(Made::new(name, model))
}

/// Two unknowns on a box, with factors and a lift.
fn solved_with_lift() -> Result<Made, Fault> {
    let made = written("solved-with-lift", &["solve", "system"])?;
    let outputs = &made.model.parts().outputs;
    assert!(
        outputs
            .iter()
            .all(|o| o.factor.is_some() && o.lift.is_some())
    );
    Ok(made)
}

/// A disc with the distance from its centre as a feature, and a factor.
fn solved_with_feature() -> Result<Made, Fault> {
    let made = written("solved-with-feature", &["solve", "low-regularity-r"])?;
    assert_eq!(made.model.parts().features.len(), 1);
    Ok(made)
}

/// A model of several pieces, with functions of the corners of a polygon as features.
pub(crate) fn in_pieces() -> Result<Made, Fault> {
    let command = "solve nonlinear-polygon --method pieces --target 1e-6";
    let made = written("in-pieces", &command.split(' ').collect::<Vec<_>>())?;
    let parts = made.model.parts();
    assert!(parts.pieces.len() > 1 && !parts.features.is_empty());
    Ok(made)
}

/// Lifts that differentiate, time and a feature among what they read.
fn derivatives() -> Result<Made, Fault> {
    let texts = [
        "d(x^3*y, x, y)",
        "d(r*t, t) + d(s, x)",
        "laplacian(s*x + t^2)",
        "div(-x^2*grad(y^3)/2 + grad(x))",
        "dot(grad(x*y), grad(exp(y)))",
        "x + d(3, x)",
    ];
    let outputs = texts.iter().enumerate();
    let outputs: Vec<Output> = outputs
        .map(|(k, text)| Output::new(format!("u{k}")).with_lift(*text))
        .collect();
    let layers = vec![Layer::linear(texts.len(), Bias::No)];
    let network = Network::new(Inputs::coordinates(3).with_features(2), layers)?;
    let nothing = vec![0.0; network.n_parameters()];
    let parts = Parts::new(["x", "t", "y"], outputs, network, nothing)
        .with_time(1)
        .with_feature("r", "sqrt(1 + x^2 + y^2)")
        .with_feature("s", "sin(r)");
    Ok(Made::new("derivatives", Model::new(parts)?))
}

/// A domain of every shape in one, over time.
fn shaped() -> Result<Made, Fault> {
    let description = r#"{"kind": "cylinder", "axis": 1, "time": [0, 2], "space": {"kind": "union", "parts": [
        {"kind": "difference", "parts": [{"kind": "polygon", "vertices": [[-1, -1], [1, -1], [0.2, 0], [1, 1], [-1, 0.5]]},
            {"kind": "ball", "center": [-0.4, -0.3], "radius": 0.3}]},
        {"kind": "intersection", "parts": [{"kind": "annulus", "center": [0, 0], "inner": 0.5, "outer": 0.9},
            {"kind": "box", "bounds": [[0, 1], [-1, 1]]}]}]}}"#;
    let region = Region {
        bounds: vec![[-1.0, 1.0], [0.0, 2.0], [-1.0, 1.0]],
        description: description.into(),
    };
    let network = Network::new(Inputs::coordinates(3), vec![Layer::linear(1, Bias::No)])?;
    let outputs = vec![Output::new("u")];
    let parts =
        Parts::new(["x", "t", "y"], outputs, network, vec![1.0, 2.0, 3.0]).with_region(region);
    Ok(Made::new("shaped", Model::new(parts)?))
}

fn built() -> Result<Made, Fault> {
    written("built", &["build", "polynomial", "x^3*y - 2*x"])
}

/// A residual network whose neurons all learn their mix of x, x², sine and Gaussian.
fn trained_shape() -> Result<Made, Fault> {
    let activation = Set::Psg.learnable(24, Signal::Image);
    let network = Network::resnet(Inputs::coordinates(2), &activation, 1)?;
    let parameters = network.init(Init::new(Weights::Siren, 3));
    let parts = Parts::new(["x", "y"], vec![Output::new("u")], network, parameters);
    Ok(Made::new("trained-shape", Model::new(parts)?))
}

/// Sines and cosines of the inputs, skips from the inputs, a constant feature, rational functions.
fn periodic() -> Result<Made, Fault> {
    let inputs = Inputs::periodic(2, 2).with_features(1);
    let rational = rafnet::activation::psg_rational(20, 0.5);
    let layers = vec![
        Layer::dense(rational.clone()).with_skip(Skip::Inputs),
        Layer::dense(rational).with_skip(Skip::Layer(0)),
        Layer::linear(2, Bias::No),
    ];
    let network = Network::new(inputs, layers)?;
    let parameters = network.init(Init::new(Weights::FanIn, 5));
    let outputs = vec![Output::new("u").with_scale(3.0), Output::new("v")];
    let parts = Parts::new(["x", "y"], outputs, network, parameters).with_feature("one", "1");
    Ok(Made::new("periodic", Model::new(parts)?))
}

/// Every function that a text may call, as the lift of an unknown of its own.
fn functions(precision: Precision) -> Result<Made, Fault> {
    let texts = [
        "sin(9*x)",
        "cos(9*y)",
        "tan(x + y/3)",
        "asin(0.9*x)",
        "acos(0.9*y)",
        "atan(5*x)",
        "atan2(y, x)",
        "sinh(3*x)",
        "cosh(3*y)",
        "tanh(2*x)",
        "exp(x*y)",
        "log(2 + x)",
        "sqrt(2 + y)",
        "cbrt(x)",
        "abs(x - y)",
        "sign(x)",
        "floor(3*x)",
        "erf(4*x)",
        "erf(1e-3*y)",
        "min(x, y, 0.3)",
        "max(x, -y)",
        "mod(5*x, 1.5)",
        "x^2.5*where(x < 0, 0, 1)^2",
        "abs(x)^y",
        "2^x/(3 - y^3)",
        "where(x < y and not y <= 0 or x == y, k*x, y)",
        "where(x != y, x, 0)",
        "where(x >= 0.2, 1, -1)",
        "sum(i, 1, 3, i*x^i)",
        "prod(i, 1, 3, y + i)",
        "-x**2 - -y + pi*e",
        "1/(2 + x)",
    ];
    let outputs = texts.iter().enumerate();
    let outputs: Vec<Output> = outputs
        .map(|(k, text)| Output::new(format!("u{k}")).with_lift(*text))
        .collect();
    let network = Network::new(
        Inputs::coordinates(2),
        vec![Layer::linear(texts.len(), Bias::No)],
    )?;
    let nothing = vec![0.0; network.n_parameters()];
    let parts = Parts::new(["x", "y"], outputs, network, nothing)
        .with_constant("k", 1.75)
        .with_precision(precision)
        .with_region(Region::new(vec![[-1.0, 1.0]; 2]));
    let name = match precision {
        Precision::F32 => "functions-f32",
        Precision::F64 => "functions-f64",
    };
    Ok(Made::new(name, Model::new(parts)?))
}

/// Every basis function in a group of its own, with α and β trained, fixed and drawn, and everything around the network.
fn everything(precision: Precision) -> Result<Made, Fault> {
    let trained = |value| Coefficient::trained(Initial::Constant(value));
    let text: Basis =
        "a*sin(b*x + 0.2) + exp(-abs(x)) + max(x, 0.1)^1.5; a = 0.7, b = 1.2".parse()?;
    let groups = Basis::ALL.into_iter().chain([text]).map(|basis| Group {
        neurons: 3,
        terms: vec![
            Term {
                basis,
                alpha: trained(0.7),
                scale: Scale::Frequency(trained(0.8)),
            },
            Term::with_frequency(Basis::Cosine, Initial::Harmonics(0.5)),
            Term::gaussian(0.6),
            Term {
                basis: Basis::Gaussian,
                alpha: Coefficient::fixed(0.5),
                scale: Scale::Width(trained(1.5)),
            },
        ],
    });
    let first = Activation::new(groups.collect())?;
    let layers = vec![
        Layer::dense(first),
        Layer::dense(Set::Psg.shared_out(11, 0.5)),
        Layer::linear(2, Bias::Yes),
    ];
    let network = Network::new(Inputs::coordinates(2).with_features(2), layers)?;
    let parameters = network.init(Init::new(Weights::FanIn, 11));
    let u = Output::new("u")
        .with_factor("(1 - x^2)*s")
        .with_scale(2.5)
        .with_lift("k + y");
    let v = Output::new("v").with_factor("exp(-r)").with_lift("r*s");
    let parts = Parts::new(["x", "y"], vec![u, v], network, parameters)
        .with_feature("r", "sqrt(x^2 + y^2)")
        .with_feature("s", "1 + 0.5*sin(r)")
        .with_constant("k", 0.3)
        .with_precision(precision)
        .with_region(Region::new(vec![[-1.0, 1.0]; 2]));
    let name = match precision {
        Precision::F32 => "everything-f32",
        Precision::F64 => "everything-f64",
    };
    Ok(Made::new(name, Model::new(parts)?))
}

/// u = x + the text.
pub(crate) fn with_lift(text: &str) -> Result<Model, Fault> {
    let network = Network::new(Inputs::coordinates(1), vec![Layer::linear(1, Bias::No)])?;
    let u = Output::new("u").with_lift(text);
    Ok(Model::new(Parts::new(["x"], vec![u], network, vec![1.0]))?)
}

/// A safetensors file without a tensor or a word about one.
pub(crate) fn no_model() -> Vec<u8> {
    let header = b"{}      ";
    [&(header.len() as u64).to_le_bytes()[..], header].concat()
}

/// A folder of the test's own, gone at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> std::io::Result<Self> {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("raf-export-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
    pub(crate) fn join(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A table as a .npy file.
pub(crate) fn npy(table: &[f64], columns: usize) -> Vec<u8> {
    let rows = table.len() / columns;
    let about = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns})}}");
    let header = format!("{about:<117}\n"); // with the ten bytes before it, a multiple of 64
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(table.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

/// The numbers of such a file.
pub(crate) fn numbers(bytes: &[u8]) -> Vec<f64> {
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let (numbers, _) = bytes[start..].as_chunks();
    numbers.iter().map(|b| f64::from_le_bytes(*b)).collect()
}
