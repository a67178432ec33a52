//! Expressions in options: what `--columns` and `--quantity` say of a model.

use crate::output::Failure;
use rafnet::expr::{Expr, parse};
use rafnet::model::Model;

/// The texts between the commas that stand outside brackets.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut depth = 0;
    let pieces = text.split(|c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    pieces.map(|piece| piece.trim().to_owned()).collect()
}

/// The expression that a text of `option` stands for, of the model's coordinates and unknowns; `advice` begins the hint where the
/// error has none of its own.
pub(crate) fn read(option: &str, text: &str, model: &Model, advice: &str) -> Result<Expr, Failure> {
    parse(text, &model.scope()).map_err(|e| Failure {
        message: format!("in `{option}`: {e}\n\n{}", e.underlined()),
        hint: e.hint().unwrap_or_else(|| {
            let parts = model.parts();
            let names: Vec<&str> = parts.outputs.iter().map(|o| o.name.as_str()).collect();
            format!(
                "{advice}the model has the coordinates {} and the unknowns {}",
                parts.coordinates.join(", "),
                names.join(", ")
            )
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn commas_within_brackets_do_not_separate() {
        assert_eq!(split("u, max(u, 0) ,u_x"), ["u", "max(u, 0)", "u_x"]);
        assert_eq!(split("u"), ["u"]);
    }
}
