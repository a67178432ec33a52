//! What decides the bits of a solution: the options but for those that only end it, and the problem, part by part.

use super::{Mode, Options};
use crate::expr::Expr;
use crate::model::Checksum;
use crate::optimise::Schedule;
use crate::problem::Problem;
use crate::run::Fingerprint;
use std::fmt::Write;

impl Problem {
    /// What decides the bits of a run with these options.
    pub(super) fn run_fingerprint(&self, options: &Options) -> Fingerprint {
        let mut run = Fingerprint::default();
        run.text("method", options.method);
        run.text("seed", options.seed);
        run.text("preset", options.preset.name());
        let sets: Vec<String> = options.activation.iter().map(|s| s.to_string()).collect();
        run.choice("activation", Some(sets.join(",")).filter(|s| !s.is_empty()));
        run.choice("width", options.width);
        run.choice("depth", options.depth);
        if options.pieces.or(options.slabs).is_some() {
            run.choice("pieces", options.pieces);
            run.choice("slabs", options.slabs);
        }
        run.choice("points", options.points);
        run.choice("boundary_points", options.boundary_points);
        run.choice("lr", options.lr);
        run.choice("init_scale", options.init_scale);
        run.choice("gaussian_width", options.gaussian_width);
        run.choice("weight_decay", options.weight_decay);
        run.text("resnet", options.resnet.name());
        run.text("sharing", options.sharing.name());
        if options.mode != Mode::default() {
            run.text("mode", options.mode.name());
        }
        let steps = options.steps.unwrap_or(0);
        let schedule = options.schedule.as_deref();
        match schedule.and_then(|name| Schedule::named(name, steps)) {
            Some(schedule) => run.schedule(schedule, None),
            None => run.text("schedule", "left out"),
        }
        self.fingerprint_parts(&mut run);
        run
    }

    fn fingerprint_parts(&self, run: &mut Fingerprint) {
        run.text("name", &self.name);
        run.content("[domain]", |sum| {
            let names = (&self.coordinates, &self.unknowns, self.time, &self.periodic);
            said(sum, &names);
            said(sum, &self.domain);
        });
        run.content("[equation]", |sum| each(sum, &self.equations));
        if let Some(eigen) = &self.eigen {
            run.content("[eigenvalue]", |sum| {
                let numbers = (eigen.count, eigen.start, eigen.positive, eigen.mean_square);
                said(sum, &numbers);
            });
        }
        run.content("[[boundary]] and [[initial]]", |sum| {
            for c in &self.conditions {
                let numbers = (&c.pieces, c.initial, c.enforce, c.weight, c.points);
                said(sum, &numbers);
                each(sum, [&c.residual].into_iter().chain(&c.filter));
                said(sum, &c.dirichlet.as_ref().map(|d| d.0));
                each(sum, c.dirichlet.iter().map(|d| &d.1));
            }
        });
        run.content("[[data]]", |sum| {
            for observation in &self.data {
                sum.numbers(&observation.points);
                sum.numbers(&observation.values);
                each(sum, [&observation.observe]);
                said(sum, &observation.sigma);
            }
        });
        run.content("[[condition]]", |sum| {
            for constraint in &self.constraints {
                each(sum, [&constraint.of, &constraint.equals]);
                said(sum, &(&constraint.over, constraint.each));
            }
        });
        run.content("sought parameters", |sum| said(sum, &self.sought));
        run.content("[trained]", |sum| said(sum, &self.trained));
        run.content("[features]", |sum| {
            for (name, feature) in &self.features {
                said(sum, name);
                each(sum, [feature]);
            }
        });
        run.content("[ansatz]", |sum| {
            for ansatz in &self.ansatz {
                said(sum, &ansatz.is_some());
                each(sum, ansatz.iter().flat_map(|(factor, lift)| [factor, lift]));
            }
        });
        for (part, known) in [("[guess]", &self.guess), ("[exact]", &self.exact)] {
            run.content(part, |sum| {
                for one in known {
                    said(sum, &one.is_some());
                    each(sum, one);
                }
            });
        }
    }
}

/// Takes in what `{:?}` shows, which has every digit of a number.
fn said(sum: &mut Checksum, what: &dyn std::fmt::Debug) {
    // a checksum takes every text
    let _ = write!(sum, "{what:?};");
}

fn each<'a>(sum: &mut Checksum, expressions: impl IntoIterator<Item = &'a Expr>) {
    for expression in expressions {
        sum.bytes(&expression.fingerprint().to_le_bytes());
    }
}
