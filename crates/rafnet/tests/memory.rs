//! A step on 16.7 million points needs little more memory than the points themselves: peak resident memory from Linux.
//!
//! One test in this file: the peak is the whole process's.

#[path = "common/skipped.rs"]
mod skipped;

use rafnet::activation::Set;
use rafnet::engine::{Batch, Device, Objective, Regression};
use rafnet::network::{Init, Inputs, Network, Weights};
use std::sync::Arc;

/// A line of /proc/self/status in bytes; nothing where the system has no such file.
fn status(name: &str) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with(name))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

#[test]
fn a_step_on_a_large_image_stays_within_64_mb_of_its_data() {
    if status("VmHWM:").is_none() {
        skipped::skipped("this system has no /proc/self/status");
        return;
    }
    let side = 4096usize;
    let n = side * side;
    let network = Network::fully_connected(
        Inputs::coordinates(2),
        vec![Set::Sine.shared_out(16, 1.0)],
        1,
    )
    .expect("a network");
    let theta: Vec<f32> = network.init(Init::new(Weights::Siren, 1));
    let mut gradient = vec![0.0f32; theta.len()];
    let mut points = Vec::with_capacity(2 * n);
    let mut data = Vec::with_capacity(n);
    for i in 0..n {
        let at = |k: usize| 2.0 * k as f32 / (side - 1) as f32 - 1.0;
        points.extend([at(i / side), at(i % side)]);
        data.push(at(i % side) * at(i / side));
    }
    let objective = Objective::new(network, Arc::new(Regression { outputs: 1 }));
    let resident = status("VmRSS:").expect("as VmHWM above");
    let size = size_of_val(&points[..]) + size_of_val(&data[..]);
    assert!(
        resident >= size,
        "the data are resident: {resident} of {size} bytes"
    );
    let mut engine = Device::CPU.engine(objective, 2).expect("an engine");
    let batch = Batch::points(&points).with_data(&data);
    let loss = engine
        .loss_and_gradient(&theta, &batch, &mut gradient)
        .expect("a step");
    assert!(loss.is_finite() && gradient.iter().any(|g| *g != 0.0));
    let peak = status("VmHWM:").expect("as above");
    assert!(
        peak <= size + (64 << 20),
        "peak {} MB for {} MB of data",
        peak >> 20,
        size >> 20
    );
}
