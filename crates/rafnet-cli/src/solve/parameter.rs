//! `--set k=0.1,0.2`: other values for a problem's parameters.

use crate::output::Failure;

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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::{Sweep, choices};

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
