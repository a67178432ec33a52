//! One step of each optimiser against independent implementations: PyTorch's Adam and L-BFGS, a dense Gauss–Newton in NumPy
//! (`golden/optimisers.py` wrote `golden/optimisers.json`).

use super::trained::{History, wolfe};
use crate::halt::{Crew, Halt};
use crate::optimise::{Adam, GaussNewton};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/optimisers.json")).expect("a JSON file")
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    let size = expected.iter().map(|v| v * v).sum::<f64>().sqrt();
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-12 * size.max(1.0),
            "{what}: {found:e} against {expected:e}"
        );
    }
}

/// The gradient of the script's function.
fn gradient(x: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; 4];
    for i in 0..3 {
        let gap = x[i + 1] - x[i] * x[i];
        g[i] += -400.0 * gap * x[i] - 2.0 * (1.0 - x[i]);
        g[i + 1] += 200.0 * gap;
    }
    g[0] += 0.4 * x[0].powi(3);
    g
}

fn value(x: &[f64]) -> f64 {
    let chain = (0..3).map(|i| 100.0 * (x[i + 1] - x[i] * x[i]).powi(2) + (1.0 - x[i]).powi(2));
    chain.sum::<f64>() + 0.1 * x[0].powi(4)
}

#[test]
fn adam_takes_pytorchs_steps() {
    let golden = golden();
    for (path, decay) in [("adam", 0.0), ("adam_decayed", 1e-2)] {
        let mut x = numbers(&golden["start"]);
        let mut adam = Adam::new(4);
        for expected in golden[path].as_array().expect("a path") {
            let mut g = gradient(&x);
            g.iter_mut().zip(&x).for_each(|(g, x)| *g += decay * x);
            adam.step(0.03, &mut x, &g);
            assert_near(&x, &numbers(expected), path);
        }
    }
}

#[test]
fn lbfgs_goes_in_pytorchs_direction() {
    let golden = golden();
    let list = |name: &str| -> Vec<Vec<f64>> {
        let list = golden["lbfgs"][name].as_array().expect("a list");
        list.iter().map(numbers).collect()
    };
    let (points, gradients) = (list("points"), list("gradients"));
    let mut history = History::default();
    let minus =
        |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    for k in 1..points.len() {
        history.remember(
            minus(&points[k], &points[k - 1]),
            minus(&gradients[k], &gradients[k - 1]),
        );
    }
    let direction = history.direction(&gradients[gradients.len() - 1]);
    assert_near(
        &direction,
        &numbers(&golden["lbfgs"]["direction"]),
        "direction",
    );
}

#[test]
fn gauss_newton_takes_numpys_step() {
    for case in golden()["gauss_newton"].as_array().expect("cases") {
        let size =
            |name: &str| usize::try_from(case[name].as_u64().expect("a size")).expect("small");
        let (jacobian, residual) = (numbers(&case["jacobian"]), numbers(&case["residual"]));
        let halt = Halt::default();
        let (rows, columns) = (size("rows"), size("columns"));
        let normal = GaussNewton::new(&jacobian, rows, columns, Crew::single(&halt));
        let damping = case["damping"].as_f64().expect("a number");
        let step = normal.step(damping, &residual).expect("a step");
        assert_near(&step, &numbers(&case["step"]), "step");
    }
}

/// Along many directions: both Wolfe conditions hold for the step found.
#[test]
fn line_searches_meet_the_wolfe_conditions() {
    let mut met = 0;
    for k in 0..60 {
        let x: Vec<f64> = (0..4)
            .map(|i| (f64::from(k) * 1.3 + f64::from(i) * 2.1).sin() * 2.0)
            .collect();
        let g = gradient(&x);
        let direction: Vec<f64> = g
            .iter()
            .enumerate()
            .map(|(i, g)| -g * (1.0 + 0.3 * (f64::from(k) + i as f64).cos()))
            .collect();
        let slope: f64 = g.iter().zip(&direction).map(|(a, b)| a * b).sum();
        let at =
            |t: f64| -> Vec<f64> { x.iter().zip(&direction).map(|(x, d)| x + t * d).collect() };
        let first = 10f64.powi(k % 7 - 5);
        let found = wolfe((value(&x), &g), &direction, first, |t| {
            Ok::<_, ()>((value(&at(t)), gradient(&at(t))))
        });
        let found = found
            .expect("no error")
            .expect("a descent direction has a step");
        let there: f64 = gradient(&at(found.step))
            .iter()
            .zip(&direction)
            .map(|(a, b)| a * b)
            .sum();
        assert!(
            found.value <= value(&x) + 1e-4 * found.step * slope,
            "case {k}"
        );
        met += u32::from(there.abs() <= 0.9 * slope.abs());
    }
    assert_eq!(met, 60);
}
