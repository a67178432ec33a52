//! Grids as VTK files for ParaView: `.vtu`, one unstructured grid with a field for each column, and `.pvd`, which lists one for each time.
//!
//! Points outside the domain are left out, and with them every cell that has one at a corner. One coordinate gives lines, two quadrilaterals,
//! three hexahedra; numbers are f64, as bytes behind the text (`appended`, `raw`).

use crate::output::Failure;
use rafnet::model::AtomicFile;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What VTK calls cells of one, two and three dimensions, and how many corners they have.
const CELLS: [(u8, usize); 3] = [(3, 2), (9, 4), (12, 8)];

/// A grid with values at its points.
pub(super) struct Field<'a> {
    /// How many points along each axis, the last fastest.
    pub(super) sizes: &'a [usize],
    /// Their places, as many numbers a point as axes.
    pub(super) places: &'a [f64],
    /// Whether the domain holds them.
    pub(super) inside: &'a [bool],
    /// What the values are called.
    pub(super) names: &'a [String],
    /// The values, point by point.
    pub(super) rows: &'a [f64],
}

/// Writes a grid of one to three axes.
pub(super) fn write(path: &Path, field: &Field<'_>) -> Result<(), Failure> {
    let d = field.sizes.len();
    let mut numbers = vec![None; field.inside.len()];
    let kept: Vec<usize> = (0..field.inside.len())
        .filter(|k| field.inside[*k])
        .collect();
    for (number, &k) in kept.iter().enumerate() {
        numbers[k] = Some(signed(number));
    }
    let (kind, corners) = CELLS[d - 1];
    let connectivity = cells(field.sizes, &numbers);
    let n_cells = connectivity.len() / corners;
    let points: Vec<f64> = kept
        .iter()
        .flat_map(|k| {
            let place = &field.places[k * d..(k + 1) * d];
            (0..3).map(|axis| place.get(axis).copied().unwrap_or(0.0))
        })
        .collect();
    let offsets: Vec<i64> = (1..=n_cells).map(|k| signed(k * corners)).collect();
    let mut appended = Appended::default();
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
    );
    let _ = writeln!(
        text,
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{n_cells}\">",
        kept.len()
    );
    let _ = writeln!(
        text,
        "<Points>\n{}</Points>",
        appended.floats("Points", 3, &points)
    );
    let _ = writeln!(
        text,
        "<Cells>\n{}{}{}</Cells>",
        appended.integers("connectivity", &connectivity),
        appended.integers("offsets", &offsets),
        appended.array("UInt8", "types", 1, &vec![kind; n_cells])
    );
    text.push_str("<PointData>\n");
    for (c, name) in field.names.iter().enumerate() {
        let column: Vec<f64> = kept
            .iter()
            .map(|k| field.rows[k * field.names.len() + c])
            .collect();
        text.push_str(&appended.floats(name, 1, &column));
    }
    text.push_str(
        "</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
    );
    let tail = b"\n</AppendedData>\n</VTKFile>\n";
    put(path, &[text.as_bytes(), &appended.bytes, tail]).map_err(|e| unwritable(path, &e))
}

/// Writes the list of grids at their times, and says what these are called: `heat.pvd` has `heat-0000.vtu` and so on.
pub(super) fn write_list(path: &Path, times: &[f64]) -> Result<Vec<PathBuf>, Failure> {
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let names: Vec<String> = (0..times.len())
        .map(|k| format!("{stem}-{k:04}.vtu"))
        .collect();
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, name) in times.iter().zip(&names) {
        let _ = writeln!(
            text,
            "<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>",
            escaped(name)
        );
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    put(path, &[text.as_bytes()]).map_err(|e| unwritable(path, &e))?;
    Ok(names.iter().map(|name| path.with_file_name(name)).collect())
}

/// A number as VTK keeps it.
fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The corners of every cell, as VTK orders them, where all are kept.
fn cells(sizes: &[usize], numbers: &[Option<i64>]) -> Vec<i64> {
    let d = sizes.len();
    // steps to the next point along each axis
    let strides: Vec<usize> = (0..d).map(|k| sizes[k + 1..].iter().product()).collect();
    let around: &[&[usize]] = match d {
        1 => &[&[], &[0]],
        2 => &[&[], &[0], &[0, 1], &[1]],
        _ => &[&[], &[0], &[0, 1], &[1], &[2], &[0, 2], &[0, 1, 2], &[1, 2]],
    };
    let mut all = Vec::new();
    for first in 0..numbers.len() {
        let last = |k: usize| (first / strides[k]) % sizes[k] + 1 == sizes[k];
        if (0..d).any(last) {
            continue;
        }
        let corner =
            |axes: &&[usize]| numbers[first + axes.iter().map(|k| strides[*k]).sum::<usize>()];
        let corners: Option<Vec<i64>> = around.iter().map(corner).collect();
        all.extend(corners.into_iter().flatten());
    }
    all
}

/// Arrays behind the text, each after its length.
#[derive(Default)]
struct Appended {
    bytes: Vec<u8>,
}

impl Appended {
    fn floats(&mut self, name: &str, components: usize, values: &[f64]) -> String {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.array("Float64", name, components, &bytes)
    }

    fn integers(&mut self, name: &str, values: &[i64]) -> String {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.array("Int64", name, 1, &bytes)
    }

    /// The element that names an array, which is put behind the others.
    fn array(&mut self, kind: &str, name: &str, components: usize, bytes: &[u8]) -> String {
        let offset = self.bytes.len();
        self.bytes.extend((bytes.len() as u64).to_le_bytes());
        self.bytes.extend(bytes);
        format!(
            "<DataArray type=\"{kind}\" Name=\"{}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>\n",
            escaped(name)
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn put(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.commit()
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("cannot write `{}`: {error}", path.display()),
        "pass `-o` with a file in a folder that exists and may be written to",
    )
}

#[cfg(test)]
mod tests {
    use super::cells;

    /// Around a square and around a cube as VTK goes; a cell with a missing corner is left out.
    #[test]
    fn corners_of_cells() {
        let all = |n: i64| (0..n).map(Some).collect::<Vec<_>>();
        assert_eq!(cells(&[3], &all(3)), [0, 1, 1, 2]);
        // points (i, j) have the number 2 i + j
        assert_eq!(cells(&[2, 2], &all(4)), [0, 2, 3, 1]);
        assert_eq!(cells(&[2, 2, 2], &all(8)), [0, 4, 6, 2, 1, 5, 7, 3]);
        let mut without = all(6);
        without[5] = None;
        assert_eq!(cells(&[3, 2], &without), [0, 2, 3, 1]);
    }
}
