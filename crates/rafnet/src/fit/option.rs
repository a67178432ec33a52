//! The options of a fit, a row each: what it is called, for which kinds of signals it means something, what it does.
//!
//! The names that [`Options::asked`](super::Options::asked) takes, the arguments of `raf fit`, what is refused because it means nothing for a kind
//! of signal, and the table in `docs/reference/fit.md` are made of these rows.

use super::{Kind, UnknownRecipe};

/// One option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitOption {
    /// Its name; `_` may stand for `-`.
    pub name: &'static str,
    /// The kinds of signals for which it means something.
    pub kinds: &'static [Kind],
    /// What it is about, said where it means nothing.
    pub purpose: &'static str,
    /// What it does, in a line; a default that is always the same stands at the end as `[default: …]`.
    pub help: &'static str,
}

/// Every option that decides what is computed. `threads` is taken beside them, and decides nothing.
#[rustfmt::skip]
pub const FIT_OPTIONS: [FitOption; 25] = [
    option("preset", "Settings that the others start from: default, paper or code"),
    option("activation", "psg, sine, siren, relu, tanh, rational, wire, finer, fourier …, or a text in x, \"a*sin(b*x) + exp(-abs(x)); b = 30\", whose other names are trained; repeat it to compare"),
    option("width", "Neurons of a layer"),
    option("depth", "Activated layers"),
    option("init-scale", "A factor on the hidden weights at the start"),
    option("steps", "Steps of training"),
    option("batch", "Samples of a step, or `all`"),
    option("lr", "Learning rate at the start"),
    option("schedule", "How it falls: descents, cosine, step or constant"),
    option("optimiser", "What makes a step of a gradient: adam, or muon for the weights between hidden layers and adam for the rest"),
    option("displaced", "Share of a step's pixels taken beside their places at first, where the picture is interpolated")
        .only(&[Kind::Image], "is about the pixels of an image"),
    option("precision", "f32 or f64"),
    option("device", "Where networks are computed: cpu, cuda (an NVIDIA GPU; cuda:1 is the second) or reference (one point at a time, slow) [default: cpu]"),
    option("holdout", "Keep samples from the training and report the quality there: grid:2 or random:0.2"),
    option("supervise", "What the training is told of an image: value, gradient or laplacian")
        .only(&[Kind::Image], "is for images"),
    option("size", "Resize an image to WIDTHxHEIGHT first")
        .only(&[Kind::Image, Kind::Video], "resizes an image or the embedded video"),
    option("grey", "Turn an image grey first")
        .only(&[Kind::Image], "is about the colours of an image"),
    option("mono", "Take the mean of a sound's channels first")
        .only(&[Kind::Audio], "takes the mean of a sound's channels"),
    option("inputs", "Input columns of a table, separated by commas [default: all but the last]")
        .only(&[Kind::Table], "names the input columns of a table"),
    option("outputs", "Output columns of a table, separated by commas [default: the last]")
        .only(&[Kind::Table], "names the output columns of a table"),
    option("target", "End the run at this quality in dB"),
    option("time-limit", "End the run after so many seconds"),
    option("look", "Steps between looks at held-out samples [default: 50]"),
    option("checkpoint", "Seconds between checkpoints [default: 5]"),
    option("seed", "Seed of weights and batches [default: 0]"),
];

const fn option(name: &'static str, help: &'static str) -> FitOption {
    FitOption {
        name,
        kinds: &Kind::ALL,
        purpose: "",
        help,
    }
}

impl FitOption {
    const fn only(self, kinds: &'static [Kind], purpose: &'static str) -> Self {
        Self {
            kinds,
            purpose,
            ..self
        }
    }

    /// The option of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.replace('_', "-");
        FIT_OPTIONS.iter().find(|option| option.name == name)
    }

    /// Whether a text is what stands there without being asked for: then it may stand where it means nothing.
    fn is_usual(&self, text: &str) -> bool {
        match self.name {
            "supervise" => text == "value",
            "displaced" => text.trim().parse() == Ok(0.0),
            "mono" => text == "false",
            _ => false,
        }
    }

    /// Refuses a name that is no option, and an option that means nothing for a signal of this kind, from a file or not.
    ///
    /// # Errors
    /// [`OptionError`] names it.
    pub fn check(kind: Kind, from_file: bool, given: &[(&str, &str)]) -> Result<(), OptionError> {
        let known = |name: &str| name == "threads" || Self::named(name).is_some();
        if let Some((name, _)) = given.iter().find(|(name, _)| !known(name)) {
            let name = (*name).to_owned();
            return Err(OptionError::Unknown { name });
        }
        for option in &FIT_OPTIONS {
            let video_file = option.name == "size" && kind == Kind::Video && from_file;
            if option.kinds.contains(&kind) && !video_file {
                continue;
            }
            match Given(given).get(option.name) {
                Some(text) if !option.is_usual(text) => {
                    let this = match kind {
                        Kind::Image => "an image",
                        Kind::Audio => "a sound",
                        Kind::Video if video_file => "a video from a file",
                        Kind::Video => "a video",
                        Kind::Table => "a table",
                    };
                    return Err(option.useless(text, this));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What is said where it means nothing.
    pub(super) fn useless(&'static self, text: &str, this: &'static str) -> OptionError {
        OptionError::Useless {
            option: self,
            found: text.to_owned(),
            this,
        }
    }
}

/// An option that cannot be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// A name that is no option's.
    #[error("`{name}` is no option of a fit")]
    Unknown {
        /// What was given.
        name: String,
    },
    /// A text that it does not take.
    #[error("`{name} = {found}` cannot be used: expected {expected}")]
    Unusable {
        /// Which.
        name: &'static str,
        /// What was given.
        found: String,
        /// What would do.
        expected: String,
    },
    /// One that means nothing for this signal.
    #[error("`{} = {found}` {}, and this is {this}", option.name, option.purpose)]
    Useless {
        /// Which.
        option: &'static FitOption,
        /// What was given.
        found: String,
        /// What the signal is.
        this: &'static str,
    },
    /// No network.
    #[error(transparent)]
    Activation(#[from] UnknownRecipe),
}

/// Names with texts; of a name that was given several times the last one holds.
#[derive(Clone, Copy)]
pub(super) struct Given<'a>(pub(super) &'a [(&'a str, &'a str)]);

impl<'a> Given<'a> {
    /// The text of an option.
    pub(super) fn get(self, name: &str) -> Option<&'a str> {
        let is_it = |given: &str| given == name || given.replace('_', "-") == name;
        let found = self.0.iter().rev().find(|(given, _)| is_it(given));
        found.map(|(_, text)| *text)
    }

    /// What `read` makes of the text of an option, or the usual value where it was not given.
    pub(super) fn read<T>(
        self,
        name: &'static str,
        usual: T,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, OptionError> {
        let Some(text) = self.get(name) else {
            return Ok(usual);
        };
        read(text).ok_or_else(|| OptionError::Unusable {
            name,
            found: text.to_owned(),
            expected: expected.to_owned(),
        })
    }
}
