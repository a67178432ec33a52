//! Every kind of construction gives what it should.

use super::{build, eval, folder};

#[test]
fn every_kind_is_evaluated() {
    let out = folder("kinds");
    let e = std::f64::consts::E;
    let kinds: [(&[&str], &str, &[f64]); 17] = [
        (&["identity"], "x\n0.5\n", &[0.5]),
        (&["square"], "x\n-3\n", &[9.0]),
        (&["product"], "x,y\n3,-5\n", &[-15.0]),
        (
            &["monomial", "--powers", "2,1", "--chains", "2"],
            "x1,x2\n3,2\n",
            &[18.0],
        ),
        (
            &[
                "polynomial",
                "x^2 - 1",
                "--interval",
                "-4,4",
                "--depth",
                "9",
            ],
            "x\n3\n",
            &[8.0],
        ),
        (
            &[
                "chebyshev",
                "exp(x)",
                "--tolerance",
                "1e-12",
                "--interval",
                "-2,2",
            ],
            "x\n1\n",
            &[e],
        ),
        (
            &[
                "chebyshev",
                "exp(x)",
                "--degree",
                "9",
                "--way",
                "theorem",
                "--chains",
                "3",
            ],
            "x\n1\n",
            &[e],
        ),
        (
            &["dct", "--size", "8,8", "--frequency", "0,4"],
            "t1,t2\n1,0\n",
            &[std::f64::consts::FRAC_1_SQRT_2],
        ),
        (
            &[
                "dct",
                "--size",
                "8,8",
                "--frequency",
                "0,4",
                "--way",
                "products",
            ],
            "t1,t2\n1,0\n",
            &[std::f64::consts::FRAC_1_SQRT_2],
        ),
        (
            &[
                "windowed-dct",
                "--size",
                "8",
                "--frequency",
                "0",
                "--centre",
                "3",
                "--sigma",
                "1",
            ],
            "t\n3\n",
            &[1.0],
        ),
        (&["dft", "--wave", "-pi"], "x\n0.5\n", &[0.0, -1.0]),
        (
            &[
                "gabor", "--wave", "pi", "--centre", "0.5", "--sigma", "0.25",
            ],
            "x\n0.5\n",
            &[0.0, 1.0],
        ),
        (
            &["rbf", "--centre", "0.5,0.5", "--sigma", "0.5"],
            "x1,x2\n1,0.5\n",
            &[0.6065306597126334],
        ),
        (
            &["rbf", "--centre", "0", "--kernel", "1/(1 + r2)"],
            "x\n1\n",
            &[0.5],
        ),
        (
            &["sine-relu", "hat", "--knots", "-1,0,1"],
            "x\n0.5\n",
            &[0.5],
        ),
        (
            &[
                "sine-relu",
                "fourier",
                "--cosines",
                "0,2",
                "--constant",
                "1",
            ],
            "x\n0\n",
            &[3.0],
        ),
        (
            &["floor-exponential", "x", "--width", "2", "--modulus", "r"],
            "x\n0.5\n",
            &[0.5],
        ),
    ];
    for (arguments, points, exact) in kinds {
        build(&out, arguments);
        let found = eval(&out, points);
        for (found, exact) in found[0].iter().zip(exact) {
            // the degree-9 series of exp is off by 2 I_10(1) ~ 6e-10, the default tolerance is 1e-10
            assert!(
                (found - exact).abs() < 1e-9,
                "{arguments:?}: {found} for {exact}"
            );
        }
    }
    std::fs::remove_dir_all(&out).expect("a folder");
}
