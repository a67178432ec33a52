//! Inverse problems: parameters and fields from data, exact, with gaps, and noisy.

use crate::{Random, options, read, recovers, solve};
use rafnet::problem::Problem;
use rafnet::solve::{Found, Method, Options};
use std::f64::consts::PI;
use std::fmt::Write as _;

/// u′ = −k u from 1, k sought.
const DECAY: &str = "[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n[parameters]\nk = { find = true, start = 0.5 }\n\
                     [equation]\nresidual = \"u_t + k*u\"\n[[initial]]\nu = 1\n";

/// Rows t, u with noise of the given size, at `n` times from 0.1 to 2.
fn rows(k: f64, n: u32, sigma: f64, random: &mut Random) -> String {
    let mut rows = String::new();
    for i in 0..n {
        let t = time(i, n);
        let u = (-k * t).exp() + sigma * random.normal();
        let _ = write!(rows, "[{t:?}, {u:?}], ");
    }
    format!("[{rows}]")
}

fn time(i: u32, n: u32) -> f64 {
    0.1 + 1.9 * f64::from(i) / f64::from(n - 1)
}

/// Σ (∂u/∂k)², what `n` observations of unit noise know about k.
fn information(k: f64, n: u32) -> f64 {
    let slope = |t: f64| t * (-k * t).exp();
    (0..n).map(|i| slope(time(i, n)).powi(2)).sum()
}

/// A few functions are plenty for exponentials: noise leaves nothing to gain from more.
fn few() -> Options {
    Options {
        method: Method::Lsq,
        width: Some(48),
        ..options()
    }
}

fn found(problem: &Problem) -> Vec<Found> {
    solve(problem, &few()).found
}

/// k with its standard error, four of which hold the truth (one draw in 16,000 does not) and which is the closed form's.
fn near(found: &Found, truth: f64, sigma: f64) {
    assert!(
        (found.value - truth).abs() < 4.0 * found.sigma,
        "{found:?}, not {truth}"
    );
    let ratio = found.sigma / sigma;
    assert!(
        (1.0 / 3.0..=3.0).contains(&ratio),
        "{found:?}, the standard error in closed form is {sigma:.2e}"
    );
}

#[test]
fn a_rate_from_exact_data() {
    let text = format!(
        "{DECAY}[[data]]\nrows = {}\n",
        rows(1.3, 5, 0.0, &mut Random(1))
    );
    let solved = recovers(&text, 1e-10, |t| vec![(-1.3 * t[0]).exp()]);
    assert_eq!(solved.found[0].name, "k");
    // a text about the solution may use its name
    let named = &solved.model.parts().constants;
    assert_eq!(named, &[("k".to_owned(), solved.found[0].value)]);
    assert!(
        (solved.found[0].value - 1.3).abs() < 1e-9,
        "{:?}",
        solved.found
    );
    assert!(solved.found[0].sigma < 1e-7, "{:?}", solved.found);
}

/// Cells that are empty or NaN were not observed: whatever else stands in their rows is used.
#[test]
fn gaps_in_the_data() {
    let text = "unknowns = [\"p\", \"q\"]\n[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n\
                [parameters]\nw = { find = true, start = 1 }\n[equation]\nresidual = [\"p_t - w*q\", \"q_t + w*p\"]\n\
                [[initial]]\np = 0\nq = 1\n";
    let mut rows = String::new();
    for i in 0..8 {
        let t = 0.25 * f64::from(i);
        let (p, q) = ((1.7 * t).sin(), (1.7 * t).cos());
        let _ = match i % 3 {
            0 => write!(rows, "[{t:?}, {p:?}, \"\"], "),
            1 => write!(rows, "[{t:?}, nan, {q:?}], "),
            _ => write!(rows, "[{t:?}, {p:?}, {q:?}], "),
        };
    }
    let text = format!("{text}[[data]]\nrows = [{rows}]\n");
    let counts: Vec<usize> = read(&text).data.iter().map(|d| d.values.len()).collect();
    assert_eq!(counts, [5, 5]);
    let solved = recovers(&text, 1e-9, |t| {
        vec![(1.7 * t[0]).sin(), (1.7 * t[0]).cos()]
    });
    assert!(
        (solved.found[0].value - 1.7).abs() < 1e-9,
        "{:?}",
        solved.found
    );
}

