//! How a run may end: stopped, out of time, at the target, never in a panic.

use crate::{error, options, read};
use rafnet::problem::Problem;
use rafnet::run::Outcome;
use rafnet::solve::{Method, Options, SolveError, Solved};

const PROBLEM: &str = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"-laplacian(u) + u^3 - f\"\nsource = \"manufactured\"\n\
                       [[boundary]]\non = \"all\"\ndirichlet = \"sin(3*x + y)\"\n[exact]\nu = \"sin(3*x + y)\"\n";

/// What was found before the end is a whole model; only a run that was stopped or out of time may have found none, and then says so.
fn is_sound(problem: &Problem, ended: Result<Solved, SolveError>, outcome: Outcome) {
    match ended {
        Ok(solved) => {
            // the very first layer may be good enough, and a few functions may not be
            let ends = [outcome, Outcome::TargetReached, Outcome::Stalled];
            assert!(ends.contains(&solved.outcome));
            assert!(solved.residual.is_finite());
            let error = error(problem, &solved, |x| vec![(3.0 * x[0] + x[1]).sin()]);
            assert!(error.is_finite() && solved.error_estimate > 0.0);
        }
        Err(SolveError::Stopped { problem: name }) => {
            assert_eq!(name, problem.name);
            assert_eq!(outcome, Outcome::Stopped);
        }
        Err(SolveError::NoTime { problem: name, .. }) => {
            assert_eq!(name, problem.name);
            assert_eq!(outcome, Outcome::BudgetSpent);
        }
        Err(other) => panic!("no reason to give up: {other}"),
    }
}

#[test]
fn stopped_at_once() {
    let problem = read(PROBLEM);
    let ended = problem.solve(&options(), |progress| progress.stop());
    is_sound(&problem, ended, Outcome::Stopped);
}

/// Stopped after each number of calls: no moment is a bad one.
#[test]
fn stopped_after_a_while() {
    let problem = read(PROBLEM);
    for most in [1, 2, 3, 5, 8, 12, 20] {
        let mut calls = 0;
        let ended = problem.solve(&options(), |progress| {
            calls += 1;
            if calls > most {
                progress.stop()
            } else {
                progress.go_on()
            }
        });
        if let Ok(solved) = &ended
            && solved.outcome != Outcome::Stopped
        {
            assert!(calls <= most, "stopped and yet {:?}", solved.outcome);
            continue;
        }
        is_sound(&problem, ended, Outcome::Stopped);
    }
}

/// A callback that says stop once is not asked to say it for ever.
#[test]
fn stopping_is_final() {
    let problem = read(PROBLEM);
    let mut calls = 0;
    let ended = problem.solve(&options(), |progress| {
        calls += 1;
        if calls == 3 {
            progress.stop()
        } else {
            progress.go_on()
        }
    });
    is_sound(&problem, ended, Outcome::Stopped);
}

/// Layers and fronts that take seconds: stopped while nothing is said, a run ends without another question and begins nothing more.
#[test]
fn stopped_in_the_middle_of_long_work() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\nz = [0, 1]\n[equation]\nresidual = \"laplacian(u) + 20*exp(-30*(x - y*z)^2)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n";
    let problem = read(text);
    for method in [Method::Lsq, Method::Pieces] {
        let wanted = Options {
            method,
            time_limit: f64::INFINITY,
            ..options()
        };
        let (mut last, mut stopped, mut asked_again) = (None, false, 0);
        let ended = problem.solve(&wanted, |progress| {
            // the same word twice: it is the caller's thread that asks
            let said = (progress.step, progress.width, progress.residual.to_bits());
            let silent = last.replace(said) == Some(said);
            asked_again += usize::from(stopped);
            stopped |= silent && progress.step > 0;
            if stopped {
                progress.stop()
            } else {
                progress.go_on()
            }
        });
        assert!(stopped, "{method:?} was never silent for long");
        assert_eq!(asked_again, 0, "{method:?}");
        match ended {
            Ok(solved) => assert_eq!(solved.outcome, Outcome::Stopped, "{method:?}"),
            Err(SolveError::Stopped { .. }) => {}
            Err(other) => panic!("{method:?}: no reason to give up: {other}"),
        }
    }
}

#[test]
fn no_time_at_all() {
    let problem = read(PROBLEM);
    for time_limit in [0.0, 1e-9, 1e-3, -1.0] {
        let limited = Options {
            time_limit,
            ..options()
        };
        let ended = problem.solve(&limited, |progress| progress.go_on());
        if let Err(SolveError::NoTime { limit, .. }) = &ended {
            // what was asked for, and not what one method left the next of it
            assert_eq!(limit.to_bits(), time_limit.to_bits());
        }
        is_sound(&problem, ended, Outcome::BudgetSpent);
    }
}

/// A loose target ends the search at once, with a held-out residual below it; a strict one with less.
#[test]
fn targets_are_honoured() {
    let problem = read(PROBLEM);
    let mut layers = Vec::new();
    for target in [1e-3, 1e-8] {
        let wanted = Options {
            target: Some(target),
            ..options()
        };
        let mut steps = 0;
        let solved = problem.solve(&wanted, |progress| {
            steps = progress.step;
            progress.go_on()
        });
        let solved = solved.expect("a solution");
        assert_eq!(solved.outcome, Outcome::TargetReached);
        assert!(solved.residual <= target, "{:.1e}", solved.residual);
        layers.push(steps);
    }
    assert!(layers[0] <= layers[1], "{layers:?}");
}

/// Below rounding there is nothing to reach: the search sees that it stands still, and says that the target was missed.
#[test]
fn an_impossible_target_is_missed() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + u\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 0\n[[boundary]]\non = \"x=1\"\ndirichlet = \"sin(1)\"\n";
    let problem = read(text);
    let wanted = Options {
        target: Some(0.0),
        ..options()
    };
    let solved = problem.solve(&wanted, |progress| progress.go_on());
    let solved = solved.expect("a solution");
    assert_eq!(solved.outcome, Outcome::Stalled);
    assert!(error(&problem, &solved, |x| vec![x[0].sin()]) < 1e-11);
}

/// A width is the most that any layer has, down to a single function.
#[test]
fn widths_are_honoured() {
    let problem = read(PROBLEM);
    for width in [1, 2, 37] {
        let wanted = Options {
            method: Method::Lsq,
            width: Some(width),
            ..options()
        };
        let mut widest = 0;
        let solved = problem.solve(&wanted, |progress| {
            widest = widest.max(progress.width);
            progress.go_on()
        });
        assert!(widest <= width, "{widest} functions, not {width}");
        is_sound(&problem, solved, Outcome::Converged);
    }
}

/// Without any solution the run ends too: u² = −1 has no real root.
#[test]
fn nothing_to_find() {
    let text =
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u^2 + 1 + x\"\n";
    let problem = read(text);
    match problem.solve(&options(), |progress| progress.go_on()) {
        Ok(solved) => assert!(solved.residual > 0.1, "{:.1e}", solved.residual),
        Err(SolveError::Diverged { problem: name }) => assert_eq!(name, problem.name),
        Err(other) => panic!("no reason to give up: {other}"),
    }
}
