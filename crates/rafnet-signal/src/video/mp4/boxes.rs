//! Boxes: the nested parts of an MP4 file, each with a length, a four-letter kind and a body.

use super::{damaged, truncated};
use crate::error::Result;

/// Bytes read from the front, big-endian, never beyond the end.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (front, rest) = self
            .rest
            .split_at_checked(n)
            .ok_or_else(|| truncated("a box of its index is cut off"))?;
        self.rest = rest;
        Ok(front)
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.take(4)
            .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from(self.u32()?) << 32 | u64::from(self.u32()?))
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// The boxes in a body: kind and body of each.
pub(super) fn children(body: &[u8]) -> Result<Vec<([u8; 4], &[u8])>> {
    let mut found = Vec::new();
    let mut bytes = Bytes::new(body);
    // QuickTime ends some lists with a zero length instead of another box
    while bytes.rest().len() >= 8 {
        let length = u64::from(bytes.u32()?);
        let kind = bytes.take(4)?;
        let body_length = match length {
            0 => bytes.rest().len() as u64,
            1 => bytes
                .u64()?
                .checked_sub(16)
                .ok_or_else(|| damaged("a box is shorter than its head"))?,
            _ => length
                .checked_sub(8)
                .ok_or_else(|| damaged("a box is shorter than its head"))?,
        };
        let body = bytes.take(usize::try_from(body_length).unwrap_or(usize::MAX))?;
        found.push(([kind[0], kind[1], kind[2], kind[3]], body));
    }
    Ok(found)
}

/// The body of the first box of a kind.
pub(super) fn child<'a>(body: &'a [u8], kind: &[u8]) -> Result<Option<&'a [u8]>> {
    Ok(children(body)?
        .into_iter()
        .find(|(found, _)| found == kind)
        .map(|(_, body)| body))
}

/// The body of the first box of a kind, which must be there.
pub(super) fn required<'a>(body: &'a [u8], kind: &[u8]) -> Result<&'a [u8]> {
    child(body, kind)?.ok_or_else(|| {
        damaged(format!(
            "the box `{}` is missing",
            String::from_utf8_lossy(kind)
        ))
    })
}
