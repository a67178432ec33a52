//! Indexed names: `c[2]` of an array, or `x[2]` for the numbered name `x2`. Indices start at 1.

use std::ops::Range;

use super::lower::Lowering;
use super::scope::Symbol;
use super::syntax::Tree;
use super::value::Value;
use crate::error::{ExprError, Mistake};
use crate::node::Expr;

impl Lowering<'_> {
    pub(super) fn index(
        &mut self,
        name: &str,
        index: &Tree,
        span: &Range<usize>,
    ) -> Result<Value, ExprError> {
        let at = self.whole_number(index, "an index")?;
        let scope = self.scope;
        if let Some(Symbol::Array(values)) = scope.symbol(name) {
            let value = usize::try_from(at - 1).ok().and_then(|k| values.get(k));
            return match value {
                Some(value) => Ok(Value::Number(Expr::number(*value))),
                None => Err(self.out_of_range(name, at, values.len(), index)),
            };
        }
        let numbered = format!("{name}{at}");
        if let Some(symbol) = scope.symbol(&numbered) {
            return self.symbol(&numbered, symbol, span);
        }
        let numbered = |k: &usize| scope.symbol(&format!("{name}{k}")).is_some();
        match (1..=scope.declared().count()).take_while(numbered).count() {
            0 => Err(self.error(span, Mistake::NotIndexed { name: name.into() })),
            count => Err(self.out_of_range(name, at, count, index)),
        }
    }

    /// A tree that must come out as a whole number.
    pub(super) fn whole_number(
        &mut self,
        tree: &Tree,
        role: &'static str,
    ) -> Result<i64, ExprError> {
        let expr = self.number(tree)?;
        let Some(value) = expr.constant() else {
            let on = expr.leaves().first().map(|leaf| self.scope.name_of(leaf));
            return Err(self.error(&tree.span, Mistake::NotConstant { role, on }));
        };
        // Bounds such as 0.1*30 are whole up to rounding.
        let rounded = value.round();
        if (value - rounded).abs() > 1e-9 || rounded.abs() > 1e15 || value.is_nan() {
            let found = value;
            return Err(self.error(&tree.span, Mistake::NotWhole { role, found }));
        }
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 1e15")]
        Ok(rounded as i64)
    }

    fn out_of_range(&self, name: &str, index: i64, count: usize, at: &Tree) -> ExprError {
        let mistake = Mistake::IndexOutOfRange {
            name: name.into(),
            index,
            count,
        };
        self.error(&at.span, mistake)
    }
}
