//! Atoms of harmonic analysis and radial functions.

use super::holds;
use rafnet_theory::{
    CosineAxis, Degree, Form, TheoryError, Way, Window, dct, dft, gabor, gaussian_rbf, radial,
    windowed_dct,
};
use std::f64::consts::PI;

/// Neurons of a product tree over n values.
fn tree(n: usize) -> usize {
    let mut left = n;
    let mut total = 0;
    while left > 1 {
        total += left;
        left = left.div_ceil(2);
    }
    total
}

fn levels(n: usize) -> usize {
    n.next_power_of_two().trailing_zeros() as usize
}

fn axes(d: usize) -> Vec<CosineAxis> {
    let axis = |k: u32| CosineAxis {
        size: 4 + k,
        frequency: (2 * k + 1) % (4 + k),
    };
    (0..u32::try_from(d).expect("small")).map(axis).collect()
}

#[test]
fn tree_counts() {
    assert_eq!([2, 3, 4, 8].map(tree), [2, 5, 6, 14]);
}

#[test]
fn cosines_both_ways() -> Result<(), TheoryError> {
    for d in 1..=6 {
        let axes = axes(d);
        let sums = dct(&axes, Way::Sums)?;
        assert_eq!(sums.widths(), [1 << (d - 1)]);
        let products = dct(&axes, Way::Products)?;
        assert_eq!(products.depth(), 1 + levels(d));
        assert_eq!(products.neurons(), d + tree(d));
        // angles up to π n d round to that many units
        holds(&sums, 1e-13);
        holds(&products, 1e-12);
        // at integer samples the atom is the DCT-II matrix's entry
        let t: Vec<f64> = (0..d).map(|k| (k % 3) as f64).collect();
        let entry = |(axis, t): (&CosineAxis, &f64)| {
            let (n, k) = (f64::from(axis.size), f64::from(axis.frequency));
            (PI / n * (t + 0.5) * k).cos()
        };
        let exact: f64 = axes.iter().zip(&t).map(entry).product();
        for made in [sums, products] {
            assert!((made.eval(&t)?[0] - exact).abs() <= made.bound.rounding);
        }
    }
    Ok(())
}

/// The DCT-II atoms of one size are orthogonal on the samples.
#[test]
fn cosines_are_orthogonal() -> Result<(), TheoryError> {
    let size = 8;
    let samples: Vec<f64> = (0..size).map(f64::from).collect();
    let atom = |frequency| dct(&[CosineAxis { size, frequency }], Way::Sums)?.eval(&samples);
    for i in 0..size {
        for j in 0..size {
            let dot: f64 = atom(i)?.iter().zip(atom(j)?).map(|(a, b)| a * b).sum();
            let exact = if i != j {
                0.0
            } else if i == 0 {
                8.0
            } else {
                4.0
            };
            assert!((dot - exact).abs() < 1e-13, "{i}, {j}: {dot}");
        }
    }
    Ok(())
}

#[test]
fn windowed_cosines() -> Result<(), TheoryError> {
    for d in 1..=3 {
        let axes = axes(d);
        let windows: Vec<Window> = (0..d)
            .map(|k| Window {
                centre: 1.0 + k as f64 * 0.5,
                width: 1.25,
            })
            .collect();
        let made = windowed_dct(&axes, &windows)?;
        assert_eq!(made.depth(), 1 + levels(2 * d));
        assert_eq!(made.neurons(), 2 * d + tree(2 * d));
        holds(&made, 1e-12);
        // t = centre: the window is 1 there
        let t: Vec<f64> = windows.iter().map(|w| w.centre).collect();
        let plain = dct(&axes, Way::Sums)?.eval(&t)?[0];
        assert!((made.eval(&t)?[0] - plain).abs() <= made.bound.rounding + 1e-14);
    }
    assert_eq!(
        windowed_dct(
            &axes(1),
            &[Window {
                centre: 0.0,
                width: 1.0
            }]
        )?
        .widths(),
        [2, 2]
    );
    Ok(())
}

#[test]
fn waves_are_pairs() -> Result<(), TheoryError> {
    let made = dft(&[1.5, -2.0, 0.5])?;
    assert_eq!(
        (made.widths(), made.outputs.clone()),
        (vec![2], vec!["re".to_owned(), "im".to_owned()])
    );
    holds(&made, 1e-14);
    let x = [0.3, -0.8, 0.1];
    let phase: f64 = 0.45 + 1.6 + 0.05;
    let pair = made.eval(&x)?;
    assert!((pair[0] - phase.cos()).abs() < 1e-15 && (pair[1] - phase.sin()).abs() < 1e-15);
    Ok(())
}

