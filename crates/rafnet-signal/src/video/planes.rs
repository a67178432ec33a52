//! The planes that video codecs work on, and the way to RGB and back.
//!
//! Y is lightness, U and V are the differences of blue and red to it, one sample for each 2 × 2 pixels. With luma weights
//! (k_r, k_g, k_b) and limited range,
//! ```text
//! R = 255/219 (Y − 16) + c_rv (V − 128)                          c_rv = 255/224 · 2 (1 − k_r)
//! G = 255/219 (Y − 16) − c_gu (U − 128) − c_gv (V − 128)
//! B = 255/219 (Y − 16) + c_bu (U − 128)                          c_bu = 255/224 · 2 (1 − k_b)
//! ```
//! RGB is not unique: the standard fixes neither the rounding nor the interpolation of U and V. Here coefficients are
//! whole numbers of 2⁻¹³, each product is rounded down to a whole step, and a 2 × 2 block shares its U and V, which is
//! what FFmpeg's scaler does on x86 with its default settings (a hash over a whole clip agrees, `tests/signals/data.rs`).

use super::Frame;
use crate::error::{Error, Result};

/// Which luma weights belong to a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColourMatrix {
    /// ITU-R BT.601: standard definition, and whatever carries no mark.
    Bt601,
    /// ITU-R BT.709: high definition.
    Bt709,
    /// ITU-R BT.2020.
    Bt2020,
}

/// Which steps of the planes stand for black and white.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColourRange {
    /// 16 … 235 for Y, 16 … 240 for U and V.
    Limited,
    /// 0 … 255.
    Full,
}

/// A picture in planar 4:2:0 form, 8 bits.
///
/// ```
/// use rafnet_signal::video::{ColourMatrix, ColourRange, Planes};
///
/// let white = Planes { width: 1, height: 1, y: vec![235], u: vec![128], v: vec![128] };
/// assert_eq!(white.to_frame(ColourMatrix::Bt601, ColourRange::Limited)?.rgb(), [255, 255, 255]);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planes {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Lightness, width · height.
    pub y: Vec<u8>,
    /// Blue difference, ⌈width/2⌉ · ⌈height/2⌉.
    pub u: Vec<u8>,
    /// Red difference, ⌈width/2⌉ · ⌈height/2⌉.
    pub v: Vec<u8>,
}

/// The factors of Y, and of V in red, U in green, V in green, U in blue, times 2¹³.
struct Factors {
    black: i32,
    y: i32,
    rv: i32,
    gu: i32,
    gv: i32,
    bu: i32,
}

impl Factors {
    fn new(matrix: ColourMatrix, range: ColourRange) -> Self {
        // times 2¹⁶, for limited range
        let [rv, bu, gu, gv] = match matrix {
            ColourMatrix::Bt601 => [104_597, 132_201, -25_675, -53_279],
            ColourMatrix::Bt709 => [117_489, 138_438, -13_975, -34_925],
            ColourMatrix::Bt2020 => [110_013, 140_363, -12_277, -42_626],
        };
        let (black, y, chroma): (i32, i32, fn(i32) -> i32) = match range {
            ColourRange::Limited => (16, (1 << 16) * 255 / 219, |factor| factor),
            ColourRange::Full => (0, 1 << 16, |factor| factor * 224 / 255),
        };
        let narrow = |factor: i32| (factor + 4) >> 3;
        let [rv, bu, gu, gv] = [rv, bu, gu, gv].map(chroma).map(narrow);
        Self {
            black,
            y: narrow(y),
            rv,
            gu,
            gv,
            bu,
        }
    }
}

