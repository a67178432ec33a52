//! Checkpoints: everything a run needs to go on exactly where it stopped, as one `.safetensors` file.
//!
//! Beside the vectors it holds what run it is of and a checksum over everything.

use super::Fingerprint;
use crate::engine::Device;
use crate::model::{AtomicFile, CHECKSUM, Tensor, TensorFile, write_tensors};
use crate::optimise::Adam;
use crate::simd::Real;
use safetensors::tensor::Dtype;
use std::io::Write;
use std::path::Path;

/// The texts of the metadata, in the order in which the checksum takes them.
const TEXTS: [&str; 4] = ["method", "step", "run", "device"];

/// The state of a run: named vectors of f64, and the step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Which method wrote it.
    pub method: String,
    /// Steps taken.
    pub step: u64,
    /// What decides the run's bits.
    pub run: Fingerprint,
    /// Where the networks were computed, by its name; empty where that was not written.
    pub device: String,
    /// Parameters, moments, records, by name.
    pub vectors: Vec<(String, Vec<f64>)>,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A mistake in a file.
    #[error("cannot use the checkpoint `{path}`: {source}")]
    File {
        /// Which.
        path: String,
        /// What is wrong with it.
        source: Box<CheckpointError>,
    },
    /// A file that could not be read or written.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// Bytes that are no whole safetensors file.
    #[error("it is no complete safetensors file ({reason})")]
    NotSafetensors {
        /// What the format's reader said.
        reason: String,
    },
    /// A safetensors file of another kind.
    #[error("its metadata key `{key}` is {found}; expected what this version of rafnet writes")]
    Metadata {
        /// Which key.
        key: &'static str,
        /// `missing`, or that it cannot be read.
        found: &'static str,
    },
    /// A file that was changed after it was written.
    #[error(
        "its content has the checksum {computed}, its metadata says {stated}: it was damaged after it was written"
    )]
    Checksum {
        /// What the file says.
        stated: String,
        /// What its content has.
        computed: String,
    },
    /// A checkpoint of another run.
    #[error("it is of another run: `{part}` is {found} there and {expected} here")]
    OtherRun {
        /// What differs.
        part: String,
        /// In the checkpoint.
        found: String,
        /// In this run.
        expected: String,
    },
    /// A checkpoint of another method.
    #[error("it was written by `{found}`; expected one of `{expected}`")]
    Method {
        /// The checkpoint's.
        found: String,
        /// This run's.
        expected: &'static str,
    },
    /// A vector that is not there.
    #[error("its vector `{vector}` is missing")]
    Missing {
        /// Its name.
        vector: &'static str,
    },
    /// A vector of another length.
    #[error("its vector `{vector}` has {found} numbers; expected {expected}")]
    Length {
        /// Its name.
        vector: &'static str,
        /// How many it has.
        found: usize,
        /// How many fit.
        expected: String,
    },
    /// A number that cannot be.
    #[error("its vector `{vector}` holds {found}; expected {expected}")]
    Number {
        /// Its name.
        vector: &'static str,
        /// The number.
        found: f64,
        /// What is taken.
        expected: &'static str,
    },
}

impl Checkpoint {
    /// Adam with the moments `m` and `v` after as many steps.
    pub(crate) fn adam<T: Real>(&self, n: usize) -> Result<Adam<T>, CheckpointError> {
        let moments = |name| {
            let found = self.vector(name, n)?.iter();
            Ok::<_, CheckpointError>(found.map(|x| T::from_f64(*x)).collect())
        };
        let steps = u32::try_from(self.step).unwrap_or(u32::MAX);
        let state = Adam::from_state(moments("m")?, moments("v")?, steps);
        state.ok_or(CheckpointError::Missing { vector: "m" })
    }

    /// What should be said where a run goes on with this on `device`: its bits are of one device.
    pub fn moved(&self, device: Device) -> Option<String> {
        let (before, now) = (&self.device, device.name());
        let has_moved = !before.is_empty() && before != now;
        has_moved.then(|| {
            format!(
                "until step {} it ran with `--device {before}`, from there on with `--device {now}`: its result is not the same to the bit as without the change",
                self.step
            )
        })
    }

