//! `--threads 1` means that one thread computes, whatever is computed.
#![cfg(target_os = "linux")]

use crate::common::Folder;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One that computes, one that waits for its attempts, one that watches; and one that has just ended may still be seen beside the next.
const MOST: usize = 4;

/// The most threads that a run had at once, its seconds of computing and its seconds.
fn watched(arguments: &[&str]) -> (usize, f64, f64) {
    let begun = Instant::now();
    let mut run = Command::new(env!("CARGO_BIN_EXE_raf"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("raf starts");
    let place = format!("/proc/{}", run.id());
    let (mut most, mut ticks, mut seconds) = (0, 0.0, 0.0);
    while run.try_wait().expect("a run").is_none() {
        let tasks = std::fs::read_dir(format!("{place}/task"));
        most = most.max(tasks.map_or(0, Iterator::count));
        let stat = std::fs::read_to_string(format!("{place}/stat")).unwrap_or_default();
        // after the name: the user's and the system's time are the 12th and 13th
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let times = fields
            .skip(11)
            .take(2)
            .filter_map(|t| t.parse::<f64>().ok());
        let times: Vec<f64> = times.collect();
        if times.len() == 2 {
            (ticks, seconds) = (times.iter().sum(), begun.elapsed().as_secs_f64());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    (most, 0.01 * ticks, seconds)
}

#[test]
fn one_thread_computes() {
    let folder = Folder::new("threads");
    let runs = [
        "solve poisson-smooth",
        "solve burgers",
        "solve burgers --method pieces",
        "solve poisson-smooth --method lm --width 12 --depth 2 --points 120 --steps 5",
        "solve schrodinger-d5 --time-limit 1",
        "fit image --size 48x48 --width 16 --depth 2 --steps 5",
    ];
    for (k, run) in runs.into_iter().enumerate() {
        let out = folder.join(&k.to_string());
        let mut asked: Vec<&str> = run.split(' ').collect();
        asked.extend(["--threads", "1", "--out", &out]);
        let (most, computing, seconds) = watched(&asked);
        assert!((1..=MOST).contains(&most), "{run}: {most} threads");
        // to two ticks of the clock
        assert!(
            computing <= 1.05 * seconds + 0.02,
            "{run}: {computing} s of computing in {seconds} s"
        );
    }
}
