//! The options of a fit, a row each: how it is written, which kinds of signals have such a thing, what it does.
//!
//! The arguments of `raf fit`, what is refused because it means nothing for a kind of signal, and the table in `docs/reference/fit.md` are
//! made of these rows.

use super::name_of;
use crate::choices::{Choices, Row, Table, Takes};
use crate::output::Failure;
use rafnet::fit::Kind;

/// One option.
pub(super) struct FitOption {
    pub(super) row: Row,
    /// The kinds of signals for which it means something.
    pub(super) kinds: &'static [Kind],
    /// What it is about, said where it means nothing.
    purpose: &'static str,
}

const ALL: &[Kind] = &[Kind::Image, Kind::Audio, Kind::Video, Kind::Table];

/// Every option that decides what is computed.
#[rustfmt::skip]
pub(super) const OPTIONS: [FitOption; 26] = [
    text("preset", "Settings that the others start from: default, paper or code"),
    texts("activation", "psg, sine, siren, relu, tanh, rational, wire, finer, fourier …, or a text in x, \"a*sin(b*x) + exp(-abs(x)); b = 30\", whose other names are trained; repeat it to compare"),
    text("width", "Neurons of a layer"),
    text("depth", "Activated layers"),
    text("init-scale", "A factor on the hidden weights at the start"),
    text("steps", "Steps of training"),
    text("batch", "Samples of a step, or `all`"),
    text("lr", "Learning rate at the start"),
    text("schedule", "How it falls: descents, cosine, step or constant"),
    text("optimiser", "What makes a step of a gradient: adam, or muon for the weights between hidden layers and adam for the rest"),
    text("displaced", "Share of a step's pixels taken beside their places at first, where the picture is interpolated")
        .only(&[Kind::Image], "is about the pixels of an image"),
    text("precision", "f32 or f64"),
    text("device", "Where networks are computed: cpu, or reference (one point at a time, slow) [default: cpu]"),
    text("holdout", "Keep samples from the training and report the quality there: grid:2 or random:0.2"),
    text("supervise", "What the training is told of an image: value, gradient or laplacian")
        .only(&[Kind::Image], "is for images"),
    text("size", "Resize an image to WIDTHxHEIGHT first")
        .only(&[Kind::Image, Kind::Video], "resizes an image or the embedded video"),
    flag("grey", ("grey", "true"), "Turn an image grey first")
        .only(&[Kind::Image], "is about the colours of an image"),
    flag("colour", ("grey", "false"), "Fit the embedded picture in its colours, not grey")
        .only(&[Kind::Image], "is about the colours of an image"),
    flag("mono", ("mono", "true"), "Take the mean of a sound's channels first")
        .only(&[Kind::Audio], "takes the mean of a sound's channels"),
    text("inputs", "Input columns of a table, separated by commas [default: all but the last]")
        .only(&[Kind::Table], "names the input columns of a table"),
    text("outputs", "Output columns of a table, separated by commas [default: the last]")
        .only(&[Kind::Table], "names the output columns of a table"),
    text("target", "End the run at this quality in dB"),
    text("time-limit", "End the run after so many seconds"),
    text("look", "Steps between looks at held-out samples [default: 50]"),
    text("checkpoint", "Seconds between checkpoints [default: 5]"),
    text("seed", "Seed of weights and batches [default: 0]"),
];

const fn option(name: &'static str, takes: Takes, help: &'static str) -> FitOption {
    FitOption {
        row: Row { name, takes, help },
        kinds: ALL,
        purpose: "",
    }
}

const fn text(name: &'static str, help: &'static str) -> FitOption {
    option(name, Takes::Text, help)
}

const fn texts(name: &'static str, help: &'static str) -> FitOption {
    option(name, Takes::Texts, help)
}

const fn flag(
    name: &'static str,
    (of, text): (&'static str, &'static str),
    help: &'static str,
) -> FitOption {
    option(name, Takes::Flag(of, text), help)
}

/// [`OPTIONS`].
pub(super) struct FitTable;

impl Table for FitTable {
    fn rows() -> Vec<Row> {
        OPTIONS.iter().map(|option| option.row).collect()
    }
}

