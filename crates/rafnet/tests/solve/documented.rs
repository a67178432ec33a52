//! The examples of docs/reference/problem-file.md: each is a whole problem file, and those with an exact solution reach it.

use crate::{options, solve};
use rafnet::problem::Problem;
use std::path::{Path, PathBuf};

/// An example and the heading below which it stands.
struct Example {
    heading: String,
    text: String,
}

/// The fenced blocks of one language.
fn examples(page: &str, language: &str) -> Vec<Example> {
    let (mut examples, mut heading, mut open) = (Vec::new(), String::new(), None);
    for line in page.lines() {
        match (&mut open, line) {
            (None, _) if line.starts_with('#') => line.clone_into(&mut heading),
            (None, _) => open = line.strip_prefix("```").map(|name| (name, String::new())),
            (Some((name, text)), "```") => {
                if *name == language {
                    examples.push(Example {
                        heading: heading.clone(),
                        text: std::mem::take(text),
                    });
                }
                open = None;
            }
            (Some((_, text)), _) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    examples
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/problem-file.md");
    std::fs::read_to_string(path).expect("the page on problem files")
}

/// A folder with the page's tables, each named by its first line.
fn folder(page: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("rafnet-documented-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for table in examples(page, "csv") {
        let name = table.text.lines().next().and_then(|l| l.strip_prefix("# "));
        std::fs::write(folder.join(name.expect("a name")), &table.text).expect("a table");
    }
    folder
}

#[test]
fn every_example_holds() {
    let page = page();
    let folder = folder(&page);
    let examples = examples(&page, "toml");
    assert!(examples.len() >= 15, "{} examples", examples.len());
    let mut solved_some = 0;
    for Example { heading, text } in examples {
        let problem = Problem::from_text(&text, "example.toml", Some(&folder))
            .unwrap_or_else(|error| panic!("{heading}\n{error}"));
        assert!(problem.warnings().is_empty(), "{heading}");
        if problem.exact.iter().all(Option::is_none) {
            continue;
        }
        let solved = solve(&problem, &options());
        for error in solved.relative_l2_by.iter().flatten() {
            // what the page promises of its own examples
            assert!(*error < 1e-8, "{heading}: {error:.1e}\n{text}");
        }
        solved_some += 1;
    }
    assert!(solved_some >= 10, "{solved_some} solved");
    std::fs::remove_dir_all(folder).expect("a folder of our own");
}

/// No part of the format is left out.
#[test]
fn every_key_is_named() {
    let page = page();
    for key in [
        "name",
        "about",
        "unknowns",
        "[domain]",
        "[parameters]",
        "[functions]",
        "[features]",
        "[equation]",
        "[[boundary]]",
        "[[initial]]",
        "[[condition]]",
        "[[data]]",
        "[exact]",
        "[ansatz]",
        "[guess]",
        "[network]",
        "[solver]",
        "[eigenvalue]",
        "operator",
        "normalise",
        "count",
        "positive",
        "kind",
        "dimension",
        "each",
        "coordinates",
        "center",
        "radius",
        "inner",
        "outer",
        "vertices",
        "parts",
        "time",
        "periodic",
        "residual",
        "source",
        "on",
        "dirichlet",
        "neumann",
        "robin",
        "unknown",
        "enforce",
        "weight",
        "points",
        "mean",
        "value",
        "file",
        "rows",
        "observe",
        "sigma",
        "factor",
        "lift",
        "find",
        "start",
        "out",
        "interval",
        "box",
        "ball",
        "annulus",
        "polygon",
        "union",
        "difference",
        "intersection",
    ] {
        let quoted = [format!("`{key}`"), format!("`{key} "), format!("\"{key}\"")];
        assert!(
            quoted.iter().any(|q| page.contains(q)),
            "no word on `{key}`"
        );
    }
}
