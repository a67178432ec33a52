//! The kinds of construction: options, and what is made of them.

use super::values::{
    degree, formula, interval, intervals, number, numbers, refused, whole, windows,
};
use crate::output::Failure;
use rafnet::Model;
use rafnet::theory::{
    self, BandLimited, Construction, CosineAxis, Formula, Kernel, Modulus, Polynomial, RedBlue,
    Series, Terms, Variant, Way,
};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// What a kind made.
pub(super) enum Made {
    Construction {
        made: Box<Construction>,
        extras: Extras,
    },
    Expanded(Box<Model>),
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

#[derive(clap::Args)]
pub(super) struct PolynomialOptions {
    /// The polynomial, such as "x^3*y - 2*x"
    text: String,
    /// The variables, in order (default: x, y, z, t or x1, x2, … as they occur)
    #[arg(long, value_delimiter = ',')]
    variables: Vec<String>,
    /// Chains N of each block
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    chains: i64,
    /// Rows a of blocks
    #[arg(long, allow_negative_numbers = true)]
    rows: Option<i64>,
    /// Columns b of blocks
    #[arg(long, allow_negative_numbers = true)]
    columns: Option<i64>,
    /// Fill up with identity layers to depth L
    #[arg(long, allow_negative_numbers = true)]
    depth: Option<i64>,
    /// As few layers as are needed
    #[arg(long)]
    tight: bool,
    /// Where rounding is bounded and the error measured: low,high, once or for each variable (default -1,1)
    #[arg(long, allow_hyphen_values = true)]
    interval: Vec<String>,
    /// Build the ReLU network of the same layout to this tolerance, and report its size
    #[arg(long, value_name = "TOLERANCE", allow_negative_numbers = true)]
    relu_twin: Option<f64>,
    /// Draw the blocks as SVG
    #[arg(long)]
    diagram: bool,
}

#[derive(clap::Args)]
pub(super) struct ChebyshevOptions {
    /// The function, such as "exp(x)"
    text: String,
    /// The degree is chosen for this accuracy (default 1e-10)
    #[arg(long, conflicts_with = "degree", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// The degree
    #[arg(long, allow_negative_numbers = true)]
    degree: Option<i64>,
    /// low,high
    #[arg(long, default_value = "-1,1", allow_hyphen_values = true)]
    interval: String,
    /// Parameter s of the ellipse in the bound (default: the one with the least bound)
    #[arg(long, allow_negative_numbers = true)]
    ellipse: Option<f64>,
    /// By the recurrence (width 6) or by monomials as in the theorem
    #[arg(long, value_enum, default_value = "recurrence")]
    way: ChebyshevWay,
    /// Chains N of the theorem's way
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    chains: i64,
}

#[derive(clap::Args)]
pub(super) struct BandlimitedOptions {
    /// Density F, a text in w (or w1, w2, …)
    #[arg(long)]
    density: String,
    /// Band M: frequencies in [-M, M]
    #[arg(long, allow_hyphen_values = true)]
    band: String,
    /// Number of coordinates, 1 to 3
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    dimension: i64,
    /// Phase of F, a text in w
    #[arg(long)]
    phase: Option<String>,
    /// Kernel K: `wave` for e^(it), or a text in t
    #[arg(long, default_value = "wave")]
    kernel: String,
    /// Terms drawn
    #[arg(long, default_value_t = 256, allow_negative_numbers = true)]
    terms: i64,
    /// As many terms as the theorem takes for this error
    #[arg(long, conflicts_with = "terms", allow_negative_numbers = true)]
    tolerance: Option<f64>,
}

#[derive(clap::Args)]
pub(super) struct RbfOptions {
    /// The centre
    #[arg(long, allow_hyphen_values = true)]
    centre: String,
    /// Width of the Gaussian
    #[arg(
        long,
        required_unless_present = "kernel",
        conflicts_with = "kernel",
        allow_hyphen_values = true
    )]
    sigma: Option<String>,
    /// An analytic kernel in r2, such as "1/(1 + r2)"
    #[arg(long)]
    kernel: Option<String>,
    /// Half the side of the cube around the centre, for --kernel
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    reach: String,
    /// The degree is chosen for this accuracy (default 1e-10)
    #[arg(long, conflicts_with = "degree", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// The degree
    #[arg(long, allow_negative_numbers = true)]
    degree: Option<i64>,
    /// Parameter s of the ellipse in the bound
    #[arg(long, allow_negative_numbers = true)]
    ellipse: Option<f64>,
}

