//! Every kind of condition on every way to say where, against closed forms.

use super::{at_exact, read, refused};
use rafnet::domain::{Draw, Face, Sampler};
use rafnet::expr::{Leaf, Scope, parse};
use rafnet::problem::{Condition, Enforce, Problem};

/// A Poisson problem on this domain with these conditions, whose exact solution is `exact`.
fn poisson(domain: &str, conditions: &str, exact: &str) -> Problem {
    read(&format!(
        "[domain]\n{domain}\n[equation]\nresidual = \"-laplacian(u) + u - f\"\nsource = \"manufactured\"\n{conditions}\n\
         [exact]\nu = \"{exact}\"\n"
    ))
}

const SQUARE: &str = "kind = \"box\"\nx = [0, 1]\ny = [0, 2]";

/// The exact solution satisfies a condition at the points where it holds, of which there are some.
fn satisfied(problem: &Problem, condition: &Condition) -> usize {
    let dimension = problem.coordinates.len();
    let draw = Draw::new(Sampler::Sobol, 3);
    let on = problem
        .domain
        .boundary(&condition.pieces, 64, &draw)
        .expect("points");
    let mut met = 0;
    for (point, normal) in on
        .points
        .chunks(dimension)
        .zip(on.normals.chunks(dimension))
    {
        let holds = condition
            .filter
            .as_ref()
            .is_none_or(|filter| super::at(filter, point, normal) != 0.0);
        if holds {
            met += 1;
            super::close(
                at_exact(problem, &condition.residual, point, normal),
                0.0,
                10.0,
                16.0,
            );
        }
    }
    met
}

#[test]
fn every_kind_holds_for_the_exact_solution() {
    let exact = "exp(x)*sin(y + 1)";
    for (condition, n_leaves) in [
        ("dirichlet = \"exp(x)*sin(y + 1)\"", 3),
        (
            "neumann = \"n_x*exp(x)*sin(y + 1) + n_y*exp(x)*cos(y + 1)\"",
            6,
        ),
        (
            "robin = { a = \"1 + x\", b = 2, g = \"(1 + x)*exp(x)*sin(y + 1) + 2*(n_x*exp(x)*sin(y + 1) + n_y*exp(x)*cos(y + 1))\" }",
            7,
        ),
        (
            "residual = \"u_n + u^4 - n_x*exp(x)*sin(y + 1) - n_y*exp(x)*cos(y + 1) - (exp(x)*sin(y + 1))^4\"",
            7,
        ),
    ] {
        let problem = poisson(
            SQUARE,
            &format!("[boundary]\non = \"all\"\n{condition}"),
            exact,
        );
        let [only] = &problem.conditions[..] else {
            panic!("one condition")
        };
        assert_eq!(satisfied(&problem, only), 64, "{condition}");
        let leaves = only.residual.leaves();
        assert_eq!(leaves.len(), n_leaves, "{leaves:?}");
        assert!(
            !leaves
                .iter()
                .any(|leaf| matches!(leaf, Leaf::NormalDerivative(_)))
        );
        assert_eq!(only.dirichlet.is_some(), condition.starts_with("dirichlet"));
    }
}

#[test]
fn the_normal_points_outwards() {
    // ∂u/∂n of u = x is −1 at x = 0 and +1 at x = 1
    let problem = poisson(
        "kind = \"interval\"\nx = [0, 1]",
        "[[boundary]]\non = \"x=0\"\nneumann = -1\n[[boundary]]\non = \"x=1\"\nneumann = 1",
        "x",
    );
    assert_eq!(
        problem
            .conditions
            .iter()
            .map(|c| satisfied(&problem, c))
            .collect::<Vec<_>>(),
        [1, 1]
    );
    let disc = poisson(
        "kind = \"ball\"\nradius = 2",
        "[boundary]\non = \"all\"\nneumann = \"4\"",
        "x^2 + y^2",
    );
    assert_eq!(satisfied(&disc, &disc.conditions[0]), 64);
}

