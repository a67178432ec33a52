//! Library and command give the same answer to the same file.

use crate::common::{Folder, raf};
use rafnet::Problem;
use rafnet::engine::Devices;
use rafnet::solve::Options;

/// The bits of a problem's model, by the library with its file's own options and a few more.
fn by_library(problem: &Problem, given: &[(&str, &str)]) -> Option<Vec<u8>> {
    let options = Options::asked(problem, given, Devices::default()).expect("options");
    let solved = problem.solve(&options, |progress| progress.go_on()).ok()?;
    Some(solved.model.to_bytes().expect("a model"))
}

/// Every built-in problem by a small layer, and those with a network of their own trained for a few steps.
#[test]
fn library_and_command_agree() {
    let folder = Folder::new("library");
    for (name, _) in Problem::builtin_names() {
        let problem = Problem::builtin(name).expect("a built-in problem");
        let trained = !problem.options.is_empty();
        let given: &[(&str, &str)] = match (problem.eigen.is_some(), trained) {
            (true, _) => continue, // no short budget: their layers grow until they agree
            (_, true) => &[("method", "adam"), ("steps", "3"), ("points", "20")],
            _ => &[("method", "lsq"), ("width", "12")],
        };
        let out = folder.join(name);
        let options = given
            .iter()
            .flat_map(|(option, text)| [format!("--{option}"), (*text).to_owned()]);
        let options: Vec<String> = options.collect();
        let mut arguments = vec!["solve", name, "--out", &out];
        arguments.extend(options.iter().map(String::as_str));
        raf(&arguments);
        let told = std::fs::read(format!("{out}/model.safetensors")).ok();
        assert!(told == by_library(&problem, given), "{name}");
    }
}
