//! Problems people bring: a beam, Lorenz's equations from noisy rows. Flows and solitons are in `bench/accept`.

use crate::{ROUNDING, options, solve};
use rafnet::expr::largest;
use rafnet::problem::Problem;
use rafnet::run::Outcome;
use rafnet::solve::Options;

/// By how much an estimate may be too small, and too large.
const BELOW: f64 = 10.0;
const ABOVE: f64 = 20.0;

/// For three seeds the error of a built-in problem is below its bound, and the estimate near it: an error that is smaller than those of the other seeds by
/// luck, which no estimate can know, counts as the one between them.
fn holds(name: &str, bound: f64) {
    let problem = Problem::builtin(name).expect("a built-in problem");
    let solved: Vec<_> = (0..3)
        .map(|seed| solve(&problem, &Options { seed, ..options() }))
        .collect();
    let error = |k: usize| largest(solved[k].relative_l2_by.iter().flatten().copied());
    let mut usual = [0, 1, 2].map(error);
    usual.sort_by(f64::total_cmp);
    for (seed, solved) in solved.iter().enumerate() {
        let (error, estimate) = (error(seed), solved.error_estimate);
        assert!(error <= bound, "{name}, seed {seed}: {error:.1e}");
        let [least, most] = [error, error.max(usual[1])].map(|e| e.max(ROUNDING));
        let near = estimate.max(ROUNDING) >= least / BELOW && estimate <= ABOVE * most;
        assert!(
            near,
            "{name}, seed {seed}: error {error:.1e}, estimated {estimate:.1e}"
        );
        let ended = [Outcome::TargetReached, Outcome::Converged].contains(&solved.outcome);
        assert!(ended, "{name}: {}", solved.outcome.name());
    }
}

#[test]
fn a_beam() {
    holds("beam", 1e-11);
}

/// Found numbers lie within a standard error of the best fit there is, by shooting, and their errors are those of its curvature.
#[test]
#[ignore = "takes long: `.ci/long` runs it"]
fn lorenz_from_noisy_rows() {
    let problem = Problem::builtin("lorenz").expect("a built-in problem");
    let solved = solve(&problem, &options());
    let (best, errors) = best_fit(&problem);
    for (k, found) in solved.found.iter().enumerate() {
        let off = (found.value - best[k]).abs() / errors[k];
        assert!(off < 1.0, "{found:?}, the best fit has {}", best[k]);
        let ratio = found.sigma / errors[k];
        assert!(
            (0.5..=2.0).contains(&ratio),
            "{found:?}, the best fit has an error of {}",
            errors[k]
        );
    }
    let (chi_squared, n) = solved.chi_squared.expect("a noise");
    let free = n as f64 - 6.0; // three numbers and where it begins
    assert!(
        (chi_squared - free).abs() < 4.0 * (2.0 * free).sqrt(),
        "{chi_squared} of {n}"
    );
}

/// Gauss and Newton on (s, r, b, x₀, y₀, z₀) with the trajectory by Runge and Kutta: the best numbers, and their standard errors.
fn best_fit(problem: &Problem) -> ([f64; 6], [f64; 6]) {
    let sigma = problem.data[0].sigma.expect("a noise");
    let misfit = |p: &[f64; 6]| -> Vec<f64> {
        let rows = (0..problem.data.len()).flat_map(|unknown| {
            let observed = &problem.data[unknown];
            let times = observed.points.iter().zip(&observed.values);
            times.map(move |(t, value)| (unknown, *t, *value))
        });
        let path = trajectory(p);
        rows.map(|(unknown, t, value)| (path((t * 2000.0).round())[unknown] - value) / sigma)
            .collect()
    };
    let mut p = [10.0, 28.0, 8.0 / 3.0, -8.0, 7.0, 27.0];
    let mut covariance = [[0.0; 6]; 6];
    for _ in 0..8 {
        let r = misfit(&p);
        let columns: Vec<Vec<f64>> = (0..6)
            .map(|k| {
                let h = 1e-6 * p[k].abs();
                let [mut up, mut down] = [p; 2];
                (up[k], down[k]) = (p[k] + h, p[k] - h);
                let pairs = misfit(&up).into_iter().zip(misfit(&down));
                pairs.map(|(a, b)| (a - b) / (2.0 * h)).collect()
            })
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut gram = [[0.0; 6]; 6];
        for (i, row) in gram.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = dot(&columns[i], &columns[j]);
            }
        }
        covariance = inverse(gram);
        let slope: Vec<f64> = columns.iter().map(|c| dot(c, &r)).collect();
        for (k, row) in covariance.iter().enumerate() {
            p[k] -= dot(row, &slope);
        }
    }
    (p, std::array::from_fn(|k| covariance[k][k].sqrt()))
}

/// The state after a number of steps of 1/2000.
fn trajectory(p: &[f64; 6]) -> impl Fn(f64) -> [f64; 3] {
    let [s, r, b, x, y, z] = *p;
    let slope = move |[x, y, z]: [f64; 3]| [s * (y - x), x * (r - z) - y, x * y - b * z];
    let h = 1.0 / 2000.0;
    let mut states = vec![[x, y, z]];
    for n in 0..4000 {
        let at = states[n];
        let ahead = |k: [f64; 3], f: f64| std::array::from_fn(|i| at[i] + f * h * k[i]);
        let k1 = slope(at);
        let k2 = slope(ahead(k1, 0.5));
        let k3 = slope(ahead(k2, 0.5));
        let k4 = slope(ahead(k3, 1.0));
        states.push(std::array::from_fn(|i| {
            at[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
        }));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number of steps"
    )]
    move |step| states[step as usize]
}

/// By Gauss and Jordan.
fn inverse(mut a: [[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let mut b: [[f64; 6]; 6] =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for k in 0..6 {
        let pivot = a[k][k];
        for j in 0..6 {
            a[k][j] /= pivot;
            b[k][j] /= pivot;
        }
        for i in (0..6).filter(|i| *i != k) {
            let factor = a[i][k];
            for j in 0..6 {
                a[i][j] -= factor * a[k][j];
                b[i][j] -= factor * b[k][j];
            }
        }
    }
    b
}
