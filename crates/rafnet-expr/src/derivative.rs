//! Symbolic derivatives.
//!
//! Two kinds share one set of rules and differ only in what they make of a leaf:
//!
//! ```text
//! total    d/dx_k     x_k ↦ 1,  u_a ↦ u_{a,k} (the jet is raised),  everything else ↦ 0
//! partial  ∂/∂leaf    that leaf ↦ 1,  everything else ↦ 0
//! ```
//!
//! Every node is differentiated once (a memo by node), so shared parts stay shared. Piecewise functions are
//! differentiated piece by piece: |a|′ = sign(a) a′, sign′ = floor′ = 0, and at a kink the piece that holds there.
//! Oracle: forward differentiation of another tree, with running error bounds, in `tests/expr/calculus.rs`.

use std::collections::HashMap;

use super::function::{Binary, Unary};
use super::leaf::Leaf;
use super::node::{Expr, Node, Sum};

/// How many parts may be written for one derivative of what a user gave.
pub const LARGEST_DERIVATIVE: usize = 2_000_000;

impl Expr {
    /// The total derivative by coordinate `axis`: unknowns are functions of the coordinates, so their jets are raised.
    ///
    /// Parameters, data columns, normals and normal derivatives count as constants; the parser refuses to
    /// differentiate the last three.
    ///
    /// ```
    /// use rafnet::expr::{Scope, parse};
    /// let scope = Scope::new(["x", "y"]).unknowns(["u"]);
    /// let flux = parse("x*u*u_x", &scope)?;
    /// assert_eq!(flux.derivative(0), parse("u*u_x + x*u_x^2 + x*u*u_xx", &scope)?);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn derivative(&self, axis: usize) -> Self {
        let raise = |leaf: &Leaf| raised(leaf, axis);
        Rules::new(&raise, usize::MAX).whole(self)
    }

    /// The total derivative by coordinate `axis`, given up as soon as more than `limit` parts were written for it: the derivative of a
    /// product of n factors has n², and that of the derivative n³.
    ///
    /// ```
    /// use rafnet::expr::{Scope, parse};
    /// let product = parse("prod(i, 1, 100, sin(i*x))", &Scope::new(["x"]))?;
    /// assert!(product.derivative_within(0, 100_000).is_ok());
    /// assert!(product.derivative_within(0, 1_000).is_err());
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    ///
    /// # Errors
    /// [`Outgrown`] when it has more parts.
    pub fn derivative_within(&self, axis: usize, limit: usize) -> Result<Self, Outgrown> {
        let raise = |leaf: &Leaf| raised(leaf, axis);
        Rules::new(&raise, limit).derivative(self)
    }

    /// Whether the second derivatives along each coordinate stay within [`LARGEST_DERIVATIVE`]: solvers take them without a limit.
    ///
    /// # Errors
    /// [`Outgrown`] if they are not.
    pub fn check_second_derivatives(&self) -> Result<(), Outgrown> {
        self.coordinates().into_iter().try_for_each(|k| {
            let first = self.derivative_within(k, LARGEST_DERIVATIVE)?;
            first.derivative_within(k, LARGEST_DERIVATIVE).map(|_| ())
        })
    }

    /// The partial derivative by a leaf, all others held fixed: the coefficients of Newton's rows.
    ///
    /// ```
    /// use rafnet::expr::{Leaf, Scope, parse};
    /// let scope = Scope::new(["x"]).unknowns(["u"]);
    /// let residual = parse("u^2*u_x", &scope)?;
    /// assert_eq!(residual.partial(&Leaf::jet(0, &[])), parse("2*u*u_x", &scope)?);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn partial(&self, leaf: &Leaf) -> Self {
        let seed = |other: &Leaf| (other == leaf).then(|| Self::number(1.0));
        Rules::new(&seed, usize::MAX).whole(self)
    }
}

/// A derivative that was given up: it has more parts than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the derivative has more than {limit} parts")]
pub struct Outgrown {
    /// The limit.
    pub limit: usize,
}

/// The derivative of a leaf by a coordinate: jets are raised.
fn raised(leaf: &Leaf, axis: usize) -> Option<Expr> {
    match leaf {
        Leaf::Coordinate(k) if *k == axis => Some(Expr::number(1.0)),
        Leaf::Jet(jet) => Some(Expr::leaf(Leaf::Jet(jet.raised(axis)))),
        _ => None,
    }
}

