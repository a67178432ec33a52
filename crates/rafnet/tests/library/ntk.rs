//! Tangent kernels: golden values, the spectrum by two ways, the paper's condition numbers as far as they mean anything, linearised
//! training against gradient descent.
//!
//! The golden numbers (reference values 9.4 of the experiments' specification) were made by automatic differentiation in
//! another language and are printed to 15 digits.

use crate::common::close;
use rafnet::Problem;
use rafnet::activation::Set;
use rafnet::model::{Output, Parts};
use rafnet::network::Network;
use rafnet::ntk::{Mode, NtkError, Of, Settings, Tangent, Waves, Way};
use rafnet::{Model, Streams};

/// W[i][j] = sin(1 + 0.37 l + 0.91 i + 0.53 j)/√n_in, b[i] = 0.5 cos(2 + 0.41 l + 0.77 i)/√n_in
fn golden_parameters(network: &Network) -> Vec<f64> {
    let mut parameters = vec![0.0; network.n_parameters()];
    for l in 0..network.layers().len() {
        let place = |what: &str| {
            let named = network.layout().get(&format!("layers.{l}.{what}"));
            named.expect("every layer has weights and a bias")
        };
        let (weight, bias) = (place("weight"), place("bias"));
        let n_in = weight.shape[1];
        let root = (n_in as f64).sqrt();
        for i in 0..weight.shape[0] {
            for j in 0..n_in {
                let phase = 1.0 + 0.37 * l as f64 + 0.91 * i as f64 + 0.53 * j as f64;
                parameters[weight.range.start + i * n_in + j] = phase.sin() / root;
            }
            let phase = 2.0 + 0.41 * l as f64 + 0.77 * i as f64;
            parameters[bias.range.start + i] = 0.5 * phase.cos() / root;
        }
    }
    parameters
}

fn builtin(name: &str) -> Problem {
    Problem::builtin(name).expect("a built-in problem")
}

/// u − 1 on the unit square: plain regression.
fn regression() -> Problem {
    let text = "name = \"plain\"\n[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"u - 1\"\n";
    Problem::from_text(text, "plain.toml", None).expect("a problem")
}

const BOX: [f64; 6] = [0.3, 0.6, 0.25, 0.8, 0.7, 0.15];
const DISC: [f64; 6] = [0.3, 0.6, 0.2, -0.5, -0.4, 0.1];

fn golden_tangent(problem: &Problem, points: &[f64]) -> Tangent {
    let settings = Settings {
        width: Some(12),
        ..Settings::default()
    };
    let network = settings.network(problem).expect("a network");
    assert_eq!(network.n_parameters(), 517);
    let theta = golden_parameters(&network);
    let tangent = Tangent::of_network(problem, &settings, &network, theta);
    tangent.and_then(|t| t.at(points)).expect("a tangent")
}

#[test]
fn kernels_have_their_golden_values() {
    let table = [
        (
            regression(),
            BOX,
            [
                5.89957221717436e+01,
                5.58700172733282e+01,
                4.16374248008131e+01,
                9.46908473908811e+01,
                2.31259530269428e+01,
                5.71184943812297e+01,
            ],
        ),
        (
            builtin("poisson-smooth"),
            BOX,
            [
                3.91468709958446e+02,
                -1.56927300843864e+02,
                -8.64128973545761e+01,
                1.11234816069351e+02,
                6.62086505778378e+01,
                9.91321996031626e+01,
            ],
        ),
        (
            builtin("low-regularity"),
            DISC,
            [
                7.40057521657355e+03,
                -3.74274909787364e+03,
                -1.65898207042653e+05,
                1.74223757639436e+06,
                -2.17717516137356e+06,
                4.61432164905223e+07,
            ],
        ),
        (
            builtin("oscillation"),
            BOX,
            [
                4.29982100405671e+02,
                -1.59365941431207e+02,
                -7.25486653524272e+01,
                1.23920080702336e+02,
                6.96838317357875e+01,
                1.03906016476494e+02,
            ],
        ),
        (
            builtin("oscillation-code"),
            BOX,
            [
                4.03308109145472e+02,
                -1.57997712657313e+02,
                -8.25353014469845e+01,
                1.14643367925391e+02,
                6.71682003972754e+01,
                1.00369042467230e+02,
            ],
        ),
    ];
    for (problem, points, expected) in table {
        let kernel = golden_tangent(&problem, &points).gram().expect("a kernel");
        let found = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        for ((i, j), expected) in found.into_iter().zip(expected) {
            close(&problem.name, kernel.at(i, j), expected, 1e-10);
        }
    }
}

