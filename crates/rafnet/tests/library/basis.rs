//! Basis functions and neurons: reference values (9.1 of the experiments' specification, printed with 15 digits), and every
//! derivative against an eighth-order difference of the one below it.
#![allow(
    clippy::unreadable_literal,
    clippy::float_cmp,
    reason = "reference values stand as they are printed; what is exact is compared exactly"
)]

use crate::common::close;
use rafnet::activation::neuron::Neuron;
use rafnet::activation::{Coefficient, Scale};
use rafnet::basis::{Basis, rational};
use rafnet::simd::Lanes;

type One = Lanes<f64, 1>;

/// f′ at y by (4/5)δ₁ − (1/5)δ₂ + (4/105)δ₃ − (1/280)δ₄, δ_k = (f(y+kh) − f(y−kh))/h: exact for polynomials of degree 8.
fn difference(f: impl Fn(f64) -> f64, y: f64, h: f64) -> f64 {
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let steps = (1..).map(|k: i32| f64::from(k) * h);
    let terms = weights.iter().zip(steps);
    terms.map(|(w, s)| w * (f(y + s) - f(y - s)) / h).sum()
}

/// A neuron's [σ, σ′, σ″, σ‴].
fn tower(bases: &[Basis], alpha: &[f64], beta: &[f64], z: f64) -> [f64; 4] {
    let shape = rational::initial();
    let neuron = Neuron {
        bases,
        alpha,
        beta,
        shape: &shape,
    };
    neuron.tower::<One, 3>(Lanes([z])).map(|v| v.0[0])
}

/// β of a bump of width s.
fn beta(s: f64) -> f64 {
    Scale::Width(Coefficient::fixed(s)).beta(s)
}

const PSG: [Basis; 4] = [Basis::Sine, Basis::Gaussian, Basis::Identity, Basis::Square];
const ALPHA: [f64; 4] = [2.0, 1.0, 0.25, 1.0];

#[test]
fn psg_neuron() {
    let table = [
        (
            0.02,
            [
                1.93542234970688,
                32.0159723853183,
                -1508.63879959057,
                5958.51675944962,
            ],
        ),
        (
            -0.05,
            [
                -1.75563776443081,
                18.2471325876897,
                2290.03854878072,
                -7240.27814626029,
            ],
        ),
        (
            0.7,
            [
                2.33831127707211,
                -31.2137556134561,
                -1503.9801493649,
                29577.3800521105,
            ],
        ),
    ];
    for (x, expected) in table {
        let found = tower(&PSG, &ALPHA, &[30.0, beta(0.03), 1.0, 1.0], x);
        for (k, expected) in expected.into_iter().enumerate() {
            close(&format!("derivative {k} at {x}"), found[k], expected, 1e-13);
        }
    }
}

#[test]
fn gaussians_by_width() {
    let table = [
        (
            0.05,
            [
                0.3753110988514,
                -10.5087107678392,
                144.119461958937,
                4371.6236794211,
            ],
        ),
        (
            0.1,
            [
                0.782704538241868,
                -5.47893176769308,
                -39.9179314503353,
                1375.21187369096,
            ],
        ),
        (
            0.5,
            [
                0.990247863518235,
                -0.277269401785106,
                -3.88335602157311,
                3.30549490032132,
            ],
        ),
    ];
    for (s, expected) in table {
        let found = tower(&[Basis::Gaussian], &[1.0], &[beta(s)], 0.07);
        for (k, expected) in expected.into_iter().enumerate() {
            close(
                &format!("derivative {k} of width {s}"),
                found[k],
                expected,
                1e-13,
            );
        }
        // the width enters squared: its sign means nothing
        assert_eq!(beta(-s), beta(s));
    }
    for (s, expected) in [
        (0.05, 14.14213562),
        (0.1, 7.07106781),
        (0.5, std::f64::consts::SQRT_2),
    ] {
        close("β", beta(s), expected, 5e-9); // printed with nine digits
    }
}

#[test]
fn rational_function() {
    let table = [
        (
            -1.0,
            [-0.0218740762636713, 0.230224106570305, -0.490349384776587],
        ),
        (0.0, [0.0218, 0.5, 3.0875012]),
        (
            0.5,
            [0.513653454488485, 1.10624397177123, -0.598170849790883],
        ),
        (
            2.0,
            [1.60810862134447, 0.555669257628606, -0.0729324360766711],
        ),
    ];
    for (x, expected) in table {
        let found = Basis::Rational.derivatives(x);
        for (k, expected) in expected.into_iter().enumerate() {
            close(&format!("derivative {k} at {x}"), found[k], expected, 1e-12);
        }
    }
}

