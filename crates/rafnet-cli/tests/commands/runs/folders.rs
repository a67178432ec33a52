//! The run folder in hostile hands: names and paths that lead out of it, two processes at once, a full disk, what a killed run left.

use super::{bytes, started};
use crate::common::{Folder, printed, raf};
#[cfg(target_os = "linux")]
use crate::skipped::skipped;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

fn err(run: &Output) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}

/// Waits until something is so (or a minute has passed).
fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A process that is killed at the end, however the test ends.
struct Killed(Child);

impl Killed {
    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        self.end();
    }
}

/// A run that takes until it is killed.
const ENDLESS: [&str; 13] = [
    "solve",
    "poisson-smooth",
    "--method",
    "adam",
    "--steps",
    "100000000",
    "--width",
    "4",
    "--points",
    "20",
    "--threads",
    "1",
    "--target",
];

/// The second process of one `--out` wrote over the files of the first, and both said that all was well.
#[test]
fn two_processes_do_not_share_a_folder() {
    let folder = Folder::new("shared");
    let out = folder.join("run");
    let mut first = Killed(started(
        &[&ENDLESS[..], &["1e-300", "--out", &out]].concat(),
    ));
    wait_until(|| Path::new(&out).join("metrics.jsonl").exists());
    for second in [
        &["solve", "logistic", "--out", &out][..],
        &["solve", "logistic", "--out", &out, "--force"],
        &["solve", "--resume", &out],
        &["build", "polynomial", "x^2", "--out", &out],
        &["fit", "image", "--size", "8x8", "--out", &out, "--force"],
    ] {
        let refused = raf(second);
        assert_eq!(refused.status.code(), Some(2), "{second:?}");
        let said = err(&refused);
        assert!(said.contains("another process is writing into"), "{said}");
        assert!(said.contains("hint: wait"), "{said}");
    }
    first.end();
    // a killed process holds nothing
    let free = raf(&["solve", "logistic", "--out", &out, "--force"]);
    assert!(free.status.success(), "{}", err(&free));
}

/// Tables, pictures and pages of many runs belong to one process, as those of a single run do.
#[test]
fn two_processes_do_not_share_a_comparison() {
    let folder = Folder::new("compared");
    let out = folder.join("runs");
    let mut first = Killed(started(
        &[&ENDLESS[..], &["1e-300", "--seeds", "2", "--out", &out]].concat(),
    ));
    wait_until(|| Path::new(&out).join("run-0").join("metrics.jsonl").exists());
    for second in [
        &["solve", "logistic", "--seeds", "2", "--out", &out][..],
        &[
            "solve",
            "burgers",
            "--set",
            "nu=0.1,0.05",
            "--out",
            &out,
            "--force",
        ],
        &[
            "fit", "image", "--size", "8x8", "--seeds", "2", "--out", &out,
        ],
        &["paper", "--results-only", "--out", &out],
        &["paper", "poisson", "--out", &out],
    ] {
        let refused = raf(second);
        let said = err(&refused);
        assert_eq!(refused.status.code(), Some(2), "{second:?}: {said}");
        assert!(said.contains("another process is writing into"), "{said}");
        assert!(said.contains("hint: wait"), "{said}");
    }
    first.end();
}

/// Started in the same moment, one of them is told.
#[test]
fn of_two_processes_started_together_one_is_told() {
    let folder = Folder::new("together");
    let out = folder.join("run");
    let both = [0, 1].map(|_| started(&["solve", "logistic", "--out", &out, "--json"]));
    let codes = both.map(|child| child.wait_with_output().expect("an end").status.code());
    assert!(
        codes.contains(&Some(0)) && codes.contains(&Some(2)),
        "{codes:?}"
    );
}

const ROD: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - 1\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";

