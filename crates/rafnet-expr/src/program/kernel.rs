//! Expressions as C-like text, for kernels that are compiled at run time.
//!
//! The statements are the schedule's steps, one a line, so that a kernel computes nothing twice either. Functions that
//! C lacks or defines otherwise (sign, mod, min, max) come from a short prelude.

use std::fmt::Write as _;

use super::MissingInput;
use super::schedule::{Schedule, Step};
use crate::function::{Binary, Unary};
use crate::leaf::Leaf;
use crate::node::Expr;

/// The functions that [`kernel_text`] calls beyond the standard ones; `real` is `double` or `float`, `qualifier`
/// stands before each of them, such as `static inline` or `__device__ inline`.
///
/// ```
/// let text = rafnet::expr::kernel_prelude("double", "static inline");
/// assert!(text.starts_with("static inline double raf_sign(double a)"));
/// ```
pub fn kernel_prelude(real: &str, qualifier: &str) -> String {
    let head = |name: &str, arguments: &str| format!("{qualifier} {real} raf_{name}({arguments})");
    let (one, two) = (format!("{real} a"), format!("{real} a, {real} b"));
    format!(
        "{} {{ return ({real})(a > 0) - ({real})(a < 0) + 0 * a; }}\n\
         {} {{ return a <= b ? a : b < a ? b : a + b; }}\n\
         {} {{ return a >= b ? a : b > a ? b : a + b; }}\n\
         {} {{ {real} r = fmod(a, b), m = fabs(b); return r >= 0 ? r : r + m < m ? r + m : 0 * r; }}\n",
        head("sign", &one),
        head("min", &two),
        head("max", &two),
        head("mod", &two),
    )
}

/// Statements that assign each expression to its name. `name_of` gives the text for a leaf, such as `x[i]`.
///
/// ```
/// use rafnet::expr::{Leaf, Scope, kernel_text, parse};
/// let scope = Scope::new(["x"]).unknowns(["u"]);
/// let residual = parse("u*u_x - sin(x)", &scope)?;
/// let name_of = |leaf: &Leaf| match leaf {
///     Leaf::Coordinate(_) => "x".into(),
///     Leaf::Jet(jet) => format!("u{}", jet.order()),
///     _ => "0".into(),
/// };
/// assert_eq!(kernel_text(&[("r", &residual)], "double", &name_of), "\
/// const double t2 = u0 * u1;
/// const double t4 = sin(x);
/// const double t5 = t2 - t4;
/// r = t5;
/// ");
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
pub fn kernel_text(
    outputs: &[(&str, &Expr)],
    real: &str,
    name_of: &dyn Fn(&Leaf) -> String,
) -> String {
    let exprs: Vec<Expr> = outputs.iter().map(|(_, expr)| (*expr).clone()).collect();
    let mut leaves: Vec<Leaf> = exprs.iter().flat_map(Expr::leaves).collect();
    leaves.sort();
    leaves.dedup();
    let schedule = match Schedule::new(&exprs, &leaves) {
        Ok(schedule) => schedule,
        Err(MissingInput { leaf }) => unreachable!("{leaf:?} was collected from the expressions"),
    };
    let mut kernel = Kernel {
        names: Vec::with_capacity(schedule.steps.len()),
        suffix: if real == "float" { "f" } else { "" },
    };
    let mut text = String::new();
    for (at, step) in schedule.steps.iter().enumerate() {
        let name = match step {
            Step::Input(k) => name_of(&leaves[*k]),
            Step::Constant(value) => kernel.literal(*value),
            _ => {
                let right = kernel.right_hand_side(*step);
                let _ = writeln!(text, "const {real} t{at} = {right};"); // a String takes everything
                format!("t{at}")
            }
        };
        kernel.names.push(name);
    }
    for ((name, _), place) in outputs.iter().zip(&schedule.outputs) {
        let _ = writeln!(text, "{name} = {};", kernel.names[*place]);
    }
    text
}

/// The names of the steps so far, and how numbers end.
struct Kernel {
    names: Vec<String>,
    /// `f` in single precision, where a plain 1.0 would drag everything to double.
    suffix: &'static str,
}

impl Kernel {
    fn name(&self, step: usize) -> &str {
        &self.names[step]
    }

