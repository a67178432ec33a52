//! The ways in: what a newcomer types first, and what comes of it.

use crate::common::{Folder, printed, raf};
use std::path::Path;
use std::process::Output;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn succeeded(run: &Output) -> String {
    assert!(
        run.status.success(),
        "{}{}",
        text(&run.stdout),
        text(&run.stderr)
    );
    text(&run.stdout)
}

fn refused(arguments: &[&str]) -> String {
    let run = raf(arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    text(&run.stderr)
}

/// The file of a built-in problem can be printed, written and solved.
#[test]
fn a_builtin_is_shown() {
    let shown = succeeded(&raf(&["solve", "--show", "burgers"]));
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../rafnet/problems/burgers.toml"
    );
    assert_eq!(shown, std::fs::read_to_string(file).expect("a problem"));
    let said = refused(&["solve", "--show", "burger"]);
    assert!(said.contains("did you mean `burgers`?"), "{said}");
}

/// What every template gives: its name, and the largest error estimate after a short run.
const TEMPLATES: [(&str, f64); 8] = [
    ("heat", 1e-3),
    ("waves", 1e-3),
    ("plate", 1e-3),
    ("flow", 1e-2),
    ("elasticity", 1e-2),
    ("eigenvalues", 1e-3),
    // the noise of the observations
    ("inverse", 2e-2),
    ("odes", 2e-2),
];

