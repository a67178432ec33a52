//! `[[condition]]`: means, integrals and values at points, once and at every time; more equations than unknowns.

use crate::{options, read, recovers, recovers_with, solve};
use rafnet::run::Outcome;
use rafnet::solve::{Method, Options};
use std::f64::consts::PI;

fn flux_alone(condition: &str) -> String {
    format!(
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + pi^2*cos(pi*x)\"\n\
         [[boundary]]\non = \"all\"\nneumann = 0\n[[condition]]\n{condition}\n"
    )
}

/// What closes a problem of fluxes alone: a mean, an integral, a value, a square.
#[test]
fn each_kind_closes_a_problem() {
    for condition in [
        "mean = \"u\"\nequals = 2",
        "mean = \"u\"\nvalue = 2",
        "integral = \"3*u\"\nequals = 6",
        "at = [0.5]\nvalue = \"u\"\nequals = 2",
    ] {
        recovers(&flux_alone(condition), 1e-11, |x| {
            vec![2.0 + (PI * x[0]).cos()]
        });
    }
    // ∫ (c + cos πx)² = c² + 1/2, and the guess says which c
    let square = flux_alone("integral = \"u^2\"\nequals = 4.5") + "[guess]\nu = 1\n";
    recovers(&square, 1e-10, |x| vec![2.0 + (PI * x[0]).cos()]);
}

/// Heat in a bar without flux leaves a constant open at no time but the first; a pressure-like unknown leaves one open at every time.
#[test]
fn at_every_time() {
    for condition in [
        "mean = \"v\"\neach = \"t\"\nequals = \"2*exp(-t)/pi\"",
        "integral = \"v\"\neach = \"t\"\nequals = \"2*exp(-t)/pi\"",
        "at = [0]\nvalue = \"v\"\neach = \"t\"",
    ] {
        let text = format!(
            "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n\
             [equation]\nresidual = [\"u_t + u\", \"v_x - pi*cos(pi*x)*u\"]\n[[initial]]\nu = 1\n[[condition]]\n{condition}\n"
        );
        recovers(&text, 1e-10, |x| {
            let decay = (-x[1]).exp();
            vec![decay, (PI * x[0]).sin() * decay]
        });
    }
}

/// On a disc that moves through time the mean is one over the disc.
#[test]
fn a_mean_over_a_disc_at_every_time() {
    // p = x² + y² + t − 1/2 has the mean t
    let text = "[domain]\nkind = \"ball\"\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"laplacian(u) - 4\"\n\
                [[boundary]]\non = \"all\"\nneumann = 2\n[[condition]]\nmean = \"u\"\neach = \"t\"\nequals = \"t\"\n";
    // a third of the usual functions is enough for a polynomial: a mean takes as many points at every time
    let narrow = Options {
        method: Method::Lsq,
        width: Some(120),
        ..options()
    };
    recovers_with(&narrow, text, 1e-9, |x| {
        vec![x[0] * x[0] + x[1] * x[1] + x[2] - 0.5]
    });
}

/// The gradient of a function is two equations for one unknown.
#[test]
fn more_equations_than_unknowns() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n\
                [equation]\nresidual = [\"u_x - y*exp(x*y)\", \"u_y - x*exp(x*y)\"]\n[[condition]]\nat = [0, 0]\nvalue = \"u\"\nequals = 1\n";
    recovers(text, 1e-10, |x| vec![(x[0] * x[1]).exp()]);
}

/// Where no function meets all equations, they are named, and the others are not.
#[test]
fn contradictions_are_named() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n\
                [equation]\nresidual = [\"u_x - y\", \"u_y + x\"]\n[[condition]]\nat = [0, 0]\nvalue = \"u\"\n";
    let solved = solve(&read(text), &options());
    assert_eq!(
        solved.outcome,
        Outcome::Contradictory,
        "{:?}",
        solved.decisions()
    );
    let remark = solved.remark.expect("a remark");
    assert!(remark.contains("equation 1 and equation 2"), "{remark}");
    // more heat flows out than is made
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + 1\"\n\
                [[boundary]]\non = \"x=0\"\nneumann = 0\n[[boundary]]\non = \"x=1\"\nneumann = 3\n[[condition]]\nmean = \"u\"\n";
    let solved = solve(&read(text), &options());
    assert_eq!(
        solved.outcome,
        Outcome::Contradictory,
        "{:?}",
        solved.decisions()
    );
    let remark = solved.remark.expect("a remark");
    assert!(
        remark.contains("the equation, boundary condition 1 and boundary condition 2"),
        "{remark}"
    );
}

/// What is only too steep for a frozen layer is no contradiction, nor is a wave too short for it.
#[test]
fn what_is_hard_is_no_contradiction() {
    for text in [
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"-1e-7*u_xx + u_x - 1\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n",
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + 1e8*u - 1\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n",
        "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"-laplacian(u) - where(x > 0.4, 1, 0)\"\n\
         [[boundary]]\non = \"all\"\ndirichlet = \"where(y > 0.7, x, 0)\"\n",
    ] {
        let lsq = Options {
            method: Method::Lsq,
            time_limit: 2.0,
            ..options()
        };
        let solved = solve(&read(text), &lsq);
        assert_ne!(
            solved.outcome,
            Outcome::Contradictory,
            "{text}\n{:?}",
            solved.remark
        );
    }
}

