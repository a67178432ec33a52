//! A problem on a network: what is asked of it at points, and how good a function is that was found.
//!
//! Data flow: a [`Problem`](crate::Problem) becomes a `System`, every residual a program; a `System` draws `Block`s of points; whoever solves supplies the
//! jets of its unknowns there, and `Residual::respond` turns them into residuals and their partial derivatives. `Terms` are the same for a network
//! whose every weight is trained, through an engine. `ansatz` makes boundary values hold by construction; the `Judge` looks at points
//! that no solver sees, `error_estimate` says what the error is likely to be, `Exact` what it is, `spectra` how fast the data vary.

mod ansatz;
mod constraint;
mod corner;
mod error;
mod estimate;
mod exact;
mod given;
mod judge;
mod narrow;
mod periodic;
mod purpose;
mod residual;
mod residual_network;
mod sites;
mod spectrum;
mod system;
mod terms;

pub(crate) use ansatz::{held_exactly, with_factors};
pub(crate) use corner::{Sector, Wave, corner_function, is_whole};
pub(crate) use error::ACROSS_JUMPS;
pub use error::PosedError;
pub(crate) use estimate::{Distance, LOST, NEAR, ROUGHER, Sample, error_estimate, order};
pub(crate) use exact::{Exact, errors_of_sums};
pub(crate) use judge::{EXAMINING, Judge, SEARCHING, UNRESOLVED, Verdict, Worst, rms};
pub(crate) use narrow::Narrow;
pub(crate) use periodic::with_waves;
pub(crate) use purpose::Purpose;
pub(crate) use residual::{Averaged, Block, JetColumns, Kind, Residual, streams_of};
pub(crate) use residual_network::residual_network;
pub(crate) use sites::{Axes, Known, KnownJets, Sites};
pub(crate) use spectrum::{Power, extent, spectra};
pub(crate) use system::System;
pub(crate) use terms::{Drawing, Terms};
