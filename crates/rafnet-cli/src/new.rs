//! `raf new`: a commented problem file that runs as it is, to begin with.

use crate::output::{Failure, Report};
use rafnet::model::AtomicFile;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf new                          list the templates
  raf new heat                     write heat.toml
  raf new plate -o bracket.toml    write it under another name

Then `raf check heat.toml` says what the file means, and `raf solve heat.toml` solves it.")]
pub(crate) struct Arguments {
    /// Which template; without it they are listed
    template: Option<String>,
    /// The file to write [default: NAME.toml]
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// A problem to begin with.
struct Template {
    name: &'static str,
    about: &'static str,
    text: &'static str,
    /// The table that the text names, with its content.
    table: Option<(&'static str, &'static str)>,
}

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../templates/", $name))
    };
}

const fn plain(name: &'static str, about: &'static str, text: &'static str) -> Template {
    let table = None;
    Template {
        name,
        about,
        text,
        table,
    }
}

#[rustfmt::skip]
const TEMPLATES: [Template; 8] = [
    plain("heat", "a rod that is heated, cold at one end and cooled by the air at the other", text!("heat.toml")),
    plain("waves", "a plucked string: second order in time, with damping", text!("waves.toml")),
    plain("plate", "a plate with a hole: shapes are put together", text!("plate.toml")),
    plain("flow", "a liquid in a channel, stirred by a force: Navier-Stokes equations, a system", text!("flow.toml")),
    plain("elasticity", "a sheet that is pulled: two displacements, conditions on forces", text!("elasticity.toml")),
    plain("eigenvalues", "the tones of a drum: several eigenvalues with their functions", text!("eigenvalues.toml")),
    Template {
        table: Some(("inverse.csv", text!("inverse.csv"))),
        ..plain("inverse", "a conductivity from twenty noisy temperatures in a table", text!("inverse.toml"))
    },
    Template {
        table: Some(("odes.csv", text!("odes.csv"))),
        ..plain("odes", "ordinary differential equations: four rates of hares and lynxes from a table", text!("odes.toml"))
    },
];

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let Some(name) = &arguments.template else {
        return Ok(list());
    };
    let found = TEMPLATES.iter().find(|t| t.name == name);
    let template = found.ok_or_else(|| {
        let names: Vec<&str> = TEMPLATES.iter().map(|t| t.name).collect();
        let builtin = rafnet::Problem::builtin_text(name).is_some();
        let hint = if builtin {
            format!(
                "it is a built-in problem: `raf solve --show {name} > {name}.toml` writes its file"
            )
        } else {
            format!("there are {}", names.join(", "))
        };
        Failure::new(format!("there is no template `{name}`"), hint)
    })?;
    let output = match &arguments.output {
        Some(output) => output.clone(),
        None => PathBuf::from(format!("{name}.toml")),
    };
    if output.extension().is_none_or(|ending| ending != "toml") {
        let message = format!("`-o {}` does not end in .toml", output.display());
        let hint = format!("pass `-o {}`", output.with_extension("toml").display());
        return Err(Failure::new(message, hint));
    }
    let table = template
        .table
        .map(|(file, text)| (output.with_file_name(file), text));
    let files: Vec<(PathBuf, &str)> = [(output.clone(), template.text)]
        .into_iter()
        .chain(table)
        .collect();
    for (path, _) in files.iter().filter(|_| !arguments.force) {
        if path.exists() {
            let message = format!("`{}` exists", path.display());
            let hint = "pass `-o` with another name, or `--force` to replace it";
            return Err(Failure::new(message, hint));
        }
    }
    for (path, text) in &files {
        write(path, text)?;
    }
    let shown: Vec<String> = files
        .iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    let file = output.display();
    Ok(Report {
        text: format!(
            "wrote {}\n\nraf check {file}    says what it means\nraf solve {file}    solves it\n",
            shown.join(" and ")
        ),
        json: json!({ "outcome": "done", "template": name, "files": shown, "version": env!("CARGO_PKG_VERSION") }),
        status: 0,
    })
}

fn list() -> Report {
    let mut text = String::new();
    for template in &TEMPLATES {
        let _ = writeln!(text, "{:<12} {}", template.name, template.about);
    }
    text.push_str("\nraf new NAME writes NAME.toml; raf solve --list shows built-in problems, raf solve --show NAME their files\n");
    let entry = |t: &Template| json!({ "name": t.name, "about": t.about });
    let all: Vec<Value> = TEMPLATES.iter().map(entry).collect();
    Report {
        text,
        json: json!({ "outcome": "done", "templates": all }),
        status: 0,
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || {
        let mut file = AtomicFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    };
    write().map_err(|e| {
        Failure::new(
            format!("cannot write `{}`: {e}", path.display()),
            "pass `-o` with a file in a folder that exists and can be written",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::TEMPLATES;
    use rafnet::Problem;

    /// Every template is a problem without a mistake and without a warning, called as it is listed.
    #[test]
    fn templates_are_problems() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        for template in &TEMPLATES {
            let folder = Some(std::path::Path::new(folder));
            let problem = Problem::from_text(template.text, template.name, folder);
            let problem = problem.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(problem.name, template.name);
            assert!(problem.warnings().is_empty(), "{:?}", problem.warnings());
        }
    }
}
