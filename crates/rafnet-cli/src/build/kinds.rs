//! The kinds of construction: options, and what is made of them.

use super::bandlimited::BandlimitedOptions;
use super::chebyshev::ChebyshevOptions;
use super::expand::expand;
use super::piece::Piece;
use super::polynomial::PolynomialOptions;
use super::rbf::RbfOptions;
use super::values::{formula, numbers, refused, whole, windows};
use crate::output::Failure;
use rafnet::Model;
use rafnet_theory::{Construction, CosineAxis, Modulus, Variant, Way};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// What a kind made.
pub(super) enum Made {
    Construction {
        made: Box<Construction>,
        extras: Extras,
    },
    Expanded {
        model: Box<Model>,
        max_error: f64,
    },
}

/// What stands beside a construction: pictures by name, further keys of the report.
#[derive(Default)]
pub(super) struct Extras {
    pub(super) pictures: Vec<(&'static str, String)>,
    pub(super) json: Map<String, Value>,
}

#[derive(clap::Subcommand)]
pub(super) enum Kind {
    /// x on R^d: d identity neurons
    Identity {
        /// d
        #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
        dimension: i64,
    },
    /// x^2: one neuron
    Square,
    /// x*y: two square neurons
    Product,
    /// A monomial by chains of products and a tree
    Monomial {
        /// The powers of x1, x2, …, such as 3,2
        #[arg(
            long,
            value_delimiter = ',',
            required = true,
            allow_hyphen_values = true
        )]
        powers: Vec<i64>,
        /// Chains N
        #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
        chains: i64,
        /// As few layers as are needed
        #[arg(long)]
        tight: bool,
        /// Draw the chains and the tree as SVG
        #[arg(long)]
        diagram: bool,
    },
    /// A polynomial, exactly, in the red and blue layout (Theorem 3)
    Polynomial(PolynomialOptions),
    /// An analytic function of one variable by its Chebyshev series (Theorem 4)
    Chebyshev(ChebyshevOptions),
    /// A band-limited function by sampling its spectrum (Theorem 5)
    Bandlimited(BandlimitedOptions),
    /// A basis function of the discrete cosine transform, in any dimension
    Dct {
        /// Samples along each axis, such as 8,8
        #[arg(long, value_delimiter = ',', required = true)]
        size: Vec<u32>,
        /// Frequency along each axis, such as 2,3
        #[arg(long, value_delimiter = ',', required = true)]
        frequency: Vec<u32>,
        /// As a sum of cosines, or by products
        #[arg(long, value_enum, default_value = "sums")]
        way: WayOption,
    },
    /// The same times a Gaussian window
    WindowedDct {
        /// Samples along each axis
        #[arg(long, value_delimiter = ',', required = true)]
        size: Vec<u32>,
        /// Frequency along each axis
        #[arg(long, value_delimiter = ',', required = true)]
        frequency: Vec<u32>,
        /// Centre along each axis
        #[arg(long, allow_hyphen_values = true)]
        centre: String,
        /// Width of the window, one or one for each axis
        #[arg(long, allow_hyphen_values = true)]
        sigma: String,
    },
    /// A wave e^(i k.x), as real and imaginary part
    Dft {
        /// k
        #[arg(long, allow_hyphen_values = true)]
        wave: String,
    },
    /// A Gabor atom: a wave times a Gaussian, one complex neuron a dimension
    Gabor {
        /// k
        #[arg(long, allow_hyphen_values = true)]
        wave: String,
        /// The Gaussian's centre
        #[arg(long, allow_hyphen_values = true)]
        centre: String,
        /// The Gaussian's width, one or one for each axis
        #[arg(long, allow_hyphen_values = true)]
        sigma: String,
    },
    /// A radial basis function: Gaussian (--sigma) or any analytic kernel in r2 = |x - centre|^2 (--kernel)
    Rbf(RbfOptions),
    /// A continuous function by floor, 2^x and step, with exact digits (Theorem 2)
    FloorExponential {
        /// The function on [0,1)^d
        text: String,
        /// Width W, at least the number of variables
        #[arg(long, allow_negative_numbers = true)]
        width: i64,
        /// Modulus of continuity, a text in r such as `1.5*r` (default: estimated)
        #[arg(long)]
        modulus: Option<String>,
        /// The variables, in order
        #[arg(long, value_delimiter = ',')]
        variables: Vec<String>,
    },
    /// Exact pieces of Sine-ReLU networks (Theorem 1 itself has no construction)
    SineRelu {
        #[command(subcommand)]
        piece: Option<Piece>,
    },
    /// A learnable network rewritten with one basis function a neuron
    Expand {
        /// A model file (.safetensors)
        model: PathBuf,
    },
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum WayOption {
    Sums,
    Products,
}

