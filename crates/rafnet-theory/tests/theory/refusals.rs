//! Nonsense, each with the message a user reads.

use rafnet_theory::{
    BandLimited, CosineAxis, Degree, Formula, Kernel, Modulus, Polynomial, RedBlue, Series,
    TheoryError, Variant, Way, Window, dct, floor_exponential, gaussian_rbf, hat, identity,
    monomial, polynomial,
};

#[track_caller]
fn refuses<T: std::fmt::Debug>(result: Result<T, TheoryError>, words: &[&str]) {
    let error = result.expect_err("a refusal");
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in `{message}`");
    }
    assert!(!error.hint().is_empty());
}

fn series(text: &str, interval: [f64; 2], degree: Degree) -> Result<Series, TheoryError> {
    Series::of(&Formula::read(text)?, interval, degree)
}

#[test]
fn texts() {
    refuses(
        Formula::read("x^3*foo"),
        &["unknown variable `foo`", "x, y, z, t"],
    );
    refuses(Formula::read("x0 + 1"), &["unknown variable `x0`"]);
    refuses(Formula::read("x +"), &["cannot read `x +`"]);
    refuses(
        Formula::in_variables("x*y", &["x"]),
        &["unknown variable `y`", "known: x"],
    );
    refuses(
        Polynomial::read("x^-2 + 1"),
        &["no polynomial", "negative degree"],
    );
    refuses(
        Polynomial::read("1/x"),
        &["no polynomial", "negative degree"],
    );
    refuses(Polynomial::read("x*sin(y)"), &["no polynomial", "`sin`"]);
    refuses(Polynomial::read("x^1.5"), &["no polynomial", "1.5"]);
    refuses(Polynomial::read("x^y"), &["no polynomial"]);
    refuses(Polynomial::read("sqrt(x)"), &["no polynomial", "`sqrt`"]);
    refuses(Polynomial::read("x^600"), &["no polynomial", "600"]);
}

#[test]
fn series_that_cannot_be() {
    let whole = [-1.0, 1.0];
    let fine = Degree::Tolerance(1e-8);
    refuses(series("1/x", whole, fine), &["pole", "x = 0.0"]);
    refuses(series("1/(x - 0.3)", whole, fine), &["pole", "x = 0.3"]);
    refuses(
        series("1/(x - 0.3001234)^2", whole, fine),
        &["pole", "x = 0.300123"],
    );
    refuses(series("tan(2*x)", whole, fine), &["pole", "0.785"]);
    refuses(
        series("log(x)", [0.0, 1.0], fine),
        &["pole or is undefined", "x = 0.0"],
    );
    refuses(series("sqrt(x)", whole, fine), &["undefined", "x = -1.0"]);
    refuses(series("abs(x)", whole, fine), &["kink"]);
    refuses(
        series("exp(x)", whole, Degree::Tolerance(1e-18)),
        &["below the rounding", "1e-18"],
    );
    refuses(
        series("exp(x)", whole, Degree::Tolerance(0.0)),
        &["below the rounding"],
    );
    refuses(
        series("exp(x)", whole, Degree::Tolerance(f64::NAN)),
        &["NaN"],
    );
    refuses(
        series("exp(x)", [1.0, 1.0], fine),
        &["interval", "ascending"],
    );
    refuses(
        series("exp(x)", [2.0, 1.0], fine),
        &["interval", "ascending"],
    );
    refuses(
        series("x*y", whole, fine),
        &["2 variables (x, y)", "expected one"],
    );
    refuses(
        series("exp(x)", whole, Degree::Fixed(100_000)),
        &["degree", "100000"],
    );
}

#[test]
fn sizes() -> Result<(), TheoryError> {
    refuses(identity(0), &["dimension is 0"]);
    refuses(monomial(&[0, 0], 1, Variant::Tight), &["degree is 0"]);
    refuses(monomial(&[2], 0, Variant::Tight), &["chains is 0"]);
    let p = Polynomial::read("x^2 + x + 1")?;
    let layout = |rows, columns| RedBlue {
        chains: 1,
        rows,
        columns,
        depth: None,
        variant: Variant::Stated,
    };
    refuses(
        polynomial(&p, &layout(1, 2), None),
        &["rows times columns is 2", "3"],
    );
    refuses(polynomial(&p, &layout(0, 9), None), &["rows a is 0"]);
    refuses(
        polynomial(&p, &layout(1, 3), Some(&[[0.0, 1.0], [0.0, 1.0]])),
        &["2 intervals", "expected 1"],
    );
    let f = Formula::read("x*y*z")?;
    refuses(
        floor_exponential(&f, 2, &Modulus::Estimated),
        &["width W is 2", "at least the dimension, 3"],
    );
    refuses(
        floor_exponential(&f, 9, &Modulus::Estimated),
        &["width W is 9", "at most 7"],
    );
    let small = Modulus::read("0.01*r")?;
    refuses(floor_exponential(&f, 3, &small), &["modulus", "at least"]);
    refuses(
        floor_exponential(&Formula::read("1/x")?, 3, &Modulus::Estimated),
        &["pole", "x = 0"],
    );
    refuses(
        dct(
            &[CosineAxis {
                size: 4,
                frequency: 4,
            }],
            Way::Sums,
        ),
        &["frequency is 4", "below the size"],
    );
    refuses(dct(&[], Way::Sums), &["axes is 0"]);
    refuses(gaussian_rbf(&[0.0], -1.0), &["width is -1"]);
    refuses(hat([0.0, 0.0, 1.0]), &["ascending"]);
    refuses(
        rafnet_theory::gabor(
            &[1.0, 2.0],
            &[Window {
                centre: 0.0,
                width: 1.0,
            }],
        ),
        &["1 windows", "expected 2"],
    );
    refuses(
        BandLimited::new("1", 4, None, Kernel::Wave, 1.0),
        &["dimension is 4"],
    );
    refuses(
        BandLimited::new("1", 1, None, Kernel::Wave, -1.0),
        &["band M is -1"],
    );
    refuses(
        BandLimited::new("1/w", 1, None, Kernel::Wave, 1.0),
        &["pole"],
    );
    refuses(
        BandLimited::new("v", 1, None, Kernel::Wave, 1.0),
        &["unknown variable `v`"],
    );
    Ok(())
}
