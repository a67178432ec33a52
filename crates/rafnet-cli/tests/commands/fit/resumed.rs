//! Fits that are killed go on.

use super::object;
use crate::common::{Folder, wait_for_checkpoint};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Killed at several moments and resumed, a run ends in the bits of the unbroken one; so does its own `config.toml`.
#[test]
fn killed_fits_resume_to_the_same_bits() {
    let folder = Folder::new("killed");
    let setting = [
        "fit",
        "image",
        "--size",
        "40x30",
        "--width",
        "24",
        "--depth",
        "3",
        "--steps",
        "1200",
        "--batch",
        "256",
        "--holdout",
        "grid:2",
        "--lr",
        "1e-4",
        "--checkpoint",
        "0.02",
    ];
    let whole = folder.join("whole");
    object(&[&setting[..], &["--out", &whole]].concat());
    let bytes =
        |run: &str| std::fs::read(Path::new(run).join("model.safetensors")).expect("a model");
    let lines = |run: &str| {
        let text = std::fs::read_to_string(Path::new(run).join("metrics.jsonl")).expect("metrics");
        let step = |l: &str| {
            serde_json::from_str::<Value>(l)
                .ok()
                .and_then(|r| r["step"].as_u64())
        };
        text.lines().filter_map(step).collect::<Vec<u64>>()
    };
    assert_eq!(lines(&whole), (1..=1200).collect::<Vec<u64>>());
    let broken = folder.join("broken");
    for (round, wait) in [3u64, 47, 90, 11].into_iter().enumerate() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raf"));
        if round == 0 {
            command.args(setting).args(["--out", &broken]);
        } else {
            command.args(["fit", "--resume", &broken]);
        }
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("raf starts");
        wait_for_checkpoint(&broken);
        std::thread::sleep(Duration::from_millis(wait));
        let _ = child.kill();
        let _ = child.wait();
    }
    object(&["fit", "--resume", &broken]);
    assert!(
        bytes(&broken) == bytes(&whole),
        "the resumed run ends elsewhere"
    );
    assert_eq!(lines(&broken), lines(&whole));
    let again = folder.join("again");
    let config = Path::new(&whole).join("config.toml").display().to_string();
    object(&["fit", &config, "--threads", "1", "--out", &again]);
    assert!(
        bytes(&again) == bytes(&whole),
        "the repeated run ends elsewhere"
    );
}
