//! `raf`: networks with reproducing activation functions, from the command line.
//!
//! One file a subcommand: parse, resolve, act. Results go to stdout, everything else to stderr. Exit status: 0 done, 1 it ran
//! and did not reach what was asked, 2 it could not run.

mod bench;
mod build;
mod check;
mod choices;
mod completions;
mod demo;
mod devices;
mod eval;
mod export;
mod expressions;
mod fit;
mod help;
mod interrupt;
mod named_model;
mod new;
mod ntk;
mod output;
mod paper;
mod plot;
mod progress;
#[cfg(test)]
mod reference;
mod render;
mod report;
mod resume;
mod run_folder;
mod solve;
mod spread;
mod table_file;
mod threads;

use clap::{FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// Fronts of many sizes come and go while pieces are joined; glibc's allocator leaves two fifths of a gigabyte in holes between them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Solve differential equations and fit signals with networks whose neurons learn their own activation.
#[derive(Parser)]
#[command(
    name = "raf",
    bin_name = "raf",
    version,
    max_term_width = 100,
    after_help = help::FIRST_STEPS
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Solve a differential equation: a built-in problem or a text file
    Solve(Box<solve::Arguments>),
    /// Write a problem file to begin with: heat, waves, flow, elasticity and others, with comments
    New(new::Arguments),
    /// Say in words what a problem file means, without solving it
    Check(check::Arguments),
    /// Fit a picture, a sound, a video or a table
    Fit(Box<fit::Arguments>),
    /// Values and exact derivatives of a model at points: on the screen, or as .npy, CSV, .vtu
    Eval(eval::Arguments),
    /// A figure of a solution for a paper: lines, maps, arrows, runs compared, as PDF, SVG or PNG; a film as GIF or MP4
    Plot(plot::Arguments),
    /// A fitted model at any size, region, rate or number of frames
    Render(render::Arguments),
    /// The page of a run: verdict, maps, errors, search; or several runs compared
    Report(report::Arguments),
    /// The whole function of a model for other runtimes, as an ONNX file
    Export(export::Arguments),
    /// A fit, an equation and an exact network in under a minute; no input needed
    Demo(demo::Arguments),
    /// Networks built by hand: polynomials, series, atoms, with their bound and measured error
    Build(build::Arguments),
    /// The tangent kernel of a problem's residuals: spectrum, condition number, effective rank
    Ntk(Box<ntk::Arguments>),
    /// The RAF paper's tables, figures and theorems, the paper's number beside ours
    Paper(Box<paper::Arguments>),
    /// What can compute here: this processor, NVIDIA GPUs
    Devices(devices::Arguments),
    /// How fast a training step runs here, against this machine's own matrix product
    Bench(bench::Arguments),
    /// What a shell needs to complete the names of commands and options
    Completions(completions::Arguments),
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
    if std::env::args_os().len() < 2 {
        return output::first_steps();
    }
    let matches = help::command().try_get_matches();
    let command = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments.command,
        Err(error) => return output::usage(&error),
    };
    match command {
        Command::Bench(arguments) => output::finish(arguments.json, bench::run(&arguments)),
        Command::Build(arguments) => output::finish(arguments.json, build::run(&arguments)),
        Command::Check(arguments) => output::finish(arguments.json, check::run(&arguments)),
        Command::Completions(arguments) => output::finish(false, completions::run(&arguments)),
        Command::Demo(arguments) => output::finish(arguments.json, demo::run(&arguments)),
        Command::Devices(arguments) => output::finish(arguments.json, Ok(devices::run())),
        Command::Eval(arguments) => output::finish(arguments.json, eval::run(&arguments)),
        Command::Export(arguments) => output::finish(arguments.json, export::run(&arguments)),
        Command::Fit(arguments) => output::finish(arguments.json, fit::run(&arguments)),
        Command::New(arguments) => output::finish(arguments.json, new::run(&arguments)),
        Command::Plot(arguments) => output::finish(arguments.json, plot::run(&arguments)),
        Command::Render(arguments) => output::finish(arguments.json, render::run(&arguments)),
        Command::Ntk(arguments) => output::finish(arguments.json, ntk::run(&arguments)),
        Command::Paper(arguments) => output::finish(arguments.json, paper::run(&arguments)),
        Command::Report(arguments) => output::finish(arguments.json, report::run(&arguments)),
        Command::Solve(arguments) => output::finish(arguments.json, solve::run(&arguments)),
    }
}