/// One complex Gaussian neuron a dimension, a tree of complex products; the real pair has the same values.
#[test]
fn gabor_atoms() -> Result<(), TheoryError> {
    for d in 1..=4 {
        let wave: Vec<f64> = (0..d).map(|k| 3.0 - 1.7 * k as f64).collect();
        let windows: Vec<Window> = (0..d)
            .map(|k| Window {
                centre: 0.25 * k as f64 - 0.2,
                width: 0.5 + 0.1 * k as f64,
            })
            .collect();
        let made = gabor(&wave, &windows)?;
        assert_eq!(made.depth(), 1 + levels(d));
        assert_eq!(made.neurons(), d + tree(d));
        holds(&made, 1e-12);
        let Form::Complex { network, .. } = &made.form else {
            panic!("complex parameters");
        };
        for i in 0..50 {
            let x: Vec<f64> = (0..d)
                .map(|k| ((i * (k + 3)) as f64 * 0.37).sin())
                .collect();
            let phase: f64 = wave.iter().zip(&x).map(|(k, x)| k * x).sum();
            let envelope = windows
                .iter()
                .zip(&x)
                .map(|(w, x)| (-(x - w.centre).powi(2) / (2.0 * w.width.powi(2))).exp());
            let envelope: f64 = envelope.product();
            let exact = [envelope * phase.cos(), envelope * phase.sin()];
            let complex = network.value(&x);
            let pair = made.eval(&x)?;
            for (k, exact) in exact.into_iter().enumerate() {
                assert!(
                    (pair[k] - exact).abs() <= made.bound.rounding,
                    "{d}: {}",
                    pair[k] - exact
                );
                // e^(c²) is divided out again, c² = k²s²/2 ≤ 1.2 an axis, and the tree squares sums of such factors
                let found = [complex.0, complex.1][k];
                assert!((found - exact).abs() < 1e-11, "{d}: {}", found - exact);
            }
        }
    }
    assert_eq!(
        gabor(
            &[5.0],
            &[Window {
                centre: 0.1,
                width: 0.3
            }]
        )?
        .neurons(),
        1
    );
    Ok(())
}

#[test]
fn gaussian_bumps() -> Result<(), TheoryError> {
    for d in [1, 2, 3, 5, 8] {
        let centre: Vec<f64> = (0..d).map(|k| 0.1 * k as f64).collect();
        let made = gaussian_rbf(&centre, 0.4)?;
        assert_eq!(made.depth(), 1 + levels(d));
        assert_eq!(made.neurons(), d + tree(d));
        holds(&made, 1e-13);
        let x: Vec<f64> = centre.iter().map(|m| m + 0.2).collect();
        // |x − m|² = 0.04 d, over 2 s² = 0.32
        let exact = (-0.125 * d as f64).exp();
        assert!((made.eval(&x)?[0] - exact).abs() <= made.bound.rounding);
    }
    Ok(())
}

#[test]
fn analytic_kernels() -> Result<(), TheoryError> {
    for (kernel, d) in [("1/(1 + r2)", 2), ("sqrt(1 + 2*r2)", 3), ("exp(-r2/2)", 1)] {
        let centre = vec![0.25; d];
        let made = radial(&centre, kernel, 1.0, Degree::Tolerance(1e-9), None)?;
        let widths = made.widths();
        assert_eq!(widths[0], d);
        assert!(widths[1..].iter().all(|&w| w == 6), "{widths:?}");
        assert!(
            made.max_error <= 1e-9 + made.bound.rounding,
            "{kernel}: {:e}",
            made.max_error
        );
        assert!(made.max_error <= made.bound.total(), "{kernel}");
    }
    // κ(r2) = exp(−r2/2) is the Gaussian bump of width 1
    let series = radial(
        &[0.0, 0.0],
        "exp(-r2/2)",
        1.5,
        Degree::Tolerance(1e-12),
        None,
    )?;
    let bump = gaussian_rbf(&[0.0, 0.0], 1.0)?;
    for x in [[0.3, -1.2], [1.0, 1.0], [0.0, 0.7]] {
        let difference = series.eval(&x)?[0] - bump.eval(&x)?[0];
        assert!(
            difference.abs() <= 1e-12 + series.bound.rounding,
            "{difference:e}"
        );
    }
    let fixed = radial(&[0.0], "1/(1 + r2)", 1.0, Degree::Fixed(9), Some(2.0))?;
    assert_eq!(fixed.depth(), 1 + 8);
    assert!(fixed.notes.iter().any(|n| n.contains("estimated")));
    Ok(())
}
