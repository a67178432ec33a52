//! Elementary maps, monomials, polynomials.

use super::{UNIT, holds};
use proptest::prelude::*;
use rafnet_theory::{
    Origin, Polynomial, RedBlue, Statement, TheoryError, Variant, identity, monomial,
    monomial_depth, polynomial, product, square,
};

#[test]
fn elementary_maps() -> Result<(), TheoryError> {
    for d in [1, 2, 3, 7] {
        let made = identity(d)?;
        assert_eq!((made.depth(), made.neurons()), (1, d));
        let x: Vec<f64> = (0..d).map(|k| 0.1 + k as f64).collect();
        assert_eq!(made.eval(&x)?, x);
        holds(&made, 1e-15);
    }
    let made = square()?;
    assert_eq!((made.depth(), made.neurons()), (1, 1));
    assert_eq!(made.eval(&[3.0, -0.5])?, [9.0, 0.25]);
    holds(&made, 2e-15);
    let made = product()?;
    assert_eq!((made.depth(), made.neurons()), (1, 2));
    assert_eq!(made.eval(&[3.0, -7.0])?, [-21.0]);
    holds(&made, 1e-14);
    assert_eq!(made.bound.origin, Origin::Exact);
    assert_eq!(made.bound.value.to_bits(), 0);
    Ok(())
}

/// The product by squares cancels: its absolute error is of the order u·max(x, y)², not u·|x y|.
#[test]
fn products_of_unequal_factors() -> Result<(), TheoryError> {
    let made = product()?;
    let (x, y) = (1e6 + 1.0 / 3.0, 1e-6 / 7.0);
    let error = (made.eval(&[x, y])?[0] - x * y).abs();
    // two sums, two squares, each rounded: 2·(2u + u)·x²/4·…, at most 4 u x²
    assert!(error <= 4.0 * UNIT * x * x, "{error:e}");
    assert!(
        error > 1e3 * UNIT * x * y,
        "{error:e}: the remark about cancellation is not true any more"
    );
    Ok(())
}

/// A tree over N leaves has N − 1 products; depth and width by the formulas; every value exact at integers.
#[test]
fn monomials() -> Result<(), TheoryError> {
    for k in 1..=17_usize {
        for chains in [1, 2, 3, 4, 5, 8, 16] {
            let log = (0..9).find(|e| 1 << e >= chains).expect("a power of two");
            let stated = k.div_ceil(chains).max(1) + log;
            let tight = k.div_ceil(chains).saturating_sub(1).max(1) + log;
            assert_eq!(monomial_depth(k, chains, Variant::Stated), stated);
            assert_eq!(monomial_depth(k, chains, Variant::Tight), tight);
            for (variant, depth) in [(Variant::Stated, stated), (Variant::Tight, tight)] {
                let powers = [k.div_ceil(2), k / 2].map(|n| u32::try_from(n).expect("small"));
                let made = monomial(&powers, chains, variant)?;
                assert_eq!(made.depth(), depth, "degree {k}, {chains} chains");
                assert!(
                    made.width() <= 2 * chains + 2,
                    "degree {k}, {chains} chains"
                );
                // 2^9 · 3^8 and the squares on the way are integers below 2^53
                let expected =
                    2_f64.powi(powers[0].cast_signed()) * (-3_f64).powi(powers[1].cast_signed());
                assert_eq!(
                    made.eval(&[2.0, -3.0])?,
                    [expected],
                    "degree {k}, {chains} chains"
                );
                holds(&made, 1e-12);
            }
        }
    }
    // the stated condition N L + 2^⌊log₂ N⌋ ≥ k is enough for the depth L + ⌈log₂ N⌉ in the tight variant
    for n in 1..=16_usize {
        for l in 1..=8_usize {
            let k = n * l + (1 << n.ilog2());
            let depth = monomial_depth(k, n, Variant::Tight);
            assert!(depth <= l + n.next_power_of_two().trailing_zeros() as usize);
        }
    }
    Ok(())
}

