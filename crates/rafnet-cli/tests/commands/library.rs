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

/// Every built-in problem trained for a few steps with the network that its file asks for, and a few by a small layer.
#[test]
fn library_and_command_agree() {
    let folder = Folder::new("library");
    let trained: &[(&str, &str)] = &[("method", "adam"), ("steps", "3"), ("points", "20")];
    let layer: &[(&str, &str)] = &[("method", "lsq"), ("width", "12")];
    let names = Problem::builtin_names().into_iter().map(|(name, _)| name);
    let few = ["poisson-smooth", "heat", "neumann", "logistic"];
    let runs = names.map(|name| (name, trained));
    let mut models = 0;
    for (name, given) in runs.chain(few.map(|name| (name, layer))) {
        let problem = Problem::builtin(name).expect("a built-in problem");
        if problem.eigen.is_some() {
            continue; // no method with a short budget
        }
        let out = folder.join(&format!("{name}-{}", given[0].1));
        let options = given
            .iter()
            .flat_map(|(option, text)| [format!("--{option}"), (*text).to_owned()]);
        let options: Vec<String> = options.collect();
        let mut arguments = vec!["solve", name, "--out", &out];
        arguments.extend(options.iter().map(String::as_str));
        raf(&arguments);
        let told = std::fs::read(format!("{out}/model.safetensors")).ok();
        models += usize::from(told.is_some());
        assert!(told == by_library(&problem, given), "{name}");
    }
    assert!(models > 30, "{models} models");
}
