//! Physics as expressions, which any device can compile: known functions ([`ExprField`]), residuals ([`ExprResidual`]), and how an
//! objective is handed to a device that cannot call the host ([`Formulas`]).

mod field;
mod formula;
mod residual;

pub use field::ExprField;
pub use formula::{Formula, Formulas, KnownStreams, Read};
pub use residual::ExprResidual;