#[test]
fn places_are_found_by_name() {
    let names = |domain: &str, on: &str| {
        let condition = format!(
            "[[boundary]]\non = \"all\"\ndirichlet = 0\n[[boundary]]\non = \"{on}\"\ndirichlet = 1"
        );
        let problem = poisson(domain, &condition, "x");
        let coordinates: Vec<&str> = problem.coordinates.iter().map(String::as_str).collect();
        let last = problem.conditions.last().expect("a condition");
        let names = last
            .pieces
            .iter()
            .map(|k| problem.domain.pieces()[*k].name(&coordinates));
        names.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(names(SQUARE, "x"), "x=0, x=1");
    assert_eq!(names(SQUARE, "y=2"), "y=2");
    assert_eq!(names(SQUARE, "y = 4/2"), "y=2");
    assert_eq!(names(SQUARE, "y > 1.5"), "x=0, x=1, y=2");
    let triangle = "kind = \"polygon\"\nvertices = [[0, 0], [1, 0], [0, 1]]";
    assert_eq!(names(triangle, "edge 3"), "edge 3");
    assert_eq!(names(triangle, "y=0"), "edge 1");
    assert_eq!(
        names("kind = \"annulus\"\ninner = 1\nouter = 2", "inner"),
        "inner"
    );
    let plate = "kind = \"difference\"\nparts = [{ kind = \"box\", x = [0, 1], y = [0, 1] }, { kind = \"ball\", center = [0.5, 0.5], radius = 0.2 }]";
    assert_eq!(names(plate, "surface"), "part 2: surface");
    assert_eq!(names(plate, "part 2"), "part 2: surface");
    assert_eq!(names(plate, "x=1"), "part 1: x=1");
}

#[test]
fn all_is_space_and_never_time() {
    let heat = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 2]\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_xx\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n";
    let problem = read(&format!("{heat}[[initial]]\nu = \"sin(pi*x)\"\n"));
    assert_eq!(problem.conditions[0].pieces, problem.domain.space_pieces());
    let initial = &problem.conditions[1];
    assert!(initial.initial && !problem.conditions[0].initial);
    assert_eq!(
        problem.domain.pieces()[initial.pieces[0]].face,
        Face::Start { axis: 1, at: 0.0 }
    );
    // the same said as a boundary condition
    let same = read(&format!(
        "{heat}[[boundary]]\non = \"t=0\"\ndirichlet = \"sin(pi*x)\"\n"
    ));
    assert_eq!(same.conditions[1].residual, initial.residual);
    assert!(same.conditions[1].initial);
    assert!(refused(heat).contains("no initial condition for `u`"));
}

#[test]
fn second_order_in_time_takes_two() {
    let wave = Problem::builtin("wave").expect("it is read");
    let scope = Scope::new(["x", "t"]).time("t").unknowns(["u"]);
    let residuals: Vec<_> = wave
        .conditions
        .iter()
        .filter(|c| c.initial)
        .map(|c| &c.residual)
        .collect();
    assert_eq!(
        *residuals[0],
        parse("u - sin(pi*x)", &scope).expect("a text")
    );
    assert_eq!(
        *residuals[1],
        parse("u_t - 2*pi*1.5*sin(2*pi*x)", &scope).expect("a text")
    );
    let text = Problem::builtin_text("wave").expect("its text");
    let without = text
        .lines()
        .filter(|line| !line.starts_with("u_t = "))
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        refused(&without)
            .contains("no initial condition for `u_t`, whose equation is of order 2 in time")
    );
}

#[test]
fn ordinary_equations_start_at_the_low_end() {
    let problem = Problem::builtin("oscillator").expect("it is read");
    assert_eq!(problem.time, Some(0));
    assert!(
        problem
            .conditions
            .iter()
            .all(|c| c.initial && c.pieces == [0])
    );
    assert_eq!(problem.domain.pieces()[0].face.fixed(), Some((0, 0.0)));
    // u and u′ at one end of an interval in space are such a problem too
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx + u\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 0\n[[boundary]]\non = \"x=0\"\nneumann = -1\n";
    assert_eq!(read(text).conditions.len(), 2);
}

