//! `raf export` and `rafnet.torch` (by its path, python/rafnet/torch.py): other runtimes give the values of `raf eval`.
//!
//! onnxruntime and PyTorch share no code with us, so they say whether a file holds the whole function. They run in the Python
//! that `RAF_PYTHON` names (`python3` if it names none); what is not installed there is not checked, and the test says so.
#![expect(
    clippy::print_stderr,
    reason = "how near each runtime came, with --nocapture"
)]

mod models;
mod structure;

use crate::common::raf;
use models::{Folder, MODELS, Made, npy};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().into()
}

/// What a script in `python/` prints, or none where something it needs is not installed.
fn python(script: &str, arguments: &[&str]) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../python")
        .join(script);
    let python = std::env::var("RAF_PYTHON").unwrap_or_else(|_| "python3".into());
    let run = Command::new(&python).arg(script).args(arguments).output();
    let missing = match run {
        Err(error) => format!("{python}: {error}"),
        Ok(run) if run.status.code() == Some(3) => text(&run.stdout),
        Ok(run) => {
            let said = text(&run.stderr);
            assert!(run.status.success(), "{arguments:?}: {said}");
            return Some(text(&run.stdout));
        }
    };
    crate::skipped::skipped(&format!("{missing} (RAF_PYTHON names another Python)"));
    None
}

/// A model with points, some of them outside its domain, and what `raf eval` says there.
struct Case {
    made: Made,
    folder: Folder,
    model: String,
    points: String,
    values: String,
}

impl Case {
    fn new(make: models::Make) -> Result<Self, Box<dyn std::error::Error>> {
        let made = make()?;
        let folder = Folder::new(made.name)?;
        let [model, points, values] =
            ["model.safetensors", "points.npy", "values.npy"].map(|name| folder.join(name));
        made.model.save(&model)?;
        std::fs::write(&points, npy(&made.points(257), made.model.dimension()))?;
        let run = raf(&["eval", &model, "--at", &points, "-o", &values]);
        assert!(run.status.success(), "{}: {}", made.name, text(&run.stderr));
        Ok(Self {
            made,
            folder,
            model,
            points,
            values,
        })
    }

    fn close(&self, runtime: &str, printed: &str, tolerance: f64) -> Outcome {
        let name = self.made.name;
        let found: f64 = printed.parse()?;
        eprintln!("{name} in {runtime}: {found:.1e}");
        assert!(found <= tolerance, "{name} in {runtime}: {found:e}");
        Ok(())
    }
}

/// The file is sound, and has the same values in onnxruntime, to rounding: a sum over some hundred neurons in another order.
#[test]
fn onnxruntime_agrees() -> Outcome {
    let mut missing = false;
    for make in MODELS {
        let case = Case::new(make)?;
        let file = case.folder.join("u.onnx");
        let run = raf(&["export", &case.model, "--to", "onnx", "-o", &file, "--json"]);
        assert!(run.status.success(), "{}", text(&run.stderr));
        let report: Value = serde_json::from_str(&text(&run.stdout))?;
        assert_eq!(report["outcome"], "done");
        assert_eq!(report["bytes"], std::fs::metadata(&file)?.len());
        assert_eq!(
            report["precision"],
            case.made.model.parts().precision.name()
        );
        let nodes = structure::check(&std::fs::read(&file)?, &case.made.model);
        assert_eq!(report["nodes"], nodes);
        if missing {
            continue;
        }
        let mut arguments = vec![&file[..], &case.points, &case.values];
        let region = case.made.model.parts().region.as_ref();
        if region.is_some_and(|region| region.description != "null") {
            arguments.push("shape");
        }
        match python("check_onnx.py", &arguments) {
            Some(printed) => case.close("onnxruntime", &printed, case.made.tolerance)?,
            None => missing = true,
        }
    }
    Ok(())
}

/// The same values in PyTorch, always in f64, and again from the file that PyTorch wrote.
#[test]
fn torch_agrees() -> Outcome {
    for make in MODELS
        .into_iter()
        .chain([models::in_pieces as models::Make])
    {
        let case = Case::new(make)?;
        let copy = case.folder.join("copy.safetensors");
        let arguments = ["model", &case.model, &case.points, &case.values, &copy];
        match python("check_torch.py", &arguments) {
            Some(printed) => case.close("torch", &printed, 1e-12)?,
            None => return Ok(()),
        }
        let again = case.folder.join("again.npy");
        let run = raf(&["eval", &copy, "--at", &case.points, "-o", &again]);
        assert!(run.status.success(), "{}", text(&run.stderr));
        assert_eq!(
            std::fs::read(&again)?,
            std::fs::read(&case.values)?,
            "{}: the copy has other values",
            case.made.name
        );
    }
    Ok(())
}

