//! `raf solve` with several activations, seeds or values of a parameter: a table, a picture, and nothing made twice.

use crate::common::{Folder, printed, raf};
use std::path::Path;

/// Few steps of a small network, with further options.
fn command<'a>(options: &'a str, out: &'a str) -> Vec<&'a str> {
    let small = "solve poisson-smooth --method adam --steps 30 --points 40 --width 8";
    let words = [small, options]
        .into_iter()
        .flat_map(|text| text.split(' '));
    words.chain(["--json", "--out", out]).collect()
}

#[test]
fn activations_and_seeds_are_compared() {
    let folder = Folder::new("compare");
    let out = folder.join("runs");
    let arguments = command("--activation relu3 --activation psg --seeds 2", &out);
    let first = printed(&raf(&arguments));
    let runs = first["runs"].as_array().expect("runs");
    let labels: Vec<&str> = runs.iter().filter_map(|r| r["label"].as_str()).collect();
    assert_eq!(labels, ["relu3", "relu3", "psg", "psg"]);
    let seeds: Vec<u64> = runs.iter().filter_map(|r| r["seed"].as_u64()).collect();
    assert_eq!(seeds, [0, 1, 0, 1]);
    assert!(
        runs.iter()
            .all(|r| r["steps"] == 30 && r["relative_l2"].is_f64())
    );
    assert!(Path::new(&out).join("comparison.png").is_file());
    // again: the same results from the folders, and other steps are refused there
    assert_eq!(printed(&raf(&arguments))["runs"], first["runs"]);
    let other: Vec<&str> = arguments
        .iter()
        .map(|a| if *a == "30" { "31" } else { *a })
        .collect();
    let refused = raf(&other);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        printed(&refused)["message"]
            .as_str()
            .is_some_and(|m| m.contains("holds another run"))
    );
    // one that was not finished is gone on with: here from its beginning, for it left no state
    let unfinished = Path::new(&out).join("psg-1");
    std::fs::remove_file(unfinished.join("result.json")).expect("a result");
    let again = printed(&raf(&arguments));
    assert_eq!(again["runs"][3]["relative_l2"], runs[3]["relative_l2"]);
    // each is the run that would have been made alone
    let alone = folder.join("alone");
    assert_eq!(
        printed(&raf(&command("--activation psg --seed 1", &alone)))["relative_l2"],
        runs[3]["relative_l2"]
    );
}

/// Three shards at once make every run once, and the command without `--shard` finds them all.
#[test]
fn shards_share_the_runs() {
    let folder = Folder::new("shards");
    let out = folder.join("runs");
    let several = "--activation relu3 --activation psg --seeds 2";
    let parts = std::thread::scope(|scope| {
        let parts = ["1/3", "2/3", "3/3"].map(|shard| {
            let (out, several) = (&out, format!("{several} --shard {shard}"));
            scope.spawn(move || printed(&raf(&command(&several, out))))
        });
        parts.map(|part| part.join().expect("a shard"))
    });
    let labels = |part: &serde_json::Value| -> Vec<String> {
        let runs = part["runs"].as_array().expect("runs").iter();
        runs.map(|r| format!("{} {}", r["label"], r["seed"]))
            .collect()
    };
    let made: Vec<Vec<String>> = parts.iter().map(labels).collect();
    assert_eq!(made[0], ["\"relu3\" 0", "\"psg\" 1"]);
    assert_eq!(made[1], ["\"relu3\" 1"]);
    assert_eq!(made[2], ["\"psg\" 0"]);
    assert!(parts.iter().all(|part| part["outcome"] == "done"));
    let whole = printed(&raf(&command(several, &out)));
    // the very runs that the shards made, seconds and all
    assert_eq!(whole["runs"][0], parts[0]["runs"][0]);
    assert_eq!(whole["runs"][1], parts[1]["runs"][0]);
    assert_eq!(whole["runs"][2], parts[2]["runs"][0]);
    assert_eq!(whole["runs"][3], parts[0]["runs"][1]);
    assert!(Path::new(&out).join("comparison.png").is_file());
    // what cannot be shared out
    for (options, said) in [
        ("--seeds 2 --shard 3/2", "expected I/N"),
        ("--shard 1/2", "has one run to divide"),
    ] {
        let refused = raf(&command(options, &out));
        assert_eq!(refused.status.code(), Some(2));
        let message = printed(&refused)["message"].to_string();
        assert!(message.contains(said), "{message}");
    }
    let nowhere = raf(&["solve", "burgers", "--seeds", "2", "--shard", "1/2"]);
    let said = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(said.contains("--out"), "{said}");
}

const TEXT: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[parameters]\nk = 1\n[equation]\nresidual = \"u_xx + k^2*sin(k*x)\"\n\
[boundary]\non = \"all\"\ndirichlet = \"sin(k*x)\"\n[exact]\nu = \"sin(k*x)\"\n";

#[test]
fn a_parameter_takes_several_values() {
    let folder = Folder::new("sweep");
    let (file, out) = (folder.join("wave.toml"), folder.join("runs"));
    std::fs::write(&file, TEXT).expect("a problem");
    let swept = printed(&raf(&[
        "solve", &file, "--set", "k=2,3", "--out", &out, "--json",
    ]));
    let runs = swept["runs"].as_array().expect("runs");
    let labels: Vec<&str> = runs.iter().filter_map(|r| r["label"].as_str()).collect();
    assert_eq!(labels, ["k=2", "k=3"]);
    for run in runs {
        assert!(
            run["relative_l2"].as_f64().is_some_and(|e| e < 1e-10),
            "{run}"
        );
    }
    // what was solved is the problem with that value
    let config =
        std::fs::read_to_string(Path::new(&out).join("k=3-0/config.toml")).expect("a config");
    assert!(config.contains("\nk = 3\n"), "{config}");
    let one = folder.join("one");
    let run = raf(&["solve", &file, "--set", "k=pi", "--out", &one, "--json"]);
    assert!(
        printed(&run)["relative_l2"]
            .as_f64()
            .is_some_and(|e| e < 1e-10)
    );
    // how runs ended stands in the table, and one that missed its target in the status
    let missed = folder.join("missed");
    let run = raf(&[
        "solve",
        &file,
        "--set",
        "k=2,3",
        "--target",
        "1e-40",
        "--time-limit",
        "1",
        "--out",
        &missed,
    ]);
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stdout).contains("stalled"));
    // a mistake in a later run is found before the first one begins
    let never = folder.join("never");
    let names = ["--activation", "tanh", "--activation", "raf"];
    let run = raf(&[&["solve", &file, "--out", &never][..], &names].concat());
    assert_eq!(run.status.code(), Some(2));
    assert!(!Path::new(&never).exists());
    let unknown = raf(&["solve", &file, "--set", "c=1"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("its parameters: k"));
}
