//! `raf check`: what a problem file means, in words, without solving it.
//!
//! Everything is said of the problem as it was read: its pieces of boundary, the orders of its equations, what is prescribed where, what
//! narrow features its texts have. A mistake is the message that `raf solve` gives.

use crate::output::{Failure, Report};
use crate::solve::named;
use rafnet::domain::{Domain, Face};
use rafnet::expr::{Dependence, Expr, Scope};
use rafnet::problem::{Condition, Extent, Over, Problem};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf check heat.toml
  raf check burgers")]
pub(crate) struct Arguments {
    /// A `.toml` problem file, or a built-in problem's name
    problem: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Letters of a text that are shown.
const LETTERS: usize = 90;

pub(crate) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    let problem = named(&arguments.problem)?;
    let found = problem.narrow_features(0);
    let (features, complete) = found.map_err(|e| {
        Failure::new(
            e.to_string(),
            "see docs/reference/problem-file.md, `[domain]`",
        )
    })?;
    let words = Words {
        scope: scope(&problem),
        problem: &problem,
    };
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
    row("domain", words.domain());
    row("unknowns", words.unknowns());
    if !problem.sought.is_empty() && problem.eigen.is_none() {
        row("sought", words.sought());
    }
    for (k, equation) in problem.equations.iter().enumerate() {
        row(&words.equation_name(k), words.equation(equation));
    }
    for condition in &problem.conditions {
        let name = if condition.initial {
            "initial"
        } else {
            "boundary"
        };
        row(name, words.condition(condition));
    }
    for axis in &problem.periodic {
        row(
            "boundary",
            format!("everything repeats along {}", problem.coordinates[*axis]),
        );
    }
    for constraint in &problem.constraints {
        row(
            "condition",
            words.constraint(
                &constraint.over,
                &constraint.of,
                &constraint.equals,
                constraint.each,
            ),
        );
    }
    for data in &problem.data {
        row(
            "data",
            words.data(&data.observe, data.values.len(), data.sigma),
        );
    }
    for report in &problem.reports {
        row(
            "report",
            words.report(&report.name, &report.of, &report.over),
        );
    }
    for (name, text) in &problem.features {
        row(
            "input",
            format!("the network also sees {name} = {}", words.text(text)),
        );
    }
    row("exact", words.exact());
    for (name, value) in &problem.options {
        row("option", format!("{name} = {value}"));
    }
    for feature in &features {
        row(
            "narrow",
            format!("{}; points will gather there", feature.sentence),
        );
    }
    if features.is_empty() {
        row(
            "narrow",
            if complete {
                "nothing in its texts changes within a small part of the domain".to_owned()
            } else {
                "nothing was found, and a search could not exclude it".to_owned()
            },
        );
    }
    let warnings = problem.warnings();
    for warning in &warnings {
        row("warning", warning.clone());
    }
    row("missing", words.missing());
    let mut text = format!("{}: {}\n", problem.name, words.kind());
    for (name, value) in &rows {
        let _ = writeln!(text, "  {name:<12} {value}");
    }
    let pairs: Vec<_> = rows
        .iter()
        .map(|(name, value)| json!({ "what": name, "means": value }))
        .collect();
    Ok(Report {
        text,
        json: json!({
            "outcome": "done", "problem": problem.name, "kind": words.kind(), "meaning": pairs, "warnings": warnings,
            "version": env!("CARGO_PKG_VERSION"),
        }),
        status: 0,
    })
}

/// The names that its expressions are written in.
fn scope(problem: &Problem) -> Scope {
    let scope = Scope::new(problem.coordinates.iter().map(String::as_str))
        .unknowns(problem.unknowns.iter().map(String::as_str));
    let scope = match problem.time {
        Some(axis) => scope.time(&problem.coordinates[axis]),
        None => scope,
    };
    let sought = problem.sought.iter().map(|sought| sought.name.as_str());
    scope.allow_normal().parameters(sought)
}

struct Words<'a> {
    problem: &'a Problem,
    scope: Scope,
}

