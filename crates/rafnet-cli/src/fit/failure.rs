//! What the library refuses, in the words of the command line.

use crate::output::Failure;
use crate::threads;
use rafnet::engine::EngineError;
use rafnet::fit::{ColumnError, FitError, Kind, OptionError};
use rafnet::model::ModelError;

/// Where the options are listed.
const HINT: &str = "see `raf fit --help` for the options";

/// Why there is no fit of a signal of this kind, and what to do.
pub(super) fn fit(kind: Kind, error: FitError) -> Failure {
    let hint = match &error {
        FitError::Signal(_) => match kind {
            Kind::Image => {
                "pass a PNG or JPEG file, or leave the path out for the embedded picture"
            }
            Kind::Audio => "pass a WAV file, or leave the path out for the embedded chord",
            Kind::Video => {
                "pass an MP4 or GIF file or a folder of pictures, or leave the path out for the embedded scene"
            }
            Kind::Table => "pass a CSV file with a header",
        },
        FitError::Column(ColumnError::NoHeader { .. }) => {
            "write the names on a line above the numbers, such as x,y,u"
        }
        FitError::Column(ColumnError::TooLarge { .. }) => {
            "give the column in another unit, or take its logarithm"
        }
        FitError::Column(_) => {
            "call each column by a letter followed by letters, digits and `_` in the table's first line, or choose other columns with `--inputs` and `--outputs`"
        }
        FitError::Model(ModelError::NotFinite { .. }) => "a smaller `--lr` may keep the fit finite",
        FitError::Model(ModelError::Name { .. }) => {
            "rename the column, or choose others with `--inputs` and `--outputs`"
        }
        FitError::Engine(EngineError::Device { .. }) => threads::OF_DEVICES,
        FitError::Model(_) => "check the names and the sizes of the numbers in the file",
        _ => HINT,
    };
    match error {
        FitError::Option(error) => option(error),
        error => Failure::new(error.to_string(), hint),
    }
}

/// Why an option cannot be taken.
pub(super) fn option(error: OptionError) -> Failure {
    match error {
        OptionError::Unusable {
            name,
            found,
            expected,
        } => Failure::new(
            format!("`--{name} {found}` cannot be used: expected {expected}"),
            HINT,
        ),
        OptionError::Useless {
            option,
            found,
            this,
        } => {
            let typed = match (option.name, found.as_str()) {
                ("grey", "false") => "--colour".to_owned(),
                (name @ ("grey" | "mono"), _) => format!("--{name}"),
                (name, text) => format!("--{name} {text}"),
            };
            let other = option.kinds.first().map_or("image", |kind| kind.name());
            Failure::new(
                format!("`{typed}` {}, and this is {this}", option.purpose),
                format!("leave it out, or raf fit {other} {typed}"),
            )
        }
        error @ OptionError::Activation(_) => Failure::new(
            error.to_string(),
            "raf fit image --activation siren, or --activation \"a*sin(b*x) + exp(-abs(x)); b = 30\", or leave it out",
        ),
        error => Failure::new(error.to_string(), HINT),
    }
}
