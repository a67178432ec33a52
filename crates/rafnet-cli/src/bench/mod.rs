//! `raf bench`: one training step of each work, timed, against this machine's own matrix product.
//!
//! The works are those of `bench/peers.py`, which times PyTorch and JAX on them; `bench/run` puts both into one table.

mod gate;
mod gemm;
pub(crate) mod memory;
mod steps;
mod works;

use crate::output::{Failure, Report};
use crate::spread::Spread;
use crate::threads;
use gemm::Product;
use rafnet::engine::{Device, EngineError, MOST_THREADS};
use rafnet::expr::smaller;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;
use works::{StepError, Work};

/// Examples: `raf bench`, `raf bench --work poisson --threads 1 --json`
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  raf bench\n  raf bench --work poisson --threads 1 --json")]
pub(crate) struct Arguments {
    /// One work only (repeat it for several)
    #[arg(long, value_enum)]
    work: Vec<Work>,
    /// Timed steps of each work; the median is reported
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Where it is computed: cpu, cuda (an NVIDIA GPU; cuda:1 is the second) or reference (one point at a time, slow)
    #[arg(long, default_value_t, value_parser = crate::threads::named)]
    device: Device,
    /// Worker threads (default: one for each core)
    #[arg(long)]
    threads: Option<usize>,
    /// The seed of the initial parameters and of the points
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Hold each work's cost against the limits in this file; status 1 where one is above
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steps", "threads", "device"])]
    gate: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What one work took.
struct Figures {
    work: Work,
    seconds_per_step: f64,
    best: f64,
    gflops: f64,
    share: f64,
    peak_rss_mb: Option<f64>,
    loss: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let threads = arguments
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    let failure = |e: StepError| Failure {
        message: e.to_string(),
        hint: match e.downcast_ref() {
            Some(EngineError::Device { .. }) => threads::OF_DEVICES.into(),
            _ => "pass `--threads` with a number from 1 to the number of cores".into(),
        },
    };
    let chosen: Vec<Work> = if arguments.work.is_empty() {
        Work::ALL.to_vec()
    } else {
        arguments.work.clone()
    };
    if threads == 0 {
        return Err(failure(
            EngineError::Threads {
                found: threads,
                most: MOST_THREADS,
            }
            .into(),
        ));
    }
    threads::meant(threads)?;
    if let Some(file) = &arguments.gate {
        return gate::run(file, &chosen, arguments.seed);
    }
    let mut rates = [Vec::new(), Vec::new()];
    let mut figures = Vec::new();
    for work in chosen {
        memory::reset_peak();
        let mut step = work
            .step(1, (arguments.device, threads), arguments.seed)
            .map_err(failure)?;
        for _ in 0..2 {
            step.step().map_err(failure)?;
        }
        let peak_rss_mb = memory::peak_mb();
        let mut product = product(work.is_f32(), threads);
        let (mut times, mut shares) = (Vec::new(), Vec::new());
        let mut loss = f64::NAN;
        for _ in 0..arguments.steps {
            let start = Instant::now();
            loss = step.step().map_err(failure)?;
            let seconds = start.elapsed().as_secs_f64();
            // step and product take turns, so that load on the machine hits both
            let rate = product();
            rates[usize::from(!work.is_f32())].push(rate);
            times.push(seconds);
            shares.push(work.gflop() / seconds / rate);
        }
        let best = times.iter().copied().fold(f64::INFINITY, smaller);
        let seconds_per_step = median(times);
        figures.push(Figures {
            work,
            seconds_per_step,
            best,
            gflops: work.gflop() / seconds_per_step,
            share: median(shares),
            peak_rss_mb,
            loss,
        });
    }
    for (seen, is_f32) in rates.iter_mut().zip([true, false]) {
        if seen.is_empty() {
            seen.push(product(is_f32, threads)());
        }
    }
    Ok(report(&figures, rates.map(median), threads, arguments))
}

/// The rate of this machine's matrix product in f32 or f64, measured at each call.
fn product(is_f32: bool, threads: usize) -> Box<dyn FnMut() -> f64> {
    if is_f32 {
        let mut product = Product::<f32>::new(threads);
        Box::new(move || product.rate())
    } else {
        let mut product = Product::<f64>::new(threads);
        Box::new(move || product.rate())
    }
}

fn median(times: Vec<f64>) -> f64 {
    Spread::of(times).map_or(f64::NAN, |spread| spread.median)
}

fn report(figures: &[Figures], peaks: [f64; 2], threads: usize, arguments: &Arguments) -> Report {
    let mut text = format!(
        "matrix product on {threads} threads: {:.0} GFLOP/s in f32, {:.0} GFLOP/s in f64\n\n{:<12} {:>4}  {:>10}  {:>9}  {:>13}  {:>9}\n",
        peaks[0], peaks[1], "work", "type", "ms a step", "GFLOP/s", "share of peak", "memory MB"
    );
    for f in figures {
        let memory = f
            .peak_rss_mb
            .map_or_else(|| "?".into(), |m| format!("{m:.0}"));
        let kind = if f.work.is_f32() { "f32" } else { "f64" };
        let (ms, share) = (f.seconds_per_step * 1e3, f.share * 100.0);
        let _ = writeln!(
            text,
            "{:<12} {kind:>4}  {ms:>10.2}  {:>9.1}  {share:>11.0} %  {memory:>9}",
            f.work.name(),
            f.gflops
        );
    }
    let finite = |v: f64| if v.is_finite() { json!(v) } else { json!(null) };
    let works: Vec<_> = figures
        .iter()
        .map(|f| {
            json!({
                "work": f.work.name(), "seconds_per_step": f.seconds_per_step, "best_seconds": f.best, "gflops": f.gflops,
                "gemm_share": f.share, "peak_rss_mb": f.peak_rss_mb, "loss": finite(f.loss),
                "precision": if f.work.is_f32() { "f32" } else { "f64" },
            })
        })
        .collect();
    let json = json!({
        "outcome": "done", "works": works, "gemm_gflops_f32": peaks[0], "gemm_gflops_f64": peaks[1], "threads": threads,
        "seed": arguments.seed, "device": arguments.device.name(), "precision": null, "version": env!("CARGO_PKG_VERSION"),
        "simd": format!("{:?}", rafnet::simd::level()).to_lowercase(),
    });
    Report {
        text,
        json,
        status: 0,
    }
}
