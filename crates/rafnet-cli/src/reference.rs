//! The tables of options in `docs/reference` say what the commands take: they are made of the arguments, and compared.
//!
//! `RAF_SNAPSHOTS=write cargo test -p rafnet-cli --bin raf reference` writes them anew.

use std::fmt::Write as _;
use std::path::Path;

/// An option as a row of a page.
pub(crate) struct Shown {
    pub(crate) name: String,
    /// As it is typed.
    pub(crate) typed: String,
    pub(crate) help: String,
    pub(crate) default: String,
}

/// The options of a command.
pub(crate) fn options<A: clap::Args>() -> Vec<Shown> {
    of(&A::augment_args(clap::Command::new("raf")))
}

fn of(command: &clap::Command) -> Vec<Shown> {
    let shown = |argument: &clap::Arg| {
        let name = argument.get_long()?.to_owned();
        let help = argument.get_help()?.to_string().replace('|', "\\|");
        let values = argument.get_default_values().iter();
        let values: Vec<_> = values.map(|v| v.to_string_lossy()).collect();
        let values = values.join(", ");
        let told = help.split_once(" [default: ");
        let (help, default) = told.map_or((help.as_str(), values.as_str()), |(help, default)| {
            (help, default.trim_end_matches(']'))
        });
        let value = argument.get_value_names().filter(|_| {
            let action = argument.get_action();
            action.takes_values()
        });
        let value = value.map_or_else(String::new, |names| format!(" {}", names[0]));
        Some(Shown {
            typed: format!("`--{name}{value}`"),
            name,
            help: help.to_owned(),
            default: default.to_owned(),
        })
    };
    command.get_arguments().filter_map(shown).collect()
}

/// A table, the head first.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| format!(" {cell} |")).collect();
        let _ = writeln!(text, "|{}", cells.concat());
    }
    text
}

/// Compares a table with the one on a page that has the same head.
pub(crate) fn compare(page: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/reference")
        .join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let head = table.lines().next().expect("a head");
    let start = text
        .find(head)
        .unwrap_or_else(|| panic!("{page} has no table `{head}`"));
    let found: String = text[start..]
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('|'))
        .collect();
    if std::env::var("RAF_SNAPSHOTS").is_ok_and(|v| v == "write") {
        std::fs::write(&path, text.replacen(&found, table, 1)).expect("a page to write");
        return;
    }
    assert_eq!(found, table, "the table of {page}");
}

/// What stands before the options.
fn positional(command: &clap::Command) -> Vec<Vec<String>> {
    let shown = |argument: &clap::Arg| {
        let names = argument.get_value_names()?;
        let help = argument.get_help()?.to_string().replace('|', "\\|");
        Some(vec![format!("`{}`", names[0]), help, String::new()])
    };
    command.get_positionals().filter_map(shown).collect()
}

/// The tables of commands without a page of their own.
#[test]
fn other_commands() {
    let all = crate::help::command();
    let own = ["solve", "fit", "help"];
    let others = all
        .get_subcommands()
        .filter(|c| !own.contains(&c.get_name()));
    for command in others {
        let head = format!("`raf {}`", command.get_name());
        let mut rows = positional(command);
        for sub in command.get_subcommands() {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            rows.push(vec![format!("`{}`", sub.get_name()), about, String::new()]);
        }
        let options = of(command).into_iter();
        rows.extend(options.map(|o| vec![o.typed, o.help, o.default]));
        compare(
            "commands.md",
            &table(&[&head, "what it does", "default"], &rows),
        );
    }
}
