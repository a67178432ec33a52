//! Engines: whole sweeps over a batch of points, tile by tile.
//!
//! An engine holds a whole compiled problem ([`Objective`]): a network, what surrounds it ([`Ansatz`]: a known factor and lift), its terms
//! (a pointwise [`Residual`] each, at points of its own) and the numbers that all of them share. It
//! offers the sweeps of [`Engine`]: values and derivatives at points; a term's loss and gradient; its residuals and their Jacobian; the gradient for given cotangents. There is no tape: each layer states its forward and reverse sweep. A [`Device`] makes
//! engines, and sweeps over frozen layers ([`ridges`]): `reference` is the one to read, a point at a time in the order of the formulas; `cpu` is the
//! fast one; and [`conformance`] checks any of them against an oracle that shares no code with either.

mod ansatz;
pub mod check;
pub mod conformance;
mod cpu;
mod descent;
mod device;
mod error;
mod expression;
mod field;
mod reference;
mod residual;
pub mod ridges;
mod squares;
mod streams;

pub use ansatz::Ansatz;
pub use cpu::MOST_THREADS;
pub use descent::{
    AdamState, Cloud, Descended, Descent, Meanwhile, Region, Rule, Source, Steps, Sweep, Watched,
};
pub use device::{Computes, Device, Devices, OnDevice, UnknownDevice};
pub use error::EngineError;
pub use expression::{ExprField, ExprResidual, Formula, Formulas, KnownStreams, Read};
pub use field::{Field, Points};
pub use residual::{Regression, Residual, Response, Site};
pub use squares::Squares;
pub use streams::{Carried, Gradient, Quadratic, Second, Streams, StreamsError};

use crate::network::Network;
use crate::simd::Real;
use std::ops::Range;
use std::sync::Arc;

/// What an engine computes: a network, its surroundings, and the terms whose mean squares are the loss.
///
/// ```text
/// J(θ, p) = Σ_k λ_k (1/n_k) Σ_i w_i |r_k(x_i, u, ∂u, …, p)|²          parameters: θ, then p
/// ```
#[derive(Clone)]
pub struct Objective<T> {
    /// φ
    pub network: Network,
    /// The known functions appended to the network's inputs, as many as its description says.
    pub features: Vec<Arc<dyn Field<T>>>,
    /// u_o = factor·φ_o + lift for each output; empty for u = φ.
    pub ansatz: Vec<Ansatz<T>>,
    /// Bounds of the numbers p that all points share. They are the tail of the parameter vector, and are read as the nearest numbers within
    /// their bounds.
    pub shared: Vec<[f64; 2]>,
    /// r_k, each at points of its own.
    pub terms: Vec<Term<T>>,
}

/// A residual, and how points become its rows.
#[derive(Clone)]
pub struct Term<T> {
    /// r(x, u, ∂u, …)
    pub residual: Arc<dyn Residual<T>>,
    /// What a row is.
    pub row: Row,
}

/// What a row of a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// √w_i r(x_i) at one point.
    Point,
    /// Σ_i w_i r(x_i) over a group of so many points: a mean, an integral. Weights may be negative.
    Sum(usize),
}

impl Row {
    /// How many points a row is made of.
    pub fn points(self) -> usize {
        match self {
            Self::Point => 1,
            Self::Sum(points) => points,
        }
    }
}

impl<T: Real> Objective<T> {
    /// One term with a row for each point, u = φ, no extra features.
    pub fn new(network: Network, residual: Arc<dyn Residual<T>>) -> Self {
        Self {
            terms: vec![Term::new(residual)],
            ..Self::values(network)
        }
    }
    /// No term: u = φ and its derivatives alone.
    pub fn values(network: Network) -> Self {
        Self {
            network,
            features: Vec::new(),
            ansatz: Vec::new(),
            shared: Vec::new(),
            terms: Vec::new(),
        }
    }
    /// The same with u_o = factor·φ_o + lift.
    #[must_use]
    pub fn with_ansatz(self, ansatz: Vec<Ansatz<T>>) -> Self {
        Self { ansatz, ..self }
    }
    /// The same with known functions appended to the inputs.
    #[must_use]
    pub fn with_features(self, features: Vec<Arc<dyn Field<T>>>) -> Self {
        Self { features, ..self }
    }

