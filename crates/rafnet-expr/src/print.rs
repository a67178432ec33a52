//! Expressions as text that reads well and is parsed back to the same expression.
//!
//! Brackets are set by tightness: or < and < not < comparison < sum < product < power < atom.

use std::collections::HashMap;
use std::fmt;

use super::function::{Binary, Unary};
use super::node::{Expr, Node, Sum};
use super::number::{self, Tightness};
use super::parse::Scope;

/// The most nodes that are written out.
const LONGEST: u64 = 100_000;

/// An expression with the names of a scope, ready to be written.
///
/// ```
/// use rafnet::expr::{Scope, parse};
/// let scope = Scope::new(["x"]).unknowns(["u"]);
/// let text = "u_xx - 2*pi*sin(pi*x)/(1 + x^2)";
/// assert_eq!(parse(text, &scope)?.display(&scope).to_string(), "u_xx - 2*pi*sin(pi*x)/(x^2 + 1)");
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
pub struct Displayed<'a> {
    expr: &'a Expr,
    scope: &'a Scope,
}

impl Expr {
    /// The expression as text, in the names of `scope`.
    ///
    /// Parsed in the same scope it gives the same expression, as long as the scope allows what the expression holds.
    /// Text cannot share parts: where it would be many thousand times longer than the graph, only the size is written.
    pub fn display<'a>(&'a self, scope: &'a Scope) -> Displayed<'a> {
        Displayed { expr: self, scope }
    }
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written_out = tree_size(self.expr, &mut HashMap::new());
        if written_out > LONGEST {
            let n_nodes = self.expr.count_nodes();
            return write!(f, "<an expression of {n_nodes} shared nodes>");
        }
        let printer = Printer { scope: self.scope };
        f.write_str(&printer.write(self.expr).text)
    }
}

/// The number of nodes when shared ones are written out every time.
fn tree_size(expr: &Expr, known: &mut HashMap<u128, u64>) -> u64 {
    if let Some(size) = known.get(&expr.fingerprint()) {
        return *size;
    }
    let below = expr.node().children().map(|child| tree_size(child, known));
    let size = below.fold(1, u64::saturating_add);
    known.insert(expr.fingerprint(), size);
    size
}

/// How tightly a text holds together; looser ones get brackets inside tighter ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Power,
    Atom,
}

/// A text and how tightly it holds together.
struct Piece {
    text: String,
    level: Level,
}

impl Piece {
    fn new(text: impl Into<String>, level: Level) -> Self {
        let text = text.into();
        Self { text, level }
    }

    fn number(value: f64) -> Self {
        let (text, tightness) = number::text(value);
        let level = match tightness {
            Tightness::Sum => Level::Sum,
            Tightness::Product => Level::Product,
            Tightness::Power => Level::Power,
            Tightness::Atom => Level::Atom,
        };
        Self { text, level }
    }

    /// The text, in brackets if it is looser than `least`.
    fn within(self, least: Level) -> String {
        if self.level < least {
            format!("({})", self.text)
        } else {
            self.text
        }
    }
}

struct Printer<'a> {
    scope: &'a Scope,
}

