//! The floors: a room of the library names only rooms on floors below its own.
//!
//! Every file under `src/<room>/` of `rafnet` and of `rafnet-engine` is read, its unit tests included, and every `crate::…` path in it (and every chain of
//! `super::` that leaves the room) must lead to the room itself or to one of a floor further down. Comments are free to
//! point anywhere. Inside a room, its own rooms and files may name each other, but never in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Top to bottom; rooms of one floor do not name each other.
const FLOORS: [&[&str]; 13] = [
    &["solve", "fit", "ntk"],
    &["frozen", "waves"],
    &["posed", "run"],
    &["problem"],
    &["model"],
    &["engine"],
    &["optimise"],
    &["network"],
    &["activation"],
    &["basis"],
    &["domain"],
    &["expr"],
    &["simd", "halt"],
];

/// Which floor a room is on, counted from the top.
fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The first name of a path that starts at the crate's root, and the line it stands on.
#[derive(Debug, PartialEq)]
struct Mention {
    name: String,
    line: usize,
}

/// Every way in which `text`, a module `depth` steps below the crate's root, names something at the root.
fn mentions(text: &str, depth: usize) -> Vec<Mention> {
    mentions_of("crate::", text, depth, &|name| floor(name).is_some())
}

/// The same of any other root, whose rooms are known by name.
fn mentions_of(
    root: &str,
    text: &str,
    depth: usize,
    is_room: &dyn Fn(&str) -> bool,
) -> Vec<Mention> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices(root) {
        if !code[..at].ends_with(is_name) {
            names_after(&code, at + root.len(), &mut found);
        }
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with(is_name) || code[..at].ends_with("super::") {
            continue;
        }
        let after = code[at..].trim_start_matches("super::");
        let steps = (code.len() - at - after.len()) / "super::".len();
        // a unit test's module is one step further down, so only what is a room's name counts
        if steps >= depth {
            let mut names = Vec::new();
            names_after(&code, code.len() - after.len(), &mut names);
            names.retain(|m| is_room(&m.name));
            found.append(&mut names);
        }
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The names that follow a path's start: one, or the first of each entry of a braced group.
fn names_after(code: &str, at: usize, found: &mut Vec<Mention>) {
    let rest = &code[at..];
    let mut take = |offset: usize| {
        let tail = &rest[offset..];
        let start = offset + tail.len() - tail.trim_start().len();
        let name: String = rest[start..].chars().take_while(|&c| is_name(c)).collect();
        let line = 1 + code[..at + start].matches('\n').count();
        if !name.is_empty() {
            found.push(Mention { name, line });
        }
    };
    if !rest.trim_start().starts_with('{') {
        return take(0);
    }
    let mut level = 0;
    for (i, c) in rest.char_indices() {
        match c {
            '{' => {
                level += 1;
                if level == 1 {
                    take(i + 1);
                }
            }
            '}' if level == 1 => return,
            '}' => level -= 1,
            ',' if level == 1 => take(i + 1),
            _ => {}
        }
    }
}

/// What is wrong with a file of `room`, one message for each mention.
fn violations(room: &str, file: &str, depth: usize, text: &str) -> Vec<String> {
    let Some(own) = floor(room) else {
        return vec![format!(
            "{file}: the room `{room}` has no floor; give it one in `FLOORS` in tests/floors.rs"
        )];
    };
    let below = match FLOORS[own + 1..].concat()[..] {
        [] => "nothing".to_owned(),
        ref below => below.join(", "),
    };
    mentions(text, depth)
        .into_iter()
        .filter_map(|Mention { name, line }| match floor(&name) {
            Some(other) if other > own || name == room => None,
            Some(other) => {
                let place = if other == own { "beside" } else { "above" };
                Some(format!(
                    "{file}:{line}: `{room}` names `crate::{name}`, a room {place} it; `{room}` may use {below}"
                ))
            }
            None => Some(format!(
                "{file}:{line}: `{room}` names `crate::{name}`, which is no room; name it by the room it lives in"
            )),
        })
        .collect()
}

/// Every Rust file at or below a path.
fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(path)
            .expect("a readable folder")
            .map(|entry| entry.expect("a readable entry").path())
            .collect();
        entries.sort();
        for entry in &entries {
            files(entry, found);
        }
    } else if path.extension().is_some_and(|e| e == "rs") {
        found.push(path.to_owned());
    }
}

