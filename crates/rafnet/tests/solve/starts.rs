//! Newton's method from several starts: boundary-value problems with several solutions, some of which it does not find from the guess.

use crate::{error, options, read, recovers_with, solve};
use rafnet::engine::Streams;
use rafnet::expr::{largest, smaller};
use rafnet::solve::{Method, Options, Solved};

/// Fourth-order steps of u'' = f(x, u) from u and u' at a place.
fn shot(
    f: impl Fn(f64, f64) -> f64,
    begin: f64,
    mut state: [f64; 2],
    length: f64,
    steps: usize,
) -> Vec<f64> {
    let h = length / steps as f64;
    let slope = |x: f64, [u, v]: [f64; 2]| [v, f(x, u)];
    let moved = |[u, v]: [f64; 2], [du, dv]: [f64; 2], h: f64| [u + h * du, v + h * dv];
    let mut values = vec![state[0]];
    for k in 0..steps {
        let x = begin + h * k as f64;
        let a = slope(x, state);
        let b = slope(x + 0.5 * h, moved(state, a, 0.5 * h));
        let c = slope(x + 0.5 * h, moved(state, b, 0.5 * h));
        let d = slope(x + h, moved(state, c, h));
        let mean = [0, 1].map(|k| (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) / 6.0);
        state = moved(state, mean, h);
        values.push(state[0]);
    }
    values
}

/// A solution follows from itself at a place, over a length from there.
fn follows(solved: &Solved, f: impl Fn(f64, f64) -> f64, begin: f64, length: f64) {
    let values = |x: f64| solved.model.eval(&[x]).expect("a value")[0];
    let jets = solved.model.jet(&[begin], Streams::gradient());
    let slope = jets.expect("jets").gradient(0, 0).expect("a slope")[0];
    let expected = shot(f, begin, [values(begin), slope], length, 2_000);
    for (k, expected) in expected.iter().enumerate().step_by(250) {
        let x = begin + length * k as f64 / 2_000.0;
        let off = (values(x) - expected).abs();
        assert!(off < 1e-7, "{x} {expected} {off:e}");
    }
}

/// A pendulum that hangs at first and is nearly upright after ten seconds, and a wave of Fisher's kind: integrated from any place over a length of
/// two, each is what follows there. An error at the beginning grows by no more than exp 2, steps of 1/1000 have errors of 1e-12.
#[test]
fn found_from_elsewhere() {
    type Force = fn(f64) -> f64;
    let cases: [(&str, Force, usize, f64); 2] = [
        ("u_xx + sin(u)", |u| -u.sin(), 10, 3.0),
        ("u_xx + u*(1 - u)", |u| -u * (1.0 - u), 30, 1.0),
    ];
    for (residual, force, length, end) in cases {
        let text = format!(
            "[domain]\nkind = \"interval\"\nx = [0, {length}]\n[equation]\nresidual = \"{residual}\"\n\
             [[boundary]]\non = \"x=0\"\ndirichlet = 0\n[[boundary]]\non = \"x={length}\"\ndirichlet = {end}\n"
        );
        let solved = solve(&read(&text), &options());
        let said = &solved.decisions();
        let says = |what: &str| said.iter().any(|d| d.contains(what));
        assert!(says("other starts") && says("[guess]"), "{said:?}");
        assert!(
            solved.error_estimate < 1e-8,
            "{:e} {said:?}",
            solved.error_estimate
        );
        let values = |x: f64| solved.model.eval(&[x]).expect("a value")[0];
        let ends = [values(0.0), values(length as f64) - end];
        assert!(ends.iter().all(|off| off.abs() < 1e-8), "{ends:?}");
        for begin in (0..length - 1).step_by(2) {
            follows(&solved, |_, u| force(u), begin as f64, 2.0);
        }
    }
}

/// Carrier's equation has many solutions: the levels of pieces keep to the one that the first of them found. An error grows by exp(0.2 · 20) at most
/// over a length of 0.2.
#[test]
fn pieces_keep_to_one_of_many() {
    let text = "[domain]\nkind = \"interval\"\nx = [-1, 1]\n[equation]\nresidual = \"0.01*u_xx + 2*(1 - x^2)*u + u^2 - 1\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n";
    for seed in 0..3 {
        let pieces = Options {
            method: Method::Pieces,
            seed,
            ..options()
        };
        let solved = solve(&read(text), &pieces);
        let estimate = solved.error_estimate;
        assert!(estimate < 1e-9, "seed {seed}: {estimate:e}");
        for k in 0..10 {
            let force = |x: f64, u: f64| 100.0 * (1.0 - 2.0 * (1.0 - x * x) * u - u * u);
            follows(&solved, force, -1.0 + 0.2 * f64::from(k), 0.2);
        }
    }
}

/// du/dt = 1/u from 1, and two bodies on a circle: neither equation is finite where the unknowns are zero.
const RECIPROCAL: &str = "[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n[equation]\nresidual = \"u_t - 1/u\"\n\
                          [[initial]]\nu = 1\n";
const BODIES: &str = "unknowns = [\"x\", \"y\"]\n[domain]\nkind = \"interval\"\nt = [0, 3]\ntime = \"t\"\n[equation]\n\
                      residual = [\"x_tt + x*(x^2 + y^2)^(-1.5)\", \"y_tt + y*(x^2 + y^2)^(-1.5)\"]\n\
                      [[initial]]\nx = 1\nx_t = 0\ny = 0\ny_t = 1\n";

