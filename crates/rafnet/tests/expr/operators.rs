//! Operators, sums, indices, definitions and precedence against closed forms.

use rafnet::expr::{Expr, ExprError, Leaf, Scope, parse, parse_condition, parse_number};

/// The two texts are the same expression.
fn same(scope: &Scope, left: &str, right: &str) -> Result<(), ExprError> {
    assert_eq!(
        parse(left, scope)?,
        parse(right, scope)?,
        "{left}  ≠  {right}"
    );
    Ok(())
}

/// The two texts have the same values at a few points, up to rounding in `n_terms` terms of size one.
fn agree(scope: &Scope, left: &str, right: &str, n_terms: f64) -> Result<(), ExprError> {
    let (left_expr, right_expr) = (parse(left, scope)?, parse(right, scope)?);
    for shift in [0.0, 0.3, 0.77] {
        let at = |leaf: &Leaf| match leaf {
            Leaf::Coordinate(k) => 0.4 + 0.13 * *k as f64 + shift,
            Leaf::Jet(jet) => 0.2 + 0.31 * jet.axes().iter().sum::<usize>() as f64 + shift,
            _ => shift,
        };
        let (a, b) = (left_expr.eval(&at), right_expr.eval(&at));
        let allowed = 8.0 * f64::EPSILON * n_terms * (1.0 + b.abs());
        assert!((a - b).abs() <= allowed, "{left} = {a}, {right} = {b}");
    }
    Ok(())
}

#[test]
fn precedence_is_that_of_mathematics() -> Result<(), ExprError> {
    let scope = Scope::default();
    for (text, value) in [
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("-2^-2", -0.25),
        ("1 - 2 - 3", -4.0),
        ("8/4/2", 1.0),
        ("8/4*2", 4.0),
        ("2*-3", -6.0),
        ("--3", 3.0),
        ("+3 - +2", 1.0),
        ("1 + 2*3^2", 19.0),
        ("1e-3*1000", 1.0),
        ("2.+.5", 2.5),
        ("pi", std::f64::consts::PI),
        ("log(e)", 1.0),
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("mod(-1, 3)", 2.0),
        ("atan2(1, -1)*4/pi", 3.0),
        ("sum(i, 1, 4, i^2)", 30.0),
        ("prod(i, 1, 5, i)", 120.0),
        ("sum(i, 2, 1, i) + prod(i, 2, 1, i)", 1.0),
        ("sum(i, 1, 3, sum(j, 1, i, j))", 10.0),
        ("where(1 < 2 and not 2 < 1, 5, 6)", 5.0),
        ("where(1 > 2 or 2 >= 2 and 1 != 1, 5, 6)", 6.0),
        ("where(1 == 1, 5, 6)", 5.0),
        ("erf(0) + floor(-0.5) + cbrt(-27) + sign(-4)", -5.0),
    ] {
        let found = parse_number(text, &scope)?;
        assert_eq!(found.to_bits(), f64::to_bits(value), "{text} = {found}");
    }
    Ok(())
}

#[test]
fn derivatives_of_unknowns_in_every_spelling() -> Result<(), ExprError> {
    let scope = Scope::new(["x", "y", "t"]).time("t").unknowns(["u", "v"]);
    assert_eq!(parse("u_xy", &scope)?, Expr::leaf(Leaf::jet(0, &[0, 1])));
    same(&scope, "u_yx", "u_xy")?;
    same(&scope, "d(u, x, y)", "u_xy")?;
    same(&scope, "d(d(u, y), x)", "u_xy")?;
    same(&scope, "d(u_x, x)", "u_xx")?;
    same(&scope, "d(u*v, t)", "u_t*v + u*v_t")?;
    let numbered = Scope::new((1..=12).map(|k| format!("x{k}"))).unknowns(["u"]);
    assert_eq!(
        parse("u_x1x12", &numbered)?,
        Expr::leaf(Leaf::jet(0, &[0, 11]))
    );
    same(&numbered, "d(u, x[12], x1)", "u_x1x12")?;
    same(&numbered, "sum(i, 1, 12, d(u, x[i], x[i]))", "laplacian(u)")
}

#[test]
fn laplacians() -> Result<(), ExprError> {
    let scope = Scope::new(["x", "y", "z", "t"]).time("t").unknowns(["u"]);
    same(&scope, "laplacian(u)", "u_xx + u_yy + u_zz")?;
    same(&scope, "laplacian(x^2 + y^2 + z^2 + t^2)", "6")?;
    same(&scope, "laplacian(exp(x)*sin(y))", "0")?;
    same(&scope, "laplacian(t*u)", "t*u_xx + t*u_yy + t*u_zz")?;
    agree(&scope, "laplacian(1/sqrt(x^2 + y^2 + z^2))", "0", 10.0)?;
    agree(
        &scope,
        "laplacian(sqrt(x^2 + y^2 + z^2))",
        "2/sqrt(x^2 + y^2 + z^2)",
        10.0,
    )?;
    agree(
        &scope,
        "laplacian(u^2)",
        "2*u*laplacian(u) + 2*dot(grad(u), grad(u))",
        10.0,
    )?;
    agree(
        &scope,
        "laplacian(exp(-(x^2 + y^2 + z^2)))",
        "(4*(x^2 + y^2 + z^2) - 6)*exp(-(x^2 + y^2 + z^2))",
        10.0,
    )?;
    let ten =
        Scope::new((1..=10).map(|k| format!("x{k}"))).define("q", "prod(i, 1, 10, sin(x[i]))");
    agree(&ten, "laplacian(q)", "-10*q", 100.0)
}

