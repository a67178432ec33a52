//! Eigenvalues against those that are known, with what is said of their errors.

use rafnet::problem::Problem;
use rafnet::run::{Checkpoint, Watch};
use rafnet::solve::{Method, Mode, Options, Progress, SolveError, Solved};
use std::f64::consts::PI;
use std::ops::ControlFlow;

fn solved(text: &str, options: &Options) -> Solved {
    let problem = Problem::from_text(text, "eigen.toml", None).expect("a problem");
    problem.solve(options, |p| p.go_on()).expect("eigenpairs")
}

/// Each value to a relative error, and no further off than ten times what is said.
fn check(solved: &Solved, expected: &[f64], relative: f64) {
    let found: Vec<f64> = solved.eigenvalues.iter().map(|p| p.value).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (pair, expected) in solved.eigenvalues.iter().zip(expected) {
        let off = (pair.value - expected).abs();
        let scale = expected.abs().max(1.0);
        assert!(off <= relative * scale, "{} for {expected}", pair.value);
        assert!(
            off <= 10.0 * pair.error_estimate + 1e-13 * scale,
            "{} for {expected}, said to be off by {:e}",
            pair.value,
            pair.error_estimate
        );
    }
}

fn interval(end: &str, rest: &str) -> String {
    format!("[domain]\nkind = \"interval\"\nx = [0, {end}]\n{rest}")
}

const ENDS: &str = "[[boundary]]\non = \"all\"\ndirichlet = 0\n";

/// Squares of the zeros of J₀, J₁ (twice) and J₂ (twice).
#[test]
fn a_round_drum_has_double_tones() {
    let problem = Problem::builtin("drum-disc").expect("a built-in problem");
    for seed in [0, 5] {
        let options = Options {
            seed,
            ..Options::default()
        };
        let solved = problem.solve(&options, |p| p.go_on()).expect("eigenpairs");
        let [j0, j1, j2] = [2.404825557695773f64, 3.831705970207512, 5.135622301840683];
        let expected = [j0 * j0, j1 * j1, j1 * j1, j2 * j2, j2 * j2];
        check(&solved, &expected, 1e-11);
        let told: Vec<usize> = solved.eigenvalues.iter().map(|p| p.multiplicity).collect();
        assert_eq!(told, [1, 2, 2, 2, 2]);
    }
}

/// The values of Trefethen and Betcke, "Computed eigenmodes of planar regions", 2006.
#[test]
fn a_drum_with_a_re_entrant_corner() {
    let problem = Problem::builtin("drum-l-shape").expect("a built-in problem");
    let options = Options {
        width: Some(480),
        ..Options::default()
    };
    let solved = problem.solve(&options, |p| p.go_on()).expect("eigenpairs");
    let expected = [
        9.6397238440219,
        15.197251926454,
        2.0 * PI * PI,
        29.521481114151,
        31.912635957138,
    ];
    check(&solved, &expected, 1e-9);
}

/// n + ½, with ∫u² = 1 and the ground state positive.
#[test]
fn the_levels_of_the_oscillator() {
    let problem = Problem::builtin("quantum-oscillator").expect("a built-in problem");
    let solved = problem
        .solve(&Options::default(), |p| p.go_on())
        .expect("eigenpairs");
    check(&solved, &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5], 1e-12);
    assert!(solved.relative_l2_by[0].is_some_and(|e| e < 1e-12));
    let middle = solved.model.eval(&[0.0]).expect("a value")[0];
    assert!((middle - PI.powf(-0.25)).abs() < 1e-12, "{middle}");
}

#[test]
fn slopes_that_are_given_and_mixed_conditions() {
    let text = interval(
        "\"pi\"",
        "[eigenvalue]\noperator = \"-u_xx\"\ncount = 3\n[[boundary]]\non = \"all\"\nneumann = 0\n",
    );
    check(&solved(&text, &Options::default()), &[0.0, 1.0, 4.0], 1e-11);
    let text = interval(
        "\"pi\"",
        "[eigenvalue]\noperator = \"-u_xx\"\ncount = 2\n[[boundary]]\non = \"x=0\"\nneumann = 0\n[[boundary]]\non = \"x=pi\"\ndirichlet = 0\n",
    );
    check(&solved(&text, &Options::default()), &[0.25, 2.25], 1e-11);
}

