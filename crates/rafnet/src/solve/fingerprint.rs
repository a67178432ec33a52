//! What decides the bits of a run, part by part, so that a checkpoint is never taken up by another run.
//!
//! Time limits, targets, threads, the seconds between checkpoints and (where no rate depends on them) the number of steps are no part of it:
//! they may be others when a run goes on.

use super::{CheckpointError, Mode, Options};
use crate::expr::Expr;
use crate::model::Checksum;
use crate::optimise::Schedule;
use crate::problem::Problem;
use serde_json::{Map, Value};
use std::fmt::{Display, Write};

/// Named parts, each a text or the checksum of a content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(Vec<(String, String)>);

impl Fingerprint {
    /// A part that is a short text.
    pub(crate) fn text(&mut self, part: &str, text: impl Display) {
        self.0.push((part.to_owned(), text.to_string()));
    }

    /// A part that may be left out.
    pub(crate) fn choice(&mut self, part: &str, text: Option<impl Display>) {
        match text {
            Some(text) => self.text(part, text),
            None => self.text(part, "left out"),
        }
    }

    /// A part of which the checksum is kept.
    pub(crate) fn content(&mut self, part: &str, add: impl FnOnce(&mut Checksum)) {
        let mut sum = Checksum::new();
        add(&mut sum);
        self.text(part, format_args!("#{}", sum.digits()));
    }

    /// How the rate falls, with the steps it depends on.
    pub(crate) fn schedule(&mut self, schedule: Schedule, steps: Option<u64>) {
        match steps.or(schedule.length()) {
            Some(steps) => self.text("schedule", format_args!("{schedule} over {steps} steps")),
            None => self.text("schedule", schedule),
        }
    }

    /// Says in what another run's differs.
    ///
    /// # Errors
    /// [`CheckpointError::OtherRun`] with the first part that differs.
    pub(crate) fn expect(&self, found: &Self) -> Result<(), CheckpointError> {
        let of = |run: &Self, part: &str| {
            let known = run.0.iter().find(|(name, _)| name == part);
            known.map_or("nothing".to_owned(), |(_, text)| text.clone())
        };
        let mut parts = self.0.iter().chain(&found.0).map(|(part, _)| part);
        let differs = parts.find(|part| of(self, part) != of(found, part));
        differs.map_or(Ok(()), |part| {
            Err(CheckpointError::OtherRun {
                part: part.clone(),
                found: of(found, part),
                expected: of(self, part),
            })
        })
    }

    pub(super) fn to_json(&self) -> String {
        let parts = self.0.iter().map(|(k, v)| (k.clone(), v.as_str().into()));
        Value::Object(parts.collect()).to_string()
    }

    pub(super) fn from_json(text: &str) -> Option<Self> {
        let parts: Map<String, Value> = serde_json::from_str(text).ok()?;
        let text = |(k, v): (String, Value)| Some((k, v.as_str()?.to_owned()));
        parts.into_iter().map(text).collect::<Option<_>>().map(Self)
    }
}

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