/// Θ(x, X) of the residual at some of the same points is a part of Θ.
#[test]
fn the_cross_kernel_is_a_part_of_the_kernel_at_its_own_points() {
    let problem = builtin("poisson-smooth");
    let mut tangent = golden_tangent(&problem, &BOX);
    let whole = tangent.gram().expect("a kernel");
    let part = tangent.cross(Of::Residual, &BOX[2..]).expect("a kernel");
    assert_eq!((part.n_rows, part.n_columns), (2, 3));
    for i in 0..2 {
        for j in 0..3 {
            close("cross kernel", part.at(i, j), whole.at(i + 1, j), 1e-13);
        }
    }
    // for regression the residual is u less a known number: the same kernel
    let mut tangent = golden_tangent(&regression(), &BOX);
    let [value, residual] =
        [Of::Value, Of::Residual].map(|of| tangent.cross(of, &BOX).expect("a kernel"));
    assert_eq!(value, residual);
}

fn small(points: usize) -> Settings {
    Settings {
        width: Some(12),
        points,
        threads: 2,
        ..Settings::default()
    }
}

/// Symmetric, positive, and by two ways: σ² of J against the trace and the squared norm of Θ, sums of n terms of size Σλ.
#[test]
fn the_spectrum_is_that_of_a_positive_matrix() {
    for name in [
        "poisson-smooth",
        "oscillation",
        "heat",
        "regression-jump",
        "inverse-diffusivity",
    ] {
        let mut tangent = Tangent::new(&builtin(name), &small(40)).expect("a tangent");
        let kernel = tangent.gram().expect("a kernel");
        let spectrum = tangent.spectrum(Mode::F64Svd).expect("a spectrum");
        let n = kernel.n_rows;
        assert_eq!((n, spectrum.way), (tangent.n_rows(), Way::Triangle));
        assert_eq!(spectrum.eigenvalues.len(), n);
        assert!(spectrum.eigenvalues.is_sorted_by(|a, b| a >= b));
        assert!(spectrum.eigenvalues.iter().all(|l| *l >= 0.0), "{name}");
        let (mut trace, mut square) = (0.0, 0.0);
        for i in 0..n {
            trace += kernel.at(i, i);
            for j in 0..n {
                assert_eq!(kernel.at(i, j).to_bits(), kernel.at(j, i).to_bits());
                square += kernel.at(i, j) * kernel.at(i, j);
            }
        }
        let sum: f64 = spectrum.eigenvalues.iter().sum();
        let squares: f64 = spectrum.eigenvalues.iter().map(|l| l * l).sum();
        let rounding = 8.0 * (tangent.n_columns() + n) as f64 * f64::EPSILON;
        close(name, sum, trace, rounding);
        close(name, squares, square, rounding);
        close(
            name,
            spectrum.effective_rank(),
            trace * trace / square,
            4.0 * rounding,
        );
        // the effective rank lies between one and the size, and f32 knows it as well to its own rounding
        assert!((1.0..=n as f64).contains(&spectrum.effective_rank()));
        let single = tangent.spectrum(Mode::F32Theta).expect("a spectrum");
        assert_eq!(single.way, Way::SingleGram);
        close(
            name,
            single.effective_rank(),
            spectrum.effective_rank(),
            1e-4,
        );
    }
}

/// More residuals than parameters: as many eigenvalues as those, no condition number, and the same sum.
#[test]
fn more_points_than_parameters() {
    let settings = Settings {
        width: Some(4),
        depth: Some(2),
        points: 700,
        ..Settings::default()
    };
    let mut tangent = Tangent::new(&builtin("poisson-smooth"), &settings).expect("a tangent");
    let spectrum = tangent.spectrum(Mode::F64Svd).expect("a spectrum");
    assert_eq!(spectrum.eigenvalues.len(), tangent.n_columns());
    assert!(spectrum.condition_number().is_none() && spectrum.numerically_singular());
    let kernel = tangent.gram().expect("a kernel");
    let trace: f64 = (0..700).map(|i| kernel.at(i, i)).sum();
    close("trace", spectrum.eigenvalues.iter().sum(), trace, 1e-12);
}

#[test]
fn numbers_do_not_depend_on_threads() {
    let problem = builtin("poisson-smooth");
    let [one, three] = [1, 3].map(|threads| {
        let settings = Settings {
            threads,
            ..small(300)
        };
        let mut tangent = Tangent::new(&problem, &settings).expect("a tangent");
        (
            tangent.gram().expect("a kernel"),
            tangent.spectrum(Mode::F64Svd).expect("a spectrum"),
        )
    });
    assert!(one == three);
}

