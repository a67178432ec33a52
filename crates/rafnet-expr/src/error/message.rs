//! Mistakes in words: one line that says what was found and expected, one that says what to type.

use super::mistake::{Mistake, Shape};

/// Lists of known names longer than this help nobody.
const LONGEST_LIST: usize = 12;

/// What is wrong.
pub(super) fn message(mistake: &Mistake) -> String {
    match mistake {
        Mistake::Empty => "the text is empty, expected an expression".into(),
        Mistake::Character { found } => format!("unexpected character `{found}`"),
        Mistake::Number { found } => format!("`{found}` is not a finite number"),
        Mistake::Unexpected { found, expected } => format!("found {found}, expected {expected}"),
        Mistake::MissingOperator { left, right } => {
            format!("no operator between `{left}` and `{right}`")
        }
        Mistake::Unclosed { open } => format!("`{open}` is never closed"),
        Mistake::Unopened { close } => format!("`{close}` closes nothing"),
        Mistake::ChainedComparison => "two comparisons in a row".into(),
        Mistake::TooDeep { limit } => format!("nested more than {limit} deep"),
        Mistake::TooLarge { limit } => {
            format!("what is differentiated here has more than {limit} parts")
        }
        Mistake::UnknownName { name, .. } => format!("unknown name `{name}`"),
        Mistake::UnknownFunction { name, .. } => format!("unknown function `{name}`"),
        Mistake::NotCalled { function } => format!("function `{function}` without arguments"),
        Mistake::NotAFunction { name, .. } => format!("`{name}` is not a function"),
        Mistake::ArgumentCount {
            function,
            least,
            most,
            found,
        } => {
            let (wanted, bound) = match most {
                Some(most) if most == least => (least, ""),
                _ => (least, "at least "),
            };
            format!(
                "`{function}` takes {bound}{}, found {found}",
                arguments(*wanted)
            )
        }
        Mistake::Shape { found, expected } => format!("found {found}, expected {expected}"),
        Mistake::Length { left, right } => {
            format!("a vector of length {left} meets one of length {right}")
        }
        Mistake::NotIndexed { name } => format!("`{name}` cannot be indexed"),
        Mistake::IndexOutOfRange { name, index, count } => {
            format!("index {index} of `{name}` is outside 1 … {count}")
        }
        Mistake::NotConstant { role, on: Some(on) } => {
            format!("{role} must be a number, but depends on `{on}`")
        }
        Mistake::NotConstant { role, on: None } => format!("{role} must be a number"),
        Mistake::NotWhole { role, found } => {
            format!("{role} must be a whole number, found {found}")
        }
        Mistake::LoopName { function } => {
            format!("the first argument of `{function}` must be a name")
        }
        Mistake::TooManyTerms {
            function,
            count,
            limit,
        } => format!("`{function}` would have {count} terms, the limit is {limit}"),
        Mistake::NotACoordinate { found, .. } => format!("`{found}` is not a coordinate"),
        Mistake::NoSpace { function } => {
            format!("`{function}` needs a coordinate in space, and there is only time")
        }
        Mistake::OrderTooHigh {
            found,
            unknown,
            order,
            allowed: 0,
        } => format!(
            "`{found}` is a derivative of `{unknown}` of order {order}, but only its value is allowed here"
        ),
        Mistake::OrderTooHigh {
            found,
            unknown,
            order,
            allowed,
        } => format!(
            "`{found}` is a derivative of `{unknown}` of order {order}, orders above {allowed} are not supported"
        ),
        Mistake::UnknownNotAllowed { name } => {
            format!("the unknown `{name}` is not allowed here, expected a known function")
        }
        Mistake::NormalNotAllowed { name } => {
            format!("the normal derivative `{name}` has a meaning on a boundary only")
        }
        Mistake::NotDifferentiable { name } => {
            format!("`{name}` is known at single points only and has no derivative")
        }
        Mistake::Jump {
            function,
            coordinate,
            at,
            ..
        } => format!(
            "`{function}` breaks what is differentiated at {coordinate} = {}, and the derivative of that is lost",
            (at * 1e4).round() / 1e4
        ),
        Mistake::Cycle { path } => {
            let path: Vec<String> = path.iter().map(|name| format!("`{name}`")).collect();
            format!("definitions in a circle: {}", path.join(" uses "))
        }
    }
}

