//! `pieces` on domains that are not boxes: cells that the boundary cuts.

use crate::{error, options, read, solve};
use rafnet::solve::{Method, Options};

/// Solves in pieces to a held-out residual; the error must be below `most`, and the estimate no smaller than a tenth of it.
fn recovers(text: &str, target: f64, most: f64, exact: impl Fn(&[f64]) -> Vec<f64>) {
    let problem = read(text);
    let options = Options {
        method: Method::Pieces,
        target: Some(target),
        ..options()
    };
    let solved = solve(&problem, &options);
    let found = error(&problem, &solved, exact);
    let said = solved.decisions().join("\n");
    assert!(found <= most, "{found:.1e}\n{said}");
    let estimate = solved.error_estimate;
    assert!(
        estimate >= 0.1 * found,
        "{estimate:.1e} {found:.1e}\n{said}"
    );
}

/// A wave and a logarithm in a hole that is not in the middle of anything; one side held, all others and the hole with a given flux.
#[test]
fn a_plate_with_a_hole() {
    let text = "[domain]\nkind = \"difference\"\nparts = [{ kind = \"box\", x = [0, 1], y = [0, 1] }, \
                { kind = \"ball\", center = [0.55, 0.4], radius = 0.2 }]\n\
                [functions]\nr = \"(x - 0.55)^2 + (y - 0.4)^2\"\nw = \"sin(3*x)*cosh(3*y)/10 + 0.15*log(r)\"\n\
                wx = \"0.3*cos(3*x)*cosh(3*y) + 0.3*(x - 0.55)/r\"\nwy = \"0.3*sin(3*x)*sinh(3*y) + 0.3*(y - 0.4)/r\"\n\
                [equation]\nresidual = \"laplacian(u)\"\n[[boundary]]\non = \"all\"\nresidual = \"u_n - n_x*wx - n_y*wy\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = \"w\"\n";
    recovers(text, 1e-4, 1e-4, |x| {
        let r = (x[0] - 0.55).powi(2) + (x[1] - 0.4).powi(2);
        vec![(3.0 * x[0]).sin() * (3.0 * x[1]).cosh() / 10.0 + 0.15 * r.ln()]
    });
}

/// Straight sides inside the box around a domain are cuts, so that a polygon of right angles is cut into whole boxes; a slanted side is not.
#[test]
fn an_l_with_a_slanted_side() {
    let text = "[domain]\nkind = \"polygon\"\nvertices = [[0, 0], [1, 0], [1, 0.5], [0.4, 0.5], [0.4, 1], [0.1, 1]]\n\
                [equation]\nresidual = \"laplacian(u) + u - exp(x)*cos(y)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"exp(x)*cos(y)\"\n";
    recovers(text, 1e-6, 1e-6, |x| vec![x[0].exp() * x[1].cos()]);
}

/// A slab over a disc: u = exp(−t) J with cooling through the rim.
#[test]
fn a_disc_in_time() {
    let text = "[domain]\nkind = \"ball\"\nt = [0, 0.3]\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_xx - u_yy\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"exp(-2*t)*sin(x)*cos(y)\"\n[[initial]]\nu = \"sin(x)*cos(y)\"\n";
    recovers(text, 1e-2, 1e-3, |x| {
        vec![(-2.0 * x[2]).exp() * x[0].sin() * x[1].cos()]
    });
}
