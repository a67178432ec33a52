//! What `raf paper` prints: the items, the sections that were asked for, the data that was fetched.

use crate::output::{Failure, Report};
use crate::progress::duration;
use rafnet_paper::{Asked, ITEMS, Item, Record, data, runs};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) fn list() -> Report {
    let mut text = String::new();
    let mut items = Vec::new();
    for item in &ITEMS {
        let _ = writeln!(text, "{:<18} {:<46} {}", item.id, item.place, item.title);
        items.push(json!({
            "item": item.id, "place": item.place, "title": item.title, "also": item.also,
        }));
    }
    let _ = writeln!(text, "{:<18} {:<46} fetch pictures and video", "data", "");
    Report {
        text,
        json: json!({ "outcome": "listed", "items": items, "version": env!("CARGO_PKG_VERSION") }),
        status: 0,
    }
}

pub(super) fn fetch(asked: &Asked) -> Result<Report, Failure> {
    let folder = asked.data.clone().unwrap_or_else(data::usual_folder);
    let found = data::fetch(&folder).map_err(|e| {
        let hint = "it takes Python with pip and a network; or copy the files by hand";
        Failure::new(e.to_string(), hint)
    })?;
    let mut text = String::new();
    for (file, said) in &found {
        let _ = writeln!(text, "{:<18} {said}", file.name);
    }
    let complete = found.iter().all(|(file, _)| file.find(&folder).is_some());
    let files: Vec<Value> = found
        .iter()
        .map(|(file, said)| json!({ "file": file.name, "found": said }))
        .collect();
    Ok(Report {
        text,
        json: json!({ "outcome": if complete { "done" } else { "incomplete" }, "files": files, "version": env!("CARGO_PKG_VERSION") }),
        status: u8::from(!complete),
    })
}

/// The sections of the chosen items, as they stand in the page.
pub(super) fn report(
    items: &[&Item],
    asked: &Asked,
    made: usize,
    seconds: f64,
    page: &str,
) -> Report {
    let mut text = String::new();
    for section in page.split("\n## ").skip(1) {
        let chosen =
            |item: &&Item| section.starts_with(&format!("{}: {}\n", item.place, item.title));
        if items.iter().any(chosen) {
            let _ = writeln!(text, "## {}\n", section.trim_end());
        }
    }
    let path = asked.out.join("RESULTS.md");
    let _ = writeln!(
        text,
        "{made} runs in {}; {}",
        duration(seconds),
        path.display()
    );
    let store = rafnet_paper::Store::of(asked);
    let records: Vec<Value> = runs(items, asked)
        .iter()
        .filter_map(|run| store.get(&run.key))
        .map(Record::into_json)
        .collect();
    let names: Vec<&str> = items.iter().map(|i| i.id).collect();
    Report {
        text,
        json: json!({
            "outcome": "done", "items": names, "runs": records, "made": made, "seconds": seconds, "results": path.display().to_string(),
            "budget": asked.budget.name(), "device": asked.device.to_string(), "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    }
}
