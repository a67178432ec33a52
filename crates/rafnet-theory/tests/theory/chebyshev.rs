//! Chebyshev series as networks.

use super::{UNIT, holds};
use rafnet_theory::{
    Construction, Degree, Ellipse, Formula, Series, TheoryError, Variant, chebyshev,
    chebyshev_by_monomials, theorem_layout,
};

const WHOLE: [f64; 2] = [-1.0, 1.0];

fn made(
    text: &str,
    interval: [f64; 2],
    degree: Degree,
    s: Option<f64>,
) -> Result<Construction, TheoryError> {
    let formula = Formula::read(text)?;
    let series = Series::of(&formula, interval, degree)?;
    chebyshev(&formula, &series, s)
}

/// c_0 = I_0(1), c_k = 2 I_k(1) (40-digit arithmetic).
#[test]
fn coefficients_of_exp() -> Result<(), TheoryError> {
    let series = Series::of(&Formula::read("exp(x)")?, WHOLE, Degree::Fixed(4))?;
    let exact = [
        1.2660658777520083,
        1.13031820798497,
        0.27149533953407656,
        0.044336849848663805,
        0.005474240442093733,
    ];
    for (c, exact) in series.coefficients().iter().zip(exact) {
        // a mean of values below e, each off by a few units in the last place
        assert!(
            (c - exact).abs() <= 8.0 * UNIT * std::f64::consts::E,
            "{c} for {exact}"
        );
    }
    Ok(())
}

/// Errors and bounds of the specification, s = 4, C_f = e^2.125.
#[test]
fn exp_by_the_recurrence() -> Result<(), TheoryError> {
    for (n, error, bound) in [
        (4, 5.91313e-4, 2.18044e-2),
        (8, 1.16134e-8, 8.51735e-5),
        (12, 4.13853e-14, 3.32709e-7),
    ] {
        let net = made("exp(x)", WHOLE, Degree::Fixed(n), Some(4.0))?;
        assert_eq!((net.width(), net.depth()), (6, n - 1));
        // six digits are given, and the network and the reference round
        let slack = 1e-5 * error + net.bound.rounding;
        assert!(
            (net.max_error - error).abs() <= slack,
            "degree {n}: {:e}",
            net.max_error
        );
        assert!(
            (net.bound.value / bound - 1.0).abs() <= 5e-6,
            "degree {n}: {:e}",
            net.bound.value
        );
        holds(&net, 2e-12);
    }
    let series = Series::of(&Formula::read("exp(x)")?, WHOLE, Degree::Fixed(4))?;
    let ellipse = Ellipse::of(&series, "exp(x)", 4.0)?;
    // the coefficients that are seen end at 1e-15; the largest term of the rest is c_15 4^15 ~ 5e-8
    assert!(
        (ellipse.most / 2.125_f64.exp() - 1.0).abs() < 1e-7,
        "{}",
        ellipse.most
    );
    // the degree that the bound asks for is enough, and one less is not
    let n = ellipse.degree_for(1e-6);
    assert!(ellipse.bound(n) <= 1e-6 && ellipse.bound(n - 1) > 1e-6);
    Ok(())
}

/// Width 2N + 2, and L_min of the specification; the same function by monomials.
#[test]
fn exp_the_theorem_s_way() -> Result<(), TheoryError> {
    for (n, chains, least) in [(4, 1, 30), (4, 4, 25), (10, 10, 70), (20, 20, 154)] {
        let layout = theorem_layout(n, chains, Variant::Stated);
        assert_eq!(
            (layout.width(1), layout.least_depth(n)),
            (2 * chains + 2, least)
        );
        let (l, n, big) = (least as f64, n as f64, chains as f64);
        let condition =
            |l: f64| (l - 2.0 * n - 2.0 - (n + 1.0) * big.log2()) * big >= n * (n + 1.0);
        assert!(condition(l) && !condition(l - 1.0));
    }
    let exp = Formula::read("exp(x)")?;
    for (n, chains) in [(4, 1), (4, 4), (10, 10)] {
        let series = Series::of(&exp, WHOLE, Degree::Fixed(n))?;
        for variant in [Variant::Stated, Variant::Tight] {
            let layout = theorem_layout(n, chains, variant);
            let net = chebyshev_by_monomials(&exp, &series, &layout, Some(4.0))?;
            assert!(net.width() <= 2 * chains + 2);
            assert_eq!(net.depth(), layout.used_depth(n));
            holds(&net, 1e-9);
            // the same polynomial as the recurrence, by Clenshaw's way
            let points = [-1.0, -0.37, 0.0, 0.5, 0.99];
            for (u, x) in net.eval(&points)?.iter().zip(points) {
                assert!(
                    (u - series.value(x)).abs() <= net.bound.rounding,
                    "{u} at {x}"
                );
            }
        }
    }
    Ok(())
}

