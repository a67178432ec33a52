//! `RESULTS.md`: every section from the records that are there, with the command that made them.

use crate::experiments::opening;
use crate::record::write;
use crate::{Asked, Item, PaperError, Preset, Store, missing};
use std::fmt::Write as _;

/// Draws the figures and writes `RESULTS.md` into the folder; returns its text.
///
/// # Errors
/// [`PaperError`] if a file cannot be written.
pub fn write_results(items: &[&Item], asked: &Asked) -> Result<String, PaperError> {
    let store = Store::of(asked);
    std::fs::create_dir_all(store.figure("")).map_err(|source| PaperError::Write {
        path: store.figure(""),
        source,
    })?;
    let mut page = head(asked);
    let _ = writeln!(page, "\n{}", opening(asked, &store).text());
    for item in items {
        let _ = writeln!(page, "\n## {}: {}\n", item.place, item.title);
        let section = (item.section)(asked, &store);
        let _ = writeln!(page, "{}", section.text());
        for (path, what) in &section.figures {
            let path = path.strip_prefix(&asked.out).unwrap_or(path);
            let pdf = path.with_extension("pdf");
            let _ = writeln!(
                page,
                "\n![{what}]({})\n\n[as PDF]({})",
                path.display(),
                pdf.display()
            );
        }
        let _ = writeln!(page, "\n{}", made(item, asked, &store));
    }
    write(&asked.out.join("RESULTS.md"), page.as_bytes())?;
    Ok(page)
}

fn head(asked: &Asked) -> String {
    let what = asked.by_budget(
        "**Budget: toy.** These numbers say that everything runs, and nothing else.",
        "**Budget: quick.** Sizes and steps are cut down to minutes: an order can be seen, the paper's numbers cannot be expected.",
        "Budget: full, the paper's own sizes. A cell marked ᵃ was run for the share of a full budget's steps that stands beside it, pictures, sounds and video with their whole schedule within it. Several seeds: the median (of two the mean) and the range. A cell is empty where nothing was run or published; the command below a table makes what is missing, with `--out .` from the files that are here.",
    );
    format!(
        "# Results\n\nThe tables and figures of the RAF paper (arXiv 2101.04844), the paper's number beside ours; [PAPER.md](PAPER.md) says where each is in \
         the code, and where the paper and its published code differ. Written by `raf paper`, never by hand; every number is in a small JSON \
         file under `results/{}/` with its settings, seed, seconds, device, threads, version and commit. Seconds are of a machine that had other \
         work to do.\n\n{what}\n",
        asked.budget.name()
    )
}

/// How a section was made, and how to make what is missing.
fn made(item: &Item, asked: &Asked, store: &Store) -> String {
    let everything = Asked {
        track: None,
        steps: None,
        only: None,
        ..asked.clone()
    };
    let runs = item.runs(&everything);
    let records: Vec<_> = runs.iter().filter_map(|run| store.get(&run.key)).collect();
    let seconds: f64 = records.iter().filter_map(|r| r.seconds()).sum();
    let mut commits: Vec<&str> = records
        .iter()
        .filter_map(|r| r.0["commit"].as_str())
        .collect();
    commits.sort_unstable();
    commits.dedup();
    let mut command = format!("raf paper {} --budget {}", item.id, asked.budget.name());
    if asked.preset != Preset::Default {
        let _ = write!(command, " --preset {}", asked.preset.name());
    }
    for (name, value) in &asked.with {
        let _ = write!(command, " --with {name}={value}");
    }
    if runs.is_empty() {
        return format!("`{command}`");
    }
    if records.is_empty() {
        return format!("Not run: `{command}`.");
    }
    let mut text = format!(
        "`{command}`: {} of {} runs, {seconds:.0} s, commit {}.",
        records.len(),
        runs.len(),
        commits.join(", ")
    );
    let rest = missing(&[item], &everything);
    if !rest.is_empty() {
        let names: Vec<String> = rest
            .iter()
            .take(6)
            .map(|r| format!("`{}`", r.key))
            .collect();
        let more = if rest.len() > 6 { ", …" } else { "" };
        let _ = write!(
            text,
            " Not run in full: {}{more}; the same command makes them.",
            names.join(", ")
        );
    }
    text
}