/// The table of the specification: P = x1³x2² + 2 x1 x2⁴ − 5.
#[test]
fn the_table() -> Result<(), TheoryError> {
    let p = Polynomial::read("x1^3*x2^2 + 2*x1*x2^4 - 5")?;
    assert_eq!((p.terms().len(), p.degree()), (3, 5));
    // N, a, b, width, L_min, dense parameters, depth used, widest, depth tight, neurons stated and tight
    let table: [[usize; 11]; 4] = [
        [2, 1, 3, 7, 17, 925, 12, 7, 9, 58, 45],
        [2, 3, 1, 15, 6, 1261, 4, 11, 3, 34, 27],
        [1, 1, 3, 5, 21, 621, 15, 5, 12, 63, 52],
        [4, 2, 2, 19, 11, 3877, 8, 13, 6, 54, 40],
    ];
    for [
        chains,
        rows,
        columns,
        width,
        least,
        dense,
        used,
        widest,
        tight,
        neurons,
        neurons_tight,
    ] in table
    {
        let layout = |variant, depth| RedBlue {
            chains,
            rows,
            columns,
            depth,
            variant,
        };
        let stated = layout(Variant::Stated, None);
        assert_eq!((stated.width(2), stated.least_depth(5)), (width, least));
        let made = polynomial(&p, &stated, None)?;
        let statement = Statement {
            width,
            depth: least,
            parameters: dense,
        };
        assert_eq!(made.statement, Some(statement));
        assert_eq!(
            (made.depth(), made.width(), made.neurons()),
            (used, widest, neurons)
        );
        let short = polynomial(&p, &layout(Variant::Tight, None), None)?;
        assert_eq!((short.depth(), short.neurons()), (tight, neurons_tight));
        // filled up to L: one identity neuron a layer
        let full = polynomial(&p, &layout(Variant::Stated, Some(least)), None)?;
        assert_eq!((full.depth(), full.width()), (least, widest));
        assert_eq!(full.neurons(), neurons + least - used);
        for made in [&made, &short, &full] {
            // 27·4 + 2·3·16 − 5 at (3, −2), without any rounding
            assert_eq!(made.eval(&[3.0, -2.0])?, [199.0]);
            holds(made, 1e-12);
        }
        let below = polynomial(&p, &layout(Variant::Stated, Some(least - 1)), None);
        assert!(matches!(below, Err(TheoryError::Number { .. })));
    }
    Ok(())
}

/// Every choice of N, a, b that admits the polynomial gives the same function.
#[test]
fn every_layout() -> Result<(), TheoryError> {
    let p = Polynomial::read("(x - 2*y)^3 + x*y*z - z^2 + 7*y")?;
    let exact = |x: f64, y: f64, z: f64| (x - 2.0 * y).powi(3) + x * y * z - z * z + 7.0 * y;
    let terms = p.terms().len();
    for chains in 1..=5 {
        for rows in 1..=terms {
            for columns in terms.div_ceil(rows)..=terms.div_ceil(rows) + 1 {
                for variant in [Variant::Stated, Variant::Tight] {
                    let layout = RedBlue {
                        chains,
                        rows,
                        columns,
                        depth: None,
                        variant,
                    };
                    let made = polynomial(&p, &layout, None)?;
                    assert!(made.width() <= layout.width(3));
                    assert!(made.depth() <= layout.least_depth(3));
                    assert_eq!(
                        made.eval(&[3.0, -1.0, 2.0])?,
                        [exact(3.0, -1.0, 2.0)],
                        "{layout:?}"
                    );
                }
            }
        }
    }
    Ok(())
}

/// Coefficients and powers of a random polynomial in two variables.
fn random_terms() -> impl Strategy<Value = Vec<(i32, [u32; 2])>> {
    let term = (-9..=9_i32, [0..=3_u32, 0..=2_u32]);
    proptest::collection::vec(term, 1..7)
}

