//! Conformance: every sweep of any engine against an oracle that shares no code with it.
//!
//! The oracle computes u at one point at a time, in plain f64 loops over hyper-dual numbers, each basis function by its
//! own formula; a third dual number along a direction in the parameters gives the Jacobian. Every number carries a bound
//! of its rounding error in the engine's precision, and the engine must be within it: no tolerance is tuned. [`check`]
//! builds seeded random networks around each basis function — fully connected with everything trained, the residual
//! network as coded and as printed, periodic inputs with features and skips; several outputs, factors, lifts, weights,
//! data — and walks evaluation, loss and gradient, residuals, both Jacobians, Gram matrices and pullbacks over batches of many
//! sizes, the engine's own tile among them. [`frozen()`] does the same for a device's sweep over frozen layers.
//!
//! ```
//! use rafnet::basis::Basis;
//! use rafnet::engine::Device;
//! use rafnet::engine::conformance::{Conformance, Selection};
//! let some = Selection { bases: vec![Basis::Sine], dimensions: vec![2], width: None, sizes: vec![0, 3], seed: 7 };
//! let report = f64::conform(&some, &mut |objective| Device::CPU.engine(objective, 1))?;
//! assert!(report.comparisons > 100 && report.blind == 0);
//! # Ok::<(), String>(())
//! ```

mod bounded;
mod case;
mod dual;
mod frozen;
mod number;
mod oracle;
mod probe;
mod sweeps;
mod wave;

pub use frozen::frozen;
pub use wave::{Surroundings, Wave};

use super::{Engine, EngineError, Objective, OnDevice};
use crate::basis::Basis;
use crate::network::Network;
use crate::simd::Real;
use bounded::Bounded;
use case::{Case, Kind};
use std::collections::BTreeMap;
use sweeps::Walk;

/// What [`check`] walks over.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Basis functions, each in networks of its own.
    pub bases: Vec<Basis>,
    /// Numbers of coordinates.
    pub dimensions: Vec<usize>,
    /// Neurons of a layer; some from 5 to 50 where none is given.
    pub width: Option<usize>,
    /// Numbers of points; large ones are compared at 64 of them.
    pub sizes: Vec<usize>,
    /// The same seed, the same networks and points.
    pub seed: u64,
}

impl Selection {
    /// Every basis function and a text, d = 1, 2, 3, 10, batches from none to 10,000 around the usual block sizes.
    pub fn full() -> Self {
        Self {
            bases: Basis::ALL.into_iter().chain(text()).collect(),
            dimensions: vec![1, 2, 3, 10],
            width: None,
            sizes: vec![0, 1, 31, 32, 33, 127, 128, 129, 257, 10_000],
            seed: 2021,
        }
    }
    /// Every basis function in one dimension each, few sizes.
    pub fn small() -> Self {
        Self {
            dimensions: vec![2],
            sizes: vec![0, 1, 33, 257],
            ..Self::full()
        }
    }
    /// Wide layers and many coordinates, where other kernels are chosen: few basis functions, few sizes.
    pub fn wide(dimension: usize, width: usize) -> Self {
        // the oracle takes one pair of coordinates at a time
        let bases = if dimension > 10 { 1 } else { 2 };
        Self {
            bases: vec![Basis::Sine, Basis::Rational][..bases].to_vec(),
            dimensions: vec![dimension],
            width: Some(width),
            sizes: vec![1, 70], // of which the second with its rows
            seed: 2023,
        }
    }
}

/// A text with trained names, a kink and a quotient.
fn text() -> Option<Basis> {
    "a*sin(b*x) + exp(-abs(x))/(1 + c^2*x^2); b = 1.3, c = 0.4"
        .parse()
        .ok()
}

/// What a walk has seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Numbers compared with the oracle.
    pub comparisons: usize,
    /// Those among them where the bound says nothing: within rounding of a jump, or above a tenth of the typical size.
    pub blind: usize,
    /// The largest error as a fraction of its bound.
    pub worst: f64,
    /// The engines' code paths, with the number of networks that met each.
    pub paths: BTreeMap<String, usize>,
}

impl Report {
    /// Every number within its bound; bounds that say nothing are counted.
    fn near<T: Real>(
        &mut self,
        what: &str,
        compared: &[(usize, f64, Bounded<T>)],
    ) -> Result<(), String> {
        let known = compared.iter().filter(|c| c.2.error.is_finite());
        let square: f64 = known.map(|c| c.2.value * c.2.value).sum();
        let typical = (square / compared.len().max(1) as f64).sqrt();
        for &(place, found, expected) in compared {
            self.comparisons += 1;
            if !expected.error.is_finite() {
                self.blind += 1;
                continue;
            }
            self.blind += usize::from(expected.error > 0.1 * typical && typical > 0.0);
            let error = (found - expected.value).abs();
            // written so that a NaN fails
            let inside = error <= expected.error;
            if !inside {
                return Err(format!(
                    "{what}, place {place}: found {found:e}, expected {:e}; the error {error:.1e} is above its bound {:.1e}",
                    expected.value, expected.error
                ));
            }
            if expected.error > 0.0 {
                self.worst = self.worst.max(error / expected.error);
            }
        }
        Ok(())
    }
}

