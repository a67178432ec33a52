//! The CPU engine against the conformance suite: every basis function, both precisions, d = 1, 2, 3, 10, one thread and two,
//! every instruction set of this processor.
#![allow(clippy::print_stdout, reason = "RAFNET_SHOW prints the reports")]

use rafnet::engine::conformance::{OnCpu, Report, Selection};
use rafnet::simd::Level;
use std::process::Command;

/// Walks, and makes sure that the walk could have failed: nearly no comparison is blind. (f32 loses digits in deep networks of
/// cubes and bumps; f64 runs the same formulas.)
fn walk<T: OnCpu>(selection: &Selection, threads: usize) -> Report {
    let report = match T::check_on_cpu(selection, threads) {
        Ok(report) => report,
        Err(difference) => panic!("{difference}"),
    };
    if std::env::var_os("RAFNET_SHOW").is_some() {
        println!("{} {report:?}", T::NAME);
    }
    let bases = selection.bases.len() * selection.dimensions.len() * selection.sizes.len();
    assert!(report.comparisons > 100 * bases, "{report:?}");
    let most = if T::FRACTION_BITS == 23 { 0.05 } else { 1e-4 };
    assert!(
        report.blind as f64 <= most * report.comparisons as f64,
        "{report:?}"
    );
    report
}

#[test]
fn every_sweep_in_f64() {
    walk::<f64>(&Selection::full(), 2);
}

#[test]
fn every_sweep_in_f32() {
    walk::<f32>(&Selection::full(), 2);
}

/// One thread, other networks.
#[test]
fn one_thread() {
    let selection = Selection {
        seed: 5,
        ..Selection::small()
    };
    walk::<f64>(&selection, 1);
    walk::<f32>(&selection, 1);
}

/// The level is chosen once in a process, so each of the others is walked in a process of its own: this binary again, asked
/// for the small walk.
#[test]
fn every_instruction_set() {
    let me = std::env::current_exe().expect("a test binary has a path");
    for (level, name) in [(Level::Avx2, "avx2"), (Level::Portable, "portable")] {
        if !Level::available().contains(&level) {
            continue;
        }
        let run = Command::new(&me)
            .args(["--exact", "one_thread", "level_is_as_told"])
            .env("RAFNET_SIMD", name)
            .env("RAFNET_EXPECTED_LEVEL", format!("{level:?}"))
            .output()
            .expect("the test binary runs");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{name}: {said}");
        assert!(said.contains("2 passed"), "{name}: {said}");
    }
}

/// In the processes above: `RAFNET_SIMD` was heard.
#[test]
fn level_is_as_told() {
    if let Ok(expected) = std::env::var("RAFNET_EXPECTED_LEVEL") {
        assert_eq!(format!("{:?}", rafnet::simd::level()), expected);
    }
}
