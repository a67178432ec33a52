//! Growing networks: resumed at any width, and checkpoints of none of them.

use super::{Options, SolveError, Trained};
use crate::activation::Set;
use crate::engine::{Device, Objective, Regression, Streams};
use crate::network::{Bias, Init, Inputs, Layer, Network, Skip, Weights};
use crate::problem::Problem;
use crate::run::{Checkpoint, Watch};
use crate::solve::Progress;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// A wave with a boundary in rows, so that there are weights to balance; its training takes two widths.
const WAVE: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_x - 40*cos(40*x)\"\n\
                    [[boundary]]\non = \"x=0\"\ndirichlet = 0\nenforce = \"penalty\"\n";

/// Keeps the first checkpoint of each width.
#[derive(Default)]
struct Keeper {
    seen: Vec<usize>,
    kept: Vec<Checkpoint>,
}

impl Watch for Keeper {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        progress.go_on()
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let length = checkpoint.get("theta").map_or(0, <[f64]>::len);
        if !self.seen.contains(&length) {
            self.seen.push(length);
            self.kept.push(checkpoint.clone());
        }
    }
}

/// `checkpoint` is the seconds from one to the next.
fn trained(
    threads: usize,
    checkpoint: f64,
    from: Option<&Checkpoint>,
    watch: &mut Keeper,
) -> Result<Trained, SolveError> {
    let problem = Problem::from_text(WAVE, "wave.toml", None).expect("a problem");
    let options = Options {
        depth: Some(1),
        points: Some(60),
        checkpoint,
        threads,
        ..Options::default()
    };
    problem.grown(&options, from, Instant::now(), watch)
}

/// Broken off at any width, the growing network ends in the bits of the unbroken one, with any number of threads.
#[test]
fn a_growing_network_goes_on_at_every_width() -> Result<(), SolveError> {
    let mut keeper = Keeper::default();
    let straight = trained(1, 1e-12, None, &mut keeper)?;
    assert!(keeper.seen.len() > 1, "{:?}", straight.events);
    for (k, checkpoint) in keeper.kept.iter().enumerate() {
        let threads = 2 + k % 2;
        let resumed = trained(threads, 1e9, Some(checkpoint), &mut Keeper::default())?;
        let at = format!("{} numbers, step {}", keeper.seen[k], checkpoint.step);
        assert_eq!(resumed.theta, straight.theta, "{at}");
        assert_eq!(resumed.steps, straight.steps, "{at}");
    }
    // of a network that is never trained
    let mut stranger = keeper.kept[0].clone();
    stranger.vectors.iter_mut().for_each(|(_, v)| v.push(0.5));
    let refused = trained(1, 1e9, Some(&stranger), &mut Keeper::default());
    assert!(matches!(refused, Err(SolveError::Checkpoint(_))));
    Ok(())
}

/// The narrowest network is as wide as its inputs are many, or what skips into it would not fit.
#[test]
fn any_number_of_coordinates_makes_a_network() {
    for d in [1, 20, 21, 50] {
        let text = format!(
            "[domain]\nkind = \"box\"\ndimension = {d}\neach = [0, 1]\n[equation]\nresidual = \"laplacian(u)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n"
        );
        let problem = Problem::from_text(&text, "many.toml", None).expect("a problem");
        let widths = super::widths(&problem, &Options::default());
        assert!(widths.is_sorted_by(|a, b| a < b), "{widths:?}");
        for width in widths {
            let stage = super::stage(&Options::default(), width);
            assert!(
                super::trained::n_unknowns(&problem, &stage).is_ok(),
                "{d} {width}"
            );
        }
    }
}

/// Values of both at random points: new neurons add products with zero, which round to nothing.
#[test]
fn a_grown_network_is_the_same_function() -> Result<(), Box<dyn std::error::Error>> {
    let network = |width: usize| {
        let dense = || Layer::dense(Set::Tanh.learnable(width, crate::activation::Signal::Image));
        let layers = vec![
            dense(),
            dense().with_skip(Skip::Inputs),
            Layer::linear(2, Bias::Yes),
        ];
        Network::new(Inputs::coordinates(2), layers)
    };
    let (narrow, wide) = (network(5)?, network(9)?);
    let old = narrow.init::<f64>(Init::new(Weights::FanIn, 3));
    let mut new = wide.init::<f64>(Init::new(Weights::FanIn, 4));
    let drawn = new.clone();
    narrow.grow(&old, &wide, &mut new);
    assert!(narrow.can_grow() && new != drawn);
    let points = [0.3, -0.7, 0.9, 0.1, -0.4, 0.6];
    let values = |network: Network, theta: &[f64]| {
        let mut engine = Device::CPU.engine(
            Objective::new(network, Arc::new(Regression { outputs: 2 })),
            1,
        )?;
        let mut out = vec![0.0; 6];
        engine.evaluate(theta, &points, &Streams::value(), &mut out)?;
        Ok::<_, crate::engine::EngineError>(out)
    };
    let (before, after) = (values(narrow, &old)?, values(wide, &new)?);
    for (a, b) in before.iter().zip(&after) {
        assert!(
            (a - b).abs() <= 4.0 * f64::EPSILON * a.abs().max(1.0),
            "{a} {b}"
        );
    }
    Ok(())
}