impl Planes {
    /// The picture as a frame.
    ///
    /// # Errors
    /// If a plane does not have the length that the size asks for.
    pub fn to_frame(&self, matrix: ColourMatrix, range: ColourRange) -> Result<Frame> {
        let (half_width, half_height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let chroma = half_width * half_height;
        for (what, found, expected) in [
            ("the Y plane", self.y.len(), self.width * self.height),
            ("the U plane", self.u.len(), chroma),
            ("the V plane", self.v.len(), chroma),
        ] {
            if found != expected {
                return Err(Error::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        let f = Factors::new(matrix, range);
        let part = |step: i32, factor: i32| (8 * step * factor) >> 16;
        let mut rgb = Vec::with_capacity(self.y.len() * 3);
        for (row, luma) in self.y.chunks_exact(self.width.max(1)).enumerate() {
            let chroma = row / 2 * half_width..(row / 2 + 1) * half_width;
            let (us, vs) = (&self.u[chroma.clone()], &self.v[chroma]);
            for (column, &y) in luma.iter().enumerate() {
                let (u, v) = (
                    i32::from(us[column / 2]) - 128,
                    i32::from(vs[column / 2]) - 128,
                );
                let y = part(i32::from(y) - f.black, f.y);
                let green = part(u, f.gu) + part(v, f.gv);
                rgb.extend([y + part(v, f.rv), y + green, y + part(u, f.bu)].map(to_step));
            }
        }
        Frame::new(self.width, self.height, rgb)
    }

    /// A frame as planes of BT.601 and limited range; an odd side gets its last row or column twice.
    pub fn from_frame(frame: &Frame) -> Self {
        let (width, height) = (
            frame.width().next_multiple_of(2),
            frame.height().next_multiple_of(2),
        );
        let pixel = |row: usize, column: usize| {
            let at =
                (row.min(frame.height() - 1) * frame.width() + column.min(frame.width() - 1)) * 3;
            [frame.rgb()[at], frame.rgb()[at + 1], frame.rgb()[at + 2]].map(f64::from)
        };
        let luma = |[r, g, b]: [f64; 3]| 0.299 * r + 0.587 * g + 0.114 * b;
        let y = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let y = y
            .map(|(row, column)| nearest_step(16.0 + 219.0 / 255.0 * luma(pixel(row, column))))
            .collect();
        let mut planes = Self {
            width,
            height,
            y,
            u: Vec::new(),
            v: Vec::new(),
        };
        for row in (0..height).step_by(2) {
            for column in (0..width).step_by(2) {
                let block =
                    [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| pixel(row + i, column + j));
                let mean =
                    [0, 1, 2].map(|channel| block.iter().map(|p| p[channel]).sum::<f64>() / 4.0);
                let light = luma(mean);
                planes.u.push(nearest_step(
                    128.0 + 224.0 / 255.0 * (mean[2] - light) / 1.772,
                ));
                planes.v.push(nearest_step(
                    128.0 + 224.0 / 255.0 * (mean[0] - light) / 1.402,
                ));
            }
        }
        planes
    }
}

fn to_step(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 255)).unwrap_or(u8::MAX)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of u8"
)]
fn nearest_step(value: f64) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn greys_survive_the_way_to_planes_and_back_within_a_step() {
        for grey in 0..=255u8 {
            let frame = Frame::new(2, 2, vec![grey; 12]).unwrap();
            let back = Planes::from_frame(&frame)
                .to_frame(ColourMatrix::Bt601, ColourRange::Limited)
                .unwrap();
            assert!(
                back.rgb().iter().all(|&step| step.abs_diff(grey) <= 1),
                "{grey}: {:?}",
                back.rgb()
            );
        }
    }

    #[test]
    fn an_odd_frame_is_padded_to_even_sides() {
        let planes = Planes::from_frame(&Frame::new(3, 1, vec![9; 9]).unwrap());
        assert_eq!(
            (planes.width, planes.height, planes.y.len(), planes.u.len()),
            (4, 2, 8, 2)
        );
    }

    #[test]
    fn a_plane_of_the_wrong_length_is_refused() {
        let planes = Planes {
            width: 2,
            height: 2,
            y: vec![0; 4],
            u: vec![],
            v: vec![0],
        };
        assert!(
            planes
                .to_frame(ColourMatrix::Bt709, ColourRange::Full)
                .is_err()
        );
    }
}
