//! Both engines against the conformance suite: every basis function, both precisions; on the CPU d from 1 to 100, widths to 300,
//! one thread and two, every instruction set of this processor.
#![allow(
    clippy::print_stderr,
    reason = "an instruction set that is missing here is said"
)]

#[path = "common/skipped.rs"]
mod skipped;

use rafnet::basis::Basis;
use rafnet::engine::conformance::{Conformance, Report, Selection, frozen};
use rafnet::engine::ridges::{Axes, Layer, LocalBox, Places};
use rafnet::engine::{Device, Devices, Engine, EngineError, Objective};
use rafnet::simd::{Level, level};
use std::ops::ControlFlow;

/// Walks, and makes sure that the walk could have failed: nearly no comparison is blind. (f32 loses digits in deep networks of
/// cubes and bumps; f64 runs the same formulas.)
fn walk<T: Conformance>(level: Level, selection: &Selection, threads: usize) -> Report {
    let report = sound::<T>(&format!("{level:?}"), selection, &mut |objective| {
        T::at_level(level, objective, threads)
    });
    assert!(report.paths.contains_key(&format!("{level:?}")));
    report
}

fn sound<T: Conformance>(
    name: &str,
    selection: &Selection,
    make: &mut dyn FnMut(Objective<T>) -> Result<Box<dyn Engine<T>>, EngineError>,
) -> Report {
    let report = match T::conform(selection, make) {
        Ok(report) => report,
        Err(difference) => panic!("{name}: {difference}"),
    };
    if std::env::var_os("RAFNET_SHOW").is_some() {
        eprintln!("{} {report:?}", T::NAME);
    }
    let bases = selection.bases.len() * selection.dimensions.len() * selection.sizes.len();
    assert!(report.comparisons > 20 * bases, "{report:?}");
    let most = if T::FRACTION_BITS == 23 { 0.05 } else { 1e-4 };
    assert!(
        report.blind as f64 <= most * report.comparisons as f64,
        "{report:?}"
    );
    report
}

/// The engine that is written to be read.
#[test]
fn the_reference_is_sound() {
    let selection = Selection {
        dimensions: vec![1, 3],
        sizes: vec![0, 1, 33],
        seed: 11,
        ..Selection::full()
    };
    let reference = Device::REFERENCE;
    let double = sound::<f64>("double", &selection, &mut |o| reference.engine(o, 1));
    let single = sound::<f32>("single", &selection, &mut |o| reference.engine(o, 1));
    assert!(
        [double, single]
            .iter()
            .all(|r| r.paths.contains_key("reference"))
    );
}

/// Frozen layers, on every device.
#[test]
fn frozen_layers() {
    for device in Devices::default().iter() {
        for seed in [1, 2] {
            let report = frozen(device, seed).unwrap_or_else(|difference| panic!("{difference}"));
            assert!(report.comparisons > 50_000, "{report:?}");
            assert!(report.blind <= report.comparisons / 200, "{report:?}");
        }
    }
}

