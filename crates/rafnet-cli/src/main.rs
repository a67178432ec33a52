//! `raf`: networks with reproducing activation functions, from the command line.
//!
//! One file a subcommand: parse, resolve, act. Results go to stdout, everything else to stderr. Exit status: 0 done, 1 it ran
//! and did not reach what was asked, 2 it could not run.

mod bench;
mod build;
mod choices;
mod demo;
mod devices;
mod eval;
mod export;
mod fit;
mod interrupt;
mod ntk;
mod output;
mod paper;
mod progress;
#[cfg(test)]
mod reference;
mod render;
mod resume;
mod run_folder;
mod solve;
mod spread;
mod table_file;
mod threads;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Fronts of many sizes come and go while pieces are joined; glibc's allocator leaves two fifths of a gigabyte in holes between them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    /// Networks built by hand: polynomials, series, atoms, with their bound and measured error
    Build(build::Arguments),
    /// A fit, an equation and an exact network in under a minute; no input needed
    Demo(demo::Arguments),
    /// What can compute here: this processor, NVIDIA GPUs
    Devices(devices::Arguments),
    /// Values and exact derivatives of a model at points, as .npy or CSV
    Eval(eval::Arguments),
    /// The whole function of a model for other runtimes, as an ONNX file
    Export(export::Arguments),
    /// Fit a picture, a sound, a video or a table
    Fit(Box<fit::Arguments>),
    /// A fitted model at any size, region, rate or number of frames
    Render(render::Arguments),
    /// The tangent kernel of a problem's residuals: spectrum, condition number, effective rank
    Ntk(Box<ntk::Arguments>),
    /// The RAF paper's tables, figures and theorems, the paper's number beside ours
    Paper(Box<paper::Arguments>),
    /// Solve a differential equation: a built-in problem or a text file
    Solve(Box<solve::Arguments>),
}

/// Decoders of pictures and videos whose panics `rafnet-signal` turns into errors: these say all there is to say.
const DECODERS: [&str; 4] = ["png-", "zune-jpeg-", "gif-", "rusty_h264"];

/// Keeps panics that are caught from the terminal.
fn quiet_decoders() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or("", |l| l.file());
        if !DECODERS.iter().any(|name| place.contains(name)) {
            usual(panic);
        }
    }));
}

fn main() -> ExitCode {
    quiet_decoders();
    let command = match Arguments::try_parse() {
        Ok(arguments) => arguments.command,
        Err(error) => return output::usage(&error),
    };
    match command {
        Command::Bench(arguments) => output::finish(arguments.json, bench::run(&arguments)),
        Command::Build(arguments) => output::finish(arguments.json, build::run(&arguments)),
        Command::Demo(arguments) => output::finish(arguments.json, demo::run(&arguments)),
        Command::Devices(arguments) => output::finish(arguments.json, Ok(devices::run())),
        Command::Eval(arguments) => output::finish(arguments.json, eval::run(&arguments)),
        Command::Export(arguments) => output::finish(arguments.json, export::run(&arguments)),
        Command::Fit(arguments) => output::finish(arguments.json, fit::run(&arguments)),
        Command::Render(arguments) => output::finish(arguments.json, render::run(&arguments)),
        Command::Ntk(arguments) => output::finish(arguments.json, ntk::run(&arguments)),
        Command::Paper(arguments) => output::finish(arguments.json, paper::run(&arguments)),
        Command::Solve(arguments) => output::finish(arguments.json, solve::run(&arguments)),
    }
}
