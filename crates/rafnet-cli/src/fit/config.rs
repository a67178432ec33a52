//! `config.toml`: everything resolved, so that the same run can be made again, to the same bits unless the clock ends it.

use super::task::Prepared;
use super::{content, named};
use crate::choices::Choices;
use crate::output::Failure;
use rafnet::fit::{FitOption, Kind};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What `config.toml` says of a run.
pub(super) struct Config {
    pub(super) kind: Kind,
    pub(super) path: Option<PathBuf>,
    pub(super) choices: Choices,
    /// The fingerprint of the file's content.
    pub(super) content: Option<String>,
}

impl Prepared {
    /// Everything resolved: `raf fit config.toml` runs it again, to the same bits unless the clock ends it.
    pub(super) fn config(&self) -> String {
        let task = &self.task;
        let mut text = format!("kind = \"{}\"\n", task.kind.name());
        if let Some(path) = &task.path {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let (key, path) = written(&absolute);
            let _ = writeln!(text, "{key} = {}", toml::Value::from(path));
        }
        if let Some(content) = &self.content {
            let _ = writeln!(text, "content = \"{content}\"");
        }
        let _ = writeln!(text, "\n[fit]");
        for (name, value) in &task.choices.0 {
            let _ = writeln!(
                text,
                "{} = {}",
                name.replace('-', "_"),
                toml::Value::from(value.as_str())
            );
        }
        text
    }
}

impl Config {
    /// In what two runs differ: the name of an option, and its texts here and there. What ends a run or saves it on the way
    /// decides nothing of what it computes, but for the target and the time.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.kind != other.kind {
            return Some("another kind of signal".into());
        }
        if self.content != other.content {
            return Some("other content of the file".into());
        }
        let names = self.choices.0.iter().chain(&other.choices.0);
        let mut names = names.map(|(name, _)| name.as_str());
        let name = names.find(|name| {
            *name != "checkpoint" && self.choices.get(name) != other.choices.get(name)
        })?;
        let text = |config: &Self| match config.choices.get(name) {
            Some(text) => format!("`--{name} {text}`"),
            None => format!("no `--{name}`"),
        };
        Some(format!("{}, not {}", text(other), text(self)))
    }

    /// The file, if it holds something else now.
    pub(super) fn changed_file(&self) -> Result<Option<&Path>, Failure> {
        let (Some(path), Some(content)) = (&self.path, &self.content) else {
            return Ok(None);
        };
        let changed = path.exists() && content::fingerprint(path)? != *content;
        Ok(changed.then_some(path.as_path()))
    }
}

/// What [`Prepared::config`] wrote.
pub(super) fn read(path: &Path) -> Result<Config, Failure> {
    let unusable = |why: String| {
        Failure::new(
            format!("`{}` is no run of `raf fit`: {why}", path.display()),
            "pass the folder that `raf fit` wrote, or start anew with raf fit image",
        )
    };
    let text = rafnet_memory::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
    let config: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| unusable(e.message().to_owned()))?;
    let word = |key: &str| config.get(key).and_then(|k| k.as_str());
    let kind = word("kind").ok_or_else(|| unusable("it has no `kind`".into()))?;
    let fit = config.get("fit").and_then(|f| f.as_table());
    let fit = fit.ok_or_else(|| unusable("it has no `[fit]`".into()))?;
    let mut choices = Choices::default();
    for (name, value) in fit {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let name = name.replace('_', "-");
        if FitOption::named(&name).is_none() {
            return Err(unusable(format!("`{name}` is no option of a fit")));
        }
        choices.set(&name, text);
    }
    let encoded = word("path_encoded").map(|text| {
        decoded(text).ok_or_else(|| unusable("its `path_encoded` names no file here".into()))
    });
    Ok(Config {
        kind: named(kind)?,
        path: encoded
            .transpose()?
            .or_else(|| word("path").map(PathBuf::from)),
        choices,
        content: word("content").map(str::to_owned),
    })
}

/// A path as a key and its text: one that is not UTF-8 has its odd bytes as %XX.
fn written(path: &Path) -> (&'static str, String) {
    if let Some(text) = path.to_str() {
        return ("path", text.to_owned());
    }
    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        let _ = match byte {
            b'%' | 0..=31 | 127.. => write!(text, "%{byte:02X}"),
            _ => write!(text, "{}", char::from(*byte)),
        };
    }
    ("path_encoded", text)
}

/// The path that [`written`] encoded.
#[cfg(unix)]
fn decoded(text: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// Only systems whose names are bytes have such names.
#[cfg(not(unix))]
fn decoded(_: &str) -> Option<PathBuf> {
    None
}