/// Every template that is listed is written, understood and solved as it is.
#[test]
fn templates_run_as_they_are() {
    let listed = succeeded(&raf(&["new"]));
    let names: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
    let shown: Vec<&str> = listed
        .lines()
        .map_while(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(shown, names);
    let folder = Folder::new("templates");
    for (name, most) in TEMPLATES {
        let file = folder.join(&format!("{name}.toml"));
        let said = succeeded(&raf(&["new", name, "-o", &file]));
        assert!(said.contains(&format!("raf solve {file}")), "{said}");
        let meant = succeeded(&raf(&["check", &file]));
        assert!(
            meant.starts_with(&format!("{name}: ")) && !meant.contains("warning"),
            "{meant}"
        );
        let out = folder.join(name);
        let run = raf(&[
            "solve",
            &file,
            "--target",
            "1e-4",
            "--time-limit",
            "60",
            "--out",
            &out,
            "--json",
        ]);
        let found = printed(&run);
        let error = found["error_estimate"].as_f64().expect("an estimate");
        assert!(run.status.success() && error < most, "{name}: {found}");
    }
    // nothing is written over, and what cannot be meant is answered
    let heat = folder.join("heat.toml");
    assert!(refused(&["new", "heat", "-o", &heat]).contains("`--force`"));
    succeeded(&raf(&["new", "heat", "-o", &heat, "--force"]));
    assert!(refused(&["new", "burgers"]).contains("raf solve --show burgers > burgers.toml"));
    assert!(refused(&["new", "heat", "-o", "heat.txt"]).contains("heat.toml"));
}

const ROD: &str = "name = \"rod\"
[domain]
kind = \"box\"
x = [0, 1]
t = [0, 1]
time = \"t\"
[parameters]
k = { find = true, min = 0 }
[equation]
residual = \"u_t - k*u_xx - exp(-((x - 0.4)/1e-3)^2)\"
[[boundary]]
on = \"x=0\"
dirichlet = 0
[[boundary]]
on = \"x=1\"
robin = { a = 2, b = 1, g = 0 }
[[initial]]
u = 0
[[data]]
rows = [[0.5, 1, 0.1]]
sigma = 0.01
";

/// A file in words: kind, ranges, what is sought, orders, places, what is narrow.
#[test]
fn a_file_in_words() {
    let folder = Folder::new("check");
    let file = folder.join("rod.toml");
    std::fs::write(&file, ROD).expect("a problem");
    let said = succeeded(&raf(&["check", &file]));
    for words in [
        "rod: a linear partial differential equation in space and time, with parameters to be found",
        "x from 0 to 1, t from 0 to 1 (time)",
        "u(x, t)",
        "k (search starts at 1, at least 0)",
        "order 1 in time, 2 in space",
        "u = 0 on x=0",
        "2*u + n_x*u_x = 0 on x=1",
        "u = 0 on t=0",
        "1 observed value of u, noise of standard deviation 0.01",
        "the source has a peak of width 2e-3 at x = 0.400",
        "missing      nothing",
    ] {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
    // what is missing is the message of a run; observed values may stand for a condition
    let (before, _) = ROD.split_once("[[initial]]").expect("a condition");
    let open = before.replace("{ find = true, min = 0 }", "1");
    std::fs::write(&file, open).expect("a problem");
    let said = refused(&["check", &file]);
    assert!(said.contains("no initial condition"), "{said}");
}

/// A run's folder stands for its model; values at points stand on the screen.
#[test]
fn values_at_points() {
    let folder = Folder::new("values");
    let run = folder.join("run");
    succeeded(&raf(&["solve", "heat", "--out", &run]));
    let table = succeeded(&raf(&[
        "eval",
        &run,
        "--at",
        "x=0.5, t=1; t=0, x=1/4",
        "--columns",
        "u, u_x, -nu*u_x",
    ]));
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    // the file's parameters have their names in texts about its solution
    assert_eq!(&rows[0][..4], ["x", "t", "u", "u_x"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().expect("a number");
    assert!((number(2, 4) + 0.1 * number(2, 3)).abs() < 1e-9, "{table}");
    let pi = std::f64::consts::PI;
    assert!(
        (number(1, 2) - (-0.1 * pi * pi).exp()).abs() < 1e-9,
        "{table}"
    );
    assert!(
        (number(2, 2) - (0.5_f64.sqrt() + 0.5)).abs() < 1e-9,
        "{table}"
    );
    let found = printed(&raf(&["eval", &run, "--at", "x=0.5,t=1", "--json"]));
    assert!(
        (found["values"][0][0].as_f64().expect("a value") - number(1, 2)).abs() < 1e-9,
        "{found}"
    );
    for (at, words) in [
        ("x=0.5", "does not say what `t` is"),
        ("x=0.5, t=1, x=2", "is given twice"),
        ("x=a, t=1", "is no number"),
        ("y=1", "no coordinate `y`"),
    ] {
        let said = refused(&["eval", &run, "--at", at]);
        assert!(
            said.contains(words) && said.contains("x=0.5, t=0.5"),
            "{said}"
        );
    }
    assert!(refused(&["eval", &run, "--grid", "50x50"]).contains("`-o values.csv`"));
    let empty = folder.join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    assert!(refused(&["eval", &empty, "--at", "x=1"]).contains("has no `model.safetensors`"));
    assert!(refused(&["eval", "heat", "--at", "x=1"]).contains("raf solve heat --out"));
    assert!(refused(&["solve", &run]).contains("config.toml` makes that run again"));
    succeeded(&raf(&["export", &run, "--to", "onnx"]));
    assert!(Path::new(&run).join("model.onnx").exists());
}

/// The text after a run: answer, error, files; what was tried only when it is asked for.
#[test]
fn what_a_run_says() {
    let folder = Folder::new("said");
    let (run, again) = (folder.join("run"), folder.join("again"));
    let plain = succeeded(&raf(&["solve", "logistic", "--out", &run, "--no-report"]));
    let names: Vec<&str> = plain
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names, ["error", "true", "files"], "{plain}");
    assert!(
        plain.contains("u.png") && plain.contains("model.safetensors"),
        "{plain}"
    );
    let verbose = succeeded(&raf(&[
        "solve",
        "logistic",
        "--out",
        &again,
        "--verbose",
        "--no-report",
    ]));
    for words in ["held-out residual", "method", "tried"] {
        assert!(
            verbose.contains(words) && !plain.contains(words),
            "{verbose}"
        );
    }
    // an answer that is none says what to do
    let stall = folder.join("jump.toml");
    std::fs::write(&stall, "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u - where(x > 0.4, 1, 0)\"\n").expect("a problem");
    let out = folder.join("stalled");
    let run = raf(&[
        "solve",
        &stall,
        "--method",
        "lsq",
        "--width",
        "20",
        "--out",
        &out,
        "--no-report",
    ]);
    let said = text(&run.stdout);
    assert_eq!(run.status.code(), Some(1));
    for words in [
        "what to do next",
        "near x = 0.4",
        "residual.png",
        "raf check",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

/// Scripts for three shells, with commands and options in them.
#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish"] {
        let script = succeeded(&raf(&["completions", shell]));
        for word in ["solve", "completions", "time-limit"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
}
