//! Library and command give the same answer to the same file.

use crate::common::{Folder, printed, raf};
use rafnet::Problem;
use rafnet::engine::Devices;
use rafnet::fit::{Kind, Signal};
use rafnet::solve::Options;
use std::fmt::Write as _;
use std::path::Path;

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
        let mut arguments = vec!["solve", name, "--no-report", "--out", &out];
        arguments.extend(options.iter().map(String::as_str));
        raf(&arguments);
        let told = std::fs::read(format!("{out}/model.safetensors")).ok();
        models += usize::from(told.is_some());
        assert!(told == by_library(&problem, given), "{name}");
    }
    assert!(models > 30, "{models} models");
}

/// Options by name and text.
type Pairs<'a> = &'a [(&'a str, &'a str)];

/// A signal of each kind, trained for a few steps: the same model to the bit, and the same figures.
#[test]
fn library_and_command_fit_alike() {
    let folder = Folder::new("library-fit");
    let csv = folder.join("hill.csv");
    let mut rows = String::from("a,b,u\n");
    for k in 0..60 {
        let (a, b) = (f64::from(k % 10) * 50.0, f64::from(k / 10) * 0.01);
        let _ = writeln!(rows, "{a},{b},{}", 1000.0 + a * b);
    }
    std::fs::write(&csv, rows).expect("a table");
    let held_out = [("size", "20x16"), ("holdout", "grid:2")];
    let cases: [(Kind, Option<&str>, Pairs<'_>); 6] = [
        (Kind::Image, None, &held_out),
        (
            Kind::Image,
            None,
            &[("size", "12x14"), ("supervise", "gradient")],
        ),
        (Kind::Image, None, &[("preset", "paper"), ("size", "12x14")]),
        (
            Kind::Audio,
            None,
            &[("holdout", "random:0.2"), ("batch", "500")],
        ),
        (Kind::Video, None, &[("size", "12x10"), ("batch", "500")]),
        (Kind::Table, Some(&csv), &[("outputs", "u"), ("seed", "3")]),
    ];
    let small = [
        ("width", "12"),
        ("depth", "2"),
        ("steps", "7"),
        ("threads", "1"),
    ];
    for (k, (kind, path, given)) in cases.into_iter().enumerate() {
        let given = [given, &small].concat();
        let signal = Signal::open(kind, path.map(Path::new), &given).expect("a signal");
        let options = signal.options(&given, &Devices::default());
        let fit = signal.fit(&options.expect("options"), |progress| progress.go_on());
        let fit = fit.expect("a fit");
        let out = folder.join(&k.to_string());
        let mut arguments = vec!["fit".to_owned(), kind.name().to_owned()];
        arguments.extend(path.map(str::to_owned));
        for (name, text) in given {
            arguments.extend([format!("--{name}"), text.to_owned()]);
        }
        arguments.extend(["--json", "--out", &out].map(str::to_owned));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let said = printed(&raf(&arguments));
        let told = std::fs::read(format!("{out}/model.safetensors")).expect("a model");
        assert!(
            told == fit.model.to_bytes().expect("a model"),
            "{arguments:?}"
        );
        let quality = &fit.quality;
        for (name, figure) in [
            ("mse", Some(quality.mse)),
            ("psnr", quality.psnr),
            ("ssim", quality.ssim),
            ("mse_heldout", quality.mse_heldout),
            ("psnr_heldout", quality.psnr_heldout),
            ("psnr_bicubic", quality.psnr_bicubic),
            ("steps", Some(fit.steps as f64)),
        ] {
            assert_eq!(said[name].as_f64(), figure, "{name} of {arguments:?}");
        }
        assert_eq!(said["outcome"], fit.ending());
        assert_eq!(said["lossless"].as_bool(), quality.lossless);
    }
}
