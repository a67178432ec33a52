//! Checkpoints: gone on with from any of them, every method ends in the bits of the unbroken run; damaged or of another run, they are refused.

use crate::{Random, options, read};
use rafnet::activation::Set;
use rafnet::fit::{self, Fitted, Holdout, Kind, Optimiser, Samples, Supervision};
use rafnet::model::Precision;
use rafnet::optimise::Schedule;
use rafnet::problem::Problem;
use rafnet::run::{Checkpoint, CheckpointError, Watch};
use rafnet::solve::{Method, Options, Progress, SolveError, Solved};
use std::ops::ControlFlow;

/// Two terms besides the equation, so that weights are balanced.
const TEXT: &str = "name = \"bend\"\n[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + 9*sin(3*x)\"\n\
                    [[boundary]]\non = \"x=0\"\ndirichlet = 0\nenforce = \"penalty\"\n[[boundary]]\non = \"x=1\"\nneumann = \"3*cos(3)\"\n\
                    [exact]\nu = \"sin(3*x)\"\n";

/// Method, steps, and steps at which it is broken off; `lm` has 3,000 of Adam before its own.
const METHODS: [(Method, u64, &[u64]); 3] = [
    (Method::Adam, 60, &[1, 37, 60]),
    (Method::Lm, 24, &[1, 1700, 3000, 3001, 3013]),
    (Method::Lbfgs, 50, &[1, 29, 49]),
];

fn setting(method: Method, steps: u64) -> Options {
    Options {
        method,
        width: Some(6),
        depth: Some(2),
        points: Some(30),
        steps: Some(steps),
        target: Some(1e-300),
        checkpoint: 1e-12, // at every step
        time_limit: f64::INFINITY,
        ..options()
    }
}

/// Keeps the checkpoints of some steps.
struct Keeper<'a>(&'a [u64], Vec<Checkpoint>);

impl Watch for Keeper<'_> {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        p.go_on()
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        if self.0.contains(&checkpoint.step) {
            self.1.push(checkpoint.clone());
        }
    }
}

fn run(
    problem: &Problem,
    options: &Options,
    from: Option<&Checkpoint>,
    keep: &[u64],
) -> Result<(Solved, Vec<Checkpoint>), SolveError> {
    let mut keeper = Keeper(keep, Vec::new());
    let solved = problem.solve_from(options, from, &mut keeper)?;
    Ok((solved, keeper.1))
}

fn bits(solved: &Solved) -> Vec<u64> {
    let figures = [solved.residual, solved.error_estimate].into_iter();
    let best = [solved.best_relative_l2, solved.best_moving_average];
    let parameters = solved.model.parts().parameters.iter().copied();
    let all = figures.chain(best.into_iter().flatten()).chain(parameters);
    all.map(f64::to_bits).collect()
}

#[test]
fn every_method_goes_on_from_any_step() -> Result<(), SolveError> {
    let problem = read(TEXT);
    for (method, steps, broken) in METHODS {
        let options = setting(method, steps);
        let (straight, checkpoints) = run(&problem, &options, None, broken)?;
        assert_eq!(checkpoints.len(), broken.len(), "{method}");
        for checkpoint in &checkpoints {
            let (resumed, _) = run(&problem, &options, Some(checkpoint), &[])?;
            let same = bits(&resumed) == bits(&straight);
            assert!(same, "{method} from step {}", checkpoint.step);
        }
    }
    Ok(())
}

/// `lsq` has a test of its own in `bits.rs`, the training of `auto` one beside its code.
#[test]
fn every_method_has_the_same_bits_with_any_number_of_threads() -> Result<(), SolveError> {
    let problem = read(TEXT);
    for (method, steps, _) in METHODS {
        let with = |threads| {
            let options = Options {
                threads,
                checkpoint: 1e9,
                points: Some(400),
                ..setting(method, steps)
            };
            run(&problem, &options, None, &[])
        };
        let one = bits(&with(1)?.0);
        for threads in [2, 3] {
            assert!(
                one == bits(&with(threads)?.0),
                "{method} with {threads} threads"
            );
        }
    }
    Ok(())
}

/// What a checkpoint of the same run may be turned into; some may be shorter, as they are in the first steps.
fn damaged(checkpoint: &Checkpoint) -> Vec<(String, Checkpoint)> {
    let mut all = Vec::new();
    for (k, (name, vector)) in checkpoint.vectors.iter().enumerate() {
        let mut with = |what: &str, changed: Vec<f64>| {
            let mut other = checkpoint.clone();
            other.vectors[k].1 = changed;
            all.push((format!("{name} {what}"), other));
        };
        if name != "record" {
            with("shorter", vector[1..].to_vec());
        }
        if !["looks", "pairs"].contains(&name.as_str()) {
            with("empty", Vec::new());
        }
        with("longer", [&vector[..], &[0.5; 100]].concat());
        with("twice", vector.repeat(40));
    }
    all
}

