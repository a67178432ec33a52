//! A drawing as a file: the name says the format, and the file appears whole or not at all.

use crate::{PlotError, pdf};
use kuva::backend::{png::PngBackend, svg::SvgBackend};
use kuva::render::render::Scene;
use std::io::Write;
use std::path::Path;

/// Pixels of a PNG for one unit of a drawing.
const PIXELS: f32 = 1.5;

pub(crate) fn write(path: &Path, scene: &Scene) -> Result<(), PlotError> {
    let ending = path.extension().map(|e| e.to_ascii_lowercase());
    let failed = |reason: String| PlotError::Drawing {
        path: path.into(),
        reason,
    };
    let bytes = match ending.as_ref().and_then(|e| e.to_str()) {
        Some("svg") => SvgBackend::default().render_scene(scene).into_bytes(),
        Some("png") => {
            let drawn = PngBackend::new().with_scale(PIXELS).render_scene(scene);
            drawn.map_err(failed)?
        }
        Some("pdf") => pdf::of(scene).map_err(failed)?,
        _ => return Err(PlotError::Format { path: path.into() }),
    };
    put(path, &bytes).map_err(|source| PlotError::Write {
        path: path.into(),
        source,
    })
}

/// Writes beside the place and renames.
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let written = std::fs::File::create(&beside).and_then(|mut file| file.write_all(bytes));
    let placed = written.and_then(|()| std::fs::rename(&beside, path));
    if placed.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    placed
}
