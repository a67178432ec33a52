//! The ReLU twin of a polynomial.

use super::holds;
use rafnet::basis::Basis;
use rafnet_theory::{Form, Polynomial, RedBlue, TheoryError, Variant, polynomial, relu_twin};

#[test]
fn the_twin_keeps_its_tolerance_and_costs_more() -> Result<(), TheoryError> {
    let p = Polynomial::read("x1^3*x2^2 + 2*x1*x2^4 - 5")?;
    let layout = RedBlue {
        chains: 2,
        rows: 3,
        columns: 1,
        depth: None,
        variant: Variant::Tight,
    };
    let ours = polynomial(&p, &layout, None)?;
    let mut before = 0;
    for tolerance in [1e-1, 1e-3, 1e-6] {
        let twin = relu_twin(&p, &layout, None, tolerance)?;
        assert!(twin.bound.value <= tolerance);
        holds(&twin, 0.0);
        // the bound is an upper bound, not a fantasy: the sawtooth's error is of that size
        assert!(twin.max_error > 1e-3 * tolerance, "{:e}", twin.max_error);
        assert!(twin.max_error > 1e3 * ours.max_error);
        assert!(twin.parameters() > before.max(10 * ours.parameters()));
        before = twin.parameters();
        let Form::Real(built) = &twin.form else {
            panic!("a real network");
        };
        for layer in built.network.layers() {
            let groups = layer.activation.iter().flat_map(|a| a.groups());
            let terms = groups.flat_map(|g| &g.terms);
            assert!(terms.into_iter().all(|t| t.basis == Basis::Relu));
        }
    }
    assert!(matches!(
        relu_twin(&p, &layout, None, 1e-18),
        Err(TheoryError::BelowRounding { .. })
    ));
    Ok(())
}
