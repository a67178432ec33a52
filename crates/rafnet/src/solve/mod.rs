//! Optimisers.

mod adam;

pub use adam::Adam;
