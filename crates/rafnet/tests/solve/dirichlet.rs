//! Given values on the boundary of every shape, zero and not.
//!
//! The bounds: smooth solutions of few waves lie in the span of the layer to about 1e-12, and second derivatives lose two or three
//! digits of the sixteen; 1e-9 leaves room for an unlucky draw.

use crate::recovers;
use std::f64::consts::PI;

/// −Δu = f with the solution's own values on the boundary.
fn poisson(domain: &str, source: &str, value: &str) -> String {
    format!(
        "[domain]\n{domain}\n[equation]\nresidual = \"-laplacian(u) - ({source})\"\n\
         [[boundary]]\non = \"all\"\ndirichlet = \"{value}\"\n"
    )
}

#[test]
fn zero_on_an_interval() {
    let text = poisson("kind = \"interval\"\nx = [-1, 2]", "sin(pi*x)*pi^2", "0");
    recovers(&text, 1e-11, |x| vec![(PI * x[0]).sin()]);
}

/// Two different values: the lift is the line between them.
#[test]
fn values_at_the_ends_of_an_interval() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 2]\n[equation]\nresidual = \"u_xx - u\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 1\n[[boundary]]\non = \"x=2\"\ndirichlet = \"exp(-2)\"\n";
    recovers(text, 1e-11, |x| vec![(-x[0]).exp()]);
}

#[test]
fn zero_on_a_box() {
    let text = poisson(
        "kind = \"box\"\nx = [0, 1]\ny = [0, 2]",
        "1.25*pi^2*sin(pi*x)*sin(pi*y/2)",
        "0",
    );
    recovers(&text, 1e-11, |x| {
        vec![(PI * x[0]).sin() * (PI * x[1] / 2.0).sin()]
    });
}

/// Harmonic, everything comes from the boundary, a text for each pair of sides.
#[test]
fn values_on_a_box() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u)\"\n\
                [[boundary]]\non = \"x\"\ndirichlet = \"exp(x)*cos(y)\"\n\
                [[boundary]]\non = \"y=0\"\ndirichlet = \"exp(x)\"\n\
                [[boundary]]\non = \"y=1\"\ndirichlet = \"exp(x)*cos(1)\"\n";
    recovers(text, 1e-9, |x| vec![x[0].exp() * x[1].cos()]);
}

#[test]
fn zero_on_a_ball() {
    // u = sin(1 − r²) with r² = (x − 1)² + (y + 1)²: −Δu = 4 cos(1 − r²) + 4 r² sin(1 − r²)
    let text = poisson(
        "kind = \"ball\"\ncenter = [1, -1]",
        "4*cos(1 - (x - 1)^2 - (y + 1)^2) + 4*((x - 1)^2 + (y + 1)^2)*sin(1 - (x - 1)^2 - (y + 1)^2)",
        "0",
    );
    let square = |x: &[f64]| (x[0] - 1.0).powi(2) + (x[1] + 1.0).powi(2);
    recovers(&text, 1e-9, |x| vec![(1.0 - square(x)).sin()]);
}

#[test]
fn values_on_a_ball() {
    let text = poisson("kind = \"ball\"\nradius = 2", "0", "exp(x)*sin(y)");
    recovers(&text, 1e-9, |x| vec![x[0].exp() * x[1].sin()]);
}

#[test]
fn values_on_an_annulus() {
    let text = "[domain]\nkind = \"annulus\"\ninner = 1\nouter = 2\n[equation]\nresidual = \"laplacian(u) - 2*u\"\n\
                [[boundary]]\non = \"inner\"\ndirichlet = \"exp(x + y)\"\n[[boundary]]\non = \"outer\"\ndirichlet = \"exp(x)*exp(y)\"\n";
    recovers(text, 1e-9, |x| vec![(x[0] + x[1]).exp()]);
}

