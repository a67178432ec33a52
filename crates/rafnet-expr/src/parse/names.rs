//! What a name means: declared, a constant, or a derivative spelled `u_xx`.
//!
//! Declared names win. Otherwise the part before an underscore may be an unknown or a definition and the part after it
//! a row of coordinates, each the longest that still lets the rest be read: with x1 and x11 declared, `u_x11` is one
//! derivative by x11. `u_n` is the normal derivative and `n_x` a component of the normal, unless n is something else.

use super::scope::{NormalUse, Scope, Symbol};
use crate::leaf::{Jet, Leaf};

/// The built-in constants.
pub(super) const CONSTANTS: [(&str, f64); 2] =
    [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning<'a> {
    Symbol(&'a Symbol),
    Constant(f64),
    /// The derivative of an unknown along axes.
    Jet(Jet),
    /// The derivative of a definition along axes.
    DerivativeOf(&'a str, Vec<usize>),
    NormalDerivative(usize),
    Normal(usize),
    /// `base_rest`, where `base` could be differentiated but `rest` is not made of coordinates.
    NoSuchCoordinate(&'a str),
    Nothing,
}

impl Scope {
    /// What the name means.
    pub(super) fn meaning<'a>(&'a self, name: &'a str) -> Meaning<'a> {
        if let Some(symbol) = self.symbol(name) {
            return Meaning::Symbol(symbol);
        }
        if let Some((_, value)) = CONSTANTS.iter().find(|(other, _)| *other == name) {
            return Meaning::Constant(*value);
        }
        let mut near_miss = Meaning::Nothing;
        for (at, _) in name.match_indices('_').rev() {
            let (base, rest) = (&name[..at], &name[at + 1..]);
            let axes = split_axes(rest, self.coordinates());
            match (self.symbol(base), axes) {
                (Some(Symbol::Unknown(k)), Some(axes)) => return Meaning::Jet(Jet::new(*k, &axes)),
                (Some(Symbol::Definition(_)), Some(axes)) => {
                    return Meaning::DerivativeOf(base, axes);
                }
                (Some(Symbol::Unknown(k)), None) if rest == "n" => {
                    return Meaning::NormalDerivative(*k);
                }
                (None, Some(axes))
                    if base == "n" && axes.len() == 1 && self.normal() == NormalUse::Allowed =>
                {
                    return Meaning::Normal(axes[0]);
                }
                (Some(Symbol::Unknown(_) | Symbol::Definition(_)), None) => {
                    near_miss = Meaning::NoSuchCoordinate(rest);
                }
                _ => {}
            }
        }
        near_miss
    }

    /// The name of a leaf, spelled so that it is read back as that leaf.
    pub(crate) fn name_of(&self, leaf: &Leaf) -> String {
        let of = |names: &[String], k: usize, letter: &str| {
            let made_up = || format!("{letter}{}", k + 1);
            names.get(k).cloned().unwrap_or_else(made_up)
        };
        let coordinate = |k: usize| of(self.coordinates(), k, "x");
        let unknown = |k: usize| of(self.unknown_names(), k, "u");
        match leaf {
            Leaf::Coordinate(k) => coordinate(*k),
            Leaf::Parameter(k) => of(self.parameter_names(), *k, "p"),
            Leaf::Column(k) => of(self.column_names(), *k, "c"),
            Leaf::NormalDerivative(k) => format!("{}_n", unknown(*k)),
            Leaf::Normal(k) => format!("n_{}", coordinate(*k)),
            Leaf::Jet(jet) if jet.order() == 0 => unknown(jet.unknown()),
            Leaf::Jet(jet) => {
                let axes: Vec<String> = jet.axes().iter().map(|k| coordinate(*k)).collect();
                let short = format!("{}_{}", unknown(jet.unknown()), axes.concat());
                if self.meaning(&short) == Meaning::Jet(jet.clone()) {
                    short
                } else {
                    format!("d({}, {})", unknown(jet.unknown()), axes.join(", "))
                }
            }
        }
    }
}

/// Reads `text` as a row of names, the longest first wherever the rest can still be read.
fn split_axes(text: &str, names: &[String]) -> Option<Vec<usize>> {
    // axis[at]: the name to read at byte `at`, when everything from there on can be read.
    let mut axis: Vec<Option<usize>> = vec![None; text.len() + 1];
    let readable = |axis: &[Option<usize>], at: usize| at == text.len() || axis[at].is_some();
    for at in (0..text.len())
        .rev()
        .filter(|at| text.is_char_boundary(*at))
    {
        axis[at] = names
            .iter()
            .enumerate()
            .filter(|(_, name)| !name.is_empty() && text[at..].starts_with(*name))
            .filter(|(_, name)| readable(&axis, at + name.len()))
            .max_by_key(|(_, name)| name.len())
            .map(|(k, _)| k);
    }
    let (mut at, mut found) = (0, Vec::new());
    while at < text.len() {
        let k = axis[at]?;
        found.push(k);
        at += names[k].len();
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn rows_of_coordinates_are_split_longest_first() {
        let x = names(&["x", "x1", "x11", "y"]);
        assert_eq!(split_axes("xy", &x), Some(vec![0, 3]));
        assert_eq!(split_axes("x11", &x), Some(vec![2]));
        assert_eq!(split_axes("x1x1", &x), Some(vec![1, 1]));
        assert_eq!(split_axes("xz", &x), None);
        assert_eq!(split_axes("", &x), None);
        assert_eq!(split_axes("xx", &names(&["x", "xx"])), Some(vec![1]));
        // the longest first would leave `b` unread
        assert_eq!(
            split_axes("aab", &names(&["aa", "a", "ab"])),
            Some(vec![1, 2])
        );
        let long = "a".repeat(10_000) + "b";
        assert_eq!(
            split_axes(&long, &names(&["a", "aa", "aaa"])),
            None,
            "and in no time"
        );
    }

    #[test]
    fn declared_names_win() {
        let scope = Scope::new(["x", "n"])
            .unknowns(["u", "u_a"])
            .number("u_x", 7.0);
        assert_eq!(scope.meaning("u_x"), Meaning::Symbol(&Symbol::Number(7.0)));
        assert_eq!(scope.meaning("u_xx"), Meaning::Jet(Jet::new(0, &[0, 0])));
        assert_eq!(scope.meaning("u_a_x"), Meaning::Jet(Jet::new(1, &[0])));
        assert_eq!(
            scope.meaning("u_n"),
            Meaning::Jet(Jet::new(0, &[1])),
            "n is a coordinate"
        );
        assert_eq!(scope.meaning("u_z"), Meaning::NoSuchCoordinate("z"));
        assert_eq!(scope.meaning("w"), Meaning::Nothing);
        assert_eq!(
            scope.name_of(&Leaf::jet(0, &[0])),
            "d(u, x)",
            "u_x is taken"
        );
    }
}
