//! `pieces`: layers, fronts, stiff and long times, each held against a solution that shares no code with ours.

use crate::{error, options, read, solve};
use rafnet::problem::Problem;
use rafnet::solve::{Method, Options, SolveError, Solved};
use std::f64::consts::PI;

fn in_pieces() -> Options {
    Options {
        method: Method::Pieces,
        ..options()
    }
}

/// Solves in pieces; the error must be below `most`, and the estimate no smaller than a tenth of it.
fn recovers(text: &str, most: f64, exact: impl Fn(&[f64]) -> Vec<f64>) -> Solved {
    let problem = read(text);
    let solved = solve(&problem, &in_pieces());
    holds(&problem, &solved, most, exact);
    solved
}

fn holds(problem: &Problem, solved: &Solved, most: f64, exact: impl Fn(&[f64]) -> Vec<f64>) {
    let found = error(problem, solved, exact);
    let said = solved.decisions().join("\n");
    assert!(found <= most, "{}: {found:.1e}\n{said}", problem.name);
    let estimate = solved.error_estimate;
    assert!(
        estimate >= 0.1 * found,
        "estimated {estimate:.1e}, is {found:.1e}\n{said}"
    );
}

const LAYER: &str = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"-EPS^2*u_xx + u - cos(pi*x)\"\n\
                     [[boundary]]\non = \"all\"\ndirichlet = 0\n";

/// Layers far thinner than any first cut shows.
#[test]
fn layers_at_both_ends() {
    for (text, eps) in [("1e-3", 1e-3), ("1e-5", 1e-5), ("1e-7", 1e-7)] {
        let exact = |x: &[f64]| {
            let scale = 1.0 / (1.0 + (eps * PI).powi(2));
            vec![scale * ((PI * x[0]).cos() - (-x[0] / eps).exp() + ((x[0] - 1.0) / eps).exp())]
        };
        let solved = recovers(&LAYER.replace("EPS", text), 1e-9, exact);
        // rounding in a piece that is longer than the layer acts on nothing beyond it
        let estimate = solved.error_estimate;
        assert!(estimate < 1e-9, "{eps:e}: estimated {estimate:.1e}");
        // in the layer itself, too
        for share in [0.1, 0.5, 1.0, 2.0, 5.0, 9.0] {
            let x = [share * eps];
            let off = solved.model.eval(&x).expect("a point inside")[0] - exact(&x)[0];
            assert!(off.abs() < 1e-9, "{eps:e}: {off:.1e} at {}", x[0]);
        }
    }
}

/// What is carried to a wall: the layer is at one end only, and nothing but the equation says at which.
#[test]
fn a_layer_at_the_outflow() {
    for (text, eps) in [("1e-3", 1e-3), ("1e-5", 1e-5)] {
        let text = format!(
            "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"-{text}*u_xx + u_x - 1\"\n\
             [[boundary]]\non = \"all\"\ndirichlet = 0\n"
        );
        recovers(&text, 1e-8, |x| vec![x[0] - ((x[0] - 1.0) / eps).exp()]);
    }
}

/// Heat through two materials, the flux as an unknown: the cut is where the coefficient jumps a hundredfold, and the solution is exact.
#[test]
fn two_materials() {
    let text = "unknowns = [\"u\", \"q\"]\n[domain]\nkind = \"interval\"\nx = [0, 1]\n\
                [equation]\nresidual = [\"q + where(x < 0.3, 1, 100)*u_x\", \"q_x - 1\"]\n\
                [[boundary]]\nunknown = \"u\"\non = \"all\"\ndirichlet = 0\n";
    let c = -0.04955 / 0.307;
    recovers(text, 1e-10, |x| {
        let left = |x: f64| -(0.5 * x * x + c * x);
        let u = match x[0] {
            x if x < 0.3 => left(x),
            x => left(0.3) - (0.5 * (x * x - 0.09) + c * (x - 0.3)) / 100.0,
        };
        vec![u, x[0] + c]
    });
}