/// An engine for an objective.
pub type Make<'a, T> = dyn FnMut(Objective<T>) -> Result<Box<dyn Engine<T>>, EngineError> + 'a;

/// Walks every sweep of the engines that `make` builds.
///
/// # Errors
/// The first disagreement: which network, sweep, batch size and number, what was found and expected, and the bound.
pub fn check<T: Real>(selection: &Selection, make: &mut Make<'_, T>) -> Result<Report, String> {
    let mut report = Report::default();
    for (b, &basis) in selection.bases.iter().enumerate() {
        for (k, &dimension) in selection.dimensions.iter().enumerate() {
            // over four dimensions each basis function meets every kind of network
            let kind = Kind::ALL[(b + k) % Kind::ALL.len()];
            let seed = selection.seed + (97 * b + k) as u64;
            let case = Case::<T>::new(kind, basis, dimension, selection.width, seed)
                .map_err(|e| e.to_string())?;
            // of a long list nothing, one point and thousands always; each size between meets every other network
            let short = selection.sizes.len() <= 4;
            let sizes = selection.sizes.iter().enumerate();
            let sizes: Vec<usize> = sizes
                .filter(|&(at, &n)| {
                    short || !(2..1000).contains(&n) || (b + k + at).is_multiple_of(2)
                })
                .map(|(_, &n)| n)
                .collect();
            Walk::new(&case, make, seed, &mut report)?.all(&sizes)?;
        }
    }
    Ok(report)
}

/// The walk, compiled once with the library and not in every test.
pub trait Conformance: OnDevice {
    /// [`check`] for these numbers.
    ///
    /// # Errors
    /// As [`check`].
    fn conform(selection: &Selection, make: &mut Make<'_, Self>) -> Result<Report, String>;
}

impl Conformance for f32 {
    fn conform(selection: &Selection, make: &mut Make<'_, Self>) -> Result<Report, String> {
        check(selection, make)
    }
}

impl Conformance for f64 {
    fn conform(selection: &Selection, make: &mut Make<'_, Self>) -> Result<Report, String> {
        check(selection, make)
    }
}

/// The value, gradient and Hessian (row by row) of one output at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Jet {
    /// u
    pub value: f64,
    /// ∂_i u
    pub gradient: Vec<f64>,
    /// ∂_ij u
    pub hessian: Vec<f64>,
}

/// The oracle by itself: every output of a network with its surroundings at one point.
///
/// ```
/// use rafnet::activation::Set;
/// use rafnet::engine::conformance::{Surroundings, oracle};
/// use rafnet::network::{Inputs, Network};
/// // u = 2·sin(3x + 0.5) + 1
/// let network = Network::fully_connected(Inputs::coordinates(1), vec![Set::Sine.shared_out(1, 1.0)], 1)?;
/// let jets = oracle(&network, &Surroundings::default(), &[3.0, 0.5, 2.0, 1.0], &[0.1]);
/// assert!((jets[0].gradient[0] - 6.0 * 0.8f64.cos()).abs() < 1e-14);
/// assert!((jets[0].hessian[0] + 18.0 * 0.8f64.sin()).abs() < 1e-14);
/// # Ok::<(), rafnet::network::NetworkError>(())
/// ```
pub fn oracle(
    network: &Network,
    around: &Surroundings,
    parameters: &[f64],
    point: &[f64],
) -> Vec<Jet> {
    let d = point.len();
    let theta: Vec<Bounded<f64>> = parameters.iter().map(|&p| Bounded::new(p, 0.0)).collect();
    let empty = Jet {
        value: 0.0,
        gradient: vec![0.0; d],
        hessian: vec![0.0; d * d],
    };
    let mut jets = vec![empty; network.n_outputs()];
    for pair in (0..d * d).map(|k| [k / d, k % d]) {
        let u = oracle::hyper_dual(network, around, &theta, point, pair);
        for (jet, [value, first, _, second]) in jets.iter_mut().zip(u) {
            jet.value = value.value;
            jet.gradient[pair[0]] = first.value;
            jet.hessian[pair[0] * d + pair[1]] = second.value;
        }
    }
    jets
}