/// Away from jumps and kinks by more than the difference's reach.
const POINTS: [f64; 9] = [-3.3, -1.7, -0.61, -0.23, 0.19, 0.47, 0.9, 1.6, 2.7];

#[test]
fn towers_are_derivatives() {
    // truncation h⁸|γ⁽ᵏ⁺⁹⁾|/630: the nearest pole of the rational function, 0.65 away, makes that at most 1e-11; rounding is
    // below 8ε/h times the size
    let h = 1.0 / 512.0;
    for basis in Basis::ALL {
        for y in POINTS {
            let found = basis.derivatives(y);
            for k in 0..3 {
                let expected = difference(|y| basis.derivatives(y)[k], y, h);
                let size = 1.0 + found[k].abs() + found[k + 1].abs();
                let error = (found[k + 1] - expected).abs();
                assert!(
                    error <= (8.0 * f64::EPSILON / h * 4.0 + 1e-11) * size,
                    "{basis}, derivative {} at {y}: {}, by differences {expected}",
                    k + 1,
                    found[k + 1]
                );
            }
        }
    }
}

type Value = fn(f64) -> f64;

/// Each function's value by other means: a row for each.
const VALUES: &[(Basis, Value)] = &[
    (Basis::Identity, |y| y),
    (Basis::Square, |y| y.powi(2)),
    (Basis::Sine, f64::sin),
    (Basis::Cosine, f64::cos),
    (Basis::Gaussian, |y| (-y * y).exp()),
    (Basis::Relu, |y| if y > 0.0 { y } else { 0.0 }),
    (Basis::Relu3, |y| if y > 0.0 { y.powi(3) } else { 0.0 }),
    (Basis::Tanh, f64::tanh),
    (Basis::Rational, |y| {
        (1.1915 * y.powi(3) + 1.5957 * y * y + 0.5 * y + 0.0218) / (2.383 * y * y + 1.0)
    }),
    (Basis::Root, |y| y.hypot(1.0)),
    (Basis::Floor, f64::floor),
    (Basis::Exp2, f64::exp2),
    (Basis::Step, |y| f64::from(u8::from(y >= 0.0))),
];

#[test]
fn values_by_other_means() {
    for basis in Basis::ALL {
        let row = VALUES.iter().find(|row| row.0 == basis);
        let Some((_, expected)) = row else {
            panic!("`{basis}` has no row in VALUES, tests/library/basis.rs");
        };
        let text = basis.as_text().map(Basis::Text);
        for y in POINTS {
            // the cubic polynomial cancels near its zero: absolute, not relative
            let bound = 1e-15 * (1.0 + y.abs().powi(3));
            let found = basis.derivatives(y)[0];
            assert!(
                (found - expected(y)).abs() <= bound,
                "{basis}({y}) is {found}"
            );
            let by_formula = text.map_or(found, |text| text.derivatives(y)[0]);
            assert!(
                (by_formula - expected(y)).abs() <= bound,
                "the formula of {basis} is {by_formula} at {y}"
            );
        }
    }
    assert_eq!(Basis::Step.derivatives(0.0)[0], 1.0);
    assert_eq!(Basis::Step.derivatives(-0.0)[0], 1.0);
    assert_eq!(Basis::Relu.derivatives(0.0), [0.0; 4]);
}

/// What people and other programs read of a function.
#[test]
fn every_function_is_in_the_reference_and_in_python() {
    let reference = include_str!("../../../../docs/reference/model-file.md");
    let python = include_str!("../../../../python/rafnet/torch.py");
    for basis in Basis::ALL {
        let named = |list: &str| {
            let mut words = list.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word == basis.name())
        };
        let sentence = reference
            .lines()
            .find(|l| l.starts_with("`basis` is one of"));
        assert!(
            sentence.is_some_and(named),
            "`{basis}` is missing in docs/reference/model-file.md, \"`basis` is one of\""
        );
        assert!(
            python.contains(&format!("\n    \"{basis}\": ")),
            "`{basis}` has no row in BASES, python/rafnet/torch.py"
        );
    }
}

