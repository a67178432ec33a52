//! The model that is meant: a file, or the folder of a run, which stands wherever a model may.

use crate::output::Failure;
use crate::run_folder::MODEL;
use std::path::{Path, PathBuf};

/// The file of a model that was named by itself or by its run's folder.
///
/// # Errors
/// If there is nothing of this name, or a folder without a model.
pub(crate) fn file(named: &Path) -> Result<PathBuf, Failure> {
    let shown = named.display();
    if named.is_dir() {
        let model = named.join(MODEL);
        if model.is_file() {
            return Ok(model);
        }
        let message = format!("the folder `{shown}` has no `{MODEL}`");
        let hint = if named.join("config.toml").is_file() {
            format!(
                "its run ended before it had an answer: `raf solve --resume {shown}` or `raf fit --resume {shown}` goes on"
            )
        } else {
            "name the folder of one run, such as `runs/heat-20260101-120000`, or a `.safetensors` file".to_owned()
        };
        return Err(Failure::new(message, hint));
    }
    if !named.exists() {
        let message = format!("cannot read the model `{shown}`: there is nothing of this name");
        return Err(Failure::new(message, hint(named)));
    }
    Ok(named.to_owned())
}

fn hint(named: &Path) -> String {
    let problem = named.extension().is_some_and(|e| e == "toml")
        || rafnet::Problem::builtin_text(&named.display().to_string()).is_some();
    if problem {
        return format!(
            "that is a problem: `raf solve {0} --out runs/mine`, then `runs/mine` in the place of `{0}`",
            named.display()
        );
    }
    "pass the folder of a run, such as `runs/heat-20260101-120000`, or its `model.safetensors`; `ls runs` shows yours".to_owned()
}
