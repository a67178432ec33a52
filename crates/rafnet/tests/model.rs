//! Models: values and derivatives against closed forms, files round trip, and what is refused.

#[path = "common/skipped.rs"]
mod skipped;

use rafnet::Streams;
use rafnet::activation::{Activation, Coefficient, Group, Initial, Scale, Set, Signal, Term};
use rafnet::basis::Basis;
use rafnet::engine::Device;
use rafnet::model::{Model, ModelError, Output, Outside, Parts, Precision, Region};
use rafnet::network::{Bias, Encoding, Init, Inputs, Layer, Network, Skip, Weights};
use std::path::PathBuf;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A folder of the test's own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("rafnet-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        entries
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// φ(x, t, r) = sin(2x + 3t + r), one neuron.
fn wave() -> Result<Parts, Box<dyn std::error::Error>> {
    let sine = Activation::new(vec![Group {
        neurons: 1,
        terms: vec![Term::plain(Basis::Sine)],
    }])?;
    let layers = vec![Layer::dense(sine), Layer::linear(1, Bias::Yes)];
    let network = Network::new(Inputs::coordinates(2).with_features(1), layers)?;
    let u = Output::new("u")
        .with_factor("x*r")
        .with_scale(5.0)
        .with_lift("k*t^2");
    let parts = Parts::new(
        ["x", "t"],
        vec![u],
        network,
        vec![2.0, 3.0, 1.0, 0.0, 1.0, 0.0],
    );
    Ok(parts
        .with_time(1)
        .with_feature("r", "x^2")
        .with_constant("k", 7.0))
}