#[test]
fn gradients_and_divergences() -> Result<(), ExprError> {
    let scope = Scope::new(["x", "y"])
        .unknowns(["u"])
        .array("b", [2.0, -1.0])
        .define("a", "1 + x*y")
        .define("flux", "a*grad(u)");
    same(&scope, "dot(grad(a), grad(u))", "y*u_x + x*u_y")?;
    same(&scope, "dot(b, grad(u))", "2*u_x - u_y")?;
    same(&scope, "div(grad(u))", "laplacian(u)")?;
    same(
        &scope,
        "div(flux)",
        "dot(grad(a), grad(u)) + a*u_xx + a*u_yy",
    )?;
    same(&scope, "-div(a*grad(u))", "div(-a*grad(u))")?;
    same(
        &scope,
        "div(grad(u)/2 - b*u)",
        "u_xx/2 + u_yy/2 - 2*u_x + u_y",
    )?;
    same(
        &scope,
        "div(u^2*grad(u))",
        "2*u*u_x^2 + u^2*u_xx + 2*u*u_y^2 + u^2*u_yy",
    )?;
    same(&scope, "a_x + a_xy", "y + 1")?;
    let line = Scope::new(["x", "t"]).time("t").unknowns(["u"]);
    same(&line, "div(u*grad(u))", "u_x^2 + u*u_xx")
}

#[test]
fn definitions_and_parameters_use_each_other() -> Result<(), ExprError> {
    let scope = Scope::new(["x"])
        .define("nu", "mu/pi")
        .define("mu", "2*lambda")
        .number("lambda", 0.5)
        .array("c", [0.1, 0.4])
        .define("n", "2")
        .define("q", "sum(k, 1, n, c[k]*sin(k*x))");
    assert_eq!(parse_number("nu*pi", &scope)?.to_bits(), 1f64.to_bits());
    same(&scope, "q", "0.1*sin(x) + 0.4*sin(2*x)")?;
    same(&scope, "sum(k, 1, 2, k)*q", "3*q")?;
    same(&scope, "q_x", "0.1*cos(x) + 0.8*cos(2*x)")?;
    let leaky = Scope::new(["x"]).define("q", "i*x");
    let error = parse("sum(i, 1, 2, q)", &leaky).map_or_else(|error| error, |_| panic!("q saw i"));
    assert_eq!(
        error.to_string(),
        "unknown name `i` in the definition of `q`"
    );
    Ok(())
}

#[test]
fn sources_are_manufactured() -> Result<(), ExprError> {
    let scope = Scope::new(["x", "y"]).unknowns(["u"]).columns(["f"]);
    let residual = parse("-laplacian(u) - f", &scope)?;
    let f = Leaf::Column(0);
    // r = L(u) + c f with c = −1, so that f = −L(exact)/c
    let factor = residual.partial(&f).constant().unwrap_or(f64::NAN);
    let exact = parse("x^2*(1-x)*y^2*(1-y)", &scope)?;
    let left = residual
        .replace(&mut |leaf: &Leaf| (*leaf == f).then(|| Expr::number(0.0)))
        .substitute(&[exact]);
    let source = left.scaled(-1.0 / factor);
    let closed = parse("-(2 - 6*x)*(y^2 - y^3) - (x^2 - x^3)*(2 - 6*y)", &scope)?;
    for (x, y) in [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0), (0.125, 0.875)] {
        let at = |leaf: &Leaf| if *leaf == Leaf::Coordinate(0) { x } else { y };
        let gap = source.eval(&at) - closed.eval(&at);
        assert_eq!(gap.abs().to_bits(), 0, "dyadic numbers are not rounded");
    }
    Ok(())
}

#[test]
fn normals_are_leaves_of_their_own() -> Result<(), ExprError> {
    let scope = Scope::new(["x", "y"]).unknowns(["u"]).allow_normal();
    let robin = parse("u_n + u^4 - x", &scope)?;
    assert_eq!(
        robin.partial(&Leaf::NormalDerivative(0)).constant(),
        Some(1.0)
    );
    assert_eq!(robin.order(), Some(1));
    assert_eq!(parse("n_y", &scope)?, Expr::leaf(Leaf::Normal(1)));
    Ok(())
}

#[test]
fn conditions_of_boundaries() -> Result<(), ExprError> {
    let scope = Scope::new(["x", "y"]);
    let condition = parse_condition("y > 0.5 and (x == 0 or not x < 1)", &scope)?;
    for (x, y, holds) in [
        (0.0, 0.7, 1.0),
        (0.5, 0.7, 0.0),
        (1.0, 0.7, 1.0),
        (0.0, 0.5, 0.0),
    ] {
        let at = |leaf: &Leaf| if *leaf == Leaf::Coordinate(0) { x } else { y };
        assert_eq!(
            condition.eval(&at).to_bits(),
            f64::to_bits(holds),
            "{x} {y}"
        );
    }
    Ok(())
}
