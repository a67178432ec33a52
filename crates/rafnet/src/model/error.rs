//! What can be wrong with a model, its file or the points it is asked at.

use crate::engine::EngineError;
use crate::expr::ExprError;
use crate::network::NetworkError;
use std::path::PathBuf;

/// A model that cannot be made, read, written or evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A mistake in a file.
    #[error("cannot load the model `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<ModelError>,
    },
    /// A file that could not be read.
    #[error("cannot read the model `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that could not be written.
    #[error("cannot write the model `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A model too large for an ONNX file.
    #[error(
        "the model needs {bytes} bytes; an ONNX file holds at most {most} bytes. Other programs can read the model's tensors as they \
         are: it is a safetensors file"
    )]
    OnnxSize {
        /// How many bytes it would have.
        bytes: usize,
        /// How many the format takes.
        most: usize,
    },
    /// Bytes that are no whole safetensors file.
    #[error(
        "this is no complete safetensors file ({reason}); it may be cut off, or a file of another kind"
    )]
    NotSafetensors {
        /// What the format's reader said.
        reason: String,
    },
    /// A safetensors file of someone else.
    #[error(
        "it holds tensors but no rafnet model: the metadata key `rafnet` is missing; expected a file written by rafnet"
    )]
    NoDescription,
    /// A description that is no JSON.
    #[error("the metadata key `rafnet` is not valid JSON: {reason}")]
    NotJson {
        /// Where and why.
        reason: String,
    },
    /// A model from a newer rafnet.
    #[error(
        "the model has version {found} of the format, this rafnet reads versions up to {known}; update rafnet to read it"
    )]
    NewerVersion {
        /// The file's version.
        found: u64,
        /// The newest version that is read.
        known: u64,
    },
    /// A description that is not as documented.
    #[error("in the model's description, `{at}` is {found}; expected {expected}")]
    Description {
        /// The place, such as `network.layers[0].width`.
        at: String,
        /// What is there.
        found: String,
        /// What should be.
        expected: String,
    },
    /// A tensor that the description asks for.
    #[error("the tensor `{tensor}` is missing; the description asks for shape {expected:?}")]
    MissingTensor {
        /// Its name.
        tensor: String,
        /// Its shape.
        expected: Vec<usize>,
    },
    /// A tensor that the description knows nothing of.
    #[error("the tensor `{tensor}` belongs to no layer of the description; expected {expected}")]
    ExtraTensor {
        /// Its name.
        tensor: String,
        /// What is expected, in words.
        expected: String,
    },
    /// A tensor of another shape.
    #[error("the tensor `{tensor}` has shape {found:?}; the description asks for {expected:?}")]
    Shape {
        /// Its name.
        tensor: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that fits.
        expected: Vec<usize>,
    },
    /// A tensor of another type.
    #[error("the tensor `{tensor}` holds {found} numbers; the description asks for {expected}")]
    Type {
        /// Its name.
        tensor: String,
        /// Its type.
        found: String,
        /// The type that fits.
        expected: &'static str,
    },
    /// A file that was changed after it was written.
    #[error(
        "its content has the checksum {computed}, its metadata key `rafnet.checksum` says {stated}: the file was damaged or changed after \
         it was written; expected it as it was written, or without that key"
    )]
    Checksum {
        /// What the file says.
        stated: String,
        /// What its content has.
        computed: String,
    },
    /// A parameter that is infinite or NaN.
    #[error("the tensor `{tensor}` holds {value} at place {index}; every parameter must be finite")]
    NotFinite {
        /// Its name.
        tensor: String,
        /// Where, from 0.
        index: usize,
        /// The value.
        value: String,
    },
    /// Another number of things than fit.
    #[error("there are {found} {what}; expected {expected}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many fit.
        expected: String,
    },
    /// A name that cannot be used.
    #[error("`{name}` cannot name {what}: {reason}")]
    Name {
        /// The name.
        name: String,
        /// What was to be named.
        what: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// A text that is no function of the coordinates.
    #[error("{what}: {error}")]
    Text {
        /// Which text, such as ``the factor of `u` ``.
        what: String,
        /// The mistake.
        error: ExprError,
    },
    /// A number that makes no sense.
    #[error("{what} is {found}; expected {expected}")]
    Number {
        /// Which number.
        what: String,
        /// Its value.
        found: String,
        /// What is taken.
        expected: &'static str,
    },
    /// Pieces that cannot be.
    #[error("models of several pieces {reason}")]
    Pieces {
        /// What they do not do.
        reason: &'static str,
    },
    /// A network that cannot be.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Points or derivatives that do not fit.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
