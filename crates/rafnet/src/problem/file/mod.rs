//! From a problem file to a [`Problem`]: names first, then the domain, then everything that stands on it.

mod boundary;
mod complete;
mod conditions;
mod constraints;
mod csv;
mod data;
mod document;
mod eigenvalue;
mod equations;
mod fields;
mod formula;
mod heading;
mod initial;
mod names;
mod options;
mod outline;
mod overlap;
mod probe;
mod region;
mod reports;
mod setting;
mod shape_table;
mod shapes;
mod source;
mod tables;
mod trained;

use super::Problem;
use super::error::ProblemError;
use super::fault::Fault;
use super::origin::Origin;
use complete::Given;
use document::Table;
use eigenvalue::Eigenvalue;
use equations::Equations;
use fields::Fields;
use names::{Declarations, Names};
use outline::Outline;
use probe::Probe;
use setting::Setting;
use source::Source;
use std::path::Path;
use std::sync::Arc;
use tables::{one, several};

/// What a problem file is made of.
const PARTS: [&str; 20] = [
    "name",
    "about",
    "unknowns",
    "domain",
    "parameters",
    "functions",
    "features",
    "equation",
    "boundary",
    "initial",
    "condition",
    "data",
    "report",
    "exact",
    "ansatz",
    "guess",
    "network",
    "solver",
    "trained",
    "eigenvalue",
];

impl Problem {
    /// Reads a problem from its text; `name_of_source` is what messages call it, `folder` is where data files are.
    ///
    /// # Errors
    /// Any [`Fault`] in the text, the first that is met.
    ///
    /// ```
    /// use rafnet::problem::Problem;
    /// let problem = Problem::from_text(r#"
    /// [domain]
    /// kind = "interval"
    /// x = [0, "pi"]
    /// [equation]
    /// residual = "u_xx + u - f"
    /// source = "manufactured"
    /// [exact]
    /// u = "sin(2*x)"
    /// [boundary]
    /// on = "all"
    /// dirichlet = 0
    /// "#, "string.toml", None)?;
    /// assert_eq!(problem.conditions[0].pieces, [0, 1]);
    /// assert_eq!(format!("{:?}", problem.equations[0]), "u1_x1x1 + u1 + 3*sin(2*x1)");
    /// # Ok::<(), rafnet::problem::ProblemError>(())
    /// ```
    pub fn from_text(
        text: &str,
        name_of_source: &str,
        folder: Option<&Path>,
    ) -> Result<Self, ProblemError> {
        read(&Source {
            name: name_of_source,
            text,
            folder,
        })
    }

    /// Reads a problem file.
    ///
    /// # Errors
    /// When it cannot be read, and as [`Problem::from_text`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ProblemError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = rafnet_memory::read_to_string(path).map_err(|error| {
            let fault = match error.kind() {
                std::io::ErrorKind::NotFound => Fault::FileNotFound,
                _ => Fault::Unreadable {
                    reason: error.to_string(),
                },
            };
            ProblemError::new(&name, None, fault)
        })?;
        Self::from_text(&text, &name, path.parent())
    }
}

fn read(source: &Source<'_>) -> Result<Problem, ProblemError> {
    let document = document::read(source)?;
    let file = Fields::new(source, "the file", &document, &PARTS)?;
    let name = heading::name(&file)?;
    let unknowns = heading::unknowns(&file)?;
    let domain_table = tables::required(
        &file,
        "domain",
        "[domain]` with `kind = \"box\"` and `x = [0, 1]",
    )?;
    let outline = Outline::read(source, domain_table)?;
    let eigenvalue = Eigenvalue::read(&file)?;
    let texts = match &eigenvalue {
        Some(eigenvalue) => eigenvalue.operators.clone(),
        None => Equations::of_file(&file)?,
    };
    let mut names = Names::read(&Declarations {
        source,
        coordinates: &outline.coordinates,
        time: outline.time,
        unknowns: &unknowns,
        sources: &texts.sources,
        parameters: one(&file, "parameters")?,
        functions: one(&file, "functions")?,
        features: one(&file, "features")?,
    })?;
    if let Some(eigenvalue) = &eigenvalue {
        eigenvalue.alone(&names.sought)?;
    }
    let domain = outline.build(&names)?;
    names.look_for_jumps(setting::places(&domain));
    let periodic = outline.periodic(&domain)?;
    let unknowns: Vec<String> = unknowns.into_iter().map(|(name, _)| name).collect();
    let setting = Setting {
        source,
        names: &names,
        domain: &domain,
        coordinates: &outline.coordinates,
        time: outline.time,
        periodic: &periodic,
        unknowns: &unknowns,
        probes: setting::probes(&domain),
    };
    let probe = Probe::new(&setting, &domain_table.span)?;
    let exact = tables::by_unknown(&setting, &probe, &file, "exact")?;
    let guess = tables::by_unknown(&setting, &probe, &file, "guess")?;
    let features = tables::features(&setting, &probe, &file)?;
    let ansatz = tables::ansatz(&setting, &probe, &file)?;
    let (mut equations, fluxes) = texts.build(&setting, &exact)?;
    let what = eigenvalue
        .as_ref()
        .map_or("the equation", |_| "the operator");
    for (expr, text) in equations.iter().zip(&texts.residuals) {
        probe.inside(expr, what, &text.span)?;
    }

    let drafts = conditions::drafts(&setting, &probe, &file)?;
    let data = each(&file, "data", |table| data::data(&setting, table))?.concat();
    let constraints = each(&file, "condition", |t| constraints::constraint(&setting, t))?;
    let wanted_figures = each(&file, "report", |table| reports::report(&setting, table))?;
    let span = &texts.residuals[0].span;
    equations::count(&setting, &equations, data.len(), span)?;
    let mut eigen = None;
    if let Some(eigenvalue) = &eigenvalue {
        let (shifted, asked) = eigenvalue.build(&setting, equations)?;
        (equations, eigen) = (shifted, Some(asked));
    }
    let wanted = complete::wanted(&setting, &equations);
    let conditions = overlap::resolve(&setting, &drafts, &wanted)?;
    let given = Given {
        equations: &equations,
        conditions: &conditions,
        data: &data,
        constraints: &constraints,
        span,
    };
    let checked = given.check(&setting);
    match &eigenvalue {
        Some(_) => eigenvalue::check(&setting, checked, &conditions, span)?,
        None => checked?,
    }
    let sought = eigen
        .as_ref()
        .map_or(names.sought.clone(), |asked| vec![asked.sought()]);
    Ok(Problem {
        name,
        about: file.word("about")?.unwrap_or_default().into(),
        coordinates: outline.coordinates,
        time: outline.time,
        unknowns,
        periodic,
        equations,
        fluxes,
        conditions,
        data,
        constraints,
        helpers: 0,
        reports: wanted_figures,
        features,
        ansatz,
        guess,
        exact,
        options: tables::options(&file)?,
        trained: trained::trained(&file)?,
        numbers: names.numbers.clone(),
        sought,
        eigen,
        domain,
        places: Vec::new(),
        origin: Arc::new(Origin {
            name: source.name.to_owned(),
            text: source.text.to_owned(),
            folder: source.folder.map(Path::to_owned),
        }),
    })
}

/// What every `[[key]]` says.
fn each<T>(
    file: &Fields<'_>,
    key: &str,
    read: impl Fn(&Table) -> Result<T, ProblemError>,
) -> Result<Vec<T>, ProblemError> {
    several(file, key)?.into_iter().map(read).collect()
}