/// Something else than u is observed, a flux whose coefficient is sought.
#[test]
fn an_observed_flux() {
    let mut rows = String::new();
    for i in 1..6 {
        let x = 0.15 * f64::from(i);
        let _ = write!(rows, "[{x:?}, {:?}], ", 2.5 * PI * (PI * x).cos());
    }
    let text = format!(
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[parameters]\nk = {{ find = true }}\n[equation]\nresidual = \"u_xx + pi^2*sin(pi*x)\"\n\
         [[boundary]]\non = \"all\"\ndirichlet = 0\n[[data]]\nobserve = \"k*u_x\"\nrows = [{rows}]\n"
    );
    let solved = recovers(&text, 1e-10, |x| vec![(PI * x[0]).sin()]);
    assert!(
        (solved.found[0].value - 2.5).abs() < 1e-9,
        "{:?}",
        solved.found
    );
}

/// Forty noisy values, three draws of the noise.
#[test]
fn a_rate_from_noisy_data() {
    for seed in 1..4 {
        let (k, sigma) = (1.3, 0.01);
        let rows = rows(k, 40, sigma, &mut Random(seed));
        let text = format!("{DECAY}[[data]]\nrows = {rows}\nsigma = {sigma}\n");
        let found = &found(&read(&text))[0];
        near(found, k, sigma / information(k, 40).sqrt());
    }
}

/// Many noisy values, with the defaults as a user would leave them: the best fit of exp(−kt) by itself, and its standard error.
#[test]
fn the_best_fit_is_found_and_so_is_its_standard_error() {
    for (n, sigma, seed) in [(40, 0.05, 5), (1000, 0.02, 6), (4000, 0.1, 7)] {
        let (k, random) = (1.3, &mut Random(seed));
        let seen: Vec<[f64; 2]> = (0..n)
            .map(|i| {
                [
                    time(i, n),
                    (-k * time(i, n)).exp() + sigma * random.normal(),
                ]
            })
            .collect();
        // Gauss and Newton in one number
        let mut best = k;
        for _ in 0..50 {
            let slope = |t: f64| -t * (-best * t).exp();
            let [up, down] = seen.iter().fold([0.0, 0.0], |[up, down], [t, u]| {
                [
                    up + slope(*t) * (u - (-best * t).exp()),
                    down + slope(*t).powi(2),
                ]
            });
            best += up / down;
        }
        let rows: Vec<String> = seen
            .iter()
            .map(|[t, u]| format!("[{t:?}, {u:?}]"))
            .collect();
        let text = format!(
            "{DECAY}[[data]]\nrows = [{}]\nsigma = {sigma}\n",
            rows.join(", ")
        );
        let found = solve(&read(&text), &options()).found.swap_remove(0);
        let standard = sigma / information(best, n).sqrt();
        let off = (found.value - best).abs() / standard;
        assert!(
            off < 0.1,
            "{n} rows: {found:?}, the best fit is {best}, off by {off:.2} standard errors"
        );
        // the misfit of n rows says the noise to 1/√2n
        let ratio = found.sigma / standard;
        let within = 0.02 + 5.0 / (2.0 * f64::from(n)).sqrt();
        assert!(
            (ratio - 1.0).abs() < within,
            "{n} rows: {found:?}, in closed form {standard:.2e}"
        );
    }
}

/// The equation holds and the data are only near: noise does not bend the solution.
#[test]
fn noise_stays_out_of_the_solution() {
    let rows = rows(1.3, 40, 0.05, &mut Random(9));
    let problem = read(&format!("{DECAY}[[data]]\nrows = {rows}\nsigma = 0.05\n"));
    let solved = solve(&problem, &few());
    let k = solved.found[0].value;
    let error = crate::error(&problem, &solved, |t| vec![(-k * t[0]).exp()]);
    assert!(
        error < 1e-6,
        "off the equation's own solution by {error:.1e}"
    );
}

/// A precise series beside a rough one: each counts by its own noise.
#[test]
fn two_series_of_different_noise() {
    for seed in 1..4 {
        let (k, random) = (1.3, &mut Random(20 + seed));
        let text = format!(
            "{DECAY}[[data]]\nrows = {}\nsigma = 0.001\n[[data]]\nrows = {}\nsigma = 0.1\n",
            rows(k, 20, 0.001, random),
            rows(k, 40, 0.1, random)
        );
        let weight = information(k, 20) / 1e-6 + information(k, 40) / 1e-2;
        near(&found(&read(&text))[0], k, 1.0 / weight.sqrt());
    }
}

