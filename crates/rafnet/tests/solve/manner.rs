//! How conditions are met and what a user may add: `enforce`, `[ansatz]`, `[features]`, `[guess]`.

use crate::{error, options, read, recovers, solve};
use rafnet::expr::largest;
use rafnet::solve::{Method, Options, Solved};

fn helmholtz(manner: &str) -> String {
    format!(
        "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u) - 2*u\"\n\
         [[boundary]]\non = \"all\"\ndirichlet = \"exp(x - y)\"\n{manner}\n"
    )
}

fn exact(x: &[f64]) -> Vec<f64> {
    vec![(x[0] - x[1]).exp()]
}

/// The largest distance of u from its value on the boundary.
fn off_on_the_boundary(solved: &Solved) -> f64 {
    let side = |k: u32| f64::from(k) / 50.0;
    let points: Vec<f64> = (0..=50)
        .flat_map(|k| {
            [
                [side(k), 0.0],
                [side(k), 1.0],
                [0.0, side(k)],
                [1.0, side(k)],
            ]
        })
        .flatten()
        .collect();
    let found = solved.model.eval(&points).expect("points on the boundary");
    let off = points
        .chunks(2)
        .zip(found)
        .map(|(x, found)| (found - exact(x)[0]).abs());
    largest(off)
}

/// Exactly: what is left on the boundary is the rounding of the lift.
#[test]
fn held_exactly() {
    let solved = recovers(&helmholtz("enforce = \"exact\""), 1e-9, exact);
    assert!(off_on_the_boundary(&solved) < 8.0 * f64::EPSILON * 1f64.exp());
    let output = &solved.model.parts().outputs[0];
    assert!(output.factor.is_some() && output.lift.is_some());
}

/// As rows: no factor, and values that are met to the size of the error.
#[test]
fn met_by_rows() {
    let solved = recovers(&helmholtz("enforce = \"penalty\""), 1e-9, exact);
    assert!(off_on_the_boundary(&solved) < 1e-8);
    assert_eq!(solved.model.parts().outputs[0].factor, None);
    recovers(
        &helmholtz("enforce = \"penalty\"\nweight = 10\npoints = 300"),
        1e-9,
        exact,
    );
}

/// The user's own factor and lift hold without any boundary row, and stand in the model.
#[test]
fn an_ansatz() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + u\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 1\n[[boundary]]\non = \"x=1\"\ndirichlet = \"cos(1)\"\n\
                [ansatz]\nfactor = \"x*(1 - x)\"\nlift = \"1 + (cos(1) - 1)*x^2\"\n";
    let solved = recovers(text, 1e-11, |x| vec![x[0].cos()]);
    let output = &solved.model.parts().outputs[0];
    assert!(
        output
            .lift
            .as_ref()
            .is_some_and(|lift| lift.contains("x^2"))
    );
    let ends = solved.model.eval(&[0.0, 1.0]).expect("the ends");
    assert!((ends[0] - 1.0).abs() < 1e-15 && (ends[1] - 1f64.cos()).abs() < 1e-15);
}

/// |x| is no smooth function of x, but one of r = |x|.
#[test]
fn a_feature_that_knows_the_kink() {
    let text = "[domain]\nkind = \"interval\"\nx = [-1, 1]\n[features]\nr = \"abs(x)\"\n\
                [equation]\nresidual = \"u - exp(abs(x))*cos(3*x)\"\n";
    let exact = |x: &[f64]| vec![x[0].abs().exp() * (3.0 * x[0]).cos()];
    recovers(text, 1e-9, exact);
    let without = read(&text.replace("[features]\nr = \"abs(x)\"\n", ""));
    let narrow = Options {
        method: Method::Lsq,
        width: Some(100),
        ..options()
    };
    let plain = solve(&without, &narrow);
    assert!(
        error(&without, &plain, exact) > 1e-6,
        "without the feature there is a kink"
    );
}

/// Two solutions of one equation: the guess says which.
#[test]
fn a_guess_of_a_root() {
    let text = |guess: &str| {
        format!(
            "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u^2 - (1 + x)^2\"\n[guess]\nu = \"{guess}\"\n"
        )
    };
    recovers(&text("2"), 1e-12, |x| vec![1.0 + x[0]]);
    recovers(&text("-1"), 1e-12, |x| vec![-1.0 - x[0]]);
}

/// u″ + e^u = 0 between zeros has two solutions, 2 log(cosh(θ/4) / cosh(θ(x − ½)/2)) with θ = √2 cosh(θ/4). From the lift
/// alone the lower one is met, the upper one needs a guess.
#[test]
fn a_guess_of_a_branch() {
    let theta = |mut low: f64, mut high: f64| {
        let off = |theta: f64| theta - 2f64.sqrt() * (theta / 4.0).cosh();
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if (off(middle) > 0.0) == (off(low) > 0.0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    };
    let branch = |theta: f64| {
        move |x: &[f64]| {
            vec![2.0 * ((theta / 4.0).cosh() / (0.5 * theta * (x[0] - 0.5)).cosh()).ln()]
        }
    };
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + exp(u)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";
    recovers(text, 1e-10, branch(theta(1.0, 4.0)));
    let guessed = format!("{text}[guess]\nu = \"4*sin(pi*x)\"\n");
    recovers(&guessed, 1e-9, branch(theta(4.0, 20.0)));
}
