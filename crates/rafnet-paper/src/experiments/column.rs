//! A column of Table 3: one problem, all activations, three tracks.
//!
//! | preset | settings against `raf solve --method adam --preset paper` |
//! |---|---|
//! | `default` | none: the residual network of the code, Gaussians of width 0.1 (oscillation: the last ten neurons, width 0.5), no weight decay |
//! | `paper` | the printed residual network, neurons shared out evenly, Gaussians of width 0.1 |
//! | `code` | `--preset code`: weight decay 1e-4 but for oscillation, Gaussians of width 0.05, 0.1 and 0.5, Poisson's rate 0.7 every 2,000 steps; oscillation with its cubic term and width 50 |
//!
//! Eigenpairs have one setting, that of the code which the paper follows.

use super::ways;
use crate::cell::{Cell, by_device, error};
use crate::figure::{self, Group};
use crate::peers;
use crate::published::{sign, table_3};
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source};
use crate::{Asked, Preset, Record, Store, Track};

/// A problem of Table 3.
pub(super) struct Column {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) problem: &'static str,
    /// The equation as the released code has it.
    pub(super) coded: &'static str,
    /// With an input that the paper's network does not have, for the open track.
    pub(super) open: &'static str,
    pub(super) activations: &'static [&'static str],
    pub(super) width: usize,
    /// Steps of a full and of a quick budget.
    pub(super) steps: [u64; 2],
    pub(super) kind: Kind,
    pub(super) figure: &'static str,
}

/// What is sought, and so how the paper trains.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A function, by Adam.
    Equation {
        /// Whether the paper's code has a weight decay that its text does not mention: then both are run.
        decayed: bool,
    },
    /// A function and a number, along random paths.
    Eigenpair {
        /// The number.
        lambda: f64,
    },
}

/// The columns with one activation in every row.
pub(super) const EQUATIONS: [&str; 6] = [
    "relu3",
    "poly",
    "poly-relu",
    "poly-relu3",
    "poly-sine",
    "psg",
];

/// Random paths are looked at every so many steps.
const LOOK: u64 = 100;

impl Column {
    pub(super) fn runs(&self, asked: &Asked) -> Vec<Run> {
        let mut runs = Vec::new();
        for seed in asked.seeds() {
            if asked.wants(Track::Parity) {
                let all = self.activations.iter();
                runs.extend(all.clone().map(|a| self.parity(asked, a, seed, None)));
                let both = all.filter(|_| self.decayed() && asked.is_plain());
                runs.extend(both.map(|a| self.parity(asked, a, seed, Some("1e-4"))));
            }
            if asked.wants(Track::Trained) {
                runs.push(self.trained(asked, seed));
            }
            if asked.wants(Track::Open) {
                let source = self.source(asked, self.open);
                let work = Equation::open(source, ways::open(asked), seed);
                runs.push(ways::run(self.id, asked, "open", work));
            }
        }
        runs
    }

    /// Whether the code has a weight decay that the text does not mention.
    pub(super) fn decayed(&self) -> bool {
        matches!(self.kind, Kind::Equation { decayed: true })
    }

    fn lambda(&self) -> Option<f64> {
        match self.kind {
            Kind::Eigenpair { lambda } => Some(lambda),
            Kind::Equation { .. } => None,
        }
    }

    /// A problem; a toy has two dimensions.
    fn source(&self, asked: &Asked, problem: &'static str) -> Source {
        let toy = self.lambda().map_or(problem, |_| "schrodinger-d2");
        Source::Builtin(asked.by_budget(toy, problem, problem))
    }

    /// Steps of the parity track, and the paper's.
    fn steps(&self, asked: &Asked) -> [u64; 2] {
        let [taken, full] = ways::steps(asked, self.steps);
        match self.kind {
            Kind::Eigenpair { .. } => [asked.by_budget(2 * LOOK, taken, taken), full],
            Kind::Equation { .. } => [taken, full],
        }
    }

    fn parity(&self, asked: &Asked, activation: &str, seed: u64, decay: Option<&str>) -> Run {
        let code = asked.preset == Preset::Code;
        let other = code && self.coded != self.problem;
        let width = if other { 50 } else { self.width };
        let mut options = match self.kind {
            Kind::Equation { .. } => ways::adam(asked, activation, width),
            Kind::Eigenpair { .. } => ways::paths(self.id, asked, activation, width),
        };
        options.extend(decay.map(|w| ("weight_decay".to_owned(), w.to_owned())));
        let source = self.source(asked, if code { self.coded } else { self.problem });
        let work = Equation::parity(source, options, seed, self.steps(asked));
        ways::run(
            self.id,
            asked,
            &Self::parity_name(activation, decay.is_some()),
            work,
        )
    }