/// ∂u/∂n = 3u at both ends of [0, 1]: two eigenvalues −κ² below the least value of the potential, κ tanh(κ/2) = 3 and κ coth(κ/2) = 3.
#[test]
fn eigenvalues_below_the_potential() {
    let text = interval(
        "1",
        "[eigenvalue]\noperator = \"-u_xx\"\ncount = 3\n[[boundary]]\non = \"all\"\nrobin = { a = -3, b = 1, g = 0 }\n",
    );
    let root = |f: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64| {
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if f(middle) * f(low) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    };
    let even = root(&|k| k * (k / 2.0).tanh() - 3.0, 1.0, 6.0);
    let odd = root(&|k| k / (k / 2.0).tanh() - 3.0, 1.0, 6.0);
    // cos(k(x − ½)): −k tan(k/2) = −(−3), the first root beyond π
    let next = root(&|k| (k / 2.0).tan() * k + 3.0, PI + 1e-6, 2.0 * PI);
    let expected = [-even * even, -odd * odd, next * next];
    check(&solved(&text, &Options::default()), &expected, 1e-10);
}

/// Δ has its eigenvalues below zero, and the first is the nearest to it; near a number the nearest to that.
#[test]
fn operators_of_either_sign_and_a_number_to_start_from() {
    let text = interval(
        "\"pi\"",
        &format!("[eigenvalue]\noperator = \"u_xx\"\ncount = 2\n{ENDS}"),
    );
    check(&solved(&text, &Options::default()), &[-1.0, -4.0], 1e-11);
    let text = interval(
        "\"pi\"",
        &format!("[eigenvalue]\noperator = \"-u_xx\"\ncount = 2\nstart = 20\n{ENDS}"),
    );
    check(&solved(&text, &Options::default()), &[16.0, 25.0], 1e-11);
}

/// −u″ + v = λu, −v″ + u = λv: n² ± 1.
#[test]
fn two_unknowns() {
    let text = interval(
        "\"pi\"",
        "[eigenvalue]\noperator = [\"-u_xx + v\", \"-v_xx + u\"]\nnormalise = \"mean(u^2 + v^2) = 1\"\ncount = 4\n\
         [[boundary]]\non = \"all\"\nunknown = \"u\"\ndirichlet = 0\n[[boundary]]\non = \"all\"\nunknown = \"v\"\ndirichlet = 0\n",
    );
    let text = format!("unknowns = [\"u\", \"v\"]\n{text}");
    let solved = solved(&text, &Options::default());
    check(&solved, &[0.0, 2.0, 3.0, 5.0], 1e-10);
}

/// −u″ + 2u′ is not symmetric, and its eigenvalues n²π² + 1 are real all the same; those of u′ around a ring are imaginary but for one.
#[test]
fn operators_that_are_not_symmetric() {
    let text = interval(
        "1",
        &format!("[eigenvalue]\noperator = \"-u_xx + 2*u_x\"\ncount = 2\n{ENDS}"),
    );
    let expected = [PI * PI + 1.0, 4.0 * PI * PI + 1.0];
    check(&solved(&text, &Options::default()), &expected, 1e-11);
    let text = "[domain]\nkind = \"interval\"\nx = [0, \"2*pi\"]\nperiodic = [\"x\"]\n[eigenvalue]\noperator = \"u_x\"\ncount = 2\n";
    let problem = Problem::from_text(text, "ring.toml", None).expect("a problem");
    let refused = problem.solve(&Options::default(), |p| p.go_on());
    assert!(matches!(refused, Err(SolveError::NoEigenvalues { .. })));
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let problem = Problem::builtin("drum-disc").expect("a built-in problem");
    let bits = |threads: usize| {
        let options = Options {
            threads,
            width: Some(200),
            ..Options::default()
        };
        let solved = problem.solve(&options, |p| p.go_on()).expect("eigenpairs");
        let values = solved.eigenvalues.iter().map(|p| p.value.to_bits());
        (
            values.collect::<Vec<u64>>(),
            solved.model.parts().parameters.clone(),
        )
    };
    assert_eq!(bits(1), bits(2));
}

/// The paper's problem in two, five and ten dimensions: u = exp(Σ cos x_i / d) / c, λ = −3.
#[test]
fn a_positive_function_in_many_dimensions() {
    for (name, function, value) in [
        ("schrodinger-d2", 1e-11, 1e-11),
        ("schrodinger-d5", 1e-7, 1e-7),
        ("schrodinger-d10", 1e-5, 1e-5),
    ] {
        let problem = Problem::builtin(name).expect("a built-in problem");
        let solved = problem
            .solve(&Options::default(), |p| p.go_on())
            .expect("an eigenpair");
        let pair = &solved.eigenvalues[0];
        let off = (pair.value + 3.0).abs();
        assert!(off <= value, "{name}: {}", pair.value);
        assert!(off <= 10.0 * pair.error_estimate + 1e-13, "{name}: {off:e}");
        let error = solved.relative_l2_by[0].expect("an exact solution");
        assert!(error <= function, "{name}: {error:e}");
    }
}

