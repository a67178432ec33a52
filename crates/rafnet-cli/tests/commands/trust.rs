//! What `raf solve` says of an answer that is none: exit status, outcome, where it is worst, and the same figures in the run folder.

use crate::common::{Folder, printed, raf};

const JUMP: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u - where(x > 0.4, 1, 0)\"\n";

#[test]
fn a_stalled_answer_says_so() {
    let folder = Folder::new("stalled");
    let (file, out) = (folder.join("jump.toml"), folder.join("run"));
    std::fs::write(&file, JUMP).expect("a problem");
    let few = ["--method", "lsq", "--width", "20", "--json", "--out", &out];
    let run = raf(&[&["solve", &file], &few[..]].concat());
    assert_eq!(run.status.code(), Some(1));
    let said = printed(&run);
    assert_eq!(said["outcome"], "stalled");
    assert!(said["error_estimate"].as_f64().is_some_and(|e| e > 1e-3));
    assert_eq!(said["worst"]["what"], "the equation");
    let message = said["message"].as_str().expect("a line on what would help");
    assert!(message.contains("near x = 0.4"), "{message}");
    let kept = std::fs::read_to_string(folder.join("run/result.json")).expect("a result");
    let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(kept, said);
}

#[test]
fn a_width_below_the_inputs_is_refused_by_name() {
    let folder = Folder::new("narrow");
    let file = folder.join("many.toml");
    let text = "[domain]\nkind = \"box\"\ndimension = 21\neach = [0, 1]\n[equation]\nresidual = \"laplacian(u)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";
    std::fs::write(&file, text).expect("a problem");
    let out = folder.join("run");
    let run = raf(&["solve", &file, "--width", "10", "--json", "--out", &out]);
    assert_eq!(run.status.code(), Some(2));
    let message = printed(&run)["message"].to_string();
    assert!(
        message.contains("`width`") && !message.contains("skip"),
        "{message}"
    );
}

/// u'' = u² − 5u between 1 and 2 has a solution that stays near 2 and one that dips to −9: both are files, and each is another function.
#[test]
fn another_solution_is_named_and_kept() {
    let folder = Folder::new("several");
    let (file, out) = (folder.join("two.toml"), folder.join("run"));
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - u^2 + 5*u\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 1\n[[boundary]]\non = \"x=1\"\ndirichlet = 2\n";
    std::fs::write(&file, text).expect("a problem");
    let said = printed(&raf(&["solve", &file, "--json", "--out", &out]));
    assert_eq!(said["solutions"], 2);
    let other = folder.join("run/model-2.safetensors");
    assert_eq!(said["other_models"], serde_json::json!([other]));
    let points = folder.join("points.csv");
    std::fs::write(&points, "x\n0.5\n").expect("a point");
    let table = folder.join("values.csv");
    let middle = |model: &str| -> f64 {
        let run = raf(&["eval", model, "--at", &points, "-o", &table]);
        assert!(run.status.success(), "{run:?}");
        let text = std::fs::read_to_string(&table).expect("a table");
        let last = text.split_whitespace().last().expect("a value");
        last.parse().expect("a number")
    };
    let model = folder.join("run/model.safetensors");
    assert!(middle(&model) > 1.0 && middle(&other) < -5.0);
}
