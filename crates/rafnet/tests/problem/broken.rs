//! Files with one mistake each: the message of `broken/<name>.toml` stands in `broken.txt` below its name.
//!
//! After a change of words, `RAFNET_BLESS=1 cargo test --test problem` writes `broken.txt` anew; read the difference.

use rafnet::problem::Problem;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/problem"))
}

/// Name and message of every broken file, in alphabetical order.
fn messages() -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder().join("broken")).expect("the folder of broken files");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let message = |path: PathBuf| {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        match Problem::from_text(&text, &name, path.parent()) {
            Ok(_) => panic!("{name} was not refused"),
            Err(error) => (name, error.to_string()),
        }
    };
    paths.into_iter().map(message).collect()
}

#[test]
fn messages_are_those_written_down() {
    let messages = messages();
    assert!(messages.len() >= 20);
    let entries = messages
        .iter()
        .map(|(name, message)| format!("── {name}\n{message}\n\n"));
    let all = entries.collect::<Vec<_>>().concat();
    let snapshot = folder().join("broken.txt");
    if std::env::var_os("RAFNET_BLESS").is_some() {
        std::fs::write(&snapshot, &all).expect("the snapshot is written");
    }
    let written = std::fs::read_to_string(&snapshot).expect("the snapshot");
    for (found, expected) in all.split("── ").zip(written.split("── ")) {
        assert_eq!(found, expected);
    }
    assert_eq!(all, written);
}

/// One message each, with the line and a hint.
#[test]
fn every_message_has_a_line_and_a_hint() {
    for (name, message) in messages() {
        assert_eq!(message.matches("hint: ").count(), 1, "{message}");
        let (place, _) = message.split_once(": ").expect("a place");
        let without_line = ["empty.toml", "no-equation.toml"].contains(&name.as_str());
        assert_eq!(place == name, without_line, "{message}");
        assert_eq!(message.contains("\n  "), !without_line, "{message}");
    }
}

/// Any line left out or written twice, the text cut anywhere, a character replaced: never a panic, always a message or a
/// problem.
#[test]
fn no_text_makes_it_panic() {
    let names = [
        "system",
        "inverse-diffusivity",
        "robin",
        "periodic",
        "low-regularity-r",
    ];
    for name in names {
        let text = Problem::builtin_text(name).expect("a text");
        let lines: Vec<&str> = text.lines().collect();
        let mut texts = Vec::new();
        for k in 0..lines.len() {
            let without: Vec<&str> = [&lines[..k], &lines[k + 1..]].concat();
            let twice: Vec<&str> = [&lines[..=k], &lines[k..]].concat();
            texts.extend([without.join("\n"), twice.join("\n")]);
        }
        for (at, _) in text.char_indices().step_by(7) {
            texts.push(text[..at].to_owned());
            for other in ["=", "\"", "[", "é", "\n", "9", "^"] {
                let rest = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
                texts.push(format!("{}{other}{}", &text[..at], &text[rest..]));
            }
        }
        for text in texts {
            if let Err(error) = Problem::from_text(&text, "cut.toml", None) {
                assert!(error.to_string().starts_with("cut.toml"), "{error}\n{text}");
                assert!(error.hint().is_some() || error.line().is_some(), "{error}");
            }
        }
    }
}

/// The spot of the mistake stands among control characters at the start of a long line, which are shown as blanks.
#[test]
fn a_mistake_among_leading_control_characters_is_shown() {
    let text = format!("{}about = \"long\"\n", "\u{1a}".repeat(150));
    let error = Problem::from_text(&text, "a.toml", None)
        .err()
        .expect("no TOML");
    let shown = error.to_string();
    assert!(shown.contains('^') && !shown.contains('\u{1a}'), "{shown}");
}