impl Printer<'_> {
    fn write(&self, expr: &Expr) -> Piece {
        match expr.node() {
            Node::Constant(value) => Piece::number(*value),
            Node::Leaf(leaf) => Piece::new(self.scope.name_of(leaf), Level::Atom),
            Node::Sum(sum) => self.sum(sum),
            Node::Product(factors) => self.product(None, factors),
            Node::Unary(Unary::Not, a) => {
                let inner = self.write(a).within(Level::Not);
                Piece::new(format!("not {inner}"), Level::Not)
            }
            Node::Unary(function, a) => self.call(function.name(), &[a]),
            Node::Binary(function, a, b) => self.binary(*function, a, b),
            Node::Where(c, a, b) => self.call("where", &[c, a, b]),
        }
    }

    fn call(&self, name: &str, arguments: &[&Expr]) -> Piece {
        let arguments: Vec<String> = arguments.iter().map(|a| self.write(a).text).collect();
        Piece::new(format!("{name}({})", arguments.join(", ")), Level::Atom)
    }

    fn binary(&self, function: Binary, a: &Expr, b: &Expr) -> Piece {
        // What the left and the right operand must at least be.
        let (left, right, level) = match function {
            Binary::Power => (Level::Atom, Level::Power, Level::Power),
            Binary::Less | Binary::LessEqual | Binary::Equal | Binary::NotEqual => {
                (Level::Sum, Level::Sum, Level::Comparison)
            }
            Binary::And => (Level::And, Level::Not, Level::And),
            Binary::Or => (Level::Or, Level::And, Level::Or),
            Binary::Atan2 | Binary::Min | Binary::Max | Binary::Mod => {
                return self.call(function.name(), &[a, b]);
            }
        };
        let (a, b) = (self.write(a).within(left), self.write(b).within(right));
        let text = match function {
            Binary::Power => format!("{a}^{b}"),
            _ => format!("{a} {} {b}", function.name()),
        };
        Piece::new(text, level)
    }

    fn sum(&self, sum: &Sum) -> Piece {
        let terms = sum
            .terms
            .iter()
            .map(|(c, term)| (*c < 0.0, self.term(*c, term)));
        let constant = (sum.constant != 0.0).then(|| {
            let size = Piece::number(sum.constant.abs());
            (sum.constant < 0.0, size)
        });
        let (mut text, mut level) = (String::new(), Level::Sum);
        for (at, (negative, piece)) in terms.chain(constant).enumerate() {
            let own = piece.level;
            let piece = piece.within(Level::Product);
            match (at, negative) {
                (0, false) => {
                    text = piece;
                    level = own;
                }
                (0, true) => text = format!("-{piece}"),
                (_, negative) => {
                    text += if negative { " - " } else { " + " };
                    text += &piece;
                    level = Level::Sum;
                }
            }
        }
        Piece::new(text, level)
    }

    /// |c|·term.
    fn term(&self, c: f64, term: &Expr) -> Piece {
        let size = c.abs();
        #[expect(clippy::float_cmp, reason = "exactly 1 is meant")]
        let coefficient = (size != 1.0).then(|| Piece::number(size).within(Level::Product));
        match (term.node(), coefficient) {
            (Node::Product(factors), coefficient) => self.product(coefficient, factors),
            (_, None) => self.write(term),
            (_, Some(coefficient)) => {
                let term = self.write(term).within(Level::Power);
                Piece::new(format!("{coefficient}*{term}"), Level::Product)
            }
        }
    }

    /// coefficient·numerators/denominators.
    fn product(&self, coefficient: Option<String>, factors: &[(Expr, i32)]) -> Piece {
        let (mut above, mut below) = (Vec::from_iter(coefficient), Vec::new());
        let alone = above.is_empty() && factors.len() == 1 && factors[0].1 > 0;
        for (base, exponent) in factors {
            let text = match exponent.abs() {
                1 => self.write(base).within(Level::Power),
                n => format!("{}^{n}", self.write(base).within(Level::Atom)),
            };
            let side = if *exponent > 0 {
                &mut above
            } else {
                &mut below
            };
            side.push(text);
        }
        let level = if alone { Level::Power } else { Level::Product };
        if above.is_empty() {
            above.push("1".into());
        }
        let above = above.join("*");
        Piece::new(
            match below.as_slice() {
                [] => above,
                [one] => format!("{above}/{one}"),
                _ => format!("{above}/({})", below.join("*")),
            },
            level,
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::{ExprError, Scope, Unary, parse, parse_condition};

    #[test]
    fn texts_read_well() -> Result<(), ExprError> {
        let scope = Scope::new(["x", "y"]).unknowns(["u"]);
        for (text, shown) in [
            ("-x^2", "-x^2"),
            ("(-x)^3", "-x^3"),
            ("(-x)^2", "x^2"),
            ("2^-x", "2^(-x)"),
            ("(x^y)^2", "(x^y)^2"),
            ("x^y^2", "x^y^2"),
            ("x - (y - 1)", "x - y + 1"),
            ("2*(x + y)", "2*(x + y)"),
            ("x/y/2", "0.5*x/y"),
            ("1/(x*y)", "1/(x*y)"),
            ("x/(2*y^2)", "0.5*x/y^2"),
            ("(x + 1)^2/(x - 1)", "(x + 1)^2/(x - 1)"),
            ("1/x^2", "1/x^2"),
            ("(2*pi)^2*x", "4*pi^2*x"),
            ("(x*y)^2", "(x*y)^2"),
            ("sin(x)^2", "sin(x)^2"),
            ("x^(1/3)", "x^(1/3)"),
            ("u_xy + d(u, x)", "u_xy + u_x"),
            (
                "where(x > 0 and not (y < 1 or y == 2), x, -y)",
                "where(0 < x and not (y < 1 or y == 2), x, -y)",
            ),
        ] {
            let shown_now = parse(text, &scope)?.display(&scope).to_string();
            assert_eq!(shown_now, shown, "{text}");
            assert_eq!(parse(&shown_now, &scope)?, parse(text, &scope)?, "{text}");
        }
        let shared = (0..40).fold(parse("x", &scope)?, |f, _| {
            f.clone().apply(Unary::Sin) + f.scaled(2.0).apply(Unary::Exp)
        });
        assert_eq!(
            shared.display(&scope).to_string(),
            "<an expression of 161 shared nodes>"
        );
        let condition = parse_condition("not x < y", &scope)?;
        assert_eq!(condition.display(&scope).to_string(), "not x < y");
        Ok(())
    }
}
