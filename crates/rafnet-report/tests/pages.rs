//! Pages of runs that are made here: what is in them is what the run found.

use rafnet::problem::Problem;
use rafnet::solve::Options;
use rafnet_report::{Page, ReportError, Run, page, write};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rafnet-page-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Solves a text and leaves what `raf solve` leaves.
fn solved(text: &str, folder: &Path) -> Value {
    std::fs::create_dir_all(folder).expect("a folder");
    let problem = Problem::from_text(text, "test.toml", None).expect("a problem");
    let options = Options {
        time_limit: 20.0,
        threads: 2,
        ..Options::default()
    };
    let solved = problem
        .solve(&options, |progress| progress.go_on())
        .expect("a solution");
    solved.save(folder).expect("models");
    let result = solved.to_json(Some(folder));
    std::fs::write(folder.join("config.toml"), text).expect("settings");
    std::fs::write(folder.join("result.json"), result.to_string()).expect("a result");
    let record = |k: u32| json!({ "step": k, "seconds": 0.1 * f64::from(k), "residual": 10f64.powi(-2), "best": 0.01, "width": 8 });
    let lines: Vec<String> = (1..4).map(|k| record(k).to_string()).collect();
    std::fs::write(folder.join("metrics.jsonl"), lines.join("\n") + "\n").expect("records");
    result
}

fn of(folder: &Path) -> Page {
    page(&[folder.to_owned()]).expect("a page")
}

fn kinds(page: &Page) -> Vec<&'static str> {
    page.sections.iter().map(|s| s.kind).collect()
}

