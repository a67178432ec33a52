//! Any bytes as a checkpoint, and real checkpoints with any of their vectors changed: a fit or a solution goes on from it or refuses it,
//! and neither panics nor asks for more memory than the run itself.
#![no_main]

use rafnet::Problem;
use rafnet::fit::{self, Kind, Optimiser, Samples};
use rafnet::model::Precision;
use rafnet::optimise::Schedule;
use rafnet::run::{Checkpoint, Preset, Watch};
use rafnet::solve::{Method, Options, Progress};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;

const PROBLEM: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + 2\"\n\
                       [[boundary]]\non = \"all\"\ndirichlet = 0\n[exact]\nu = \"x*(1 - x)\"\n";

/// The methods that write checkpoints. An equation takes a thousand times as long as a fit, so one input in 32 is for it.
const METHODS: [Method; 3] = [Method::Adam, Method::Lm, Method::Lbfgs];

/// The longest that a vector is made.
const LONGEST: usize = 300;

static EQUATION: LazyLock<Problem> =
    LazyLock::new(|| Problem::from_text(PROBLEM, "fuzz.toml", None).expect("a problem"));

/// The checkpoint of a short run of each method.
static SOLVED: LazyLock<Vec<(Options, Checkpoint)>> = LazyLock::new(|| {
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
        EQUATION
            .solve_from(&options, None, &mut last)
            .expect("a run");
        (options, last.seen.expect("a checkpoint"))
    });
    runs.into()
});

/// The checkpoint of a short fit with each optimiser.
static FITTED: LazyLock<Vec<(fit::Options, Checkpoint)>> = LazyLock::new(|| {
    let runs = [
        (Optimiser::Adam, Precision::F64),
        (Optimiser::Muon, Precision::F32),
    ];
    let runs = runs.map(|(optimiser, precision)| {
        let options = fit::Options {
            width: 3,
            depth: 2,
            batch: 4,
            displaced: 0.0,
            optimiser,
            steps: 6,
            lr: 1e-3,
            schedule: Schedule::named("cosine", 6).expect("a schedule"),
            precision,
            look: 2,
            checkpoint: 1e-9,
            ..fit::Options::usual(Kind::Image, Preset::Default, 9)
        };
        let mut last = Last {
            seen: None,
            steps: 4,
        };
        fit::fit(&Line, &options, None, &mut last).expect("a fit");
        (options, last.seen.expect("a checkpoint"))
    });
    runs.into()
});

/// Nine samples of a line.
struct Line;

impl Samples for Line {
    fn sizes(&self) -> Vec<usize> {
        vec![3, 3]
    }
    fn dimension(&self) -> usize {
        2
    }
    fn channels(&self) -> usize {
        1
    }
    fn sample(&self, index: usize, point: &mut [f64], given: &mut [f64]) {
        point[0] = (index / 3) as f64 - 1.0;
        point[1] = (index % 3) as f64 - 1.0;
        given[0] = 0.1 * index as f64;
    }
}

/// Keeps the last checkpoint and stops after some steps.
struct Last {
    seen: Option<Checkpoint>,
    steps: u64,
}

impl Watch<Progress> for Last {
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

impl Watch<fit::Progress> for Last {
    fn progress(&mut self, progress: &fit::Progress) -> ControlFlow<()> {
        if progress.step < self.steps {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.seen = Some(checkpoint.clone());
    }
}

libfuzzer_sys::fuzz_target!(init: write_seeds(), |bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else {
        return;
    };
    let (choice, whole) = (usize::from(choice), choice < 128);
    let take = |real: &Checkpoint| if whole { read(rest) } else { Some(changed(real.clone(), rest)) };
    let mut one_more = Last { seen: None, steps: 0 };
    let refused = if choice % 32 == 0 {
        let (options, real) = &SOLVED[choice / 32 % METHODS.len()];
        let Some(checkpoint) = take(real) else {
            return;
        };
        EQUATION.solve_from(options, Some(&checkpoint), &mut one_more).err().map(|e| e.to_string())
    } else {
        let (options, real) = &FITTED[choice % 2];
        let Some(checkpoint) = take(real) else {
            return;
        };
        fit::fit(&Line, options, Some(&checkpoint), &mut one_more).err().map(|e| e.to_string())
    };
    assert!(refused.is_none_or(|message| !message.is_empty()));
});

/// A checkpoint from the bytes of its file.
fn read(bytes: &[u8]) -> Option<Checkpoint> {
    match Checkpoint::from_bytes(bytes) {
        Ok(checkpoint) => Some(checkpoint),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

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
    let solved = SOLVED.iter().map(|(_, c)| c).zip([0u8, 32, 64]);
    let fitted = FITTED.iter().map(|(_, c)| c).zip([2u8, 1]);
    for (checkpoint, choice) in solved.chain(fitted) {
        let file = [vec![choice], checkpoint.to_bytes().expect("a checkpoint")].concat();
        let edits = [&[128 + choice][..], &[1, 0, 0, 9, 2, 1, 0, 3, 6, 0, 0, 2]].concat();
        for (name, bytes) in [("file", file), ("edits", edits)] {
            let path = Path::new(&folder).join(format!("{name}-{choice}"));
            std::fs::write(path, bytes).expect("a folder for the seeds");
        }
    }
    std::process::exit(0);
}