/// Torsion of an elliptic bar: −Δu = 1, u = 0 around, u = a²b²/(2(a² + b²)) (1 − x²/a² − y²/b²); and a field that is no polynomial around an elliptic hole.
#[test]
fn values_on_an_ellipse() {
    let text = poisson("kind = \"ellipse\"\naxes = [2, 1]", "1", "0");
    recovers(&text, 1e-12, |x| {
        vec![0.4 * (1.0 - x[0] * x[0] / 4.0 - x[1] * x[1])]
    });
    let around = "kind = \"difference\"\nparts = [{ kind = \"box\", x = [-1, 1], y = [-1, 1] }, { kind = \"ellipse\", axes = [0.6, 0.3], center = [0.1, 0] }]";
    let text = poisson(around, "0", "exp(x)*sin(y)");
    recovers(&text, 1e-9, |x| vec![x[0].exp() * x[1].sin()]);
}

#[test]
fn values_on_a_polygon() {
    let text = poisson(
        "kind = \"polygon\"\nvertices = [[0, 0], [2, 0], [1.5, 1], [0.2, 1.3]]",
        "2*sin(x + y)",
        "sin(x + y)",
    );
    recovers(&text, 1e-9, |x| vec![(x[0] + x[1]).sin()]);
}

/// A condition on a part of the boundary named by an edge, the rest by the others.
#[test]
fn edges_by_name() {
    let text = "[domain]\nkind = \"polygon\"\nvertices = [[0, 0], [1, 0], [0, 1]]\n[equation]\nresidual = \"laplacian(u) + 2*cos(x)*cos(y)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"cos(x)*cos(y)\"\n\
                [[boundary]]\non = \"edge 1\"\ndirichlet = \"cos(x)\"\n";
    recovers(text, 1e-9, |x| vec![x[0].cos() * x[1].cos()]);
}

/// An L made of two boxes, whose common side is inside.
#[test]
fn values_on_a_union() {
    let text = poisson(
        "kind = \"union\"\nparts = [{ kind = \"box\", x = [0, 2], y = [0, 1] }, { kind = \"box\", x = [0, 1], y = [0, 2] }]",
        "0",
        "exp(x)*cos(y)",
    );
    recovers(&text, 1e-9, |x| vec![x[0].exp() * x[1].cos()]);
}

#[test]
fn values_on_a_difference() {
    let text = poisson(
        "kind = \"difference\"\nparts = [{ kind = \"box\", x = [0, 2], y = [0, 2] }, { kind = \"ball\", center = [1, 1], radius = 0.5 }]",
        "2*sin(x)*sin(y)",
        "sin(x)*sin(y)",
    );
    recovers(&text, 1e-9, |x| vec![x[0].sin() * x[1].sin()]);
}

#[test]
fn values_on_an_intersection() {
    let text = poisson(
        "kind = \"intersection\"\nparts = [{ kind = \"ball\" }, { kind = \"ball\", center = [1, 0] }]",
        "-exp(x)",
        "exp(x)",
    );
    recovers(&text, 1e-9, |x| vec![x[0].exp()]);
}

/// A model knows the shape it was made for, in its file too: there is nothing in a hole.
#[test]
fn nothing_in_a_hole() {
    let text = "[domain]\nkind = \"difference\"\nparts = [{ kind = \"box\", x = [0, 2], y = [0, 2] }, { kind = \"ball\", center = [1, 1], radius = 0.5 }]\n\
                [equation]\nresidual = \"laplacian(u)\"\n[[boundary]]\non = \"all\"\ndirichlet = \"x\"\n";
    let solved = crate::solve(&crate::read(text), &crate::options());
    let path = std::env::temp_dir().join(format!("rafnet-hole-{}.safetensors", std::process::id()));
    solved.model.save(&path).expect("a file");
    let model = rafnet::Model::load(&path).expect("a model");
    std::fs::remove_file(&path).expect("the file");
    let model = model.with_outside(rafnet::model::Outside::Nan);
    let u = model.eval(&[1.0, 1.0, 0.3, 1.0]).expect("two points");
    assert!(u[0].is_nan() && (u[1] - 0.3).abs() < 1e-8, "{u:?}");
}
