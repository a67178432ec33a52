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

/// Of every kind of numbered thing in the paper how many there are, as its LaTeX counts them.
#[test]
fn every_numbered_thing_of_the_paper_is_named() {
    let page = std::fs::read_to_string(root().join("PAPER.md")).unwrap();
    let first: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .collect();
    // "(23) to (26)" and "Figures 4 and 5" stand for all in them
    let names = |cell: &str, n: usize| {
        let numbers = |text: &str| -> Vec<usize> {
            let all = text.split(|c: char| !c.is_ascii_digit());
            all.filter_map(|t| t.parse().ok()).collect()
        };
        match cell.split_once(") to (") {
            Some((from, to)) => {
                let (from, to) = (numbers(from), numbers(to));
                from.last().is_some_and(|a| *a <= n) && to.first().is_some_and(|b| n <= *b)
            }
            None => cell.contains(&format!("({n})")),
        }
    };
    for n in 1..=31 {
        assert!(first.iter().any(|cell| names(cell, n)), "equation ({n})");
    }
    let things = [
        ("Theorem", 6),
        ("Lemma", 3),
        ("Definition", 1),
        ("Table", 5),
        ("Figure", 3),
    ];
    for (thing, count) in things {
        for n in 1..=count {
            let name = format!("{thing} {n}");
            assert!(first.iter().any(|cell| cell.starts_with(&name)), "{name}");
        }
    }
    assert!(first.iter().any(|c| c.starts_with("Figures 4 and 5")));
    for letter in 'a'..='h' {
        let known = Item::named(&format!("figure-{letter}")).is_some();
        assert!(known && page.contains(&format!("figure-{letter}`")));
    }
}

/// What `--with` may say is an option of `raf solve`.
#[test]
fn every_option_that_is_named_exists() {
    let page = std::fs::read_to_string(root().join("PAPER.md")).unwrap();
    let options = quoted(&page)
        .into_iter()
        .filter_map(|q| q.strip_prefix("--with "))
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, _)| *name != "NAME");
    let mut found = 0;
    for (name, value) in options {
        let value = if value == "…" { "0.1" } else { value };
        let set = rafnet::solve::Options::default().set(name, value);
        assert!(set.is_ok(), "{name}={value}");
        found += 1;
    }
    assert!(found >= 5, "{found}");
}

#[test]
fn every_page_that_is_linked_exists() {
    let page = std::fs::read_to_string(root().join("PAPER.md")).unwrap();
    let links = page.split("](").skip(1).filter_map(|l| l.split(')').next());
    for link in links.filter(|l| !l.starts_with("http")) {
        assert!(root().join(link).exists(), "{link}");
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
                "crates/rafnet-theory/src",
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
