//! Cropping: a rectangle of a picture as a picture of its own.

use super::{Image, Samples};
use crate::error::{Error, Result};

impl Image {
    /// The rectangle of `width` × `height` pixels whose upper left pixel is (`left`, `top`).
    ///
    /// # Errors
    /// If the rectangle is empty or leaves the picture.
    pub fn crop(&self, left: usize, top: usize, width: usize, height: usize) -> Result<Self> {
        let across = ("the crop's horizontal range", left, width, self.width);
        let down = ("the crop's vertical range", top, height, self.height);
        for (what, start, length, whole) in [across, down] {
            if length == 0 || start.checked_add(length).is_none_or(|end| end > whole) {
                return Err(Error::Range {
                    what,
                    found: format!("{length} pixels from {start}"),
                    expected: format!("one or more pixels within the picture's {whole}"),
                });
            }
        }
        let rectangle = Rectangle {
            stride: self.width * self.channels.count(),
            start: left * self.channels.count(),
            length: width * self.channels.count(),
            top,
            height,
        };
        let samples = match &self.samples {
            Samples::Eight(samples) => Samples::Eight(rectangle.cut(samples)),
            Samples::Sixteen(samples) => Samples::Sixteen(rectangle.cut(samples)),
            Samples::Float(samples) => Samples::Float(rectangle.cut(samples)),
        };
        Ok(Self {
            width,
            height,
            channels: self.channels,
            samples,
        })
    }
}

/// A rectangle counted in samples.
struct Rectangle {
    stride: usize,
    start: usize,
    length: usize,
    top: usize,
    height: usize,
}

impl Rectangle {
    fn cut<T: Copy>(&self, samples: &[T]) -> Vec<T> {
        let rows = samples
            .chunks_exact(self.stride)
            .skip(self.top)
            .take(self.height);
        rows.flat_map(|row| &row[self.start..self.start + self.length])
            .copied()
            .collect()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::Channels;
    use super::*;

    #[test]
    fn a_crop_takes_the_named_pixels() {
        let picture = Image::new(4, 3, Channels::Grey, Samples::Eight((0..12).collect())).unwrap();
        let cut = picture.crop(1, 1, 2, 2).unwrap();
        assert_eq!(cut.samples(), &Samples::Eight(vec![5, 6, 9, 10]));
        assert_eq!(picture.crop(0, 0, 4, 3).unwrap(), picture);
    }

    #[test]
    fn a_crop_beyond_the_picture_is_refused() {
        let picture = Image::new(4, 3, Channels::Grey, Samples::Eight((0..12).collect())).unwrap();
        let error = picture.crop(3, 0, 2, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the crop's horizontal range is 2 pixels from 3, expected one or more pixels within the picture's 4"
        );
        assert!(picture.crop(0, 0, 0, 1).is_err());
        assert!(picture.crop(usize::MAX, 0, 2, 1).is_err());
    }
}
