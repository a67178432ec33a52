//! From a file or from numbers to a model with its quality in one call, and the parts of that call for those who save the model before it is measured.

use super::told::Told;
use super::{Quality, Signal};
use crate::engine::Devices;
use crate::fit::option::{FitOption, Given};
use crate::fit::{FitError, Fitted, Kind, Look, Options, Progress};
use crate::model::Model;
use crate::run::{Callback, Checkpoint, CheckpointError, Outcome, Watch};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// A signal as a network.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The whole function, in the signal's own units.
    pub model: Model,
    /// How good it is, at the samples that were trained on and at those that were held out.
    pub quality: Quality,
    /// How the training ended.
    pub outcome: Outcome,
    /// Whether the clock ended it, before the last step.
    pub expired: bool,
    /// Steps taken.
    pub steps: u64,
    /// Seconds of training and measuring.
    pub seconds: f64,
    /// Seconds of a step alone.
    pub seconds_per_step: f64,
    /// Every look at held-out samples.
    pub looks: Vec<Look>,
}

impl Fit {
    /// How it ended, in words.
    pub fn ending(&self) -> &'static str {
        match self.outcome {
            Outcome::TargetReached if self.quality.lossless == Some(true) => "lossless",
            Outcome::BudgetSpent if !self.expired => "all steps taken",
            other => other.name(),
        }
    }
}

/// Fits a PNG or JPEG file. `given` are options by name and text, those of `raf fit`; `progress` hears of every step and says whether to go on.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("rafnet-fit-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let photo = folder.join("photo.png");
/// # rafnet::signal::sample::picture(48, 40)?.save(&photo)?;
/// use rafnet::fit;
/// let given = [("size", "24x20"), ("grey", "true"), ("holdout", "grid:2"), ("width", "32"), ("steps", "200")];
/// let fit = fit::image(&photo, &given, |progress| progress.go_on())?;
/// assert!(fit.quality.psnr > Some(30.0)); // dB, at the pixels that were trained on
/// assert!(fit.quality.psnr_heldout > Some(10.0)); // at those between them
/// let middle = fit.model.eval(&[0.0, 0.0])?; // (row, column) in [−1, 1] → grey in [0, 1]
/// # assert!(middle[0] > 0.0 && middle[0] < 1.0);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FitError`] says what cannot be read, or which option cannot be used.
pub fn image(
    path: impl AsRef<Path>,
    given: &[(&str, &str)],
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    file(Kind::Image, path.as_ref(), given, progress)
}

/// Fits a WAV file; as [`image`].
///
/// # Errors
/// [`FitError`] says what cannot be read, or which option cannot be used.
pub fn audio(
    path: impl AsRef<Path>,
    given: &[(&str, &str)],
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    file(Kind::Audio, path.as_ref(), given, progress)
}

/// Fits an MP4 or GIF file or a folder of pictures; as [`image`].
///
/// # Errors
/// [`FitError`] says what cannot be read, or which option cannot be used.
pub fn video(
    path: impl AsRef<Path>,
    given: &[(&str, &str)],
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    file(Kind::Video, path.as_ref(), given, progress)
}

/// Fits columns of a CSV file with a header to others, the last to the rest unless `inputs` and `outputs` are given; as [`image`].
///
/// # Errors
/// [`FitError`] says what cannot be read, or which option cannot be used.
pub fn table(
    path: impl AsRef<Path>,
    given: &[(&str, &str)],
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    file(Kind::Table, path.as_ref(), given, progress)
}

/// Fits numbers on a regular grid with these sizes, row by row ([`Signal::array`]); as [`image`], with the options of a table.
///
/// ```
/// use rafnet::{Streams, fit};
/// let x: Vec<f64> = (0..=100).map(|k| f64::from(k) / 50.0 - 1.0).collect();
/// let u: Vec<f64> = x.iter().map(|x| (3.0 * x).sin() + 7.0).collect();
/// let fit = fit::array(&u, &[101], &[("width", "16"), ("steps", "1000")], |progress| progress.go_on())?;
/// assert!(fit.quality.mse < 1e-4); // over the numbers' deviation
/// let jet = fit.model.jet(&[0.0], Streams::gradient())?; // and its exact derivative
/// assert!((jet.value(0)[0] - 7.0).abs() < 0.05 && jet.gradient(0, 0).is_some_and(|u_x| (u_x[0] - 3.0).abs() < 0.3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FitError`] says what does not fit together, or which option cannot be used.
pub fn array(
    values: &[f64],
    sizes: &[usize],
    given: &[(&str, &str)],
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    for option in ["inputs", "outputs"]
        .into_iter()
        .filter_map(FitOption::named)
    {
        if let Some(text) = Given(given).get(option.name) {
            return Err(option.useless(text, "an array").into());
        }
    }
    let signal = Signal::array(values, sizes)?;
    let options = signal.options(given, &Devices::default())?;
    signal.fit(&options, progress)
}