/// `name = "../../../esc"` put the run folder there, and escape codes in it reached the terminal.
#[test]
fn a_name_is_neither_a_path_nor_a_command_to_the_terminal() {
    let folder = Folder::new("esc");
    let home = folder.join("a/b/c");
    std::fs::create_dir_all(&home).expect("a folder");
    for name in [
        "../../../esc",
        "a\\\\b",
        ".hidden",
        "\\u001b[2Jred",
        "x\\u202ey",
        "r\\rs",
    ] {
        std::fs::write(
            Path::new(&home).join("p.toml"),
            format!("name = \"{name}\"\n{ROD}"),
        )
        .expect("a problem");
        let run = Command::new(env!("CARGO_BIN_EXE_raf"))
            .current_dir(&home)
            .args(["solve", "p.toml"])
            .output()
            .expect("raf starts");
        let said = err(&run);
        assert_eq!(run.status.code(), Some(2), "{name}: {said}");
        assert!(
            said.contains("p.toml:1: the problem cannot be called"),
            "{said}"
        );
        assert!(said.contains("hint: write letters"), "{said}");
        assert!(!said.contains(['\u{1b}', '\r', '\u{202e}']), "{said:?}");
    }
    let names: Vec<_> = std::fs::read_dir(&home).expect("the folder").collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

/// What else a file holds is shown with its escape codes written out.
#[test]
fn what_is_quoted_cannot_steer_the_terminal() {
    let folder = Folder::new("quoted");
    let path = folder.join("p.toml");
    let text = ROD.replace("u_xx - 1", "u_xx - \\u001b]0;title\\u0007");
    std::fs::write(&path, text).expect("a problem");
    let run = raf(&["solve", &path]);
    assert_eq!(run.status.code(), Some(2));
    assert!(!err(&run).contains(['\u{1b}', '\u{7}']), "{:?}", err(&run));
    let odd = raf(&["solve", "no\u{1b}[2Jsuch", "--out", &folder.join("run")]);
    assert_eq!(odd.status.code(), Some(2));
    assert!(err(&odd).contains("no\\u{1b}[2Jsuch"), "{:?}", err(&odd));
    let odd = raf(&["solve", "heat", "--no\u{1b}[2Jsuch"]);
    assert!(!err(&odd).contains('\u{1b}'), "{:?}", err(&odd));
}

/// A data file of `../x.csv` was copied beside the run folder, over what was there.
#[test]
fn copies_of_data_stay_in_the_folder() {
    let folder = Folder::new("data");
    std::fs::create_dir_all(folder.join("runs")).expect("a folder");
    std::fs::create_dir_all(folder.join("problems/deep")).expect("a folder");
    let table = |slope: f64| {
        let mut text = String::from("x,u\n");
        for k in 1..9 {
            let x = f64::from(k) / 9.0;
            let _ = writeln!(text, "{x},{}", slope * x);
        }
        text
    };
    std::fs::write(folder.join("problems/x.csv"), table(1.0)).expect("data");
    std::fs::write(folder.join("problems/deep/x.csv"), table(1.0)).expect("data");
    let beside = folder.join("runs/x.csv");
    std::fs::write(&beside, "precious").expect("a file");
    let problem = folder.join("problems/deep/p.toml");
    let data = "[[data]]\nfile = '../x.csv' # the first\nsigma = 0.1\n[[data]]\nfile = \"x.csv\"\nsigma = 0.1\n";
    std::fs::write(&problem, format!("{ROD}{data}")).expect("a problem");
    let [run, again] = ["runs/run", "runs/again"].map(|n| folder.join(n));
    // the data contradict the equation, which the run says and the copies do not care about
    let first = raf(&["solve", &problem, "--time-limit", "5", "--out", &run]);
    assert!(
        matches!(first.status.code(), Some(0 | 1)),
        "{}",
        err(&first)
    );
    assert_eq!(bytes(&folder.join("runs"), "x.csv"), b"precious");
    assert_eq!(bytes(&run, "x.csv"), table(1.0).as_bytes());
    // the folder alone repeats the run
    std::fs::remove_dir_all(folder.join("problems")).expect("our files");
    let config = format!("{run}/config.toml");
    let second = raf(&["solve", &config, "--out", &again]);
    assert_eq!(
        second.status.code(),
        first.status.code(),
        "{}",
        err(&second)
    );
    assert_eq!(
        bytes(&run, "model.safetensors"),
        bytes(&again, "model.safetensors")
    );
}

/// Temporary files of killed runs stayed for ever; files of others are not touched.
#[test]
fn what_a_killed_run_left_is_cleared_away() {
    let folder = Folder::new("leftovers");
    let out = folder.join("run");
    std::fs::create_dir_all(&out).expect("a folder");
    let ours = [".model.safetensors.4711-3.tmp", ".u.png.12-0.tmp"];
    let others = [".notes.tmp", "u.png.12-0.part", ".a.b-0.tmp"];
    for name in ours.iter().chain(&others) {
        std::fs::write(Path::new(&out).join(name), "half").expect("a file");
    }
    assert!(raf(&["solve", "logistic", "--out", &out]).status.success());
    for (names, stay) in [(&ours[..], false), (&others, true)] {
        for name in names {
            assert_eq!(Path::new(&out).join(name).exists(), stay, "{name}");
        }
    }
}

/// A disk of that many kB, if this machine lets us have one.
#[cfg(target_os = "linux")]
struct SmallDisk(String);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn new(place: String, size: &str) -> Option<Self> {
        std::fs::create_dir_all(&place).expect("a folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "none", &place])
            .output();
        if mounted.is_ok_and(|m| m.status.success()) {
            return Some(Self(place));
        }
        skipped("a full disk cannot be tried, for this user may not mount a small one");
        None
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l", &self.0]).status();
    }
}

/// Records filled the disk without a word, and in the end there was room for no model.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_ends_the_run_in_time() {
    let folder = Folder::new("full");
    let Some(disk) = SmallDisk::new(folder.join("disk"), "1200k") else {
        return;
    };
    let small = ["--width", "4", "--threads", "1", "--checkpoint", "0.5"];
    let solve = [&ENDLESS[..], &["1e-300", "--checkpoint", "0.5"]].concat();
    let fit = [
        "fit", "image", "--size", "6x6", "--depth", "1", "--steps", "90000000",
    ];
    let fit = [&fit[..], &small, &["--target", "300"]].concat();
    for (name, command) in [("solve", &solve), ("fit", &fit)] {
        let out = format!("{}/{name}", disk.0);
        let run = raf(&[&command[..], &["--out", &out]].concat());
        let said = err(&run);
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains("No space left"), "{said}");
        assert!(said.contains("its model saved in"), "{said}");
        assert!(said.contains(&format!("raf {name} --resume")), "{said}");
        let table = folder.join("values.csv");
        let model = format!("{out}/model.safetensors");
        let eval = raf(&["eval", &model, "--grid", "3x3", "-o", &table]);
        assert!(eval.status.success(), "{}", err(&eval));
        std::fs::remove_dir_all(&out).expect("our folder");
    }
    // a disk without room for a model is refused before the first step
    std::fs::write(format!("{}/full", disk.0), vec![0; 300_000]).expect("room");
    let out = format!("{}/run", disk.0);
    let run = raf(&["solve", "logistic", "--out", &out]);
    assert_eq!(run.status.code(), Some(2));
    assert!(err(&run).contains("No space left"), "{}", err(&run));
}

/// A picture that cannot be written is no reason to keep the result back. Folders in their places refuse as a full disk does.
#[test]
fn without_its_pictures_the_result_is_printed() {
    let folder = Folder::new("pictures");
    let [solved, fitted] = ["solved", "fitted"].map(|n| folder.join(n));
    for place in ["solved/u.png", "fitted/training.png"] {
        std::fs::create_dir_all(folder.join(place)).expect("a folder");
    }
    let solve = raf(&["solve", "logistic", "--out", &solved, "--json"]);
    let fit = [
        "fit", "image", "--size", "8x8", "--width", "8", "--depth", "1", "--steps", "5", "--out",
        &fitted, "--json",
    ];
    for run in [solve, raf(&fit)] {
        assert_eq!(run.status.code(), Some(0), "{}", err(&run));
        assert!(printed(&run)["model"].is_string());
        assert!(err(&run).contains("warning: "), "{}", err(&run));
    }
}
