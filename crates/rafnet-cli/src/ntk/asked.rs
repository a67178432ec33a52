//! What kernels are asked for: activations by name or one model, with everything else from the problem file and the command line.

use super::{Arguments, HINT, MOST_SEEDS};
use crate::output::Failure;
use crate::solve::refused;
use rafnet::Model;
use rafnet::ntk::Settings;
use rafnet::problem::Problem;
use rafnet::solve::{OptionError, Options};

/// One row of the comparison.
pub(super) struct Asked {
    pub(super) name: String,
    pub(super) settings: Settings,
    pub(super) model: Option<Model>,
}

pub(super) fn all(problem: &Problem, arguments: &Arguments) -> Result<Vec<Asked>, Failure> {
    let mut options = crate::threads::options();
    let from_file = ["activation", "width", "depth", "init_scale", "seed"];
    let in_file = problem.options.iter();
    for (name, text) in in_file.filter(|(name, _)| from_file.contains(&name.as_str())) {
        let set = options.set(name, text);
        set.map_err(|e| Failure::new(format!("in the problem file: {e}"), HINT))?;
    }
    let given = [
        ("width", &arguments.width),
        ("depth", &arguments.depth),
        ("init-scale", &arguments.init_scale),
        ("points", &arguments.points),
        ("boundary-points", &arguments.boundary_points),
        ("precision", &arguments.precision),
        ("device", &arguments.device),
        ("seed", &arguments.seed),
        ("threads", &arguments.threads),
    ];
    for (name, text) in given {
        if let Some(text) = text {
            set(&mut options, name, text)?;
        }
    }
    if options.seed.checked_add(MOST_SEEDS).is_none() {
        let message = format!("`--seed {}` leaves no room for further seeds", options.seed);
        return Err(Failure::new(message, "take a smaller one"));
    }
    let one = |name: &str, model, options: &Options| Asked {
        name: name.to_owned(),
        settings: settings(options, arguments.gaussian_width),
        model,
    };
    if let Some(path) = &arguments.model {
        let model = Model::load(crate::named_model::file(path)?).map_err(|e| {
            let hint = "pass `--model` with a file such as `model.safetensors` in a run folder";
            Failure::new(e.to_string(), hint)
        })?;
        return Ok(vec![one(
            &path.display().to_string(),
            Some(model),
            &options,
        )]);
    }
    if arguments.activation.is_empty() {
        let names: Vec<&str> = options.activation.iter().map(|set| set.name()).collect();
        let name = match names.len() {
            0 => "psg".to_owned(),
            _ => names.join(","),
        };
        return Ok(vec![one(&name, None, &options)]);
    }
    let mut all: Vec<Asked> = Vec::new();
    for name in &arguments.activation {
        set(&mut options, "activation", name)?;
        if !all.iter().any(|known| known.name == *name) {
            all.push(one(name, None, &options));
        }
    }
    Ok(all)
}

/// Sets an option of the command line.
pub(super) fn set(options: &mut Options, name: &str, text: &str) -> Result<(), Failure> {
    options.set(name, text).map_err(|e| match e {
        OptionError::Unusable { expected, .. } => refused(name, text, &expected),
        other => Failure::new(other.to_string(), HINT),
    })
}

fn settings(options: &Options, gaussian_width: f64) -> Settings {
    let usual = Settings::default();
    Settings {
        activation: options.activation.clone(),
        width: options.width,
        depth: options.depth,
        gaussian_width,
        init_scale: options.init_scale.unwrap_or(usual.init_scale),
        points: options.points.unwrap_or(usual.points),
        boundary_points: options.boundary_points,
        seed: options.seed,
        threads: options.threads(),
        device: options.device,
    }
}
