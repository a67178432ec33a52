//! Fits from numbers: what is refused and how, and that a run that was stopped goes on to the same bits.

use rafnet::engine::Devices;
use rafnet::fit::{
    self, Fit, FitError, OptionError, Options, Progress, Scaled, Signal, Sound, Supervision,
};
use rafnet::run::{Checkpoint, Outcome, Watch};
use rafnet::signal::audio::{Audio, AudioTarget};
use rafnet::signal::table::Table;
use std::ops::ControlFlow;

const SMALL: [(&str, &str); 3] = [("width", "8"), ("depth", "2"), ("steps", "30")];

fn wave() -> Vec<f64> {
    (0..60).map(|k| (0.2 * f64::from(k)).sin() + 5.0).collect()
}

fn refused(values: &[f64], sizes: &[usize], given: &[(&str, &str)]) -> String {
    let fit = fit::array(values, sizes, given, |progress| progress.go_on());
    fit.expect_err("a refusal").to_string()
}

#[test]
fn arrays_that_cannot_be_fitted_are_refused() {
    for sizes in [&[][..], &[0], &[7], &[3, 0], &[usize::MAX, 2], &[121]] {
        let said = refused(&wave(), sizes, &SMALL);
        assert!(said.contains("an array has 60 values"), "{sizes:?}: {said}");
    }
    assert!(refused(&[], &[1], &SMALL).contains("an array has 0 values"));
    assert!(refused(&[1.0, f64::NAN], &[2], &SMALL).contains("NaN at 1, expected finite numbers"));
    assert!(refused(&[1e308, -1e308], &[2], &SMALL).contains("too large"));
    for (given, expected) in [
        (("widht", "3"), "`widht` is no option of a fit"),
        (
            ("width", "0"),
            "`width = 0` cannot be used: expected a whole number from 1",
        ),
        (("time_limit", "-1"), "`time-limit = -1` cannot be used"),
        (("threads", "many"), "`threads = many` cannot be used"),
        (
            ("size", "9x9"),
            "`size = 9x9` resizes an image or the embedded video, and this is a table",
        ),
        (
            ("inputs", "x"),
            "`inputs = x` names the input columns of a table, and this is an array",
        ),
        (("activation", "sirens"), "unknown activation `sirens`"),
        (("device", "abacus"), "expected cpu or reference"),
    ] {
        let said = refused(&wave(), &[60], &[given]);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn signals_that_cannot_be_fitted_are_refused() {
    let target = |values: Vec<f32>, peak: f32| AudioTarget { values, peak };
    assert!(Sound::new(target(vec![0.5; 4], f32::NAN), 1, 8_000).is_err());
    assert!(Sound::new(target(vec![0.5; 5], 1.0), 2, 8_000).is_err());
    assert!(Sound::new(target(vec![0.5; 4], 1.0), 0, 8_000).is_err());
    let table = Table {
        input_names: vec!["x".into()],
        output_names: vec!["u".into()],
        n_rows: 3,
        inputs: vec![1.0; 3],
        outputs: vec![1.0; 2],
    };
    assert!(matches!(Scaled::try_from(table), Err(FitError::Signal(_))));
    let sound = Audio::new(8_000, 2, wave()).expect("a sound");
    let sound = Signal::Audio(Sound::from(&sound));
    let options = sound.options(&SMALL, &Devices::default()).expect("options");
    let derivatives = Options {
        supervision: Supervision::Gradient,
        ..options
    };
    let fit = sound.fit(&derivatives, |progress| progress.go_on());
    assert!(matches!(
        fit,
        Err(FitError::Option(OptionError::Useless { .. }))
    ));
}

/// Stops at a step, and keeps the state.
struct Stopper {
    at: u64,
    kept: Option<Checkpoint>,
}

impl Watch for Stopper {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if progress.step == self.at {
            progress.stop()
        } else {
            progress.go_on()
        }
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.kept = Some(checkpoint.clone());
    }
}

#[test]
fn a_stopped_fit_goes_on_to_the_same_bits() {
    let signal = Signal::array(&wave(), &[6, 5]).expect("a signal of two channels");
    let given = [&SMALL[..], &[("holdout", "random:0.3")]].concat();
    let options = signal
        .options(&given, &Devices::default())
        .expect("options");
    let straight = signal
        .fit(&options, |progress| progress.go_on())
        .expect("a fit");
    let mut watch = Stopper { at: 11, kept: None };
    let stopped = signal.fit_from(&options, None, &mut watch).expect("a fit");
    assert_eq!((stopped.outcome, stopped.steps), (Outcome::Stopped, 11));
    let kept = watch.kept.take().expect("a checkpoint");
    signal.accepts(&options, &kept).expect("its own checkpoint");
    let resumed = signal
        .fit_from(&options, Some(&kept), &mut watch)
        .expect("a fit");
    let bytes = |fit: &Fit| fit.model.to_bytes().expect("a model");
    assert!(bytes(&resumed) == bytes(&straight) && bytes(&stopped) != bytes(&straight));
    assert_eq!(resumed.quality.mse_heldout, straight.quality.mse_heldout);
    assert_eq!(straight.ending(), "all steps taken");
    assert_eq!(
        (straight.model.dimension(), straight.model.n_outputs()),
        (2, 2)
    );
    let other = Signal::array(&wave(), &[5, 6]).expect("a signal");
    assert!(other.accepts(&options, &kept).is_err());
}