/// −u″ + k u³ = λu on [0, π]: with u = √2 sin x to first order, λ = 1 + k mean(u⁴) = 1 + 3k/2.
#[test]
fn a_nonlinear_operator_between_walls() {
    let value = |k: f64| {
        let text = interval(
            "\"pi\"",
            &format!("[eigenvalue]\noperator = \"-u_xx + {k}*u^3\"\n{ENDS}"),
        );
        let solved = solved(&text, &Options::default());
        assert!(solved.residual < 1e-9, "{:e}", solved.residual);
        solved.eigenvalues[0].value
    };
    // the term of second order drops out: (λ(k) − λ(−k)) / 2k = 3/2 + O(k²)
    let slope = (value(1e-2) - value(-1e-2)) / 2e-2;
    assert!((slope - 1.5).abs() < 1e-4, "{slope}");
}

/// Potentials of one's own: log ψ couples the coordinates.
#[test]
fn a_ground_state_whose_logarithm_couples_coordinates() {
    let text = "[domain]\nkind = \"box\"\ndimension = 5\neach = [0, \"2*pi\"]\nperiodic = [\"x1\", \"x2\", \"x3\", \"x4\", \"x5\"]\n\
        [functions]\nW = \"0.3*cos(x1 - x2) + 0.2*sin(x3)*cos(x4) + 0.25*cos(x5) + 0.1*sin(x1 + x5)\"\n\
        V = \"laplacian(W) + dot(grad(W), grad(W))\"\n\
        [eigenvalue]\noperator = \"-laplacian(u) + V*u\"\npositive = true\n";
    let problem = Problem::from_text(text, "coupled.toml", None).expect("a problem");
    let options = Options {
        width: Some(200),
        ..Options::default()
    };
    let solved = problem
        .solve(&options, |p| p.go_on())
        .expect("an eigenpair");
    check(&solved, &[0.0], 1e-7);
}

/// Broken off and gone on with, a run along random paths ends in the bits of the unbroken one, on any number of threads.
#[test]
fn random_paths_go_on_exactly() {
    struct Keeper(Vec<Checkpoint>);
    impl Watch for Keeper {
        fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
            progress.go_on()
        }
        fn checkpoint(&mut self, checkpoint: &Checkpoint) {
            self.0.push(checkpoint.clone());
        }
    }
    let problem = Problem::builtin("schrodinger-d2").expect("a built-in problem");
    for mode in [Mode::Consistent, Mode::Gradient] {
        let options = |threads: usize| Options {
            method: Method::Bsde,
            mode,
            steps: Some(12),
            points: Some(40),
            checkpoint: 0.0,
            threads,
            ..Options::default()
        };
        let mut keeper = Keeper(Vec::new());
        let straight = problem
            .solve_from(&options(1), None, &mut keeper)
            .expect("an eigenpair");
        let middle = keeper.0.iter().find(|c| c.step == 5).expect("a checkpoint");
        let resumed = problem
            .solve_from(&options(2), Some(middle), &mut Keeper(Vec::new()))
            .expect("an eigenpair");
        let bits = |solved: &Solved| {
            let parameters = solved.model.parts().parameters.clone();
            (solved.eigenvalues[0].value.to_bits(), parameters)
        };
        assert_eq!(bits(&straight), bits(&resumed));
    }
}

/// What a method cannot do is refused by name.
#[test]
fn methods_without_eigenvalues_are_refused() {
    let problem = Problem::builtin("drum-disc").expect("a built-in problem");
    for (method, word) in [(Method::Adam, "`lsq`"), (Method::Bsde, "periodic")] {
        let options = Options {
            method,
            ..Options::default()
        };
        let refused = problem.solve(&options, |p| p.go_on());
        let message = refused.err().expect("a refusal").to_string();
        assert!(message.contains(word), "{message}");
    }
}

/// A trained network: the answer is no better than its held-out residual says.
#[test]
fn every_weight_trained() {
    let problem = Problem::builtin("schrodinger-d2").expect("a built-in problem");
    let options = Options {
        method: Method::Lm,
        steps: Some(40),
        ..Options::default()
    };
    let solved = problem
        .solve(&options, |p| p.go_on())
        .expect("an eigenpair");
    let pair = &solved.eigenvalues[0];
    let off = (pair.value + 3.0).abs();
    assert!(off < 1e-3 && off <= 10.0 * pair.error_estimate, "{off:e}");
}