/// The same as it is written: the flux is continuous where the coefficient jumps, whatever its derivative is multiplied by, and a layer of a
/// resistance of 6 between resistances of 0.497 is found however thin it is.
#[test]
fn two_materials_as_written() {
    let text = |equation: &str, right: f64| {
        format!(
            "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"{equation}\"\n\
             [[boundary]]\non = \"x=0\"\ndirichlet = 0\n[[boundary]]\non = \"x=1\"\ndirichlet = {right}\n"
        )
    };
    let c = -0.04955 / 0.307;
    let source = text("7*d(where(x < 0.3, 1, 100)*u_x, x) + 7", 0.0);
    recovers(&source, 1e-10, |x| {
        let left = |x: f64| -(0.5 * x * x + c * x);
        vec![match x[0] {
            x if x < 0.3 => left(x),
            x => left(0.3) - (0.5 * (x * x - 0.09) + c * (x - 0.3)) / 100.0,
        }]
    });
    let thin = "d(where(abs(x - 0.5) < 0.003, 1e-3, 1)*u_x, x)/where(x < 0.2, 1, 7)";
    recovers(&text(thin, 1.0), 1e-10, |x| {
        let through = (x[0] - 0.497).clamp(0.0, 0.006);
        vec![(x[0] + 999.0 * through) / 6.994]
    });
}

/// In time, and across a plane in two dimensions, with a jump of a hundred.
#[test]
fn fluxes_through_a_plane() {
    let sides = |x: f64| {
        if x < 0.4 {
            (x - 0.4).sin()
        } else {
            100.0 * (x - 0.4)
        }
    };
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n\
                [functions]\nk = \"where(x < 0.4, 1, 0.01)\"\nw = \"where(x < 0.4, sin(x - 0.4), (x - 0.4)*100) + 1\"\n\
                [equation]\nresidual = \"u_t - div(k*grad(u)) - exp(-t)*(where(x < 0.4, sin(x - 0.4), 0) - w)\"\n\
                [[boundary]]\non = \"x\"\ndirichlet = \"exp(-t)*w\"\n[[initial]]\nu = \"w\"\n";
    recovers(text, 1e-9, |x| vec![(-x[1]).exp() * (1.0 + sides(x[0]))]);
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n\
                [functions]\nk = \"where(y <= 0.5, 1, 0.01)\"\np = \"where(y <= 0.5, 1, 100)*sin(y - 0.5)\"\nw = \"cos(3*x)*p + x^2\"\n\
                [equation]\nresidual = \"div(k*grad(u)) + 10*k*cos(3*x)*p - 2*k\"\n[[boundary]]\non = \"all\"\ndirichlet = \"w\"\n";
    recovers(text, 1e-8, |x| {
        let p = (x[1] - 0.5).sin() * if x[1] <= 0.5 { 1.0 } else { 100.0 };
        vec![(3.0 * x[0]).cos() * p + x[0] * x[0]]
    });
}

/// What is not cut loses the jump, and says so.
#[test]
fn only_pieces_take_a_jump_under_a_derivative() {
    let problem = read(
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"d(where(x < 0.3, 1, 100)*u_x, x) + 1\"\n\
         [[boundary]]\non = \"all\"\ndirichlet = 0\n",
    );
    for method in [Method::Lsq, Method::Lm, Method::Adam] {
        let options = Options {
            method,
            ..Options::default()
        };
        let refused = problem.solve(&options, |p| p.go_on()).map(|s| s.residual);
        assert!(
            matches!(&refused, Err(e) if e.to_string().contains("use `--method pieces`")),
            "{method:?}: {refused:?}"
        );
    }
}

/// u' = −1000 (u − cos t) − sin t: a transient of a thousandth, then u = cos t, over many periods.
#[test]
fn a_stiff_equation_over_a_long_time() {
    let text = "[domain]\nkind = \"interval\"\nt = [0, 60]\ntime = \"t\"\n\
                [equation]\nresidual = \"u_t + 1000*(u - cos(t)) + sin(t)\"\n[[initial]]\nu = 0\n";
    recovers(text, 1e-9, |t| vec![t[0].cos() - (-1000.0 * t[0]).exp()]);
}

