//! A run in a folder that held another one: `--force`, and names that pictures share.

use super::arguments;
use crate::common::{Folder, raf};
use rafnet::run::Checkpoint;
use std::path::Path;

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

/// Whether each of these is in a folder.
fn there<const N: usize>(folder: &str, names: [&str; N]) -> [bool; N] {
    names.map(|name| Path::new(folder).join(name).exists())
}

const OBSERVED: &str = "unknowns = [\"w\"]\n[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n\
                        [parameters]\nk = { find = true, start = 0.5 }\n[equation]\nresidual = \"w_t + k*w\"\n\
                        [[initial]]\nw = 1\n[[data]]\nfile = \"seen.csv\"\n";

/// What the old run wrote goes, by its own list; what someone put beside it stays, the data that it was read from too.
#[test]
fn a_forced_run_removes_what_the_old_one_wrote_and_nothing_else() {
    let folder = Folder::new("replaced");
    let (problem, seen, out) = (
        folder.join("p.toml"),
        folder.join("seen.csv"),
        folder.join("run"),
    );
    std::fs::write(&problem, OBSERVED).expect("a problem file");
    std::fs::write(&seen, "t,w\n1,0.2725317930340126\n2,0.07427357821433388\n").expect("data");
    let solve = |what: &str, out: &str| {
        let run = raf(&["solve", what, "--time-limit", "2", "--force", "--out", out]);
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{said}");
    };
    solve(&problem, &out);
    for name in ["notes.txt", "mine.png"] {
        std::fs::write(Path::new(&out).join(name), "mine").expect("a file");
    }
    // from its own copy of the data, into its own folder
    solve(&format!("{out}/config.toml"), &out);
    assert_eq!(there(&out, ["w.png", "seen.csv", "notes.txt"]), [true; 3]);
    // a list that leads out of the folder leads nowhere
    let list = Path::new(&out).join("files.txt");
    let listed = std::fs::read_to_string(&list).expect("a list");
    std::fs::write(&list, listed + "../seen.csv\n").expect("a list");
    solve("logistic", &out);
    assert_eq!(there(&out, ["w.png", "seen.csv"]), [false; 2]);
    assert_eq!(there(&out, ["u.png", "notes.txt", "mine.png"]), [true; 3]);
    // the folder of the problem itself: its data are not the run's
    let own = folder.join("");
    solve(&problem, &own);
    solve("logistic", &own);
    assert_eq!(
        there(&own, ["w.png", "seen.csv", "p.toml"]),
        [false, true, true]
    );
}

/// Pictures of an unknown have names that no other picture has.
#[test]
fn unknowns_may_be_called_as_pictures_are() {
    let folder = Folder::new("names");
    for (unknown, options, pictures) in [
        (
            "cut",
            "--method pieces --pieces 2 --time-limit 2",
            ["cut.png", "cut-cut.png"],
        ),
        (
            "residual",
            "--time-limit 2",
            ["residual.png", "residual-u.png"],
        ),
    ] {
        let (problem, out) = (folder.join("p.toml"), folder.join(unknown));
        let text = format!(
            "unknowns = [\"{unknown}\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\n\
             residual = \"laplacian({unknown})\"\n[[boundary]]\non = \"all\"\ndirichlet = \"x\"\n"
        );
        std::fs::write(&problem, text).expect("a problem file");
        let mut command = vec!["solve", &problem, "--out", &out];
        command.extend(options.split(' '));
        let said = raf(&command).stderr;
        assert_eq!(
            there(&out, pictures),
            [true; 2],
            "{}",
            String::from_utf8_lossy(&said)
        );
    }
}
