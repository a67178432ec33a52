//! Every command that `PAPER.md` names is one.

use clap::Parser;
use clap::error::ErrorKind;

/// Words as a shell takes them: quotes hold one together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("one at least").push(c),
        }
    }
    words.retain(|word| word != "…");
    words
}

#[test]
fn every_command_of_the_map_is_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../PAPER.md");
    let page = std::fs::read_to_string(path).expect("PAPER.md");
    let quoted = page.split('`').skip(1).step_by(2);
    let mut n = 0;
    for line in quoted.filter(|q| q.starts_with("raf ")) {
        let line = words(line);
        // what follows a command may be left out on a map, a wrong word may not
        let left_out = [
            ErrorKind::MissingRequiredArgument,
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ];
        if let Err(error) = crate::Arguments::try_parse_from(&line) {
            assert!(left_out.contains(&error.kind()), "{line:?}: {error}");
        }
        n += 1;
    }
    assert!(n > 30, "{n}");
}