    /// The same with shared numbers within these bounds.
    #[must_use]
    pub fn with_shared(self, shared: Vec<[f64; 2]>) -> Self {
        Self { shared, ..self }
    }

    /// Length of the parameter vector: the network's, then the shared numbers.
    pub fn n_parameters(&self) -> usize {
        self.network.n_parameters() + self.shared.len()
    }

    /// The shared numbers of a parameter vector, the nearest within their bounds.
    fn read_shared(&self, parameters: &[T], into: &mut Vec<T>) {
        let given = parameters[self.network.n_parameters()..].iter();
        let within = |(p, [low, high]): (&T, &[f64; 2])| T::from_f64(p.to_f64().clamp(*low, *high));
        into.clear();
        into.extend(given.zip(&self.shared).map(within));
    }

    /// A term by its number.
    ///
    /// # Errors
    /// [`EngineError::Term`] if there are fewer.
    pub fn term(&self, term: usize) -> Result<&Term<T>, EngineError> {
        let of = self.terms.len();
        self.terms.get(term).ok_or(EngineError::Term { term, of })
    }
}

impl<T> Term<T> {
    /// A row for each point.
    pub fn new(residual: Arc<dyn Residual<T>>) -> Self {
        let row = Row::Point;
        Self { residual, row }
    }

    /// A row for each group of so many points, their weighted sum.
    #[must_use]
    pub fn summed(self, points: usize) -> Self {
        let row = Row::Sum(points);
        Self { row, ..self }
    }
}

/// Points with what belongs to them.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a, T> {
    /// n × d, row by row.
    pub points: &'a [T],
    /// n × c, row by row: what the residual reads beside the point (targets, say); may be empty.
    pub data: &'a [T],
    /// A weight for each point, or empty for 1 everywhere.
    pub weights: &'a [T],
    /// Which term they are for.
    pub term: usize,
}

impl<'a, T> Batch<'a, T> {
    /// Points alone.
    pub fn points(points: &'a [T]) -> Self {
        Self {
            points,
            data: &[],
            weights: &[],
            term: 0,
        }
    }
    /// Points with data beside them.
    #[must_use]
    pub fn with_data(self, data: &'a [T]) -> Self {
        Self { data, ..self }
    }
    /// The same for another term than the first.
    #[must_use]
    pub fn of_term(self, term: usize) -> Self {
        Self { term, ..self }
    }
    /// Points with weights.
    #[must_use]
    pub fn with_weights(self, weights: &'a [T]) -> Self {
        Self { weights, ..self }
    }
    /// Points `range` of all `n`, with what belongs to them.
    fn part(&self, range: Range<usize>, n: usize) -> Self {
        let of = |all: &'a [T]| {
            let each = all.len() / n.max(1);
            &all[range.start * each..range.end * each]
        };
        Self {
            points: of(self.points),
            data: of(self.data),
            weights: of(self.weights),
            term: self.term,
        }
    }
}

/// A loss that couples points: given a range of them with the values and derivatives there, laid out as the answer of
/// [`Engine::evaluate`] for that range, it puts their cotangents in their place.
pub type Couple<'a, T> = dyn Fn(Range<usize>, &mut [T]) + Sync + 'a;

/// Whole sweeps over points, for numbers of type `T`.
pub trait Engine<T: Real>: Send {
    /// What it computes.
    fn objective(&self) -> &Objective<T>;

    /// Names of the code paths that its sweeps take, so that a test can tell whether it met them all.
    fn paths(&self) -> Vec<String> {
        Vec::new()
    }

    /// u and its derivatives: `out[(o·S + s)·n + i]` is stream `s` of output `o` at point `i`, S the number of streams carried.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or an input is not finite.
    fn evaluate(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        out: &mut [T],
    ) -> Result<(), EngineError>;

