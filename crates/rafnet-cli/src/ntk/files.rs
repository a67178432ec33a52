//! Points to take a kernel at, and the kernel as a table.

use super::refused;
use crate::output::Failure;
use crate::table_file::{PointsFile, TableWriter};
use rafnet::ntk::{Of, Tangent};
use rafnet::problem::Problem;
use std::path::Path;

/// Most points that are read.
const MOST: usize = 100_000;

/// The points of a file, all of them in the domain.
pub(super) fn points(problem: &Problem, option: &str, path: &Path) -> Result<Vec<f64>, Failure> {
    let columns = problem.coordinates.join(", ");
    let hint = format!(
        "pass `{option}` with a .npy or .csv file whose columns are {columns}, in this order or by a header"
    );
    let fail = |message: String| Failure::new(message, hint.clone());
    let mut file =
        PointsFile::open(path, &problem.coordinates).map_err(|failure| fail(failure.message))?;
    let block = file.next_block(MOST + 1);
    let points = block.map_err(|failure| fail(failure.message))?;
    let n = points.len() / problem.coordinates.len();
    let name = path.display();
    if n == 0 {
        return Err(fail(format!("there are no points in `{name}`")));
    }
    if n > MOST {
        return Err(fail(format!("`{name}` has more than {MOST} points")));
    }
    let mut rows = points.chunks_exact(problem.coordinates.len());
    if let Some(k) = rows.position(|x| !problem.domain.contains(x)) {
        let x = &points[k * problem.coordinates.len()..][..problem.coordinates.len()];
        let message = format!("row {} of `{name}`, {x:?}, lies outside the domain", k + 1);
        return Err(fail(message));
    }
    Ok(points)
}

/// Θ, or Θ(x, X) of u at other points, a row of the file for each row of it.
pub(super) fn write_kernel(
    tangent: &mut Tangent,
    cross: Option<&[f64]>,
    path: &Path,
) -> Result<(), Failure> {
    let kernel = match cross {
        Some(points) => tangent.cross(Of::Value, points),
        None => tangent.gram(),
    };
    let kernel = kernel.map_err(refused)?;
    let columns: Vec<String> = (1..=kernel.n_columns).map(|k| format!("r{k}")).collect();
    let write = || {
        let mut table = TableWriter::create(path, &columns)?;
        table.write_rows(&kernel.values)?;
        table.finish()
    };
    write().map_err(|failure: Failure| {
        let hint = "pass `--kernel` with a .npy or .csv file in a folder that can be written";
        Failure::new(failure.message, hint)
    })
}
