//! From text to expression, in three steps: `token` → `grammar` (a syntax tree) → `lower` (names get their meaning).
//!
//! The grammar, loosest first:
//!
//! ```text
//! or         = and {"or" and}
//! and        = not {"and" not}
//! not        = "not" not | comparison
//! comparison = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
//! sum        = term {("+" | "-") term}
//! term       = ("-" | "+") term | power {("*" | "/") signed}
//! signed     = ("-" | "+") signed | power
//! power      = atom [("^" | "**") signed]            −x² is −(x²), 2^−1 works, 2^3^2 is 2^(3^2)
//! atom       = number | name | name "[" or "]" | name "(" or {"," or} ")" | "(" or ")"
//! ```

mod call;
mod differentiate;
mod free;
mod grammar;
mod index;
mod lower;
mod names;
mod parser;
mod scope;
mod syntax;
mod token;
mod value;

pub use free::free_names;
pub use scope::{Scope, Symbol};

use super::error::{ExprError, Mistake, Shape, Source};
use super::flux::Flux;
use super::node::Expr;
use lower::Lowering;
use std::cell::RefCell;
use value::Value;

/// Reads a text that stands for one number a point.
///
/// # Errors
/// Any [`Mistake`] in the text or in a definition it uses.
///
/// ```
/// use rafnet::expr::{Scope, parse};
/// let scope = Scope::new(["x", "y"]).unknowns(["u"]).define("a", "1 + x^2");
/// let flux = parse("div(a*grad(u))", &scope)?;
/// assert_eq!(flux, parse("2*x*u_x + (1 + x^2)*u_xx + (1 + x^2)*u_yy", &scope)?);
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
pub fn parse(text: &str, scope: &Scope) -> Result<Expr, ExprError> {
    read(text, scope, Shape::Number)
}

/// Reads an equation's residual, in which [`Flux`]es may be differentiated across jumps of their coefficients, and hands these over too.
///
/// # Errors
/// Any [`Mistake`] in the text or in a definition it uses.
///
/// ```
/// use rafnet::expr::{Scope, parse_equation};
/// let scope = Scope::new(["x"]).unknowns(["u"]).define("k", "where(x < 0.5, 1, 100)");
/// let scope = scope.within((0..64).map(|i| vec![(0.6180339887 * i as f64).fract()]).collect());
/// let (residual, fluxes) = parse_equation("d(k*u_x, x) + 1", &scope)?;
/// assert_eq!((residual.order(), fluxes[0].axis), (Some(2), 0));
/// assert!((fluxes[0].places[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
pub fn parse_equation(text: &str, scope: &Scope) -> Result<(Expr, Vec<Flux>), ExprError> {
    let source = source(text);
    let mut lowering = Lowering::new(scope, source);
    lowering.fluxes = Some(RefCell::default());
    let expr = lowered(&mut lowering, text, Shape::Number)?;
    let fluxes = lowering.fluxes.map(RefCell::into_inner);
    Ok((expr, fluxes.unwrap_or_default()))
}

/// Reads a text that stands for a condition, such as `y > 0.5 and x < 1`; its value is 1 where it holds and 0 elsewhere.
///
/// # Errors
/// Any [`Mistake`] in the text or in a definition it uses.
///
/// ```
/// use rafnet::expr::{Leaf, Scope, parse_condition};
/// let upper = parse_condition("y > 0.5", &Scope::new(["x", "y"]))?;
/// assert_eq!(upper.eval(&|_: &Leaf| 0.7), 1.0);
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
pub fn parse_condition(text: &str, scope: &Scope) -> Result<Expr, ExprError> {
    read(text, scope, Shape::Condition)
}

/// Reads a text that stands for a number, such as a bound `2*pi` or a parameter `0.01/pi`.
///
/// # Errors
/// Any [`Mistake`] in the text; [`Mistake::NotConstant`] when it depends on something.
///
/// ```
/// use rafnet::expr::{Scope, parse_number};
/// assert_eq!(parse_number("2*nu", &Scope::default().number("nu", 0.25))?, 0.5);
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
pub fn parse_number(text: &str, scope: &Scope) -> Result<f64, ExprError> {
    let expr = parse(text, scope)?;
    expr.constant().ok_or_else(|| {
        let on = expr.leaves().first().map(|leaf| scope.name_of(leaf));
        let role = "the value";
        source(text).error(0..text.len(), Mistake::NotConstant { role, on })
    })
}

fn read(text: &str, scope: &Scope, expected: Shape) -> Result<Expr, ExprError> {
    lowered(&mut Lowering::new(scope, source(text)), text, expected)
}

fn lowered(lowering: &mut Lowering<'_>, text: &str, expected: Shape) -> Result<Expr, ExprError> {
    let source = source(text);
    let tree = grammar::parse(&source)?;
    let value = lowering.lower(&tree)?;
    match (value, expected) {
        (Value::Number(expr), Shape::Number) | (Value::Condition(expr), Shape::Condition) => {
            Ok(expr)
        }
        (other, _) => {
            let found = other.shape();
            Err(source.error(tree.span, Mistake::Shape { found, expected }))
        }
    }
}

fn source(text: &str) -> Source {
    Source {
        text: text.into(),
        definition: None,
    }
}
