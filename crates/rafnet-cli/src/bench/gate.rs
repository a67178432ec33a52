//! The speed gate: a step's cost in units of a loop of fused multiply-adds, held against a recorded limit.
//!
//! ```text
//! cost = time of a step / time of as many fused multiply-adds in registers as its matrix products have
//! ```
//!
//! Step and loop take turns on one thread, many short runs each, in time of the processor and not of the clock, so that waiting
//! for a core does not count, and the fastest of either counts: what else the machine does makes runs slower, never faster, so
//! enough of them meet a quiet moment. The file holds the best cost that was seen of each work and a factor; the limit is their
//! product. A cost above its limit is measured again before it fails. Costs belong to an instruction set; where none is recorded
//! the gate says so and passes.

use super::works::{Step, Work};
use crate::output::{Failure, Report};
use rafnet::engine::Device;
use rafnet::simd::{Isa, Kernel, Real, Vector, dispatch, level};
use serde_json::{Value, json};
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

/// Step and loop in one turn, turns of a round, rounds before a failure, with a pause in between: a shared machine has slow moments
/// of many seconds.
const TURNS: usize = 12;
const ROUNDS: usize = 40;
const PAUSE: Duration = Duration::from_millis(1500);
/// Every how many-th point of a work is taken.
const PART: usize = 8;
/// Fused multiply-adds of a run of the loop, a register each.
const LOOP: usize = 1 << 20;

/// Independent sums, enough to hide the latency of the operation.
struct Loop<T>(std::marker::PhantomData<T>);

impl<T: Real> Kernel for Loop<T> {
    /// Operations (two for a multiply-add) and a number that depends on all of them.
    type Output = (f64, f64);
    #[inline(always)]
    fn run<I: Isa>(self) -> (f64, f64) {
        const SUMS: usize = 12;
        let factor = T::Register::<I>::constant(black_box(0.999));
        let term = T::Register::<I>::constant(black_box(0.001));
        let mut sums = [T::Register::<I>::constant(1.0); SUMS];
        for _ in 0..LOOP / SUMS {
            for sum in &mut sums {
                *sum = sum.mul_add(factor, term);
            }
        }
        let all = sums.iter().fold(term, |all, sum| all.add(*sum));
        let count = (LOOP / SUMS * SUMS * T::Register::<I>::LANES) as f64;
        (2.0 * count, all.sum().to_f64())
    }
}

/// Seconds that this process has had a processor; the clock's where the system does not tell.
fn processor_seconds() -> f64 {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START
            .get_or_init(std::time::Instant::now)
            .elapsed()
            .as_secs_f64()
    }
}

/// Seconds for a GFLOP of the loop.
fn loop_seconds(work: Work) -> f64 {
    let start = processor_seconds();
    let (flop, sum) = if work.is_f32() {
        dispatch(Loop::<f32>(std::marker::PhantomData))
    } else {
        dispatch(Loop::<f64>(std::marker::PhantomData))
    };
    black_box(sum);
    (processor_seconds() - start) / (flop / 1e9)
}

/// The fastest runs so far.
struct Fastest {
    step: f64,
    unit: f64,
}

impl Fastest {
    fn round(&mut self, work: Work, step: &mut dyn Step) -> Result<(), Failure> {
        for _ in 0..TURNS {
            self.unit = self.unit.min(loop_seconds(work));
            let start = processor_seconds();
            step.step().map_err(|e| {
                Failure::new(
                    e.to_string(),
                    "run `raf bench` to see the works by themselves",
                )
            })?;
            self.step = self.step.min(processor_seconds() - start);
        }
        Ok(())
    }

    fn cost(&self, work: Work) -> f64 {
        self.step / (work.gflop() / PART as f64 * self.unit)
    }
}

/// Measures each work against its limit in the file.
pub(super) fn run(file: &Path, works: &[Work], seed: u64) -> Result<Report, Failure> {
    let recorded = read(file)?;
    let level = format!("{:?}", level()).to_lowercase();
    let mut text = format!(
        "{:<12} {:>8} {:>8}   ({level}; 1: as fast as fused multiply-adds alone)\n",
        "work", "cost", "limit"
    );
    let (mut rows, mut status) = (Vec::new(), 0);
    for &work in works {
        let best = recorded["best"][&level][work.name()].as_f64();
        let limit = best.zip(recorded["factor"].as_f64()).map(|(b, f)| b * f);
        let mut step = work.step(PART, (Device::CPU, 1), seed).map_err(|e| {
            Failure::new(
                e.to_string(),
                "run `raf bench` to see the works by themselves",
            )
        })?;
        let mut fastest = Fastest {
            step: f64::INFINITY,
            unit: f64::INFINITY,
        };
        for round in 0..ROUNDS {
            if round > 0 {
                std::thread::sleep(PAUSE);
            }
            fastest.round(work, &mut *step)?;
            if limit.is_none_or(|l| fastest.cost(work) <= l) {
                break;
            }
        }
        let cost = fastest.cost(work);
        let is_slow = limit.is_some_and(|l| cost.is_nan() || cost > l);
        let said = match limit {
            None => "no limit recorded for this instruction set",
            Some(_) if is_slow => "too slow: find the change that made it so",
            Some(_) => "",
        };
        let shown = limit.map_or_else(|| "-".to_owned(), |l| format!("{l:.2}"));
        let _ = writeln!(text, "{:<12} {cost:>8.2} {shown:>8}   {said}", work.name());
        rows.push(json!({ "work": work.name(), "cost": cost, "best": best, "limit": limit }));
        status = status.max(u8::from(is_slow));
    }
    let outcome = if status == 0 { "done" } else { "too slow" };
    let json = json!({ "outcome": outcome, "works": rows, "simd": level, "seed": seed, "device": "cpu",
        "precision": null, "version": env!("CARGO_PKG_VERSION") });
    Ok(Report { text, json, status })
}

fn read(file: &Path) -> Result<Value, Failure> {
    let hint = "pass the file of costs, `bench/gate.json` in the source tree";
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|e| Failure::new(format!("cannot read `{shown}`: {e}"), hint))?;
    let no_table = |reason: String| Failure::new(format!("`{shown}` {reason}"), hint);
    let recorded: Value =
        serde_json::from_str(&text).map_err(|e| no_table(format!("is no table of costs: {e}")))?;
    match recorded["factor"].as_f64() {
        Some(factor) if factor >= 1.0 && recorded["best"].is_object() => Ok(recorded),
        _ => Err(no_table(
            "has no `best` costs with a `factor` of 1 or more".into(),
        )),
    }
}