impl FitOption {
    const fn only(self, kinds: &'static [Kind], purpose: &'static str) -> Self {
        Self {
            kinds,
            purpose,
            ..self
        }
    }

    /// As it was typed, where it was chosen and is not what stands there without being asked for.
    fn typed(&self, choices: &Choices) -> Option<String> {
        let name = self.row.name;
        if let Takes::Flag(of, text) = self.row.takes {
            return (choices.get(of) == Some(text)).then(|| format!("--{name}"));
        }
        let text = choices.get(name)?;
        let usual = match name {
            "supervise" => text == "value",
            "displaced" => text.trim().parse() == Ok(0.0),
            _ => false,
        };
        (!usual).then(|| format!("--{name} {text}"))
    }
}

/// Whether `config.toml` may have an option of this name.
pub(super) fn has(name: &str) -> bool {
    OPTIONS.iter().any(|option| match option.row.takes {
        Takes::Flag(of, _) => of == name,
        Takes::Text | Takes::Texts => option.row.name == name,
    })
}

/// Refuses an option that was given and means nothing for this kind of signal.
pub(super) fn check(kind: Kind, choices: &Choices, from_file: bool) -> Result<(), Failure> {
    for option in &OPTIONS {
        let video_file = option.row.name == "size" && kind == Kind::Video && from_file;
        if option.kinds.contains(&kind) && !video_file {
            continue;
        }
        let Some(typed) = option.typed(choices) else {
            continue;
        };
        let other = option.kinds.first().map_or("image", |k| name_of(*k));
        let found = match kind {
            Kind::Image => "an image",
            Kind::Audio => "a sound",
            Kind::Video if video_file => "a video from a file",
            Kind::Video => "a video",
            Kind::Table => "a table",
        };
        return Err(Failure::new(
            format!("`{typed}` {}, and this is {found}", option.purpose),
            format!("leave it out, or raf fit {other} {typed}"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ALL, OPTIONS};
    use crate::choices::Choices;
    use crate::fit::{Arguments, name_of};
    use crate::reference;
    use rafnet::fit::Kind;

    /// What every option is where nothing is chosen but a preset, for a small and for a large signal.
    fn resolved(kind: Kind, preset: &str, name: &str) -> Option<String> {
        let of = |samples: usize| {
            let mut choices = Choices::default();
            choices.set("preset", preset);
            let resolved = choices.resolve(kind, samples, 1);
            resolved.expect("options without a choice");
            choices.get(name).map(str::to_owned)
        };
        let (small, large) = (of(0)?, of(usize::MAX)?);
        Some(if small == large {
            small
        } else {
            format!("{small}, above 65,536 pixels {large}")
        })
    }

    /// The reference page is made of the table, its defaults of what a fit resolves.
    #[test]
    fn reference() {
        let row = |shown: reference::Shown| {
            let option = OPTIONS.iter().find(|o| o.row.name == shown.name);
            let kinds = option.map_or(ALL, |o| o.kinds);
            let cell = |kind: Kind, preset: &str| {
                if !kinds.contains(&kind) || shown.name == "preset" {
                    return String::new();
                }
                resolved(kind, preset, &shown.name).unwrap_or_else(|| shown.default.clone())
            };
            let usual = |kind: &Kind| cell(*kind, "default");
            // the same for all but a few
            let first = kinds.first().map_or(String::new(), |k| cell(*k, "paper"));
            let others = kinds.iter().filter(|k| cell(**k, "paper") != first);
            let others = others.map(|k| format!(", {} {}", name_of(*k), cell(*k, "paper")));
            let paper = first.clone() + &others.collect::<String>();
            let mut cells = vec![shown.typed.clone(), shown.help.clone()];
            cells.extend(ALL.iter().map(usual));
            cells.push(paper);
            cells
        };
        let options = reference::options::<Arguments>().into_iter();
        let rows: Vec<Vec<String>> = options.map(row).collect();
        let paper = "with `--preset paper` or `code`";
        let head = ["option", "what it does", "image", "audio", "video", "table"];
        let head: Vec<&str> = head.into_iter().chain([paper]).collect();
        reference::compare("fit.md", &reference::table(&head, &rows));
    }
}
