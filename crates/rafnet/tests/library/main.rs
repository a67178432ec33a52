//! The library's parts below the solvers, in one binary, so that it links once; a new test goes into the file of its subject.

mod accuracy; // rounding errors of every function at every instruction set
mod activation; // neuron counts, trained numbers, initial distributions
mod basis; // reference values and derivatives
#[path = "../common/mod.rs"]
mod common;
mod determinism; // the same bits with any number of threads
mod errors; // callers' mistakes
mod fits; // numbers and signals: refusals, going on
mod golden; // networks against another language's automatic differentiation
mod network; // parameter counts, names and places
mod ntk; // tangent kernels