/// An error grows by e²⁰ up to the end: the residual is that of rounding, and the estimate knows that the error is not.
#[test]
fn errors_that_grow_are_estimated() {
    let text = "[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n\
                [equation]\nresidual = \"u_t - 10*(u - cos(t)) + sin(t) + 5*(u - cos(t))^3\"\n[[initial]]\nu = 1\n";
    for seed in 0..3 {
        let problem = read(text);
        let options = Options {
            seed,
            ..in_pieces()
        };
        let solved = solve(&problem, &options);
        let off = error(&problem, &solved, |t| vec![t[0].cos()]);
        assert!(off < 1e-6 && solved.residual < 1e-12, "{off:.1e}");
        assert!(
            solved.error_estimate > 0.1 * off && solved.error_estimate < 20.0 * off,
            "seed {seed}: {off:.1e}, said {:.1e}",
            solved.error_estimate
        );
    }
}

/// A jump next to the boundary is not overlooked: a resistance of 1 in the last thousandth.
#[test]
fn a_coat_of_another_material() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"d(where(x < 0.999, 1, 1e-3)*u_x, x)\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 0\n[[boundary]]\non = \"x=1\"\ndirichlet = 1\n";
    recovers(text, 1e-10, |x| {
        vec![(x[0] + 999.0 * (x[0] - 0.999).max(0.0)) / 1.999]
    });
}

/// A nonlinear system whose parts differ by a million in size.
#[test]
fn unknowns_of_different_sizes() {
    // p = 1/(1 + t), q = 1e-6 p²
    let text = "unknowns = [\"p\", \"q\"]\n[domain]\nkind = \"interval\"\nt = [0, 9]\ntime = \"t\"\n\
                [equation]\nresidual = [\"p_t + 1e6*q\", \"q_t + 2*p*q\"]\n[[initial]]\np = 1\nq = 1e-6\n";
    recovers(text, 1e-9, |t| {
        let p = 1.0 / (1.0 + t[0]);
        vec![p, 1e-6 * p * p]
    });
}

/// Second order in time, over two hundred lengths of a slab: nothing grows.
#[test]
fn an_oscillation_does_not_grow() {
    let text = "[domain]\nkind = \"interval\"\nt = [0, 400]\ntime = \"t\"\n[equation]\nresidual = \"u_tt + u\"\n\
                [[initial]]\nu = 0\nu_t = 1\n";
    let problem = read(text);
    let options = Options {
        slabs: Some(200),
        ..in_pieces()
    };
    let solved = solve(&problem, &options);
    holds(&problem, &solved, 1e-9, |t| vec![t[0].sin()]);
}

/// Carried around a circle: the ends of the axis are neighbours.
#[test]
fn transport_on_a_circle() {
    let text = "[domain]\nkind = \"box\"\nx = [0, \"2*pi\"]\nt = [0, 1]\ntime = \"t\"\nperiodic = [\"x\"]\n\
                [equation]\nresidual = \"u_t + 20*u_x\"\n[[initial]]\nu = \"exp(sin(x))\"\n";
    recovers(text, 1e-6, |x| vec![(x[0] - 20.0 * x[1]).sin().exp()]);
}

/// A front of a nonlinear equation that travels: u = (1 − tanh((x − t/2)/(4ν)))/2 · 1.
#[test]
#[ignore = "takes long: `.ci/long` runs it"]
fn a_travelling_front() {
    let text = "[domain]\nkind = \"box\"\nx = [-1, 1]\nt = [0, 1]\ntime = \"t\"\n[parameters]\nnu = 0.01\n\
                [functions]\nw = \"0.5*(1 - tanh((x - 0.5*t)/(4*nu)))\"\n\
                [equation]\nresidual = \"u_t + u*u_x - nu*u_xx\"\n[[boundary]]\non = \"x\"\ndirichlet = \"w\"\n[[initial]]\nu = \"w\"\n";
    recovers(text, 1e-5, |x| {
        vec![0.5 * (1.0 - ((x[0] - 0.5 * x[1]) / 0.04).tanh())]
    });
}

