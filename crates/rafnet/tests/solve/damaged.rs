//! The fuzz targets' own checks over texts that are damaged at random, from fixed seeds.

use crate::Random;
use rafnet::problem::Problem;
use std::time::Instant;

#[path = "../../../../fuzz/checks.rs"]
mod checks;

/// What is put in: pieces of the formats that are most likely to meet a gap.
const TOKENS: [&str; 40] = [
    "0",
    "1",
    "-1",
    "1e999",
    "1e-300",
    "nan",
    "inf",
    "9999999999",
    "0x10",
    "\"\"",
    "\"x\"",
    "[]",
    "[0, 1]",
    "[[0, 1]]",
    "{}",
    "true",
    "1979-05-27",
    "=",
    "\"",
    "\n",
    "[domain]\n",
    "[[boundary]]\n",
    "periodic = [\"x\"]\n",
    "time = \"t\"\n",
    "x",
    "t",
    "u",
    "u_x",
    "u_n",
    "f",
    "pi",
    "sum(i, 1, 9, x)",
    "laplacian(u)",
    "grad(u)",
    "where(x > 0, 1, u)",
    "x[2]",
    "^",
    "(",
    ")",
    "é",
];

/// One change of a text: a character, a word or a line left out, doubled, moved or replaced.
fn damage(text: &mut String, random: &mut Random) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let at = places[random.below(places.len())];
    let after = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    let line_end = text[at..].find('\n').map_or(text.len(), |k| at + k + 1);
    let line_start = text[..at].rfind('\n').map_or(0, |k| k + 1);
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let word_end = text[at..].find(|c| !word(c)).map_or(text.len(), |k| at + k);
    let token = TOKENS[random.below(TOKENS.len())];
    let line = text[line_start..line_end].to_owned();
    match random.below(8) {
        0 => text.replace_range(at..after, ""),
        1 => text.replace_range(at..after, token),
        2 => text.insert_str(at, token),
        3 | 4 => text.replace_range(at..word_end, token),
        5 => text.replace_range(line_start..line_end, ""),
        6 => text.insert_str(line_start, &line),
        _ => {
            let to = places[random.below(places.len())];
            let to = text[..to].rfind('\n').map_or(0, |k| k + 1);
            text.insert_str(to, &line);
        }
    }
}

#[test]
fn damaged_problem_files() {
    let names = Problem::builtin_names();
    let (mut random, mut accepted) = (Random(0xF11E), 0);
    for round in 0..4000 {
        let text = Problem::builtin_text(names[round % names.len()].0);
        let mut text = text.expect("a built-in problem").to_owned();
        for _ in 0..=random.below(4) {
            damage(&mut text, &mut random);
        }
        accepted += usize::from(checks::problem(&text));
    }
    assert!(
        (200..3000).contains(&accepted),
        "{accepted} accepted: the test has lost its aim"
    );
}

/// The texts of the built-in problems, damaged in the same way.
#[test]
fn damaged_expressions() {
    let texts: Vec<&str> = Problem::builtin_names()
        .iter()
        .filter_map(|(name, _)| Problem::builtin_text(name))
        .flat_map(|text| text.split('"').skip(1).step_by(2))
        .filter(|text| text.contains(['*', '(']) && checks::expression(text))
        .collect();
    assert!(texts.len() > 20, "{}", texts.len());
    let (mut random, mut accepted) = (Random(0xE417), 0);
    for round in 0..8000 {
        let mut text = texts[round % texts.len()].to_owned();
        for _ in 0..=random.below(3) {
            damage(&mut text, &mut random);
        }
        accepted += usize::from(checks::expression(&text));
    }
    assert!(
        (400..6000).contains(&accepted),
        "{accepted} accepted: the test has lost its aim"
    );
}

/// The longest that a short text may take, in seconds of this thread: without a limit on sizes these take from ten seconds to for ever.
const LITTLE: f64 = 3.0;

/// Seconds that this thread has run, whatever else the machine does; of the clock where the system does not say.
fn seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat");
    let nanoseconds = told
        .ok()
        .and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

/// Runs a check, says how it ended, and fails where it took long.
fn quickly(text: &str, check: impl Fn(&str) -> bool) -> bool {
    let before = seconds();
    let accepted = check(text);
    let taken = seconds() - before;
    let shown: String = text.chars().take(60).collect();
    assert!(taken < LITTLE, "{taken:.1} s for `{shown}`");
    accepted
}

/// Texts that would cost much if nobody counted.
#[test]
fn short_texts_cost_little() {
    for (text, accepted) in [
        ("sum(i, 1, 10000, sum(j, 1, 10000, x))", false),
        ("prod(i, 1, 256, prod(j, 1, 256, x + i + j))", true),
        ("d(prod(i, 1, 256, sin(x*i)), x)", true),
        ("d(prod(i, 1, 256, sin(x*i)), x, x)", false),
        ("((((((((x^9)^9)^9)^9)^9)^9)^9)^9)^9", true),
        ("sum(i, 1, 1e300, x)", false),
        ("laplacian(exp(exp(exp(exp(exp(exp(x*y)))))))", true),
        ("x[99999999999]", false),
    ] {
        assert_eq!(quickly(text, checks::expression), accepted, "{text}");
    }
    let deep = format!("{}x{}", "(".repeat(5000), ")".repeat(5000));
    for long in [deep, "-".repeat(100_000), "x + ".repeat(20_000)] {
        assert!(!quickly(&long, checks::expression));
    }
    for domain in [
        "kind = \"box\"\ndimension = 200\neach = [0, 1]",
        "kind = \"ball\"\ndimension = 1000\nradius = 1e-300",
        "kind = \"annulus\"\ninner = 1\nouter = 1.0000000000000002",
        "kind = \"difference\"\nparts = [{ kind = \"ball\" }, { kind = \"ball\" }]",
        "kind = \"intersection\"\nparts = [{ kind = \"ball\" }, { kind = \"ball\", center = [1.9999999, 0] }]",
        "kind = \"box\"\nx = [-1e308, 1e308]\ny = [0, 1e-308]",
    ] {
        let text = format!(
            "[domain]\n{domain}\n[equation]\nresidual = \"laplacian(u) - 1\"\n[boundary]\non = \"all\"\ndirichlet = 0\n"
        );
        quickly(&text, checks::problem);
    }
}
