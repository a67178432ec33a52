//! The tables that say where each coded picture is and when it is shown.
//!
//! | box | what it holds |
//! |---|---|
//! | `stsz` | the bytes of each picture |
//! | `stsc`, `stco` or `co64` | how pictures are grouped into chunks, and where each chunk begins |
//! | `stts`, `ctts` | durations in order of decoding, and how much later each is shown |

use super::boxes::{Bytes, child, required};
use super::damaged;
use crate::error::Result;

/// One coded picture.
pub(super) struct Coded {
    pub(super) offset: u64,
    pub(super) size: u64,
    /// Its place in the order of display.
    pub(super) shown: usize,
}

/// All coded pictures in order of decoding, and the time of all of them in units of the track.
pub(super) fn read(stbl: &[u8], file_length: u64) -> Result<(Vec<Coded>, u64)> {
    let sizes = read_sizes(required(stbl, b"stsz")?, file_length)?;
    let offsets = read_offsets(stbl, &sizes)?;
    let (times, duration) = read_times(stbl, sizes.len())?;
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&index| times[index]);
    let mut shown = vec![0; sizes.len()];
    for (place, &index) in order.iter().enumerate() {
        shown[index] = place;
    }
    let coded = sizes.into_iter().zip(offsets).zip(shown);
    Ok((
        coded
            .map(|((size, offset), shown)| Coded {
                offset,
                size,
                shown,
            })
            .collect(),
        duration,
    ))
}

fn read_sizes(body: &[u8], file_length: u64) -> Result<Vec<u64>> {
    let mut bytes = Bytes::new(body);
    bytes.u32()?;
    let (same, count) = (bytes.u32()?, bytes.u32()?);
    if u64::from(count) > file_length {
        return Err(damaged(format!(
            "{count} pictures are declared in {file_length} bytes"
        )));
    }
    (0..count)
        .map(|_| Ok(u64::from(if same > 0 { same } else { bytes.u32()? })))
        .collect()
}

fn read_offsets(stbl: &[u8], sizes: &[u64]) -> Result<Vec<u64>> {
    let (mut chunk_starts, wide) = match child(stbl, b"co64")? {
        Some(body) => (Bytes::new(body), true),
        None => (Bytes::new(required(stbl, b"stco")?), false),
    };
    chunk_starts.u32()?;
    let n_chunks = chunk_starts.u32()?;
    let mut runs = Bytes::new(required(stbl, b"stsc")?);
    runs.u32()?;
    let n_runs = runs.u32()?;
    // each run holds from its first chunk up to the next run's
    let runs = (0..n_runs)
        .map(|_| {
            let run = (runs.u32()?, runs.u32()?);
            runs.u32()?;
            Ok(run)
        })
        .collect::<Result<Vec<(u32, u32)>>>()?;
    let mut offsets = Vec::with_capacity(sizes.len());
    let mut run = 0;
    for chunk in 1..=n_chunks {
        let mut offset = if wide {
            chunk_starts.u64()?
        } else {
            u64::from(chunk_starts.u32()?)
        };
        while runs.get(run + 1).is_some_and(|&(first, _)| first <= chunk) {
            run += 1;
        }
        let n_pictures = runs.get(run).map_or(0, |&(_, n)| n);
        for _ in 0..n_pictures {
            let Some(size) = sizes.get(offsets.len()) else {
                break;
            };
            offsets.push(offset);
            offset = offset.saturating_add(*size);
        }
    }
    if offsets.len() != sizes.len() {
        return Err(damaged(format!(
            "{} pictures have sizes, {} have places",
            sizes.len(),
            offsets.len()
        )));
    }
    Ok(offsets)
}

/// When each picture is shown, and the sum of all durations.
fn read_times(stbl: &[u8], n: usize) -> Result<(Vec<i64>, u64)> {
    let mut times = Vec::with_capacity(n);
    let mut time = 0i64;
    let mut table = Bytes::new(required(stbl, b"stts")?);
    table.u32()?;
    for _ in 0..table.u32()? {
        let (count, duration) = (table.u32()?, i64::from(table.u32()?));
        for _ in 0..(count as usize).min(n - times.len()) {
            times.push(time);
            time += duration;
        }
    }
    if times.len() != n {
        return Err(damaged(format!(
            "{n} pictures have sizes, {} have times",
            times.len()
        )));
    }
    if let Some(body) = child(stbl, b"ctts")? {
        let mut table = Bytes::new(body);
        table.u32()?;
        let mut index = 0;
        for _ in 0..table.u32()? {
            // later versions allow negative numbers, and no real delay is beyond their range
            let (count, delay) = (table.u32()?, table.u32()?.cast_signed());
            let end = (count as usize).saturating_add(index).min(n);
            times[index..end]
                .iter_mut()
                .for_each(|time| *time += i64::from(delay));
            index = end;
        }
    }
    Ok((times, time.unsigned_abs()))
}