/// The paper's experiment, 100 points at the start, two seeds: in f64 the poly-sine-Gaussian network (s = 0.1, quarters) has the smallest
/// condition number of all in each column and stays below 1e10; x, x² and x, x², sin are singular to rounding. In f32 whatever
/// is singular comes out between 1e8 and 1e13, wherever rounding puts it. No other order is claimed.
#[test]
fn condition_numbers_of_the_papers_problems() {
    let sets = [
        Set::Relu3,
        Set::Poly,
        Set::PolyRelu,
        Set::PolyRelu3,
        Set::PolySine,
    ];
    for name in ["poisson-smooth", "low-regularity", "oscillation"] {
        let problem = builtin(name);
        for seed in 0..2 {
            let tangent = |set: Set| {
                let settings = Settings {
                    activation: vec![set],
                    seed,
                    threads: 2,
                    ..Settings::default()
                };
                Tangent::new(&problem, &settings).expect("a tangent")
            };
            let best = tangent(Set::Psg)
                .spectrum(Mode::F64Svd)
                .expect("a spectrum");
            let best = best.condition_number().expect("a regular kernel");
            assert!(best < 1e10, "{name}, seed {seed}: {best:e}");
            for set in sets {
                let mut tangent = tangent(set);
                let spectrum = tangent.spectrum(Mode::F64Svd).expect("a spectrum");
                let other = spectrum.condition_number().unwrap_or(f64::INFINITY);
                assert!(
                    other > best,
                    "{name}, {set}, seed {seed}: {other:e}, {best:e}"
                );
                if matches!(set, Set::Poly | Set::PolySine) {
                    assert!(
                        spectrum.numerically_singular() && other > 1e16,
                        "{name}, {set}, seed {seed}: {other:e}"
                    );
                    let single = tangent.spectrum(Mode::F32Theta).expect("a spectrum");
                    let noise = single.condition_number().expect("noise is not zero");
                    assert!(
                        single.numerically_singular() && (1e8..1e13).contains(&noise),
                        "{name}, {set}, seed {seed}: {noise:e}"
                    );
                }
            }
        }
    }
}

/// With k steps fixed, t = kη: descent less closed form is O(t²), so halving η divides it by four.
#[test]
fn linearised_training_agrees_with_descent_to_second_order() {
    for name in ["poisson-smooth", "regression-jump", "oscillation"] {
        let problem = builtin(name);
        let d = problem.coordinates.len();
        let fresh = || Tangent::new(&problem, &small(20)).expect("a tangent");
        let linearised = fresh().linearised().expect("a closed form");
        let x: Vec<f64> = [0.31, 0.47, 0.83, 0.12][..2 * d].to_vec();
        let cross = fresh().cross(Of::Value, &x).expect("a kernel");
        let start = fresh().values(&x).expect("values");
        let steps = 4;
        let size = |a: &[f64], b: &[f64]| -> f64 {
            let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
            squares.sum::<f64>().sqrt()
        };
        let differences = |eta: f64| -> [f64; 4] {
            let mut tangent = fresh();
            let before = tangent.theta().to_vec();
            let descended = tangent.descend(eta, steps).expect("steps");
            let t = eta * steps as f64;
            let moved: Vec<f64> = tangent
                .theta()
                .iter()
                .zip(&before)
                .map(|(a, b)| a - b)
                .collect();
            [
                size(&descended.residuals, &linearised.residuals(t)),
                size(&moved, &linearised.parameters(t)),
                size(
                    &tangent.values(&x).expect("values"),
                    &linearised.predict(&cross, &start, t),
                ),
                size(&descended.residuals, &linearised.after_steps(eta, 4)),
            ]
        };
        // λ_max t small beside one, and differences far above rounding
        let eta = 1e-4 / linearised.eigenvalues[0];
        let (coarse, fine) = (differences(eta), differences(eta / 2.0));
        let whole = size(&linearised.start, &vec![0.0; linearised.start.len()]);
        assert!(
            coarse[0] < 1e-3 * whole,
            "{name}: {:e} of {whole:e}",
            coarse[0]
        );
        for (k, (coarse, fine)) in coarse.iter().zip(fine).enumerate() {
            let ratio = coarse / fine;
            assert!(
                (3.8..4.2).contains(&ratio),
                "{name}, {k}: {coarse:e} / {fine:e} = {ratio}"
            );
        }
    }
}