#[test]
fn each_room_names_only_rooms_below_it() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = [own.join("src"), own.join("../rafnet-engine/src")];
    let mut all = Vec::new();
    for source in &sources {
        files(source, &mut all);
    }
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in &all {
        let inside = sources.iter().find_map(|s| path.strip_prefix(s).ok());
        let inside = inside.expect("a file of the library");
        let steps: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
        if steps == ["lib.rs"] {
            continue;
        }
        let room = steps[0].trim_end_matches(".rs");
        let depth = steps.len() - usize::from(steps.ends_with(&["mod.rs"]));
        let text = fs::read_to_string(path).expect("a readable file");
        let file = format!("src/{}", steps.join("/"));
        seen += mentions(&text, depth).len();
        wrong.append(&mut violations(room, &file, depth, &text));
    }
    assert!(seen > 20, "the test reads nothing: {seen} mentions");
    assert!(
        wrong.is_empty(),
        "{} edges that do not lead down:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Which of its rooms a room's own names come from: `use lsq::{Solution, solve};` makes both names `lsq`'s.
fn origins(text: &str) -> BTreeMap<String, String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let mut from = BTreeMap::new();
    for statement in code.split(';') {
        let statement = statement.trim();
        if let Some((_, name)) = statement.split_once("mod ") {
            from.insert(name.to_owned(), name.to_owned());
        }
        let Some((before, path)) = statement.split_once("use ") else {
            continue;
        };
        let Some((room, names)) = path.split_once("::").filter(|_| before.contains("pub")) else {
            continue;
        };
        for name in names.trim_matches(['{', '}']).split(',') {
            from.insert(name.trim().to_owned(), room.to_owned());
        }
    }
    from
}

/// Which rooms inside a room name which others.
fn inside(room: &str, source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let folder = source.join(room);
    let from = origins(&fs::read_to_string(folder.join("mod.rs")).expect("a room's first file"));
    let mut all = Vec::new();
    files(&folder, &mut all);
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in &all {
        let steps = path.strip_prefix(&folder).expect("a file of the room");
        let steps: Vec<&str> = steps.iter().filter_map(|part| part.to_str()).collect();
        if steps == ["mod.rs"] {
            continue;
        }
        let own = steps[0].trim_end_matches(".rs");
        let depth = steps.len() - usize::from(steps.ends_with(&["mod.rs"]));
        let text = fs::read_to_string(path).expect("a readable file");
        let root = format!("crate::{room}::");
        let named = mentions_of(&root, &text, depth, &|name| from.contains_key(name));
        let named = named.iter().filter_map(|m| from.get(&m.name));
        let named = named.filter(|other| *other != own).cloned();
        edges.entry(own.to_owned()).or_default().extend(named);
    }
    edges
}

/// Rooms that lead back to the first one, if there are any.
fn circle(edges: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn back(
        edges: &BTreeMap<String, BTreeSet<String>>,
        way: &mut Vec<String>,
        seen: &mut BTreeSet<String>,
    ) -> bool {
        let here = way.last().expect("a room to begin with").clone();
        for next in edges.get(&here).into_iter().flatten() {
            if *next == way[0] {
                return true;
            }
            if seen.insert(next.clone()) {
                way.push(next.clone());
                if back(edges, way, seen) {
                    return true;
                }
                way.pop();
            }
        }
        false
    }
    edges.keys().find_map(|first| {
        let mut way = vec![first.clone()];
        back(edges, &mut way, &mut BTreeSet::new()).then_some(way)
    })
}

#[test]
fn rooms_inside_a_room_form_no_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ["solve", "frozen", "waves"] {
        let edges = inside(room, &source);
        let count: usize = edges.values().map(BTreeSet::len).sum();
        assert!(count > 3, "the test reads nothing of `{room}`: {count}");
        assert_eq!(circle(&edges), None, "in `{room}`: {edges:#?}");
    }
}

