//! The header of a `.npy` file: a mark, a version, a length and a Python dictionary with three keys.
//!
//! ```text
//! \x93NUMPY  major minor  length (2 bytes, 4 from version 2 on)  {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
//! ```
//! padded with spaces to a multiple of 64 bytes and ended by a line break.

use super::{FORMAT, MARK};
use crate::error::{Error, Result};

/// Where the most significant byte of a number is.
#[derive(Clone, Copy)]
pub(super) enum Endian {
    Little,
    Big,
}

/// Which index is the fastest.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// The last.
    C,
    /// The first.
    Fortran,
}

pub(super) struct Header {
    pub(super) kind: char,
    pub(super) size: usize, // bytes of a value
    pub(super) endian: Endian,
    pub(super) order: Order,
    pub(super) shape: Vec<usize>,
}

/// The header, and the bytes behind it.
pub(super) fn read(bytes: &[u8]) -> Result<(Header, &[u8])> {
    let cut = || Error::Truncated {
        format: FORMAT,
        what: "the file ends inside the header".to_owned(),
    };
    let major = *bytes.get(MARK.len()).ok_or_else(cut)?;
    let (length, start) = match (major, bytes.get(8..12)) {
        (1, _) => {
            let b = bytes.get(8..10).ok_or_else(cut)?;
            (usize::from(u16::from_le_bytes([b[0], b[1]])), 10)
        }
        (2 | 3, Some(b)) => (u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize, 12),
        (2 | 3, None) => return Err(cut()),
        _ => {
            return Err(Error::Unsupported {
                format: FORMAT,
                feature: format!("format version {major}"),
                hint: "save the array with a current version of NumPy",
            });
        }
    };
    let end = length.saturating_add(start);
    let text = bytes.get(start..end).ok_or_else(cut)?;
    let text = std::str::from_utf8(text).map_err(|_| damaged("the header is not text"))?;
    Ok((parse(text)?, &bytes[end..]))
}

fn parse(text: &str) -> Result<Header> {
    let descr = value_of(text, "descr")?;
    let Some(descr) = quoted(descr) else {
        return Err(Error::Unsupported {
            format: FORMAT,
            feature: "records of several fields".to_owned(),
            hint: "save each field as an array of its own",
        });
    };
    let mut letters = descr.chars();
    let endian = match letters.next() {
        Some('<' | '|') => Endian::Little,
        Some('>') => Endian::Big,
        _ => return Err(damaged("the type has no byte order")),
    };
    let kind = letters
        .next()
        .ok_or_else(|| damaged("the type has no kind"))?;
    let size = letters
        .as_str()
        .parse()
        .map_err(|_| damaged("the type has no size"))?;
    let order = match value_of(text, "fortran_order")? {
        value if value.starts_with("False") => Order::C,
        value if value.starts_with("True") => Order::Fortran,
        _ => return Err(damaged("`fortran_order` is neither True nor False")),
    };
    let shape = value_of(text, "shape")?;
    let inside = shape
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map(|(inside, _)| inside);
    let inside = inside.ok_or_else(|| damaged("`shape` is not a tuple"))?;
    let sizes = inside
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty());
    let shape = sizes.map(|size| {
        size.parse()
            .map_err(|_| damaged("`shape` holds something other than sizes"))
    });
    Ok(Header {
        kind,
        size,
        endian,
        order,
        shape: shape.collect::<Result<_>>()?,
    })
}

/// The text behind a key and its colon.
fn value_of<'a>(text: &'a str, key: &str) -> Result<&'a str> {
    let missing = || Error::Damaged {
        format: FORMAT,
        reason: format!("the header has no `{key}`"),
    };
    let found = ['\'', '"']
        .iter()
        .find_map(|quote| text.split_once(&format!("{quote}{key}{quote}")));
    let (_, rest) = found.ok_or_else(missing)?;
    rest.trim_start()
        .strip_prefix(':')
        .map(str::trim_start)
        .ok_or_else(missing)
}

/// The inside of a quoted text at the start.
fn quoted(text: &str) -> Option<&str> {
    let inside = |quote: char| {
        text.strip_prefix(quote)?
            .split_once(quote)
            .map(|(inside, _)| inside)
    };
    inside('\'').or_else(|| inside('"'))
}

fn damaged(reason: &str) -> Error {
    Error::Damaged {
        format: FORMAT,
        reason: reason.to_owned(),
    }
}

/// The bytes of a header in version 1.0, or 2.0 where the shape is too long for it.
pub(super) fn write(type_name: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let shape = match sizes.as_slice() {
        [only] => format!("({only},)"),
        several => format!("({})", several.join(", ")),
    };
    let mut text =
        format!("{{'descr': '{type_name}', 'fortran_order': False, 'shape': {shape}, }}");
    let pad = |text: &mut String, start: usize| {
        while !(start + text.len() + 1).is_multiple_of(64) {
            text.push(' ');
        }
        text.push('\n');
    };
    let mut bytes = MARK.to_vec();
    let mut short = text.clone();
    pad(&mut short, 10);
    if let Ok(length) = u16::try_from(short.len()) {
        bytes.extend_from_slice(&[1, 0]);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(short.as_bytes());
    } else {
        pad(&mut text, 12);
        bytes.extend_from_slice(&[2, 0]);
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}