pub(super) const fn variant(tight: bool) -> Variant {
    if tight {
        Variant::Tight
    } else {
        Variant::Stated
    }
}

impl Kind {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Identity { .. } => "identity",
            Self::Square => "square",
            Self::Product => "product",
            Self::Monomial { .. } => "monomial",
            Self::Polynomial(_) => "polynomial",
            Self::Chebyshev(_) => "chebyshev",
            Self::Bandlimited(_) => "bandlimited",
            Self::Dct { .. } => "dct",
            Self::WindowedDct { .. } => "windowed-dct",
            Self::Dft { .. } => "dft",
            Self::Gabor { .. } => "gabor",
            Self::Rbf(_) => "rbf",
            Self::FloorExponential { .. } => "floor-exponential",
            Self::SineRelu { .. } => "sine-relu",
            Self::Expand { .. } => "expand",
        }
    }

    pub(super) fn make(&self, seed: u64) -> Result<Made, Failure> {
        let mut extras = Extras::default();
        let made = match self {
            Self::Identity { dimension } => {
                rafnet_theory::identity(whole("the dimension", *dimension, 1, 64)?)
            }
            Self::Square => rafnet_theory::square(),
            Self::Product => rafnet_theory::product(),
            Self::Monomial {
                powers,
                chains,
                tight,
                diagram,
            } => {
                let powers = powers.iter().map(|&n| {
                    let n = whole("a power", n, 0, 512)?;
                    Ok(u32::try_from(n).unwrap_or(u32::MAX))
                });
                let powers: Vec<u32> = powers.collect::<Result<_, Failure>>()?;
                let chains = whole("the number of chains", *chains, 1, 512)?;
                if *diagram {
                    let svg = rafnet_theory::monomial_diagram(&powers, chains, variant(*tight));
                    extras.pictures.push(("monomial", svg));
                }
                rafnet_theory::monomial(&powers, chains, variant(*tight))
            }
            Self::Polynomial(options) => return options.make(),
            Self::Chebyshev(options) => return options.make(),
            Self::Bandlimited(options) => return options.make(seed),
            Self::Dct {
                size,
                frequency,
                way,
            } => {
                let way = match way {
                    WayOption::Sums => Way::Sums,
                    WayOption::Products => Way::Products,
                };
                rafnet_theory::dct(&axes(size, frequency)?, way)
            }
            Self::WindowedDct {
                size,
                frequency,
                centre,
                sigma,
            } => rafnet_theory::windowed_dct(&axes(size, frequency)?, &windows(centre, sigma)?),
            Self::Dft { wave } => rafnet_theory::dft(&numbers("--wave", wave)?),
            Self::Gabor {
                wave,
                centre,
                sigma,
            } => rafnet_theory::gabor(&numbers("--wave", wave)?, &windows(centre, sigma)?),
            Self::Rbf(options) => return options.make(),
            Self::FloorExponential {
                text,
                width,
                modulus,
                variables,
            } => {
                let formula = formula(text, variables)?;
                let width = whole("the width W", *width, 1, 64)?;
                let modulus = match modulus {
                    Some(text) => Modulus::read(text).map_err(refused)?,
                    None => Modulus::Estimated,
                };
                rafnet_theory::floor_exponential(&formula, width, &modulus)
            }
            Self::SineRelu { piece: None } => rafnet_theory::theorem_1(),
            Self::SineRelu { piece: Some(piece) } => return piece.make(),
            Self::Expand { model } => return expand(model, seed),
        };
        done(made, extras)
    }
}

pub(super) fn done(
    made: Result<Construction, rafnet_theory::TheoryError>,
    extras: Extras,
) -> Result<Made, Failure> {
    let made = Box::new(made.map_err(refused)?);
    Ok(Made::Construction { made, extras })
}

fn axes(size: &[u32], frequency: &[u32]) -> Result<Vec<CosineAxis>, Failure> {
    if size.len() != frequency.len() {
        return Err(Failure {
            message: format!("{} sizes and {} frequencies", size.len(), frequency.len()),
            hint: "pass one of each for every axis".into(),
        });
    }
    let pairs = size.iter().zip(frequency);
    Ok(pairs
        .map(|(&size, &frequency)| CosineAxis { size, frequency })
        .collect())
}
