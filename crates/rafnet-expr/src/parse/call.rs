//! Calls: the functions of numbers, `where`, loops, and the derivatives `d`, `grad`, `div`, `laplacian`, `dot`.
//!
//! ```text
//! laplacian(f) = Σ_k ∂²f/∂x_k²     grad(f) = (∂f/∂x_k)_k     div(v) = Σ_k ∂v_k/∂x_k     k over space, never time
//! ```

use std::ops::Range;

use super::lower::Lowering;
use super::syntax::{Call, Kind, Tree};
use super::value::{Value, check_lengths};
use crate::error::{ExprError, Mistake, closest};
use crate::function::{Binary, Unary};
use crate::leaf::Leaf;
use crate::node::Expr;

/// The functions that are not functions of numbers alone.
const SPECIAL: [&str; 8] = [
    "where",
    "sum",
    "prod",
    "d",
    "laplacian",
    "grad",
    "dot",
    "div",
];

/// The most terms of one sum.
const MOST_TERMS: usize = 10_000;

/// The most terms of all loops of a text together, those inside others counted every time.
const MOST_TOGETHER: usize = 100_000;

/// The most factors of one product: the derivative of n factors has n terms of n factors.
const MOST_FACTORS: usize = 256;

/// Whether there is a function of that name.
pub(super) fn is_function(name: &str) -> bool {
    functions().any(|other| other == name)
}

fn functions() -> impl Iterator<Item = &'static str> {
    let unary = Unary::CALLED.into_iter().map(Unary::name);
    let binary = Binary::CALLED.into_iter().map(Binary::name);
    unary.chain(binary).chain(SPECIAL)
}

/// The value of a call; `span` is all of it.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    call: &Call,
    span: &Range<usize>,
) -> Result<Value, ExprError> {
    let arguments = call.arguments.as_slice();
    if let Some(function) = Unary::named(&call.name) {
        let [argument] = exactly(lowering, call, span)?;
        return Ok(Value::Number(lowering.number(argument)?.apply(function)));
    }
    if let Some(function) = Binary::named(&call.name) {
        return binary(lowering, function, call, span);
    }
    let number = match call.name.as_str() {
        "where" => {
            let [condition, then, otherwise] = exactly(lowering, call, span)?;
            let condition = lowering.condition(condition)?;
            condition.choose(lowering.number(then)?, lowering.number(otherwise)?)
        }
        "sum" => Expr::sum(repeated(lowering, call, span, MOST_TERMS)?),
        "prod" => Expr::product(repeated(lowering, call, span, MOST_FACTORS)?),
        "d" => {
            at_least(lowering, call, span, 2)?;
            let inner = lowering.number(&arguments[0])?;
            let mut axes = Vec::new();
            for argument in &arguments[1..] {
                axes.push(coordinate(lowering, argument)?);
            }
            lowering.differentiate(inner, &axes, span)?
        }
        "laplacian" => {
            let [argument] = exactly(lowering, call, span)?;
            let inner = lowering.number(argument)?;
            let seconds = space(lowering, call, span)?.into_iter().map(|k| [k, k]);
            let terms = seconds.map(|axes| lowering.differentiate(inner.clone(), &axes, span));
            Expr::sum(terms.collect::<Result<Vec<_>, _>>()?)
        }
        "grad" => {
            let [argument] = exactly(lowering, call, span)?;
            let inner = lowering.number(argument)?;
            let axes = space(lowering, call, span)?;
            let slopes = axes
                .into_iter()
                .map(|k| lowering.differentiate(inner.clone(), &[k], span));
            return Ok(Value::Vector(slopes.collect::<Result<_, _>>()?));
        }
        "div" => {
            let [argument] = exactly(lowering, call, span)?;
            let vector = lowering.vector(argument)?;
            let axes = space(lowering, call, span)?;
            check_lengths(vector.len(), axes.len())
                .map_err(|mistake| lowering.error(&argument.span, mistake))?;
            let terms = vector
                .into_iter()
                .zip(axes)
                .map(|(component, k)| lowering.differentiate(component, &[k], span));
            Expr::sum(terms.collect::<Result<Vec<_>, _>>()?)
        }
        "dot" => {
            let [left, right] = exactly(lowering, call, span)?;
            let (left, right) = (lowering.vector(left)?, lowering.vector(right)?);
            check_lengths(left.len(), right.len())
                .map_err(|mistake| lowering.error(span, mistake))?;
            Expr::sum(left.into_iter().zip(right).map(|(a, b)| a * b))
        }
        _ => return Err(no_function(lowering, call)),
    };
    Ok(Value::Number(number))
}

