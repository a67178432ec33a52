//! Runs survive: killed at any moment and resumed, interrupted, repeated from their own `config.toml`, diverging.

mod common;
#[path = "runs/folders.rs"]
mod folders;
#[cfg(unix)]
#[path = "runs/signals.rs"]
mod signals;

use common::{Folder, printed, raf, wait_for_checkpoint};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

fn started(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_raf"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("raf starts")
}

fn bytes(folder: &str, name: &str) -> Vec<u8> {
    std::fs::read(Path::new(folder).join(name)).expect("a file of the run")
}

/// Small networks, so that a step takes a millisecond: (method, steps).
const METHODS: [(&str, &str); 3] = [("adam", "1500"), ("lm", "60"), ("lbfgs", "300")];

fn arguments<'a>(method: &'a str, steps: &'a str, out: &'a str) -> Vec<&'a str> {
    let setting = [
        "--width",
        "12",
        "--points",
        "150",
        "--checkpoint",
        "0.02",
        "--target",
        "1e-300",
    ];
    let mut arguments = vec![
        "solve",
        "poisson-smooth",
        "--method",
        method,
        "--steps",
        steps,
        "--out",
        out,
        "--json",
    ];
    arguments.extend(setting);
    arguments
}

/// Killed up to seven times by each method at scattered moments, then resumed to the end: the bits of the unbroken run.
#[test]
fn killed_runs_resume_to_the_same_bits() {
    let folder = Folder::new("killed");
    for (method, steps) in METHODS {
        let straight = folder.join(&format!("{method}-straight"));
        let begun = Instant::now();
        assert!(
            raf(&arguments(method, steps, &straight))
                .status
                .code()
                .is_some_and(|c| c < 2)
        );
        let whole = begun.elapsed();
        let broken = folder.join(&format!("{method}-broken"));
        let mut child = started(&arguments(method, steps, &broken));
        let mut kills = 0;
        for k in 0..7u32 {
            // as soon as there is something to resume, then at moments from a fiftieth to two fifths of a whole run
            if k == 0 {
                wait_for_checkpoint(&broken);
            } else {
                std::thread::sleep(whole * (1 + (k * 5) % 19) / 50);
            }
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            child.kill().expect("a running child");
            child.wait().expect("a killed child");
            kills += 1;
            let resume = ["solve", "--resume", &broken, "--json"];
            // a run killed before it wrote its config starts anew
            child = if Path::new(&broken).join("config.toml").exists() {
                started(&resume)
            } else {
                let _ = std::fs::remove_dir_all(&broken);
                started(&arguments(method, steps, &broken))
            };
        }
        let end = child.wait_with_output().expect("a finished child");
        assert!(
            end.status.code().is_some_and(|c| c < 2),
            "{method}: {}",
            String::from_utf8_lossy(&end.stdout)
        );
        assert!(kills > 0, "{method}: never killed");
        assert_eq!(
            bytes(&straight, "model.safetensors"),
            bytes(&broken, "model.safetensors"),
            "{method}"
        );
    }
}

/// Ctrl-C saves, says how to go on, exits 130; what goes on ends in the same bits.
#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on() {
    let folder = Folder::new("interrupted");
    let (straight, broken) = (folder.join("straight"), folder.join("broken"));
    let (method, steps) = METHODS[0];
    raf(&arguments(method, steps, &straight));
    let child = started(&arguments(method, steps, &broken));
    wait_for_checkpoint(&broken);
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupted.is_ok_and(|s| s.success()));
    let end = child.wait_with_output().expect("a finished child");
    assert_eq!(end.status.code(), Some(130));
    assert_eq!(printed(&end)["outcome"], "stopped");
    for file in [
        "model.safetensors",
        "checkpoint.safetensors",
        "config.toml",
        "metrics.jsonl",
    ] {
        assert!(Path::new(&broken).join(file).exists(), "{file}");
    }
    raf(&["solve", "--resume", &broken, "--json"]);
    assert_eq!(
        bytes(&straight, "model.safetensors"),
        bytes(&broken, "model.safetensors")
    );
}

/// `config.toml` of a run is a problem file that gives the same bits, whatever the number of threads.
#[test]
fn a_config_runs_again_to_the_same_bits() {
    let folder = Folder::new("config");
    for (k, options) in [
        vec![],
        vec![
            "--method", "lm", "--steps", "5", "--width", "10", "--points", "100",
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let (first, second) = (
            folder.join(&format!("first-{k}")),
            folder.join(&format!("second-{k}")),
        );
        let mut arguments = vec![
            "solve",
            "logistic",
            "--seed",
            "4",
            "--threads",
            "1",
            "--out",
            &first,
            "--json",
        ];
        arguments.extend(options);
        assert!(raf(&arguments).status.success());
        let config = Path::new(&first).join("config.toml").display().to_string();
        assert!(
            raf(&["solve", &config, "--threads", "3", "--out", &second])
                .status
                .success()
        );
        assert_eq!(
            bytes(&first, "model.safetensors"),
            bytes(&second, "model.safetensors")
        );
    }
}

#[test]
fn an_exploding_rate_is_a_named_outcome() {
    let folder = Folder::new("exploding");
    let out = folder.join("run");
    let mut arguments = arguments("adam", "400", &out);
    arguments.extend(["--lr", "1e150"]);
    let end = raf(&arguments);
    assert_eq!(end.status.code(), Some(1));
    let object = printed(&end);
    assert_eq!(object["outcome"], "diverged");
    assert!(
        object["decisions"][0]
            .as_str()
            .is_some_and(|d| d.contains("--lr")),
        "{object}"
    );
}

#[test]
fn folders_that_cannot_be_used_are_refused() {
    let folder = Folder::new("folders");
    let file = folder.join("file");
    std::fs::write(&file, "x").expect("a file");
    let inside = format!("{file}/run");
    let refused = raf(&["solve", "logistic", "--out", &inside, "--json"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        printed(&refused)["message"]
            .as_str()
            .is_some_and(|m| m.contains("cannot write"))
    );
    let taken = folder.join("taken");
    assert!(
        raf(&["solve", "logistic", "--out", &taken])
            .status
            .success()
    );
    let again = raf(&["solve", "logistic", "--out", &taken]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--force"));
    assert!(
        raf(&["solve", "logistic", "--out", &taken, "--force"])
            .status
            .success()
    );
}

#[test]
fn options_are_checked() {
    for (option, value) in [
        ("--method", "newton"),
        ("--width", "0"),
        ("--lr", "0"),
        ("--activation", "reluu"),
        ("--precision", "f16"),
        ("--steps", "1.5"),
    ] {
        let end = raf(&["solve", "logistic", option, value, "--json"]);
        assert_eq!(end.status.code(), Some(2), "{option} {value}");
        let message = printed(&end)["message"]
            .as_str()
            .expect("a message")
            .to_owned();
        assert!(
            message.contains(option) && message.contains("expected"),
            "{message}"
        );
    }
}
