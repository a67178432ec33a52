//! Optimisers and the linear algebra under them: vectors and matrices in, steps out, and no word of problems or networks' meaning.

mod adam;
mod bounded;
mod condense;
mod fronts;
mod gauss_newton;
mod least_squares;
mod muon;
mod parallel;
mod schedule;
mod triangle;

pub use adam::{Adam, AdamData};
pub(crate) use condense::Condensed;
pub(crate) use fronts::{Fronts, Rows, n_kept};
pub(crate) use gauss_newton::GaussNewton;
pub(crate) use least_squares::{LeastSquares, RIDGE};
pub use muon::Muon;
pub(crate) use parallel::each;
pub use schedule::Schedule;
pub(crate) use triangle::{ANYWHERE, Reflections, norm, triangularise, triangularise_first};
