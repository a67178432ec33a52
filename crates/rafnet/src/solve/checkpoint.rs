//! Checkpoints: everything a run needs to go on exactly where it stopped, as one `.safetensors` file.

use crate::model::AtomicFile;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

/// The state of a run: named vectors of f64, and the step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Which method wrote it.
    pub method: String,
    /// Steps taken.
    pub step: u64,
    /// Parameters, moments, records, by name.
    pub vectors: Vec<(String, Vec<f64>)>,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read or written.
    #[error("cannot use the checkpoint `{path}`: {source}")]
    File {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is no checkpoint, or of another run.
    #[error("`{path}` is not a checkpoint of this run: {why}")]
    Content {
        /// Which.
        path: String,
        /// What is wrong.
        why: String,
    },
}

impl Checkpoint {
    /// A vector by its name.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        let found = self.vectors.iter().find(|(n, _)| n == name);
        found.map(|(_, v)| v.as_slice())
    }

    /// Writes it whole or not at all.
    ///
    /// ```
    /// use rafnet::solve::Checkpoint;
    /// # let path = std::env::temp_dir().join(format!("rafnet-checkpoint-{}.safetensors", std::process::id()));
    /// let state = Checkpoint { method: "adam".into(), step: 7, vectors: vec![("theta".into(), vec![0.1, -2.0])] };
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
        let bytes: Vec<(String, Vec<u8>)> = self
            .vectors
            .iter()
            .map(|(n, v)| (n.clone(), v.iter().flat_map(|x| x.to_le_bytes()).collect()))
            .collect();
        let content = |e: safetensors::SafeTensorError| CheckpointError::Content {
            path: path.display().to_string(),
            why: e.to_string(),
        };
        let views = bytes
            .iter()
            .map(|(n, b)| {
                Ok((
                    n.clone(),
                    TensorView::new(Dtype::F64, vec![b.len() / 8], b)?,
                ))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(content)?;
        let about = HashMap::from([
            ("method".to_owned(), self.method.clone()),
            ("step".to_owned(), self.step.to_string()),
        ]);
        let whole = safetensors::serialize(views, Some(about)).map_err(content)?;
        let write = || {
            let mut file = AtomicFile::create(path)?;
            file.write_all(&whole)?;
            file.commit()
        };
        write().map_err(|source| CheckpointError::File {
            path: path.display().to_string(),
            source,
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// When the file cannot be read or is no checkpoint.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref();
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| CheckpointError::File {
            path: name(),
            source,
        })?;
        let content = |why: String| CheckpointError::Content { path: name(), why };
        let (_, metadata) =
            SafeTensors::read_metadata(&bytes).map_err(|e| content(e.to_string()))?;
        let about = metadata.metadata().clone().unwrap_or_default();
        let text = |key: &str| {
            about
                .get(key)
                .cloned()
                .ok_or_else(|| content(format!("no `{key}`")))
        };
        let step = text("step")?
            .parse()
            .map_err(|_| content("the step is no number".into()))?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(|e| content(e.to_string()))?;
        let mut vectors = Vec::new();
        for (name, view) in tensors.tensors() {
            if view.dtype() != Dtype::F64 {
                return Err(content(format!("`{name}` is not f64")));
            }
            let numbers = view.data().as_chunks::<8>().0;
            vectors.push((
                name,
                numbers.iter().map(|b| f64::from_le_bytes(*b)).collect(),
            ));
        }
        vectors.sort_by(|a: &(String, Vec<f64>), b| a.0.cmp(&b.0));
        Ok(Self {
            method: text("method")?,
            step,
            vectors,
        })
    }
}
