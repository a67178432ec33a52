//! Options that mean something for some kinds of signals only: for the others they are refused, not ignored.

use super::choices::Choices;
use super::name_of;
use crate::output::Failure;
use rafnet::fit::Kind;

/// An option, what it is for, and the kinds of signals that have such a thing.
const SOME: [(&str, &str, &[Kind]); 7] = [
    (
        "inputs",
        "names the input columns of a table",
        &[Kind::Table],
    ),
    (
        "outputs",
        "names the output columns of a table",
        &[Kind::Table],
    ),
    (
        "mono",
        "takes the mean of a sound's channels",
        &[Kind::Audio],
    ),
    ("grey", "is about the colours of an image", &[Kind::Image]),
    ("supervise", "is for images", &[Kind::Image]),
    (
        "displaced",
        "is about the pixels of an image",
        &[Kind::Image],
    ),
    (
        "size",
        "resizes an image or the embedded video",
        &[Kind::Image, Kind::Video],
    ),
];

/// Refuses an option that was given and means nothing for this kind of signal.
pub(super) fn check(kind: Kind, choices: &Choices, from_file: bool) -> Result<(), Failure> {
    for (name, purpose, kinds) in SOME {
        // what means nothing is what the option is set to without being asked for
        let nothing = match choices.get(name) {
            None => true,
            Some(text) => match name {
                "supervise" => text == "value",
                "displaced" => text.trim().parse() == Ok(0.0),
                _ => false,
            },
        };
        let video_file = name == "size" && kind == Kind::Video && from_file;
        if nothing || (kinds.contains(&kind) && !video_file) {
            continue;
        }
        let shown = match choices.get(name) {
            Some("true") => format!("--{name}"),
            Some("false") if name == "grey" => "--colour".to_owned(),
            Some(text) => format!("--{name} {text}"),
            None => continue,
        };
        let other = kinds.first().map_or("image", |k| name_of(*k));
        let found = match kind {
            Kind::Image => "an image",
            Kind::Audio => "a sound",
            Kind::Video if video_file => "a video from a file",
            Kind::Video => "a video",
            Kind::Table => "a table",
        };
        return Err(Failure::new(
            format!("`{shown}` {purpose}, and this is {found}"),
            format!("leave it out, or raf fit {other} {shown}"),
        ));
    }
    Ok(())
}
