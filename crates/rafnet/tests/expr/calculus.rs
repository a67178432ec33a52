//! Values, derivatives, printing and programs of random expressions.
//!
//! Tolerances are the oracle's own bound on rounding times 64, for the other order in which the library works.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rafnet::expr::{Expr, Leaf, Program, Scope, parse};

use crate::oracle::trees;
use crate::polynomial::forms;

const SLACK: f64 = 64.0;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_global_rejects: 50 * cases,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn scope() -> Scope {
    Scope::new(["x", "y"]).unknowns(["u", "v"]).limit_order(8)
}

fn at(point: [f64; 2]) -> impl Fn(&Leaf) -> f64 {
    move |leaf| match leaf {
        Leaf::Coordinate(k) => point[*k],
        _ => f64::NAN,
    }
}

fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn simplification_keeps_values_and_derivatives_are_right(
        tree in trees(),
        point in [-2.5..2.5, -2.5..2.5],
    ) {
        let expr = parse(&tree.text(), &scope())?;
        for axis in 0..2 {
            let mut along = [0.0; 2];
            along[axis] = 1.0;
            let Some(expected) = tree.dual(point, along) else {
                return Err(TestCaseError::reject("near a kink or outside the domain"));
            };
            let value = expr.eval(&at(point));
            prop_assert!((value - expected.v).abs() <= SLACK * expected.ev, "{value} {expected:?}");
            let slope = expr.derivative(axis);
            let value = slope.eval(&at(point));
            prop_assert!(
                (value - expected.d).abs() <= SLACK * expected.ed,
                "{value} {expected:?}\n{slope:?}"
            );
        }
    }

    #[test]
    fn printed_text_is_read_back_as_the_same_expression(tree in trees()) {
        let scope = scope();
        let expr = parse(&tree.text(), &scope)?;
        for expr in [expr.derivative(0), expr.derivative(0).derivative(1), expr] {
            let text = expr.display(&scope).to_string();
            prop_assert_eq!(parse(&text, &scope)?, expr, "{}", text);
        }
    }

    #[test]
    fn programs_agree_with_the_graph_bit_for_bit(
        tree in trees(),
        points in prop::collection::vec([-2.5..2.5, -2.5..2.5], 1..5),
    ) {
        let expr = parse(&tree.text(), &scope())?;
        let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|p: &[f64; 2]| (p[0], p[1])).unzip();
        for expr in [expr.derivative(0), expr.derivative(1), expr] {
            let inputs = [Leaf::Coordinate(0), Leaf::Coordinate(1)];
            let program = Program::compile(std::slice::from_ref(&expr), &inputs)?;
            let mut out = vec![0.0; points.len()];
            program.evaluate(&[&x, &y], &mut [&mut out], &mut program.scratch());
            for (point, out) in points.iter().zip(out) {
                let value = expr.eval(&at(*point));
                prop_assert!(same_bits(out, value), "{out} {value}\n{expr:?}");
            }
        }
    }

    #[test]
    fn partial_derivatives_are_derivatives_with_the_rest_held_fixed(
        tree in trees(),
        point in [-2.5..2.5, -2.5..2.5],
    ) {
        // The same text with u_x in the place of x and v in the place of y.
        let expr = parse(&tree.text(), &scope())?;
        let (u_x, v) = (Leaf::jet(0, &[0]), Leaf::jet(1, &[]));
        let of_jets = expr.replace(&mut |leaf: &Leaf| Some(Expr::leaf(match leaf {
            Leaf::Coordinate(0) => u_x.clone(),
            _ => v.clone(),
        })));
        let slope = of_jets.partial(&u_x);
        let value = slope.eval(&|leaf: &Leaf| if *leaf == u_x { point[0] } else { point[1] });
        prop_assert!(same_bits(value, expr.derivative(0).eval(&at(point))));
    }
}

