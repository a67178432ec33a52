//! Floor, 2^x and step.

use super::holds;
use rafnet::expr::largest;
use rafnet_theory::{
    Construction, DigitNetwork, Form, Formula, Modulus, Origin, TheoryError, floor_exponential,
};

fn digits(made: &Construction) -> &DigitNetwork {
    match &made.form {
        Form::Digits { network, .. } => network,
        _ => panic!("digits"),
    }
}

/// f = x² − x/2 with ω = 3/2 (w_f(r) ≤ 3r/2): numbers, errors on the grid i/997, bounds.
#[test]
fn the_example() -> Result<(), TheoryError> {
    let f = Formula::read("x^2 - x/2")?;
    let grid: Vec<f64> = (0..997).map(|i| f64::from(i) / 997.0).collect();
    for (n, error, bound) in [
        (2, 0.74975, 1.125),
        (3, 0.49850, 0.5625),
        (5, 0.12796, 0.140625),
    ] {
        let made = floor_exponential(&f, n, &Modulus::read("1.5*r")?)?;
        assert_eq!(made.bound.value.to_bits(), f64::to_bits(bound));
        assert_eq!(made.bound.origin, Origin::Stated);
        let exact = f.values(&grid);
        let found = made.eval(&grid)?;
        let worst = largest(found.iter().zip(exact).map(|(u, f)| (u - f).abs()));
        // five digits are given
        assert!((worst - error).abs() <= 5e-6, "N = {n}: {worst}");
        holds(&made, 1e-13);
        // the f64 network and the digits agree in every bit
        assert_eq!(found, digits(&made).eval(&grid));
    }
    let made = floor_exponential(&f, 2, &Modulus::read("1.5*r")?)?;
    assert_eq!(digits(&made).number(1), Some(11.0 / 32.0));
    assert_eq!(digits(&made).number(2), Some(1.0 / 8.0));
    Ok(())
}

/// 2W² + (d + 22)W + 1 parameters as stated, 2d + 2N + 2 that are not zero, three hidden layers.
#[test]
fn counts() -> Result<(), TheoryError> {
    for (w, d, stated) in [(5, 1, 166), (10, 2, 441)] {
        let text = ["x1^2", "x1*x2"][d - 1];
        let made = floor_exponential(&Formula::read(text)?, w, &Modulus::Estimated)?;
        let statement = made.statement.expect("a statement");
        assert_eq!(
            (statement.width, statement.depth, statement.parameters),
            (w, 3, stated)
        );
        assert_eq!(made.widths(), [d, 1, w]);
        assert_eq!(made.parameters(), 2 * d + 2 * w + 2);
    }
    // (W, d) = (16, 10) is beyond what can be stored; the formula is the one above
    let stated = |w: usize, d: usize| 2 * w * w + (d + 22) * w + 1;
    assert_eq!(
        [stated(5, 1), stated(10, 2), stated(16, 10)],
        [166, 441, 1025]
    );
    Ok(())
}

/// The bound in one, two and three dimensions, with the modulus estimated; beyond dN = 5 no f64 network exists.
#[test]
fn bounds_hold() -> Result<(), TheoryError> {
    let cases = [
        ("sin(6*x)", 5, true),
        ("sin(6*x)", 12, false),
        ("abs(x - 0.4)", 10, false),
        ("x*y + cos(3*y)", 2, true),
        ("x*y + cos(3*y)", 8, false),
        ("x*y*z - x^2", 4, false),
        ("4.25", 3, true),
    ];
    for (text, w, real) in cases {
        let made = floor_exponential(&Formula::read(text)?, w, &Modulus::Estimated)?;
        assert_eq!(made.bound.origin, Origin::Estimated);
        holds(&made, 1e-12);
        assert_eq!(made.to_model().is_ok(), real, "{text}, W = {w}");
        if !real {
            let refused = made.to_model().expect_err("too many digits").to_string();
            assert!(
                refused.contains("floor-exponential") && refused.contains("binary digits"),
                "{refused}"
            );
        }
    }
    Ok(())
}

/// The strings hold the digits of every corner's value, one for one: checked by long division of one cell.
#[test]
fn digits_by_hand() -> Result<(), TheoryError> {
    let f = Formula::read("x^2 - x/2")?;
    let made = floor_exponential(&f, 3, &Modulus::read("1.5*r")?)?;
    let net = digits(&made);
    for k in 1..=8_u32 {
        let corner = f64::from(k - 1) / 8.0;
        let mut share = (corner * corner - corner / 2.0 + 1.5) / 3.0;
        for j in 1..=3 {
            share *= 2.0;
            let digit = share >= 1.0;
            share -= f64::from(u8::from(digit));
            assert_eq!(net.digit(j, k as usize), digit, "digit {j} of cell {k}");
        }
    }
    assert_eq!(net.string(1).len(), 8);
    Ok(())
}