#[test]
fn vectors_of_other_lengths_are_refused() -> Result<(), SolveError> {
    let problem = read(TEXT);
    for (method, steps, broken) in METHODS {
        let options = setting(method, steps);
        let (_, checkpoints) = run(&problem, &options, None, &broken[broken.len() - 1..])?;
        for (what, checkpoint) in damaged(&checkpoints[0]) {
            let resumed = run(&problem, &options, Some(&checkpoint), &[]);
            assert!(
                matches!(resumed, Err(SolveError::Checkpoint(_))),
                "{method}: {what}"
            );
        }
        for lost in 0..checkpoints[0].vectors.len() {
            let mut checkpoint = checkpoints[0].clone();
            checkpoint.vectors.remove(lost);
            // refused or not: no panic
            let _ = run(&problem, &options, Some(&checkpoint), &[]);
        }
    }
    Ok(())
}

/// The part that differs, if one does.
fn differs(found: Result<(), CheckpointError>) -> Option<String> {
    match found {
        Ok(()) => None,
        Err(CheckpointError::OtherRun { part, .. }) => Some(part),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused() -> Result<(), Box<dyn std::error::Error>> {
    let problem = read(TEXT);
    let options = setting(Method::Adam, 20);
    let (_, checkpoints) = run(&problem, &options, None, &[10])?;
    let checkpoint = Checkpoint::from_bytes(&checkpoints[0].to_bytes()?)?;
    let with = |name: &str, text: &str| {
        let mut other = options.clone();
        other.set(name, text).expect("an option");
        differs(problem.accepts(&other, &checkpoint))
    };
    for (name, text) in [
        ("seed", "1"),
        ("lr", "1e-5"),
        ("width", "7"),
        ("points", "31"),
        ("method", "lbfgs"),
        ("activation", "tanh"),
        ("init_scale", "1.5"),
        ("gaussian_width", "0.3"),
        ("weight_decay", "1e-4"),
        ("resnet", "printed"),
        ("sharing", "even"),
        ("mode", "gradient"),
        ("schedule", "cosine"),
        ("preset", "paper"),
    ] {
        assert_eq!(with(name, text).as_deref(), Some(name));
    }
    for (name, text) in [
        ("time_limit", "9"),
        ("target", "1e-3"),
        ("threads", "3"),
        ("checkpoint", "7"),
        ("steps", "40"),
    ] {
        assert_eq!(with(name, text), None, "{name}");
    }
    for (from, to, part) in [
        ("9*sin", "8*sin", "[equation]"),
        (
            "dirichlet = 0",
            "dirichlet = 0.1",
            "[[boundary]] and [[initial]]",
        ),
        ("u = \"sin(3*x)\"", "u = \"sin(3*x) + 1\"", "[exact]"),
        ("\"bend\"", "\"oscillation\"", "name"),
        (
            "[exact]",
            "[[data]]\nrows = [[0.5, 1]]\n[exact]",
            "[[data]]",
        ),
    ] {
        let other = read(&TEXT.replace(from, to));
        let found = differs(other.accepts(&options, &checkpoint));
        assert_eq!(found.as_deref(), Some(part), "{to}");
    }
    let longer = TEXT.replace("[0, 1]", "[0, 2]").replace("x=1\"", "x=2\"");
    let found = differs(read(&longer).accepts(&options, &checkpoint));
    assert_eq!(found.as_deref(), Some("[domain]"));
    // a rate that depends on the number of steps binds it
    let mut cosine = options.clone();
    cosine.set("schedule", "cosine")?;
    let (_, bound) = run(&problem, &cosine, None, &[10])?;
    cosine.set("steps", "40")?;
    let found = differs(problem.accepts(&cosine, &bound[0]));
    assert_eq!(found.as_deref(), Some("schedule"));
    // and the solver itself asks
    let refused = run(
        &read(&TEXT.replace("9*sin", "8*sin")),
        &options,
        Some(&checkpoint),
        &[],
    );
    assert!(refused.is_err_and(|e| e.to_string().contains("[equation]")));
    Ok(())
}

#[test]
fn a_flipped_bit_of_a_checkpoint_is_noticed() -> Result<(), Box<dyn std::error::Error>> {
    let (_, checkpoints) = run(&read(TEXT), &setting(Method::Lbfgs, 20), None, &[10])?;
    let bytes = checkpoints[0].to_bytes()?;
    assert_eq!(Checkpoint::from_bytes(&bytes)?, checkpoints[0]);
    let header = 8 + usize::try_from(u64::from_le_bytes(bytes[..8].try_into()?))?;
    let mut random = Random(0xC4EC);
    let mut noticed = 0;
    for k in 0..300 {
        // two in three within the header, where there are names and lengths
        let at = random.below(if k % 3 == 0 { bytes.len() } else { header });
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << random.below(8);
        match Checkpoint::from_bytes(&flipped) {
            Ok(read) => assert_eq!(read, checkpoints[0], "byte {at}"),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > 280, "{noticed}");
    Ok(())
}

/// A wave of 96 samples, 8 of them a step.
struct Wave(f64);

impl Samples for Wave {
    fn sizes(&self) -> Vec<usize> {
        vec![96]
    }
    fn dimension(&self) -> usize {
        1
    }
    fn channels(&self) -> usize {
        1
    }
    fn sample(&self, index: usize, point: &mut [f64], given: &mut [f64]) {
        point[0] = index as f64 / 48.0 - 1.0;
        given[0] = (self.0 * point[0]).sin();
    }
}

fn fit_options(optimiser: Optimiser) -> fit::Options {
    fit::Options {
        kind: Kind::Audio,
        activation: Set::Tanh,
        fourier: None,
        frequency: 30.0,
        spread: None,
        width: 10,
        depth: 3,
        init_scale: 1.0,
        first_scale: 1.0,
        supervision: Supervision::Value,
        batch: 8,
        holdout: Holdout::Grid(2),
        displaced: 0.0,
        optimiser,
        steps: 400,
        lr: 5e-3,
        schedule: Schedule::Constant,
        precision: Precision::F64,
        seed: 3,
        target: 2e-2,
        tolerance: 0.0,
        look: 1,
        time_limit: f64::INFINITY,
        checkpoint: 1e-12,
        device: rafnet::engine::Device::CPU,
        threads: 1,
    }
}

struct FitKeeper(Vec<Checkpoint>);

impl Watch for FitKeeper {
    fn progress(&mut self, _: &fit::Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.0.push(checkpoint.clone());
    }
}

fn fitted(options: &fit::Options, from: Option<&Checkpoint>) -> (Fitted, Vec<Checkpoint>) {
    let mut keeper = FitKeeper(Vec::new());
    let fitted = fit::fit(&Wave(5.0), options, from, &mut keeper).expect("a fit");
    (fitted, keeper.0)
}

/// The figure that ends a fit is a mean over the last steps: it goes on with the run. Broken off at every step, the last ones among them.
#[test]
fn a_resumed_fit_ends_at_the_same_step() {
    for optimiser in [Optimiser::Adam, Optimiser::Muon] {
        let options = fit_options(optimiser);
        let (straight, checkpoints) = fitted(&options, None);
        assert!((40..400).contains(&straight.steps), "{}", straight.steps);
        assert_eq!(checkpoints.len() as u64, straight.steps - 1);
        for checkpoint in checkpoints.iter().rev().take(12).chain(&checkpoints[..3]) {
            let (resumed, _) = fitted(&options, Some(checkpoint));
            let at = checkpoint.step;
            assert_eq!(
                resumed.steps, straight.steps,
                "{optimiser:?} from step {at}"
            );
            assert_eq!(resumed.parameters, straight.parameters);
            assert_eq!(resumed.looks, straight.looks);
        }
        for threads in [2, 3] {
            let many = fit::Options {
                threads,
                ..options.clone()
            };
            assert_eq!(fitted(&many, None).0.parameters, straight.parameters);
        }
    }
}

#[test]
fn a_checkpoint_of_another_fit_or_of_other_lengths_is_refused() {
    let options = fit_options(Optimiser::Muon);
    let (_, checkpoints) = fitted(&options, None);
    let checkpoint = &checkpoints[20];
    let mut watch = FitKeeper(Vec::new());
    for (what, damaged) in damaged(checkpoint) {
        let resumed = fit::fit(&Wave(5.0), &options, Some(&damaged), &mut watch);
        assert!(resumed.is_err(), "{what}");
    }
    let found = differs(fit::accepts(&Wave(5.1), &options, checkpoint));
    assert_eq!(found.as_deref(), Some("data"));
    let changed = |change: fn(&mut fit::Options)| {
        let mut other = options.clone();
        change(&mut other);
        differs(fit::accepts(&Wave(5.0), &other, checkpoint))
    };
    assert_eq!(changed(|o| o.lr = 1e-3).as_deref(), Some("lr"));
    assert_eq!(changed(|o| o.seed = 4).as_deref(), Some("seed"));
    assert_eq!(changed(|o| o.width = 11).as_deref(), Some("width"));
    let ends = |o: &mut fit::Options| (o.steps, o.target, o.threads) = (900, 1e-9, 2);
    assert_eq!(changed(ends), None);
}