fn text_of(terms: &[(i32, [u32; 2])]) -> String {
    let each = terms.iter().map(|(c, [p, q])| format!("({c})*x^{p}*y^{q}"));
    format!("{} + 0*x + 0*y", each.collect::<Vec<_>>().join(" + "))
}

/// Σ c (x/2²⁰)^p (y/2²⁰)^q · 2¹⁰⁰ in integers.
fn integer_value(terms: &[(i32, [u32; 2])], x: i64, y: i64) -> i128 {
    let term = |(c, [p, q]): &(i32, [u32; 2])| {
        let unit = 1_i128 << (20 * (5 - p - q));
        i128::from(*c) * i128::from(x).pow(*p) * i128::from(y).pow(*q) * unit
    };
    terms.iter().map(term).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Against integer arithmetic at random points of [−1, 1]²: within the bound on the rounding, and the exact value at integers.
    #[test]
    fn random_polynomials(
        terms in random_terms(),
        chains in 1..4_usize,
        rows in 1..4_usize,
        tight in any::<bool>(),
        points in proptest::collection::vec((-(1_i64 << 20)..=1 << 20, -(1_i64 << 20)..=1 << 20), 8),
        whole in (-4..=4_i32, -4..=4_i32),
    ) {
        let p = Polynomial::of(&rafnet_theory::Formula::in_variables(&text_of(&terms), &["x", "y"]).expect("a text"))
            .expect("a polynomial");
        let columns = p.terms().len().div_ceil(rows);
        let variant = if tight { Variant::Tight } else { Variant::Stated };
        let layout = RedBlue { chains, rows, columns, depth: None, variant };
        let made = polynomial(&p, &layout, None).expect("a network");
        prop_assert!(made.max_error <= made.bound.total() + 16.0 * UNIT * 54.0, "{:e}", made.max_error);
        // at most 6 terms of size 9, products of at most 5 factors below 1, some 20 roundings each
        prop_assert!(made.bound.rounding < 1e-11, "{:e}", made.bound.rounding);
        let scale = 2_f64.powi(-100);
        for (x, y) in points {
            let exact = integer_value(&terms, x, y) as f64 * scale;
            let at = [x as f64 / f64::from(1 << 20), y as f64 / f64::from(1 << 20)];
            let found = made.eval(&at).expect("a value")[0];
            let error = (found - exact).abs();
            prop_assert!(error <= made.bound.rounding + UNIT * exact.abs(), "{error:e} at {at:?}");
        }
        // integers: 9·4³·4²·6 and the squares on the way are far below 2⁵³
        let (x, y) = (f64::from(whole.0), f64::from(whole.1));
        let exact: f64 = terms.iter().map(|(c, [p, q])| {
            f64::from(*c) * x.powi(p.cast_signed()) * y.powi(q.cast_signed())
        }).sum();
        prop_assert_eq!(made.eval(&[x, y]).expect("a value"), vec![exact]);
    }
}

/// What a polynomial is, however it is written.
#[test]
fn texts() -> Result<(), TheoryError> {
    let same = [
        "x^3*y - 2*x",
        "x*(x^2*y - 2)",
        "x**3*y - x - x",
        "x^2*x*y - 4*x/2",
        "sum(i, 1, 1, x^3*y) - sqrt(4)*x",
    ];
    let first = Polynomial::read(same[0])?;
    for text in same {
        assert_eq!(Polynomial::read(text)?, first, "{text}");
    }
    let pi = Polynomial::read("pi*x + x/3 + 1e-3")?;
    assert_eq!(pi.terms().len(), 2);
    assert!((pi.terms()[0].0 - (std::f64::consts::PI + 1.0 / 3.0)).abs() <= 4.0 * f64::EPSILON);
    assert_eq!(pi.terms()[1], (1e-3, vec![0]));
    let zero = Polynomial::read("x - x")?;
    assert_eq!(zero.terms(), [(0.0, vec![0])]);
    let binomial = Polynomial::read("(x + y)^12")?;
    assert_eq!(binomial.terms()[6], (924.0, vec![6, 6]));
    Ok(())
}