fn file(
    kind: Kind,
    path: &Path,
    given: &[(&str, &str)],
    progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    Options::asked(kind, 0, given, &Devices::default())?;
    let signal = Signal::open(kind, Some(path), given)?;
    let options = signal.options(given, &Devices::default())?;
    signal.fit(&options, progress)
}

/// A trained network as a model that is not measured yet.
pub struct Trained {
    /// The whole function, in the signal's own units.
    pub model: Model,
    /// The network, and how its training went.
    pub fitted: Fitted,
    /// Steps taken before the checkpoint.
    begun: u64,
    started: Instant,
}

impl Trained {
    /// Seconds of a step alone, of those since the start or the checkpoint.
    pub fn seconds_per_step(&self) -> f64 {
        let steps = self.fitted.steps.saturating_sub(self.begun);
        self.fitted.step_seconds / steps.max(1) as f64
    }

    /// Measured against the signal.
    ///
    /// # Errors
    /// [`FitError::Model`] if the model cannot be evaluated.
    pub fn measured(self, signal: &Signal, options: &Options) -> Result<Fit, FitError> {
        let (outcome, steps) = (self.fitted.outcome, self.fitted.steps);
        Ok(Fit {
            quality: signal.measure(&self.model, options)?,
            outcome,
            expired: outcome == Outcome::BudgetSpent && steps < options.steps,
            steps,
            seconds: self.started.elapsed().as_secs_f64(),
            seconds_per_step: self.seconds_per_step(),
            looks: self.fitted.looks,
            model: self.model,
        })
    }
}

impl Signal {
    /// Trains a network and measures it; `progress` hears of every step and says whether to go on.
    ///
    /// # Errors
    /// [`FitError`] says what does not fit together.
    pub fn fit(
        &self,
        options: &Options,
        progress: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Fit, FitError> {
        self.fit_from(options, None, &mut Callback(progress))
    }

    /// The same with a watcher, from the start or from a checkpoint of the same signal and options: then it goes on exactly where it stopped.
    ///
    /// # Errors
    /// [`FitError`] says what does not fit together, or why the checkpoint cannot be used.
    pub fn fit_from(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<Fit, FitError> {
        self.train(options, checkpoint, watch)?
            .measured(self, options)
    }

    /// The first half of [`fit_from`](Self::fit_from): the model, not yet measured.
    ///
    /// # Errors
    /// [`FitError`] says what does not fit together, or why the checkpoint cannot be used.
    pub fn train(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<Trained, FitError> {
        let started = Instant::now();
        self.check(options)?;
        let (told, followed) = Told::new(self, options);
        let fitted = crate::fit::fit(&told, &followed, checkpoint, watch)?;
        Ok(Trained {
            model: self.model(&fitted, options)?,
            fitted,
            begun: checkpoint.map_or(0, |c| c.step),
            started,
        })
    }

    /// Refuses options of which no model of this signal comes, by making that of the first weights; returns how many parameters it has.
    ///
    /// # Errors
    /// [`FitError`] says what does not fit together.
    pub fn check(&self, options: &Options) -> Result<usize, FitError> {
        let told = ("supervise", options.supervision.name());
        FitOption::check(self.kind(), false, &[told])?;
        let (network, parameters) = options.network(self.dimension(), self.channels())?;
        let n = parameters.len();
        Model::new(self.parts(network, parameters, options, &[]))?;
        Ok(n)
    }

    /// Whether a checkpoint is of this signal with these options ([`accepts`](crate::fit::accepts)).
    ///
    /// # Errors
    /// [`CheckpointError::OtherRun`] says what differs.
    pub fn accepts(
        &self,
        options: &Options,
        checkpoint: &Checkpoint,
    ) -> Result<(), CheckpointError> {
        let (told, followed) = Told::new(self, options);
        crate::fit::accepts(&told, &followed, checkpoint)
    }
}
