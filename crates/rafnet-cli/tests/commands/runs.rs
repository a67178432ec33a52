//! Runs survive: killed at any moment and resumed, interrupted, repeated from their own `config.toml`, diverging.

mod devices;
mod folders;
mod killed;
mod replaced;
#[cfg(unix)]
mod signals;

use crate::common::{Folder, printed, raf};
use std::path::Path;
use std::process::{Child, Command, Stdio};

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
        let taken = raf(&[command, "--resume", out, "--device", "reference", "--json"]);
        let said = String::from_utf8_lossy(&taken.stderr);
        assert!(taken.status.code().is_some_and(|c| c < 2), "{said}");
        assert!(
            said.contains("`--device cpu`, from there on with `--device reference`"),
            "{said}"
        );
        let config = std::fs::read_to_string(&config).expect("a config");
        assert!(
            config.contains("# until step") && config.contains("not the same to the bit"),
            "{config}"
        );
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

/// What a method has no use for is refused, not ignored; in a file it is left for another method.
#[test]
fn options_that_do_nothing_are_refused() {
    for (options, method) in [
        ("--method lsq --steps 100", "lsq"),
        ("--method lm --pieces 4", "lm"),
        ("--mode gradient", "auto"),
    ] {
        let mut command = vec!["solve", "logistic", "--json"];
        command.extend(options.split(' '));
        let end = raf(&command);
        assert_eq!(end.status.code(), Some(2), "{options}");
        let said = printed(&end)["message"].to_string();
        let nothing = format!("does nothing with `--method {method}`");
        assert!(said.contains(&nothing), "{said}");
    }
}
