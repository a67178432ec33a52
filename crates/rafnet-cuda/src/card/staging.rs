//! Copies between the two memories, through pages that the card reaches itself: two pieces under way at a time.

use super::driver::{Code, Driver};
use cudarc::driver::sys::{CUevent, CUstream};
use std::ptr::null_mut;

/// Bytes of one piece.
const PIECE: usize = 8 << 20;
/// Up to so many bytes the driver copies by itself what goes in; what comes out has a piece of this size.
const SMALL: usize = 64 << 10;
/// Threads that fill or empty a piece: one reaches a fraction of what the bus carries.
const THREADS: usize = 4;

/// Pinned pieces of this process's memory.
pub(crate) struct Staging {
    small: *mut u8,
    pieces: Option<[Piece; 2]>,
}

#[derive(Clone, Copy)]
struct Piece {
    at: *mut u8,
    /// Recorded behind the last copy from or to it.
    done: CUevent,
}

#[allow(
    unsafe_code,
    reason = "the driver's handles are pointers, which are not Send by themselves"
)]
// SAFETY: memory and events of the driver belong to the process and not to a thread; a `&mut Staging` is needed for every use.
unsafe impl Send for Staging {}

/// An answer of the driver other than success.
type Done = Result<(), Code>;

fn done(code: Code) -> Done {
    if code == 0 { Ok(()) } else { Err(code) }
}

/// Flags of events without times.
const UNTIMED: u32 = 2;

#[allow(unsafe_code, reason = "calls into the driver with pinned memory")]
impl Staging {
    /// Its first piece; the context is current.
    pub(crate) fn new(driver: &Driver) -> Result<Self, Code> {
        Ok(Self {
            small: pinned(driver, SMALL)?,
            pieces: None,
        })
    }

    fn pieces(&mut self, driver: &Driver) -> Result<[Piece; 2], Code> {
        if let Some(pieces) = self.pieces {
            return Ok(pieces);
        }
        let piece = || -> Result<Piece, Code> {
            let mut event = null_mut();
            // SAFETY: the pointer is to one of this frame; the context is current.
            done(unsafe { (driver.event_create)(&raw mut event, UNTIMED) })?;
            Ok(Piece {
                at: pinned(driver, PIECE)?,
                done: event,
            })
        };
        let pieces = [piece()?, piece()?];
        self.pieces = Some(pieces);
        Ok(pieces)
    }

    /// Copies to the card, behind all work before it; `bytes` is not needed any more when this returns.
    pub(crate) fn write(
        &mut self,
        driver: &Driver,
        stream: CUstream,
        to: u64,
        bytes: &[u8],
    ) -> Done {
        if bytes.len() <= SMALL {
            // SAFETY: so many bytes of a slice; the driver has copied them out of pages that are not pinned before it returns.
            let code = unsafe { (driver.copy_in)(to, bytes.as_ptr().cast(), bytes.len(), stream) };
            return done(code);
        }
        let pieces = self.pieces(driver)?;
        for (number, part) in bytes.chunks(PIECE).enumerate() {
            let piece = pieces[number % 2];
            // SAFETY: an event of this process. One that was never recorded counts as done.
            done(unsafe { (driver.event_wait)(piece.done) })?;
            // SAFETY: a piece has `PIECE` bytes, at least `part.len()`, and no copy from or to it is under way.
            let room = unsafe { std::slice::from_raw_parts_mut(piece.at, part.len()) };
            copy(part, room);
            let at = to + (number * PIECE) as u64;
            // SAFETY: `part.len()` bytes of the piece, which stays as it is until its event is done.
            done(unsafe { (driver.copy_in)(at, piece.at.cast(), part.len(), stream) })?;
            // SAFETY: an event and a stream of this context.
            done(unsafe { (driver.event_record)(piece.done, stream) })?;
        }
        Ok(())
    }

    /// Copies from the card, when all work before it is done.
    pub(crate) fn read(
        &mut self,
        driver: &Driver,
        stream: CUstream,
        from: u64,
        into: &mut [u8],
    ) -> Done {
        if into.len() <= SMALL {
            // SAFETY: the small piece has `SMALL` bytes; it is read only below, when the copy is done.
            done(unsafe { (driver.copy_out)(self.small.cast(), from, into.len(), stream) })?;
            // SAFETY: a stream of this context.
            done(unsafe { (driver.stream_wait)(stream) })?;
            // SAFETY: `into.len()` bytes, at most `SMALL`, which the copy has written; nothing else uses them meanwhile.
            into.copy_from_slice(unsafe { std::slice::from_raw_parts(self.small, into.len()) });
            return Ok(());
        }
        let pieces = self.pieces(driver)?;
        let total = into.len();
        let start = |number: usize| -> Done {
            let begin = number * PIECE;
            if begin >= total {
                return Ok(());
            }
            let piece = pieces[number % 2];
            let length = PIECE.min(total - begin);
            // SAFETY: `length` bytes of a piece. The copy is behind all that was asked for with this piece, and what an earlier copy brought
            // has been taken out.
            done(unsafe {
                (driver.copy_out)(piece.at.cast(), from + begin as u64, length, stream)
            })?;
            // SAFETY: an event and a stream of this context.
            done(unsafe { (driver.event_record)(piece.done, stream) })
        };
        start(0)?;
        for (number, part) in into.chunks_mut(PIECE).enumerate() {
            start(number + 1)?;
            let piece = pieces[number % 2];
            // SAFETY: an event of this process.
            done(unsafe { (driver.event_wait)(piece.done) })?;
            // SAFETY: `part.len()` bytes that the copy has written; the next copy to this piece is asked for after they were taken out.
            copy(
                unsafe { std::slice::from_raw_parts(piece.at, part.len()) },
                part,
            );
        }
        Ok(())
    }
}

#[allow(unsafe_code, reason = "calls into the driver for pinned memory")]
fn pinned(driver: &Driver, bytes: usize) -> Result<*mut u8, Code> {
    let mut at = null_mut();
    // SAFETY: the pointer is to one of this frame; the context is current.
    done(unsafe { (driver.host_alloc)(&raw mut at, bytes, 0) })?;
    // SAFETY: so many bytes, which belong to nobody else: set once, so that they may be read.
    unsafe { std::ptr::write_bytes(at.cast::<u8>(), 0, bytes) };
    Ok(at.cast())
}

/// Copies bytes, long ones by several threads.
fn copy(from: &[u8], to: &mut [u8]) {
    let share = from.len().div_ceil(THREADS).max(1);
    if from.len() < PIECE / 2 {
        to.copy_from_slice(from);
        return;
    }
    std::thread::scope(|scope| {
        let mut parts = to.chunks_mut(share).zip(from.chunks(share));
        let own = parts.next();
        for (to, from) in parts {
            scope.spawn(move || to.copy_from_slice(from));
        }
        if let Some((to, from)) = own {
            to.copy_from_slice(from);
        }
    });
}
