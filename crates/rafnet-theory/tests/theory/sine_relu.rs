//! The exact pieces of Sine-ReLU networks.

use super::holds;
use rafnet_theory::{
    Formula, TheoryError, fourier_sum, hat, measured_rate, piecewise_linear, relu_identity,
    theorem_1,
};

#[test]
fn no_construction_for_theorem_1() {
    let message = theorem_1().expect_err("nothing to build").to_string();
    assert!(message.contains("no construction"), "{message}");
}

#[test]
fn pieces() -> Result<(), TheoryError> {
    let made = relu_identity()?;
    assert_eq!(
        (made.widths(), made.eval(&[-3.5, 0.0, 2.25])?),
        (vec![2], vec![-3.5, 0.0, 2.25])
    );
    holds(&made, 5e-15);
    let made = hat([-1.0, 1.0, 2.0])?;
    assert_eq!(made.widths(), [3]);
    assert_eq!(made.eval(&[-1.0, 1.0, 2.0, 0.0])?, [0.0, 1.0, 0.0, 0.5]);
    holds(&made, 1e-13);
    let made = fourier_sum(0.5, &[[1.0, 2.0], [0.0, -0.25]])?;
    assert_eq!(made.widths(), [4]);
    holds(&made, 1e-13);
    let x = 0.7_f64;
    let exact = 0.5 + x.cos() + 2.0 * x.sin() - 0.25 * (2.0 * x).sin();
    assert!((made.eval(&[x])?[0] - exact).abs() < 1e-15);
    Ok(())
}

#[test]
fn interpolants() -> Result<(), TheoryError> {
    // at its knots and, for a straight line, everywhere
    let square = piecewise_linear(&Formula::read("x^2")?, [0.0, 4.0], 5)?;
    assert_eq!(square.widths(), [4]);
    assert_eq!(
        square.eval(&[0.0, 1.0, 2.0, 3.0, 4.0, 1.5])?,
        [0.0, 1.0, 4.0, 9.0, 16.0, 2.5]
    );
    // h² f″/8 = 1/4, attained in the middle of every piece
    assert!(
        (square.max_error - 0.25).abs() < 1e-6,
        "{}",
        square.max_error
    );
    assert!((square.bound.value - 0.25).abs() < 1e-14);
    let sine = piecewise_linear(&Formula::read("sin(3*x)")?, [-1.0, 1.0], 33)?;
    holds(&sine, 1e-12);
    Ok(())
}

/// Doubling the knots of a smooth function's interpolant divides the error by four.
#[test]
fn the_rate_is_measured() -> Result<(), TheoryError> {
    let rate = measured_rate(&Formula::read("exp(x)")?, [0.0, 1.0])?;
    for pair in rate.windows(2) {
        assert!(pair[1].parameters > pair[0].parameters);
        let fall = pair[0].max_error / pair[1].max_error;
        assert!((3.5..4.5).contains(&fall), "{fall}");
    }
    Ok(())
}
