//! What to type instead, for each kind of mistake.

use super::fault::Fault;
use crate::domain::DomainError;
use crate::expr::{ExprError, Mistake};

/// Lists of known names longer than this help nobody.
const LONGEST_LIST: usize = 16;

pub(super) fn hint(fault: &Fault) -> Option<String> {
    match fault {
        Fault::FileNotFound => Some("check the path; `raf solve --list` shows the built-in problems".into()),
        Fault::Unreadable { .. } => Some("a problem file is a short plain text in UTF-8".into()),
        Fault::NoParameter { known, .. } => Some(match known.len() {
            0 => {
                "the problem has no `[parameters]`; write the number there under a name".to_owned()
            }
            _ => format!("its parameters: {}", known.join(", ")),
        }),
        Fault::NoValue { .. } => Some("give a number, or a text that evaluates to one".to_owned()),
        Fault::UnknownBuiltin { closest } => Some(match closest {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`raf solve --list` shows them; the name of a file ends in `.toml`".into(),
        }),
        Fault::EmptyFile => Some("a problem has at least `[domain]` and `[equation]`".into()),
        Fault::TooLarge { .. } => Some("nothing of that size can be solved".into()),
        Fault::Outgrown { .. } => {
            Some("take fewer factors: the second derivative of a product of n has about n^3 parts".into())
        }
        Fault::Syntax { message } => Some(syntax_hint(message).into()),
        Fault::UnknownKey { key, closest, known, .. } => match table_of_its_own(key) {
            Some(table) => Some(format!("`{key}` is a table of its own: write `{table}` in a line above")),
            None => names(closest.as_deref(), "known", known),
        },
        Fault::UnknownColumn { closest: None, known, .. } => Some(format!(
            "the first line of the file names its columns, and has {}",
            known.join(", ")
        )),
        Fault::UnknownWord { closest, known, .. }
        | Fault::UnknownColumn { closest, known, .. } => names(closest.as_deref(), "known", known),
        Fault::NotACoordinate { closest, known, .. } => names(closest.as_deref(), "coordinates", known),
        Fault::NotAnUnknown { closest, known, .. } => names(closest.as_deref(), "unknowns", known),
        Fault::MissingKey { example, .. } => Some(format!("write `{example}`")),
        Fault::NotFiniteNumber { .. } => Some("write a finite number, or a text that comes out as one".into()),
        Fault::EmptyInterval { .. } => Some("write `[low, high]` with finite numbers, low < high".into()),
        Fault::EndlessInterval { .. } => Some("measure the coordinate in a larger unit, so that its interval has a length near 1".into()),
        Fault::ProblemName { .. } => Some("write letters, digits, spaces, `-`, `_` and `.`, such as `name = \"heat-2\"`, or leave `name` out".into()),
        Fault::Expression { error, .. } => match (error.hint(), expression_hint(error)) {
            (Some(hint), Some(more)) => Some(format!("{hint}; {more}")),
            (hint, more) => hint.or_else(|| more.map(Into::into)),
        },
        Fault::Domain(error) => Some(domain_hint(error).into()),
        Fault::Length { .. } => Some("give as many as expected, or change the coordinates in `[domain]`".into()),
        Fault::RowLength { .. } => Some("a row holds the coordinates, then what was observed".into()),
        Fault::ReportKeys { .. } => Some(
            "a report is an `integral`, with `over` for a part of the boundary, or a `value` with `at = [x, y]`".into(),
        ),
        Fault::ReportOutside { .. } => Some("give a point inside or on the boundary".into()),
        Fault::SoughtBounds { .. } => Some("write `{ find = true, start = 1, min = 0, max = 10 }` with min < max and the start between them".into()),
        Fault::EqualsVaries { each: Some(each), .. } => Some(format!("write a number, or a text in {each} alone")),
        Fault::EqualsVaries { .. } => Some("write a number; with `each = \"t\"` it may be a text in t".into()),
        Fault::WrongType { key, found: "a text", expected: "a list of names" } => {
            Some(format!("write it in brackets: `{key} = [\"x\"]`"))
        }
        Fault::WrongType { .. } | Fault::NotACount { .. } | Fault::OutOfRange { .. } => Some("change the value, or leave the key out".into()),
        Fault::RepeatedColumn { .. } => Some("name each column once".into()),
        Fault::NoTable { .. } | Fault::NoData => Some("the first line names the columns, the others hold numbers".into()),
        Fault::NotAName { .. } => Some("names are letters, digits and `_`, and begin with a letter".into()),
        Fault::DeclaredTwice { first: "manufactured source", name, .. } => Some(format!(
            "`{name}` is reserved with `source = \"manufactured\"`; choose another name"
        )),
        Fault::DeclaredTwice { .. } => Some("choose another name for one of them".into()),
        Fault::PartCoordinates { .. } => Some("all parts share their coordinates".into()),
        Fault::PeriodicShape { .. } => Some("remove it from `periodic`".into()),
        Fault::PeriodicBoundary { name } => {
            Some(format!("remove this condition, or `{name}` from `periodic`"))
        }
        Fault::NoTime { .. } => Some("add `time = \"t\"` and `t = [0, 1]` to `[domain]`".into()),
        Fault::EquationCount { .. } => Some(
            "give `residual` as a list with one text for each unknown; `[[data]]` may stand in for an equation".into(),
        ),
        Fault::NothingUnknown { unknowns } | Fault::ReportOfNothing { unknowns } => names(None, "unknowns", unknowns),
        Fault::UnusedUnknown { unknown } => {
            Some(format!("use `{unknown}` in a residual, or remove it from `unknowns`"))
        }
        Fault::SourceAbsent { name } => Some(format!("write `… - {name}`, or remove `source`")),
        Fault::SourceFactor { name } => Some(format!("write `… - {name}`, with nothing that varies in front of it")),
        Fault::SourceElsewhere { equation, .. } => Some(format!("write `f{equation}` here")),
        Fault::SourceJumps { .. } => {
            Some("remove `source` and write out a source that is right there, or a solution that is smoother".into())
        }
        Fault::ExactMissing { unknown } => Some(format!("add `[exact]` with `{unknown} = \"…\"`")),
        Fault::DependsOnSought { .. } => Some("write out its value".into()),
        Fault::OneOf { table, .. } if table == "[[data]]" => {
            Some("write `file = \"points.csv\"` or `rows = [[…], …]`".into())
        }
        Fault::OneOf { table, .. } if table == "[[condition]]" => {
            Some("write `mean = \"u\"`, `integral = \"u^2\"`, or `at = [x, y]` with `value = \"u\"`".into())
        }
        Fault::OneOf { .. } => Some("write one condition a table; repeat `[[boundary]]` for another".into()),
        Fault::WhichUnknown { unknowns } => {
            let first = unknowns.first().map_or("u", String::as_str);
            Some(format!("add `unknown = \"{first}\"`"))
        }
        Fault::NoSuchPiece { known, .. } => names(None, "parts", known),
        Fault::EmptyRegion { .. } => Some("compare coordinates, such as `y > 0.5`, with values on the boundary".into()),
        Fault::OverDetermined { .. } => Some("remove one of the two".into()),
        Fault::MissingBoundary { piece, order: 3.., .. } => Some(format!(
            "add `[[boundary]]` with `on = \"{piece}\"` (or \"all\") and dirichlet, neumann, or a residual such as \"u_xx\" or \"u_xxx\""
        )),
        Fault::MissingBoundary { piece, .. } => Some(format!(
            "add `[[boundary]]` with `on = \"{piece}\"` (or \"all\") and one of dirichlet, neumann, robin, residual"
        )),
        Fault::NoConditions { .. } => Some("add `[[boundary]]`, `[[initial]]` or `[[data]]`".into()),
        Fault::MissingInitial { name, .. } => Some(format!("add `[[initial]]` with `{name} = \"…\"`")),
        Fault::FreeConstant { unknown, time } => {
            let each = time.as_ref().map_or_else(String::new, |t| format!(" and `each = \"{t}\"`"));
            Some(format!("add `[[condition]]` with `mean = \"{unknown}\"`{each}"))
        }
        Fault::NotFinite { .. } => Some("check for 0/0, and roots and logarithms of negative numbers".into()),
        Fault::DataFile { .. } => Some("the path is relative to the problem file".into()),
        Fault::NoColumn { found, .. } => names(None, "columns found", found),
        Fault::Cell { .. } => Some("leave the cell empty when nothing was observed".into()),
        Fault::PointOutside { .. } => Some("the columns are the coordinates in the order of `[domain]`".into()),
        Fault::BesideEigenvalue { part: "equation" } => Some(
            "write the operator under `[eigenvalue]` alone: its equation is `operator = λ u`".into(),
        ),
        Fault::BesideEigenvalue { part } => Some(format!("remove `[{part}]`")),
        Fault::SoughtBesideEigenvalue { name } => Some(format!("give `{name}` a number")),
        Fault::OperatorOrder => Some("write an operator such as `-laplacian(u) + V*u`".into()),
        Fault::OperatorOfNothing => Some("every term holds the unknown: `-laplacian(u) + V*u` and not `-laplacian(u) + V`".into()),
        Fault::EigenvalueInTime => Some("remove `time` from `[domain]`".into()),
        Fault::NotHomogeneous => Some("write `dirichlet = 0`, `neumann = 0`, or `robin` with `g = 0`".into()),
        Fault::Normalisation { usual, .. } => Some(format!(
            "write `normalise = \"mean({usual}) = 1\"`, or `integral` for `mean`"
        )),
        Fault::OnePair { .. } => Some("write `count = 1`".into()),
        Fault::PositiveSystem => Some("remove `positive`".into()),
        Fault::OpenEnd { piece, .. } => Some(open_end_hint(piece)),
    }
}

