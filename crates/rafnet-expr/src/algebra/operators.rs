//! `+ - * /` between expressions.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::node::Expr;

impl Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        Expr::linear(0.0, [(1.0, self), (1.0, other)])
    }
}

impl Sub for Expr {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        Expr::linear(0.0, [(1.0, self), (-1.0, other)])
    }
}

impl Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        Expr::product_of_powers([(self, 1), (other, 1)])
    }
}

impl Div for Expr {
    type Output = Expr;
    fn div(self, other: Expr) -> Expr {
        Expr::product_of_powers([(self, 1), (other, -1)])
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        self.scaled(-1.0)
    }
}