/// Two parameters of a heat equation; their covariance by hand: u = a exp(−kπ²t) sin(πx).
#[test]
fn two_parameters_from_noisy_data() {
    let (k, a, sigma) = (0.3, 2.0, 0.01);
    let (mut rows, mut random) = (String::new(), Random(77));
    let mut gram = [0.0; 3]; // aa, ak, kk
    for i in 0..60 {
        let (x, t) = (0.05 + 0.9 * random.unit(), f64::from(i) / 59.0);
        let shape = (-k * PI * PI * t).exp() * (PI * x).sin();
        let slope = -a * PI * PI * t * shape;
        gram = [
            gram[0] + shape * shape,
            gram[1] + shape * slope,
            gram[2] + slope * slope,
        ];
        let _ = write!(
            rows,
            "[{x:?}, {t:?}, {:?}], ",
            a * shape + sigma * random.normal()
        );
    }
    let text = format!(
        "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n\
         [parameters]\nk = {{ find = true, start = 1 }}\na = {{ find = true, start = 1 }}\n[equation]\nresidual = \"u_t - k*u_xx\"\n\
         [[boundary]]\non = \"x\"\ndirichlet = 0\n[[initial]]\nu = \"a*sin(pi*x)\"\n[[data]]\nrows = [{rows}]\nsigma = {sigma}\n"
    );
    let wide = Options {
        width: Some(200),
        ..few()
    };
    let found = solve(&read(&text), &wide).found;
    let determinant = gram[0] * gram[2] - gram[1] * gram[1];
    near(&found[0], k, sigma * (gram[0] / determinant).sqrt());
    near(&found[1], a, sigma * (gram[2] / determinant).sqrt());
}

/// An unknown coefficient field is a further unknown, with its own equation missing and data in its place.
#[test]
fn a_field_from_data() {
    // (c u′)′ = 0 with c = exp(x): u = 1 − exp(−x); u is seen everywhere, c at one end
    let mut rows = String::new();
    for i in 0..=40 {
        let x = f64::from(i) / 40.0;
        let _ = write!(rows, "[{x:?}, {:?}, \"\"], ", 1.0 - (-x).exp());
    }
    let text = format!(
        "unknowns = [\"u\", \"c\"]\n[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"c*u_xx + c_x*u_x\"\n\
         [[boundary]]\nunknown = \"c\"\non = \"x=0\"\ndirichlet = 1\n[guess]\nu = \"x\"\nc = 1\n[[data]]\nrows = [{rows}]\n"
    );
    recovers(&text, 1e-6, |x| vec![1.0 - (-x[0]).exp(), x[0].exp()]);
}

/// Forty draws of the noise: the truth lies within three standard errors, the found rates spread as the errors say, and χ² is
/// what noise of that size leaves.
#[test]
fn standard_errors_over_many_draws() {
    let (k, n, sigma) = (1.3, 12, 0.02);
    let (mut pulls, mut chi) = (Vec::new(), 0.0);
    for draw in 1..=40 {
        let mut random = Random(0x9E37_79B9 * draw);
        (0..20).for_each(|_| {
            random.word();
        });
        let rows = rows(k, n, sigma, &mut random);
        let text = format!("{DECAY}[[data]]\nsigma = {sigma}\nrows = {rows}\n");
        let solved = solve(&read(&text), &few());
        let found = &solved.found[0];
        assert!((found.value - k).abs() < 3.5 * found.sigma, "{found:?}");
        pulls.push((found.value - k) / found.sigma);
        let (chi_squared, observed) = solved.chi_squared.expect("a noise");
        assert_eq!(observed, n as usize);
        chi += chi_squared / 40.0;
    }
    let spread = (pulls.iter().map(|p| p * p).sum::<f64>() / 40.0).sqrt();
    assert!((0.5..=2.0).contains(&spread), "{spread}");
    // n − 1 = 11 on average, to within four times its own spread
    assert!((chi - 11.0).abs() < 4.0 * (22.0f64 / 40.0).sqrt(), "{chi}");
}

/// Every method takes parameters, data, means and periodic axes.
#[test]
fn every_method_finds_a_rate() {
    let text = format!(
        "{DECAY}[[data]]\nrows = {}\n",
        rows(1.3, 5, 0.0, &mut Random(1))
    );
    for (method, steps, bound) in [
        (Method::Lm, 60, 1e-5),
        (Method::Lbfgs, 400, 1e-2),
        (Method::Adam, 3000, 5e-2),
    ] {
        let options = Options {
            method,
            steps: Some(steps),
            points: Some(200),
            width: Some(10),
            depth: Some(2),
            ..options()
        };
        let solved = solve(&read(&text), &options);
        let off = (solved.found[0].value - 1.3).abs();
        assert!(off < bound, "{}: {off:.1e}", method.name());
    }
}
