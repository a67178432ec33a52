//! The text that a problem was read from, and the same problem with other values for its parameters.

use super::{Fault, Problem, ProblemError};
use std::fmt::Display;
use std::path::PathBuf;
use toml::de::{DeTable, DeValue};

/// The text of a problem: what messages call it, and where its data files are.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) folder: Option<PathBuf>,
}

impl Problem {
    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.origin.text
    }

    /// The same problem with another value for one of its `[parameters]`: a number, or a text that evaluates to one.
    ///
    /// ```
    /// use rafnet::Problem;
    /// let thinner = Problem::builtin("burgers")?.with("nu", 0.02)?;
    /// assert!(thinner.text().contains("nu = 0.02"));
    /// let error = thinner.with("viscosity", 1).err().expect("no such parameter");
    /// assert_eq!(error.hint().as_deref(), Some("its parameters: nu, c, a"));
    /// # Ok::<(), rafnet::problem::ProblemError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such parameter, and as [`Problem::from_text`].
    pub fn with(&self, parameter: &str, value: impl Display) -> Result<Self, ProblemError> {
        let Origin { name, text, folder } = &*self.origin;
        let text = replaced(text, parameter, &value.to_string())
            .map_err(|fault| ProblemError::new(name, None, fault))?;
        Self::from_text(&text, name, folder.as_deref())
    }
}

/// The text with another value for a parameter of `[parameters]`.
fn replaced(text: &str, name: &str, value: &str) -> Result<String, Fault> {
    let document = DeTable::parse(text).ok();
    let parameters = document
        .as_ref()
        .and_then(|d| d.get_ref().get("parameters"));
    let parameters = parameters.and_then(|p| p.get_ref().as_table());
    let Some(span) = parameters
        .and_then(|p| p.get(name))
        .map(toml::Spanned::span)
    else {
        let known = parameters.into_iter().flat_map(|p| p.keys());
        return Err(Fault::NoParameter {
            name: name.to_owned(),
            known: known.map(|k| k.get_ref().to_string()).collect(),
        });
    };
    let number = value.parse::<f64>().is_ok_and(f64::is_finite);
    let written = if number {
        value.to_owned()
    } else {
        toml::Value::from(value).to_string()
    };
    let mut changed = text.to_owned();
    changed.replace_range(span, &written);
    // what was replaced may have been a table of several lines: the text must still be one
    let parsed = DeTable::parse(&changed);
    let table = parsed.ok().is_some_and(|table| {
        let parameters = table.get_ref().get("parameters").map(|p| p.get_ref());
        matches!(parameters, Some(DeValue::Table(_)))
    });
    if table {
        Ok(changed)
    } else {
        Err(Fault::NoValue {
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, replaced};

    #[test]
    fn values_are_replaced_where_they_stand() {
        let text =
            "name = \"a\"\n[parameters]\nnu = \"0.01/pi\" # small\nk = 2\n[exact]\nk = \"x\"\n";
        let nu = replaced(text, "nu", "0.5").expect("a parameter");
        assert_eq!(nu, text.replace("\"0.01/pi\"", "0.5"));
        assert_eq!(
            replaced(text, "k", "pi/2").expect("a parameter"),
            text.replace("k = 2", "k = \"pi/2\"")
        );
        let missing = replaced(text, "c", "1").expect_err("no parameter");
        assert!(matches!(missing, Fault::NoParameter { known, .. } if known == ["nu", "k"]));
        assert!(replaced("[exact]\nu = \"x\"\n", "c", "1").is_err());
    }
}
