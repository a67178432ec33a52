//! Figures: curves with bands, several panels, fields as heat maps; as SVG, PNG or PDF by the name of the file.
//!
//! [`curves`] draws functions of one coordinate, with a logarithmic scale for errors that fall over decades, [`panels`] several such
//! plots side by side, [`heat_map()`] a function of two coordinates with a colour bar, [`figure()`] panels of both at the width of a journal's
//! column. Axes, legends and vector fonts are
//! those of the library `kuva`; `axis` puts the ticks, since errors reach down to 1e-16, and `colours` holds colours that people who are
//! colour-blind can tell apart.
//!
//! ```
//! use rafnet_plot::{Curve, Plot, Scale, curves};
//! let (steps, error) = ([0.0, 100.0, 200.0], [1.0, 1e-3, 1e-7]);
//! let plot = Plot {
//!     curves: &[Curve::new("PSG", &steps, &error)],
//!     title: "Poisson",
//!     labels: ["step", "relative L2 error"],
//!     scales: [Scale::Linear, Scale::Logarithmic],
//! };
//! let path = std::env::temp_dir().join(format!("raf-plot-{}.svg", std::process::id()));
//! curves(&path, &plot)?;
//! assert!(std::fs::read_to_string(&path)?.contains("10⁻⁶")); // a tick
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod axis;
mod colours;
mod contour;
mod figure;
mod file;
mod heat_map;
mod layout;
mod legend;
mod lines;
mod pdf;

pub use axis::Scale;
pub use colours::Colours;
pub use figure::{Panel, figure, pixels};
pub use heat_map::{HeatMap, heat_map};
pub use lines::{Curve, Plot, convergence, curves, panels};

use std::path::PathBuf;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// Another number of values than the picture's shape asks for.
    #[error("the picture has {found} {what}; expected {expected}")]
    Values {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A range without extent, or not finite.
    #[error("the range of {what} is {found:?}; expected two finite numbers in ascending order")]
    Range {
        /// Of which coordinate.
        what: String,
        /// The range.
        found: [f64; 2],
    },
    /// A file name that does not say what to write.
    #[error("cannot draw `{}`: expected a name that ends in .svg, .png or .pdf", path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The drawing could not be turned into the file's format.
    #[error("cannot draw `{}`: {reason}", path.display())]
    Drawing {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file could not be written.
    #[error("cannot write the picture `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
