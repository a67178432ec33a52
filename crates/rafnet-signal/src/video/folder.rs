//! Frames as pictures in a folder, both ways.
//!
//! Read in the order of their names, numbers within a name by their value, so that `9.png` comes before `10.png`;
//! written as `frame-000000.png` and so on.

use super::clip::check_size;
use super::{Frame, Sink, Source};
use crate::error::{Error, Result};
use crate::image::Image;
use std::path::{Path, PathBuf};

/// Pictures carry no time; this is what European television does.
const FRAMES_PER_SECOND: f64 = 25.0;

pub(super) struct FolderReader {
    files: Vec<PathBuf>,
    next: usize,
    width: usize,
    height: usize,
}

impl FolderReader {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(Error::io("read", folder))? {
            let path = entry.map_err(Error::io("read", folder))?.path();
            let extension = path
                .extension()
                .map(|text| text.to_string_lossy().to_lowercase());
            let hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if !hidden
                && extension.is_some_and(|text| ["png", "jpg", "jpeg"].contains(&text.as_str()))
            {
                files.push(path);
            }
        }
        files.sort_by_cached_key(|path| {
            name_key(&path.file_name().unwrap_or_default().to_string_lossy())
        });
        let Some(first) = files.first() else {
            let found = "no picture in this folder".to_owned();
            let expected = "one or more files with the extension png, jpg or jpeg".to_owned();
            return Err(Error::Range {
                what: "the number of frames",
                found,
                expected,
            }
            .within(folder));
        };
        let image = Image::open(first)?;
        Ok(Self {
            width: image.width(),
            height: image.height(),
            files,
            next: 0,
        })
    }
}

/// Letters as they are, runs of digits by their value.
fn name_key(name: &str) -> Vec<(bool, u128, String)> {
    let mut parts: Vec<(bool, u128, String)> = Vec::new();
    for letter in name.chars() {
        let digit = letter.is_ascii_digit();
        match parts.last_mut() {
            Some((is_number, _, text)) if *is_number == digit => text.push(letter),
            _ => parts.push((digit, 0, letter.to_string())),
        }
    }
    for (is_number, value, text) in &mut parts {
        if *is_number {
            // numbers beyond 38 digits are compared as texts
            *value = text.parse().unwrap_or(u128::MAX);
        }
    }
    parts
}

impl Source for FolderReader {
    fn width(&self) -> usize {
        self.width
    }

    fn height(&self) -> usize {
        self.height
    }

    fn frames_per_second(&self) -> f64 {
        FRAMES_PER_SECOND
    }

    fn n_frames(&self) -> usize {
        self.files.len()
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        let Some(path) = self.files.get(self.next) else {
            return Ok(None);
        };
        let frame = Frame::from_image(&Image::open(path)?);
        check_size(self.next, &frame, self.width, self.height)
            .map_err(|error| error.within(path))?;
        self.next += 1;
        Ok(Some(frame))
    }
}

pub(super) struct FolderWriter {
    folder: PathBuf,
    next: usize,
}

impl FolderWriter {
    pub(super) fn create(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::io("write", folder))?;
        let n_files = std::fs::read_dir(folder)
            .map_err(Error::io("read", folder))?
            .count();
        if n_files > 0 {
            return Err(Error::Range {
                what: "the number of files in the folder for frames",
                found: n_files.to_string(),
                expected: "0; choose a new or empty folder".to_owned(),
            }
            .within(folder));
        }
        Ok(Self {
            folder: folder.to_owned(),
            next: 0,
        })
    }
}

impl Sink for FolderWriter {
    fn write_frame(&mut self, frame: &Frame) -> Result<()> {
        frame
            .to_image()
            .save(self.folder.join(format!("frame-{:06}.png", self.next)))?;
        self.next += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_by_their_value() {
        let mut names = ["f10.png", "f9.png", "f010b.png", "a.png", "f1.png"];
        names.sort_by_cached_key(|name| name_key(name));
        assert_eq!(names, ["a.png", "f1.png", "f9.png", "f010b.png", "f10.png"]);
    }
}
