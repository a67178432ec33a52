//! Which commit this is, for the results: `unknown` outside a repository.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=../../.git/logs/HEAD");
    let output = Command::new("git")
        .args(["rev-parse", "--short=10", "HEAD"])
        .output();
    let commit = output.ok().filter(|o| o.status.success());
    let commit = commit.and_then(|o| String::from_utf8(o.stdout).ok());
    let commit = commit.map_or("unknown".into(), |c| c.trim().to_owned());
    println!("cargo::rustc-env=RAFNET_COMMIT={commit}");
}
