//! `config.toml` of a run: the problem with every option resolved. `raf solve config.toml` runs it again, to the same bits unless the clock
//! ends it.
//!
//! Data files are copied into the run folder under plain names of their own, whatever paths the problem has for them, and the config
//! names the copies: the folder can be moved, and nothing is written outside it.

use crate::output::Failure;
use crate::run_folder::{RunFolder, unwritable};
use rafnet::solve::Options;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// Whether a target was asked for, on the command line or in the file: a run that misses it has failed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Asked,
    Usual,
}

/// A data file of a problem.
pub(super) struct Data {
    /// Where the problem's text names it.
    span: Range<usize>,
    file: String,
    bytes: Vec<u8>,
}

/// The data files that a text names, which stand beside `source`.
pub(super) fn data(text: &str, source: &Path) -> Result<Vec<Data>, Failure> {
    let read = |(span, file): (Range<usize>, String)| {
        let from = source.parent().unwrap_or(Path::new("")).join(&file);
        let bytes = rafnet_memory::read(&from).map_err(|e| {
            let message = format!("cannot read the data file `{}`: {e}", from.display());
            Failure::new(message, "the path is relative to the problem file")
        })?;
        Ok(Data { span, file, bytes })
    };
    data_files(text).into_iter().map(read).collect()
}

/// Writes the problem's text with `[solver]` replaced by what was resolved, and the data files beside it.
pub(super) fn write(
    folder: &RunFolder,
    name: &str,
    (text, data): (&str, &[Data]),
    (options, target): (&Options, Target),
) -> Result<(), Failure> {
    let mut config = without_options(&with_copied_data(folder, text, data)?);
    if !has_name(text) {
        // a problem without one is called after its file, and this is another file
        config.insert_str(0, &format!("name = {}\n", toml::Value::from(name)));
    }
    let _ = writeln!(config, "\n[solver]");
    // a usual target is not written: what stands here was asked for, and missed it is a failure
    let listed = options.listed().into_iter();
    for (name, value) in listed.filter(|(name, _)| *name != "target" || target == Target::Asked) {
        let plain = value.parse::<f64>().is_ok_and(f64::is_finite);
        let _ = if plain {
            writeln!(config, "{name} = {value}")
        } else if value == "inf" {
            Ok(())
        } else {
            writeln!(config, "{name} = {}", toml::Value::from(value))
        };
    }
    folder.write("config.toml", config.as_bytes())
}

/// Copies the data files and returns the text with the copies' names.
fn with_copied_data(folder: &RunFolder, text: &str, data: &[Data]) -> Result<String, Failure> {
    let mut config = text.to_owned();
    let mut copies: Vec<(Range<usize>, String)> = Vec::new();
    for Data { span, file, bytes } in data {
        let is_free = |name: &str| {
            let other = copies.iter().any(|(_, copy)| copy == name);
            // a file of the same content may be this very one
            !other
                && match rafnet_memory::read(folder.file(name)) {
                    Ok(found) => found == *bytes,
                    Err(error) => error.kind() == std::io::ErrorKind::NotFound,
                }
        };
        let name = own_name(file, is_free);
        // one that is there already is someone's own, and not put on the run's list
        if !folder.file(&name).exists() {
            folder.write(&name, bytes)?;
        }
        copies.push((span.clone(), name));
    }
    // from the last to the first, so that the places before stay where they are
    for (span, name) in copies.into_iter().rev() {
        config.replace_range(span, &format!("\"{name}\""));
    }
    Ok(config)
}

/// `STEM.csv` with a stem of plain letters, digits, `-` and `_`, and a number where that is not free.
fn own_name(file: &str, is_free: impl Fn(&str) -> bool) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default();
    let plain = |c: char| match c {
        '-' | '_' => c,
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let stem: String = stem.to_string_lossy().chars().map(plain).take(60).collect();
    let stem = if stem.is_empty() { "data" } else { &stem };
    let mut name = format!("{stem}.csv");
    let mut number = 2;
    while !is_free(&name) {
        name = format!("{stem}-{number}.csv");
        number += 1;
    }
    name
}

/// Adds what was decided and what is to be known, as comments.
pub(super) fn append_remarks(folder: &RunFolder, remarks: &[String]) -> Result<(), Failure> {
    let path = folder.file("config.toml");
    let mut config = std::fs::read_to_string(&path).map_err(|e| unwritable(&path, &e))?;
    for remark in remarks {
        let _ = writeln!(config, "# {remark}");
    }
    folder.write("config.toml", config.as_bytes())
}

fn has_name(text: &str) -> bool {
    DeTable::parse(text).is_ok_and(|document| document.get_ref().get("name").is_some())
}

/// The text without its `[network]` and `[solver]`.
fn without_options(text: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in text.lines() {
        let head = line.trim_start();
        if head.starts_with('[') {
            let name = head
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or("")
                .trim();
            inside = matches!(name, "network" | "solver");
        }
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Where `file` of each `[[data]]` stands in the text, and what it is.
fn data_files(text: &str) -> Vec<(Range<usize>, String)> {
    let mut files = Vec::new();
    let Ok(document) = DeTable::parse(text) else {
        return files;
    };
    let mut put = |value: &DeValue<'_>| {
        let file = value.as_table().and_then(|table| table.get("file"));
        if let Some((item, file)) = file.and_then(|f| Some((f, f.get_ref().as_str()?))) {
            files.push((item.span(), file.to_owned()));
        }
    };
    match document.get_ref().get("data").map(|d| d.get_ref()) {
        Some(DeValue::Array(tables)) => tables.iter().for_each(|t| put(t.get_ref())),
        Some(table) => put(table),
        None => {}
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{data_files, own_name, without_options};

    #[test]
    fn only_options_are_taken_out() {
        let text = "name = \"a\"\n[network]\nwidth = 3\n[exact]\nu = \"x\"\n[solver]\nsteps = 4\n[[data]]\nfile = \"p.csv\" # here\n";
        assert_eq!(
            without_options(text),
            "name = \"a\"\n[exact]\nu = \"x\"\n[[data]]\nfile = \"p.csv\" # here\n"
        );
    }

    #[test]
    fn data_files_are_found_however_they_are_written() {
        let text = "about = \"file = 'no'\"\n[[data]]\nfile = \"p.csv\" # here\n[[data]]\n file='../q.csv'\n";
        let found = data_files(text);
        let shown: Vec<(&str, &str)> = found
            .iter()
            .map(|(span, file)| (&text[span.clone()], file.as_str()))
            .collect();
        assert_eq!(shown, [("\"p.csv\"", "p.csv"), ("'../q.csv'", "../q.csv")]);
        let inline = "data = [{ file = \"a.csv\" }]\n";
        assert_eq!(data_files(inline)[0].1, "a.csv");
    }

    #[test]
    fn names_of_copies_are_plain_and_their_own() {
        let all = |_: &str| true;
        assert_eq!(own_name("../../x.csv", all), "x.csv");
        assert_eq!(own_name("a/x.csv", |name| name != "x.csv"), "x-2.csv");
        assert_eq!(own_name("config.toml", all), "config.csv");
        assert_eq!(own_name("\u{1b}[2J.dat", all), "--2J.csv");
        assert_eq!(own_name("..", all), "data.csv");
    }
}