/// T_60 alone, against cos(60 arccos x): the recurrence is stable, the monomials are not.
#[test]
fn degree_sixty_is_stable() -> Result<(), TheoryError> {
    let mut c = vec![0.0; 61];
    c[60] = 1.0;
    let series = Series::from_coefficients(WHOLE, c);
    let formula = Formula::read("cos(60*acos(x))")?;
    let net = chebyshev(&formula, &series, None)?;
    assert_eq!((net.width(), net.depth()), (6, 59));
    // at x = cos θ with θ exact to 1 u, T_60 is conditioned by 60 in θ; away from the ends the recurrence loses a few hundred u
    for i in 1..60 {
        let theta = std::f64::consts::PI * (f64::from(i) + 0.3) / 61.0;
        let error = (net.eval(&[theta.cos()])?[0] - (60.0 * theta).cos()).abs();
        // 60² u/2 for the rounding of x near the ends, and the specification's 3e-14 for the network
        assert!(error < 3e-13, "{error:e} at {theta}");
    }
    let layout = theorem_layout(60, 8, Variant::Tight);
    let by_monomials = chebyshev_by_monomials(&formula, &series, &layout, None)?;
    assert!(by_monomials.max_error > 1.0, "{:e}", by_monomials.max_error);
    Ok(())
}

/// A smooth series of degree 60: the specification's 3e-14.
#[test]
fn a_smooth_series_of_degree_sixty() -> Result<(), TheoryError> {
    let net = made("cos(20*x)*exp(x/2)", WHOLE, Degree::Fixed(60), None)?;
    assert_eq!(net.depth(), 59);
    assert!(net.max_error < 3e-14, "{:e}", net.max_error);
    Ok(())
}

/// The degree is found for a tolerance, on any interval, and the error keeps tolerance and bound.
#[test]
fn tolerances() -> Result<(), TheoryError> {
    let texts = [
        ("exp(x)", [-1.0, 1.0]),
        ("sin(5*x) + x^3", [0.0, 2.0]),
        ("1/(1 + 25*x^2)", [-1.0, 1.0]),
        ("1/(2 - x)", [-1.0, 1.0]),
        ("log(3 + x)", [-2.0, 5.0]),
        ("tanh(3*x)", [-1.0, 1.0]),
        ("exp(-10*x^2)", [-1.0, 1.0]),
        ("x^2", [-3.0, 4.0]),
        ("3", [0.0, 1.0]),
    ];
    for (text, interval) in texts {
        let mut before = 0;
        for tolerance in [1e-3, 1e-7, 1e-11] {
            let formula = Formula::read(text)?;
            let series = Series::of(&formula, interval, Degree::Tolerance(tolerance))?;
            let net = chebyshev(&formula, &series, None)?;
            let rounding = net.bound.rounding;
            assert!(
                net.max_error <= tolerance + rounding,
                "{text}: {:e}",
                net.max_error
            );
            assert!(
                net.max_error <= net.bound.total(),
                "{text}: {:e}, {:?}",
                net.max_error,
                net.bound
            );
            assert!(series.degree() >= before, "{text}");
            before = series.degree();
            // one degree less would miss the tolerance, up to the triangle inequality's slack
            let rest: f64 = series.all_coefficients()[series.degree()..]
                .iter()
                .map(|c| c.abs())
                .sum();
            assert!(
                rest > 0.5 * tolerance || series.degree() == 0,
                "{text}: degree {} is too high",
                series.degree()
            );
        }
    }
    Ok(())
}

/// Poles of 1/(1 + 25x²) at ±i/5 lie on the ellipse of parameter (1 + √26)/5.
#[test]
fn an_ellipse_with_a_pole_inside_is_refused() -> Result<(), TheoryError> {
    let runge = Formula::read("1/(1 + 25*x^2)")?;
    let series = Series::of(&runge, WHOLE, Degree::Tolerance(1e-10))?;
    let edge = (1.0 + 26_f64.sqrt()) / 5.0;
    assert!(Ellipse::of(&series, runge.text(), edge - 0.05).is_ok());
    let refused = Ellipse::of(&series, runge.text(), edge + 0.05).expect_err("a pole");
    let TheoryError::Ellipse { rate, .. } = refused else {
        panic!("{refused}");
    };
    assert!((rate - edge).abs() < 0.02, "{rate}");
    let best = Ellipse::best(&series).expect("an ellipse");
    assert!(best.s > 1.0 && best.s < edge, "{best:?}");
    Ok(())
}