/// The derivative of a leaf; `None` is 0.
type Seed<'a> = &'a dyn Fn(&Leaf) -> Option<Expr>;

/// One differentiation: the derivatives of the leaves, what is known already, and how many parts may still be written.
struct Rules<'a> {
    seed: Seed<'a>,
    memo: HashMap<u128, Expr>,
    limit: usize,
    left: usize,
}

impl<'a> Rules<'a> {
    fn new(seed: Seed<'a>, limit: usize) -> Self {
        Self {
            seed,
            memo: HashMap::new(),
            limit,
            left: limit,
        }
    }

    /// The derivative without a limit.
    fn whole(mut self, expr: &Expr) -> Expr {
        match self.derivative(expr) {
            Ok(derivative) => derivative,
            Err(outgrown) => unreachable!("no memory holds so many parts: {outgrown}"),
        }
    }

    /// Counts parts before they are written.
    fn spend(&mut self, parts: usize) -> Result<(), Outgrown> {
        let limit = self.limit;
        self.left = self.left.checked_sub(parts).ok_or(Outgrown { limit })?;
        Ok(())
    }

    fn derivative(&mut self, expr: &Expr) -> Result<Expr, Outgrown> {
        if let Some(known) = self.memo.get(&expr.fingerprint()) {
            return Ok(known.clone());
        }
        self.spend(1)?;
        let result = match expr.node() {
            Node::Constant(_) => zero(),
            Node::Leaf(leaf) => (self.seed)(leaf).unwrap_or_else(zero),
            Node::Sum(Sum { terms, .. }) => {
                self.spend(terms.len())?;
                let slopes = terms
                    .iter()
                    .map(|(c, term)| Ok((*c, self.derivative(term)?)));
                Expr::linear(0.0, slopes.collect::<Result<Vec<_>, _>>()?)
            }
            Node::Product(factors) => self.product(factors)?,
            Node::Unary(function, a) => {
                let slope = self.derivative(a)?;
                if slope.is_zero() {
                    return Ok(zero());
                }
                slope * outer(*function, a, expr)
            }
            Node::Binary(function, a, b) => self.binary(*function, a, b, expr)?,
            Node::Where(condition, a, b) => {
                let (a, b) = (self.derivative(a)?, self.derivative(b)?);
                condition.clone().choose(a, b)
            }
        };
        self.memo.insert(expr.fingerprint(), result.clone());
        Ok(result)
    }

    /// (Π fᵢ^nᵢ)′ = Σᵢ nᵢ fᵢ′ fᵢ^(nᵢ−1) Π_{j≠i} fⱼ^nⱼ.
    fn product(&mut self, factors: &[(Expr, i32)]) -> Result<Expr, Outgrown> {
        let mut terms = Vec::new();
        for (i, (base, exponent)) in factors.iter().enumerate() {
            let slope = self.derivative(base)?;
            if slope.is_zero() {
                continue;
            }
            self.spend(factors.len())?;
            let lowered = factors.iter().enumerate().map(|(j, (other, n))| {
                let n = if i == j { n - 1 } else { *n };
                (other.clone(), n)
            });
            let term = Expr::product_of_powers([(slope, 1)].into_iter().chain(lowered));
            terms.push((f64::from(*exponent), term));
        }
        Ok(Expr::linear(0.0, terms))
    }

    fn binary(
        &mut self,
        function: Binary,
        a: &Expr,
        b: &Expr,
        whole: &Expr,
    ) -> Result<Expr, Outgrown> {
        let (da, db) = (self.derivative(a)?, self.derivative(b)?);
        if da.is_zero() && db.is_zero() {
            return Ok(zero());
        }
        let (a, b) = (a.clone(), b.clone());
        Ok(match function {
            Binary::Power => power(&a, &b, &da, &db, whole),
            // (x y′ − y x′) / (x² + y²) for atan2(y, x)
            Binary::Atan2 => (b.clone() * da - a.clone() * db) / (b.powi(2) + a.powi(2)),
            Binary::Min => a.apply_with(Binary::LessEqual, b).choose(da, db),
            Binary::Max => b.apply_with(Binary::LessEqual, a).choose(da, db),
            // a = q b + mod(a, b) with q constant between jumps
            Binary::Mod => da - db * (a - whole.clone()) / b,
            Binary::Less
            | Binary::LessEqual
            | Binary::Equal
            | Binary::NotEqual
            | Binary::And
            | Binary::Or => zero(),
        })
    }
}

