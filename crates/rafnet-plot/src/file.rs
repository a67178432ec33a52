//! A drawing as a file: the name says the format, and the file appears whole or not at all.

use crate::{PlotError, pdf};
use kuva::backend::{png::PngBackend, svg::SvgBackend};
use kuva::render::render::Scene;
use std::io::Write;
use std::path::Path;

/// Pixels of a PNG for one unit of a drawing.
const PIXELS: f32 = 1.5;

pub(crate) fn write(path: &Path, scene: &Scene) -> Result<(), PlotError> {
    write_scaled(path, scene, PIXELS)
}

/// The same with so many pixels of a PNG for one unit.
pub(crate) fn write_scaled(path: &Path, scene: &Scene, pixels: f32) -> Result<(), PlotError> {
    let ending = path.extension().map(|e| e.to_ascii_lowercase());
    let failed = |reason: String| PlotError::Drawing {
        path: path.into(),
        reason,
    };
    let bytes = match ending.as_ref().and_then(|e| e.to_str()) {
        Some("svg") => SvgBackend::default().render_scene(scene).into_bytes(),
        Some("png") => {
            let drawn = PngBackend::new().with_scale(pixels).render_scene(scene);
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

/// A drawing as a picture: width, height, 8-bit RGB by rows.
pub(crate) fn pixels(scene: &Scene, scale: f32) -> Result<([usize; 2], Vec<u8>), PlotError> {
    let failed = |reason: String| PlotError::Drawing {
        path: "a frame".into(),
        reason,
    };
    let drawn = PngBackend::new()
        .with_scale(scale)
        .render_scene(scene)
        .map_err(failed)?;
    let decode = || {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(drawn));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info()?;
        let mut bytes = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let info = reader.next_frame(&mut bytes)?;
        bytes.truncate(info.buffer_size());
        Ok((info, bytes))
    };
    let (info, bytes) = decode().map_err(|e: png::DecodingError| failed(e.to_string()))?;
    let samples = info.color_type.samples();
    let rgb = match samples {
        1 => bytes.iter().flat_map(|v| [*v; 3]).collect(),
        n => bytes
            .chunks_exact(n)
            .flat_map(|p| [p[0], p[1 % n], p[2 % n]])
            .collect(),
    };
    Ok(([info.width as usize, info.height as usize], rgb))
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
