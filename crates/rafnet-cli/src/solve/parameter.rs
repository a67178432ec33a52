//! `--set k=0.1,0.2`: other values for a problem's parameters.

use crate::output::Failure;
use toml::de::{DeTable, DeValue};

/// A parameter's name with the values it is to have.
pub(super) struct Sweep {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

impl Sweep {
    /// Reads `NAME=VALUE,VALUE,…`.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let wrong = || {
            let message =
                format!("`--set {text}` cannot be used: expected NAME=VALUE or NAME=VALUE,VALUE");
            Failure::new(
                message,
                "name a parameter of the problem, such as `--set nu=0.1,0.05`",
            )
        };
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let values: Vec<String> = values.split(',').map(|v| v.trim().to_owned()).collect();
        if name.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(wrong());
        }
        Ok(Self {
            name: name.trim().to_owned(),
            values,
        })
    }
}

/// Every choice of one value for each parameter, the last parameter fastest.
pub(super) fn choices(sweeps: &[Sweep]) -> Vec<Vec<(String, String)>> {
    sweeps.iter().fold(vec![Vec::new()], |all, sweep| {
        let longer = |chosen: &Vec<(String, String)>| {
            let chosen = chosen.clone();
            sweep.values.iter().map(move |value| {
                let mut longer = chosen.clone();
                longer.push((sweep.name.clone(), value.clone()));
                longer
            })
        };
        all.iter().flat_map(longer).collect()
    })
}

/// The problem's text with another value for a parameter of `[parameters]`.
pub(super) fn with_value(text: &str, name: &str, value: &str) -> Result<String, Failure> {
    let document = DeTable::parse(text).ok();
    let parameters = document
        .as_ref()
        .and_then(|d| d.get_ref().get("parameters"));
    let parameters = parameters.and_then(|p| p.get_ref().as_table());
    let Some(span) = parameters
        .and_then(|p| p.get(name))
        .map(toml::Spanned::span)
    else {
        let known: Vec<&str> = parameters
            .into_iter()
            .flat_map(|p| p.keys().map(|k| k.get_ref().as_ref()))
            .collect();
        let hint = match known.len() {
            0 => {
                "the problem has no `[parameters]`; write the number there under a name".to_owned()
            }
            _ => format!("its parameters: {}", known.join(", ")),
        };
        return Err(Failure::new(
            format!("the problem has no parameter `{name}` to be set"),
            hint,
        ));
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
    match DeTable::parse(&changed) {
        Ok(table)
            if matches!(
                table.get_ref().get("parameters").map(|p| p.get_ref()),
                Some(DeValue::Table(_))
            ) =>
        {
            Ok(changed)
        }
        _ => Err(Failure::new(
            format!("`--set {name}={value}` makes no problem file"),
            "give a number, or a text that evaluates to one",
        )),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::{Sweep, choices, with_value};

    #[test]
    fn values_are_replaced_where_they_stand() {
        let text =
            "name = \"a\"\n[parameters]\nnu = \"0.01/pi\" # small\nk = 2\n[exact]\nk = \"x\"\n";
        let nu = with_value(text, "nu", "0.5").unwrap();
        assert_eq!(nu, text.replace("\"0.01/pi\"", "0.5"));
        assert_eq!(
            with_value(text, "k", "pi/2").unwrap(),
            text.replace("k = 2", "k = \"pi/2\"")
        );
        let missing = with_value(text, "c", "1").unwrap_err();
        assert_eq!(missing.hint, "its parameters: nu, k");
        assert!(with_value("[exact]\nu = \"x\"\n", "c", "1").is_err());
    }

    #[test]
    fn all_choices_in_order() {
        let sweeps = ["a=1,2", "b=3,4"].map(|t| Sweep::read(t).unwrap());
        let found = choices(&sweeps);
        let values = |c: &Vec<(String, String)>| [c[0].1.clone(), c[1].1.clone()];
        let values: Vec<[String; 2]> = found.iter().map(values).collect();
        assert_eq!(values, [["1", "3"], ["1", "4"], ["2", "3"], ["2", "4"]]);
        assert_eq!(choices(&[]).len(), 1);
        assert!(Sweep::read("a=1,").is_err() && Sweep::read("a").is_err());
    }
}