#[derive(clap::Subcommand)]
pub(super) enum Piece {
    /// relu(x) - relu(-x)
    Identity,
    /// A hat function
    Hat {
        /// left,centre,right
        #[arg(long, allow_hyphen_values = true)]
        knots: String,
    },
    /// Piecewise linear interpolation, with the rate measured as knots are doubled
    PiecewiseLinear {
        /// The function
        text: String,
        /// Number of knots
        #[arg(long, default_value_t = 17, allow_negative_numbers = true)]
        knots: i64,
        /// low,high
        #[arg(long, default_value = "0,1", allow_hyphen_values = true)]
        interval: String,
    },
    /// A finite Fourier sum: constant + sum of a_k cos(kx) + b_k sin(kx)
    Fourier {
        /// The constant
        #[arg(long, default_value = "0", allow_hyphen_values = true)]
        constant: String,
        /// a_1, a_2, …
        #[arg(long, default_value = "0", allow_hyphen_values = true)]
        cosines: String,
        /// b_1, b_2, …
        #[arg(long, default_value = "0", allow_hyphen_values = true)]
        sines: String,
    },
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum WayOption {
    Sums,
    Products,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum ChebyshevWay {
    Recurrence,
    Theorem,
}

const fn variant(tight: bool) -> Variant {
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
                theory::identity(whole("the dimension", *dimension, 1, 64)?)
            }
            Self::Square => theory::square(),
            Self::Product => theory::product(),
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
                    let svg = theory::monomial_diagram(&powers, chains, variant(*tight));
                    extras.pictures.push(("monomial", svg));
                }
                theory::monomial(&powers, chains, variant(*tight))
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
                theory::dct(&axes(size, frequency)?, way)
            }
            Self::WindowedDct {
                size,
                frequency,
                centre,
                sigma,
            } => theory::windowed_dct(&axes(size, frequency)?, &windows(centre, sigma)?),
            Self::Dft { wave } => theory::dft(&numbers("--wave", wave)?),
            Self::Gabor {
                wave,
                centre,
                sigma,
            } => theory::gabor(&numbers("--wave", wave)?, &windows(centre, sigma)?),
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
                theory::floor_exponential(&formula, width, &modulus)
            }
            Self::SineRelu { piece: None } => theory::theorem_1(),
            Self::SineRelu { piece: Some(piece) } => return piece.make(),
            Self::Expand { model } => return expand(model),
        };
        done(made, extras)
    }
}

