//! Mistakes in a text: what was found, where, and what to type instead.
//!
//! [`Mistake`] is the kind with its fields; `message` puts it in words, `render` underlines the spot, `suggestion`
//! finds the name that was probably meant.

mod message;
mod mistake;
mod render;
mod suggestion;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use mistake::{Mistake, Shape};
pub(crate) use suggestion::closest;

/// A text that is not an expression, or not one that makes sense in its scope.
///
/// ```
/// use rafnet::expr::{Scope, parse};
/// let error = parse("1 + sine(x)", &Scope::new(["x"])).unwrap_err();
/// assert_eq!(error.to_string(), "unknown function `sine`");
/// assert_eq!(error.span(), 4..8);
/// assert_eq!(error.render(), "\
/// unknown function `sine`
///
///   1 + sine(x)
///       ^^^^
///
/// hint: did you mean `sin`?");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExprError(Box<Details>);

#[derive(Clone, Debug, PartialEq)]
struct Details {
    mistake: Mistake,
    span: Range<usize>,
    source: Source,
}

/// A text and, when it is the text of a definition, the definition's name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    pub(crate) text: Arc<str>,
    pub(crate) definition: Option<String>,
}

impl Source {
    /// The mistake at these bytes of this text.
    pub(crate) fn error(&self, span: Range<usize>, mistake: Mistake) -> ExprError {
        ExprError(Box::new(Details {
            mistake,
            span,
            source: self.clone(),
        }))
    }
}

impl ExprError {
    /// What went wrong, with its fields.
    pub fn mistake(&self) -> &Mistake {
        &self.0.mistake
    }

    /// Where: a range of bytes in [`text`](Self::text).
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// The text with the mistake: the one that was parsed, or that of a definition it uses.
    pub fn text(&self) -> &str {
        &self.0.source.text
    }

    /// The definition whose text it is; `None` for the text that was parsed.
    pub fn definition(&self) -> Option<&str> {
        self.0.source.definition.as_deref()
    }

    /// What to type instead, where that can be said.
    pub fn hint(&self) -> Option<String> {
        message::hint(self.mistake())
    }

    /// The line with the spot underlined by carets, each line indented by two spaces.
    pub fn underlined(&self) -> String {
        render::underline(self.text(), self.span())
    }

    /// Message, underlined spot and hint, as a user reads them.
    pub fn render(&self) -> String {
        let hint = self.hint().map(|hint| format!("\n\nhint: {hint}"));
        format!(
            "{self}\n\n{}{}",
            self.underlined(),
            hint.unwrap_or_default()
        )
    }
}

impl fmt::Display for ExprError {
    /// What was found and what was expected, in one line without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", message::message(self.mistake()))?;
        match self.definition() {
            Some(name) => write!(f, " in the definition of `{name}`"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ExprError {}