    /// A vector by its name.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        let found = self.vectors.iter().find(|(n, _)| n == name);
        found.map(|(_, v)| v.as_slice())
    }

    /// A vector of so many numbers.
    pub(crate) fn vector(
        &self,
        vector: &'static str,
        length: usize,
    ) -> Result<&[f64], CheckpointError> {
        let found = self.optional(vector, length)?;
        found.ok_or(CheckpointError::Missing { vector })
    }

    /// A vector that may not be there, of so many numbers if it is.
    pub(crate) fn optional(
        &self,
        vector: &'static str,
        length: usize,
    ) -> Result<Option<&[f64]>, CheckpointError> {
        match self.get(vector) {
            Some(found) if found.len() != length => Err(CheckpointError::Length {
                vector,
                found: found.len(),
                expected: length.to_string(),
            }),
            found => Ok(found),
        }
    }

    /// A vector of any number of rows of this width, or none.
    pub(crate) fn rows(
        &self,
        vector: &'static str,
        width: usize,
        most: usize,
    ) -> Result<&[f64], CheckpointError> {
        let found = self.get(vector).unwrap_or(&[]);
        if found.len().is_multiple_of(width) && found.len() / width.max(1) <= most {
            return Ok(found);
        }
        Err(CheckpointError::Length {
            vector,
            found: found.len(),
            expected: format!("a multiple of {width} up to {}", width.saturating_mul(most)),
        })
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// When there are more vectors than the format takes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let tensors = self.vectors.iter().map(|(name, v)| Tensor {
            name,
            shape: vec![v.len()],
            data: v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        });
        let texts = [
            self.method.clone(),
            self.step.to_string(),
            self.run.to_json(),
            self.device.clone(),
        ];
        let pairs: Vec<(&str, &str)> = TEXTS
            .into_iter()
            .zip(texts.iter().map(String::as_str))
            .collect();
        write_tensors(&pairs, Dtype::F64, tensors.collect()).map_err(|e| not_safetensors(&e))
    }

    /// The checkpoint that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`CheckpointError`] says what is not as it was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let file = TensorFile::read(bytes).map_err(|e| not_safetensors(&e))?;
        let unusable = |key, found| CheckpointError::Metadata { key, found };
        let text = |key| file.text(key).ok_or(unusable(key, "missing"));
        text(CHECKSUM)?;
        let damaged = file.check(&TEXTS).err();
        if let Some(damaged) = damaged {
            let (stated, computed) = (damaged.stated, damaged.computed);
            return Err(CheckpointError::Checksum { stated, computed });
        }
        let run = Fingerprint::from_json(text("run")?);
        let step = text("step")?.parse();
        let mut vectors = Vec::new();
        for (name, view) in file.tensors.tensors() {
            if view.dtype() != Dtype::F64 {
                return Err(CheckpointError::NotSafetensors {
                    reason: format!("`{name}` is not f64"),
                });
            }
            let numbers = view.data().as_chunks::<8>().0.iter();
            vectors.push((name, numbers.map(|b| f64::from_le_bytes(*b)).collect()));
        }
        vectors.sort_by(|a: &(String, Vec<f64>), b| a.0.cmp(&b.0));
        Ok(Self {
            method: text("method")?.to_owned(),
            step: step.map_err(|_| unusable("step", "no whole number"))?,
            run: run.ok_or(unusable("run", "not valid JSON"))?,
            device: file.text("device").unwrap_or_default().to_owned(),
            vectors,
        })
    }

    /// Writes it whole or not at all.
    ///
    /// ```
    /// use rafnet::run::Checkpoint;
    /// # let path = std::env::temp_dir().join(format!("rafnet-checkpoint-{}.safetensors", std::process::id()));
    /// let vectors = vec![("theta".into(), vec![0.1, -2.0])];
    /// let state = Checkpoint { method: "adam".into(), step: 7, vectors, ..Checkpoint::default() };
    /// state.save(&path)?;
    /// assert_eq!(Checkpoint::load(&path)?, state);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        let path = path.as_ref();
        let write = || {
            let bytes = self.to_bytes()?;
            let mut file = AtomicFile::create(path)?;
            file.write_all(&bytes)?;
            Ok(file.commit()?)
        };
        write().map_err(|e| in_file(path, e))
    }

    /// Reads one.
    ///
    /// # Errors
    /// When the file cannot be read or is no checkpoint.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref();
        let bytes = rafnet_memory::read(path).map_err(CheckpointError::System);
        let read = bytes.and_then(|bytes| Self::from_bytes(&bytes));
        read.map_err(|e| in_file(path, e))
    }
}

fn not_safetensors(error: &safetensors::SafeTensorError) -> CheckpointError {
    CheckpointError::NotSafetensors {
        reason: error.to_string(),
    }
}

fn in_file(path: &Path, error: CheckpointError) -> CheckpointError {
    CheckpointError::File {
        path: path.display().to_string(),
        source: Box::new(error),
    }
}
