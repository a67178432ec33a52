//! Waves and Gabor atoms: complex values as pairs.
//!
//! ```text
//! DFT    e^(i k·x)                              = sin(k·x + π/2) + i sin(k·x)
//! Gabor  e^(−|x−m|²/2s²) e^(i k·x)              = Π_j e^(i k_j m_j) e^(−c_j²) γ(A (x_j − m_j) + i c_j)
//!        γ(z) = e^(−z²),   A = 1/(√2 s),   c_j = −k_j/(2A)
//! ```
//!
//! With complex parameters a Gabor factor is *one* Gaussian neuron with a complex bias, and an atom in d dimensions d of them and a
//! product tree. The model file holds the same values as pairs of real outputs (re, im), from Gaussians and two sines.

use super::complex::{Complex, ComplexNetwork, ComplexNeuron};
use super::dct::Window;
use super::draft::Draft;
use super::formula::numbered;
use super::tree::product_tree;
use super::wire::{UNIT, Wire};
use super::{Bound, Construction, Form, TheoryError, sampling};
use rafnet::basis::Basis;
use rafnet::expr::largest;
use std::f64::consts::{FRAC_PI_2, SQRT_2};

/// e^(i k·x): two sine neurons and a complex output weight.
///
/// # Errors
/// [`TheoryError::Number`] for no wave vector or one that is not finite.
///
/// ```
/// use rafnet_theory::dft;
/// let wave = dft(&[2.0])?;
/// assert_eq!((wave.width(), wave.depth()), (2, 1));
/// let pair = wave.eval(&[std::f64::consts::FRAC_PI_4])?; // e^(iπ/2)
/// assert!(pair[0].abs() < 1e-15 && (pair[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn dft(wave: &[f64]) -> Result<Construction, TheoryError> {
    check(wave)?;
    let bounds = sampling::unit_box(wave.len());
    let mut draft = Draft::new(wave.len());
    let [re, im] = sines(&mut draft, &phase(wave, &bounds));
    let weights: Vec<Complex> = wave.iter().map(|&k| Complex::real(k)).collect();
    let sine = |bias| ComplexNeuron {
        basis: Basis::Sine,
        weights: weights.clone(),
        bias: Complex::real(bias),
    };
    let network = ComplexNetwork {
        layers: vec![vec![sine(FRAC_PI_2), sine(0.0)]],
        output: vec![Complex::real(1.0), Complex(0.0, 1.0)],
    };
    finish("dft", network, draft, &[re, im], bounds, wave, |_| 1.0)
}

/// e^(−Σ (x_j − m_j)²/2s_j²) e^(i k·x).
///
/// # Errors
/// [`TheoryError`] for no axis, numbers that are not finite, or widths that are not positive.
///
/// ```
/// use rafnet_theory::{Window, gabor};
/// let atom = gabor(&[3.0], &[Window { centre: 0.25, width: 0.5 }])?;
/// assert_eq!((atom.neurons(), atom.depth()), (1, 1)); // one complex neuron
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn gabor(wave: &[f64], windows: &[Window]) -> Result<Construction, TheoryError> {
    check(wave)?;
    if windows.len() != wave.len() {
        return Err(TheoryError::Count {
            what: "windows",
            found: windows.len(),
            expected: wave.len(),
        });
    }
    windows.iter().try_for_each(|w| w.check())?;
    let ends = windows.iter();
    let bounds: Vec<[f64; 2]> = ends
        .map(|w| [w.centre - 3.0 * w.width, w.centre + 3.0 * w.width])
        .collect();
    let x = Wire::inputs(&bounds);
    let mut draft = Draft::new(wave.len());
    let gaussians = windows.iter().zip(&x);
    let gaussians: Vec<Wire> = gaussians
        .map(|(w, x)| draft.add(Basis::Gaussian, &w.argument(x)))
        .collect();
    let mut pair = sines(&mut draft, &phase(wave, &bounds));
    let mut envelope = gaussians;
    while envelope.len() > 1 {
        envelope = super::tree::tree_layer(&mut draft, &envelope);
        pair = pair.map(|w| draft.carry(&w));
    }
    let outputs = pair.map(|w| product_tree(&mut draft, vec![envelope[0].clone(), w]));
    let network = complex_gabor(wave, windows);
    finish("gabor", network, draft, &outputs, bounds, wave, |x| {
        windows.iter().zip(x).map(|(w, &x)| w.value(x)).product()
    })
}

/// One Gaussian neuron with a complex bias for each axis.
fn complex_gabor(wave: &[f64], windows: &[Window]) -> ComplexNetwork {
    let d = wave.len();
    let mut factor = Complex::real(1.0);
    let mut neurons = Vec::new();
    for (j, (&k, window)) in wave.iter().zip(windows).enumerate() {
        let a = 1.0 / (SQRT_2 * window.width);
        let c = -k / (2.0 * a);
        factor = factor * Complex(-c * c, k * window.centre).exp();
        let mut weights = vec![Complex::ZERO; d];
        weights[j] = Complex::real(a);
        neurons.push(ComplexNeuron {
            basis: Basis::Gaussian,
            weights,
            bias: Complex(-a * window.centre, c),
        });
    }
    ComplexNetwork::product(neurons, factor)
}

fn check(wave: &[f64]) -> Result<(), TheoryError> {
    if !(1..=12).contains(&wave.len()) {
        return Err(TheoryError::number(
            "the number of axes",
            wave.len(),
            "1 to 12",
        ));
    }
    match wave.iter().find(|k| !k.is_finite()) {
        Some(k) => Err(TheoryError::number("a wave number", k, "a finite number")),
        None => Ok(()),
    }
}

/// k·x
fn phase(wave: &[f64], bounds: &[[f64; 2]]) -> Wire {
    let x = Wire::inputs(bounds);
    let terms = wave.iter().zip(&x).map(|(&k, x)| x.scaled(k));
    terms
        .reduce(|a, b| a.plus(&b))
        .unwrap_or_else(|| unreachable!("there is an axis"))
}

/// cos and sin of an angle.
fn sines(draft: &mut Draft, angle: &Wire) -> [Wire; 2] {
    [FRAC_PI_2, 0.0].map(|shift| draft.add(Basis::Sine, &angle.shifted(shift)))
}

fn finish(
    kind: &'static str,
    network: ComplexNetwork,
    draft: Draft,
    outputs: &[Wire],
    bounds: Vec<[f64; 2]>,
    wave: &[f64],
    envelope: impl Fn(&[f64]) -> f64,
) -> Result<Construction, TheoryError> {
    let d = wave.len();
    let points = sampling::points(&bounds);
    let exact: Vec<f64> = points
        .chunks_exact(d)
        .flat_map(|x| {
            let phase: f64 = wave.iter().zip(x).map(|(k, x)| k * x).sum();
            [phase.cos() * envelope(x), phase.sin() * envelope(x)]
        })
        .collect();
    // the reference rounds its own phase
    let own = phase(wave, &bounds).fresh() + 8.0 * UNIT;
    let rounding = largest(outputs.iter().map(Wire::settled)) + own;
    let coordinates = numbered("x", d);
    let pairs = draft.finish(outputs)?;
    let form = Form::Complex { network, pairs };
    Construction {
        outputs: vec!["re".into(), "im".into()],
        notes: vec!["complex parameters; the model gives the real and the imaginary part".into()],
        ..Construction::new(kind, coordinates, form, Bound::exact(rounding), bounds)
    }
    .measured(&points, &exact)
}
