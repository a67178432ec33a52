//! MP4 and QuickTime files with H.264 video.
//!
//! The container is read and written here: [`boxes`] splits bytes into boxes, [`track`] finds the video track and where
//! each picture's bytes are, [`Mp4Reader`] feeds them to the codec and puts pictures into the order of display,
//! [`Mp4Writer`] does the reverse. The codec itself, the `rusty_h264` crate, is behind [`codec`]; what it is given is
//! checked before by [`sequence`].

mod bits;
mod boxes;
mod codec;
mod layout;
mod reader;
mod sequence;
mod tables;
mod track;
mod writer;

pub use reader::Mp4Reader;
pub(super) use writer::Mp4Writer;

use crate::error::Error;

const FORMAT: &str = "MP4";

fn truncated(what: impl Into<String>) -> Error {
    Error::Truncated {
        format: FORMAT,
        what: what.into(),
    }
}

fn damaged(reason: impl Into<String>) -> Error {
    Error::Damaged {
        format: FORMAT,
        reason: reason.into(),
    }
}

fn unsupported(feature: impl Into<String>, hint: &'static str) -> Error {
    Error::Unsupported {
        format: FORMAT,
        feature: feature.into(),
        hint,
    }
}

/// How to make a file that can be read.
const CONVERT: &str = "convert it with `ffmpeg -i INPUT -c:v libx264 -pix_fmt yuv420p OUTPUT.mp4`";