/// At t = 0 nothing has moved, the loss never grows, and for t → ∞ every direction with a rate is learnt.
#[test]
fn the_closed_form_starts_and_ends_where_it_should() {
    let mut tangent = Tangent::new(&builtin("poisson-smooth"), &small(15)).expect("a tangent");
    let linearised = tangent.linearised().expect("a closed form");
    assert_eq!(linearised.residuals(0.0), linearised.start);
    assert!(linearised.parameters(0.0).iter().all(|v| *v == 0.0));
    assert_eq!(linearised.after_steps(0.1, 0), linearised.start);
    let losses: Vec<f64> = (-3..12).map(|k| linearised.loss(10f64.powi(k))).collect();
    assert!(losses.is_sorted_by(|a, b| a >= b));
    for t in [0.0, 0.01, 1.0] {
        let half = 0.5 * linearised.residuals(t).iter().map(|r| r * r).sum::<f64>();
        close("loss", linearised.loss(t), half, 1e-10);
    }
}

/// A model's own factor, scale and lift enter: values as `Model::eval` has them, residuals as its jets give them. The Laplacian is a sum of
/// n terms of its own size for n parameters, and both sides round it.
#[test]
fn the_kernel_of_a_model_is_taken_of_its_function() {
    let problem = builtin("poisson-smooth");
    let network = small(3).network(&problem).expect("a network");
    let parameters = golden_parameters(&network);
    let u = Output::new("u")
        .with_factor("x*(1 - x)*y^2")
        .with_scale(2.0)
        .with_lift("x*y");
    let model = Model::new(Parts::new(["x", "y"], vec![u], network, parameters)).expect("a model");
    let tangent = Tangent::of_model(&problem, &small(3), &model);
    let mut tangent = tangent.and_then(|t| t.at(&BOX)).expect("a tangent");
    let rounding = 517.0 * f64::EPSILON;
    let values = tangent.values(&BOX).expect("values");
    for (found, expected) in values.iter().zip(model.eval(&BOX).expect("values")) {
        close("value", *found, expected, rounding);
    }
    // the factor does not vanish at y = 1, so the condition there has rows of its own after the equation's
    let residuals = tangent.residuals().expect("residuals");
    assert!(residuals.len() > 3);
    let jet = model.jet(&BOX, Streams::laplacian()).expect("a jet");
    let laplacian = jet.laplacian(0).expect("a Laplacian");
    for (k, x) in BOX.chunks_exact(2).enumerate() {
        let [x, y] = [x[0], x[1]];
        let f = -(2.0 - 6.0 * x) * y * y * (1.0 - y) - (2.0 - 6.0 * y) * x * x * (1.0 - x);
        let size = laplacian[k].abs() + f.abs();
        let difference = residuals[k] - (-laplacian[k] - f);
        assert!(
            difference.abs() < rounding * size,
            "{difference:e} of {size:e}"
        );
    }
    let other = Tangent::of_model(&builtin("heat"), &small(3), &model);
    assert!(matches!(
        other,
        Err(NtkError::Model {
            what: "coordinates",
            ..
        })
    ));
}

/// vᵀΘv/vᵀv by the matrix itself, shell by shell; sums of n² products.
#[test]
fn rates_of_waves_are_quotients_of_the_kernel() {
    for name in ["poisson-smooth", "system"] {
        let problem = builtin(name);
        let d = problem.coordinates.len();
        let points: Vec<f64> = (0..12 * d)
            .map(|i| (0.13 + 0.618 * i as f64) % 1.0)
            .collect();
        let tangent = Tangent::new(&problem, &small(3)).expect("a tangent");
        let mut tangent = tangent.at(&points).expect("points");
        let kernel = tangent.gram().expect("a kernel");
        let bounds = vec![[-0.5, 1.5]; d];
        let waves = Waves::new(&bounds, 2).expect("waves");
        let rates = tangent.rates(&waves).expect("rates");
        let count = problem.equations.len();
        let mut expected = [Vec::new(), Vec::new(), Vec::new()];
        for k in (0..25).map(|at| [at / 5 - 2, at % 5 - 2]) {
            let shell = match k[0] * k[0] + k[1] * k[1] {
                0 => 0,
                1 | 2 => 1,
                4 | 5 => 2,
                _ => continue,
            };
            for shift in [0.0, 0.25] {
                let wave = |x: &[f64]| -> f64 {
                    let turns: f64 = x
                        .iter()
                        .zip(&k)
                        .map(|(x, k)| f64::from(*k) * (x + 0.5) / 2.0)
                        .sum();
                    (std::f64::consts::TAU * (turns - shift)).cos()
                };
                let v: Vec<f64> = points.chunks_exact(d).map(wave).collect();
                let square: f64 = v.iter().map(|v| v * v).sum();
                if square < 1e-12 {
                    continue;
                }
                for c in 0..count {
                    let mut sum = 0.0;
                    for i in 0..12 {
                        for j in 0..12 {
                            sum += v[i] * v[j] * kernel.at(i * count + c, j * count + c);
                        }
                    }
                    expected[shell].push(sum / square);
                }
            }
        }
        for (rate, all) in rates.iter().zip(expected) {
            close(
                name,
                *rate,
                all.iter().sum::<f64>() / all.len() as f64,
                1e-10,
            );
        }
    }
    let refused = Waves::new(&[[0.0, 1.0]; 3], 8);
    assert!(matches!(refused, Err(NtkError::Setting { .. })));
    assert!(Waves::new(&[[0.0, 1.0]; 2], 24).is_ok());
}

