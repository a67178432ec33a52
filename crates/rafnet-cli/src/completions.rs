//! `raf completions`: commands and options for a shell to complete.

use crate::help;
use crate::output::{Failure, Report};
use clap_complete::Shell;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf completions bash > ~/.local/share/bash-completion/completions/raf
  raf completions zsh > ~/.zfunc/_raf
  raf completions fish > ~/.config/fish/completions/raf.fish

Shells read these files when they start: open a new one. In zsh the folder must be on `fpath` before `compinit`.")]
pub(crate) struct Arguments {
    /// bash, zsh, fish, elvish or powershell
    #[arg(value_enum, hide_possible_values = true)]
    shell: Shell,
}

#[expect(clippy::unnecessary_wraps, reason = "as every command")]
pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut help::command(), "raf", &mut script);
    Ok(Report {
        text: String::from_utf8_lossy(&script).into_owned(),
        json: serde_json::Value::Null,
        status: 0,
    })
}
