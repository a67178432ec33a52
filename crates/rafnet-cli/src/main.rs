//! `raf`: networks with reproducing activation functions, from the command line.
//!
//! One file a subcommand: parse, resolve, act. Results go to stdout, everything else to stderr. Exit status: 0 done, 1 it ran
//! and did not reach what was asked, 2 it could not run.

mod bench;
mod output;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Fit signals and solve differential equations with reproducing activation functions.
#[derive(Parser)]
#[command(
    name = "raf",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// How fast a training step runs here, against this machine's own matrix product
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Bench(arguments) => output::finish(arguments.json, bench::run(&arguments)),
    }
}
