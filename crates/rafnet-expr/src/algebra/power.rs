//! Powers. An integer exponent never goes through the logarithm, so (−2)³ = −8, 0² = 0 and 0⁰ = 1.

use super::product::LARGEST_EXPONENT;
use crate::function::{Binary, Unary};
use crate::node::{Expr, Node};

/// Up to this size, integer powers are computed by multiplication; beyond it the power function is more exact.
const LARGEST_BY_MULTIPLICATION: i32 = 64;

impl Expr {
    /// This expression to the power of another.
    ///
    /// ```
    /// use rafnet::expr::{Expr, Leaf};
    /// let x = Expr::leaf(Leaf::Coordinate(0));
    /// assert_eq!(x.pow(&3.0.into()), x.powi(3));
    /// assert_eq!(x.pow(&x).eval(&|_: &Leaf| 3.0), 27.0);
    /// ```
    #[must_use]
    pub fn pow(&self, exponent: &Expr) -> Self {
        match (self.constant(), exponent.constant()) {
            (_, Some(n)) if as_integer(n).is_some() => self.powi(as_integer(n).unwrap_or_default()),
            (Some(base), Some(n)) => Self::number(Binary::Power.value(base, n)),
            (_, Some(0.5)) => self.clone().apply(Unary::Sqrt),
            (_, Some(-0.5)) => self.clone().apply(Unary::Sqrt).powi(-1),
            (Some(1.0), _) => Self::number(1.0),
            (Some(std::f64::consts::E), _) => exponent.clone().apply(Unary::Exp),
            _ => Self::from_node(Node::Binary(Binary::Power, self.clone(), exponent.clone())),
        }
    }
}

/// The exponent as an integer, when it is one of reasonable size.
fn as_integer(exponent: f64) -> Option<i32> {
    let fits = exponent.fract() == 0.0 && exponent.abs() <= f64::from(LARGEST_EXPONENT);
    #[expect(clippy::cast_possible_truncation, reason = "integral and small")]
    fits.then_some(exponent as i32)
}

/// xⁿ for n ≥ 0, by the same multiplications as a [`Program`](crate::Program) makes.
pub(crate) fn integer_power(x: f64, n: i32) -> f64 {
    fold_power(x, n, |a, b| a * b).unwrap_or_else(|| match n {
        0 => 1.0,
        _ => x.powf(f64::from(n)),
    })
}

/// xⁿ by repeated squaring, over anything that can be multiplied; `None` where multiplication is not the way.
pub(crate) fn fold_power<T: Copy>(x: T, n: i32, mut multiply: impl FnMut(T, T) -> T) -> Option<T> {
    if !(1..=LARGEST_BY_MULTIPLICATION).contains(&n) {
        return None;
    }
    let (mut square, mut left, mut result) = (x, n, None);
    loop {
        if left % 2 == 1 {
            result = Some(result.map_or(square, |r| multiply(r, square)));
        }
        left /= 2;
        if left == 0 {
            return result;
        }
        square = multiply(square, square);
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;
    use crate::leaf::Leaf;

    #[test]
    fn integer_powers_are_exact_where_they_can_be() {
        for n in 0..=40 {
            assert_eq!(integer_power(-2.0, n), (-2f64).powi(n), "n = {n}");
        }
        assert_eq!(integer_power(0.0, 0), 1.0);
        assert_eq!(integer_power(-1.0, 1001), -1.0);
    }

    #[test]
    fn multiplications_grow_with_the_logarithm() {
        let mut count = 0;
        let n = fold_power(1, 63, |a, b| {
            count += 1;
            a + b // in the exponents
        });
        assert_eq!((n, count), (Some(63), 10));
        assert_eq!(fold_power(1, 65, |a, _| a), None);
    }

    #[test]
    fn special_exponents_and_bases() {
        let x = Expr::leaf(Leaf::Coordinate(0));
        assert_eq!(x.pow(&0.0.into()), Expr::number(1.0));
        assert_eq!(x.pow(&(-0.5).into()).eval(&|_: &Leaf| 4.0), 0.5);
        assert_eq!(x.pow(&0.5.into()), x.clone().apply(Unary::Sqrt));
        assert_eq!(
            Expr::number(std::f64::consts::E).pow(&x),
            x.clone().apply(Unary::Exp)
        );
        assert_eq!(Expr::number(0.0).pow(&0.0.into()), Expr::number(1.0));
        assert_eq!(
            Expr::number(8.0).pow(&(1.0 / 3.0).into()),
            Expr::number(2.0)
        );
    }
}
