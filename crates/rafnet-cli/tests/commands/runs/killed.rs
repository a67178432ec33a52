//! Runs that are killed or interrupted, again and again, end in the same bits.

use super::{arguments, bytes, started};
use crate::common::{Folder, printed, raf, wait_for_checkpoint};
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::Instant;

/// Small networks, so that a step takes a millisecond: (method, steps).
pub(super) const METHODS: [(&str, &str); 3] = [("adam", "1500"), ("lm", "60"), ("lbfgs", "300")];

/// How often a run is killed: so often, or as `RAFNET_KILLS=10` says.
fn n_kills(usual: u32) -> u32 {
    let asked = std::env::var("RAFNET_KILLS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Marsaglia's xorshift64*, in [0, 1).
fn unit(state: &mut u64) -> f64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
}

/// Runs a command unbroken in one folder, and in another killed at moments drawn from a span of a whole run's time, resumed each time: the
/// same bits. A run that comes to its end between two kills is looked at and begun anew.
fn killed_and_resumed(folder: &Folder, name: &str, command: &[&str], span: [f64; 2], n_kills: u32) {
    let (straight, broken) = (
        folder.join(&format!("{name}-straight")),
        folder.join(&format!("{name}-broken")),
    );
    let begin = |out: &str| started(&[command, &["--out", out, "--json"]].concat());
    let begun = Instant::now();
    let whole = begin(&straight).wait_with_output().expect("a whole run");
    assert!(whole.status.code().is_some_and(|c| c < 2), "{name}");
    let time = begun.elapsed();
    let ended = |child: Child| {
        let end = child.wait_with_output().expect("a finished child");
        let said = String::from_utf8_lossy(&end.stdout);
        assert_eq!(end.status.code(), whole.status.code(), "{name}: {said}");
        let same = bytes(&straight, "model.safetensors") == bytes(&broken, "model.safetensors");
        assert!(same, "{name}: other bits");
    };
    let (mut state, mut kills) = (0x5EED, 0);
    let mut child = begin(&broken);
    for _ in 0..4 * n_kills {
        if kills == n_kills {
            break;
        }
        std::thread::sleep(time.mul_f64(span[0] + (span[1] - span[0]) * unit(&mut state)));
        let over = child.try_wait().expect("a child").is_some();
        if over {
            ended(child);
        } else {
            child.kill().expect("a running child");
            child.wait().expect("a killed child");
            kills += 1;
        }
        // a run killed before it wrote its config starts anew too
        child = if !over && Path::new(&broken).join("config.toml").exists() {
            started(&[command[0], "--resume", &broken, "--json"])
        } else {
            let _ = std::fs::remove_dir_all(&broken);
            begin(&broken)
        };
    }
    ended(child);
    assert!(kills > 0, "{name}: never killed");
}

#[test]
fn killed_training_resumes_to_the_same_bits() {
    let folder = Folder::new("killed");
    for (method, steps) in METHODS {
        let all = arguments(method, steps, "");
        let command: Vec<&str> = all[..6].iter().chain(&all[9..]).copied().collect();
        killed_and_resumed(&folder, method, &command, [0.05, 0.6], n_kills(3));
    }
}

#[test]
fn a_killed_search_resumes_to_the_same_bits() {
    let folder = Folder::new("killed-search");
    let command = ["solve", "nonlinear-polygon", "--method", "lsq"];
    killed_and_resumed(&folder, "lsq", &command, [0.05, 0.6], n_kills(3));
}

/// Noise in the equation, at which frozen features stall, and the training after two widths. Near an eigenvalue, so that the estimate is poor
/// enough for a training; good enough to end there, for more work takes ten times as long. `bench/kills` has that. Without a name, it is called
/// after its file.
const NOISY: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\n\
                     residual = \"u_xx + 39*u + 1 + 2e-4*sin(1e7*x)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";

/// From its beginning on, and late, where it trains; resumed, it makes its search again, so it is killed but twice.
#[test]
fn a_killed_auto_resumes_to_the_same_bits_in_every_stage() {
    let folder = Folder::new("killed-auto");
    let problem = folder.join("noisy.toml");
    std::fs::write(&problem, NOISY).expect("a problem file");
    let command = ["solve", &problem, "--points", "40", "--checkpoint", "0.01"];
    killed_and_resumed(&folder, "auto", &command, [0.3, 0.9], n_kills(2));
}

#[test]
fn a_killed_fit_resumes_to_the_same_bits() {
    let folder = Folder::new("killed-fit");
    let setting = "fit image --size 40x30 --width 24 --depth 3 --steps 900 --batch 256 --checkpoint 0.02 --target 60";
    let command: Vec<&str> = setting.split(' ').collect();
    killed_and_resumed(&folder, "fit", &command, [0.05, 0.6], n_kills(3));
}

/// Ctrl-C, and how it ends.
#[cfg(unix)]
fn interrupted(child: Child) -> Output {
    let mut kill = Command::new("kill");
    let sent = kill.args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|s| s.success()));
    let end = child.wait_with_output().expect("a finished child");
    assert_eq!(end.status.code(), Some(130));
    end
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
    let end = interrupted(child);
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

/// A search has no checkpoint, and says what `--resume` does then.
#[cfg(unix)]
#[test]
fn an_interrupted_search_says_that_it_begins_anew() {
    let folder = Folder::new("interrupted-search");
    let out = folder.join("run");
    let child = started(&["solve", "burgers", "--method", "lsq", "--out", &out]);
    let metrics = Path::new(&out).join("metrics.jsonl");
    let begun = Instant::now();
    let searching = || std::fs::metadata(&metrics).is_ok_and(|m| m.len() > 0);
    while !searching() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let end = interrupted(child);
    let said = String::from_utf8_lossy(&end.stdout);
    assert!(
        said.contains("makes the search again from its beginning"),
        "{said}"
    );
    assert!(!Path::new(&out).join("checkpoint.safetensors").exists());
}
