//! The library's options of a fit as arguments.

use crate::choices::{Row, Table, Takes};
use crate::help;
use rafnet::fit::FIT_OPTIONS;

/// `rafnet::fit::FIT_OPTIONS`.
pub(super) struct FitTable;

impl Table for FitTable {
    fn rows() -> Vec<Row> {
        let mut rows = Vec::new();
        for option in &FIT_OPTIONS {
            let takes = match option.name {
                "activation" => Takes::Texts,
                "grey" | "mono" => Takes::Flag(option.name, "true"),
                _ => Takes::Text,
            };
            rows.push(Row {
                name: option.name,
                takes,
                help: option.help,
                heading: heading(option.name),
            });
            if option.name == "grey" {
                rows.push(Row {
                    name: "colour",
                    takes: Takes::Flag("grey", "false"),
                    help: "Fit the embedded picture in its colours, not grey",
                    heading: heading(option.name),
                });
            }
        }
        rows
    }
}

/// Where an option stands in the help.
fn heading(name: &str) -> Option<&'static str> {
    match name {
        "activation" | "steps" | "time-limit" | "target" | "holdout" | "seed" => None,
        "size" | "grey" | "mono" | "inputs" | "outputs" | "supervise" => Some(help::SIGNAL),
        "precision" | "device" | "checkpoint" | "look" => Some(help::WHERE),
        _ => Some(help::NETWORK),
    }
}

#[cfg(test)]
mod tests {
    use crate::fit::Arguments;
    use crate::reference;
    use crate::threads::devices;
    use rafnet::fit::{FitOption, Kind, Options};

    /// What every option is where nothing is chosen but a preset, for a small and for a large signal.
    fn resolved(kind: Kind, preset: &str, name: &str) -> Option<String> {
        if name == "activation" {
            return Some(kind.usual_activation().name().to_owned());
        }
        let of = |samples: usize| {
            let options = Options::asked(kind, samples, &[("preset", preset)], &devices());
            let listed = options.expect("options without a choice").listed();
            let found = listed.into_iter().find(|(listed, _)| *listed == name);
            found.map(|(_, text)| text)
        };
        let (small, large) = (of(0)?, of(usize::MAX)?);
        Some(if small == large {
            small
        } else {
            format!("{small}, above 65,536 pixels {large}")
        })
    }

    /// The reference page is made of the table, its defaults of what a fit resolves.
    #[test]
    fn reference() {
        let row = |shown: reference::Shown| {
            let all: &[Kind] = &Kind::ALL;
            let kinds = FitOption::named(&shown.name).map_or(all, |o| o.kinds);
            let cell = |kind: Kind, preset: &str| {
                if !kinds.contains(&kind) || shown.name == "preset" {
                    return String::new();
                }
                resolved(kind, preset, &shown.name).unwrap_or_else(|| shown.default.clone())
            };
            let usual = |kind: &Kind| cell(*kind, "default");
            // the same for all but a few
            let first = kinds.first().map_or(String::new(), |k| cell(*k, "paper"));
            let others = kinds.iter().filter(|k| cell(**k, "paper") != first);
            let others = others.map(|k| format!(", {} {}", k.name(), cell(*k, "paper")));
            let paper = first.clone() + &others.collect::<String>();
            let mut cells = vec![shown.typed.clone(), shown.help.clone()];
            cells.extend(Kind::ALL.iter().map(usual));
            cells.push(paper);
            cells
        };
        let options = reference::options::<Arguments>().into_iter();
        let rows: Vec<Vec<String>> = options.map(row).collect();
        let paper = "with `--preset paper` or `code`";
        let head = ["option", "what it does", "image", "audio", "video", "table"];
        let head: Vec<&str> = head.into_iter().chain([paper]).collect();
        reference::compare("fit.md", &reference::table(&head, &rows));
    }
}
