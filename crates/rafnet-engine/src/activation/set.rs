//! Named sets of basis functions, in learnable and in shared-out form, with the paper's initial distributions.

use super::{Activation, Coefficient, Group, Initial, Scale, Term, split};
use crate::basis::{Basis, Text, TextError};
use std::f64::consts::TAU;

/// A named activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// `siren`: sin(30 z), nothing trained.
    Siren,
    /// `sine`: sin.
    Sine,
    /// `sine-gaussian`: sin, Gaussian.
    SineGaussian,
    /// `poly-sine`: x, x², sin.
    PolySine,
    /// `psg`: x, x², sin, Gaussian.
    Psg,
    /// `relu`
    Relu,
    /// `relu3`
    Relu3,
    /// `poly`: x, x².
    Poly,
    /// `poly-relu`: x, x², ReLU.
    PolyRelu,
    /// `poly-relu3`: x, x², ReLU³.
    PolyRelu3,
    /// `tanh`
    Tanh,
    /// `rational`
    Rational,
    /// `gaussian`
    Gaussian,
    /// `scaled-sine`: x, sin(2πk z) for k = 1, 2, …, x².
    ScaledSine,
    /// `scaled-sine-cosine`: x, sin(2πk z), cos(2πk z), x².
    ScaledSineCosine,
    /// A basis function that is in no set, by its own name.
    Single(Basis),
    /// Any text in x.
    Text(Text),
}

/// What kind of signal a learnable network fits: the paper starts their coefficients differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// α of sin ~ N(2, 0.1), widths ~ U(0.01, 0.05).
    Image,
    /// The same as for an image.
    Audio,
    /// α of sin ~ N(1, 0.1), widths ~ U(0.002, 0.01).
    Video,
}

/// What is no activation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownSet {
    /// A name that nobody knows.
    #[error(
        "unknown activation `{name}`; known: siren, sine, sine-gaussian, poly-sine, psg, relu, relu3, poly, poly-relu, poly-relu3, \
         tanh, rational, gaussian, scaled-sine, scaled-sine-cosine, or a text in x such as a*sin(b*x); of psg, \
         poly-sine and sine-gaussian every neuron learns a mix of its own"
    )]
    Name {
        /// What was asked for.
        name: String,
    },
    /// A text that cannot be used.
    #[error(transparent)]
    Text(#[from] TextError),
}

impl std::str::FromStr for Set {
    type Err = UnknownSet;
    fn from_str(name: &str) -> Result<Self, UnknownSet> {
        let known = Self::ALL.into_iter().find(|s| s.name() == name);
        let single = Basis::ALL.into_iter().find(|b| b.name() == name);
        match known.or(single.map(Self::Single)) {
            Some(set) => Ok(set),
            None if Text::is_meant(name) => Ok(Self::Text(name.parse()?)),
            None => Err(UnknownSet::Name {
                name: name.to_owned(),
            }),
        }
    }
}