/// Every kind of thing a description can hold.
fn rich() -> Result<Parts, Box<dyn std::error::Error>> {
    let mixed = Activation::new(vec![
        Group {
            neurons: 3,
            terms: vec![
                Term {
                    basis: Basis::Sine,
                    alpha: Coefficient::trained(Initial::Normal {
                        mean: 1.0,
                        deviation: 0.1,
                    }),
                    scale: Scale::Frequency(Coefficient::trained(Initial::Uniform {
                        low: 0.1,
                        high: 0.3,
                    })),
                },
                Term::gaussian(1.0 / 3.0),
            ],
        },
        Group {
            neurons: 2,
            terms: vec![Term::with_frequency(
                Basis::Cosine,
                Initial::Harmonics(std::f64::consts::TAU),
            )],
        },
        Group {
            neurons: 4,
            terms: vec![
                Term::plain(Basis::Rational),
                Term::with_frequency(Basis::Tanh, Initial::Values(vec![0.1, 0.2, 0.3, 1e-300])),
            ],
        },
    ])?;
    let layers = vec![
        Layer::dense(mixed.clone()).with_skip(Skip::Inputs),
        Layer::linear(9, Bias::No),
        Layer::dense(mixed).with_skip(Skip::Layer(0)),
        Layer::dense(Set::Psg.learnable(6, Signal::Image)),
        Layer::linear(2, Bias::Yes),
    ];
    let inputs = Inputs {
        dimension: 2,
        encoding: Encoding::Periodic { order: 1 },
        features: 1,
    };
    let network = Network::new(inputs, layers)?;
    let parameters = network.init(Init::new(Weights::FanIn, 7));
    let outputs = vec![
        Output::new("u").with_factor("x*(1 - x)").with_scale(0.1),
        Output::new("v").with_lift("sin(pi*r)"),
    ];
    let region = Region::new(vec![[0.0, 1.0], [-1.0, 0.1 + 0.2]])
        .with_description(r#"{"kind":"box","y":[0,1],"x":[-1,0.30000000000000004]}"#);
    Ok(Parts::new(["x", "y"], outputs, network, parameters)
        .with_feature("r", "sqrt(x^2 + y^2 + 1)")
        .with_constant("nu", 0.1)
        .with_region(region))
}

#[test]
fn values_and_derivatives_of_a_closed_form() -> Outcome {
    let model = Model::new(wave()?)?;
    let points = [0.3, 0.2, -1.1, 0.7, 0.0, 0.0];
    let jet = model.jet(&points, Streams::laplacian())?;
    let hessian = model.jet(&points, Streams::hessian(2))?;
    let values = model.eval(&points)?;
    for (i, x) in points.chunks(2).enumerate() {
        // u = 5 x³ sin(z) + 7 t², z = 2x + 3t + x²
        let (x, t) = (x[0], x[1]);
        let z = 2.0 * x + 3.0 * t + x * x;
        let (s, c, z_x) = (z.sin(), z.cos(), 2.0 + 2.0 * x);
        let u = 5.0 * x.powi(3) * s + 7.0 * t * t;
        let u_x = 15.0 * x * x * s + 5.0 * x.powi(3) * c * z_x;
        let u_t = 15.0 * x.powi(3) * c + 14.0 * t;
        let u_xx =
            30.0 * x * s + 30.0 * x * x * c * z_x + 5.0 * x.powi(3) * (2.0 * c - s * z_x * z_x);
        let u_xt = 45.0 * x * x * c - 15.0 * x.powi(3) * s * z_x;
        let u_tt = -45.0 * x.powi(3) * s + 14.0;
        let derivative = |k: usize| jet.gradient(0, k).map_or(f64::NAN, |g| g[i]);
        let second = |a: usize, b: usize| hessian.hessian(0, a, b).map_or(f64::NAN, |h| h[i]);
        let laplacian = jet.laplacian(0).map_or(f64::NAN, |l| l[i]);
        let pairs = [
            (values[i], u),
            (jet.value(0)[i], u),
            (derivative(0), u_x),
            (derivative(1), u_t),
            (laplacian, u_xx), // in space only
            (second(0, 0), u_xx),
            (second(1, 0), u_xt),
            (second(1, 1), u_tt),
        ];
        for (found, expected) in pairs {
            // some twenty roundings of terms of size up to about 200
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
    }
    assert!(hessian.laplacian(0).is_none() && jet.hessian(0, 0, 0).is_none());
    Ok(())
}

#[test]
fn many_callers_at_once_get_the_same_bits() -> Outcome {
    let model = Model::new(rich()?)?;
    let points: Vec<f64> = (0..2000).map(|k| f64::from(k) / 2000.0).collect();
    let expected = model.clone().with_threads(1).eval(&points)?;
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| model.eval(&points)))
            .collect();
        for caller in callers {
            let found = caller.join().map_err(|_| "a caller panicked")??;
            assert_eq!(found, expected);
        }
        Ok(())
    })
}

#[test]
fn a_file_gives_back_the_same_bits() -> Outcome {
    let folder = Folder::new("round-trip")?;
    let path = folder.0.join("model.safetensors");
    for precision in [Precision::F64, Precision::F32] {
        let model = Model::new(rich()?.with_precision(precision))?;
        model.save(&path)?;
        assert_eq!(
            folder.files(),
            ["model.safetensors"],
            "nothing else is left"
        );
        let loaded = Model::load(&path)?;
        assert_eq!(loaded.parts(), model.parts());
        assert_eq!(loaded.to_bytes()?, model.to_bytes()?);
        let points = [0.25, -0.5, 0.75, 0.1];
        assert_eq!(loaded.eval(&points)?, model.eval(&points)?);
    }
    Ok(())
}

#[test]
fn outside_the_region_is_nan_when_asked() -> Outcome {
    let model = Model::new(rich()?)?;
    let points = [0.5, 0.0, 1.5, 0.0, 1.0, -1.0]; // the last is a corner
    assert!(model.eval(&points)?.iter().all(|v| v.is_finite()));
    let model = model.with_outside(Outside::Nan);
    let nan: Vec<bool> = model.eval(&points)?.iter().map(|v| v.is_nan()).collect();
    assert_eq!(nan, [false, false, true, true, false, false]);
    let jet = model.jet(&points, Streams::gradient())?;
    assert!(
        jet.gradient(1, 0)
            .is_some_and(|g| !g[0].is_nan() && g[1].is_nan() && !g[2].is_nan())
    );
    Ok(())
}