/// On a full grid the contents are the amplitudes over √2, and their squares add up to the mean square.
#[test]
fn contents_of_trigonometric_polynomials() {
    let n = 16;
    let grid = (0..n * n).flat_map(|i| [f64::from(i / n), f64::from(i % n)]);
    let points: Vec<f64> = grid.map(|x| 3.0 + 2.0 * x / f64::from(n)).collect();
    let tau = std::f64::consts::TAU;
    let at = |p: &[f64]| {
        let [x, y] = [tau * (p[0] - 3.0) / 2.0, tau * (p[1] - 3.0) / 2.0];
        0.5 + 0.25 * (2.0 * x).cos() + 0.125 * (x - y).sin() + 3.0 * (3.0 * x + 4.0 * y).cos()
    };
    let e: Vec<f64> = points.chunks_exact(2).map(at).collect();
    let waves = Waves::new(&[[3.0, 5.0]; 2], 6).expect("waves");
    let content = waves.content(&points, &e);
    let half = 0.5f64.sqrt();
    let expected = [0.5, 0.125 * half, 0.25 * half, 0.0, 0.0, 3.0 * half, 0.0];
    for (found, expected) in content.iter().zip(expected) {
        // sums of n² terms of size 3
        assert!(
            (found - expected).abs() < 3.0 * f64::from(n * n) * f64::EPSILON,
            "{content:?}"
        );
    }
}

/// The kernel's traces by blocks are those of its parts, and weighting makes every mean rate the same.
#[test]
fn weights_from_traces() {
    let mut tangent = Tangent::new(&builtin("heat"), &small(40)).expect("a tangent");
    let kernel = tangent.gram().expect("a kernel");
    let terms = tangent.term_weights().expect("weights");
    assert!(terms.len() > 1 && terms[0].name == "equations");
    let mut first = 0;
    let mut rates = Vec::new();
    for term in &terms {
        let trace: f64 = (first..first + term.n_rows).map(|i| kernel.at(i, i)).sum();
        close(&term.name, term.trace, trace, 1e-12);
        first += term.n_rows;
        rates.push(term.weight.expect("a weight") * term.trace / term.n_rows as f64);
    }
    assert_eq!(first, tangent.n_rows());
    rates
        .iter()
        .for_each(|rate| close("rate", *rate, rates[0], 1e-12));
}

#[test]
fn nonsense_is_refused_by_name() {
    let problem = builtin("poisson-smooth");
    let refused = |settings: Settings| match Tangent::new(&problem, &settings) {
        Err(error) => error.to_string(),
        Ok(_) => String::new(),
    };
    let usual = Settings::default;
    assert!(
        refused(Settings {
            points: 0,
            ..usual()
        })
        .contains("number of points is 0")
    );
    assert!(
        refused(Settings {
            gaussian_width: -1.0,
            ..usual()
        })
        .contains("width of Gaussians is -1")
    );
    assert!(
        refused(Settings {
            depth: Some(0),
            ..usual()
        })
        .contains("depth is 0")
    );
    assert!(
        refused(Settings {
            width: Some(0),
            ..usual()
        })
        .contains("width of a layer")
    );
    assert!(
        refused(Settings {
            init_scale: f64::NAN,
            ..usual()
        })
        .contains("hidden weights is NaN")
    );
    let network = usual().network(&problem).expect("a network");
    let wrong = Tangent::of_network(&problem, &usual(), &network, vec![0.0; 3]);
    assert!(matches!(wrong, Err(NtkError::Parameters { found: 3, .. })));
    let theta = vec![0.0; network.n_parameters()];
    let wrong = Tangent::of_network(&problem, &usual(), &network, theta);
    let wrong = wrong.and_then(|t| t.at(&BOX[..5]));
    assert!(matches!(
        wrong,
        Err(NtkError::Points {
            found: 5,
            dimension: 2
        })
    ));
}
