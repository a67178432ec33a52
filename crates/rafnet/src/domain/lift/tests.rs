//! Lifts: data met on the faces, functions reproduced, derivatives against differences.

use super::*;
use crate::domain::Shape;
use crate::domain::derivatives::check_by_differences;
use proptest::prelude::*;

fn brick(dimension: usize) -> Cuboid {
    Cuboid::new([[-1.0, 0.5], [0.25, 2.0], [-0.5, 0.75]][..dimension].to_vec()).expect("a box")
}

/// The faces whose bit is set: 2 bits an axis.
fn faces(dimension: usize, mask: usize) -> Vec<(usize, End)> {
    let all = (0..dimension).flat_map(|axis| [(axis, End::Low), (axis, End::High)]);
    all.enumerate()
        .filter(|(bit, _)| mask >> bit & 1 == 1)
        .map(|(_, face)| face)
        .collect()
}

/// exp(s) sin(q) + s, with s = ½ Σ k xₖ and q = Π (½xₖ + 1): smooth, nothing special on any face.
fn wavy(x: &[f64]) -> f64 {
    let s: f64 = x.iter().zip(1..).map(|(x, k)| 0.5 * f64::from(k) * x).sum();
    let q: f64 = x.iter().map(|x| 0.5 * x + 1.0).product();
    s.exp() * q.sin() + s
}

fn inside(cuboid: &Cuboid, u: &[f64]) -> Vec<f64> {
    u.iter()
        .zip(cuboid.intervals())
        .map(|(u, [low, high])| low + u * (high - low))
        .collect()
}

proptest! {
    /// On each chosen face the lift is g, and g is asked only there: a term ε·distance to the boundary changes no bit.
    #[test]
    fn data_are_met_on_chosen_faces(dimension in 1usize..4, mask in 1usize..64, u in prop::array::uniform3(0.0..1.0f64)) {
        let cuboid = brick(dimension);
        let faces = faces(dimension, mask);
        prop_assume!(!faces.is_empty());
        let lift = Lift::new(&cuboid, &faces).expect("a lift");
        let x = inside(&cuboid, &u[..dimension]);
        for &(axis, end) in &faces {
            let mut on = x.clone();
            on[axis] = cuboid.intervals()[axis][usize::from(end == End::High)];
            let gap = lift.value(&on, |_, x| wavy(x)) - wavy(&on);
            // Up to 26 terms, each rounded.
            prop_assert!(gap.abs() < 26.0 * 8.0 * f64::EPSILON * (1.0 + wavy(&on).abs()), "{gap:e} on {axis} {end:?}");
        }
        let bent = lift.value(&x, |_, x| wavy(x) + 1e3 * cuboid.level(x));
        prop_assert_eq!(bent.to_bits(), lift.value(&x, |_, x| wavy(x)).to_bits());
    }

    /// (1 − P₁)(1 − P₂) annihilates a(y) + x b(y) and c(x) + y d(x): those are reproduced inside, not only on faces.
    #[test]
    fn blended_functions_are_reproduced(u in prop::array::uniform2(0.0..1.0f64)) {
        let cuboid = brick(2);
        let lift = Lift::new(&cuboid, &faces(2, 15)).expect("a lift");
        let g = |x: &[f64]| x[1].sin() + x[0] * x[1].exp() + x[0].cos() - x[1] * (2.0 * x[0]).sin();
        let x = inside(&cuboid, &u);
        prop_assert!((lift.value(&x, |_, x| g(x)) - g(&x)).abs() < 1e-14);
    }

    /// From derivatives along the faces to those of the lift, against differences.
    #[test]
    fn derivatives_agree_with_differences(dimension in 1usize..4, mask in 1usize..64, u in prop::array::uniform3(0.1..0.9f64)) {
        let cuboid = brick(dimension);
        let faces = faces(dimension, mask);
        prop_assume!(!faces.is_empty());
        let lift = Lift::new(&cuboid, &faces).expect("a lift");
        // exp(a·x) is its own derivative; across a clamped face the wrong value must not matter.
        let g = |term: &LiftTerm, x: &[f64]| {
            let a: Vec<f64> = (0..dimension).map(|k| 0.4 + 0.3 * k as f64).collect();
            let value = a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>().exp();
            let mut g = Derivatives {
                value,
                gradient: a.iter().map(|a| a * value).collect(),
                hessian: a.iter().flat_map(|p| a.iter().map(move |q| p * q * value)).collect(),
            };
            term.clamps.iter().for_each(|clamp| g.gradient[clamp.axis] = f64::NAN);
            g
        };
        let x = inside(&cuboid, &u[..dimension]);
        let found = lift.derivatives(&x, g);
        prop_assert!((found.value - lift.value(&x, |term, x| g(term, x).value)).abs() < 1e-13);
        check_by_differences(&found, &x, 0.5, |x| lift.derivatives(x, g));
    }
}

#[test]
fn terms_are_counted_by_axes() {
    for (dimension, mask, count) in [
        (1, 3, 2),
        (2, 15, 8),
        (3, 63, 26),
        (2, 0b0111, 5),
        (3, 0b01_0000, 1),
    ] {
        let lift = Lift::new(&brick(dimension), &faces(dimension, mask)).expect("a lift");
        assert_eq!(lift.terms().len(), count);
        assert!(lift.terms().iter().all(|term| !term.clamps.is_empty()));
    }
    let twice = Lift::new(&brick(1), &[(0, End::Low), (0, End::Low)]).expect("a lift");
    assert_eq!(twice.terms().len(), 1);
}

#[test]
fn impossible_lifts_are_refused() {
    let message =
        |cuboid: &Cuboid, faces: &[_]| Lift::new(cuboid, faces).expect_err("no lift").to_string();
    assert_eq!(
        message(&brick(1), &[]),
        "a lift needs at least one face of the box"
    );
    assert_eq!(
        message(&brick(2), &[(2, End::Low)]),
        "the lift names axis 3, the box has 2"
    );
    let seven = Cuboid::new(vec![[0.0, 1.0]; 7]).expect("a box");
    let all: Vec<_> = (0..7).map(|axis| (axis, End::Low)).collect();
    assert_eq!(
        message(&seven, &all),
        "a lift along 7 axes would need up to 3^7 terms, 6 axes are allowed; \
         enter the boundary data as weighted rows instead"
    );
}
