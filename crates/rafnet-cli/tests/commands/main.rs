//! The commands of `raf`, run as a user runs them.

mod broken;
mod build;
mod cli;
mod common;
mod compare;
mod export;
mod figures;
mod fit;
mod library;
mod ntk;
mod paper;
mod readme;
mod report;
mod runs;
#[path = "../../../rafnet/tests/common/skipped.rs"]
mod skipped;
mod threads;
mod trust;
mod ways_in;