/// (a^b)′ = b a^(b−1) a′ + a^b log(a) b′, the last term 0 at a = 0, where a^b → 0 faster than the logarithm grows.
fn power(a: &Expr, b: &Expr, da: &Expr, db: &Expr, whole: &Expr) -> Expr {
    let along_base = if da.is_zero() {
        zero()
    } else {
        b.clone() * a.pow(&(b.clone() - 1.0.into())) * da.clone()
    };
    if db.is_zero() {
        return along_base;
    }
    let growth = whole.clone() * a.clone().apply(Unary::Log);
    let guarded = match a.constant() {
        Some(base) if base != 0.0 => growth,
        _ => a
            .clone()
            .apply_with(Binary::NotEqual, zero())
            .choose(growth, zero()),
    };
    along_base + guarded * db.clone()
}

/// f′(a), where `whole` is f(a).
fn outer(function: Unary, a: &Expr, whole: &Expr) -> Expr {
    let (one, square) = (Expr::number(1.0), a.powi(2));
    let of_a = |function| a.clone().apply(function);
    match function {
        Unary::Sin => of_a(Unary::Cos),
        Unary::Cos => -of_a(Unary::Sin),
        Unary::Tan => one + whole.powi(2),
        Unary::Asin => (one - square).apply(Unary::Sqrt).powi(-1),
        Unary::Acos => -(one - square).apply(Unary::Sqrt).powi(-1),
        Unary::Atan => (one + square).powi(-1),
        Unary::Sinh => of_a(Unary::Cosh),
        Unary::Cosh => of_a(Unary::Sinh),
        Unary::Tanh => one - whole.powi(2),
        Unary::Exp => whole.clone(),
        Unary::Log => a.powi(-1),
        Unary::Sqrt => whole.powi(-1).scaled(0.5),
        Unary::Cbrt => whole.powi(-2).scaled(1.0 / 3.0),
        Unary::Abs => of_a(Unary::Sign),
        Unary::Erf => (-square)
            .apply(Unary::Exp)
            .scaled(std::f64::consts::FRAC_2_SQRT_PI),
        Unary::Sign | Unary::Floor | Unary::Not => zero(),
    }
}

fn zero() -> Expr {
    Expr::number(0.0)
}

impl Expr {
    fn is_zero(&self) -> bool {
        self.constant() == Some(0.0)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    fn x() -> Expr {
        Expr::leaf(Leaf::Coordinate(0))
    }

    fn at(value: f64) -> impl Fn(&Leaf) -> f64 {
        move |_| value
    }

    #[test]
    fn powers_are_right_at_zero() {
        assert_eq!(x().powi(2).derivative(0).eval(&at(0.0)), 0.0);
        assert_eq!(x().powi(2).derivative(0).derivative(0), 2.0.into());
        let root = x().pow(&1.5.into()).derivative(0);
        assert_eq!(root.eval(&at(0.0)), 0.0);
        let y = Expr::leaf(Leaf::Coordinate(1));
        let mixed = x().pow(&y);
        let origin = |leaf: &Leaf| {
            if *leaf == Leaf::Coordinate(0) {
                0.0
            } else {
                2.0
            }
        };
        assert_eq!(mixed.derivative(1).eval(&origin), 0.0, "not 0·(−∞)");
        assert_eq!(mixed.derivative(0).eval(&origin), 0.0);
    }

    #[test]
    fn jumps_have_slope_zero_and_kinks_a_side() {
        for f in [Unary::Sign, Unary::Floor] {
            assert!(x().apply(f).derivative(0).is_zero());
        }
        let abs = x().apply(Unary::Abs).derivative(0);
        assert_eq!([-2.0, 0.0, 2.0].map(|v| abs.eval(&at(v))), [-1.0, 0.0, 1.0]);
    }

    #[test]
    fn sharing_survives_differentiation() {
        // f ↦ sin(f)·exp(f), thirty times: 2³⁰ leaves as a tree, a line of nodes as a graph.
        let mut f = x();
        for _ in 0..30 {
            f = f.clone().apply(Unary::Sin) * f.apply(Unary::Exp);
        }
        let second = f.derivative(0).derivative(0);
        assert!(second.count_nodes() < 2000, "{}", second.count_nodes());
    }
}