#[test]
fn a_failed_save_leaves_nothing_and_names_the_file() -> Outcome {
    let folder = Folder::new("failed-save")?;
    let model = Model::new(wave()?)?;
    let missing = folder.0.join("no-such-folder/u.safetensors");
    let message = model
        .save(&missing)
        .err()
        .map(|e| e.to_string())
        .unwrap_or_default();
    assert!(
        message.contains("no-such-folder/u.safetensors"),
        "{message}"
    );
    // the place is a folder: refused, and the folder stays as it was
    std::fs::create_dir(folder.0.join("u.safetensors"))?;
    assert!(model.save(folder.0.join("u.safetensors")).is_err());
    assert_eq!(folder.files(), ["u.safetensors"]);
    Ok(())
}

/// The file with one piece of its header replaced by another of any length.
fn edited(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut length = [0; 8];
    length.copy_from_slice(&bytes[..8]);
    let end = 8 + usize::try_from(u64::from_le_bytes(length)).unwrap_or(0);
    let header = String::from_utf8_lossy(&bytes[8..end]);
    assert!(header.contains(from), "`{from}` is in {header}");
    let header = header.replacen(from, to, 1);
    let mut edited = (header.len() as u64).to_le_bytes().to_vec();
    edited.extend(header.bytes());
    edited.extend(&bytes[end..]);
    edited
}

fn message(bytes: &[u8]) -> String {
    Model::from_bytes(bytes).map_or_else(|e| e.to_string(), |_| "it was taken".into())
}

#[test]
fn broken_files_are_refused_with_the_reason() -> Outcome {
    let bytes = Model::new(rich()?)?.to_bytes()?;
    for (edit, expected) in [
        (
            ("\\\"version\\\":1", "\\\"version\\\":3"),
            "version 3 of the format, this rafnet reads versions up to 2",
        ),
        (
            ("\"rafnet\"", "\"other\""),
            "holds tensors but no rafnet model",
        ),
        (
            ("layers.1.weight", "layers.7.weight"),
            "the tensor `layers.7.weight` belongs to no layer",
        ),
        (
            ("[9,9]", "[3,27]"),
            "the tensor `layers.1.weight` has shape [3, 27]; the description asks for [9, 9]",
        ),
        (
            (
                "\\\"precision\\\":\\\"f64\\\"",
                "\\\"precision\\\":\\\"f32\\\"",
            ),
            "holds f64 numbers; the description asks for f32",
        ),
        (
            ("\\\"time\\\":null", "\\\"time\\\":\\\"z\\\""),
            "`time` is `\"z\"`; expected one of x, y",
        ),
        (
            ("\\\"basis\\\":\\\"cos\\\"", "\\\"basis\\\":\\\"cosine\\\""),
            "`network.layers[0].activation[1].terms[0].basis` is `\"cosine\"`",
        ),
        (
            ("\\\"neurons\\\":3", "\\\"neurons\\\":-3"),
            "`network.layers[0].activation[0].neurons` is `-3`",
        ),
        (
            ("\\\"skip\\\":0", "\\\"skip\\\":9"),
            "the skip into layer 2 does not fit",
        ),
        (
            ("\\\"lift\\\":null", "\\\"lifted\\\":null"),
            "`outputs[0].lifted` is `null`; expected only the keys name, scale, factor, lift",
        ),
        (
            ("x*(1 - x)", "x*(1 - z)"),
            "the factor of `u`: unknown name `z`",
        ),
        (
            ("\\\"domain\\\":{", "\\\"domain\\\":{{"),
            "the metadata key `rafnet` is not valid JSON",
        ),
    ] {
        let found = message(&edited(&bytes, edit.0, edit.1));
        assert!(
            found.contains(expected),
            "{found}\n  for {edit:?}, expected {expected}"
        );
    }
    for cut in [0, 4, 8, 100, bytes.len() - 1] {
        let found = message(&bytes[..cut]);
        assert!(
            found.contains("no complete safetensors file"),
            "{found} after {cut} bytes"
        );
    }
    assert!(
        message(b"PK\x03\x04 something else altogether").contains("no complete safetensors file")
    );
    let mut holed = bytes;
    let end = holed.len();
    holed[end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
    let found = message(&holed);
    assert!(found.contains("holds NaN at place"), "{found}");
    Ok(())
}

/// Every bit counts: refused, or (in white space and unknown keys) of no account.
#[test]
fn a_flipped_bit_is_noticed() -> Outcome {
    for precision in [Precision::F64, Precision::F32] {
        let model = Model::new(rich()?.with_precision(precision))?;
        let bytes = model.to_bytes()?;
        assert_eq!(bytes, Model::from_bytes(&bytes)?.to_bytes()?);
        let (mut state, mut noticed) = (0x9E37_79B9_u64, 0);
        for _ in 0..300 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let bit = usize::try_from(state >> 20)? % (8 * bytes.len());
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match Model::from_bytes(&flipped) {
                Ok(read) => assert_eq!(read.parts(), model.parts(), "bit {bit}"),
                Err(_) => noticed += 1,
            }
        }
        assert!(noticed > 280, "{noticed}");
    }
    Ok(())
}