    /// A number as C reads it.
    fn literal(&self, value: f64) -> String {
        let suffix = self.suffix;
        match value {
            _ if value.is_nan() => "NAN".into(),
            f64::INFINITY => "INFINITY".into(),
            f64::NEG_INFINITY => "(-INFINITY)".into(),
            ..0.0 => format!("({value:?}{suffix})"),
            _ => format!("{value:?}{suffix}"),
        }
    }

    fn right_hand_side(&self, step: Step) -> String {
        let (name, literal) = (|k| self.name(k), |c| self.literal(c));
        match step {
            Step::Input(_) | Step::Constant(_) => unreachable!("leaves are named, not computed"),
            Step::Add(a, b) => format!("{} + {}", name(a), name(b)),
            Step::AddScaled(a, b, -1.0) => format!("{} - {}", name(a), name(b)),
            Step::AddScaled(a, b, c) => format!("{} + {} * {}", name(a), literal(c), name(b)),
            Step::Scale(a, -1.0) => format!("-{}", name(a)),
            Step::Scale(a, c) => format!("{} * {}", literal(c), name(a)),
            Step::Shift(a, c) => format!("{} + {}", name(a), literal(c)),
            Step::Multiply(a, b) => format!("{} * {}", name(a), name(b)),
            Step::Divide(a, b) => format!("{} / {}", name(a), name(b)),
            Step::Reciprocal(a) => format!("{} / {}", literal(1.0), name(a)),
            Step::Unary(function, a) => self.unary(function, name(a)),
            Step::Binary(function, a, b) => self.binary(function, name(a), name(b)),
            Step::Select(c, a, b) => {
                let zero = literal(0.0);
                format!("{} != {zero} ? {} : {}", name(c), name(a), name(b))
            }
        }
    }

    fn unary(&self, function: Unary, a: &str) -> String {
        match function {
            Unary::Abs => format!("fabs({a})"),
            Unary::Sign => format!("raf_sign({a})"),
            Unary::Not => self.truth(&format!("{a} == {}", self.literal(0.0))),
            _ => format!("{}({a})", function.name()),
        }
    }

    fn binary(&self, function: Binary, a: &str, b: &str) -> String {
        let zero = self.literal(0.0);
        match function {
            Binary::Power => format!("pow({a}, {b})"),
            Binary::Atan2 => format!("atan2({a}, {b})"),
            Binary::Min | Binary::Max | Binary::Mod => format!("raf_{}({a}, {b})", function.name()),
            Binary::And => self.truth(&format!("({a} != {zero} && {b} != {zero})")),
            Binary::Or => self.truth(&format!("({a} != {zero} || {b} != {zero})")),
            Binary::Less | Binary::LessEqual | Binary::Equal | Binary::NotEqual => {
                self.truth(&format!("{a} {} {b}", function.name()))
            }
        }
    }

    fn truth(&self, condition: &str) -> String {
        format!(
            "{condition} ? {} : {}",
            self.literal(1.0),
            self.literal(0.0)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExprError, Scope, parse};

    fn text(of: &str, real: &str) -> Result<String, ExprError> {
        let scope = Scope::new(["x", "y"]);
        let name_of = |leaf: &Leaf| scope.name_of(leaf);
        Ok(kernel_text(&[("r", &parse(of, &scope)?)], real, &name_of))
    }

    #[test]
    fn shared_parts_are_computed_once_and_powers_multiplied() -> Result<(), ExprError> {
        let expected = "const double t1 = x * x;\n\
                        const double t2 = x * t1;\n\
                        const double t3 = t1 + (-2.0) * t2;\n\
                        r = t3;\n";
        assert_eq!(text("x^2 - 2*x^3", "double")?, expected);
        Ok(())
    }

    #[test]
    fn single_precision_stays_single() -> Result<(), ExprError> {
        let found = text("where(x < 0.5 and not y < x, 1/x, sign(y))", "float")?;
        let expected = [
            "const float t2 = x < 0.5f ? 1.0f : 0.0f;",
            "const float t4 = y < x ? 1.0f : 0.0f;",
            "const float t5 = t4 == 0.0f ? 1.0f : 0.0f;",
            "const float t6 = (t2 != 0.0f && t5 != 0.0f) ? 1.0f : 0.0f;",
            "const float t7 = 1.0f / x;",
            "const float t8 = raf_sign(y);",
            "const float t9 = t6 != 0.0f ? t7 : t8;",
            "r = t9;\n",
        ];
        assert_eq!(found, expected.join("\n"));
        Ok(())
    }
}
