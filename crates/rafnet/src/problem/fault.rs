//! What can be wrong with a problem file: every kind of mistake, its message below its name.

use crate::domain::DomainError;
use crate::expr::ExprError;
use thiserror::Error;

/// The kinds of mistake, with what a message needs.
///
/// ```
/// use rafnet::problem::{Fault, Problem};
/// let error = Problem::from_text("", "empty.toml", None).err().expect("nothing to solve");
/// assert_eq!(*error.fault(), Fault::EmptyFile);
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after what they hold")]
pub enum Fault {
    /// There is no such file.
    #[error("there is no such file")]
    FileNotFound,
    /// The file exists and cannot be read.
    #[error("the file cannot be read: {reason}")]
    Unreadable { reason: String },
    /// There is no built-in problem of that name.
    #[error("there is no built-in problem of this name")]
    UnknownBuiltin { closest: Option<String> },
    /// A parameter that is to be set and is not there.
    #[error("the problem has no parameter `{name}` to be set")]
    NoParameter { name: String, known: Vec<String> },
    /// A value that no parameter can have.
    #[error("`{name} = {value}` makes no problem file")]
    NoValue { name: String, value: String },
    /// Nothing but blanks.
    #[error("the file is empty")]
    EmptyFile,
    /// Something beyond all reason.
    #[error("{what} is {found}, the limit is {limit}")]
    TooLarge {
        what: String,
        found: f64,
        limit: f64,
    },
    /// A known function whose derivatives blow up.
    #[error("a derivative of {what} has more than {limit} parts")]
    Outgrown { what: String, limit: usize },
    /// Not TOML.
    #[error("this is not TOML: {message}")]
    Syntax { message: String },
    /// A key that means nothing there.
    #[error("unknown key `{key}` in {table}")]
    UnknownKey {
        key: String,
        table: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// A key that must be there.
    #[error("{table} has no `{key}`")]
    MissingKey {
        key: String,
        table: String,
        example: String,
    },
    /// A value of another type.
    #[error("`{key}` is {found}, expected {expected}")]
    WrongType {
        key: String,
        found: &'static str,
        expected: &'static str,
    },
    /// A number that should be whole and positive.
    #[error("`{key}` is {found}, expected a whole number from 1")]
    NotACount { key: String, found: f64 },
    /// A number that is too small or too large.
    #[error("`{key}` is {found}, expected {expected}")]
    OutOfRange {
        key: String,
        found: f64,
        expected: &'static str,
    },
    /// A number that should be finite.
    #[error("`{key}` is {found}, expected a finite number")]
    NotFiniteNumber { key: String, found: f64 },
    /// A word that is none of those known.
    #[error("unknown value `{found}` of `{key}`")]
    UnknownWord {
        key: String,
        found: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// A mistake in an expression.
    #[error("{}", expression_message(.error, .key))]
    Expression { error: ExprError, key: String },
    /// A name of the problem that cannot be part of a folder's name or be printed.
    #[error("the problem cannot be called {found:?}: {reason}")]
    ProblemName { found: String, reason: &'static str },
    /// A key that should be usable as a name in expressions.
    #[error("`{name}` cannot be used as a name in expressions")]
    NotAName { name: String },
    /// One name with two meanings.
    #[error("`{name}` is declared as a {first} and again as a {second}")]
    DeclaredTwice {
        name: String,
        first: &'static str,
        second: &'static str,
    },
    /// A shape that cannot be.
    #[error("{0}")]
    Domain(DomainError),
    /// low ≥ high.
    #[error("`{name}` is empty: it runs from {low} to {high}")]
    EmptyInterval { name: String, low: f64, high: f64 },
    /// high − low is no finite number.
    #[error(
        "`{name}` is too long: from {low:e} to {high:e} is further than double precision reaches"
    )]
    EndlessInterval { name: String, low: f64, high: f64 },
    /// A list of another length than needed.
    #[error("`{key}` has {found} entries, expected {expected}: {reason}")]
    Length {
        key: String,
        found: usize,
        expected: usize,
        reason: String,
    },
    /// A name that is no coordinate.
    #[error("`{name}` is not a coordinate")]
    NotACoordinate {
        name: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// A name that is no unknown.
    #[error("`{name}` is not an unknown")]
    NotAnUnknown {
        name: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// A part of a combined domain without its coordinates.
    #[error("this part has the coordinates {found}, the first part has {expected}")]
    PartCoordinates { found: String, expected: String },
    /// Periodic, but no box.
    #[error("`{name}` cannot be periodic: only the coordinates of a box can")]
    PeriodicShape { name: String },
    /// A condition where the domain closes on itself.
    #[error("`{name}` is periodic and has no boundary")]
    PeriodicBoundary { name: String },
    /// Initial data without time.
    #[error("{what} without time: no coordinate is the time")]
    NoTime { what: String },
    /// Another number of equations than unknowns.
    #[error("{} for {}", counted(*.equations, "equation"), counted(*.unknowns, "unknown"))]
    EquationCount { equations: usize, unknowns: usize },
    /// An equation without unknowns.
    #[error("no unknown occurs in this equation")]
    NothingUnknown { unknowns: Vec<String> },
    /// An unknown without equation.
    #[error("the unknown `{unknown}` occurs in no equation")]
    UnusedUnknown { unknown: String },
    /// `source = "manufactured"` without its name in the residual.
    #[error("the source is manufactured, but `{name}` does not occur in this residual")]
    SourceAbsent { name: String },
    /// `f` with a factor that is not a constant.
    #[error("the manufactured source `{name}` must enter with a constant factor")]
    SourceFactor { name: String },
    /// The source of another equation.
    #[error("`{name}` is the source of equation {belongs}, this is equation {equation}")]
    SourceElsewhere {
        name: String,
        belongs: usize,
        equation: usize,
    },
    /// A manufactured source that would have to hold a point mass.
    #[error(
        "the source `{name}` cannot be manufactured: `{function}` in the exact solution breaks it at {coordinate} = {at:.4}, where a derivative of it would be lost"
    )]
    SourceJumps {
        name: String,
        function: &'static str,
        coordinate: String,
        at: f64,
    },
    /// A manufactured source without exact solution.
    #[error("the source is manufactured, but there is no exact solution for `{unknown}`")]
    ExactMissing { unknown: String },
    /// A text that must not depend on what is sought.
    #[error("{what} must not depend on the sought parameter `{parameter}`")]
    DependsOnSought { what: String, parameter: String },
    /// None or several of the kinds of condition.
    #[error("{table} has {found}, expected exactly one of {}", .expected.join(", "))]
    OneOf {
        table: String,
        found: String,
        expected: Vec<String>,
    },
    /// A system whose condition does not say which unknown it is for.
    #[error("this condition does not say which unknown it is for")]
    WhichUnknown { unknowns: Vec<String> },
    /// A part of the boundary that does not exist.
    #[error("the domain has no boundary part `{on}`")]
    NoSuchPiece { on: String, known: Vec<String> },
    /// A condition on the boundary that holds nowhere.
    #[error("no point of the boundary satisfies `{on}`")]
    EmptyRegion { on: String },
    /// Two conditions for one place.
    #[error("over-determined: all of this is given again on line {later}")]
    OverDetermined { later: usize },
    /// A part of the boundary without condition.
    #[error("{}", missing_boundary(.unknown, .piece, *.order))]
    MissingBoundary {
        unknown: String,
        piece: String,
        order: usize,
    },
    /// Nothing but the equation.
    #[error("nothing fixes `{unknown}`: its equation has derivatives, and there are no conditions")]
    NoConditions { unknown: String },
    /// Time derivatives without initial data.
    #[error("no initial condition for `{name}`, whose equation is of order {order} in time")]
    MissingInitial { name: String, order: usize },
    /// Only derivatives are given.
    #[error(
        "`{unknown}` is determined up to {} only: the equation and all conditions hold derivatives of it",
        .time.as_ref().map_or_else(|| "a constant".to_owned(), |t| format!("a function of `{t}`"))
    )]
    FreeConstant {
        unknown: String,
        /// The time, where a function of it is as free.
        time: Option<String>,
    },
    /// Something that is not a number at a point.
    #[error("{what} is {value} at {at}")]
    NotFinite {
        what: String,
        value: f64,
        at: String,
    },
    /// Bounds between which there is nothing, or not the start.
    #[error("`{name}` starts at {start}, which is not between its `min` and `max`")]
    SoughtBounds { name: String, start: f64 },
    /// A constraint that would differ from place to place.
    #[error("`equals` varies with {coordinate}, over which the condition is taken")]
    EqualsVaries {
        coordinate: String,
        each: Option<String>,
    },
    /// A key of `[[report]]` that does not go with the others.
    #[error("`{key}` does not go with the other keys of this `[[report]]`")]
    ReportKeys {
        /// Which.
        key: String,
    },
    /// A report in which no unknown occurs.
    #[error("no unknown occurs in this report")]
    ReportOfNothing {
        /// What is unknown.
        unknowns: Vec<String>,
    },
    /// A point of `[[report]]` that is not in the domain.
    #[error("the point {place} is not in the domain")]
    ReportOutside {
        /// Which.
        place: String,
    },
    /// A file named in the problem that does not exist.
    #[error("the data file `{path}` cannot be read: {reason}")]
    DataFile { path: String, reason: String },
    /// A table of data without a column.
    #[error("the data have no column `{column}`")]
    NoColumn { column: String, found: Vec<String> },
    /// A column that means nothing.
    #[error("unknown column `{column}` in the data")]
    UnknownColumn {
        column: String,
        closest: Option<String>,
        known: Vec<String>,
    },
    /// A column that is given twice.
    #[error("the column `{column}` is there twice")]
    RepeatedColumn { column: String },
    /// A row of another length.
    #[error("row {row} has {found} entries, expected {expected}: {reason}")]
    RowLength {
        row: usize,
        found: usize,
        expected: usize,
        reason: String,
    },
    /// A cell that is no number.
    #[error("`{found}` in column `{column}` is not a finite number")]
    Cell { column: String, found: String },
    /// A table that is none.
    #[error("{reason}")]
    NoTable { reason: String },
    /// No data at all.
    #[error("the data are empty")]
    NoData,
    /// A point where there is no domain.
    #[error("the data point {point} lies outside the domain")]
    PointOutside { point: String },
    /// A part of a file that an eigenvalue problem cannot have.
    #[error("`[{part}]` does not go with `[eigenvalue]`")]
    BesideEigenvalue { part: &'static str },
    /// A sought parameter beside the eigenvalue.
    #[error("`{name}` is sought, and so is the eigenvalue: only one of them can be")]
    SoughtBesideEigenvalue { name: String },
    /// An operator that only multiplies.
    #[error("the operator is of order 0: without derivatives it has no eigenfunctions")]
    OperatorOrder,
    /// An operator with a source.
    #[error("the operator is not zero where the unknown is zero")]
    OperatorOfNothing,
    /// An operator in space and time.
    #[error("an eigenvalue problem has no time")]
    EigenvalueInTime,
    /// A condition that zero does not meet.
    #[error("a condition of an eigenvalue problem must hold for zero, and one does not")]
    NotHomogeneous,
    /// A size of eigenfunctions that is not understood.
    #[error("`{found}` is not a way to normalise that is known")]
    Normalisation { found: String, usual: String },
    /// Several pairs where there can be one.
    #[error("{count} eigenpairs cannot be had here: {reason}")]
    OnePair { count: usize, reason: &'static str },
    /// e^N for several unknowns.
    #[error("`positive` is for a single unknown")]
    PositiveSystem,
    /// Nothing is said at an end of a coordinate.
    #[error("neither a boundary condition for `{unknown}` on `{piece}` nor a periodic coordinate")]
    OpenEnd { unknown: String, piece: String },
}

fn expression_message(error: &ExprError, key: &str) -> String {
    match error.definition() {
        Some(_) => error.to_string(),
        None => format!("{error} in `{key}`"),
    }
}

/// What an equation of some order across a piece lacks there.
fn missing_boundary(unknown: &str, piece: &str, order: usize) -> String {
    let why = match order {
        2 => {
            return format!(
                "no boundary condition for `{unknown}` on `{piece}`, where the equation needs one"
            );
        }
        3 => "of order 3, takes one on one side and two on the other",
        _ => "of order 4, takes two on each side",
    };
    format!("too few boundary conditions for `{unknown}` on `{piece}`: the equation, {why}")
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