/// (∂/∂α_p, ∂/∂β_p) of σ, σ′ or σ″ (`order`) at z.
fn coefficient_slopes(
    bases: &[Basis],
    alpha: &[f64],
    beta: &[f64],
    z: f64,
    order: usize,
) -> Vec<(f64, f64)> {
    let shape = rational::initial();
    let neuron = Neuron {
        bases,
        alpha,
        beta,
        shape: &shape,
    };
    let mut h = [Lanes([0.0]); 3];
    h[order] = Lanes([1.0]);
    let slope = |p| {
        let (a, b) = neuron.term_gradient::<One, 3>(p, Lanes([z]), h);
        (a.0[0], b.0[0])
    };
    (0..bases.len()).map(slope).collect()
}

#[test]
fn derivatives_by_coefficients_and_frequencies() {
    let h = 1.0 / 512.0;
    for basis in Basis::ALL {
        for z in [-1.3, -0.4, 0.3, 0.8] {
            let (alpha, beta) = (0.7, 1.2);
            for order in 0..3 {
                let found = coefficient_slopes(&[basis], &[alpha], &[beta], z, order)[0];
                let of = |alpha: f64, beta: f64| tower(&[basis], &[alpha], &[beta], z)[order];
                let expected = (
                    difference(|a| of(a, beta), alpha, h),
                    difference(|b| of(alpha, b), beta, h),
                );
                for (which, found, expected) in
                    [("α", found.0, expected.0), ("β", found.1, expected.1)]
                {
                    let size = 1.0 + found.abs() + of(alpha, beta).abs();
                    assert!(
                        (found - expected).abs() <= 1e-10 * size,
                        "∂/∂{which} of derivative {order} of {basis} at {z}: {found}, by differences {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn derivatives_by_width() {
    for (s, x) in [(0.03, 0.02), (0.05, 0.07), (0.5, 0.4), (-0.2, 0.1)] {
        let scale = Scale::Width(Coefficient::fixed(s));
        let by_beta = coefficient_slopes(&[Basis::Gaussian], &[1.5], &[scale.beta(s)], x, 0)[0].1;
        // ∂/∂s of αG is α x²/s³ G
        let expected = 1.5 * x * x / s.powi(3) * (-x * x / (2.0 * s * s)).exp();
        close("∂/∂s", by_beta * scale.beta_slope(s), expected, 1e-13);
        let by_difference = difference(|s| scale.beta(s), s, s / 512.0);
        close("∂β/∂s", scale.beta_slope(s), by_difference, 1e-11);
    }
    // a width may pass through zero in training: nothing is infinite there
    let scale = Scale::Width(Coefficient::fixed(1.0));
    for s in [0.0, -0.0, 1e-300, -1e-300] {
        assert!(scale.beta(s).is_finite() && scale.beta_slope(s).is_finite());
    }
}

/// Every function that a text may use, away from its kinks and poles, against differences of the value and of one another.
#[test]
fn texts_and_their_derivatives() -> Result<(), Box<dyn std::error::Error>> {
    let texts = [
        "sin(x) + cos(2*x)*tanh(x)",
        "a*sin(b*x) + exp(-abs(x)); a = 0.7, b = 1.9",
        "x/(1 + exp(-b*x)); b = 1.5",
        "max(0, x)^2*min(x, 2) + where(x < 0.1, x^3, sin(x))",
        "sqrt(x^2 + c^2) + log(2 + x^2) + atan(x)/3; c = 0.3",
        "erf(x) + cbrt(x + 8) + 0.1*sinh(x/2)*cosh(x/3) + 2^(x/4)",
        "sign(x)*abs(x)^1.5 + floor(x)*x + mod(x, 7) + asin(x/9) + acos(x/8) + tan(x/5) + atan2(x, 3)",
    ];
    // as for the towers; the nearest poles are √(x² + 0.3²) at ±0.3i and the logistic at ±2.1i
    let h = 1.0 / 512.0;
    for text in texts {
        let basis: Basis = text.parse()?;
        let start = basis.shape_start();
        let at = |names: &[f64], y: f64| {
            let neuron = Neuron {
                bases: &[basis],
                alpha: &[1.0],
                beta: &[1.0],
                shape: names,
            };
            neuron.tower::<One, 3>(Lanes([y])).map(|v| v.0[0])
        };
        for y in POINTS {
            let found = basis.derivatives(y);
            for k in 0..3 {
                let expected = difference(|y| at(&start, y)[k], y, h);
                let size = 1.0 + found[k].abs() + found[k + 1].abs();
                assert!(
                    (found[k + 1] - expected).abs() <= 2e-10 * size,
                    "`{text}`, derivative {} at {y}: {}, by differences {expected}",
                    k + 1,
                    found[k + 1]
                );
            }
            for (name, order) in (0..start.len()).flat_map(|n| (0..3).map(move |o| (n, o))) {
                let neuron = Neuron {
                    bases: &[basis],
                    alpha: &[1.0],
                    beta: &[1.0],
                    shape: &start,
                };
                let mut seed = [Lanes([0.0]); 3];
                seed[order] = Lanes([1.0]);
                let slope = neuron.shape_gradient::<One, 3>(0, name, Lanes([y]), seed);
                let moved = |c: f64| {
                    let mut names = start.clone();
                    names[name] = c;
                    at(&names, y)[order]
                };
                let expected = difference(moved, start[name], h);
                assert!(
                    (slope.0[0] - expected).abs() <= 2e-10 * (1.0 + expected.abs()),
                    "`{text}`, name {name}, derivative {order} at {y}: {}, by differences {expected}",
                    slope.0[0]
                );
            }
        }
    }
    Ok(())
}

/// The same numbers one by one and in registers, and the same as the expression's own evaluation.
#[test]
fn texts_in_registers() -> Result<(), Box<dyn std::error::Error>> {
    let basis: Basis = "a*sin(3*x) + max(x, -1)*exp(-x^2)/2; a = 0.25".parse()?;
    let y: Vec<f64> = (0..37).map(|k| f64::from(k) * 0.11 - 2.0).collect();
    let mut out = [(); 4].map(|()| vec![0.0; y.len()]);
    let [a, b, c, d] = &mut out;
    basis.derivatives_into(&y, [a, b, c, d]);
    for (k, &y) in y.iter().enumerate() {
        let one = basis.derivatives(y);
        assert!((0..4).all(|order| out[order][k] == one[order]), "at {y}");
        let expected = 0.25 * (3.0 * y).sin() + y.max(-1.0) * (-y * y).exp() / 2.0;
        assert!((one[0] - expected).abs() <= 4.0 * f64::EPSILON * (1.0 + y.abs()));
    }
    Ok(())
}

#[test]
fn derivatives_by_the_rational_functions_own_coefficients() {
    let h = 1.0 / 512.0;
    let shape = rational::initial::<f64>();
    let value = |shape: &[f64; 7], z: f64, order: usize| {
        let neuron = Neuron {
            bases: &[Basis::Rational],
            alpha: &[0.8],
            beta: &[1.3],
            shape,
        };
        neuron.tower::<One, 3>(Lanes([z]))[order].0[0]
    };
    for z in [-1.1, -0.2, 0.4, 1.5] {
        for (order, k) in (0..3).flat_map(|order| (0..7).map(move |k| (order, k))) {
            let neuron = Neuron {
                bases: &[Basis::Rational],
                alpha: &[0.8],
                beta: &[1.3],
                shape: &shape,
            };
            let mut seed = [Lanes([0.0]); 3];
            seed[order] = Lanes([1.0]);
            let found = neuron.shape_gradient::<One, 3>(0, k, Lanes([z]), seed).0[0];
            let moved = |c: f64| {
                let mut shape = shape;
                shape[k] = c;
                value(&shape, z, order)
            };
            let expected = difference(moved, shape[k], h);
            assert!(
                (found - expected).abs() <= 1e-10 * (1.0 + found.abs()),
                "coefficient {k}, derivative {order} at {z}: {found}, by differences {expected}"
            );
        }
    }
}

/// In f32 the same formulas, rounded: 64ε covers the dozen operations of the longest and its cancelling terms.
#[test]
fn single_precision_follows() {
    for basis in Basis::ALL {
        for y in POINTS {
            #[allow(clippy::cast_possible_truncation, reason = "rounding is the point")]
            let y = y as f32;
            let (single, double) = (basis.derivatives(y), basis.derivatives(f64::from(y)));
            for (single, double) in single.into_iter().zip(double) {
                let error = (f64::from(single) - double).abs();
                let size = 1.0 + double.abs();
                assert!(
                    error <= 64.0 * f64::from(f32::EPSILON) * size,
                    "{basis}({y}): {single}, {double}"
                );
            }
        }
    }
}
