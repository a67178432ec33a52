//! Tokens: numbers, names and signs, each with its bytes in the text.

use std::ops::Range;

use crate::error::{ExprError, Mistake, Source};

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name,
    /// A sign or one of the words `and`, `or`, `not`.
    Sign(&'static str),
    End,
}

/// The signs, longer ones before those they start with.
const SIGNS: [&str; 21] = [
    "**", "<=", ">=", "==", "!=", "+", "-", "*", "/", "^", "<", ">", "(", ")", "[", "]", ",", "=",
    "and", "or", "not",
];

/// Splits the text; the last token is always [`Kind::End`].
pub(super) fn tokens(source: &Source) -> Result<Vec<Token>, ExprError> {
    let text = &*source.text;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if starts_number(rest) {
            number(rest).map_err(|length| {
                let found = rest[..length].into();
                source.error(at..at + length, Mistake::Number { found })
            })?
        } else if first.is_alphabetic() || first == '_' {
            word(rest)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Kind::Sign(sign), sign.len())
        } else {
            let mistake = Mistake::Character { found: first };
            return Err(source.error(at..at + first.len_utf8(), mistake));
        };
        let span = at..at + length;
        at = span.end;
        found.push(Token { kind, span });
    }
    found.push(Token {
        kind: Kind::End,
        span: text.len()..text.len(),
    });
    Ok(found)
}

/// A name, or one of the words that are signs.
fn word(rest: &str) -> (Kind, usize) {
    let length = rest
        .find(|c: char| !(c.is_alphabetic() || c.is_ascii_digit() || c == '_'))
        .unwrap_or(rest.len());
    let sign = SIGNS.into_iter().find(|sign| *sign == &rest[..length]);
    (sign.map_or(Kind::Name, Kind::Sign), length)
}

fn starts_number(rest: &str) -> bool {
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// `digits [. digits] [e [sign] digits]`, also `2.` and `.5`; an `e` without digits belongs to the next token.
/// The error is the length of what was read in vain.
fn number(rest: &str) -> Result<(Kind, usize), usize> {
    let digits = |from: usize| {
        rest[from..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |at| from + at)
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let signed = rest[end + 1..].starts_with(['+', '-']);
        let from = end + 1 + usize::from(signed);
        if digits(from) > from {
            end = digits(from);
        }
    }
    if rest[end..].starts_with('.') {
        return Err(digits(end + 1)); // 1.2.3
    }
    match rest[..end].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Kind::Number(value), end)),
        _ => Err(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Result<Vec<Kind>, ExprError> {
        let source = Source {
            text: text.into(),
            definition: None,
        };
        let kinds = tokens(&source)?.into_iter().map(|token| token.kind);
        Ok(kinds.collect())
    }

    #[test]
    fn numbers_in_every_spelling() -> Result<(), ExprError> {
        for (text, value) in [
            ("1e-3", 1e-3),
            ("2.", 2.0),
            (".5", 0.5),
            ("2.5E+2", 250.0),
            ("7", 7.0),
        ] {
            assert_eq!(kinds(text)?, [Kind::Number(value), Kind::End], "{text}");
        }
        assert_eq!(kinds("2e")?, [Kind::Number(2.0), Kind::Name, Kind::End]);
        Ok(())
    }

    #[test]
    fn longer_signs_first_and_words_whole() -> Result<(), ExprError> {
        let expected = [
            Kind::Name,
            Kind::Sign("**"),
            Kind::Name,
            Kind::Sign("<="),
            Kind::End,
        ];
        assert_eq!(kinds("x**y<=")?, expected);
        assert_eq!(kinds("android")?, [Kind::Name, Kind::End]);
        assert_eq!(kinds("not λ")?, [Kind::Sign("not"), Kind::Name, Kind::End]);
        Ok(())
    }

    #[test]
    fn no_number_is_not_finite() {
        assert!(kinds("1e999").is_err());
        assert!(kinds("1.2.3").is_err());
    }
}
