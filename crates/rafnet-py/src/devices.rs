//! Devices by their names, the same list as the command's, and what is found of them here.

use crate::errors::Refused;
use pyo3::prelude::*;
use rafnet::engine::{Device, Devices, MOST_THREADS};
use rafnet_cuda::{Card, compiler_found};
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};

/// The devices that have names.
pub(crate) fn all() -> Devices {
    rafnet_cuda::devices()
        .iter()
        .fold(Devices::default(), |all, device| all.with(*device))
}

/// The process that first used a card; 0 before.
static WITH_CARD: AtomicU32 = AtomicU32::new(0);

/// Refuses a card in a child of the process that used one: its context does not survive a fork.
pub(crate) fn usable(device: Device) -> Result<(), Refused> {
    if !device.name().starts_with("cuda") {
        return Ok(());
    }
    let here = std::process::id();
    let first = WITH_CARD.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed);
    match first {
        Err(other) if other != here => Err(Refused::new(
            "DeviceError",
            format!(
                "{device}: this process was forked from one that had used a GPU, and CUDA does not survive a fork"
            ),
        )
        .hint("start processes by multiprocessing.get_context(\"spawn\"), or use the GPU in the children only")),
        _ => Ok(()),
    }
}

/// The device with a name.
pub(crate) fn named(name: &str) -> Result<Device, Refused> {
    let device = all().named(name).map_err(|e| {
        Refused::new("DeviceError", e.to_string())
            .hint("rafnet.devices() lists what can compute here")
    })?;
    usable(device)?;
    Ok(device)
}

/// How many threads are meant: 0 is one for each core.
pub(crate) fn threads(asked: usize) -> Result<usize, Refused> {
    match asked {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        n if n <= MOST_THREADS => Ok(n),
        n => Err(Refused::new(
            "OptionError",
            format!("threads={n} cannot be used: expected a whole number from 0 to {MOST_THREADS}"),
        )
        .hint("leave it out for one thread on each core")),
    }
}

/// What can compute here, as JSON: the list of `raf devices`.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> String {
    py.detach(|| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut found = vec![json!({ "device": "cpu", "threads": threads })];
        let cards = Card::list();
        for card in cards.iter().flatten() {
            found.push(json!({
                "device": format!("cuda:{}", card.ordinal), "name": card.facts.name, "memory": card.facts.memory,
                "free": card.free, "driver": card.driver,
            }));
        }
        found.push(json!({ "device": "reference" }));
        let missing = cards.err().or(compiler_found().err());
        let missing = missing.map(|why| why.to_string());
        json!({ "devices": found, "missing": missing }).to_string()
    })
}