/// What to do about it, where that can be said.
pub(super) fn hint(mistake: &Mistake) -> Option<String> {
    match mistake {
        Mistake::Character { found } => character_hint(*found).map(Into::into),
        Mistake::Number { .. } => Some("numbers look like 3, 0.5 or 1e-3".into()),
        Mistake::Unexpected { found, .. } if found == "`=`" => {
            Some("an equation is written as what should be zero, `left - (right)`, and a comparison with `==`".into())
        }
        Mistake::MissingOperator { left, right } if is_function(left) => {
            Some(format!("write `{left}({right})`"))
        }
        Mistake::MissingOperator { left, right } if left == ")" || right == "(" => {
            Some("to multiply, write `*` between them".into())
        }
        Mistake::MissingOperator { left, right } => {
            Some(format!("to multiply, write `{left}*{right}`"))
        }
        Mistake::Unclosed { open } => Some(format!("add `{}`", partner(*open))),
        Mistake::Unopened { close } => {
            Some(format!("remove it, or add `{}` before", partner(*close)))
        }
        Mistake::ChainedComparison => Some("write `a < b and b < c`".into()),
        Mistake::TooDeep { .. } => Some("name parts of it as functions".into()),
        Mistake::UnknownName { closest, known, .. } => names_hint(closest.as_deref(), known),
        Mistake::UnknownFunction { closest, known, .. } => Some(match closest {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("functions: {}", known.join(", ")),
        }),
        Mistake::NotCalled { function } => Some(format!("write `{function}(…)`")),
        Mistake::NotAFunction { name, argument } => {
            Some(format!("to multiply, write `{name}*({argument})`"))
        }
        Mistake::ArgumentCount { function, .. } => {
            usage(function).map(|form| format!("write `{form}`"))
        }
        Mistake::Shape { found, expected } => shape_hint(*found, *expected).map(Into::into),
        Mistake::NotIndexed { name } => Some(format!(
            "give `{name}` as an array, or number the names: {name}1, {name}2, …"
        )),
        Mistake::IndexOutOfRange { index: ..1, .. } => Some("indices start at 1".into()),
        Mistake::LoopName { function } => usage(function).map(|form| format!("write `{form}`")),
        Mistake::NotACoordinate { closest, known, .. } => {
            let list = format!("coordinates: {}", known.join(", "));
            Some(match closest {
                Some(name) => format!("did you mean `{name}`? {}", capitalised(&list)),
                None => list,
            })
        }
        Mistake::OrderTooHigh { allowed: 1.., .. } => {
            Some("write it as a system with one more unknown, such as v = u_xx".into())
        }
        Mistake::Jump {
            coordinate,
            unknown: true,
            ..
        } => Some(format!(
            "make what is differentiated an unknown of its own, such as `q - k*u_{coordinate}` beside `q_{coordinate} + …`"
        )),
        Mistake::Jump { .. } => Some("write the derivative out, without the jump".into()),
        Mistake::Cycle { .. } => Some("write one of them without the others".into()),
        _ => None,
    }
}

fn names_hint(closest: Option<&str>, known: &[String]) -> Option<String> {
    let list = (1..=LONGEST_LIST)
        .contains(&known.len())
        .then(|| format!("known: {}", known.join(", ")));
    match (closest, list) {
        (Some(name), Some(list)) => Some(format!("did you mean `{name}`? {}", capitalised(&list))),
        (Some(name), None) => Some(format!("did you mean `{name}`?")),
        (None, list) => list,
    }
}

fn capitalised(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

fn arguments(count: usize) -> String {
    match count {
        1 => "1 argument".into(),
        _ => format!("{count} arguments"),
    }
}

fn partner(bracket: char) -> char {
    match bracket {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        _ => '[',
    }
}

fn character_hint(found: char) -> Option<&'static str> {
    match found {
        '&' => Some("write `and`"),
        '|' => Some("write `or`, or `abs(…)` for the absolute value"),
        '!' => Some("write `not`"),
        '%' => Some("write `mod(a, b)`"),
        '·' | '×' => Some("write `*`, or `dot(a, b)` for vectors"),
        '²' => Some("write `^2`"),
        '³' => Some("write `^3`"),
        '−' | '–' => Some("write the plain minus `-`"),
        '{' | '}' => Some("group with `(` and `)`"),
        '\'' => Some("derivatives are written with their coordinates: `u_x`, `u_xx`"),
        '∂' | '∇' | 'Δ' => Some("derivatives are written `u_x`, `grad(u)`, `laplacian(u)`"),
        '"' => Some("quotation marks belong around the whole text"),
        _ => None,
    }
}

fn shape_hint(found: Shape, expected: Shape) -> Option<&'static str> {
    match (found, expected) {
        (Shape::Condition, Shape::Number) => {
            Some("write `where(condition, a, b)`, or `left - (right)` for what should be zero")
        }
        (Shape::Number, Shape::Condition) => Some("compare it, such as `x > 0.5`"),
        (Shape::Vector, Shape::Number) => Some("vectors go into `dot(a, b)` or `div(a)`"),
        (Shape::Number, Shape::Vector) => Some("`grad(u)` and arrays are vectors"),
        _ => None,
    }
}

/// How a function is written, for those whose arguments are easily mistaken.
fn usage(function: &str) -> Option<&'static str> {
    Some(match function {
        "where" => "where(condition, a, b)",
        "sum" => "sum(i, 1, 3, x[i]^2)",
        "prod" => "prod(i, 1, 3, x[i])",
        "d" => "d(u, x)",
        "dot" => "dot(a, b)",
        "atan2" => "atan2(y, x)",
        "mod" => "mod(a, b)",
        "min" => "min(a, b)",
        "max" => "max(a, b)",
        _ => return None,
    })
}

fn is_function(name: &str) -> bool {
    crate::Unary::named(name).is_some()
}
