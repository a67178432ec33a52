//! The rules: of sums, products, powers and every function, a node at a time.

use std::collections::HashMap;

use super::Outgrown;
use crate::function::{Binary, Unary};
use crate::leaf::Leaf;
use crate::node::{Expr, Node, Sum};

/// The derivative of a leaf; `None` is 0.
pub(super) type Seed<'a> = &'a dyn Fn(&Leaf) -> Option<Expr>;

/// One differentiation: the derivatives of the leaves, what is known already, and how many parts may still be written.
pub(super) struct Rules<'a> {
    seed: Seed<'a>,
    memo: HashMap<u128, Expr>,
    limit: usize,
    left: usize,
}

impl<'a> Rules<'a> {
    pub(super) fn new(seed: Seed<'a>, limit: usize) -> Self {
        Self {
            seed,
            memo: HashMap::new(),
            limit,
            left: limit,
        }
    }

    /// The derivative without a limit.
    pub(super) fn whole(mut self, expr: &Expr) -> Expr {
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

    pub(super) fn derivative(&mut self, expr: &Expr) -> Result<Expr, Outgrown> {
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
    pub(super) fn is_zero(&self) -> bool {
        self.constant() == Some(0.0)
    }
}
