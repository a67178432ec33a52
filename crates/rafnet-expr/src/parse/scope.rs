//! The scope: what the names in a text mean, and what is allowed where it stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::leaf::Leaf;
use crate::node::Expr;

/// What a declared name stands for.
///
/// ```
/// use rafnet::expr::{Scope, Symbol};
/// let scope = Scope::new(["x"]).number("nu", 0.1);
/// assert_eq!(scope.symbol("nu"), Some(&Symbol::Number(0.1)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Symbol {
    /// The coordinate of that number.
    Coordinate(usize),
    /// The unknown of that number.
    Unknown(usize),
    /// The parameter to be found of that number.
    Parameter(usize),
    /// The data column of that number.
    Column(usize),
    /// A given number.
    Number(f64),
    /// A given array, indexed from 1 or used as a vector.
    Array(Vec<f64>),
    /// A text that is put in for the name.
    Definition(String),
}

/// The names a text may use.
///
/// Coordinates, unknowns, parameters and columns are numbered in the order in which they are declared. A name that is
/// declared twice has its last meaning; [`symbol`](Self::symbol) tells what is declared already.
///
/// ```
/// use rafnet::expr::{Scope, parse};
/// let scope = Scope::new(["x", "t"])
///     .time("t")
///     .unknowns(["u"])
///     .parameters(["k"]) // to be found
///     .number("nu", 0.01)
///     .array("c", [0.1, 0.4])
///     .define("q", "(2 - x)*sin(pi*x)");
/// let residual = parse("u_t - nu*laplacian(u) + k*u - sum(i, 1, 2, c[i]*x^i)*q", &scope)?;
/// assert_eq!(residual.order(), Some(2));
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scope {
    coordinates: Vec<String>,
    time: Option<usize>,
    unknowns: Vec<String>,
    parameters: Vec<String>,
    columns: Vec<String>,
    /// Shared by copies, which differ in what is allowed far more often than in names.
    symbols: Arc<BTreeMap<String, Symbol>>,
    unknown_use: UnknownUse,
    normal: NormalUse,
    /// Points between which jumps are looked for before a derivative is taken.
    places: Arc<Vec<Vec<f64>>>,
}

/// Where unknowns may stand, and how far they may be differentiated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum UnknownUse {
    Forbidden,
    UpToOrder(usize),
}

/// Whether there is a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NormalUse {
    Forbidden,
    Allowed,
}

impl Default for Scope {
    /// No names; derivatives of unknowns up to order 2, no normals.
    fn default() -> Self {
        Self {
            coordinates: Vec::new(),
            time: None,
            unknowns: Vec::new(),
            parameters: Vec::new(),
            columns: Vec::new(),
            symbols: Arc::default(),
            unknown_use: UnknownUse::UpToOrder(2),
            normal: NormalUse::Forbidden,
            places: Arc::default(),
        }
    }
}

impl Scope {
    /// A scope with these coordinates, in this order, none of them time.
    pub fn new<N: Into<String>>(coordinates: impl IntoIterator<Item = N>) -> Self {
        let mut scope = Self::default();
        for name in coordinates {
            let name = name.into();
            let number = scope.coordinates.len();
            scope.declare(name.clone(), Symbol::Coordinate(number));
            scope.coordinates.push(name);
        }
        scope
    }

    /// Makes a coordinate the time; one that is not declared yet is added as the last.
    #[must_use]
    pub fn time(mut self, name: &str) -> Self {
        let number = self.coordinates.iter().position(|other| other == name);
        self.time = Some(number.unwrap_or(self.coordinates.len()));
        if number.is_none() {
            let symbol = Symbol::Coordinate(self.coordinates.len());
            self.declare(name.into(), symbol);
            self.coordinates.push(name.into());
        }
        self
    }