/// A side such as `y=0` names the coordinate that may be periodic.
fn open_end_hint(piece: &str) -> String {
    let periodic = match piece.split_once('=') {
        Some((y, _)) => {
            format!("name `{y}` in `periodic` of `[domain]`, such as `periodic = [\"{y}\"]`")
        }
        None => {
            "name the coordinates that repeat in `periodic` of `[domain]`, if it is a box".into()
        }
    };
    format!(
        "{periodic}, or add `[[boundary]]` with `on = \"{piece}\"` and one of dirichlet, neumann, robin"
    )
}

fn names(closest: Option<&str>, what: &str, known: &[String]) -> Option<String> {
    match closest {
        Some(name) => Some(format!("did you mean `{name}`?")),
        None if (1..=LONGEST_LIST).contains(&known.len()) => {
            Some(format!("{what}: {}", known.join(", ")))
        }
        None => None,
    }
}

/// How a table is written whose name someone took for a key.
fn table_of_its_own(key: &str) -> Option<&'static str> {
    const TABLES: [&str; 9] = [
        "[exact]",
        "[parameters]",
        "[functions]",
        "[features]",
        "[[boundary]]",
        "[[initial]]",
        "[[condition]]",
        "[[data]]",
        "[[report]]",
    ];
    TABLES
        .into_iter()
        .find(|table| table.trim_matches(['[', ']']) == key)
}