fn done(made: Result<Construction, theory::TheoryError>, extras: Extras) -> Result<Made, Failure> {
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

fn expand(path: &PathBuf) -> Result<Made, Failure> {
    let model = Model::load(path).map_err(|e| Failure {
        message: e.to_string(),
        hint: "pass the path of a model, such as `model.safetensors` in a run folder".into(),
    })?;
    let expanded = theory::expand(&model).map_err(refused)?;
    Ok(Made::Expanded(Box::new(expanded)))
}

impl PolynomialOptions {
    fn make(&self) -> Result<Made, Failure> {
        let mut extras = Extras::default();
        let polynomial = Polynomial::of(&formula(&self.text, &self.variables)?).map_err(refused)?;
        let terms = polynomial.terms().len();
        let count = |what, value: Option<i64>| value.map(|v| whole(what, v, 1, 4096)).transpose();
        let (rows, columns) = (
            count("the number of rows", self.rows)?,
            count("the number of columns", self.columns)?,
        );
        let rows = rows.unwrap_or(columns.map_or(1, |b| terms.div_ceil(b)));
        let layout = RedBlue {
            chains: whole("the number of chains", self.chains, 1, 4096)?,
            rows,
            columns: columns.unwrap_or(terms.div_ceil(rows)),
            depth: self
                .depth
                .map(|l| whole("the depth", l, 1, 1 << 14))
                .transpose()?,
            variant: variant(self.tight),
        };
        let bounds = intervals(&self.interval, polynomial.variables().len())?;
        let made = theory::polynomial(&polynomial, &layout, bounds.as_deref()).map_err(refused)?;
        if let Some(tolerance) = self.relu_twin {
            let twin = theory::relu_twin(&polynomial, &layout, bounds.as_deref(), tolerance)
                .map_err(refused)?;
            let figures = json!({
                "width": twin.width(), "depth": twin.depth(), "parameters": twin.parameters(), "neurons": twin.neurons(),
                "bound": twin.bound.value, "max_error": twin.max_error,
            });
            extras.json.insert("relu_twin".into(), figures);
        }
        if self.diagram {
            extras.pictures.push((
                "polynomial",
                theory::polynomial_diagram(&polynomial, &layout),
            ));
        }
        done(Ok(made), extras)
    }
}

impl ChebyshevOptions {
    fn make(&self) -> Result<Made, Failure> {
        let formula = Formula::read(&self.text).map_err(refused)?;
        let degree = degree(self.degree, self.tolerance)?;
        let series = Series::of(&formula, interval(&self.interval)?, degree).map_err(refused)?;
        let made = match self.way {
            ChebyshevWay::Recurrence => theory::chebyshev(&formula, &series, self.ellipse),
            ChebyshevWay::Theorem => {
                let chains = whole("the number of chains", self.chains, 1, 4096)?;
                let layout = theory::theorem_layout(series.degree(), chains, Variant::Stated);
                theory::chebyshev_by_monomials(&formula, &series, &layout, self.ellipse)
            }
        };
        let mut extras = Extras::default();
        extras.json.insert("degree".into(), json!(series.degree()));
        done(made, extras)
    }
}

impl BandlimitedOptions {
    fn make(&self, seed: u64) -> Result<Made, Failure> {
        let dimension = whole("the dimension", self.dimension, 1, 3)?;
        let kernel = Kernel::read(&self.kernel).map_err(refused)?;
        let band = number("--band", &self.band)?;
        let function = BandLimited::new(
            &self.density,
            dimension,
            self.phase.as_deref(),
            kernel,
            band,
        );
        let terms = match self.tolerance {
            Some(tolerance) => Terms::Tolerance(tolerance),
            None => Terms::Count(whole("the number of terms", self.terms, 1, 1 << 14)?),
        };
        done(
            function.map_err(refused)?.build(terms, seed),
            Extras::default(),
        )
    }
}

impl RbfOptions {
    fn make(&self) -> Result<Made, Failure> {
        let centre = numbers("--centre", &self.centre)?;
        let made = match (&self.kernel, &self.sigma) {
            (Some(kernel), _) => {
                let reach = number("--reach", &self.reach)?;
                let degree = degree(self.degree, self.tolerance)?;
                theory::radial(&centre, kernel, reach, degree, self.ellipse)
            }
            (None, sigma) => {
                let sigma = number("--sigma", sigma.as_deref().unwrap_or("1"))?;
                theory::gaussian_rbf(&centre, sigma)
            }
        };
        done(made, Extras::default())
    }
}

impl Piece {
    fn make(&self) -> Result<Made, Failure> {
        let mut extras = Extras::default();
        let made = match self {
            Self::Identity => theory::relu_identity(),
            Self::Hat { knots } => {
                let found = numbers("--knots", knots)?;
                let knots = <[f64; 3]>::try_from(found).map_err(|found| Failure {
                    message: format!("`--knots` has {} numbers; expected three", found.len()),
                    hint: "write `--knots left,centre,right`".into(),
                })?;
                theory::hat(knots)
            }
            Self::PiecewiseLinear {
                text,
                knots,
                interval: ends,
            } => {
                let formula = Formula::read(text).map_err(refused)?;
                let ends = interval(ends)?;
                let knots = whole("the number of knots", *knots, 2, 1 << 14)?;
                let rate = theory::measured_rate(&formula, ends).map_err(refused)?;
                let rows = rate
                    .iter()
                    .map(|m| json!({ "parameters": m.parameters, "max_error": m.max_error }));
                extras.json.insert("rate".into(), rows.collect());
                theory::piecewise_linear(&formula, ends, knots)
            }
            Self::Fourier {
                constant,
                cosines,
                sines,
            } => {
                let (a, b) = (numbers("--cosines", cosines)?, numbers("--sines", sines)?);
                let at = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(0.0);
                let pairs: Vec<[f64; 2]> = (0..a.len().max(b.len()))
                    .map(|k| [at(&a, k), at(&b, k)])
                    .collect();
                theory::fourier_sum(number("--constant", constant)?, &pairs)
            }
        };
        done(made, extras)
    }
}