/// `atan2` and `mod` take two arguments, `min` and `max` two or more.
fn binary(
    lowering: &mut Lowering<'_>,
    function: Binary,
    call: &Call,
    span: &Range<usize>,
) -> Result<Value, ExprError> {
    match function {
        Binary::Min | Binary::Max => at_least(lowering, call, span, 2)?,
        _ => exactly::<2>(lowering, call, span).map(|_| ())?,
    }
    let mut result = lowering.number(&call.arguments[0])?;
    for argument in &call.arguments[1..] {
        result = result.apply_with(function, lowering.number(argument)?);
    }
    Ok(Value::Number(result))
}

/// The terms of `sum(i, from, to, term)`, bounds included.
fn repeated(
    lowering: &mut Lowering<'_>,
    call: &Call,
    span: &Range<usize>,
    limit: usize,
) -> Result<Vec<Expr>, ExprError> {
    let [name, from, to, term] = exactly(lowering, call, span)?;
    let function = || call.name.clone();
    let Kind::Name(name_text) = &name.kind else {
        let function = function();
        return Err(lowering.error(&name.span, Mistake::LoopName { function }));
    };
    let from = lowering.whole_number(from, "a bound")?;
    let to = lowering.whole_number(to, "a bound")?;
    let count = usize::try_from(to - from + 1).unwrap_or(0);
    lowering.n_terms = lowering.n_terms.saturating_add(count);
    for (count, limit) in [(count, limit), (lowering.n_terms, MOST_TOGETHER)] {
        if count > limit {
            let function = function();
            let mistake = Mistake::TooManyTerms {
                function,
                count,
                limit,
            };
            return Err(lowering.error(span, mistake));
        }
    }
    let mut terms = Vec::with_capacity(count);
    for i in from..=to {
        lowering.loops.push((name_text.clone(), i as f64));
        terms.push(lowering.number(term)?);
        lowering.loops.pop();
    }
    Ok(terms)
}

/// An argument that must be a coordinate.
fn coordinate(lowering: &mut Lowering<'_>, tree: &Tree) -> Result<usize, ExprError> {
    let found = lowering.text(&tree.span).to_owned();
    let is_name = matches!(&tree.kind, Kind::Name(name) if lowering.scope.symbol(name).is_none());
    if is_name && !lowering.loops.iter().any(|(name, _)| *name == found) {
        return Err(lowering.not_a_coordinate(&found, &tree.span));
    }
    match lowering.number(tree)?.as_leaf() {
        Some(Leaf::Coordinate(axis)) => Ok(*axis),
        _ => Err(lowering.not_a_coordinate(&found, &tree.span)),
    }
}

/// The axes of space, of which there must be one.
fn space(
    lowering: &Lowering<'_>,
    call: &Call,
    span: &Range<usize>,
) -> Result<Vec<usize>, ExprError> {
    let axes: Vec<usize> = lowering.scope.space().collect();
    if axes.is_empty() {
        let function = call.name.clone();
        return Err(lowering.error(span, Mistake::NoSpace { function }));
    }
    Ok(axes)
}

/// The arguments, of which there must be N.
fn exactly<'c, const N: usize>(
    lowering: &Lowering<'_>,
    call: &'c Call,
    span: &Range<usize>,
) -> Result<&'c [Tree; N], ExprError> {
    let arguments = call.arguments.as_slice();
    arguments
        .try_into()
        .map_err(|_| count_error(lowering, call, span, N, Some(N)))
}

fn at_least(
    lowering: &Lowering<'_>,
    call: &Call,
    span: &Range<usize>,
    least: usize,
) -> Result<(), ExprError> {
    if call.arguments.len() < least {
        return Err(count_error(lowering, call, span, least, None));
    }
    Ok(())
}

fn count_error(
    lowering: &Lowering<'_>,
    call: &Call,
    span: &Range<usize>,
    least: usize,
    most: Option<usize>,
) -> ExprError {
    let mistake = Mistake::ArgumentCount {
        function: call.name.clone(),
        least,
        most,
        found: call.arguments.len(),
    };
    lowering.error(span, mistake)
}

/// A name that is not a function: a coordinate in front of a bracket, or a slip of the pen.
fn no_function(lowering: &Lowering<'_>, call: &Call) -> ExprError {
    use super::names::Meaning;
    let name = call.name.clone();
    let looped = lowering.loops.iter().any(|(other, _)| *other == name);
    let nothing = lowering.scope.meaning(&name) == Meaning::Nothing;
    let mistake = match (nothing && !looped, call.arguments.as_slice()) {
        (false, [argument]) => Mistake::NotAFunction {
            argument: lowering.text(&argument.span).into(),
            name,
        },
        (false, _) => Mistake::NotAFunction {
            argument: "…".into(),
            name,
        },
        (true, _) => Mistake::UnknownFunction {
            closest: closest(&name, functions()),
            known: functions().map(Into::into).collect(),
            name,
        },
    };
    lowering.error(&call.name_span, mistake)
}
