//! Every construction of the paper's theory, built: its size as stated and as built, its bound and its measured error.

use crate::item::Item;
use crate::table::{Section, Table};
use crate::work::{Run, Theorem, Work};
use crate::{Asked, Store};
use rafnet_theory::{
    BandLimited, Construction, CosineAxis, Degree, Formula, Kernel, Modulus, Polynomial, RedBlue,
    Series, Terms, TheoryError, Variant, Way, Window, chebyshev, chebyshev_by_monomials, dct, dft,
    floor_exponential, gabor, gaussian_rbf, hat, identity, monomial, piecewise_linear, polynomial,
    product, radial, square, theorem_layout, windowed_dct,
};

pub(super) const ITEM: Item = Item {
    id: "theorems",
    place: "Theorems 1 to 5, Lemmas 1 to 3",
    title: "networks built by hand",
    also: &["theory"],
    runs,
    section,
};

type Built = Result<Construction, TheoryError>;

/// Name, statement, what is built, how.
type Row = (&'static str, &'static str, &'static str, fn() -> Built);

const ROWS: [Row; 27] = [
    ("identity", "Lemma 3 (i)", "x in R²", || identity(2)),
    ("square", "Lemma 3 (ii)", "x²", square),
    ("product", "Lemma 3 (iii)", "xy", product),
    ("monomial", "Lemma 3 (iv)", "x₁³x₂², N = 2", || {
        monomial(&[3, 2], 2, Variant::Stated)
    }),
    (
        "monomial-tight",
        "Lemma 3 (iv)",
        "the same, no layer too many",
        || monomial(&[3, 2], 2, Variant::Tight),
    ),
    ("monomial-16", "Lemma 3 (iv)", "x¹⁶, N = 4", || {
        monomial(&[16], 4, Variant::Stated)
    }),
    (
        "hat",
        "Theorem 1",
        "hat function (a piece: no construction exists)",
        || hat([-1.0, 0.0, 1.0]),
    ),
    (
        "interpolant",
        "Theorem 1",
        "eˣ, piecewise linear, 65 knots",
        || piecewise_linear(&Formula::read("exp(x)")?, [-1.0, 1.0], 65),
    ),
    ("digits-2", "Theorem 2", "x² − x/2, W = 2", || digits(2)),
    ("digits-3", "Theorem 2", "x² − x/2, W = 3", || digits(3)),
    ("digits-5", "Theorem 2", "x² − x/2, W = 5", || digits(5)),
    ("digits-12", "Theorem 2", "x² − x/2, W = 12", || {
        digits(12)
    }),
    (
        "polynomial-2-1-3",
        "Theorem 3",
        "x₁³x₂² + 2x₁x₂⁴ − 5; N, a, b = 2, 1, 3",
        || red_blue(2, 1, 3),
    ),
    ("polynomial-2-3-1", "Theorem 3", "2, 3, 1", || {
        red_blue(2, 3, 1)
    }),
    ("polynomial-1-1-3", "Theorem 3", "1, 1, 3", || {
        red_blue(1, 1, 3)
    }),
    ("polynomial-4-2-2", "Theorem 3", "4, 2, 2", || {
        red_blue(4, 2, 2)
    }),
    (
        "chebyshev-4",
        "Theorem 4",
        "eˣ by recurrence, n = 4, s = 4",
        || exponential(4),
    ),
    ("chebyshev-8", "Theorem 4", "n = 8", || exponential(8)),
    ("chebyshev-12", "Theorem 4", "n = 12", || exponential(12)),
    (
        "chebyshev-theorem",
        "Theorem 4",
        "n = 12 as stated, N = 4",
        as_stated,
    ),
    (
        "band-limited",
        "Theorem 5",
        "∏ sin 3xᵢ / 3xᵢ, 1,000 sines",
        || BandLimited::new("1/36", 2, None, Kernel::Wave, 3.0)?.build(Terms::Count(1_000), 0),
    ),
    ("dct", "Lemma 1", "DCT, 8 × 8, k = (2, 3)", || {
        dct(&[cosine(2), cosine(3)], Way::Sums)
    }),
    ("windowed-dct", "Lemma 1", "windowed DCT", || {
        windowed_dct(&[cosine(3)], &[window()])
    }),
    ("dft", "Lemma 1", "e^(ik·x)", || dft(&[2.0, 1.0])),
    ("gabor", "Lemma 1", "Gabor atom, one complex neuron", || {
        gabor(
            &[12.0],
            &[Window {
                centre: 0.5,
                width: 0.1,
            }],
        )
    }),
    ("gaussian", "Lemma 2", "Gaussian RBF in R³", || {
        gaussian_rbf(&[0.0, 0.0, 0.0], 0.5)
    }),
    ("radial", "Lemma 2", "1/(1 + r²) in R²", || {
        radial(
            &[0.0, 0.0],
            "1/(1 + r2)",
            0.5,
            Degree::Tolerance(1e-10),
            None,
        )
    }),
];

fn cosine(frequency: u32) -> CosineAxis {
    CosineAxis { size: 8, frequency }
}

fn window() -> Window {
    Window {
        centre: 3.0,
        width: 1.5,
    }
}

fn digits(width: usize) -> Built {
    floor_exponential(
        &Formula::read("x^2 - x/2")?,
        width,
        &Modulus::read("1.5*r")?,
    )
}

fn red_blue(chains: usize, rows: usize, columns: usize) -> Built {
    let layout = RedBlue {
        chains,
        rows,
        columns,
        depth: None,
        variant: Variant::Stated,
    };
    polynomial(
        &Polynomial::read("x1^3*x2^2 + 2*x1*x2^4 - 5")?,
        &layout,
        None,
    )
}

fn exponential(degree: usize) -> Built {
    let formula = Formula::read("exp(x)")?;
    let series = Series::of(&formula, [-1.0, 1.0], Degree::Fixed(degree))?;
    chebyshev(&formula, &series, Some(4.0))
}

fn as_stated() -> Built {
    let formula = Formula::read("exp(x)")?;
    let series = Series::of(&formula, [-1.0, 1.0], Degree::Fixed(12))?;
    chebyshev_by_monomials(
        &formula,
        &series,
        &theorem_layout(12, 4, Variant::Stated),
        Some(4.0),
    )
}

fn key(name: &str) -> String {
    format!("theorems/{name}")
}

fn runs(_: &Asked) -> Vec<Run> {
    let run =
        |(name, _, _, build): Row| Run::new(key(name), Work::Theorem(Theorem { name, build }));
    ROWS.into_iter().map(run).collect()
}

fn section(_: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("Width, depth (hidden layers) and parameters as the statement counts them and as built; *bound* is the error in exact arithmetic (0: the network is the function), *rounding* what floating point may add, *measured* the largest difference at sample points, for Theorem 5 the L2 error, which its bound is on. Theorem 1 states that a network exists and gives no construction; two pieces of one are built.");
    let mut table = Table::new([
        "statement",
        "function",
        "stated: width, depth, parameters",
        "built",
        "bound",
        "rounding",
        "measured",
    ]);
    for (name, place, what, _) in ROWS {
        let record = store.get(&key(name));
        let figure = |name: &str| record.as_ref().and_then(|r| r.figure(name));
        let sizes = |prefix: &str| {
            let all = ["width", "depth", "parameters"].map(|n| figure(&format!("{prefix}{n}")));
            let [Some(w), Some(d), Some(p)] = all else {
                return String::new();
            };
            format!("{w}, {d}, {p}")
        };
        let number = |name: &str| {
            figure(name).map_or(String::new(), |v| {
                if v == 0.0 {
                    "0".into()
                } else {
                    format!("{v:.1e}")
                }
            })
        };
        table.row([
            place.to_owned(),
            what.to_owned(),
            sizes("stated_"),
            sizes(""),
            number("bound"),
            number("rounding"),
            number(if name == "band-limited" {
                "l2_error"
            } else {
                "max_error"
            }),
        ]);
    }
    section.add(&table);
    section
}