impl Words<'_> {
    /// An expression as text; a long one is cut.
    fn text(&self, expr: &Expr) -> String {
        let text = expr.display(&self.scope).to_string();
        if text.chars().count() <= LETTERS {
            return text;
        }
        let kept: String = text.chars().take(LETTERS - 1).collect();
        format!("{kept}…")
    }

    /// `a nonlinear initial and boundary value problem`.
    fn kind(&self) -> String {
        let problem = self.problem;
        if problem.eigen.is_some() {
            return "an eigenvalue problem".into();
        }
        let linear = problem
            .equations
            .iter()
            .all(|e| e.dependence_on_unknowns() != Dependence::Nonlinear);
        let linear = if linear { "a linear" } else { "a nonlinear" };
        let differential = problem.equations.iter().any(|e| e.order().unwrap_or(0) > 0);
        let what = match (differential, problem.coordinates.len(), problem.time) {
            (false, ..) => "equation without derivatives (regression)",
            (true, 1, _) => "ordinary differential equation",
            (true, _, Some(_)) => "partial differential equation in space and time",
            (true, _, None) => "partial differential equation",
        };
        let many = if problem.n_own() > 1 {
            format!(" for {} unknowns", problem.n_own())
        } else {
            String::new()
        };
        let inverse = if problem.sought.is_empty() {
            ""
        } else {
            ", with parameters to be found (an inverse problem)"
        };
        format!("{linear} {what}{many}{inverse}")
    }

    fn domain(&self) -> String {
        let problem = self.problem;
        let ranges = problem
            .coordinates
            .iter()
            .zip(problem.domain.bounds())
            .enumerate()
            .map(|(k, (name, [low, high]))| {
                let time = if problem.time == Some(k) {
                    " (time)"
                } else {
                    ""
                };
                format!("{name} from {low} to {high}{time}")
            });
        let ranges: Vec<String> = ranges.take(8).collect();
        let more = problem.coordinates.len().saturating_sub(ranges.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let shape = shape(&problem.domain);
        format!("{shape}{}{more}", ranges.join(", "))
    }

    fn unknowns(&self) -> String {
        let names = self.problem.coordinates.join(", ");
        let unknowns = self.problem.unknowns[..self.problem.n_own()].iter();
        let of: Vec<String> = unknowns.map(|u| format!("{u}({names})")).collect();
        of.join(", ")
    }

    fn sought(&self) -> String {
        let one = |s: &rafnet::problem::Sought| {
            let bounds = match (s.min, s.max) {
                (None, None) => String::new(),
                (Some(low), None) => format!(", at least {low}"),
                (None, Some(high)) => format!(", at most {high}"),
                (Some(low), Some(high)) => format!(", from {low} to {high}"),
            };
            format!("{} (search starts at {}{bounds})", s.name, s.start)
        };
        let all: Vec<String> = self.problem.sought.iter().map(one).collect();
        all.join("; ")
    }

    fn equation_name(&self, k: usize) -> String {
        match self.problem.equations.len() {
            1 => "equation".into(),
            _ => format!("equation {}", k + 1),
        }
    }

    /// The equation with its orders and whether it is linear.
    fn equation(&self, equation: &Expr) -> String {
        let problem = self.problem;
        let linear = match equation.dependence_on_unknowns() {
            Dependence::Nonlinear => "nonlinear",
            _ => "linear",
        };
        let order = |axes: &dyn Fn(usize) -> bool| {
            let jets = equation.jets().into_iter();
            jets.map(|j| j.axes().iter().filter(|k| axes(**k)).count())
                .max()
                .unwrap_or(0)
        };
        let orders = match problem.time {
            Some(time) if problem.coordinates.len() > 1 => {
                format!(
                    "order {} in time, {} in space",
                    order(&|k| k == time),
                    order(&|k| k != time)
                )
            }
            _ => format!("order {}", order(&|_| true)),
        };
        format!("{} = 0   ({linear}, {orders})", self.text(equation))
    }

    /// Where a condition holds.
    fn place(&self, pieces: &[usize], filter: Option<&Expr>) -> String {
        let domain = &self.problem.domain;
        let names: Vec<&str> = self
            .problem
            .coordinates
            .iter()
            .map(String::as_str)
            .collect();
        let part = if filter.is_some() {
            " (a part of it)"
        } else {
            ""
        };
        let space = domain.space_pieces();
        if !space.is_empty()
            && pieces.len() == space.len()
            && space.iter().all(|p| pieces.contains(p))
        {
            return format!("on the whole boundary{part}");
        }
        let mut shown: Vec<String> = pieces
            .iter()
            .filter_map(|p| domain.pieces().get(*p))
            .map(|p| p.name(&names))
            .collect();
        let more = shown.len().saturating_sub(6);
        shown.truncate(6);
        let more = if more > 0 {
            format!(" and {more} more pieces")
        } else {
            String::new()
        };
        format!("on {}{more}{part}", shown.join(", "))
    }

    fn condition(&self, condition: &Condition) -> String {
        let place = self.place(&condition.pieces, condition.filter.as_ref());
        let said = match &condition.dirichlet {
            Some((unknown, value)) => {
                format!("{} = {}", self.problem.unknowns[*unknown], self.text(value))
            }
            None => format!("{} = 0", self.text(&condition.residual)),
        };
        format!("{said} {place}")
    }

    fn constraint(&self, over: &Extent, of: &Expr, equals: &Expr, each: Option<usize>) -> String {
        let each = each.map_or_else(String::new, |k| {
            format!(" at every {}", self.problem.coordinates[k])
        });
        let (of, equals) = (self.text(of), self.text(equals));
        match over {
            Extent::Mean => format!("the mean of {of} is {equals}{each}"),
            Extent::Integral => format!("the integral of {of} is {equals}{each}"),
            Extent::Point(at) => format!("{of} is {equals} at {}{each}", self.point(at)),
        }
    }

    fn point(&self, at: &[f64]) -> String {
        let pairs = self.problem.coordinates.iter().zip(at);
        let pairs: Vec<String> = pairs.map(|(name, x)| format!("{name} = {x}")).collect();
        pairs.join(", ")
    }

    fn data(&self, observe: &Expr, n: usize, sigma: Option<f64>) -> String {
        let noise = sigma.map_or_else(
            || "taken as exact (no `sigma`)".to_owned(),
            |s| format!("noise of standard deviation {s}"),
        );
        let values = if n == 1 { "value" } else { "values" };
        format!("{n} observed {values} of {}, {noise}", self.text(observe))
    }

    fn report(&self, name: &str, of: &Expr, over: &Over) -> String {
        let of = self.text(of);
        match over {
            Over::Domain => format!("{name}: the integral of {of} over the domain"),
            Over::Boundary { pieces, filter } => {
                format!(
                    "{name}: the integral of {of} {}",
                    self.place(pieces, filter.as_ref())
                )
            }
            Over::Point(at) => format!("{name}: {of} at {}", self.point(at)),
        }
    }

    fn exact(&self) -> String {
        let known = self.problem.exact.iter().zip(&self.problem.unknowns);
        let known: Vec<&str> = known
            .filter(|(e, _)| e.is_some())
            .map(|(_, name)| name.as_str())
            .collect();
        if known.is_empty() {
            return "not given: the run will estimate its error".into();
        }
        format!(
            "given for {}: the run will report the true error, too",
            known.join(", ")
        )
    }

    /// What a solver needs and the file has; a file that lacks something was refused before.
    fn missing(&self) -> String {
        let problem = self.problem;
        let more = problem.n_own() > problem.equations.len();
        if more && problem.eigen.is_none() {
            return format!(
                "{} equations for {} unknowns: data have to stand in for the others",
                problem.equations.len(),
                problem.n_own()
            );
        }
        "nothing".into()
    }
}

/// What a domain is, before its ranges.
fn shape(domain: &Domain) -> String {
    if domain.as_cuboid().is_some() {
        return String::new();
    }
    let faces = domain.pieces().iter().map(|p| p.face);
    let edges = faces
        .clone()
        .filter(|f| matches!(f, Face::Edge { .. }))
        .count();
    let combined = domain.pieces().iter().any(|p| !p.part.is_empty());
    let what = if combined {
        let pieces = domain.space_pieces().len();
        format!("a combined shape whose boundary has {pieces} pieces")
    } else if edges > 0 {
        format!("a polygon with {edges} edges")
    } else {
        let description = domain.shape().description();
        let space = description.get("space").unwrap_or(&description);
        let kind = space["kind"].as_str().unwrap_or("shape");
        let article = if kind.starts_with(['a', 'e']) {
            "an"
        } else {
            "a"
        };
        format!("{article} {kind}")
    };
    format!("{what}, within ")
}