/// Files of others, and of versions before there was a checksum.
#[test]
fn a_file_without_a_checksum_is_taken() -> Outcome {
    let bytes = Model::new(rich()?)?.to_bytes()?;
    let plain = edited(&bytes, "\"rafnet.checksum\"", "\"note\"");
    assert_eq!(Model::from_bytes(&plain)?.to_bytes()?, bytes);
    let changed = edited(&bytes, "\\\"nu\\\":0.1", "\\\"nu\\\":0.2");
    let found = message(&changed);
    assert!(
        found.contains("damaged or changed after it was written"),
        "{found}"
    );
    Ok(())
}

#[test]
fn the_file_is_named_when_loading_fails() -> Outcome {
    let folder = Folder::new("named")?;
    let path = folder.0.join("junk.safetensors");
    std::fs::write(&path, b"junk")?;
    let found = Model::load(&path)
        .err()
        .map(|e| e.to_string())
        .unwrap_or_default();
    assert!(
        found.contains("junk.safetensors") && found.contains("no complete safetensors file"),
        "{found}"
    );
    let found = Model::load(folder.0.join("nothing"))
        .err()
        .map(|e| e.to_string())
        .unwrap_or_default();
    assert!(
        found.contains("cannot read the model") && found.contains("nothing"),
        "{found}"
    );
    Ok(())
}

#[test]
fn parts_that_do_not_fit_are_refused() -> Outcome {
    let refused = |change: &dyn Fn(&mut Parts)| -> Result<String, Box<dyn std::error::Error>> {
        let mut parts = wave()?;
        change(&mut parts);
        Ok(Model::new(parts).map_or_else(|e| e.to_string(), |_| "it was taken".into()))
    };
    let parameters = refused(&|p| p.parameters.truncate(5))?;
    assert!(
        parameters.contains("there are 5 parameters; expected 6"),
        "{parameters}"
    );
    let nan = refused(&|p| p.parameters[3] = f64::INFINITY)?;
    assert!(
        nan.contains("`layers.0.bias` holds inf at place 0"),
        "{nan}"
    );
    let name = refused(&|p| p.coordinates[1] = "x".into())?;
    assert!(
        name.contains("`x` cannot name a coordinate: the name is taken already"),
        "{name}"
    );
    let feature = refused(&|p| p.features[0].text = "u + 1".into())?;
    assert!(
        feature.contains("the feature `r`: unknown name `u`"),
        "{feature}"
    );
    let scale = refused(&|p| p.outputs[0].scale = 0.0)?;
    assert!(scale.contains("the scale of `u` is 0"), "{scale}");
    let model = Model::new(wave()?)?;
    assert!(matches!(model.eval(&[1.0]), Err(ModelError::Engine(_))));
    assert!(matches!(
        model.eval(&[1.0, f64::NAN]),
        Err(ModelError::Engine(_))
    ));
    assert!(model.eval(&[])?.is_empty());
    Ok(())
}

