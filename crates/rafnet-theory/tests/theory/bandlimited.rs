//! Band-limited functions: d = 2, M = 3, F = 1/36, K = e^(it), so that f = Π sin(3x_i)/(3x_i).

use rafnet_theory::{BandLimited, Kernel, Terms, TheoryError};

fn sinc_product() -> Result<BandLimited, TheoryError> {
    BandLimited::new("1/36", 2, None, Kernel::Wave, 3.0)
}

#[test]
fn closed_forms() -> Result<(), TheoryError> {
    let f = sinc_product()?;
    let sinc = |x: f64| (3.0 * x).sin() / (3.0 * x);
    for [x, y] in [[0.5, 0.25], [0.1, 0.9], [1.0, 1.0]] {
        assert!((f.value(&[x, y]) - sinc(x) * sinc(y)).abs() < 1e-14);
    }
    assert!((f.value(&[0.5, 0.25]) - 0.604383329598471).abs() < 1e-14);
    let expected = f.expectation();
    // sums of 24⁴ terms of size 1, in f64; the references have 15 digits
    assert!((expected.mass - 1.0).abs() < 1e-13);
    assert!(
        (expected.norm_square - 0.22342930222393).abs() < 1e-13,
        "{expected:?}"
    );
    assert!(
        (expected.mean_square - 0.528190758594078).abs() < 1e-13,
        "{expected:?}"
    );
    for n in [1, 100] {
        let square = expected.error(n).powi(2);
        assert!(
            (square * n as f64 - 0.304761456370149).abs() < 1e-13,
            "{square}"
        );
    }
    Ok(())
}

/// One hidden layer of n sine neurons; over seeds the mean square error is what is expected.
#[test]
fn sampling() -> Result<(), TheoryError> {
    let f = sinc_product()?;
    let n = 200;
    let mut squares = Vec::new();
    for seed in 0..40 {
        let made = f.build(Terms::Count(n), seed)?;
        assert_eq!(made.widths(), [n]);
        let figure = |name| {
            made.figures
                .iter()
                .find(|(k, _)| *k == name)
                .map_or(f64::NAN, |(_, v)| *v)
        };
        let (l2, expected) = (figure("l2_error"), figure("expected_l2_error"));
        assert!((expected - (0.304761456370149 / n as f64).sqrt()).abs() < 1e-13);
        // the bound C_F/√n is for the mean; a single seed exceeds 4 times it with probability below 1e-6 (Bernstein)
        assert!(l2 <= 4.0 * made.bound.value, "{l2}");
        squares.push(l2 * l2);
    }
    let mean = squares.iter().sum::<f64>() / 40.0;
    let ratio = mean / (0.304761456370149 / n as f64);
    // each square has a relative spread below √2 (one dominating direction at worst), the mean of 40 below 0.23: three of those
    assert!((ratio - 1.0).abs() < 0.7, "{ratio}");
    assert!(mean <= 1.0 / n as f64, "the theorem's bound: {mean}");
    let again = f.build(Terms::Count(n), 3)?;
    assert_eq!(
        again.max_error.to_bits(),
        f.build(Terms::Count(n), 3)?.max_error.to_bits()
    );
    assert_ne!(
        again.max_error.to_bits(),
        f.build(Terms::Count(n), 4)?.max_error.to_bits()
    );
    Ok(())
}

/// n = ⌈1/ε₀²⌉ with ε₀ = ε/(4 C_F): 16 C_F²/ε² terms.
#[test]
fn terms_for_a_tolerance() -> Result<(), TheoryError> {
    let made = sinc_product()?.build(Terms::Tolerance(0.25), 0)?;
    assert_eq!(made.widths(), [256]);
    let l2 = made.figures[0];
    assert_eq!(l2.0, "l2_error");
    assert!(l2.1 <= 0.25);
    let refused = sinc_product()?.build(Terms::Tolerance(4.5), 0);
    assert!(matches!(refused, Err(TheoryError::Number { .. })));
    Ok(())
}

/// A signed density and another kernel: f(x) = ∫ w cos(wx) over [0, 2] − … is odd in w and vanishes; a phase turns it.
#[test]
fn signs_phases_and_kernels() -> Result<(), TheoryError> {
    // F = w is odd: Re ∫ w e^(iwx) = ∫ w cos(wx) = 0
    let odd = BandLimited::new("w", 1, None, Kernel::Wave, 2.0)?;
    assert!(odd.value(&[0.7]).abs() < 1e-14);
    // with the phase π/2 it is −∫ w sin(wx) = −2 (sin(2x) − 2x cos(2x))/x²
    let turned = BandLimited::new("w", 1, Some("pi/2"), Kernel::Wave, 2.0)?;
    let x = 0.7_f64;
    let exact = -2.0 * ((2.0 * x).sin() - 2.0 * x * (2.0 * x).cos()) / (x * x);
    assert!((turned.value(&[x]) - exact).abs() < 1e-13);
    let made = turned.build(Terms::Count(400), 1)?;
    assert!(made.max_error < 1.0 && made.figures[0].1 <= 4.0 * made.bound.value);
    // K = exp(−t²): ∫_{−1}^{1} exp(−w²x²) dw at x = 1 is √π erf(1) = 1.493648265624854
    let kernel = Kernel::read("exp(-t^2)")?;
    let bumps = BandLimited::new("1", 1, None, kernel, 1.0)?;
    assert!((bumps.value(&[1.0]) - 1.493648265624854).abs() < 1e-14);
    let made = bumps.build(Terms::Count(30), 2)?;
    assert_eq!(made.width(), 6 * 30);
    assert!(made.figures[0].1 <= 4.0 * made.bound.value);
    Ok(())
}
