//! Safetensors files with a checksum: how models and checkpoints are written and read.
//!
//! The format is eight bytes with the length of a JSON header, the header, then the tensors' bytes. Written here, so that the same content
//! is always the same bytes: the metadata keeps its order. The checksum is a [`Checksum`] over texts of the metadata, then the name and the
//! bytes of each tensor in alphabetical order.

use super::checksum::Checksum;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The key of the checksum in the metadata.
pub(crate) const CHECKSUM: &str = "rafnet.checksum";

/// The longest header that readers take.
const LONGEST_HEADER: usize = 100_000_000;

/// A tensor on its way into a file.
pub(crate) struct Tensor<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: Vec<usize>,
    /// Little-endian.
    pub(crate) data: Vec<u8>,
}

/// A file of tensors of one type, with texts and a checksum over both in its metadata.
pub(crate) fn write(
    texts: &[(&str, &str)],
    dtype: Dtype,
    mut tensors: Vec<Tensor<'_>>,
) -> Result<Vec<u8>, SafeTensorError> {
    tensors.sort_by(|a, b| a.name.cmp(b.name));
    let mut sum = Checksum::new();
    texts.iter().for_each(|(_, t)| sum.bytes(t.as_bytes()));
    let mut metadata: Map<String, Value> = texts
        .iter()
        .map(|(k, t)| ((*k).to_owned(), json!(t)))
        .collect();
    let (mut entries, mut end) = (Vec::with_capacity(tensors.len()), 0);
    for tensor in &tensors {
        sum.bytes(tensor.name.as_bytes());
        sum.bytes(&tensor.data);
        let begin = end;
        end += tensor.data.len();
        let about = json!({ "dtype": dtype.to_string(), "shape": tensor.shape, "data_offsets": [begin, end] });
        entries.push((tensor.name.to_owned(), about));
    }
    metadata.insert(CHECKSUM.to_owned(), json!(sum.digits()));
    let mut header = Map::from_iter([("__metadata__".to_owned(), Value::Object(metadata))]);
    header.extend(entries);
    let mut header = Value::Object(header).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    if header.len() > LONGEST_HEADER {
        return Err(SafeTensorError::HeaderTooLarge);
    }
    let mut bytes = Vec::with_capacity(8 + header.len() + end);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.append(&mut header);
    tensors.iter().for_each(|t| bytes.extend(&t.data));
    Ok(bytes)
}

/// A file that was read.
pub(crate) struct TensorFile<'a> {
    pub(crate) tensors: SafeTensors<'a>,
    metadata: HashMap<String, String>,
}

/// A checksum that is not the content's.
#[derive(Debug)]
pub(crate) struct Damaged {
    /// What the file says.
    pub(crate) stated: String,
    /// What its content has.
    pub(crate) computed: String,
}

impl<'a> TensorFile<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, SafeTensorError> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        Ok(Self {
            tensors: SafeTensors::deserialize(bytes)?,
            metadata: header.metadata().clone().unwrap_or_default(),
        })
    }

    /// A text of the metadata.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).map(String::as_str)
    }

    /// Compares the checksum with what these texts and the tensors have; a file without one is taken as it is.
    pub(crate) fn check(&self, keys: &[&str]) -> Result<(), Damaged> {
        let Some(stated) = self.text(CHECKSUM) else {
            return Ok(());
        };
        let mut sum = Checksum::new();
        let texts = keys.iter().filter_map(|key| self.text(key));
        texts.for_each(|text| sum.bytes(text.as_bytes()));
        let mut tensors = self.tensors.tensors();
        tensors.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, view) in &tensors {
            sum.bytes(name.as_bytes());
            sum.bytes(view.data());
        }
        let computed = sum.digits();
        if stated == computed {
            return Ok(());
        }
        Err(Damaged {
            stated: stated.to_owned(),
            computed,
        })
    }
}