    /// Declares further unknowns.
    #[must_use]
    pub fn unknowns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            let name = name.into();
            let symbol = Symbol::Unknown(self.unknowns.len());
            self.declare(name.clone(), symbol);
            self.unknowns.push(name);
        }
        self
    }

    /// Declares further parameters that are to be found, which stay leaves.
    #[must_use]
    pub fn parameters<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            let name = name.into();
            let symbol = Symbol::Parameter(self.parameters.len());
            self.declare(name.clone(), symbol);
            self.parameters.push(name);
        }
        self
    }

    /// Declares further columns of data, one value a point.
    #[must_use]
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            let name = name.into();
            let symbol = Symbol::Column(self.columns.len());
            self.declare(name.clone(), symbol);
            self.columns.push(name);
        }
        self
    }

    /// Declares a number.
    #[must_use]
    pub fn number(self, name: &str, value: f64) -> Self {
        self.with(name, Symbol::Number(value))
    }

    /// Declares an array, used as `name[1]`, `name[2]`, … or as a vector.
    #[must_use]
    pub fn array(self, name: &str, values: impl Into<Vec<f64>>) -> Self {
        self.with(name, Symbol::Array(values.into()))
    }

    /// Declares a text to be put in for a name: a function of the coordinates, or a parameter that depends on others.
    #[must_use]
    pub fn define(self, name: &str, text: &str) -> Self {
        self.with(name, Symbol::Definition(text.into()))
    }

    /// Refuses unknowns: for boundary values, exact solutions and other known functions.
    #[must_use]
    pub fn forbid_unknowns(mut self) -> Self {
        self.unknown_use = UnknownUse::Forbidden;
        self
    }

    /// Refuses derivatives of unknowns above this order (2 unless told); 0 allows their values only.
    #[must_use]
    pub fn limit_order(mut self, order: usize) -> Self {
        self.unknown_use = UnknownUse::UpToOrder(order);
        self
    }

    /// Allows the outward normal: `u_n` for the normal derivative of `u`, `n_x` for the normal's component along `x`.
    #[must_use]
    pub fn allow_normal(mut self) -> Self {
        self.normal = NormalUse::Allowed;
        self
    }

    /// Refuses derivatives of what jumps between these points (see `jump`); without any, nothing is looked for.
    pub fn within(mut self, points: Vec<Vec<f64>>) -> Self {
        self.places = Arc::new(points);
        self
    }

    /// The points between which jumps are looked for.
    pub fn places(&self) -> &[Vec<f64>] {
        &self.places
    }

    fn with(mut self, name: &str, symbol: Symbol) -> Self {
        self.declare(name.into(), symbol);
        self
    }

    fn declare(&mut self, name: String, symbol: Symbol) {
        Arc::make_mut(&mut self.symbols).insert(name, symbol);
    }

    /// What a declared name stands for; `None` for names that are not declared, `pi` and `e` among them.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    /// The names of the coordinates, in order.
    pub fn coordinates(&self) -> &[String] {
        &self.coordinates
    }

    /// The numbers of the coordinates in space: all but time.
    pub fn space(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.coordinates.len()).filter(|k| Some(*k) != self.time)
    }

    /// The number of the coordinate that is time.
    pub fn time_axis(&self) -> Option<usize> {
        self.time
    }

    /// The names of the unknowns, in order.
    pub fn unknown_names(&self) -> &[String] {
        &self.unknowns
    }

    pub(super) fn parameter_names(&self) -> &[String] {
        &self.parameters
    }

    pub(super) fn column_names(&self) -> &[String] {
        &self.columns
    }

    pub(super) fn declared(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }

    pub(super) fn unknown_use(&self) -> UnknownUse {
        self.unknown_use
    }

    pub(super) fn normal(&self) -> NormalUse {
        self.normal
    }

    /// Made-up names for everything in an expression: x1, u1, p1, c1, …
    pub(crate) fn generic(expr: &Expr) -> Self {
        let (mut x, mut u, mut p, mut c) = (0, 0, 0, 0);
        for leaf in expr.leaves() {
            match leaf {
                Leaf::Coordinate(k) | Leaf::Normal(k) => x = x.max(k + 1),
                Leaf::Jet(jet) => {
                    u = u.max(jet.unknown() + 1);
                    x = x.max(jet.axes().last().map_or(0, |k| k + 1));
                }
                Leaf::NormalDerivative(k) => u = u.max(k + 1),
                Leaf::Parameter(k) => p = p.max(k + 1),
                Leaf::Column(k) => c = c.max(k + 1),
            }
        }
        let names = |letter: &str, count| -> Vec<String> {
            (1..=count).map(|k| format!("{letter}{k}")).collect()
        };
        Self::new(names("x", x))
            .unknowns(names("u", u))
            .parameters(names("p", p))
            .columns(names("c", c))
            .limit_order(usize::MAX)
            .allow_normal()
    }
}