#[test]
fn models_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Model>();
}

#[test]
fn python_reads_the_tensors() -> Outcome {
    let folder = Folder::new("python")?;
    let path = folder.0.join("model.safetensors");
    let model = Model::new(rich()?)?;
    model.save(&path)?;
    let script = "
import json, sys
try:
    from safetensors import safe_open
    import numpy
except ImportError:
    sys.exit(77)
with safe_open(sys.argv[1], framework='numpy') as f:
    about = json.loads(f.metadata()['rafnet'])
    w = f.get_tensor('layers.1.weight')
    print(about['outputs'][1]['lift'], w.dtype, w.shape, w.ravel()[5].hex())
";
    let python = std::env::var_os("RAF_PYTHON").unwrap_or_else(|| "python3".into());
    let Ok(ran) = std::process::Command::new(python)
        .arg("-c")
        .arg(script)
        .arg(&path)
        .output()
    else {
        skipped::skipped("there is no python3 here");
        return Ok(());
    };
    if ran.status.code() == Some(77) {
        skipped::skipped("python3 has no safetensors package");
        return Ok(());
    }
    let weight = model
        .parts()
        .network
        .layout()
        .get("layers.1.weight")
        .map_or(0, |b| b.range.start);
    let value = model.parts().parameters[weight + 5];
    let found = String::from_utf8(ran.stdout)?;
    let mut words = found.rsplitn(2, ' ');
    let hex = words.next().unwrap_or_default().trim();
    assert_eq!(
        words.next(),
        Some("sin(pi*r) float64 (9, 9)"),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let (sign, digits) = hex
        .strip_prefix('-')
        .map_or((1.0, hex), |rest| (-1.0, rest));
    let (mantissa, exponent) = digits
        .trim_start_matches("0x1.")
        .split_once('p')
        .ok_or("no hex number")?;
    let mantissa = f64::from_bits(1023 << 52 | u64::from_str_radix(mantissa, 16)?);
    assert_eq!(
        (sign * mantissa * 2f64.powi(exponent.parse()?)).to_bits(),
        value.to_bits()
    );
    Ok(())
}

/// Two pieces of x² on [0, 1] × [0, 2] and x² + t on [1, 3] × [0, 2], of the neurons ξ, τ, ξ², τ² and 1 in their boxes.
fn two_pieces() -> Result<Parts, Box<dyn std::error::Error>> {
    let group = |basis, neurons| Group {
        neurons,
        terms: vec![Term::plain(basis)],
    };
    let neurons = Activation::new(vec![group(Basis::Identity, 3), group(Basis::Square, 2)])?;
    let layers = vec![Layer::dense(neurons), Layer::linear(1, Bias::No)];
    let network = Network::new(Inputs::coordinates(2), layers)?;
    let weights = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    let biases = [0.0, 0.0, 1.0, 0.0, 0.0];
    let first = [0.5, 0.0, 0.25, 0.25, 0.0]; // x = (1 + ξ)/2
    let second = [4.0, 1.0, 5.0, 1.0, 0.0]; // x = 2 + ξ, t = 1 + τ
    let parameters = [&weights[..], &biases, &first, &second].concat();
    let boxes = vec![vec![[0.0, 1.0], [0.0, 2.0]], vec![[1.0, 3.0], [0.0, 2.0]]];
    let parts = Parts::new(["x", "t"], vec![Output::new("u")], network, parameters);
    Ok(parts.with_time(1).with_pieces(boxes))
}

#[test]
fn pieces_are_evaluated_in_their_boxes() -> Outcome {
    let model = Model::new(two_pieces()?)?;
    // inside each, on the face they share (the first one's), beyond both
    let points = [0.5, 1.5, 2.5, 0.5, 1.0, 1.0, 4.0, 1.0];
    let jets = model.jet(&points, Streams::hessian(2))?;
    let near = |found: Option<&[f64]>, expected: [f64; 4]| {
        let found = found.expect("it was asked for");
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-14;
        assert!(
            found.iter().zip(&expected).all(close),
            "{found:?} {expected:?}"
        );
    };
    near(Some(jets.value(0)), [0.25, 6.75, 1.0, 17.0]);
    near(jets.gradient(0, 0), [1.0, 5.0, 2.0, 8.0]);
    near(jets.gradient(0, 1), [0.0, 1.0, 0.0, 1.0]);
    near(jets.hessian(0, 0, 0), [2.0; 4]);
    near(jets.hessian(0, 1, 1), [0.0; 4]);
    near(
        model.jet(&points, Streams::laplacian())?.laplacian(0),
        [2.0; 4],
    ); // in space
    Ok(())
}

/// The second piece has √x y beside the others: its derivatives are in the user's coordinates, and the first one, at whose end it has no
/// slope, does not read it.
#[test]
fn pieces_have_features_of_the_place() -> Outcome {
    let group = |basis, neurons| Group {
        neurons,
        terms: vec![Term::plain(basis)],
    };
    let neurons = Activation::new(vec![group(Basis::Identity, 2)])?;
    let layers = vec![Layer::dense(neurons), Layer::linear(1, Bias::No)];
    let network = Network::new(Inputs::coordinates(2).with_features(1), layers)?;
    let weights = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let last = [3.0, 0.0, 0.5, 2.0]; // 3 ξ, and ξ/2 + 2 √x y
    let parameters = [&weights[..], &[0.0; 2], &last].concat();
    let boxes = vec![vec![[-1.0, 0.0], [0.0, 2.0]], vec![[0.0, 1.0], [0.0, 2.0]]];
    let parts = Parts::new(["x", "y"], vec![Output::new("u")], network, parameters);
    let parts = parts.with_feature("f", "sqrt(x)*y").with_pieces(boxes);
    let model = Model::from_bytes(&Model::new(parts)?.to_bytes()?)?;
    for model in [model.clone().with_device(Device::REFERENCE), model] {
        let jets = model.jet(&[0.0, 1.0, 0.25, 1.5], Streams::hessian(2))?;
        assert_eq!(jets.value(0), [3.0, -0.25 + 1.5]);
        assert_eq!(jets.gradient(0, 0), Some(&[6.0, 1.0 + 3.0][..]));
        assert_eq!(jets.gradient(0, 1), Some(&[0.0, 1.0][..]));
        assert_eq!(jets.hessian(0, 0, 0), Some(&[0.0, -6.0][..]));
        assert_eq!(jets.hessian(0, 0, 1), Some(&[0.0, 2.0][..]));
    }
    Ok(())
}

#[test]
fn models_of_pieces_are_files_like_others() -> Outcome {
    let model = Model::new(two_pieces()?)?;
    let bytes = model.to_bytes()?;
    let read = Model::from_bytes(&bytes)?;
    assert_eq!(read.parts(), model.parts());
    assert_eq!(read.to_bytes()?, bytes);
    assert!(matches!(model.to_onnx(), Err(ModelError::Pieces { .. })));
    for cut in [0, 9, bytes.len() / 2, bytes.len() - 1] {
        assert!(Model::from_bytes(&bytes[..cut]).is_err());
    }
    let refused = |parts: Parts| {
        Model::new(parts)
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default()
    };
    assert!(refused(two_pieces()?.with_precision(Precision::F32)).contains("f64"));
    let mut parts = two_pieces()?;
    parts.pieces[1][0] = [3.0, 1.0];
    assert!(refused(parts).contains("lower one first"));
    let mut parts = two_pieces()?;
    parts.parameters.pop();
    assert!(refused(parts).contains("parameters"));
    Ok(())
}
