//! Being told to end, and having nobody to tell the result.

use super::killed::METHODS;
use super::{arguments, bytes, started};
use crate::common::{Folder, printed, raf, wait_for_checkpoint};
use std::process::{Command, Stdio};

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(sent.is_ok_and(|s| s.success()));
}

/// SIGTERM and SIGHUP left no model where Ctrl-C did.
#[test]
fn a_terminated_run_saves_and_goes_on() {
    let folder = Folder::new("terminated");
    let straight = folder.join("straight");
    let (method, steps) = METHODS[0];
    raf(&arguments(method, steps, &straight));
    for (name, status) in [("-TERM", 143), ("-HUP", 129)] {
        let broken = folder.join(name);
        let child = started(&arguments(method, steps, &broken));
        wait_for_checkpoint(&broken);
        signal(name, child.id());
        let end = child.wait_with_output().expect("a finished child");
        assert_eq!(end.status.code(), Some(status), "{name}");
        assert_eq!(printed(&end)["outcome"], "stopped", "{name}");
        assert!(!bytes(&broken, "model.safetensors").is_empty(), "{name}");
        raf(&["solve", "--resume", &broken, "--json"]);
        assert_eq!(
            bytes(&straight, "model.safetensors"),
            bytes(&broken, "model.safetensors"),
            "{name}"
        );
    }
}

/// Under `nohup` a run outlives its terminal, as it did.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_ignores_hanging_up_goes_on() {
    let folder = Folder::new("nohup");
    let out = folder.join("run");
    let mut command = vec![
        "-c",
        "trap '' HUP; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_raf"),
    ];
    command.extend(arguments(METHODS[0].0, METHODS[0].1, &out));
    let child = Command::new("sh")
        .args(command)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh starts");
    wait_for_checkpoint(&out);
    signal("-HUP", child.id());
    let end = child.wait_with_output().expect("a finished child");
    assert!(end.status.code().is_some_and(|c| c < 2), "{:?}", end.status);
    assert_ne!(printed(&end)["outcome"], "stopped");
}

/// `--json > /dev/full` was a success with nothing written; a reader that went away still is one.
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_no_success() {
    let folder = Folder::new("device");
    let out = folder.join("run");
    for command in [
        &["solve", "--list"][..],
        &["solve", "--list", "--json"],
        &["solve", "logistic", "--out", &out, "--json"],
        &["--help"],
        &["fit", "--help"],
        &["--version"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let run = Command::new(env!("CARGO_BIN_EXE_raf"))
            .args(command)
            .stdout(full.expect("the device that is always full"))
            .output()
            .expect("raf starts");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{command:?} {said}");
        assert!(
            said.contains("standard output: No space left"),
            "{command:?} {said}"
        );
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_raf"))
        .args(["solve", "logistic", "--out", &folder.join("other")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("raf starts");
    drop(child.stdout.take());
    let end = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&end.stderr).into_owned();
    assert_eq!(end.status.code(), Some(0), "{said}");
    assert!(!said.contains("error:"), "{said}");
}

/// `--threads 100000` was refused above 4096 here, above 1024 there, and taken as 4096 elsewhere.
#[test]
fn threads_have_one_limit() {
    let folder = Folder::new("threads");
    let out = folder.join("out.csv");
    for command in [
        &["solve", "logistic"][..],
        &["fit", "image"],
        &["fit", "image", "--seeds", "2"],
        &["ntk", "heat"],
        &["demo"],
        &["bench"],
        &["eval", "none.safetensors", "--grid", "3", "-o", &out],
        &["render", "none.safetensors", "-o", &out],
    ] {
        let run = raf(&[command, &["--threads", "100000"]].concat());
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{command:?} {said}");
        let expected = "`--threads 100000` cannot be used: expected a whole number from 0 to 1024";
        assert!(said.contains(expected), "{command:?} {said}");
    }
}
