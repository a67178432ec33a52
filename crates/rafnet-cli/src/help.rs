//! What `--help` shows: first what the command is for, then examples, then the common options, and the rest under headings.
//!
//! Every command keeps its examples as the first paragraph of clap's `after_help`; here they are moved before the usage.

use crate::Arguments;
use clap::{Command, CommandFactory};

/// Bare `raf`.
pub(crate) const FIRST_STEPS: &str = "Three things to type:
  raf solve burgers     solve a built-in equation (`raf solve --list` shows the others)
  raf new heat          write a problem file of your own, with comments (`raf new` lists templates)
  raf demo              a picture fitted, an equation solved, a page to look at, in half a minute

`raf --help` lists the commands; `raf solve --help` has examples and options of one.
";

const ORDER: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// The command line as it is read, with the help in this order.
pub(crate) fn command() -> Command {
    Arguments::command().mut_subcommands(examples_first)
}

fn examples_first(command: Command) -> Command {
    let texts = command.get_after_help().map(ToString::to_string);
    let command = command.help_template(ORDER);
    let Some(texts) = texts.filter(|texts| texts.starts_with("Examples:")) else {
        return command;
    };
    match texts.split_once("\n\n") {
        Some((examples, rest)) => command
            .before_help(examples.to_owned())
            .after_help(rest.to_owned()),
        None => command.before_help(texts).after_help(""),
    }
}

/// Headings of options.
pub(crate) const SEVERAL: &str = "Several runs";
pub(crate) const FOLDER: &str = "The folder of the run";
pub(crate) const WHERE: &str = "Where and how it is computed";
pub(crate) const PIECES: &str = "Pieces";
pub(crate) const NETWORK: &str = "Networks that are trained";
pub(crate) const SIGNAL: &str = "The signal";

#[cfg(test)]
mod tests {
    use super::command;

    /// Names and places of arguments agree, and every command shows an example of itself.
    #[test]
    fn every_command_has_an_example() {
        let mut all = command();
        all.clone().debug_assert();
        all.build();
        for one in all.get_subcommands().filter(|c| c.get_name() != "help") {
            let examples = one.get_before_help().map(ToString::to_string);
            let examples = examples.unwrap_or_default();
            let example = format!("\n  raf {}", one.get_name());
            assert!(
                examples.contains(&example),
                "no example of `raf {}`: {examples}",
                one.get_name()
            );
        }
    }
}
