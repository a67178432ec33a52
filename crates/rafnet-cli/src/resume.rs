//! Going on with a run: its checkpoint, or why there is no going on.

use crate::output::{Failure, warn};
use crate::run_folder::RunFolder;
use rafnet::engine::Device;
use rafnet::run::{Checkpoint, CheckpointError};
use std::path::Path;

/// The file of a run's state.
pub(crate) const CHECKPOINT: &str = "checkpoint.safetensors";

/// The checkpoint of the run in a folder, if it wrote one, once `accepts` agrees that it is of this run; `command` is the one to type.
pub(crate) fn checkpoint(
    folder: &Path,
    command: &str,
    accepts: impl FnOnce(&Checkpoint) -> Result<(), CheckpointError>,
) -> Result<Option<Checkpoint>, Failure> {
    let path = folder.join(CHECKPOINT);
    if !path.exists() {
        return Ok(None);
    }
    let found = Checkpoint::load(&path).and_then(|found| accepts(&found).map(|()| found));
    found.map(Some).map_err(|e| refused(folder, command, &e))
}

/// Warns where a run goes on with another device than it had, and says so for the run's file.
pub(crate) fn moved(checkpoint: Option<&Checkpoint>, device: Device) -> Option<String> {
    let moved = checkpoint?.moved(device)?;
    warn(&moved);
    Some(moved)
}

/// Writes the state of a run.
pub(crate) fn save(checkpoint: &Checkpoint, folder: &RunFolder) -> Result<(), Failure> {
    let saved = checkpoint.save(folder.own(CHECKPOINT));
    let hint = "make room or pass `--out` with a folder that can be written";
    saved.map_err(|e| Failure::new(e.to_string(), hint))
}

fn refused(folder: &Path, command: &str, error: &CheckpointError) -> Failure {
    let reason = match error {
        CheckpointError::File { source, .. } => source,
        other => other,
    };
    let shown = folder.display();
    let hint = match reason {
        CheckpointError::OtherRun { part, .. } => format!(
            "give `{part}` its old value, or start anew in another folder: raf {command} {shown}/config.toml --out ANOTHER"
        ),
        _ => format!("delete `{shown}/{CHECKPOINT}`; the run then starts from its beginning"),
    };
    Failure::new(
        format!("cannot resume `{shown}` from its checkpoint: {reason}"),
        hint,
    )
}