proptest! {
    #![proptest_config(config(800))]

    #[test]
    fn derivatives_of_polynomials_are_exact_to_third_order(
        form in forms(),
        point in [-3..4, -3..4],
        axes in prop::collection::vec(0usize..2, 0..4),
    ) {
        let expr = parse(&form.text(["x", "y"]), &scope())?;
        let (mut expr, mut exact) = (expr, form.expanded());
        for axis in axes {
            expr = expr.derivative(axis);
            exact = exact.derivative(axis);
        }
        let value = expr.eval(&at(point.map(f64::from)));
        let exact = exact.value(point);
        prop_assume!(exact.unsigned_abs() < 1 << 40);
        prop_assert!(value - exact as f64 == 0.0, "{value} {exact} {expr:?}");
    }

    #[test]
    fn putting_a_function_in_commutes_with_differentiation(
        residual in forms(),
        u in forms(),
        axis in 0usize..2,
    ) {
        // residual(u_x, u_y): differentiate, then put u in; or put u in, then differentiate.
        let residual = parse(&residual.text(["u_x", "u_y"]), &scope())?;
        let u = parse(&u.text(["x", "y"]), &scope())?;
        let put_last = residual.derivative(axis).substitute(std::slice::from_ref(&u));
        let put_first = residual.substitute(&[u]).derivative(axis);
        for point in [[1.0, 2.0], [-1.0, 1.0]] {
            let (a, b) = (put_last.eval(&at(point)), put_first.eval(&at(point)));
            prop_assume!(a.abs() < 1e9);
            prop_assert!(a - b == 0.0, "{a} {b}");
        }
    }
}

#[test]
fn several_outputs_share_one_program() -> Result<(), Box<dyn std::error::Error>> {
    let scope = scope();
    let f = parse("exp(-x^2)*sin(3*y)/(1 + x^2 + y^2)", &scope)?;
    let outputs = [
        f.clone(),
        f.derivative(0),
        f.derivative(1),
        f.derivative(0).derivative(1),
    ];
    let inputs = [Leaf::Coordinate(0), Leaf::Coordinate(1)];
    let together = Program::compile(&outputs, &inputs)?;
    let mut alone = 0;
    let x: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.002 - 1.0).collect();
    let y: Vec<f64> = x.iter().map(|x| x * x - 0.3).collect();
    let mut columns = vec![vec![0.0; x.len()]; outputs.len()];
    let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    together.evaluate(&[&x, &y], &mut slices, &mut together.scratch());
    for (output, column) in outputs.iter().zip(&columns) {
        alone += Program::compile(std::slice::from_ref(output), &inputs)?.n_instructions();
        for ((x, y), value) in x.iter().zip(&y).zip(column) {
            assert_eq!(output.eval(&at([*x, *y])).to_bits(), value.to_bits());
        }
    }
    assert!(
        together.n_instructions() < alone * 2 / 3,
        "{} {alone}",
        together.n_instructions()
    );
    Ok(())
}

#[test]
fn x_to_the_n_is_right_for_negative_x_and_zero() -> Result<(), Box<dyn std::error::Error>> {
    let scope = scope();
    for (text, x, value) in [
        ("x^3", -2.0, -8.0),
        ("d(x^3, x)", -2.0, 12.0),
        ("x^2", 0.0, 0.0),
        ("d(x^2, x)", 0.0, 0.0),
        ("d(x^2, x, x)", 0.0, 2.0),
        ("x^0", 0.0, 1.0),
        ("0^x", 0.0, 1.0),
        ("x^x", 0.0, 1.0),
        ("x^-2", -2.0, 0.25),
        ("d(x^101, x)", -1.0, 101.0),
        ("d(x^2.5, x, x)", 0.0, 0.0),
        ("abs(x)^3", -2.0, 8.0),
        ("d(abs(x)^3, x)", 0.0, 0.0),
        ("d(where(x > 0, sqrt(x), 0), x)", -1.0, 0.0),
        ("x/x", 0.0, 1.0),
    ] {
        assert_eq!(
            parse(text, &scope)?.eval(&at([x, 0.0])).to_bits(),
            f64::to_bits(value),
            "{text} at {x}"
        );
    }
    Ok(())
}