#[test]
fn the_later_condition_wins() {
    let two = |first: &str, second: &str| {
        let conditions = format!(
            "[[boundary]]\non = \"{first}\"\ndirichlet = 0\n[[boundary]]\non = \"{second}\"\nneumann = 1"
        );
        poisson(SQUARE, &conditions, "x")
    };
    let problem = two("all", "x=1");
    assert_eq!(problem.conditions[0].pieces, [0, 2, 3]);
    assert_eq!(problem.conditions[1].pieces, [1]);
    assert!(problem.conditions.iter().all(|c| c.filter.is_none()));

    // taken in part: the earlier one keeps the other half of two sides, and x = 0 … of y = 0 whole
    let problem = two("all", "y > 1");
    let [whole, parts, later] = &problem.conditions[..] else {
        panic!("three conditions")
    };
    let (whole, parts) = if whole.filter.is_some() {
        (parts, whole)
    } else {
        (whole, parts)
    };
    assert_eq!(
        (whole.pieces.as_slice(), parts.pieces.as_slice()),
        (&[2][..], &[0, 1][..])
    );
    assert_eq!(later.pieces, [0, 1, 3]);
    let (before, after) = (
        parts.filter.as_ref().expect("a filter"),
        later.filter.as_ref().expect("a filter"),
    );
    for y in [0.0, 0.5, 1.0, 1.1, 2.0] {
        let sum = super::at(before, &[0.0, y], &[]) + super::at(after, &[0.0, y], &[]);
        assert_eq!(
            sum.to_bits(),
            1f64.to_bits(),
            "exactly one holds at y = {y}"
        );
    }
}

#[test]
fn systems_keep_conditions_of_different_unknowns() {
    let problem = Problem::builtin("system").expect("it is read");
    let whose: Vec<usize> = problem
        .conditions
        .iter()
        .filter_map(|c| c.dirichlet.as_ref().map(|(k, _)| *k))
        .collect();
    assert_eq!(whose, [0, 1]);
    // a clamped plate as a system: two conditions for u, none for v
    let plate = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"ball\"\n[equation]\nresidual = [\"laplacian(u) - v\", \"laplacian(v) - 1\"]\n\
                 [[boundary]]\nunknown = \"u\"\non = \"all\"\ndirichlet = 0\n[[boundary]]\nunknown = \"u\"\non = \"all\"\nneumann = 0\n";
    assert_eq!(read(plate).conditions.len(), 2);
}

#[test]
fn manners_are_kept() {
    let condition = "[boundary]\non = \"all\"\ndirichlet = 0\nenforce = \"penalty\"\nweight = \"1e3*2\"\npoints = 77";
    let problem = poisson(SQUARE, condition, "x");
    let only = &problem.conditions[0];
    assert_eq!(
        (only.enforce, only.weight, only.points),
        (Enforce::Penalty, Some(2000.0), Some(77))
    );
}

#[test]
fn demanded_only_where_the_order_needs_them() {
    let with = |domain: &str, residual: &str, rest: &str| {
        format!("[domain]\n{domain}\n[equation]\nresidual = \"{residual}\"\n{rest}")
    };
    let strip = "kind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"";
    let initial = "[initial]\nu = \"sin(x)\"\n";
    let inflow = "[boundary]\non = \"x=0\"\ndirichlet = 0\n";
    read(&with(strip, "u - sin(x*t)", ""));
    read(&with(strip, "u_t + u_x", &format!("{initial}{inflow}")));
    read(&with(strip, "u_t + u_x", initial));
    read(&with(
        &format!("{strip}\nperiodic = [\"x\"]"),
        "u_t - u_xx",
        initial,
    ));
    read(&with(
        "kind = \"interval\"\nt = [0, 1]\ntime = \"t\"",
        "u_t + u",
        initial.replace("sin(x)", "1").as_str(),
    ));
    read(&with(
        "kind = \"box\"\nx = [0, 1]\ny = [0, 1]",
        "u_x + 2*u_y",
        inflow,
    ));
    // degenerate: second order in x alone
    read(&with(
        "kind = \"box\"\nx = [0, 1]\ny = [0, 1]",
        "u_y - u_xx",
        "[[boundary]]\non = \"x\"\ndirichlet = 0\n[[boundary]]\non = \"y=0\"\ndirichlet = 0",
    ));
    let message = refused(&with(strip, "u_t - u_xx", &format!("{initial}{inflow}")));
    assert!(
        message.contains("no boundary condition for `u` on `x=1`"),
        "{message}"
    );
    assert!(refused(&with(SQUARE, "u_x + 2*u_y", "")).contains("nothing fixes `u`"));
    let free = with(
        SQUARE,
        "laplacian(u) - 1",
        "[boundary]\non = \"all\"\nneumann = \"1\"\n",
    );
    assert!(refused(&free).contains("up to a constant"));
    read(&format!("{free}[condition]\nmean = \"u\"\n"));
    // differentiated in space alone, at every time
    let free = with(
        strip,
        "u_x - t",
        "[boundary]\non = \"x=0\"\nresidual = \"u_x - t\"\n",
    );
    assert!(refused(&free).contains("up to a function of `t`"));
}
