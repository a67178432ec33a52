//! What was asked for, and how to ask for it again.

use crate::page::Section;
use crate::run::{Kind, Run};
use crate::words::quoted;
use serde_json::{Value, json};

/// The settings of a run and the commands that repeat it and its page.
pub(crate) fn section(run: &Run) -> Section {
    let folder = quoted(&run.path);
    let verb = match run.kind() {
        Kind::Solve => "solve",
        Kind::Fit => "fit",
        Kind::Model => {
            let commands = json!([["this page again", format!("raf report {folder}")]]);
            let data = json!({ "commands": commands, "config": "", "rows": [] });
            return Section::new("settings", "How to repeat it", "", data);
        }
    };
    let stopped = run.result.is_null() || run.result["outcome"] == "stopped";
    let again = if stopped {
        [
            "go on with this run",
            &format!("raf {verb} --resume {folder}"),
        ]
        .map(str::to_owned)
    } else {
        let config = quoted(&run.path.join("config.toml"));
        [
            "this run again, to the same bits",
            &format!("raf {verb} {config}"),
        ]
        .map(str::to_owned)
    };
    let keys = [
        "method",
        "parameters",
        "points",
        "steps",
        "seconds",
        "seed",
        "device",
        "precision",
        "version",
        "activation",
        "file",
    ];
    let rows = keys.iter().filter_map(|key| match &run.result[*key] {
        Value::Null => None,
        Value::String(text) => Some(json!([key, text])),
        number if *key == "seconds" => Some(json!([key, format!("{:.1}", number.as_f64()?)])),
        number => Some(json!([key, number.to_string()])),
    });
    let data = json!({
        "commands": [again, ["this page again".to_owned(), format!("raf report {folder}")]],
        "config": run.config, "rows": rows.collect::<Vec<_>>(),
    });
    let text = "config.toml in the run's folder has everything resolved.";
    Section::new("settings", "Settings, and how to repeat it", text, data)
}
