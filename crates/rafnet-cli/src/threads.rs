//! `--device` and `--threads`: one limit and one message for every command.

use crate::output::Failure;
use rafnet::Model;
use rafnet::engine::{Device, Devices, MOST_THREADS, UnknownDevice};
use rafnet::solve::Options;

/// What helps where a device could not do its work.
pub(crate) const OF_DEVICES: &str = "`raf devices` lists what can compute here; a run that has checkpoints goes on with `--resume` and `--device cpu`";

// where a model is evaluated; no documentation, which would stand in the place of the command's own
#[derive(clap::Args)]
pub(crate) struct Place {
    /// Where it is computed: cpu, cuda (an NVIDIA GPU; cuda:1 is the second) or reference (one point at a time, slow)
    #[arg(long, default_value_t, value_parser = named)]
    pub(crate) device: Device,
    /// Threads (0: one for each core); the answer does not depend on it
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

impl Place {
    /// The model that `load` reads, evaluated there; a wrong number of threads is refused first.
    pub(crate) fn of(
        &self,
        load: impl FnOnce() -> Result<Model, Failure>,
    ) -> Result<Model, Failure> {
        let threads = meant(self.threads)?;
        Ok(load()?.with_device(self.device).with_threads(threads))
    }
}

/// The devices that this command knows.
pub(crate) fn devices() -> Devices {
    rafnet_cuda::devices()
        .iter()
        .fold(Devices::default(), |all, device| all.with(*device))
}

/// Options of `solve` that know these devices; the command itself reads what the problem's file asks for.
pub(crate) fn options() -> Options {
    Options {
        devices: devices(),
        file_is_read: true,
        ..Options::default()
    }
}

/// The device with a name.
pub(crate) fn named(name: &str) -> Result<Device, UnknownDevice> {
    devices().named(name)
}

/// How many threads are meant: 0 is one for each core.
pub(crate) fn meant(asked: usize) -> Result<usize, Failure> {
    match asked {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        n if n <= MOST_THREADS => Ok(n),
        n => Err(Failure::new(
            format!(
                "`--threads {n}` cannot be used: expected a whole number from 0 to {MOST_THREADS}"
            ),
            "leave it out for one thread on each core",
        )),
    }
}
