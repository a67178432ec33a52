//! Derivatives that a text asks for.

use std::ops::Range;

use super::lower::Lowering;
use crate::derivative::{LARGEST_DERIVATIVE, Outgrown};
use crate::error::{ExprError, Mistake};
use crate::leaf::Leaf;
use crate::node::Expr;

/// How large an expression may be that is still to be differentiated: repeated, this grows without bound.
const LARGEST_EXPRESSION: usize = 100_000;

impl Lowering<'_> {
    /// The derivative along axes, when what is differentiated has one and its order is allowed.
    pub(super) fn differentiate(
        &self,
        mut expr: Expr,
        axes: &[usize],
        span: &Range<usize>,
    ) -> Result<Expr, ExprError> {
        let pointwise = |leaf: &Leaf| {
            matches!(
                leaf,
                Leaf::Column(_) | Leaf::Normal(_) | Leaf::NormalDerivative(_)
            )
        };
        if let Some(leaf) = expr.leaves().iter().find(|leaf| pointwise(leaf)) {
            let name = self.scope.name_of(leaf);
            return Err(self.error(span, Mistake::NotDifferentiable { name }));
        }
        let too_large = expr.size() > LARGEST_EXPRESSION;
        let lost = (!too_large)
            .then(|| expr.lost_under(axes, self.scope.places()))
            .flatten();
        if let Some(jump) = lost.filter(|_| !self.takes_flux(&expr, axes)) {
            let mistake = Mistake::Jump {
                function: jump.function,
                coordinate: self.scope.coordinates()[jump.axis].clone(),
                at: jump.at,
                unknown: !expr.jets().is_empty(),
            };
            return Err(self.error(span, mistake));
        }
        for axis in axes {
            if expr.size() > LARGEST_EXPRESSION {
                let limit = LARGEST_EXPRESSION;
                return Err(self.error(span, Mistake::TooLarge { limit }));
            }
            let outgrown = |Outgrown { limit }| self.error(span, Mistake::TooLarge { limit });
            expr = expr
                .derivative_within(*axis, LARGEST_DERIVATIVE)
                .map_err(outgrown)?;
        }
        if let Some(jet) = expr.jets().iter().max_by_key(|jet| jet.order()) {
            self.check_unknown(jet.unknown(), jet.order(), span)?;
        }
        Ok(expr)
    }

    /// Whether what is differentiated is a flux, and those are collected; then it is one of them.
    fn takes_flux(&self, expr: &Expr, axes: &[usize]) -> bool {
        let (Some(fluxes), &[axis]) = (&self.fluxes, axes) else {
            return false;
        };
        let in_space = self.scope.space().any(|k| k == axis);
        let found = expr.flux(axis, self.scope.places()).filter(|_| in_space);
        if let Some(flux) = &found
            && !fluxes.borrow().contains(flux)
        {
            fluxes.borrow_mut().push(flux.clone());
        }
        found.is_some()
    }
}