/// What is not finite at zero begins at what is given: an initial value that stands still, the lift or the mean of boundary values.
#[test]
fn what_is_given_is_a_start_where_zero_is_none() {
    let lsq = Options {
        method: Method::Lsq,
        ..options()
    };
    recovers_with(&lsq, RECIPROCAL, 1e-9, |t| vec![(1.0 + 2.0 * t[0]).sqrt()]);
    recovers_with(&lsq, BODIES, 1e-8, |t| vec![t[0].cos(), t[0].sin()]);
    let root = "[domain]\nkind = \"interval\"\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_t + u*log(u)\"\n[[initial]]\nu = 3\n";
    recovers_with(&lsq, root, 1e-9, |t| vec![3f64.powf((-t[0]).exp())]);
    let disc = "[domain]\nkind = \"ball\"\ncoordinates = [\"x\", \"y\"]\n[equation]\n\
                residual = \"laplacian(u) - 1/u - 4 + 1/(1 + x^2 + y^2)\"\n[[boundary]]\non = \"all\"\ndirichlet = 2\n";
    recovers_with(&lsq, disc, 1e-7, |x| vec![1.0 + x[0] * x[0] + x[1] * x[1]]);
}

/// The same of networks, which are drawn around zero: steps of either kind come nearer from the first on, and none of them is infinite.
#[test]
fn networks_begin_at_what_is_given() {
    let problem = read(RECIPROCAL);
    for (method, steps, bound) in [(Method::Lm, 10, 1e-2), (Method::Adam, 200, 0.1)] {
        let trained = Options {
            method,
            steps: Some(steps),
            width: Some(10),
            depth: Some(2),
            points: Some(200),
            ..options()
        };
        let solved = solve(&problem, &trained);
        let off = error(&problem, &solved, |t| vec![(1.0 + 2.0 * t[0]).sqrt()]);
        // what stands still is 0.4 off
        assert!(off < bound, "{method:?}: {off:.1e}");
    }
}

/// det D²u = (1 + |x|²) e^(|x|²) has no linear part at zero; its convex solution is e^(|x|²/2).
#[test]
fn an_equation_without_a_linear_part_starts_from_a_bowl() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"u_xx*u_yy - u_xy^2 - (1 + x^2 + y^2)*exp(x^2 + y^2)\"\n\
        [[boundary]]\non = \"all\"\ndirichlet = \"exp((x^2 + y^2)/2)\"\n[exact]\nu = \"exp((x^2 + y^2)/2)\"\n";
    let solved = solve(&read(text), &options());
    let error = solved.relative_l2_by[0].expect("a known solution");
    assert!(error < 1e-9, "{error:.1e}");
    assert!(
        solved.error_estimate > 0.1 * error || error < 1e-13,
        "{:.1e}",
        solved.error_estimate
    );
}

/// A problem on the unit interval, zero at its ends.
fn between_zeros(residual: &str) -> Solved {
    let text = format!(
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"{residual}\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n"
    );
    solve(&read(&text), &options())
}

/// u = −2 log(cosh((x − ½)θ/2) / cosh(θ/4)) has u'' = −θ²/2 / cosh²((x − ½)θ/2) and exp(u) = cosh²(θ/4) / cosh²((x − ½)θ/2): it solves Bratu's
/// equation u'' + exp(u) = 0 where θ = √2 cosh(θ/4). There are two such θ, on either side of 4 asinh(4/√2), where the slopes of both sides agree.
/// Each solution is kept, and neither is an error of the other. Errors of a solution are bounded by residuals of 1e-7 of terms that are 60 at most,
/// times an inverse of norm 1 or so.
#[test]
fn both_solutions_of_bratus_equation_are_kept() {
    let root = |mut low: f64, mut high: f64| {
        let off = |theta: f64| theta - 2f64.sqrt() * (theta / 4.0).cosh();
        let rises = off(high) > 0.0;
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if (off(middle) > 0.0) == rises {
                high = middle;
            } else {
                low = middle;
            }
        }
        low
    };
    let fold = 4.0 * (4.0 / 2f64.sqrt()).asinh();
    let solved = between_zeros("u_xx + exp(u)");
    assert_eq!(solved.solutions(), 2, "{:?}", solved.decisions());
    let estimate = solved.error_estimate;
    assert!(estimate < 1e-12, "{estimate:.1e}");
    let models = || std::iter::once(&solved.model).chain(&solved.others);
    for theta in [root(0.0, fold), root(fold, 40.0)] {
        let exact = |x: f64| -2.0 * (((x - 0.5) * theta / 2.0).cosh() / (theta / 4.0).cosh()).ln();
        let off = |model: &rafnet::model::Model| {
            let off = |k: u32| {
                let x = f64::from(k) / 20.0;
                (model.eval(&[x]).expect("a value")[0] - exact(x)).abs()
            };
            largest((0..=20).map(off))
        };
        let nearest = models().map(off).fold(f64::INFINITY, smaller);
        assert!(
            nearest < 6e-6,
            "{} at its highest: {nearest:.1e}",
            exact(0.5)
        );
    }
}

/// u'' = f(u) with f that grows: of two solutions ∫ (u' − v')² = −∫ (f(u) − f(v)) (u − v) ≤ 0, so they are one.
#[test]
fn a_single_solution_is_counted_once() {
    for residual in ["u_xx - u^3 - 1", "u_xx - exp(u)"] {
        let solved = between_zeros(residual);
        assert_eq!(
            solved.solutions(),
            1,
            "{residual}: {:?}",
            solved.decisions()
        );
        assert!(solved.others.is_empty());
    }
}