/// The bytes of an array of a page.
fn decoded(coded: &Value) -> Vec<f32> {
    let text = coded["f32"].as_str().expect("an array");
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in text.as_bytes().chunks(4) {
        let kept = four.iter().filter(|c| **c != b'=').count();
        let word = four
            .iter()
            .fold(0, |w, c| (w << 6) | if *c == b'=' { 0 } else { digit(*c) });
        bytes.extend_from_slice(&word.to_be_bytes()[1..kept]);
    }
    bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

const SQUARE: &str = r#"
name = "square"
[domain]
kind = "difference"
parts = [{ kind = "box", x = [0, 1], y = [0, 2] }, { kind = "ball", center = [0.5, 1], radius = 0.25 }]
[equation]
residual = "laplacian(u) - 4"
[[boundary]]
on = "all"
dirichlet = "x^2 + y^2"
[exact]
u = "x^2 + y^2"
[[report]]
name = "middle"
at = [0.5, 0.5]
value = "u"
"#;

/// Maps have the values of the model, errors are those of the answer, the outline has the hole, and every number is that of `result.json`.
#[test]
fn a_page_says_what_the_run_found() {
    let folder = Folder::new("square");
    let result = solved(SQUARE, &folder.0);
    let page = of(&folder.0);
    assert_eq!(page.title, "square");
    assert!(
        page.verdict.headline.starts_with("Solved"),
        "{}",
        page.verdict.headline
    );
    for figure in &page.verdict.figures {
        assert_eq!(result[&figure.key], figure.value, "{}", figure.key);
    }
    let keys: Vec<&str> = page
        .verdict
        .figures
        .iter()
        .map(|f| f.key.as_str())
        .collect();
    assert!(
        ["error_estimate", "relative_l2", "residual"]
            .iter()
            .all(|k| keys.contains(k)),
        "{keys:?}"
    );
    let expected = ["maps", "search", "curves", "table", "settings"];
    assert_eq!(kinds(&page), expected);

    let maps = &page.sections[0].data;
    let fields = maps["fields"].as_array().expect("fields");
    let by_role = |role: &str| {
        fields
            .iter()
            .find(|f| f["role"] == role)
            .unwrap_or_else(|| panic!("no {role}"))
    };
    let side = usize::try_from(maps["size"][0].as_u64().expect("a size")).expect("a size");
    let values = decoded(&by_role("value")["values"]);
    assert_eq!(values.len(), side * side);
    // the last row of the grid is y = 2, its last point x = 1
    assert!((values[side * side - 1] - 5.0).abs() < 1e-5);
    assert!((values[0]).abs() < 1e-5);
    let within = |role: &str, size: f64| {
        let (low, high) = (&by_role(role)["low"], &by_role(role)["high"]);
        assert!(
            low.as_f64() > Some(-size) && high.as_f64() < Some(size),
            "{role}: {low} to {high}"
        );
    };
    within("error", 1e-9);
    within("residual", 1e-7);
    within("estimate", 1e-6);
    let outline = maps["outlines"][0].as_array().expect("an outline");
    assert_eq!(outline.len(), 2, "the edge and the hole");
    let corner = |x: f32, y: f32| {
        outline.iter().any(|l| {
            decoded(l)
                .chunks(2)
                .any(|p| (p[0] - x).hypot(p[1] - y) < 1e-6)
        })
    };
    assert!(corner(0.0, 0.0) && corner(1.0, 2.0));

    let table = &page.sections[3].data["rows"][0];
    assert_eq!(table[0], "middle");
    assert_eq!(table[1]["value"], result["reports"][0]["value"]);
    let commands = page.sections[4].data["commands"].to_string();
    assert!(
        commands.contains("raf solve") && commands.contains("raf report"),
        "{commands}"
    );
    let bytes = write(&page, &folder.0.join("report.html")).expect("a file");
    assert!((100_000..5_000_000).contains(&bytes), "{bytes}");
}

const DECAY: &str = r#"
name = "decay"
[domain]
kind = "interval"
t = [0, 1]
time = "t"
[equation]
residual = "u_t + 2*u"
[[initial]]
u = "1"
"#;

/// One coordinate is shown by curves, and a run without its result says that it has none.
#[test]
fn a_run_without_a_result_claims_nothing() {
    let folder = Folder::new("decay");
    solved(DECAY, &folder.0);
    assert_eq!(
        kinds(&of(&folder.0)),
        ["lines", "search", "curves", "plot", "settings"]
    );
    std::fs::remove_file(folder.0.join("result.json")).expect("our file");
    let page = of(&folder.0);
    assert!(
        page.verdict.headline.contains("not known"),
        "{}",
        page.verdict.headline
    );
    assert!(page.verdict.figures.is_empty());
    assert_eq!(kinds(&page), ["lines", "curves", "plot", "settings"]);
    let settings = page.sections[3].data["commands"].to_string();
    assert!(settings.contains("--resume"), "{settings}");
}

/// A folder of runs is a comparison, a model stands for its run, and what is neither is named.
#[test]
fn what_a_path_may_be() {
    let folder = Folder::new("paths");
    let (a, b) = (folder.0.join("a"), folder.0.join("b"));
    solved(DECAY, &a);
    solved(&DECAY.replace("2*u", "3*u"), &b);
    let both = of(&folder.0);
    assert_eq!(both.title, "2 runs compared");
    assert_eq!(kinds(&both), ["table", "plot", "plot", "plot", "settings"]);
    assert_eq!(
        page(&[a.clone(), b]).expect("a page").title,
        "2 runs compared"
    );
    assert_eq!(of(&a.join("model.safetensors")).title, "decay");
    let alone = folder.0.join("alone.safetensors");
    std::fs::copy(a.join("model.safetensors"), &alone).expect("a copy");
    let model = of(&alone);
    assert!(model.verdict.headline.contains("without its run"));
    assert_eq!(kinds(&model), ["lines", "settings"]);
    let nothing = folder.0.join("nothing");
    std::fs::create_dir_all(&nothing).expect("a folder");
    for path in [nothing, folder.0.join("missing"), a.join("config.toml")] {
        let error = page(std::slice::from_ref(&path)).expect_err("no run");
        assert!(matches!(error, ReportError::NoRun { .. }), "{error}");
        assert!(
            error.to_string().contains(&path.display().to_string()),
            "{error}"
        );
    }
}

/// Files that are damaged are said to be, and nothing panics.
#[test]
fn damaged_runs_are_refused() {
    let folder = Folder::new("damaged");
    solved(DECAY, &folder.0);
    let file = |name: &str| folder.0.join(name);
    std::fs::write(file("metrics.jsonl"), "{\"step\":1\n\u{0}\n[]\n7\n").expect("a file");
    std::fs::write(
        file("result.json"),
        "{\"events\": 3, \"found\": [1], \"eigenvalues\": {}, \"outcome\": 1}",
    )
    .expect("a file");
    let page = of(&folder.0);
    assert!(page.html().contains("decay"));
    std::fs::write(file("model.safetensors"), "no model").expect("a file");
    let error = rafnet_report::page(std::slice::from_ref(&folder.0)).expect_err("no model");
    assert!(matches!(error, ReportError::Model { .. }), "{error}");
    std::fs::write(file("config.toml"), "[[[").expect("a file");
    let error = Run::read(&folder.0, None).expect_err("no settings");
    assert!(matches!(error, ReportError::NoRun { .. }), "{error}");
}