    /// The loss of the batch's term, its rows' mean square (1/n) Σ_i w_i Σ_m r_m(x_i)², and its gradient.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or an input is not finite.
    fn loss_and_gradient(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        gradient: &mut [T],
    ) -> Result<f64, EngineError>;

    /// Σ_k λ_k J_k over a cloud for each of the first terms, and its gradient; `scratch` is as long as the gradient.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or an input is not finite.
    fn weighted_loss_and_gradient(
        &mut self,
        parameters: &[T],
        clouds: &[Cloud<T>],
        weights: &[f64],
        gradient: &mut [T],
        scratch: &mut [T],
    ) -> Result<f64, EngineError> {
        let mut sweep = |at: &[T], batch: &Batch<'_, T>, into: &mut [T]| {
            self.loss_and_gradient(at, batch, into)
        };
        descent::weighted(clouds, weights, parameters, gradient, scratch, &mut sweep)
    }

    /// Takes steps of a descent, one at least and at most so many: on the host one.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit, an input is not finite or there are no points.
    fn descend(
        &mut self,
        descent: &mut Descent<T>,
        rule: &mut dyn Rule<T>,
        _most: u64,
    ) -> Result<Descended, EngineError> {
        let mut sweep = |at: &[T], batch: &Batch<'_, T>, into: &mut [T]| {
            self.loss_and_gradient(at, batch, into)
        };
        descent.advance(rule, &mut sweep)
    }

    /// Brings a descent's parameters to the host, where they already are unless a device keeps them.
    ///
    /// # Errors
    /// [`EngineError`] if the device is lost.
    fn fetch(&mut self, _descent: &mut Descent<T>) -> Result<(), EngineError> {
        Ok(())
    }

    /// The rows of the batch's term: `residual[i·M + m]` is residual `m` of point `i`, times the root of its weight ([`Row`]).
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or an input is not finite.
    fn residuals(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
    ) -> Result<(), EngineError>;

    /// The residuals and their derivatives by the parameters, a row of `jacobian` for each entry of `residual`. Memory is
    /// bounded by calling it for a block of points at a time.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or an input is not finite.
    fn residuals_and_jacobian(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
        jacobian: &mut [T],
    ) -> Result<(), EngineError>;

    /// Σ_k λ_k J_k over a cloud for each of the first terms as a sum of squares whose Gauss–Newton steps this engine makes itself; nothing
    /// depends on the parameters at the places `closed`. `None` where that is the host's work.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit, an input is not finite or the device lacks something.
    fn squares(
        &mut self,
        _clouds: &[Cloud<T>],
        _weights: &[f64],
        _closed: &[usize],
    ) -> Result<Option<Box<dyn Squares<T> + '_>>, EngineError> {
        Ok(None)
    }

    /// How many numbers of a Jacobian [`squares`](Self::squares) takes; none where the host's memory decides.
    fn most_numbers(&self) -> Option<usize> {
        None
    }

    /// The gradient Σ_ios ū_ios ∂u_os(x_i)/∂θ for given cotangents ū, laid out as the answer of [`evaluate`](Self::evaluate) for the
    /// same streams: what a loss that couples points asks for.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or an input is not finite.
    fn pullback(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        cotangents: &[T],
        gradient: &mut [T],
    ) -> Result<(), EngineError>;

    /// The gradient of a loss that couples the points of a group, such as those of a path: the points are groups of that many, and
    /// `couple` is called for ranges of whole groups, in any order, from any thread. One sweep there and back.
    ///
    /// # Errors
    /// [`EngineError`] if a length does not fit or an input is not finite.
    fn coupled(
        &mut self,
        parameters: &[T],
        (points, group): (&[T], usize),
        streams: &Streams,
        couple: &Couple<'_, T>,
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let network = &self.objective().network;
        let n = check::groups(self.objective(), parameters, points, group)?;
        let carried = streams.carried(network.inputs().dimension)?;
        let mut values = vec![T::ZERO; n * network.n_outputs() * carried.len()];
        self.evaluate(parameters, points, streams, &mut values)?;
        if n > 0 {
            couple(0..n, &mut values);
        }
        self.pullback(parameters, points, streams, &values, gradient)
    }
}