/// A peak of 10⁴ between ends of 1 is no contradiction: ((ε + x²)u)″ = 0 is met by 1/(ε + x²), and by no function that is as smooth as the data.
#[test]
fn a_peak_that_no_data_show_is_no_contradiction() {
    let text = "[domain]\nkind = \"interval\"\nx = [-1, 1]\n[equation]\nresidual = \"(1e-4 + x^2)*u_xx + 4*x*u_x + 2*u\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"1/(1 + 1e-4)\"\n";
    let narrow = Options {
        method: Method::Lsq,
        width: Some(48),
        ..options()
    };
    let solved = solve(&read(text), &narrow);
    assert_ne!(
        solved.outcome,
        Outcome::Contradictory,
        "{:?}",
        solved.remark
    );
    assert_eq!(solved.remark, None);
    recovers(text, 1e-6, |x| vec![1.0 / (1e-4 + x[0] * x[0])]);
}

/// A pressure that is differentiated in space alone is free up to a function of time, whatever its mean over all of time is.
#[test]
fn a_pressure_that_time_leaves_open_is_named() {
    let text = |more: &str| {
        format!(
            "unknowns = [\"u\", \"p\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n\
             [equation]\nresidual = [\"u_t + p_x - x\", \"u_x\"]\n[[boundary]]\nunknown = \"u\"\non = \"x=0\"\ndirichlet = \"exp(-t)\"\n\
             [[initial]]\nu = 1\n[[condition]]\nmean = \"p\"\n{more}"
        )
    };
    let open = solve(&read(&text("")), &options());
    assert_eq!(open.outcome, Outcome::Stalled);
    let remark = open.remark.expect("a remark");
    assert!(remark.starts_with("under-determined: `p`"), "{remark}");
    assert!(
        remark.contains("mean = \"p\"") && remark.contains("each = \"t\""),
        "{remark}"
    );
    assert!(open.error_estimate >= 1.0, "{:.1e}", open.error_estimate);
    // p_x = x + exp(−t)
    let p = |x: f64, t: f64| 0.5 * x * x + (-t).exp() * x - 1.0 / 6.0 - 0.5 * (-t).exp();
    let closed = recovers(&text("each = \"t\"\n"), 1e-8, |x| {
        vec![(-x[1]).exp(), p(x[0], x[1])]
    });
    assert_eq!(closed.remark, None);
}

/// An equation at its own eigenvalue has many solutions: the one that is found is not called right.
#[test]
fn what_is_left_open_is_named() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + pi^2*u\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n[[condition]]\nmean = \"u\"\nvalue = 0\n";
    let zero = solve(&read(text), &options());
    assert_ne!(zero.outcome, Outcome::Contradictory);
    let text = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = [\"u_x + v_x - 1\", \"u - x + v\"]\n\
                [[boundary]]\nunknown = \"u\"\non = \"x=0\"\ndirichlet = 0\n[[boundary]]\nunknown = \"v\"\non = \"x=0\"\ndirichlet = 0\n";
    let solved = solve(&read(text), &options());
    assert_eq!(
        solved.outcome,
        Outcome::Stalled,
        "{:.1e}",
        solved.error_estimate
    );
    let remark = solved.remark.expect("a remark");
    assert!(remark.starts_with("under-determined"), "{remark}");
}

/// Bounds hold, and the rest of the answer is the best there is within them.
#[test]
fn sought_numbers_keep_their_bounds() {
    let text = |bounds: &str| {
        format!(
            "[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n[parameters]\nk = {{ find = true, start = 0.5{bounds} }}\n\
             [equation]\nresidual = \"u_t + k*u\"\n[[initial]]\nu = 1\n\
             [[data]]\nsigma = 0.01\nrows = [[1, \"exp(-1.3)\"], [2, \"exp(-2.6)\"]]\n"
        )
    };
    let inside = solve(&read(&text(", min = 0, max = 5")), &options());
    assert!(
        (inside.found[0].value - 1.3).abs() < 1e-6,
        "{:?}",
        inside.found
    );
    let held = solve(&read(&text(", min = 0, max = 1")), &options());
    assert_eq!(held.found[0].value.to_bits(), 1f64.to_bits());
    assert!(held.found[0].sigma.is_nan(), "{:?}", held.found);
}

/// ∫ Δu = ∮ u_n: a source and no flux across the edge fight, on a disc too; and so do two equations for one unknown.
#[test]
fn what_no_function_meets_is_named() {
    let disc = "[domain]\nkind = \"ball\"\ncoordinates = [\"x\", \"y\"]\n[equation]\nresidual = \"laplacian(u) - 2.1\"\n[[boundary]]\non = \"all\"\nneumann = 0\n\
        [[condition]]\nmean = \"u\"\n";
    let twice = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = [\"u_xx - 2.41\", \"u_x - 0.85*x^2\"]\n[[boundary]]\non = \"x=0\"\ndirichlet = 0\n";
    for text in [disc, twice] {
        let solved = solve(&read(text), &options());
        assert_eq!(solved.outcome, Outcome::Contradictory, "{text}");
    }
}

/// q = u_x is zero everywhere: that two solutions differ in its rounding leaves nothing open.
#[test]
fn an_unknown_that_is_zero_is_known() {
    let text = "unknowns = [\"u\", \"q\", \"w\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\n\
        residual = [\"q - u_x\", \"w - u_y\", \"q_x + w_y - 4*exp(2*y)\"]\n[[boundary]]\nunknown = \"u\"\non = \"all\"\ndirichlet = \"exp(2*y)\"\n";
    let solved = solve(&read(text), &options());
    assert_ne!(solved.outcome, Outcome::Stalled);
    assert!(
        solved.error_estimate < 1e-10,
        "{:.1e}",
        solved.error_estimate
    );
}
