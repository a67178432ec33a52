//! Any bytes as a checkpoint, and real checkpoints with any of their vectors changed: a run goes on from it or refuses it, and
//! neither panics nor asks for more memory than the run itself.
#![no_main]

#[path = "../scratch.rs"]
mod scratch;

use rafnet::Problem;
use rafnet::solve::{Checkpoint, Method, Options, Progress, Watch};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;

const PROBLEM: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + 2\"\n\
                       [[boundary]]\non = \"all\"\ndirichlet = 0\n[exact]\nu = \"x*(1 - x)\"\n";

/// The methods that write checkpoints.
const METHODS: [Method; 3] = [Method::Adam, Method::Lm, Method::Lbfgs];

/// The longest that a vector is made.
const LONGEST: usize = 300;

/// A problem, and for each method the checkpoint of a short run.
static RUNS: LazyLock<(Problem, Vec<(Options, Checkpoint)>)> = LazyLock::new(|| {
    let problem = Problem::from_text(PROBLEM, "fuzz.toml", None).expect("a problem");
    let runs = METHODS.map(|method| {
        let options = Options {
            method,
            width: Some(3),
            depth: Some(1),
            steps: Some(4),
            points: Some(5),
            checkpoint: 1e-9,
            threads: 1,
            ..Options::default()
        };
        let mut last = Last {
            seen: None,
            steps: 3,
        };
        problem
            .solve_from(&options, None, &mut last)
            .expect("a run");
        (options, last.seen.expect("a checkpoint"))
    });
    (problem, runs.into())
});

/// Keeps the last checkpoint and stops after some steps.
struct Last {
    seen: Option<Checkpoint>,
    steps: u64,
}

impl Watch for Last {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if progress.step < self.steps {
            progress.go_on()
        } else {
            progress.stop()
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.seen = Some(checkpoint.clone());
    }
}

libfuzzer_sys::fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let (problem, runs) = &*RUNS;
    let Some((&choice, rest)) = bytes.split_first() else {
        return;
    };
    let (options, real) = &runs[usize::from(choice) % runs.len()];
    let checkpoint = if usize::from(choice) < 128 {
        let path = scratch::written("checkpoint.safetensors", rest).expect("a scratch folder");
        match Checkpoint::load(&path) {
            Ok(checkpoint) => checkpoint,
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
    } else {
        changed(real.clone(), rest)
    };
    let mut one_more = Last { seen: None, steps: 0 };
    if let Err(error) = problem.solve_from(options, Some(&checkpoint), &mut one_more) {
        assert!(!error.to_string().is_empty());
    }
});

/// Changes of four bytes each: what, which vector, where, and by how much.
fn changed(mut checkpoint: Checkpoint, changes: &[u8]) -> Checkpoint {
    for change in changes.chunks_exact(4).take(8) {
        let [what, which, place, value] = [0, 1, 2, 3].map(|k| change[k]);
        let n = checkpoint.vectors.len().max(1);
        let Some((name, vector)) = checkpoint.vectors.get_mut(usize::from(which) % n) else {
            break;
        };
        let length = usize::from(value) % LONGEST;
        let number = [
            f64::NAN,
            f64::INFINITY,
            -1.0,
            0.0,
            1e308,
            -1e-308,
            2.5,
            1e15,
        ][usize::from(value) % 8];
        match what % 8 {
            0 => vector.truncate(length),
            1 => vector.resize(length, number),
            2 => {
                let at = usize::from(place) % vector.len().max(1);
                vector.get_mut(at).into_iter().for_each(|v| *v = number);
            }
            3 => vector.fill(number),
            4 => name.push('2'),
            5 => checkpoint.vectors.truncate(usize::from(value) % n),
            6 => checkpoint.step = u64::from(value) << (place % 56),
            _ => {
                checkpoint.method =
                    ["adam", "lm", "lbfgs", "auto", "lsq", ""][usize::from(value) % 6].into()
            }
        }
    }
    checkpoint
}

/// With RAFNET_SEEDS=folder: writes checkpoints to begin with there.
fn write_seeds() {
    let Some(folder) = std::env::var_os("RAFNET_SEEDS") else {
        return;
    };
    for (k, (_, checkpoint)) in (0u8..).zip(&RUNS.1) {
        let path = scratch::file("seed.safetensors");
        checkpoint.save(&path).expect("a scratch folder");
        let bytes = [vec![k], std::fs::read(&path).expect("a checkpoint")].concat();
        std::fs::write(Path::new(&folder).join(format!("file-{k}")), bytes)
            .expect("a folder for the seeds");
        let edits = [&[128 + k][..], &[1, 0, 0, 9, 2, 1, 0, 3, 6, 0, 0, 2]].concat();
        std::fs::write(Path::new(&folder).join(format!("edits-{k}")), edits)
            .expect("a folder for the seeds");
    }
    std::process::exit(0);
}
