//! `[[report]]`: figures against closed forms, and their estimates against their errors.

use super::{options, solve};
use rafnet::Problem;
use rafnet::solve::{Method, Options, Solved};

fn figure(solved: &Solved, name: &str) -> (f64, f64) {
    let found = solved.reports.iter().find(|r| r.name == name);
    let found = found.expect("a report of that name");
    (found.value, found.error_estimate)
}

/// The rigidity of a square bar (a series, S. Timoshenko, J. Goodier, "Theory of Elasticity"), the flux by the divergence theorem, the
/// middle by the same series.
#[test]
fn torsion_of_a_square() {
    use std::f64::consts::PI;
    // φ = Σ over odd n of 8/(π³n³) (1 − cosh(nπ(y − ½))/cosh(nπ/2)) sin nπx
    let odd = || (0..40_000).map(|k| f64::from(2 * k + 1));
    let rigidity: f64 = 1.0 / 3.0
        - odd()
            .map(|n| 64.0 / (PI * n).powi(5) * (0.5 * n * PI).tanh())
            .sum::<f64>();
    let middle: f64 = odd()
        .map(|n| {
            let sign = if n % 4.0 < 2.0 { 1.0 } else { -1.0 };
            sign * 8.0 / (PI * n).powi(3) * (1.0 - 1.0 / (0.5 * n * PI).cosh())
        })
        .sum();
    let problem = Problem::builtin("torsion").expect("a built-in problem");
    let solved = solve(&problem, &options());
    for (name, expected, most) in [
        ("rigidity", rigidity, 1e-10),
        ("flux", -2.0, 1e-6),
        ("middle", middle, 1e-9),
    ] {
        let (value, estimate) = figure(&solved, name);
        let error = (value - expected).abs();
        assert!(
            error < most,
            "{name}: {value}, not {expected}: off by {error:.1e}"
        );
        // a few roundings of the closed forms themselves
        assert!(
            error < 20.0 * estimate + 1e-15,
            "{name}: off by {error:.1e}, estimated {estimate:.1e}"
        );
    }
}

/// On a disc, through `over` and a condition on it, and with a nonlinear text.
#[test]
fn half_a_circle() {
    use std::f64::consts::PI;
    let text = r#"
        [domain]
        kind = "ball"
        coordinates = ["x", "y"]
        [equation]
        residual = "-laplacian(u) - 4"
        [[boundary]]
        on = "all"
        dirichlet = 0
        [[report]]
        name = "upper"
        integral = "u_n"
        over = "y > 0"
        [[report]]
        name = "energy"
        integral = "u_x^2 + u_y^2"
    "#;
    let problem = Problem::from_text(text, "disc.toml", None).expect("a problem");
    let solved = solve(&problem, &options()); // u = 1 − x² − y²
    let (upper, _) = figure(&solved, "upper");
    assert!((upper + 2.0 * PI).abs() < 1e-9, "{upper}");
    let (energy, _) = figure(&solved, "energy");
    assert!((energy - 2.0 * PI).abs() < 1e-9, "{energy}");
}

/// A trained method has one solution, so the error of the figure is that of the solution.
#[test]
fn of_a_trained_network() {
    let text = r#"
        [domain]
        kind = "interval"
        x = [0, 1]
        [equation]
        residual = "-u_xx - 2"
        [[boundary]]
        on = "all"
        dirichlet = 0
        [[report]]
        name = "area"
        integral = "u"
    "#;
    let problem = Problem::from_text(text, "bar.toml", None).expect("a problem");
    let options = Options {
        method: Method::Lbfgs,
        width: Some(8),
        depth: Some(2),
        steps: Some(60),
        points: Some(60),
        ..options()
    };
    let solved = solve(&problem, &options); // u = x(1 − x)
    let (area, estimate) = figure(&solved, "area");
    assert!(
        (area - 1.0 / 6.0).abs() < 1e-2 && estimate > 0.0,
        "{area} ± {estimate}"
    );
}
