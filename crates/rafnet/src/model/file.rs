//! Models as safetensors files.
//!
//! The tensors are those of the network's layout, in f64 or f32, and for pieces a tensor with their boxes and a last layer that has one
//! more axis; the metadata key `rafnet` holds the description, another a checksum over
//! both. Reading goes the other way and refuses what does not fit together, naming the tensor.

use super::tensor_file::{self, Damaged, Tensor, TensorFile};
use super::{AtomicFile, Model, ModelError, Parts, Precision, description};
use crate::network::Named;
use safetensors::tensor::{Dtype, SafeTensors};
use std::io::Write;
use std::path::Path;

/// The key of the description in the metadata.
const KEY: &str = "rafnet";
/// The tensor of the pieces' boxes.
const BOXES: &str = "pieces";

impl Model {
    /// The model as the bytes of a safetensors file; the same model always gives the same bytes.
    ///
    /// # Errors
    /// When the description is longer than the format allows (100 MB).
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let parts = self.parts();
        let about = description::write(parts)?;
        let blocks = blocks(parts, parts.pieces.len());
        let tensors = blocks.iter().map(|block| Tensor {
            name: &block.name,
            shape: block.shape.clone(),
            data: bytes(parts, block),
        });
        let mut tensors: Vec<Tensor<'_>> = tensors.collect();
        if !parts.pieces.is_empty() {
            let numbers = parts.pieces.iter().flatten().flatten();
            tensors.push(Tensor {
                name: BOXES,
                shape: vec![parts.pieces.len(), parts.coordinates.len(), 2],
                data: numbers.flat_map(|v| v.to_le_bytes()).collect(),
            });
        }
        let written = tensor_file::write(&[(KEY, &about)], dtype(parts.precision), tensors);
        written.map_err(|e| ModelError::NotSafetensors {
            reason: e.to_string(),
        })
    }

    /// The model that [`Model::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`ModelError`] says what is not as documented, and names the tensor where there is one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let broken = |e: safetensors::SafeTensorError| ModelError::NotSafetensors {
            reason: e.to_string(),
        };
        let read = TensorFile::read(bytes).map_err(broken)?;
        let file = &read.tensors;
        let text = read.text(KEY).ok_or(ModelError::NoDescription)?;
        let (mut parts, pieces) = description::read(text)?;
        let mut expected = blocks(&parts, pieces);
        let boxes = boxes(&parts, pieces);
        if pieces > 0 {
            expected.push(boxes.clone());
        }
        let mut names = file.names();
        names.sort_unstable();
        let is_known = |name: &&str| expected.iter().any(|b| b.name == **name);
        if let Some(stranger) = names.into_iter().find(|name| !is_known(name)) {
            let known: Vec<&str> = expected.iter().map(|b| b.name.as_str()).collect();
            return Err(ModelError::ExtraTensor {
                tensor: stranger.into(),
                expected: known.join(", "),
            });
        }
        if pieces > 0 {
            let mut numbers = Vec::new();
            read_block(file, &boxes, Precision::F64, &mut numbers)?;
            let (pairs, _) = numbers.as_chunks();
            let each = pairs.chunks_exact(parts.coordinates.len().max(1));
            parts.pieces = each.map(<[[f64; 2]]>::to_vec).collect();
            expected.pop();
        }
        let mut parameters = Vec::new();
        for block in &expected {
            read_block(file, block, parts.precision, &mut parameters)?;
        }
        parts.parameters = parameters;
        // last, so that a mistake that can be named is named
        let model = Self::new(parts)?;
        let checked = read.check(&[KEY]);
        checked
            .map_err(|Damaged { stated, computed }| ModelError::Checksum { stated, computed })?;
        Ok(model)
    }

    /// Reads a model.
    ///
    /// # Errors
    /// [`ModelError`] names the file and what is wrong with it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let bytes = rafnet_memory::read(path).map_err(|source| ModelError::Read {
            path: path.into(),
            source,
        })?;
        Self::from_bytes(&bytes).map_err(|source| ModelError::File {
            path: path.into(),
            source: Box::new(source),
        })
    }

    /// Writes the model: under another name in the same folder first, then moved into its place, so that the file is whole or not
    /// there.
    ///
    /// # Errors
    /// [`ModelError::Write`] names the file; nothing is left behind then.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelError> {
        let path = path.as_ref();
        let bytes = self.to_bytes()?;
        let write = || {
            let mut file = AtomicFile::create(path)?;
            file.write_all(&bytes)?;
            file.commit()
        };
        write().map_err(|source| ModelError::Write {
            path: path.into(),
            source,
        })
    }
}

/// The tensors of the network, the last layer's with one more axis where there are pieces.
fn blocks(parts: &Parts, pieces: usize) -> Vec<Named> {
    let mut blocks = parts.network.layout().named().to_vec();
    let last = blocks.last_mut().filter(|_| pieces > 0);
    if let Some(Named { shape, range, .. }) = last {
        shape.insert(0, pieces);
        range.end = range
            .start
            .saturating_add(range.len().saturating_mul(pieces));
    }
    blocks
}

/// The tensor of the pieces' boxes; it stands nowhere among the parameters.
fn boxes(parts: &Parts, pieces: usize) -> Named {
    Named {
        name: BOXES.into(),
        shape: vec![pieces, parts.coordinates.len(), 2],
        range: 0..0,
    }
}

const fn dtype(precision: Precision) -> Dtype {
    match precision {
        Precision::F32 => Dtype::F32,
        Precision::F64 => Dtype::F64,
    }
}

/// A block of the parameters, little-endian.
fn bytes(parts: &Parts, block: &Named) -> Vec<u8> {
    let numbers = parts.parameters[block.range.clone()].iter();
    match parts.precision {
        Precision::F64 => numbers.flat_map(|v| v.to_le_bytes()).collect(),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rounded to f32 when the model was made"
        )]
        Precision::F32 => numbers.flat_map(|v| (*v as f32).to_le_bytes()).collect(),
    }
}

fn read_block(
    file: &SafeTensors<'_>,
    block: &Named,
    precision: Precision,
    parameters: &mut Vec<f64>,
) -> Result<(), ModelError> {
    let tensor = block.name.clone();
    let Ok(view) = file.tensor(&tensor) else {
        let expected = block.shape.clone();
        return Err(ModelError::MissingTensor { tensor, expected });
    };
    if view.shape() != block.shape {
        return Err(ModelError::Shape {
            tensor,
            found: view.shape().into(),
            expected: block.shape.clone(),
        });
    }
    if view.dtype() != dtype(precision) {
        return Err(ModelError::Type {
            tensor,
            found: view.dtype().to_string().to_lowercase(),
            expected: precision.name(),
        });
    }
    match precision {
        Precision::F64 => {
            let (numbers, _) = view.data().as_chunks();
            parameters.extend(numbers.iter().map(|b| f64::from_le_bytes(*b)));
        }
        Precision::F32 => {
            let (numbers, _) = view.data().as_chunks();
            parameters.extend(numbers.iter().map(|b| f64::from(f32::from_le_bytes(*b))));
        }
    }
    Ok(())
}
