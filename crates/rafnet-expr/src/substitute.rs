//! Substitution: other expressions in the place of leaves.
//!
//! For a manufactured source the exact solution goes in for the unknown, derivatives and all:
//! with r = −Δu − f and u = sin(πx), f = π² sin(πx) follows from r with u put in.

use std::collections::HashMap;

use super::derivative::Outgrown;
use super::leaf::{Jet, Leaf};
use super::node::{Expr, Node, Sum};

impl Expr {
    /// Puts functions of the coordinates in for the unknowns: unknown k becomes `functions[k]`, and its jets become
    /// the derivatives of `functions[k]`. Unknowns beyond the list stay.
    ///
    /// ```
    /// use rafnet::expr::{Scope, parse};
    /// let scope = Scope::new(["x", "t"]).time("t").unknowns(["u"]);
    /// let heat = parse("u_t - u_xx", &scope)?;
    /// let exact = parse("exp(-t)*sin(x)", &scope)?;
    /// let source = heat.substitute(&[exact]);
    /// assert_eq!(source.constant(), Some(0.0)); // it solves the heat equation
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn substitute(&self, functions: &[Expr]) -> Self {
        match self.substitute_within(functions, usize::MAX) {
            Ok(result) => result,
            Err(outgrown) => unreachable!("no memory holds so many parts: {outgrown}"),
        }
    }

    /// The same, given up as soon as a derivative of a function has more than `limit` parts.
    ///
    /// # Errors
    /// [`Outgrown`] when one has more.
    pub fn substitute_within(&self, functions: &[Expr], limit: usize) -> Result<Self, Outgrown> {
        let mut derivatives: HashMap<Jet, Expr> = HashMap::new();
        let mut outgrown = None;
        let result = self.replace(&mut |leaf: &Leaf| match leaf {
            Leaf::Jet(jet) if outgrown.is_none() => {
                let function = functions.get(jet.unknown())?;
                let jet = jet_of(jet, function, limit, &mut derivatives);
                jet.map_err(|error| outgrown = Some(error)).ok()
            }
            _ => None,
        });
        outgrown.map_or(Ok(result), Err)
    }

    /// Writes normal derivatives out: `u_n` becomes `n_x*u_x + n_y*u_y + …` over the axes of space.
    ///
    /// ```
    /// use rafnet::expr::{Scope, parse};
    /// let scope = Scope::new(["x", "y"]).unknowns(["u"]).allow_normal();
    /// let flux = parse("u_n", &scope)?.expand_normal(scope.space());
    /// assert_eq!(flux, parse("n_x*u_x + n_y*u_y", &scope)?);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn expand_normal(&self, space: impl IntoIterator<Item = usize>) -> Self {
        let space: Vec<usize> = space.into_iter().collect();
        self.replace(&mut |leaf: &Leaf| match leaf {
            Leaf::NormalDerivative(unknown) => {
                Some(Self::sum(space.iter().map(|&k| {
                    Self::leaf(Leaf::Normal(k)) * Self::leaf(Leaf::jet(*unknown, &[k]))
                })))
            }
            _ => None,
        })
    }

    /// Replaces leaves by expressions, each leaf on its own; `None` leaves it as it is.
    ///
    /// ```
    /// use rafnet::expr::{Expr, Leaf, Scope, parse};
    /// let scope = Scope::new(["x", "y"]);
    /// let f = parse("x^2 + y", &scope)?;
    /// let edge = f.replace(&mut |leaf: &Leaf| (*leaf == Leaf::Coordinate(1)).then(|| Expr::number(1.0)));
    /// assert_eq!(edge, parse("x^2 + 1", &scope)?);
    /// # Ok::<(), rafnet::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn replace(&self, replacement: &mut dyn FnMut(&Leaf) -> Option<Expr>) -> Self {
        replace(self, replacement, &mut HashMap::new())
    }
}

fn replace(
    expr: &Expr,
    replacement: &mut dyn FnMut(&Leaf) -> Option<Expr>,
    memo: &mut HashMap<u128, Expr>,
) -> Expr {
    if let Some(known) = memo.get(&expr.fingerprint()) {
        return known.clone();
    }
    let mut inner = |expr: &Expr| replace(expr, replacement, memo);
    let result = match expr.node() {
        Node::Constant(_) => expr.clone(),
        Node::Leaf(leaf) => replacement(leaf).unwrap_or_else(|| expr.clone()),
        Node::Sum(Sum { constant, terms }) => {
            let terms: Vec<_> = terms.iter().map(|(c, t)| (*c, inner(t))).collect();
            Expr::linear(*constant, terms)
        }
        Node::Product(factors) => {
            let factors: Vec<_> = factors.iter().map(|(f, n)| (inner(f), *n)).collect();
            Expr::product_of_powers(factors)
        }
        Node::Unary(function, a) => inner(a).apply(*function),
        Node::Binary(function, a, b) => inner(a).apply_with(*function, inner(b)),
        Node::Where(c, a, b) => inner(c).choose(inner(a), inner(b)),
    };
    memo.insert(expr.fingerprint(), result.clone());
    result
}

/// The derivative of `function` that the jet stands for, every lower one computed once.
fn jet_of(
    jet: &Jet,
    function: &Expr,
    limit: usize,
    known: &mut HashMap<Jet, Expr>,
) -> Result<Expr, Outgrown> {
    let Some((&last, before)) = jet.axes().split_last() else {
        return Ok(function.clone());
    };
    if let Some(found) = known.get(jet) {
        return Ok(found.clone());
    }
    let lower = jet_of(&Jet::new(jet.unknown(), before), function, limit, known)?;
    let result = lower.derivative_within(last, limit)?;
    known.insert(jet.clone(), result.clone());
    Ok(result)
}
