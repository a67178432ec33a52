//! Manufactured sources against the values of `paper/experiments.md`, part 9.2, and exact solutions that are not used.

use super::{at_exact, close, read, refused};
use rafnet::expr::{Expr, Leaf};
use rafnet::problem::Problem;
use std::fmt::Write as _;

/// f at a point: minus the residual where every jet is put to that of the function 0, plus what the operator gives there.
fn source(problem: &Problem, at_zero: f64, point: &[f64]) -> f64 {
    let zero = problem.equations[0].substitute(&[Expr::number(0.0)]);
    at_zero - super::at(&zero, point, &[])
}

/// (problem, operator at u = 0, point, u, f)
const TABLE: [(&str, f64, [f64; 2], f64, f64); 15] = [
    (
        "poisson-smooth",
        0.0,
        [0.25, 0.5],
        0.005_859_375,
        -0.015_625,
    ),
    ("poisson-smooth", 0.0, [0.3, 0.7], 0.009_261, 0.1092),
    ("poisson-smooth", 0.0, [0.9, 0.1], 0.000_729, -0.0828),
    (
        "low-regularity",
        0.0,
        [0.3, 0.4],
        0.0,
        -12.566_370_614_359_17,
    ),
    (
        "low-regularity",
        0.0,
        [0.1, -0.2],
        -0.986_281_128_113_018_8,
        -6.632_151_961_529_556,
    ),
    (
        "low-regularity-r",
        0.0,
        [-0.6, 0.5],
        0.981_060_142_104_978_6,
        32.683_793_664_916_85,
    ),
    (
        "oscillation",
        4.0,
        [0.1, 0.2],
        -0.559_016_994_374_947_4,
        -395.167_482_311_104_1,
    ),
    (
        "oscillation",
        4.0,
        [0.3, 0.7],
        -0.345_491_502_812_526_3,
        -242.772_842_514_953_4,
    ),
    (
        "oscillation",
        4.0,
        [0.84, 0.13],
        -0.079_890_409_786_663_2,
        -53.084_224_444_111_18,
    ),
    (
        "oscillation-code",
        5.0,
        [0.1, 0.2],
        -0.559_016_994_374_947_4,
        -391.378_238_517_237_1,
    ),
    (
        "oscillation-code",
        5.0,
        [0.3, 0.7],
        -0.345_491_502_812_526_3,
        -240.337_035_492_453_2,
    ),
    (
        "oscillation-code",
        5.0,
        [0.84, 0.13],
        -0.079_890_409_786_663_2,
        -51.824_895_883_274_56,
    ),
    (
        "super-oscillation",
        4.0,
        [0.84, 0.13],
        0.559_016_994_374_947_4,
        17_661.833_649_471_02,
    ),
    (
        "super-oscillation",
        4.0,
        [0.11, 0.23],
        -0.559_016_994_374_947_4,
        -17_653.208_649_471_02,
    ),
    (
        "super-oscillation",
        4.0,
        [0.512, 0.367],
        0.842_661_837_209_405_5,
        26_621.645_453_207_11,
    ),
];

#[test]
fn the_papers_sources_are_met() {
    for (name, at_zero, point, u, f) in TABLE {
        let problem = Problem::builtin(name).expect("it is read");
        let value = Expr::leaf(Leaf::jet(0, &[]));
        // sin(40πx) loses 40π units of the last place of x
        close(at_exact(&problem, &value, &point, &[]), u, 1.0, 200.0);
        close(source(&problem, at_zero, &point), f, f.abs(), 400.0);
    }
}

const ROD: &str = r#"
[domain]
kind = "interval"
x = [0, 1]
[equation]
residual = "RESIDUAL"
source = "manufactured"
[[boundary]]
on = "all"
dirichlet = "0"
[exact]
u = "sin(pi*x)"
"#;

#[test]
fn factors_of_the_source_are_divided_out() {
    // −2f + 3u_xx = 0 gives f = 1.5 u_xx whatever the way it is written
    for residual in ["3*u_xx - 2*f", "-(2*f - 3*u_xx)", "(3*u_xx - 2*f)*7/7"] {
        let problem = read(&ROD.replace("RESIDUAL", residual));
        let zero = problem.equations[0].substitute(&[Expr::number(0.0)]);
        let expected = 3.0 * std::f64::consts::PI.powi(2) * (std::f64::consts::PI * 0.3).sin();
        close(super::at(&zero, &[0.3], &[]), expected, expected, 8.0);
    }
}

#[test]
fn other_factors_are_refused() {
    for residual in ["u_xx - x*f", "u_xx - f^2", "u_xx - u*f", "u_xx - sin(f)"] {
        let message = refused(&ROD.replace("RESIDUAL", residual));
        assert!(
            message.contains("must enter with a constant factor"),
            "{message}"
        );
    }
}

/// A wrong exact solution in a file with an explicit source changes nothing but the report.
#[test]
fn exact_is_read_by_the_report_alone() {
    let text = |exact: &str| {
        format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_xx - x*t\"\n\
             [[boundary]]\non = \"all\"\ndirichlet = \"sin(t)\"\n[[initial]]\nu = \"x*(1 - x)\"\n{exact}"
        )
    };
    let with = read(&text("[exact]\nu = \"17 + cos(x)\"\n"));
    let without = read(&text(""));
    assert_eq!(with.equations, without.equations);
    assert_eq!(with.conditions.len(), without.conditions.len());
    for (a, b) in with.conditions.iter().zip(&without.conditions) {
        assert_eq!(
            (&a.residual, &a.pieces, &a.dirichlet),
            (&b.residual, &b.pieces, &b.dirichlet)
        );
    }
    assert!(with.exact[0].is_some() && without.exact[0].is_none());
}

#[test]
fn systems_have_a_source_an_equation() {
    let problem = Problem::builtin("system").expect("it is read");
    for point in [[0.3, 0.4], [0.9, 0.2]] {
        for equation in &problem.equations {
            close(at_exact(&problem, equation, &point, &[]), 0.0, 20.0, 16.0);
        }
    }
}

#[test]
fn derivatives_of_known_functions_that_blow_up_are_refused() {
    let file = |more: &str| {
        format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - f\"\nsource = \"manufactured\"\n\
             [[boundary]]\non = \"all\"\ndirichlet = 0\n{more}"
        )
    };
    let said = refused(&file("[exact]\nu = \"prod(i, 1, 256, sin(x*i))\"\n"));
    assert!(
        said.contains("a derivative of the exact solution has more than"),
        "{said}"
    );
    let more = "[exact]\nu = \"x*(1 - x)\"\n[guess]\nu = \"prod(i, 1, 256, sin(x*i))\"\n";
    let said = refused(&file(more));
    assert!(
        said.contains("a derivative of `u` of `[guess]` has more than"),
        "{said}"
    );
}

/// The defect was time, which grew with the square of the number of names: three quarters of a minute and more for these.
#[test]
fn very_many_parameters_are_read_in_linear_time() {
    let mut text =
        "[domain]\nkind = \"box\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - p99999\"\n\
                    [[boundary]]\non = \"all\"\ndirichlet = 0\n[parameters]\n"
            .to_owned();
    for k in 0..100_000 {
        let _ = writeln!(text, "p{k} = {k}");
    }
    let begun = std::time::Instant::now();
    let problem = read(&text);
    assert!(begun.elapsed() < std::time::Duration::from_secs(15));
    assert_eq!(format!("{:?}", problem.equations[0]), "u1_x1x1 - 99999");
}
