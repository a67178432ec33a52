//! Polynomials in the red and blue layout (the paper's Theorem 3 and its figure).
//!
//! ```text
//! P(x) = Σ_{j=1..J} c_j x^α_j        a b ≥ J        (L − 2b − b log₂ N) N ≥ b max_j |α_j|
//! width 2Na + d + 1                  depth L        exact
//! ```
//!
//! a × b monomial blocks ("red") stand in a rows and b columns, N chains each; columns run one after the other, D layers each.
//! All blocks share one copy of the d identity neurons, and one more ("blue") carries the sum from column to column. What a
//! column has finished enters that neuron's pre-activation in the next layer, or the output. Constants go into its bias.
//! The layers used are b D; identity layers fill up to L where it is asked for.

use super::arithmetic::Arithmetic;
use super::draft::Draft;
use super::monomial::{Block, Variant, depths};
use super::sampling;
use super::wire::Wire;
use super::{Bound, Built, Construction, Form, Formula, Polynomial, Statement, TheoryError};

/// Most layers of a construction.
const MOST_DEPTH: usize = 1 << 14;

/// A choice of (N, a, b, L).
///
/// ```
/// use rafnet_theory::{RedBlue, Variant};
/// let layout = RedBlue { chains: 2, rows: 1, columns: 3, depth: None, variant: Variant::Stated };
/// assert_eq!(layout.width(2), 7);
/// assert_eq!(layout.least_depth(5), 17);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedBlue {
    /// N
    pub chains: usize,
    /// a
    pub rows: usize,
    /// b
    pub columns: usize,
    /// L: filled up with identity layers; none for the layers used.
    pub depth: Option<usize>,
    /// How deep the blocks are.
    pub variant: Variant,
}

impl RedBlue {
    /// One row, a column for each term, one chain: the narrowest layout.
    pub fn narrow(polynomial: &Polynomial, variant: Variant) -> Self {
        Self {
            chains: 1,
            rows: 1,
            columns: polynomial.terms().len(),
            depth: None,
            variant,
        }
    }
    /// 2Na + d + 1
    pub fn width(&self, dimension: usize) -> usize {
        2 * self.chains * self.rows + dimension + 1
    }
    /// The least L that the theorem admits: ⌈b max|α|/N + 2b + b log₂ N⌉.
    pub fn least_depth(&self, degree: usize) -> usize {
        let (n, b) = (self.chains as f64, self.columns as f64);
        let least = b * degree as f64 / n + 2.0 * b + b * n.log2();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let least = least.ceil() as usize;
        least
    }
    /// The layers used: b D.
    pub fn used_depth(&self, degree: usize) -> usize {
        self.columns * depths(degree, self.chains, self.variant)[1]
    }
    /// The sizes the theorem states, at L or at the least depth.
    pub fn statement(&self, dimension: usize, degree: usize) -> Statement {
        let depth = self.depth.unwrap_or(self.least_depth(degree));
        Statement::dense(dimension, self.width(dimension), depth)
    }

    fn check(&self, polynomial: &Polynomial) -> Result<(), TheoryError> {
        for (what, found) in [
            ("the number of chains N", self.chains),
            ("the number of rows a", self.rows),
            ("the number of columns b", self.columns),
        ] {
            if !(1..=4096).contains(&found) {
                return Err(TheoryError::number(what, found, "1 to 4096"));
            }
        }
        let terms = polynomial.terms().len();
        if self.rows * self.columns < terms {
            let found = self.rows * self.columns;
            let expected = format!("at least the number of terms, {terms}");
            return Err(TheoryError::number("rows times columns", found, expected));
        }
        let (degree, used) = (polynomial.degree(), self.used_depth(polynomial.degree()));
        let least = match self.variant {
            Variant::Stated => self.least_depth(degree),
            Variant::Tight => used,
        };
        if let Some(depth) = self.depth.filter(|&depth| depth < least) {
            let expected = format!("at least {least} for this layout");
            return Err(TheoryError::number("the depth L", depth, expected));
        }
        match self.depth.unwrap_or(used) {
            depth if depth > MOST_DEPTH => {
                let expected = format!("at most {MOST_DEPTH}");
                Err(TheoryError::number("the depth", depth, expected))
            }
            _ => Ok(()),
        }
    }
}

