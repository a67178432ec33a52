//! The ReLU twin of a polynomial: the same layout with ReLU neurons only, for a tolerance.
//!
//! Where x and x² represent a product by two neurons in one layer, ReLU needs 1 + m layers of sawtooth functions (see
//! `arithmetic.rs`), with m ~ ½ log₂(1/ε), and is not exact. The twin is built with the least m whose propagated error meets the
//! tolerance, so that the two parameter counts can stand side by side.

use super::arithmetic::ReluDraft;
use super::draft::Draft;
use super::polynomial::red_and_blue;
use super::sampling;
use super::wire::Wire;
use super::{Bound, Construction, Form, Origin, Polynomial, RedBlue, TheoryError};

/// Most folds of the sawtooth: 4⁻²⁶ is below the rounding of f64.
const MOST_FOLDS: u32 = 26;

/// The polynomial by ReLU neurons on a box, to a tolerance.
///
/// # Errors
/// [`TheoryError::BelowRounding`] when no number of folds reaches the tolerance.
///
/// ```
/// use rafnet_theory::{Polynomial, RedBlue, Variant, polynomial, relu_twin};
/// let p = Polynomial::read("x^2*y")?;
/// let layout = RedBlue::narrow(&p, Variant::Tight);
/// let (ours, twin) = (polynomial(&p, &layout, None)?, relu_twin(&p, &layout, None, 1e-3)?);
/// assert!(twin.parameters() > 10 * ours.parameters());
/// assert!(twin.max_error <= 1e-3 && twin.max_error > 100.0 * ours.max_error);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn relu_twin(
    polynomial: &Polynomial,
    layout: &RedBlue,
    bounds: Option<&[[f64; 2]]>,
    tolerance: f64,
) -> Result<Construction, TheoryError> {
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(TheoryError::number(
            "the tolerance",
            tolerance,
            "a positive number",
        ));
    }
    let d = polynomial.variables().len();
    let bounds = bounds.map_or_else(|| sampling::unit_box(d), <[_]>::to_vec);
    sampling::check_box(&bounds, d)?;
    let mut least = f64::INFINITY;
    for folds in 1..=MOST_FOLDS {
        let mut arithmetic = ReluDraft {
            draft: Draft::new(d),
            folds,
        };
        let output = red_and_blue(&mut arithmetic, polynomial, layout, Wire::inputs(&bounds));
        let bound = output.settled();
        least = least.min(bound);
        if bound.is_nan() || bound > tolerance {
            continue;
        }
        let points = sampling::points(&bounds);
        let exact: Vec<f64> = points
            .chunks_exact(d)
            .map(|x| polynomial.value(x))
            .collect();
        return Construction {
            region: Some(bounds.clone()),
            notes: vec![format!("sawtooth folded {folds} times")],
            ..Construction::new(
                "relu-twin",
                polynomial.variables().to_vec(),
                Form::Real(arithmetic.draft.finish(&[output])?),
                Bound {
                    value: bound,
                    rounding: 0.0,
                    origin: Origin::Stated,
                },
                bounds,
            )
        }
        .measured(&points, &exact);
    }
    Err(TheoryError::BelowRounding {
        tolerance,
        size: 1.0,
        least,
    })
}