    fn parity_name(activation: &str, decayed: bool) -> String {
        let tail = if decayed { "-decay" } else { "" };
        format!("{activation}-parity{tail}")
    }

    fn trained(&self, asked: &Asked, seed: u64) -> Run {
        let (options, steps) = match self.kind {
            Kind::Equation { .. } => (ways::lm(asked, "psg", self.width), [500, 40]),
            Kind::Eigenpair { .. } => (ways::lm_of_eigenpair(asked, "psg", self.width), [150, 10]),
        };
        let source = self.source(asked, self.problem);
        let work = Equation::trained(source, options, seed, ways::steps(asked, steps));
        ways::run(self.id, asked, "psg-trained", work)
    }

    /// The records of a row over all seeds there are.
    pub(super) fn records(&self, asked: &Asked, store: &Store, name: &str) -> Vec<Record> {
        ways::records(self.id, asked, store, name)
    }

    fn parity_records(
        &self,
        asked: &Asked,
        store: &Store,
        activation: &str,
        decayed: bool,
    ) -> Vec<Record> {
        self.records(asked, store, &Self::parity_name(activation, decayed))
    }

    fn said(&self, asked: &Asked) -> String {
        let figures = "*Average* is the smallest mean over 100 steps, *last* the mean of the last 100: Table 3 has one or the other. *Best* is the smallest of a single step, *L∞* the largest difference over the largest value at the end. Median over the seeds, and their range.";
        let [taken, full] = self.steps(asked);
        match self.kind {
            Kind::Equation { .. } => format!(
                "Relative L2 error on 10,000 fresh points, network as in the paper, Adam, {full} steps. {figures}"
            ),
            Kind::Eigenpair { lambda } => {
                let here = asked.by_budget(
                    " A toy takes 8 paths in two dimensions.".to_owned(),
                    format!(
                        " This budget takes {taken} steps of 16 paths, which says that it runs and not where it ends."
                    ),
                    String::new(),
                );
                format!(
                    "Relative L2 error of the eigenfunction, by the method that the paper follows: networks for u and √2 ∇u and λ trained along random paths, {full} steps of 2,048 paths, rates from 5e-5 to 1e-5. The error is taken every {LOOK} steps at 2,048 points, *off λ* at the end, from {lambda}; `--with mode=gradient` has one network in place of two.{here} {figures}"
                )
            }
        }
    }

    pub(super) fn section(&self, asked: &Asked, store: &Store) -> Section {
        let mut section = Section::default();
        section.say(self.said(asked));
        section.add(&self.parity_table(asked, store));
        let of = |activation: &str, decayed| self.parity_records(asked, store, activation, decayed);
        let ours = |a: &str, decayed| (sign(a).to_owned(), of(a, decayed));
        peers::beside(&mut section, asked, self.id, "moving_average", ours);
        let [_, trained, open] = ways::goals(self.id);
        let rows = [("trained", trained, "psg-trained"), ("open", open, "open")];
        let rows = rows
            .each_ref()
            .map(|(title, goal, name)| (*title, &**goal, self.records(asked, store, name)));
        section.add(&ways::tracks(&rows, self.lambda()));
        if self.lambda().is_some() {
            section.say("*trained*: a network of the same layers for the logarithm of u by Levenberg–Marquardt, with the sines and cosines of the coordinates as inputs (the paper's has those of their first five multiples too).");
        }
        let groups: Vec<Group> = self
            .activations
            .iter()
            .map(|a| Group::new(sign(a), of(a, false)))
            .collect();
        let name = ways::folder(self.id, asked);
        let title = format!("({}) {}", self.figure, self.title);
        figure::errors(&mut section, store, &name, &title, &groups);
        section
    }

    fn parity_table(&self, asked: &Asked, store: &Store) -> Table {
        let mut head = vec!["activation", "paper", "average"];
        head.extend(self.decayed().then_some("average, weight decay 1e-4"));
        head.extend(["best", "last", "L∞"]);
        head.extend(self.lambda().map(|_| "off λ"));
        head.push("s a step");
        let mut table = Table::new(head);
        for activation in self.activations {
            let plain = self.parity_records(asked, store, activation, false);
            let of = |figure: &str| Cell::of(&plain, figure).text(error);
            let paper = table_3(self.id, activation).map_or(String::new(), error);
            let mut row = vec![sign(activation).to_owned(), paper, of("moving_average")];
            if self.decayed() {
                let decayed = self.parity_records(asked, store, activation, true);
                row.push(Cell::of(&decayed, "moving_average").text(error));
            }
            row.extend([of("best"), of("last"), of("relative_linf")]);
            row.extend(self.lambda().map(|lambda| ways::off(&plain, lambda)));
            row.push(by_device(&plain, "step_seconds"));
            table.row(row);
        }
        table
    }
}
