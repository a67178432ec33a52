//! The options of a solution, a row each: what it is called, which methods look at it, what it does.
//!
//! The arguments of `raf solve`, the keys of `[network]` and `[solver]`, what is refused because a method has no use for it, and the table in
//! `docs/reference/solve.md` are made of these rows. [`solve::Options`](crate::solve::Options) is what they are set to.

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct SolverOption {
    /// Its name on the command line.
    pub name: &'static str,
    /// The methods that look at it, by name.
    pub methods: &'static [&'static str],
    /// What it does, in a line; a default that is always the same stands at the end as `[default: …]`.
    pub help: &'static str,
    /// Of a size in a file: the most anyone could mean.
    pub most: Option<usize>,
}

const ALL: &[&str] = &["auto", "lsq", "pieces", "lm", "lbfgs", "adam", "bsde"];
/// Methods that cut the domain.
const CUT: &[&str] = &["auto", "pieces"];
/// Methods that train a network.
const NETWORK: &[&str] = &["auto", "lm", "lbfgs", "adam", "bsde"];
/// Those of them that look at `[trained]` and at presets.
const TRAINED: &[&str] = &["auto", "lm", "lbfgs", "adam"];
/// Methods with a learning rate; `lm` has one while it warms up.
const RATE: &[&str] = &["auto", "lm", "adam", "bsde"];
/// Those whose rate may fall in another way.
const SCHEDULE: &[&str] = &["auto", "lm", "adam"];

/// Every option of a solution.
#[rustfmt::skip]
pub const SOLVER_OPTIONS: [SolverOption; 25] = [
    option("method", ALL, "auto, lsq, pieces, lm, lbfgs or adam; bsde for eigenvalues by random paths"),
    option("preset", TRAINED, "Settings that a trained method starts from: default, paper or code"),
    option("activation", NETWORK, "Activation of a trained network: one name, or one for each layer separated by commas; repeat it to compare"),
    option("width", ALL, "Neurons of a trained layer; with `--method lsq` the most functions of its layer, with `--method pieces` those of a piece").most(1_000_000),
    option("pieces", CUT, "With `--method pieces`: that many equal pieces in space, instead of a cut that follows the solution").most(100_000),
    option("slabs", CUT, "With `--method pieces`: that many equal slabs of time").most(1_000_000),
    option("depth", NETWORK, "Activated layers of a trained network").most(1000),
    option("steps", NETWORK, "Steps of a trained method"),
    option("points", NETWORK, "Points inside at each step").most(1_000_000_000),
    option("boundary-points", TRAINED, "Points on the boundary at each step").most(1_000_000_000),
    option("lr", RATE, "Learning rate"),
    option("schedule", SCHEDULE, "How the learning rate falls: step, cosine or constant [default: step, 0.95 every 1,000 steps]"),
    option("init-scale", TRAINED, "A factor on the hidden weights at the start"),
    option("gaussian-width", NETWORK, "Width s of Gaussians exp(-x^2/2s^2) in a trained network [default: that of `[trained]`, 0.1]"),
    option("weight-decay", &["adam"], "Adam's weight decay, coupled [default: 0]"),
    option("resnet", TRAINED, "Residual network of a trained method: code, or printed (the paper's text) [default: code]"),
    option("sharing", TRAINED, "Neurons of a PSG layer where `[trained]` says how many are Gaussians: code (so many) or even [default: code]"),
    option("mode", &["bsde"], "With `--method bsde`: consistent (a second network for the gradient) or gradient (that of the one network) [default: consistent]"),
    option("precision", ALL, "Precision: f64"),
    option("device", ALL, "Where networks are computed: cpu, cuda (an NVIDIA GPU; cuda:1 is the second) or reference (one point at a time, slow) [default: cpu]"),
    option("time-limit", ALL, "Seconds after which the best so far is taken [default: 300; none with --steps]"),
    option("target", ALL, "Held-out residual, relative to its terms, at which the run ends [default: 1e-12]"),
    option("checkpoint", ALL, "Seconds between checkpoints of a trained run [default: 5]"),
    option("threads", ALL, "Threads (0: one for each core); the answer does not depend on it [default: 0]").most(crate::engine::MOST_THREADS),
    option("seed", ALL, "Seed of the drawn features, weights and points [default: 0]"),
];

const fn option(
    name: &'static str,
    methods: &'static [&'static str],
    help: &'static str,
) -> SolverOption {
    SolverOption {
        name,
        methods,
        help,
        most: None,
    }
}

impl SolverOption {
    const fn most(self, most: usize) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    /// The option of a name, with `-` or `_`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.replace('_', "-");
        SOLVER_OPTIONS.iter().find(|option| option.name == name)
    }

    /// Its name in a problem file.
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }
}
