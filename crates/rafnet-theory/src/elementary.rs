//! The elementary maps of the paper's Lemma (parts i to iii): identity, square, product.
//!
//! ```text
//! x ↦ x on ℝᵈ     d identity neurons
//! x ↦ x²          one square neuron
//! x, y ↦ x y      (x + y)²/4 − (x − y)²/4, two square neurons
//! ```
//!
//! One hidden layer each. The product cancels when its factors differ much in size: its error is of the order u·max(x, y)².

use super::draft::Draft;
use super::formula::numbered;
use super::sampling;
use super::wire::Wire;
use super::{Bound, Construction, Form, TheoryError};
use rafnet::expr::largest;

/// x ↦ x on ℝᵈ.
///
/// # Errors
/// [`TheoryError::Number`] for a dimension of 0 or above 64.
pub fn identity(dimension: usize) -> Result<Construction, TheoryError> {
    const OUTPUTS: usize = 64;
    if !(1..=OUTPUTS).contains(&dimension) {
        return Err(TheoryError::number("the dimension", dimension, "1 to 64"));
    }
    let mut draft = Draft::new(dimension);
    let x = Wire::inputs(&sampling::unit_box(dimension));
    let outputs: Vec<Wire> = x.iter().map(|w| draft.carry(w)).collect();
    let names = numbered("x", dimension);
    finish("identity", names, draft, &outputs, |x| x.to_vec())
}

/// x ↦ x².
///
/// # Errors
/// None in practice.
pub fn square() -> Result<Construction, TheoryError> {
    let mut draft = Draft::new(1);
    let x = Wire::inputs(&sampling::unit_box(1));
    let output = draft.add(rafnet::basis::Basis::Square, &x[0]);
    finish("square", numbered("x", 1), draft, &[output], |x| {
        vec![x[0] * x[0]]
    })
}

/// x, y ↦ x y.
///
/// # Errors
/// None in practice.
pub fn product() -> Result<Construction, TheoryError> {
    let mut draft = Draft::new(2);
    let x = Wire::inputs(&sampling::unit_box(2));
    let output = draft.product(&x[0], &x[1]);
    let names = vec!["x".into(), "y".into()];
    finish("product", names, draft, &[output], |x| vec![x[0] * x[1]])
}

fn finish(
    kind: &'static str,
    coordinates: Vec<String>,
    draft: Draft,
    outputs: &[Wire],
    exact: impl Fn(&[f64]) -> Vec<f64>,
) -> Result<Construction, TheoryError> {
    let dimension = coordinates.len();
    let bounds = sampling::unit_box(dimension);
    let rounding = largest(outputs.iter().map(Wire::settled));
    let points = sampling::points(&bounds);
    let expected: Vec<f64> = points.chunks_exact(dimension).flat_map(exact).collect();
    let form = Form::Real(draft.finish(outputs)?);
    Construction {
        outputs: numbered("u", outputs.len()),
        ..Construction::new(kind, coordinates, form, Bound::exact(rounding), bounds)
    }
    .measured(&points, &expected)
}
