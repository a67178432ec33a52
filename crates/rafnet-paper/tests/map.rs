//! `PAPER.md` tells the truth: every command, file and folder that it names exists.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rafnet_paper::{ITEMS, Item};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Everything between backquotes.
fn quoted(page: &str) -> Vec<&str> {
    page.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_item_that_is_named_exists() {
    let page = std::fs::read_to_string(root().join("PAPER.md")).unwrap();
    let commands = quoted(&page);
    let commands = commands.iter().filter_map(|q| q.strip_prefix("raf paper "));
    let names: Vec<&str> = commands
        .filter_map(|c| c.split_whitespace().next())
        .collect();
    assert!(names.len() > 10);
    for name in names.iter().filter(|n| !n.starts_with("--")) {
        assert!(!Item::all_named(name).is_empty(), "{name}");
    }
    // and every item is named: by itself, by another of its names, or as a column of Table 3
    for item in &ITEMS {
        let known = [item.id].into_iter().chain(item.also.iter().copied());
        let known = known.collect::<Vec<_>>();
        let there = known.iter().any(|n| {
            page.contains(&format!("`raf paper {n}`")) || page.contains(&format!("`{n}`"))
        });
        assert!(there, "no word on {}", item.id);
    }
}

#[test]
fn every_file_that_is_named_exists() {
    let page = std::fs::read_to_string(root().join("PAPER.md")).unwrap();
    let (mut found, mut folder) = (0, root().to_path_buf());
    for line in page.lines() {
        // a table's head names the folder of its files
        let names = quoted(line);
        for name in names.iter().filter(|n| {
            let ending = Path::new(n).extension();
            let file = ending.is_some_and(|e| e == "rs" || e == "toml");
            !n.contains(' ') && (n.contains('/') || file)
        }) {
            let whole = root().join(name);
            let beside = [
                "crates/rafnet-paper/src/experiments",
                "crates/rafnet-paper/src",
                "crates/rafnet/src/theory",
                "crates/rafnet/problems",
            ];
            let beside = beside.iter().any(|f| root().join(f).join(name).exists());
            assert!(
                whole.exists() || beside || folder.join(name).exists(),
                "{name}"
            );
            if let Some(parent) = whole.parent().filter(|_| whole.exists()) {
                folder = parent.into();
            }
            found += 1;
        }
    }
    assert!(found > 25, "{found}");
}
