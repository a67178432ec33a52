//! Integer polynomials in x and y: every value and every derivative of any order, exactly.

use proptest::prelude::*;
use std::collections::BTreeMap;

/// A random polynomial, as it may be written.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Number(i32),
    X,
    Y,
    Add(Box<Form>, Box<Form>),
    Subtract(Box<Form>, Box<Form>),
    Multiply(Box<Form>, Box<Form>),
    Square(Box<Form>),
}

/// Random polynomials whose values at small integers are exact in f64.
pub(crate) fn forms() -> impl Strategy<Value = Form> {
    let leaf = prop_oneof![(-3..4).prop_map(Form::Number), Just(Form::X), Just(Form::Y),];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let two = || {
            (
                inner.clone().prop_map(Box::new),
                inner.clone().prop_map(Box::new),
            )
        };
        prop_oneof![
            two().prop_map(|(a, b)| Form::Add(a, b)),
            two().prop_map(|(a, b)| Form::Subtract(a, b)),
            two().prop_map(|(a, b)| Form::Multiply(a, b)),
            inner.clone().prop_map(|a| Form::Square(Box::new(a))),
        ]
    })
}

/// Coefficients by the powers of x and y.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Polynomial(BTreeMap<[u32; 2], i128>);

impl Form {
    /// The form as text, in the given names for x and y.
    pub(crate) fn text(&self, names: [&str; 2]) -> String {
        let of = |form: &Self| form.text(names);
        match self {
            Self::Number(n) => format!("({n})"),
            Self::X => names[0].into(),
            Self::Y => names[1].into(),
            Self::Add(a, b) => format!("({} + {})", of(a), of(b)),
            Self::Subtract(a, b) => format!("({} - {})", of(a), of(b)),
            Self::Multiply(a, b) => format!("{}*{}", of(a), of(b)),
            Self::Square(a) => format!("({})^2", of(a)),
        }
    }

    /// The form multiplied out.
    pub(crate) fn expanded(&self) -> Polynomial {
        match self {
            Self::Number(n) => Polynomial::term([0, 0], (*n).into()),
            Self::X => Polynomial::term([1, 0], 1),
            Self::Y => Polynomial::term([0, 1], 1),
            Self::Add(a, b) => a.expanded().plus(&b.expanded(), 1),
            Self::Subtract(a, b) => a.expanded().plus(&b.expanded(), -1),
            Self::Multiply(a, b) => a.expanded().times(&b.expanded()),
            Self::Square(a) => a.expanded().times(&a.expanded()),
        }
    }
}

impl Polynomial {
    fn term(powers: [u32; 2], coefficient: i128) -> Self {
        Self([(powers, coefficient)].into())
    }

    fn plus(mut self, other: &Self, sign: i128) -> Self {
        for (powers, coefficient) in &other.0 {
            *self.0.entry(*powers).or_default() += sign * coefficient;
        }
        self
    }

    fn times(&self, other: &Self) -> Self {
        let mut result = Self::default();
        for (p, a) in &self.0 {
            for (q, b) in &other.0 {
                let term = Self::term([p[0] + q[0], p[1] + q[1]], a * b);
                result = result.plus(&term, 1);
            }
        }
        result
    }

    /// The derivative along an axis.
    pub(crate) fn derivative(&self, axis: usize) -> Self {
        let mut result = Self::default();
        for (powers, coefficient) in self.0.iter().filter(|(powers, _)| powers[axis] > 0) {
            let mut lower = *powers;
            lower[axis] -= 1;
            let term = Self::term(lower, coefficient * i128::from(powers[axis]));
            result = result.plus(&term, 1);
        }
        result
    }

    /// The value, and a bound on everything met on the way to it.
    pub(crate) fn value(&self, at: [i32; 2]) -> i128 {
        let power = |axis: usize, n: u32| i128::from(at[axis]).pow(n);
        self.0
            .iter()
            .map(|(p, c)| c * power(0, p[0]) * power(1, p[1]))
            .sum()
    }
}
