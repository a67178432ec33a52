//! Runs survive: killed at any moment and resumed, interrupted, repeated from their own `config.toml`, diverging.

mod devices;
mod folders;
#[cfg(unix)]
mod signals;

use crate::common::{Folder, printed, raf, wait_for_checkpoint};
use rafnet::solve::Checkpoint;
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

/// Noise in the equation, at which frozen features stall, and the training after two widths. Without a name, it is called after its file.
const NOISY: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\n\
                     residual = \"u_xx + 1 + 0.03*sin(1e7*x)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";

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
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupted.is_ok_and(|s| s.success()));
    let end = child.wait_with_output().expect("a finished child");
    assert_eq!(end.status.code(), Some(130));
    let said = String::from_utf8_lossy(&end.stdout);
    assert!(
        said.contains("makes the search again from its beginning"),
        "{said}"
    );
    assert!(!Path::new(&out).join("checkpoint.safetensors").exists());
}

/// The old state would be taken up by a later `--resume`, the old model be taken for the new one's.
#[test]
fn a_forced_run_forgets_the_old_one() {
    let folder = Folder::new("forced");
    let out = folder.join("run");
    raf(&arguments("adam", "300", &out));
    assert!(Path::new(&out).join("checkpoint.safetensors").exists());
    let mut exploding = arguments("adam", "20", &out);
    exploding.extend(["--lr", "1e150", "--force"]);
    assert_eq!(raf(&exploding).status.code(), Some(1));
    let state = Path::new(&out).join("checkpoint.safetensors");
    assert!(!state.exists() || Checkpoint::load(&state).is_ok_and(|c| c.step <= 20));
    let other = ["solve", "logistic", "--out", &out, "--force"];
    assert!(raf(&other).status.success());
    assert!(!state.exists(), "a state of a run that has none");
    assert!(raf(&["solve", "--resume", &out]).status.success());
}

/// Status 2, what differs, what to type; nothing is written.
#[test]
fn a_run_whose_config_was_edited_is_not_gone_on_with() {
    let folder = Folder::new("edited");
    let (solve, fit) = (folder.join("solve"), folder.join("fit"));
    raf(&arguments("adam", "300", &solve));
    let picture = "fit image --size 20x16 --width 8 --depth 2 --steps 200 --checkpoint 0.001 --out";
    raf(&[&picture.split(' ').collect::<Vec<_>>()[..], &[&fit]].concat());
    for (command, out, edits) in [
        (
            "solve",
            &solve,
            vec![
                ("seed = 0", "seed = 1", "`seed` is 0 there and 1 here"),
                ("[exact]\nu = \"", "[exact]\nu = \"1 + ", "`[exact]` is"),
                (
                    "width = 12",
                    "width = 12\nlr = 1e-5",
                    "`lr` is left out there and 0.00001 here",
                ),
            ],
        ),
        (
            "fit",
            &fit,
            vec![(
                "lr = \"0.0003\"",
                "lr = \"0.001\"",
                "`lr` is 0.0003 there and 0.001 here",
            )],
        ),
    ] {
        let config = Path::new(out).join("config.toml");
        let text = std::fs::read_to_string(&config).expect("a config");
        for (from, to, what) in edits {
            let edited = text.replacen(from, to, 1);
            assert_ne!(edited, text, "{from}");
            std::fs::write(&config, &edited).expect("an edited config");
            let refused = raf(&[command, "--resume", out]);
            let said = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{to}: {said}");
            assert!(said.contains(what) && said.contains("start anew"), "{said}");
            let after = std::fs::read_to_string(&config).expect("a config");
            assert_eq!(after, edited, "{to}");
        }
        std::fs::write(&config, &text).expect("the old config");
        let refused = raf(&[command, "--resume", out, "--seed", "7"]);
        assert_eq!(refused.status.code(), Some(2));
        assert_eq!(std::fs::read_to_string(&config).expect("a config"), text);
        let taken = raf(&[command, "--resume", out, "--threads", "1", "--json"]);
        assert!(taken.status.code().is_some_and(|c| c < 2), "{command}");
    }
}

/// A damaged state is refused with what to do.
#[test]
fn a_damaged_state_is_refused() {
    let folder = Folder::new("damaged-state");
    let out = folder.join("run");
    raf(&arguments("adam", "300", &out));
    let path = Path::new(&out).join("checkpoint.safetensors");
    let mut state = std::fs::read(&path).expect("a checkpoint");
    let middle = state.len() / 2;
    state[middle] ^= 4;
    std::fs::write(&path, state).expect("a damaged checkpoint");
    let refused = raf(&["solve", "--resume", &out]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(
        said.contains("checksum") && said.contains("hint: delete"),
        "{said}"
    );
}

/// Such a run cannot be repeated to the same bits: its config says so.
#[test]
fn a_run_that_the_clock_ended_says_so() {
    let folder = Folder::new("clock");
    let (solve, fit) = (folder.join("solve"), folder.join("fit"));
    let mut endless = arguments("adam", "100000000", &solve);
    endless.extend(["--time-limit", "0.2"]);
    raf(&endless);
    let picture =
        "fit image --size 20x16 --width 8 --depth 2 --steps 100000000 --time-limit 0.2 --out";
    raf(&[&picture.split(' ').collect::<Vec<_>>()[..], &[&fit]].concat());
    for out in [&solve, &fit] {
        let config = String::from_utf8(bytes(out, "config.toml")).expect("a text");
        assert!(
            config.contains("# the clock ended this run after step"),
            "{config}"
        );
    }
    let done = folder.join("done");
    raf(&arguments("adam", "20", &done));
    let config = String::from_utf8(bytes(&done, "config.toml")).expect("a text");
    assert!(!config.contains("the clock"), "{config}");
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
        let status = raf(&arguments).status.code();
        assert_eq!(status, Some(i32::from(k == 1)), "five steps are too few");
        let config = Path::new(&first).join("config.toml").display().to_string();
        let again = raf(&["solve", &config, "--threads", "3", "--out", &second]);
        assert_eq!(again.status.code(), status);
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
