//! The engine on a machine that is this processor: every sweep against the oracle, the random points, whole steps.

mod emulated;

use emulated::Emulated;
use rafnet_cuda::OnMachine;
use rafnet_engine::basis::Basis;
use rafnet_engine::engine::conformance::{Conformance, Selection};
use rafnet_engine::engine::{Device, EngineError, OnDevice};

/// The device, or a word that there is none.
fn device(multiprocessors: u32, shared: u32) -> Option<Device> {
    let machine = Emulated::new(multiprocessors, shared)?;
    Some(Device::new(Box::leak(Box::new(OnMachine::new(
        "emulated", machine,
    )))))
}

fn conform<T: Conformance + OnDevice>(selection: &Selection, shared: u32) -> Result<(), String> {
    let Some(device) = device(3, shared) else {
        return Ok(());
    };
    let mut make = |objective| -> Result<_, EngineError> { device.engine::<T>(objective, 1) };
    let report = T::conform(selection, &mut make)?;
    assert!(report.comparisons > 100);
    Ok(())
}

fn selection(bases: &[Basis]) -> Selection {
    Selection {
        bases: bases.to_vec(),
        dimensions: vec![2],
        width: None,
        sizes: vec![0, 1, 33],
        seed: 2021,
    }
}

#[test]
fn four_kinds_of_network_in_double() -> Result<(), String> {
    conform::<f64>(
        &selection(&[Basis::Sine, Basis::Rational, Basis::Gaussian, Basis::Tanh]),
        227 << 10,
    )
}

#[test]
fn four_kinds_of_network_in_single() -> Result<(), String> {
    conform::<f32>(
        &selection(&[Basis::Sine, Basis::Rational, Basis::Gaussian, Basis::Tanh]),
        227 << 10,
    )
}
