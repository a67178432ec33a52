//! The names a text uses that nobody has declared: the trained names of an activation given as text.

use std::collections::BTreeSet;

use super::names::Meaning;
use super::scope::Scope;
use super::syntax::{Kind, Tree};
use super::{grammar, source};
use crate::error::ExprError;

/// The names in `text` without a meaning in `scope`, in alphabetical order.
///
/// # Errors
/// When the text does not follow the grammar. Whether its functions exist is left to [`parse`](super::parse).
///
/// ```
/// use rafnet::expr::{Scope, free_names};
/// let names = free_names("a*sin(b*x) + sum(i, 1, 3, i*x)", &Scope::new(["x"]))?;
/// assert_eq!(names, ["a", "b"]);
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
pub fn free_names(text: &str, scope: &Scope) -> Result<Vec<String>, ExprError> {
    let tree = grammar::parse(&source(text))?;
    let mut found = BTreeSet::new();
    collect(&tree, scope, &mut Vec::new(), &mut found);
    Ok(found.into_iter().collect())
}

fn collect<'t>(
    tree: &'t Tree,
    scope: &Scope,
    loops: &mut Vec<&'t str>,
    found: &mut BTreeSet<String>,
) {
    match &tree.kind {
        Kind::Number(_) => {}
        Kind::Name(name) => {
            let looped = loops.contains(&name.as_str());
            if !looped && scope.meaning(name) == Meaning::Nothing {
                found.insert(name.clone());
            }
        }
        Kind::Call(call) if matches!(call.name.as_str(), "sum" | "prod") => {
            let Some((Kind::Name(name), rest)) = call
                .arguments
                .split_first()
                .map(|(first, rest)| (&first.kind, rest))
            else {
                return;
            };
            loops.push(name);
            for tree in rest {
                collect(tree, scope, loops, found);
            }
            loops.pop();
        }
        Kind::Index(_, inner) | Kind::Negate(inner) | Kind::Not(inner) => {
            collect(inner, scope, loops, found);
        }
        Kind::Power(a, b) | Kind::Compare(_, a, b) => {
            collect(a, scope, loops, found);
            collect(b, scope, loops, found);
        }
        Kind::Call(call) => {
            let parts = call.arguments.iter();
            parts.for_each(|tree| collect(tree, scope, loops, found));
        }
        Kind::Sum(parts) => parts
            .iter()
            .for_each(|(_, t)| collect(t, scope, loops, found)),
        Kind::Product(parts) => parts
            .iter()
            .for_each(|(_, t)| collect(t, scope, loops, found)),
        Kind::Junction(_, parts) => parts.iter().for_each(|t| collect(t, scope, loops, found)),
    }
}
