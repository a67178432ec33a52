//! What the solver may look at: `exact` is the report's alone, and a text on the boundary is read on the boundary alone.

use crate::{error, options, read, recovers, solve};
use rafnet::solve::Solved;

/// Every number of the model, bit by bit, and the texts beside them.
fn bits(solved: &Solved) -> (Vec<u64>, Vec<String>) {
    let parts = solved.model.parts();
    let outputs = parts.outputs.iter().map(|output| format!("{output:?}"));
    (
        parts.parameters.iter().map(|p| p.to_bits()).collect(),
        outputs.collect(),
    )
}

/// The values at some points, bit by bit.
fn values(solved: &Solved, points: &[f64]) -> Vec<u64> {
    let values = solved.model.eval(points).expect("points inside");
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn a_wrong_exact_solution_changes_nothing() {
    let text = |exact: &str| {
        format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"-laplacian(u) - 2*sin(x)*cos(y) + 0.1*u^2 - 0.1*(sin(x)*cos(y))^2\"\n\
             [[boundary]]\non = \"all\"\ndirichlet = \"sin(x)*cos(y)\"\n{exact}"
        )
    };
    let exacts = [
        "[exact]\nu = \"sin(x)*cos(y)\"\n",
        "[exact]\nu = \"exp(7*x) - 30*cos(40*y)\"\n",
        "",
    ];
    let solved = exacts.map(|exact| solve(&read(&text(exact)), &options()));
    let [right, wrong, none] = &solved;
    assert_eq!(bits(right), bits(wrong));
    assert_eq!(bits(right), bits(none));
    assert_eq!(
        right.error_estimate.to_bits(),
        wrong.error_estimate.to_bits()
    );
    assert_eq!(right.decisions(), wrong.decisions());
    assert!(right.relative_l2_by[0].is_some_and(|error| error < 1e-9));
    assert!(wrong.relative_l2_by[0].is_some_and(|error| error > 0.1));
    assert_eq!(none.relative_l2_by, [None]);
}

/// On a box points of the boundary carry its exact coordinates, so that what vanishes there adds an exact zero.
#[test]
fn what_vanishes_on_the_boundary_changes_no_bit() {
    for manner in ["exact", "penalty", "auto"] {
        let text = |value: &str| {
            format!(
                "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u) - 5*u\"\n\
                 [[boundary]]\non = \"all\"\ndirichlet = \"{value}\"\nenforce = \"{manner}\"\n"
            )
        };
        let plain = solve(&read(&text("exp(x + 2*y)")), &options());
        let bent = text("exp(x + 2*y) + 25*min(min(x, 1 - x), min(y, 1 - y))");
        let bent = solve(&read(&bent), &options());
        let points = [0.5, 0.5, 0.1, 0.9, 0.77, 0.31, 0.0, 0.25, 1.0, 1.0];
        assert_eq!(values(&plain, &points), values(&bent, &points), "{manner}");
        assert_eq!(bits(&plain).0, bits(&bent).0, "{manner}");
    }
}

/// The same for initial values, with what vanishes at the first time.
#[test]
fn what_vanishes_at_the_first_time_changes_no_bit() {
    let text = |value: &str| {
        format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [1, 2]\ntime = \"t\"\n[equation]\nresidual = \"u_t - 0.1*u_xx\"\n\
             [[boundary]]\non = \"x\"\ndirichlet = 0\n[[initial]]\nu = \"{value}\"\n"
        )
    };
    let plain = solve(&read(&text("sin(pi*x)")), &options());
    let bent = solve(&read(&text("sin(pi*x) + 9*(t - 1)*exp(x)")), &options());
    assert_eq!(bits(&plain).0, bits(&bent).0);
}

/// A text that is no number inside: the root of what is negative off the boundary.
#[test]
fn texts_that_are_no_numbers_inside() {
    for manner in ["exact", "penalty", "auto"] {
        let text = format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u)\"\n\
             [[boundary]]\non = \"all\"\ndirichlet = \"exp(x)*cos(y) + sqrt(-(x*(1 - x)*y*(1 - y))^2)\"\nenforce = \"{manner}\"\n"
        );
        recovers(&text, 1e-9, |x| vec![x[0].exp() * x[1].cos()]);
    }
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 0.5]\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_xx\"\n\
                [[boundary]]\non = \"x\"\nneumann = \"sqrt(-(x*(1 - x))^2)\"\n[[initial]]\nu = \"1 + cos(pi*x) + log(1 - t^2*1e9)\"\n";
    recovers(text, 1e-9, |x| {
        let pi = std::f64::consts::PI;
        vec![1.0 + (pi * x[0]).cos() * (-pi * pi * x[1]).exp()]
    });
}

/// On a ball the points lie on the boundary up to rounding, and so does the text.
#[test]
fn texts_that_differ_inside_a_ball() {
    let text = "[domain]\nkind = \"ball\"\n[equation]\nresidual = \"laplacian(u)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"exp(x)*cos(y) + 50*(1 - x^2 - y^2)\"\n";
    let problem = read(text);
    let solved = solve(&problem, &options());
    let error = error(&problem, &solved, |x| vec![x[0].exp() * x[1].cos()]);
    assert!(error < 1e-9, "{error:.1e}");
}
