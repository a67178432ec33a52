//! A place in a list of tokens: stepping on, and what to say of a token that does not belong there.

use std::ops::Range;

use super::token::{self, Token};
use crate::error::{ExprError, Mistake, Source};

/// Brackets, signs and powers inside one another. Deeper texts are not written by people, and would cost stack.
const DEEPEST_NESTING: usize = 64;

pub(super) struct Parser<'a> {
    pub(super) source: &'a Source,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
}

impl Parser<'_> {
    pub(super) fn kind(&self) -> token::Kind {
        self.tokens[self.at].kind
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    pub(super) fn text(&self, span: Range<usize>) -> String {
        self.source.text[span].into()
    }

    pub(super) fn error(&self, span: Range<usize>, mistake: Mistake) -> ExprError {
        self.source.error(span, mistake)
    }

    /// Steps over the current token; the last one, the end, is never left.
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Steps over the sign if it is there.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.kind(), token::Kind::Sign(s) if s == sign);
        if found {
            self.advance();
        }
        found
    }

    /// One level deeper, if that is still allowed.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ExprError>,
    ) -> Result<T, ExprError> {
        if self.depth == DEEPEST_NESTING {
            let limit = DEEPEST_NESTING;
            return Err(self.error(self.span(), Mistake::TooDeep { limit }));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Steps over the partner of the bracket at `open`; gives the end of it.
    pub(super) fn close(
        &mut self,
        bracket: char,
        open: &Range<usize>,
        expected: &'static str,
    ) -> Result<usize, ExprError> {
        let end = self.span().end;
        if self.take(if bracket == '(' { ")" } else { "]" }) {
            return Ok(end);
        }
        match self.kind() {
            token::Kind::End => Err(self.error(open.clone(), Mistake::Unclosed { open: bracket })),
            _ => Err(self.after_operand(expected)),
        }
    }

    pub(super) fn unopened(&self, close: char) -> ExprError {
        self.error(self.span(), Mistake::Unopened { close })
    }

    /// What is wrong with a token that follows a complete operand.
    pub(super) fn after_operand(&self, expected: &'static str) -> ExprError {
        let span = self.span();
        match self.kind() {
            token::Kind::Name | token::Kind::Number(_) | token::Kind::Sign("(") => {
                let before = self.tokens[self.at.saturating_sub(1)].span.clone();
                let mistake = Mistake::MissingOperator {
                    left: self.text(before.clone()),
                    right: self.text(span.clone()),
                };
                self.error(before.start..span.end, mistake)
            }
            _ => self.unexpected(expected),
        }
    }

    pub(super) fn unexpected(&self, expected: &'static str) -> ExprError {
        let span = self.span();
        let found = match self.kind() {
            token::Kind::End => "the end of the text".into(),
            _ => format!("`{}`", self.text(span.clone())),
        };
        self.error(span, Mistake::Unexpected { found, expected })
    }
}