/// For mistakes in expressions whose remedy depends on the problem around them.
fn expression_hint(error: &ExprError) -> Option<&'static str> {
    match error.mistake() {
        Mistake::UnknownName { closest: None, .. } => Some(
            "numbers of your own stand under `[parameters]`, and derivatives are written `u_x`, `u_xx`, `laplacian(u)`",
        ),
        Mistake::NotConstant { .. } => {
            Some("what varies belongs under `[functions]`, parameters are numbers")
        }
        Mistake::UnknownNotAllowed { .. } => Some(
            "only coordinates, parameters and functions can stand here; on a boundary `residual = \"u_n + u\"` may use the unknown, and `robin` does",
        ),
        Mistake::Length { .. } => Some("vectors have one component for each coordinate in space"),
        Mistake::NormalNotAllowed { .. } => Some("use it in `[[boundary]]`"),
        Mistake::Empty => Some("write an expression, such as `0`"),
        _ => None,
    }
}

fn domain_hint(error: &DomainError) -> &'static str {
    match error {
        DomainError::Empty { write, .. } => write,
        DomainError::EmptyCombination { .. } => "check that the parts overlap as they should",
        DomainError::EdgesMeet { .. }
        | DomainError::RepeatedVertex { .. }
        | DomainError::FlatPolygon { .. } => {
            "list the vertices in order around the outline, each once"
        }
        _ => "check the numbers in `[domain]`",
    }
}

fn syntax_hint(message: &str) -> &'static str {
    if message.contains("must be quoted") {
        "texts stand in quotation marks: residual = \"u_xx + 1\""
    } else if message.contains("duplicate key") {
        "give each key once; repeat `[[boundary]]` for another condition"
    } else if message.contains("unclosed") || message.contains("string") {
        "close every bracket and quotation mark"
    } else {
        "a line is `key = value`, `[table]` or `[[table]]`"
    }
}
