//! What a file calls its problem and its unknowns.

use super::fields::Fields;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;
use std::ops::Range;
use std::path::Path;

/// Characters of a problem's name.
const LONGEST_NAME: usize = 100;

/// The most unknowns.
const MOST_UNKNOWNS: usize = 64;

/// `name`, or that of the file. Run folders are called after it, and reports print it.
pub(super) fn name(file: &Fields<'_>) -> Result<String, ProblemError> {
    let Some(given) = file.word("name")? else {
        let stem = Path::new(file.source.name).file_stem();
        return Ok(stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()));
    };
    let refused = |reason| {
        let found = given.chars().take(LONGEST_NAME).collect();
        let span = file.get("name").map_or(0..0, |item| item.span.clone());
        let fault = Fault::ProblemName { found, reason };
        Err(file.source.error(&span, fault))
    };
    if given.contains(['/', '\\']) {
        return refused("it would be a path");
    }
    if given.starts_with('.') {
        return refused("it begins with a dot, as hidden files do");
    }
    if given.chars().any(|c| c.is_control() || is_invisible(c)) {
        return refused("it holds characters that cannot be seen");
    }
    if given.chars().count() > LONGEST_NAME {
        return refused("it is longer than 100 characters");
    }
    Ok(given.into())
}

/// Marks that turn the direction of writing around, and other characters without a shape.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The names of the unknowns and where they stand.
pub(super) fn unknowns(file: &Fields<'_>) -> Result<Vec<(String, Range<usize>)>, ProblemError> {
    let words = file.words("unknowns")?;
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        return Ok(vec![("u".into(), 0..0)]);
    };
    if words.len() > MOST_UNKNOWNS {
        let fault = Fault::TooLarge {
            what: "the number of unknowns".into(),
            found: words.len() as f64,
            limit: MOST_UNKNOWNS as f64,
        };
        let span = words[0].span.clone();
        return Err(file.source.error(&span, fault));
    }
    Ok(words
        .into_iter()
        .map(|word| (word.text, word.span))
        .collect())
}
