//! The expression: an immutable, shared graph of nodes.
//!
//! Every node is in normal form, kept by the constructors in `algebra/`:
//!
//! ```text
//! sum       c + Σ cᵢ tᵢ      the tᵢ distinct, none a number, no tᵢ a sum where |cᵢ| = 1
//! product   Π fᵢ^nᵢ          the fᵢ distinct, none a number, integer nᵢ ≠ 0, positive ones first; coefficients live in sums
//! ```
//!
//! so `2*x*y` is the sum of one term `2·(x y)`, and `x/y` the product `x¹ y⁻¹`. Conditions are the numbers 1 and 0.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::fingerprint::Fingerprint;
use super::function::{Binary, Unary};
use super::leaf::Leaf;

/// An expression. Cloning copies a pointer; equality is tested in O(1) and means the same structure, up to the order of
/// terms and factors. That order is kept as it was written, for printing and evaluation.
///
/// ```
/// use rafnet::expr::{Expr, Leaf, Unary};
/// let x = Expr::leaf(Leaf::Coordinate(0));
/// let f = x.clone() * x.clone().apply(Unary::Sin); // x sin x
/// let slope = f.derivative(0); // sin x + x cos x
/// assert_eq!(slope.eval(&|_: &Leaf| 2.0), 2f64.sin() + 2.0 * 2f64.cos());
/// ```
///
/// Functions over expressions recurse: an expression built in a loop some ten thousand deep would exhaust the stack.
/// The parser refuses depths above a few hundred.
#[derive(Clone)]
pub struct Expr(Arc<Inner>);

struct Inner {
    node: Node,
    fingerprint: u128,
    depth: usize,
}

/// What an expression is at its top.
#[derive(Clone)]
pub(crate) enum Node {
    Constant(f64),
    Leaf(Leaf),
    Sum(Sum),
    Product(Vec<(Expr, i32)>),
    Unary(Unary, Expr),
    Binary(Binary, Expr, Expr),
    Where(Expr, Expr, Expr),
}

/// constant + Σ coefficient · term.
#[derive(Clone)]
pub(crate) struct Sum {
    pub(crate) constant: f64,
    pub(crate) terms: Vec<(f64, Expr)>,
}

impl Expr {
    /// The node as it is; only the constructors in `algebra/`, which keep the normal form, call this.
    pub(crate) fn from_node(node: Node) -> Self {
        let depth = 1 + node.children().map(Self::depth).max().unwrap_or(0);
        let fingerprint = node.fingerprint();
        Self(Arc::new(Inner {
            node,
            fingerprint,
            depth,
        }))
    }

    /// A number.
    pub fn number(value: f64) -> Self {
        Self::from_node(Node::Constant(one_spelling(value)))
    }

    /// A leaf.
    pub fn leaf(leaf: Leaf) -> Self {
        Self::from_node(Node::Leaf(leaf))
    }

    pub(crate) fn node(&self) -> &Node {
        &self.0.node
    }

    /// The same for expressions that are written the same.
    pub fn fingerprint(&self) -> u128 {
        self.0.fingerprint
    }

    /// The number of nodes on the longest way down.
    pub(crate) fn depth(&self) -> usize {
        self.0.depth
    }

    /// The value, when the expression is a number.
    pub fn constant(&self) -> Option<f64> {
        match self.node() {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The leaf, when the expression is one.
    pub fn as_leaf(&self) -> Option<&Leaf> {
        match self.node() {
            Node::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }

    /// c and t, when the expression is c·t with a number c ≠ 1.
    pub(crate) fn as_scaled(&self) -> Option<(f64, &Expr)> {
        match self.node() {
            Node::Sum(Sum { constant, terms }) if *constant == 0.0 && terms.len() == 1 => {
                Some((terms[0].0, &terms[0].1))
            }
            _ => None,
        }
    }
}

/// One zero and one NaN: others would be other expressions with the same values.
pub(crate) fn one_spelling(value: f64) -> f64 {
    if value.is_nan() {
        f64::NAN
    } else {
        value + 0.0
    }
}

impl Node {
    /// The expressions directly below.
    pub(crate) fn children(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match self {
            Self::Constant(_) | Self::Leaf(_) => Box::new(std::iter::empty()),
            Self::Sum(sum) => Box::new(sum.terms.iter().map(|(_, term)| term)),
            Self::Product(factors) => Box::new(factors.iter().map(|(base, _)| base)),
            Self::Unary(_, a) => Box::new([a].into_iter()),
            Self::Binary(_, a, b) => Box::new([a, b].into_iter()),
            Self::Where(c, a, b) => Box::new([c, a, b].into_iter()),
        }
    }

    fn fingerprint(&self) -> u128 {
        let mut state = Fingerprint::new(match self {
            Self::Constant(_) => 0,
            Self::Leaf(_) => 1,
            Self::Sum(_) => 2,
            Self::Product(_) => 3,
            Self::Unary(..) => 4,
            Self::Binary(..) => 5,
            Self::Where(..) => 6,
        });
        match self {
            Self::Constant(value) => state.number(*value),
            Self::Leaf(leaf) => state.leaf(leaf),
            Self::Sum(sum) => {
                state.number(sum.constant);
                let terms = sum.terms.iter();
                state.unordered(terms.map(|(c, term)| (c.to_bits(), term)));
            }
            Self::Product(factors) => {
                let factors = factors.iter();
                state.unordered(factors.map(|(base, n)| (i64::from(*n).cast_unsigned(), base)));
            }
            Self::Unary(function, a) => {
                state.index(*function as usize);
                state.expr(a);
            }
            Self::Binary(function, a, b) => {
                state.index(*function as usize);
                state.expr(a);
                state.expr(b);
            }
            Self::Where(c, a, b) => [c, a, b].into_iter().for_each(|child| state.expr(child)),
        }
        state.finish()
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fingerprint().hash(state);
    }
}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Self::number(value)
    }
}

impl fmt::Debug for Expr {
    /// The text with the names x1, x2, …, u1, u2, … in the order of declaration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = super::parse::Scope::generic(self);
        write!(f, "{}", self.display(&scope))
    }
}