/// u = tanh 20x, but boundary values say where the front stands to a part in e⁴⁰ only: whatever is found, the estimate must know.
#[test]
fn a_front_that_hardly_anything_holds() {
    let text = "[domain]\nkind = \"interval\"\nx = [-1, 1]\n[equation]\nresidual = \"u_xx - 800*(u^3 - u)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"tanh(20*x)\"\n";
    let problem = read(text);
    for seed in [0, 3] {
        let options = Options {
            target: Some(1e-6),
            seed,
            ..in_pieces()
        };
        let solved = solve(&problem, &options);
        holds(&problem, &solved, f64::INFINITY, |x| {
            vec![(20.0 * x[0]).tanh()]
        });
    }
}

const ELL: &str = "[domain]\nkind = \"polygon\"\nvertices = [[-1, -1], [1, -1], [1, 0], [0, 0], [0, 1], [-1, 1]]\n\
                   [functions]\na = \"atan2(y - x, -x - y) + 3*pi/4\"\nr2 = \"x^2 + y^2\"\nw = \"EXACT\"\n";

/// The angle from the lower edge of the ell's inner corner, and the radius.
fn polar(x: &[f64]) -> [f64; 2] {
    let angle = (x[1] - x[0]).atan2(-x[0] - x[1]) + 0.75 * PI;
    [angle, x[0].hypot(x[1])]
}

/// Around an inner corner with values on both edges, with slopes on both, and with one of each: powers 2/3, 2/3 and 1/3 of the radius.
#[test]
fn an_inner_corner() {
    let solve = |power: i32, wave: &str, edges: [&str; 2]| {
        let on = |edge: &str, what: &str| format!("[[boundary]]\non = \"{edge}\"\n{what}\n");
        let rest = ["edge 1", "edge 2", "edge 5", "edge 6"].map(|e| on(e, "dirichlet = \"w\""));
        let text = ELL.replace(
            "EXACT",
            &format!("r2^({power}/6)*{wave}({power}*a/3) + x*y*(x^2 - y^2)"),
        );
        let text = text + "[equation]\nresidual = \"laplacian(u)\"\n" + &rest.concat();
        let text = text + &on("edge 3", edges[0]) + &on("edge 4", edges[1]);
        let share = f64::from(power) / 3.0;
        let wave: fn(f64) -> f64 = if wave == "sin" { f64::sin } else { f64::cos };
        recovers(&text, 1e-9, |x| {
            let [a, r] = polar(x);
            let smooth = x[0] * x[1] * (x[0] * x[0] - x[1] * x[1]);
            vec![r.powf(share) * wave(share * a) + smooth]
        });
    };
    let (value, slope) = ("dirichlet = \"w\"", "neumann = \"SLOPE\"");
    // the slopes of x³y − xy³ through y = 0 and through x = 0
    let [below, beside] = ["x^3", "-y^3"].map(|s| slope.replace("SLOPE", s));
    solve(2, "sin", [value, value]);
    solve(2, "cos", [&below, &beside]);
    solve(1, "sin", [value, &beside]);
    solve(1, "cos", [&below, value]);
}

/// Waves around it: J_(2/3)(6r) sin(2θ/3), of which a piece has the first powers only.
#[test]
fn waves_around_an_inner_corner() {
    let terms: Vec<f64> = (0..24).fold(vec![1.0], |mut terms: Vec<f64>, j| {
        let j = f64::from(j) + 1.0;
        terms.push(terms[terms.len() - 1] * -9.0 / (j * (j + 2.0 / 3.0)));
        terms
    });
    let sum = terms.iter().enumerate();
    let sum: Vec<String> = sum.map(|(j, c)| format!("{c:e}*r2^{j}")).collect();
    let text = ELL.replace("EXACT", &format!("r2^(1/3)*sin(2*a/3)*({})", sum.join("+")));
    let text = text
        + "[equation]\nresidual = \"laplacian(u) + 36*u\"\n[[boundary]]\non = \"all\"\ndirichlet = \"w\"\n";
    recovers(&text, 1e-8, |x| {
        let [a, r] = polar(x);
        let series = terms.iter().rev().fold(0.0, |sum, c| sum * r * r + c);
        vec![r.powf(2.0 / 3.0) * (2.0 * a / 3.0).sin() * series]
    });
}

