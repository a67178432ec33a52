//! Options as texts under their names, and tables of options as arguments of a command.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::marker::PhantomData;

/// Names with texts, as the command line and `config.toml` write them; an option that was repeated stands here several times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices(pub(crate) Vec<(String, String)>);

impl Choices {
    /// The text of an option, the last one if there are several.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    /// Every text of an option.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let of_name = self.0.iter().filter(move |(n, _)| n == name);
        of_name.map(|(_, text)| text.as_str())
    }

    /// Every text of an option, or once nothing where it was not given.
    pub(crate) fn each(&self, name: &str) -> Vec<Option<&str>> {
        let each: Vec<Option<&str>> = self.all(name).map(Some).collect();
        if each.is_empty() { vec![None] } else { each }
    }

    /// Names and texts, as the library takes them.
    pub(crate) fn pairs(&self) -> Vec<(&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(n, text)| (n.as_str(), text.as_str())).collect()
    }

    /// This text and no other.
    pub(crate) fn set(&mut self, name: &str, text: impl Into<String>) {
        self.0.retain(|(n, _)| n != name);
        self.0.push((name.to_owned(), text.into()));
    }
}

/// How an option is written on the command line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// `--name TEXT`.
    Text,
    /// The same, once or more.
    Texts,
    /// `--name`, which gives an option this text. Two flags of one option exclude each other.
    Flag(&'static str, &'static str),
}

/// An option as an argument.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    pub(crate) help: &'static str,
    /// The heading it stands under; the common ones have none, and only these are shown by `-h`.
    pub(crate) heading: Option<&'static str>,
}

/// A table of options.
pub(crate) trait Table {
    fn rows() -> Vec<Row>;
}

/// What was given of a table's options.
#[derive(Clone)]
pub(crate) struct Given<T> {
    pub(crate) choices: Choices,
    table: PhantomData<T>,
}

impl<T: Table> Args for Given<T> {
    fn augment_args(command: Command) -> Command {
        let rows = T::rows();
        let argument = |row: &Row| {
            let argument = Arg::new(row.name).long(row.name).help(row.help);
            let argument = match row.heading {
                Some(heading) => argument.help_heading(heading).hide_short_help(true),
                None => argument,
            };
            let rivals = |other: &&Row| match (row.takes, other.takes) {
                (Takes::Flag(this, _), Takes::Flag(option, _)) => {
                    this == option && row.name != other.name
                }
                _ => false,
            };
            let rivals = rows.iter().filter(rivals).map(|other| other.name);
            match row.takes {
                Takes::Flag(..) => argument
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(rivals),
                Takes::Texts => argument.action(ArgAction::Append),
                Takes::Text => argument.action(ArgAction::Set),
            }
            .value_name(row.name.to_uppercase().replace('-', "_"))
        };
        command.args(rows.iter().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Table> FromArgMatches for Given<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Self {
            choices: Choices::default(),
            table: PhantomData,
        };
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in T::rows() {
            let mut put = |name: &str, text: &str| {
                let choice = (name.to_owned(), text.to_owned());
                self.choices.0.push(choice);
            };
            match row.takes {
                Takes::Flag(option, text) if matches.get_flag(row.name) => put(option, text),
                Takes::Flag(..) => {}
                Takes::Text | Takes::Texts => {
                    let texts = matches.get_many::<String>(row.name);
                    texts.into_iter().flatten().for_each(|t| put(row.name, t));
                }
            }
        }
        Ok(())
    }
}
