//! Gauss–Newton steps on the machine that is this processor: in both spaces, by both factorisations, in pieces.

#![expect(clippy::print_stdout, reason = "how far the steps are off")]

mod emulated;
mod squares;
#[expect(dead_code, reason = "other tests use the other works")]
mod works;

use emulated::Emulated;
use rafnet_cuda::OnMachine;
use rafnet_engine::engine::Device;
use squares::Problem;
use works::{Failure, picture};

fn device(memory: u64) -> Option<Device> {
    let machine = Emulated::with_memory(3, 227 << 10, false, memory)?;
    Some(Device::new(Box::leak(Box::new(OnMachine::new(
        "emulated", machine,
    )))))
}

#[test]
fn steps_in_the_space_of_samples() -> Result<(), Failure> {
    let Some(device) = device(1 << 32) else {
        return Ok(());
    };
    Problem::new(4, 30, 2)?.check(device)
}

#[test]
fn steps_in_the_space_of_parameters() -> Result<(), Failure> {
    let Some(device) = device(1 << 32) else {
        return Ok(());
    };
    Problem::new(4, 200, 3)?.check(device)
}

/// So little memory that rows of slots stand for less than a group at a time.
#[test]
fn rows_in_pieces() -> Result<(), Failure> {
    let Some(device) = device(1 << 20) else {
        return Ok(());
    };
    Problem::new(4, 30, 2)?.check(device)
}

#[test]
fn single_precision_is_the_hosts_work() -> Result<(), Failure> {
    let Some(device) = device(1 << 32) else {
        return Ok(());
    };
    let (objective, _, cloud) = picture(rafnet_engine::activation::Set::Siren)?;
    let mut engine = device.engine(objective, 1)?;
    assert!(engine.squares(&[cloud], &[1.0], &[])?.is_none());
    assert_eq!(engine.most_numbers(), None);
    Ok(())
}