/// P by the red and blue layout on a box (on [−1, 1]^d unless given): exact everywhere, its rounding bounded on the box.
///
/// # Errors
/// [`TheoryError::Number`] when the layout does not admit the polynomial.
///
/// ```
/// use rafnet_theory::{Formula, Polynomial, RedBlue, Variant, polynomial};
/// let p = Polynomial::of(&Formula::read("x^3*y - 2*x")?)?;
/// let net = polynomial(&p, &RedBlue::narrow(&p, Variant::Tight), None)?;
/// assert_eq!((net.width(), net.depth()), (5, 6));
/// assert_eq!(net.eval(&[3.0, 2.0])?, [48.0]);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn polynomial(
    polynomial: &Polynomial,
    layout: &RedBlue,
    bounds: Option<&[[f64; 2]]>,
) -> Result<Construction, TheoryError> {
    let d = polynomial.variables().len();
    let given = bounds.map(<[_]>::to_vec);
    let bounds = given.clone().unwrap_or_else(|| sampling::unit_box(d));
    sampling::check_box(&bounds, d)?;
    let (built, rounding) = build(polynomial, layout, d, Wire::inputs(&bounds))?;
    let points = sampling::points(&bounds);
    let exact: Vec<f64> = points
        .chunks_exact(d)
        .map(|x| polynomial.value(x))
        .collect();
    Construction {
        statement: Some(layout.statement(d, polynomial.degree())),
        region: given,
        ..Construction::new(
            "polynomial",
            polynomial.variables().to_vec(),
            Form::Real(built),
            Bound::exact(rounding),
            bounds,
        )
    }
    .measured(&points, &exact)
}

/// The network over given wires of the inputs, and its rounding.
pub(super) fn build(
    polynomial: &Polynomial,
    layout: &RedBlue,
    inputs: usize,
    x: Vec<Wire>,
) -> Result<(Built, f64), TheoryError> {
    layout.check(polynomial)?;
    let mut draft = Draft::new(inputs);
    let mut output = red_and_blue(&mut draft, polynomial, layout, x);
    while output.layer < layout.depth.unwrap_or(0) {
        output = draft.carry(&output);
    }
    let rounding = output.settled();
    Ok((draft.finish(&[output])?, rounding))
}

/// Column after column of blocks; the answer is the sum of all terms.
pub(super) fn red_and_blue(
    arithmetic: &mut impl Arithmetic,
    polynomial: &Polynomial,
    layout: &RedBlue,
    mut x: Vec<Wire>,
) -> Wire {
    let [rounds, depth] = depths(polynomial.degree(), layout.chains, layout.variant);
    let constant: f64 = polynomial
        .terms()
        .iter()
        .filter(|(_, powers)| powers.iter().all(|&n| n == 0))
        .map(|(c, _)| c)
        .sum();
    let mut sum = Wire::number(x[0].layer, constant);
    for column in 0..layout.columns {
        let terms = polynomial.terms().iter().skip(column * layout.rows);
        let mut red: Vec<(f64, Block)> = terms
            .take(layout.rows)
            .map(|(c, powers)| (*c, Block::new(powers, layout.chains)))
            .collect();
        for layer in 0..depth {
            for (_, block) in &mut red {
                if layer < rounds {
                    block.multiply(arithmetic, &x);
                } else {
                    block.join(arithmetic);
                }
            }
            x = x.iter().map(|w| arithmetic.carry(w)).collect();
            sum = arithmetic.carry(&sum);
        }
        for (c, block) in &red {
            if let Some(value) = block.value() {
                sum = sum.plus(&value.scaled(*c));
            }
        }
    }
    sum
}

impl Polynomial {
    /// The value at a point, term by term.
    pub fn value(&self, x: &[f64]) -> f64 {
        let term = |(c, powers): &(f64, Vec<u32>)| {
            let factors = x.iter().zip(powers);
            c * factors
                .map(|(x, &n)| x.powi(n.cast_signed()))
                .product::<f64>()
        };
        self.terms().iter().map(term).sum()
    }

    /// The polynomial that a text is.
    ///
    /// # Errors
    /// As [`Formula::read`] and [`Polynomial::of`].
    pub fn read(text: &str) -> Result<Self, TheoryError> {
        Self::of(&Formula::read(text)?)
    }
}
