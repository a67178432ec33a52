//! Tokens → syntax tree, by recursive descent: one function a line of the grammar in the module's documentation.

use std::ops::Range;

use super::parser::Parser;
use super::syntax::{Call, Comparison, Kind, Side, Sign, Tree};
use super::token::{self, tokens};
use crate::error::{ExprError, Mistake, Source};
use crate::function::Binary;

const OPERAND: &str = "a number, a name or `(`";

/// Reads the whole text.
pub(super) fn parse(source: &Source) -> Result<Tree, ExprError> {
    let tokens = tokens(source)?;
    if tokens.len() == 1 {
        return Err(source.error(0..0, Mistake::Empty));
    }
    let mut parser = Parser {
        source,
        tokens,
        at: 0,
        depth: 0,
    };
    let tree = parser.junction()?;
    match parser.kind() {
        token::Kind::End => Ok(tree),
        token::Kind::Sign(")") => Err(parser.unopened(')')),
        token::Kind::Sign("]") => Err(parser.unopened(']')),
        _ => Err(parser.after_operand("an operator or the end")),
    }
}

impl Parser<'_> {
    /// `or` and, one level tighter, `and`.
    fn junction(&mut self) -> Result<Tree, ExprError> {
        self.chain("or", Binary::Or, |parser| {
            parser.chain("and", Binary::And, Self::not)
        })
    }

    fn chain(
        &mut self,
        sign: &str,
        function: Binary,
        mut operand: impl FnMut(&mut Self) -> Result<Tree, ExprError>,
    ) -> Result<Tree, ExprError> {
        let first = operand(self)?;
        let mut all = vec![first];
        while self.take(sign) {
            all.push(operand(self)?);
        }
        Ok(joined(
            all,
            |t| t,
            |t| t,
            |all| Kind::Junction(function, all),
        ))
    }

    fn not(&mut self) -> Result<Tree, ExprError> {
        let start = self.span().start;
        if self.take("not") {
            let inner = self.nested(Self::not)?;
            return Ok(Tree {
                span: start..inner.span.end,
                kind: Kind::Not(Box::new(inner)),
            });
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Tree, ExprError> {
        let left = self.sum()?;
        let Some(comparison) = self.comparison_sign() else {
            return Ok(left);
        };
        self.advance();
        let right = self.sum()?;
        if self.comparison_sign().is_some() {
            return Err(self.error(self.span(), Mistake::ChainedComparison));
        }
        Ok(Tree {
            span: left.span.start..right.span.end,
            kind: Kind::Compare(comparison, Box::new(left), Box::new(right)),
        })
    }

    fn comparison_sign(&self) -> Option<Comparison> {
        match self.kind() {
            token::Kind::Sign(sign) => Comparison::of_sign(sign),
            _ => None,
        }
    }

    fn sum(&mut self) -> Result<Tree, ExprError> {
        let mut terms = vec![(Sign::Plus, self.term()?)];
        loop {
            let sign = if self.take("+") {
                Sign::Plus
            } else if self.take("-") {
                Sign::Minus
            } else {
                return Ok(joined_pairs(terms, Kind::Sum));
            };
            terms.push((sign, self.term()?));
        }
    }

    fn term(&mut self) -> Result<Tree, ExprError> {
        if let Some(signed) = self.sign_before(Self::term)? {
            return Ok(signed);
        }
        let mut factors = vec![(Side::Above, self.signed()?)];
        loop {
            let side = if self.take("*") {
                Side::Above
            } else if self.take("/") {
                Side::Below
            } else {
                return Ok(joined_pairs(factors, Kind::Product));
            };
            factors.push((side, self.signed()?));
        }
    }

    /// A sign and what `operand` reads after it, if there is a sign.
    fn sign_before(
        &mut self,
        operand: fn(&mut Self) -> Result<Tree, ExprError>,
    ) -> Result<Option<Tree>, ExprError> {
        let start = self.span().start;
        if self.take("+") {
            return self.nested(operand).map(Some);
        }
        if self.take("-") {
            let inner = self.nested(operand)?;
            return Ok(Some(Tree {
                span: start..inner.span.end,
                kind: Kind::Negate(Box::new(inner)),
            }));
        }
        Ok(None)
    }

    fn signed(&mut self) -> Result<Tree, ExprError> {
        if let Some(signed) = self.sign_before(Self::signed)? {
            return Ok(signed);
        }
        let start = self.span().start;
        let base = self.atom()?;
        if !(self.take("^") || self.take("**")) {
            return Ok(base);
        }
        let exponent = self.nested(Self::signed)?;
        Ok(Tree {
            span: start..exponent.span.end,
            kind: Kind::Power(Box::new(base), Box::new(exponent)),
        })
    }

    fn atom(&mut self) -> Result<Tree, ExprError> {
        let span = self.span();
        match self.kind() {
            token::Kind::Number(value) => {
                self.advance();
                Ok(Tree {
                    kind: Kind::Number(value),
                    span,
                })
            }
            token::Kind::Name => self.named(span),
            token::Kind::Sign("(") => {
                self.advance();
                let inner = self.nested(Self::junction)?;
                let end = self.close('(', &span, "an operator or `)`")?;
                Ok(Tree {
                    kind: inner.kind,
                    span: span.start..end,
                })
            }
            token::Kind::Sign(")") if self.at == 0 => Err(self.unopened(')')),
            _ => Err(self.unexpected(OPERAND)),
        }
    }

    /// A name, and what may follow it: an index or arguments.
    fn named(&mut self, span: Range<usize>) -> Result<Tree, ExprError> {
        self.advance();
        let name = self.text(span.clone());
        let open = self.span();
        if self.take("[") {
            let index = self.nested(Self::junction)?;
            let end = self.close('[', &open, "an operator or `]`")?;
            return Ok(Tree {
                kind: Kind::Index(name, Box::new(index)),
                span: span.start..end,
            });
        }
        if !self.take("(") {
            let kind = Kind::Name(name);
            return Ok(Tree { kind, span });
        }
        let mut arguments = Vec::new();
        if !matches!(self.kind(), token::Kind::Sign(")")) {
            arguments.push(self.nested(Self::junction)?);
            while self.take(",") {
                arguments.push(self.nested(Self::junction)?);
            }
        }
        let end = self.close('(', &open, "an operator, `,` or `)`")?;
        let start = span.start;
        let call = Call {
            name,
            name_span: span,
            arguments,
        };
        Ok(Tree {
            kind: Kind::Call(call),
            span: start..end,
        })
    }
}

/// The only operand as it is, several as one tree.
fn joined<T>(
    mut all: Vec<T>,
    tree: fn(&T) -> &Tree,
    alone: fn(T) -> Tree,
    kind: impl FnOnce(Vec<T>) -> Kind,
) -> Tree {
    let start = all.first().map_or(0, |first| tree(first).span.start);
    let end = all.last().map_or(0, |last| tree(last).span.end);
    if all.len() == 1
        && let Some(only) = all.pop()
    {
        return alone(only);
    }
    Tree {
        kind: kind(all),
        span: start..end,
    }
}

/// The same for operands that carry a sign or a side; the first one's is always the plain one.
fn joined_pairs<S>(all: Vec<(S, Tree)>, kind: impl FnOnce(Vec<(S, Tree)>) -> Kind) -> Tree {
    joined(all, |pair| &pair.1, |pair| pair.1, kind)
}