/// A peak of a thirtieth in a square, whose cut has hanging corners.
#[test]
#[ignore = "takes long: `.ci/long` runs it"]
fn a_peak_in_a_square() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[functions]\nr = \"((x - 0.3)^2 + (y - 0.6)^2)/1e-3\"\n\
                [equation]\nresidual = \"laplacian(u) - 4e3*(r - 1)*exp(-r)\"\n[[boundary]]\non = \"all\"\ndirichlet = \"exp(-r)\"\n";
    recovers(text, 1e-6, |x| {
        let r = ((x[0] - 0.3).powi(2) + (x[1] - 0.6).powi(2)) / 1e-3;
        vec![(-r).exp()]
    });
}

/// Heat that spreads in a square: three coordinates, each slab from the end of the one before.
#[test]
fn heat_in_a_square() {
    let text = "[domain]\nkind = \"box\"\nx = [-1, 1]\ny = [-1, 1]\nt = [0, 0.2]\ntime = \"t\"\n\
                [functions]\ns = \"0.1 + t\"\nw = \"exp(-(x^2 + y^2)/(4*s))/s\"\n[equation]\nresidual = \"u_t - laplacian(u)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"w\"\n[[initial]]\nu = \"w\"\n";
    let problem = read(text);
    let options = Options {
        pieces: Some(4),
        slabs: Some(2),
        width: Some(455),
        ..in_pieces()
    };
    let solved = solve(&problem, &options);
    holds(&problem, &solved, 1e-5, |x| {
        let s = 0.1 + x[2];
        vec![(-(x[0] * x[0] + x[1] * x[1]) / (4.0 * s)).exp() / s]
    });
}

/// As many pieces as are asked for, and no more.
#[test]
fn pieces_and_slabs_can_be_asked_for() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_xx\"\n\
                [[boundary]]\non = \"x\"\ndirichlet = 0\n[[initial]]\nu = \"sin(pi*x)\"\n";
    let problem = read(text);
    let options = Options {
        pieces: Some(3),
        slabs: Some(5),
        ..in_pieces()
    };
    let solved = solve(&problem, &options);
    assert_eq!(
        solved.model.parts().pieces.len(),
        15,
        "{:?}",
        solved.decisions()
    );
    holds(&problem, &solved, 1e-6, |x| {
        vec![(PI * x[0]).sin() * (-PI * PI * x[1]).exp()]
    });
}

