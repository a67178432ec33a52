//! Frozen layers on every device: the reference gives the same answers but for rounding, by code of its own.

use crate::{options, points, read, solve};
use rafnet::engine::Device;
use rafnet::expr::largest;
use rafnet::solve::{Method, Options, Solved};

/// Solves on both devices; the largest difference of their values over the largest value.
fn difference(text: &str, method: Method) -> ([Solved; 2], f64) {
    let problem = read(text);
    let solved = [Device::CPU, Device::REFERENCE].map(|device| {
        let options = Options {
            device,
            method,
            width: (method != Method::Pieces).then_some(120),
            ..options()
        };
        solve(&problem, &options)
    });
    let [a, b] = [0, 1].map(|k: usize| {
        let values = solved[k].model.eval(&points(&problem));
        values.expect("points inside")
    });
    let size = largest(a.iter().map(|v| v.abs()));
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
    let off = largest(off);
    (solved, off / size)
}

/// Rounding shows that it was other code: the columns of frozen layers are nearly dependent, and coefficients remember it.
fn are_computed_apart([cpu, reference]: &[Solved; 2]) {
    let numbers = |s: &Solved| -> Vec<u64> {
        let all = s.model.parts().parameters.iter();
        all.map(|p| p.to_bits()).collect()
    };
    assert_ne!(numbers(cpu), numbers(reference));
}

#[test]
fn one_layer() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\n\
                residual = \"laplacian(u) + 2*pi^2*sin(pi*x)*sin(pi*y)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";
    let (solved, off) = difference(text, Method::Lsq);
    are_computed_apart(&solved);
    assert!(off < 1e-12, "{off:e}");
}

/// A known function beside the coordinate, and a factor that holds the conditions.
#[test]
fn a_layer_with_further_inputs() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[features]\ns = \"sqrt(x + 0.01)\"\n[equation]\n\
                residual = \"u_xx + sqrt(x + 0.01)*u - 1\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\nenforce = \"exact\"\n";
    let (solved, off) = difference(text, Method::Lsq);
    are_computed_apart(&solved);
    assert!(off < 1e-12, "{off:e}");
}

#[test]
fn layers_on_pieces() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"-1e-4*u_xx + u - cos(pi*x)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n";
    let (solved, off) = difference(text, Method::Pieces);
    are_computed_apart(&solved);
    assert!(off < 1e-11, "{off:e}");
}

#[test]
fn eigenvalues() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, \"pi\"]\n[eigenvalue]\noperator = \"-u_xx\"\n\
                count = 2\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";
    let (solved, _) = difference(text, Method::Auto);
    are_computed_apart(&solved);
    for solved in &solved {
        let found: Vec<f64> = solved.eigenvalues.iter().map(|p| p.value).collect();
        assert!(
            found.len() == 2 && (found[0] - 1.0).abs() < 1e-11 && (found[1] - 4.0).abs() < 4e-11,
            "{found:?}"
        );
    }
}