/// A sine network of PyTorch, under the reference code's keys and plain ones, its last layer linear or not, gives `raf eval` the values PyTorch has.
#[test]
fn a_siren_of_torch_is_a_model() -> Outcome {
    for keys in ["reference", "plain", "sine"] {
        let folder = Folder::new(&format!("siren-{keys}"))?;
        let [model, points, values] =
            ["siren.safetensors", "points.npy", "values.npy"].map(|name| folder.join(name));
        if python("check_torch.py", &["siren", keys, &model, &points]).is_none() {
            return Ok(());
        }
        let run = raf(&["eval", &model, "--at", &points, "-o", &values, "--json"]);
        assert!(run.status.success(), "{}", text(&run.stderr));
        let report: Value = serde_json::from_str(&text(&run.stdout))?;
        assert_eq!(report["columns"], serde_json::json!(["r", "g", "b"]));
        let [found, expected] = [&values, &folder.join("expected.npy")].map(std::fs::read);
        let (found, expected) = (models::numbers(&found?), models::numbers(&expected?));
        assert_eq!((found.len(), expected.len()), (900, 900));
        for (u, v) in found.iter().zip(&expected) {
            // sums of 32 terms below 1, through sines of slope 12·7
            assert!((u - v).abs() < 1e-12, "{u} for {v}");
        }
    }
    Ok(())
}

#[test]
fn torch_refuses_by_name() -> Outcome {
    let folder = Folder::new("refused")?;
    let model = folder.join("model.safetensors");
    std::fs::write(&model, models::no_model())?;
    if let Some(printed) = python("check_torch.py", &["refused", &model]) {
        let messages: Vec<&str> = printed.lines().collect();
        let expected = [
            "`MODEL` holds no rafnet model",
            "the key `encoder.weight` belongs to no numbered layer",
            "`net.1` does not fit: it takes 2 numbers, and 1 arrive",
            "the tensors are torch.float16; expected all float32 or all float64",
        ];
        assert_eq!(messages.len(), expected.len(), "{printed}");
        for (message, expected) in messages.iter().zip(expected) {
            let expected = expected.replace("MODEL", &model);
            assert!(message.starts_with(&expected), "{message}");
        }
    }
    Ok(())
}

#[test]
fn beside_the_model_unless_told() -> Outcome {
    let folder = Folder::new("beside")?;
    let model = folder.join("model.safetensors");
    models::with_lift("x")?.save(&model)?;
    let run = raf(&["export", &model, "--to", "onnx"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let said = text(&run.stdout);
    assert!(said.contains("model.onnx: (x) -> (u), f64, "), "{said}");
    assert!(Path::new(&folder.join("model.onnx")).exists());
    Ok(())
}

/// Exit status 2, a message, and no file.
#[test]
fn what_cannot_be_written_is_refused() -> Outcome {
    let folder = Folder::new("unwritten")?;
    let model = folder.join("model.safetensors");
    models::with_lift("x")?.save(&model)?;
    let kept = std::fs::read(&model)?;
    let nowhere = folder.join("no/folder/u.onnx");
    let missing = folder.join("missing.safetensors");
    for (from, to, message) in [
        (&model, &model, "does not end in .onnx"),
        (&model, &nowhere, "cannot write"),
        (&missing, &folder.join("u.onnx"), "cannot read the model"),
    ] {
        let run = raf(&["export", from, "--to", "onnx", "-o", to, "--json"]);
        assert_eq!(run.status.code(), Some(2));
        let object: Value = serde_json::from_str(&text(&run.stdout))?;
        assert_eq!(object["outcome"], "could not run");
        let said = text(&run.stderr);
        assert!(said.contains(message) && said.contains("hint: "), "{said}");
    }
    assert_eq!(std::fs::read(&model)?, kept);
    let left: Vec<_> = std::fs::read_dir(folder.path())?.collect();
    assert_eq!(left.len(), 1, "{left:?}");
    Ok(())
}