/// On each device, how many functions are taken at two points until the second says stop.
fn taken(
    layer: &Layer,
    inputs: &[Vec<Vec<f64>>],
    wanted: &[Axes],
) -> Vec<Result<usize, EngineError>> {
    let places = Places {
        coordinates: &[vec![0.1, 0.2], vec![0.3, 0.4]],
        inputs,
        derivatives: &[vec![], vec![0]],
    };
    let count = |device: Device| {
        let mut calls = 0;
        let swept = device.ridges(layer, &places, wanted, &mut |j, _| {
            calls += 1;
            if j == 1 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        swept.map(|()| calls)
    };
    Devices::default().iter().map(count).collect()
}

#[test]
fn a_sweep_over_a_frozen_layer_stops_when_told() {
    let mut layer = Layer::default();
    for bias in [0.0, 1.0, 2.0, 3.0] {
        layer.push(Basis::Sine, &[1.0, 2.0], bias);
    }
    assert_eq!(taken(&layer, &[], &[vec![]]), [Ok(2), Ok(2)]);
    layer = Layer::default();
    assert_eq!(taken(&layer, &[], &[vec![]]), [Ok(0), Ok(0)]);
}

#[test]
fn what_does_not_fit_a_frozen_layer_is_said() {
    let mut layer = Layer::default();
    layer.push(Basis::Sine, &[1.0, 2.0, 3.0], 0.0);
    let input = || vec![vec![0.0, 1.0], vec![1.0, 1.0]];
    let said = |layer: &Layer, inputs: &[Vec<Vec<f64>>], wanted: Axes| -> String {
        let all = taken(layer, inputs, &[wanted]);
        assert_eq!(all[0], all[1]);
        all[0]
            .as_ref()
            .map_or_else(ToString::to_string, |_| String::new())
    };
    assert_eq!(said(&layer, &[input()], vec![0]), "");
    let short = "the list of weights has 3 numbers; expected 2";
    assert_eq!(said(&layer, &[], vec![]), short);
    let ragged = vec![vec![0.0], vec![1.0, 1.0]];
    assert!(said(&layer, &[ragged], vec![]).contains("a column of points has 1 numbers"));
    let few = vec![vec![0.0, 1.0]];
    assert!(said(&layer, &[few], vec![]).contains("an extra input has 1 numbers"));
    // the input's derivative along axis 1 is not given; there is no axis 2; nobody computes third derivatives
    for axes in [vec![1], vec![2], vec![0, 0, 0]] {
        let said = said(&layer, &[input()], axes.clone());
        assert!(
            said.starts_with(&format!("the derivative along axes {axes:?} cannot")),
            "{said}"
        );
    }
    layer.local = Some(LocalBox::new(&[[0.0, 1.0]]));
    assert!(said(&layer, &[input()], vec![]).contains("the layer's box has 1 numbers; expected 2"));
}

#[test]
fn every_sweep_in_f64() {
    walk::<f64>(level(), &Selection::full(), 2);
}

/// (Its kernels are those of f64 with other lanes: fewer sizes and dimensions.)
#[test]
fn every_sweep_in_f32() {
    let selection = Selection {
        dimensions: vec![2, 10],
        sizes: vec![0, 1, 32, 33, 129, 257],
        ..Selection::full()
    };
    walk::<f32>(level(), &selection, 2);
}

/// Wide layers and many coordinates: the kernels that narrow networks never meet, by their names. (In f32 the bounds of sums this
/// long say little; its kernels are held to the bit over whole numbers, in `engine::cpu`.)
#[test]
fn wide_layers_and_many_coordinates() {
    let mut paths = std::collections::BTreeSet::new();
    for (dimension, width) in [(2, 300), (3, 101), (64, 70), (100, 65)] {
        let report = walk::<f64>(level(), &Selection::wide(dimension, width), 2);
        paths.extend(report.paths.into_keys());
    }
    for part in ["lane sums", "by transposed inputs", "product of"] {
        assert!(paths.iter().any(|p| p.contains(part)), "{part}: {paths:?}");
    }
}

/// One thread, other networks, every instruction set; one that this processor lacks is said.
#[test]
fn every_instruction_set_on_one_thread() {
    let selection = Selection {
        seed: 5,
        ..Selection::small()
    };
    for level in [Level::Avx512, Level::Avx2, Level::Portable] {
        if !Level::available().contains(&level) {
            skipped::skipped(&format!(
                "conformance with {level:?}, which this processor lacks"
            ));
            continue;
        }
        walk::<f64>(level, &selection, 1);
        walk::<f32>(level, &selection, 1);
    }
}

/// A level can be asked for; the answer is the level or the best that is there.
#[test]
fn a_level_can_be_asked_for() {
    let me = std::env::current_exe().expect("a test binary has a path");
    for (name, asked) in [("avx2", Level::Avx2), ("portable", Level::Portable)] {
        let run = std::process::Command::new(&me)
            .args(["--exact", "level_is_as_told"])
            .env("RAFNET_SIMD", name)
            .env("RAFNET_EXPECTED_LEVEL", format!("{asked:?}"))
            .output()
            .expect("the test binary runs");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(
            run.status.success() && said.contains("1 passed"),
            "{name}: {said}"
        );
    }
}

/// In the processes above: `RAFNET_SIMD` was heard.
#[test]
fn level_is_as_told() {
    if let Ok(expected) = std::env::var("RAFNET_EXPECTED_LEVEL") {
        let available = Level::available();
        let asked = available.iter().find(|l| format!("{l:?}") == expected);
        assert_eq!(level(), *asked.unwrap_or(&available[0]));
    }
}