/// The model is the solution: what it says between pieces differs by no more than the joins allow.
#[test]
fn neighbours_meet() {
    let problem = read(&LAYER.replace("EPS", "1e-3"));
    let solved = solve(&problem, &in_pieces());
    let boxes = &solved.model.parts().pieces;
    let inner = boxes.iter().map(|b| b[0][1]).filter(|x| *x < 1.0);
    for x in inner {
        let both = solved.model.eval(&[x, x + 1e-15]).expect("points inside");
        assert!((both[0] - both[1]).abs() < 1e-9, "{both:?} at {x}");
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let problem = read(&LAYER.replace("EPS", "1e-3"));
    let run = |threads, seed| {
        let options = Options {
            threads,
            seed,
            ..in_pieces()
        };
        let solved = solve(&problem, &options);
        let parameters = solved.model.parts().parameters.iter();
        let figures = [solved.residual, solved.error_estimate];
        parameters
            .chain(&figures)
            .map(|v| v.to_bits())
            .collect::<Vec<u64>>()
    };
    let one = run(1, 0);
    assert!([2, 3, 0].into_iter().all(|threads| run(threads, 0) == one));
    assert!(run(1, 1) != one);
}

/// Where one layer stalls, `auto` goes on with pieces and says so.
#[test]
fn auto_takes_pieces() {
    let problem = read(&LAYER.replace("EPS", "1e-4"));
    let solved = solve(&problem, &options());
    assert_eq!(
        solved.method,
        "lsq, then pieces",
        "{:?}",
        solved.decisions()
    );
    assert!(solved.decisions().iter().any(|d| d.contains("in pieces")));
    holds(&problem, &solved, 1e-9, |x| {
        let (eps, scale) = (1e-4, 1.0 / (1.0 + (1e-4 * PI).powi(2)));
        vec![scale * ((PI * x[0]).cos() - (-x[0] / eps).exp() + ((x[0] - 1.0) / eps).exp())]
    });
}

/// Robertson's kinetics: one layer over all of time finds nothing, not even finite numbers, and `auto` goes on all the same. The values at
/// t = 40 are those of E. Hairer and G. Wanner's collection of stiff problems.
#[test]
fn auto_takes_pieces_where_a_layer_finds_nothing() {
    let text = "unknowns = [\"a\", \"b\", \"c\"]\n[domain]\nkind = \"box\"\nt = [0, 40]\ntime = \"t\"\n[equation]\nresidual = [\n\
                \"a_t + 0.04*a - 1e4*b*c\", \"b_t - 0.04*a + 1e4*b*c + 3e7*b^2\", \"c_t - 3e7*b^2\"]\n[[initial]]\na = 1\nb = 0\nc = 0\n";
    let solved = solve(&read(text), &options());
    assert!(solved.method.ends_with("pieces"), "{}", solved.method);
    let found = solved.model.eval(&[40.0]).expect("a point inside");
    for (found, expected) in found
        .iter()
        .zip([0.7158270688, 9.185534765e-6, 0.2841637457])
    {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }
}

/// What pieces do not do is refused by name.
#[test]
fn refusals_say_what_to_use() {
    let refused = |text: &str| {
        let stopped = read(text).solve(&in_pieces(), |p| p.go_on());
        match stopped {
            Err(SolveError::Unsupported { what, .. }) => what.to_owned(),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("solved"),
        }
    };
    let mean = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - cos(2*pi*x)\"\n[[boundary]]\non = \"all\"\nneumann = 0\n[[condition]]\nmean = \"u\"\n";
    assert!(refused(mean).contains("lsq"));
}

/// A cut that does not fit into memory is refused before it is made, and the memory is said.
#[test]
fn too_many_pieces_are_refused() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u) - 1\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n";
    for pieces in [100_000_000, usize::MAX] {
        let options = Options {
            pieces: Some(pieces),
            ..in_pieces()
        };
        let Err(stopped) = read(text).solve(&options, |p| p.go_on()) else {
            panic!("solved");
        };
        let said = stopped.to_string();
        assert!(
            said.contains("of memory") && said.contains("pieces"),
            "{said}"
        );
    }
}

/// ε u″ = x u with ends of 1 (problem 15 of Cash's set, ε = 1e-5): 34 waves to the left of 0. Small pieces at one point let a slope jump there from −316
/// to 0 unseen, which was said to be right to 1e-5 and was zero for all waves. u(0) is by its power series in 320 digits.
#[test]
fn waves_before_a_turning_point_have_no_kink() {
    let text = "[domain]\nkind = \"interval\"\nx = [-1, 1]\n[equation]\nresidual = \"1e-5*u_xx - x*u\"\n[[boundary]]\non = \"all\"\ndirichlet = 1\n\
        [[report]]\nname = \"middle\"\nat = [0]\nvalue = \"u\"\n";
    let solved = solve(&read(text), &options());
    let middle = &solved.reports[0];
    assert!(
        (middle.value + 1.827_569_452_399_137_8).abs() < 1e-9,
        "{}",
        middle.value
    );
    assert!(
        solved.error_estimate < 1e-8,
        "{:.1e}",
        solved.error_estimate
    );
}