impl std::fmt::Display for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Set {
    /// Every activation that has a name.
    pub const ALL: [Self; 15] = [
        Self::Siren,
        Self::Sine,
        Self::SineGaussian,
        Self::PolySine,
        Self::Psg,
        Self::Relu,
        Self::Relu3,
        Self::Poly,
        Self::PolyRelu,
        Self::PolyRelu3,
        Self::Tanh,
        Self::Rational,
        Self::Gaussian,
        Self::ScaledSine,
        Self::ScaledSineCosine,
    ];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Siren => "siren",
            Self::Sine => "sine",
            Self::SineGaussian => "sine-gaussian",
            Self::PolySine => "poly-sine",
            Self::Psg => "psg",
            Self::Relu => "relu",
            Self::Relu3 => "relu3",
            Self::Poly => "poly",
            Self::PolyRelu => "poly-relu",
            Self::PolyRelu3 => "poly-relu3",
            Self::Tanh => "tanh",
            Self::Rational => "rational",
            Self::Gaussian => "gaussian",
            Self::ScaledSine => "scaled-sine",
            Self::ScaledSineCosine => "scaled-sine-cosine",
            Self::Single(basis) => basis.name(),
            Self::Text(text) => text.name(),
        }
    }

    /// Its basis functions, in the order in which neurons are shared out.
    pub fn bases(self) -> &'static [Basis] {
        use Basis::{Cosine, Gaussian, Identity, Rational, Relu, Relu3, Sine, Square, Tanh};
        match self {
            Self::Siren | Self::Sine => &[Sine],
            Self::SineGaussian => &[Sine, Gaussian],
            Self::PolySine => &[Identity, Square, Sine],
            Self::Psg => &[Identity, Square, Sine, Gaussian],
            Self::Relu => &[Relu],
            Self::Relu3 => &[Relu3],
            Self::Poly => &[Identity, Square],
            Self::PolyRelu => &[Identity, Square, Relu],
            Self::PolyRelu3 => &[Identity, Square, Relu3],
            Self::Tanh => &[Tanh],
            Self::Rational => &[Rational],
            Self::Gaussian => &[Gaussian],
            Self::ScaledSine => &[Identity, Sine, Square],
            Self::ScaledSineCosine => &[Identity, Sine, Cosine, Square],
            Self::Single(basis) => basis.as_slice(),
            Self::Text(text) => text.as_basis(),
        }
    }

    /// Every neuron mixes all basis functions. Sine trains an α and a frequency, the Gaussian an α and a width, x and x²
    /// an α: six numbers a neuron for PSG. SIREN, ReLU, ReLU³, tanh and the rational function have no mix to train.
    pub fn learnable(self, width: usize, signal: Signal) -> Activation {
        let normal = |mean, deviation| Coefficient::trained(Initial::Normal { mean, deviation });
        let (sine, widths) = match signal {
            Signal::Image | Signal::Audio => (
                2.0,
                Initial::Uniform {
                    low: 0.01,
                    high: 0.05,
                },
            ),
            Signal::Video => (
                1.0,
                Initial::Uniform {
                    low: 0.002,
                    high: 0.01,
                },
            ),
        };
        let term = |&basis: &Basis| match basis {
            Basis::Sine if self == Self::Siren => {
                Term::with_frequency(basis, Initial::Constant(30.0))
            }
            Basis::Sine => Term {
                basis,
                alpha: normal(sine, 0.1),
                scale: Scale::Frequency(normal(30.0, 0.001)),
            },
            Basis::Gaussian => Term {
                basis,
                alpha: normal(1.0, 0.1),
                scale: Scale::Width(Coefficient::trained(widths.clone())),
            },
            Basis::Identity => Term {
                basis,
                alpha: normal(0.0, 0.1),
                scale: Scale::One,
            },
            Basis::Square => Term {
                basis,
                alpha: normal(1.0, 0.1),
                scale: Scale::One,
            },
            _ => Term::plain(basis),
        };
        Activation::uniform(width, self.bases().iter().map(term).collect())
    }

    /// The neurons shared out among the basis functions, α = 1, the last group taking the remainder; Gaussians have the
    /// given width, SIREN's sine the frequency 30, scaled sines and cosines 2πk, all others β = 1.
    pub fn shared_out(self, width: usize, gaussian_width: f64) -> Activation {
        match self {
            Self::ScaledSine => return scaled_sines(width),
            Self::ScaledSineCosine => return scaled_sines_cosines(width),
            _ => {}
        }
        let term = |basis| match basis {
            Basis::Gaussian => Term::gaussian(gaussian_width),
            Basis::Sine if self == Self::Siren => {
                Term::with_frequency(basis, Initial::Constant(30.0))
            }
            _ => Term::plain(basis),
        };
        let counts = split(width, self.bases().len());
        shared(
            counts
                .into_iter()
                .zip(self.bases().iter().map(|&b| term(b))),
        )
    }
}

/// Groups of one term each; groups of no neurons are dropped.
fn shared(groups: impl Iterator<Item = (usize, Term)>) -> Activation {
    let groups = groups
        .filter(|(neurons, _)| *neurons > 0)
        .map(|(neurons, term)| Group {
            neurons,
            terms: vec![term],
        });
    Activation {
        groups: groups.collect(),
    }
}

/// PSG with a number of Gaussians: a quarter x, a quarter x², the last ones Gaussians, sines between. (The oscillation experiment
/// has ten.)
pub fn psg(width: usize, gaussian_width: f64, gaussians: usize) -> Activation {
    let quarter = width / 4;
    let gaussians = gaussians.min(width - 2 * quarter);
    let sines = width - 2 * quarter - gaussians;
    let terms = [
        Term::plain(Basis::Identity),
        Term::plain(Basis::Square),
        Term::plain(Basis::Sine),
        Term::gaussian(gaussian_width),
    ];
    shared([quarter, quarter, sines, gaussians].into_iter().zip(terms))
}

/// x, sin(2πk z) for k = 1, 2, …, x²: a third each, x² takes the remainder.
pub fn scaled_sines(width: usize) -> Activation {
    let terms = [
        Term::plain(Basis::Identity),
        Term::with_frequency(Basis::Sine, Initial::Harmonics(TAU)),
        Term::plain(Basis::Square),
    ];
    shared(split(width, 3).into_iter().zip(terms))
}

/// x, sin(2πk z), cos(2πk z), x²: sines and cosines share the middle third.
pub fn scaled_sines_cosines(width: usize) -> Activation {
    let third = width / 3;
    let counts = [third, third / 2, third - third / 2, width - 2 * third];
    let terms = [
        Term::plain(Basis::Identity),
        Term::with_frequency(Basis::Sine, Initial::Harmonics(TAU)),
        Term::with_frequency(Basis::Cosine, Initial::Harmonics(TAU)),
        Term::plain(Basis::Square),
    ];
    shared(counts.into_iter().zip(terms))
}

/// x, x², sin, Gaussian and the rational function, a fifth each.
pub fn psg_rational(width: usize, gaussian_width: f64) -> Activation {
    let terms = [
        Term::plain(Basis::Identity),
        Term::plain(Basis::Square),
        Term::plain(Basis::Sine),
        Term::gaussian(gaussian_width),
        Term::plain(Basis::Rational),
    ];
    shared(split(width, 5).into_iter().zip(terms))
}