#[test]
fn a_circle_is_found() {
    let edges = |pairs: &[[&str; 2]]| {
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for [from, to] in pairs {
            let others = edges.entry((*from).to_owned()).or_default();
            others.insert((*to).to_owned());
        }
        edges
    };
    let round = edges(&[["a", "b"], ["b", "c"], ["c", "b"]]);
    assert_eq!(circle(&round), Some(vec!["b".to_owned(), "c".to_owned()]));
    assert_eq!(circle(&edges(&[["a", "b"], ["a", "c"], ["b", "c"]])), None);
    let from = origins("mod a;\npub(super) mod b;\npub use a::{Found, find};\nuse b::Hidden;\n");
    assert_eq!(from["Found"], "a");
    assert_eq!(from["b"], "b");
    assert!(!from.contains_key("Hidden"));
}

/// Engines by name, in code: whoever computes asks a `Device`.
fn names_an_engine(text: &str) -> bool {
    let code = text
        .lines()
        .map(|l| l.split("//").next().unwrap_or_default());
    let names = [
        "CpuEngine",
        "ReferenceEngine",
        "engine::cpu",
        "engine::reference",
        "ridges::cpu",
        "ridges::reference",
    ];
    code.into_iter()
        .any(|line| names.iter().any(|name| line.contains(name)))
}

#[test]
fn nobody_outside_its_room_names_an_engine() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    files(&crates, &mut all);
    let inside = crates.join("rafnet-engine/src/engine");
    let wrong: Vec<_> = all
        .iter()
        .filter(|path| !path.starts_with(&inside) && !path.ends_with("tests/floors.rs"))
        .filter(|path| names_an_engine(&fs::read_to_string(path).unwrap_or_default()))
        .collect();
    assert!(all.len() > 100, "the test reads nothing");
    assert!(
        wrong.is_empty(),
        "an engine is named in {wrong:?}; ask a `Device` for one"
    );
    assert!(names_an_engine("let e = CpuEngine::new();"));
    assert!(names_an_engine("ridges::cpu::sweep(&layer, places)"));
    assert!(!names_an_engine("// as CpuEngine does"));
}

#[test]
fn an_upward_edge_is_caught_where_it_stands() {
    let text = "use crate::simd::Real;\n\nfn f() -> crate::engine::Columns {\n    todo()\n}\n";
    let wrong = violations("basis", "src/basis/made_up.rs", 2, text);
    assert_eq!(
        wrong,
        [
            "src/basis/made_up.rs:3: `basis` names `crate::engine`, a room above it; `basis` may use domain, expr, simd, halt"
        ]
    );
}

#[test]
fn rooms_of_one_floor_stay_apart() {
    let wrong = violations("ntk", "src/ntk/made_up.rs", 2, "use crate::solve::Options;");
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].contains("`ntk` names `crate::solve`, a room beside it"));
    let own = "use crate::{ntk::Mode, posed::Terms};";
    assert!(violations("ntk", "src/ntk/made_up.rs", 2, own).is_empty());
}

#[test]
fn no_spelling_gets_past() {
    let caught = |depth, text: &str| violations("expr", "f.rs", depth, text).len();
    assert_eq!(
        caught(1, "use crate::{simd::Real, engine::{A, B}, solve};"),
        2
    );
    assert_eq!(
        caught(
            1,
            "use crate::{\n    engine,\n};\n#[cfg(test)]\nmod tests {\n    use crate::model::Model;\n}"
        ),
        2
    );
    assert_eq!(
        caught(1, "use super::domain::Shape;"),
        1,
        "out of src/expr/mod.rs"
    );
    assert_eq!(caught(2, "use super::super::network::Network;"), 1);
    assert_eq!(caught(2, "use super::domain;"), 0, "a module of expr's own");
    assert_eq!(caught(1, "use crate::Everything;"), 1, "not a room");
    assert_eq!(
        caught(1, "/// See [`crate::engine`].\nuse crate::expr::Leaf;"),
        0
    );
    assert!(violations("utils", "f.rs", 1, "")[0].contains("no floor"));
}
