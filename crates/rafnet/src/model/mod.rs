//! Models: the whole function, in the user's coordinates and units.
//!
//! ```text
//! u_o(x) = factor_o(x) · scale_o · φ_o(x, features(x)) + lift_o(x)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | φ | a [`Network`](crate::network::Network) with its parameters |
//! | features | known functions of x appended to the network's inputs, by their texts |
//! | factor, lift | known functions of x that make boundary conditions hold, by their texts |
//! | scale | the unit in which φ counts |
//!
//! A model of several [pieces](Model#pieces) has a box and a last layer for each of them.
//!
//! [`Parts`] is what a model is made of, [`Model`] is that, checked and ready to be evaluated with exact derivatives.
//! A model is one `.safetensors` file: the tensors by name, everything else as a versioned JSON description in its metadata
//! (`docs/reference/model-file.md`). Values and derivatives are checked against closed forms in `tests/model.rs`.

mod check;
mod checksum;
mod description;
mod engines;
mod error;
mod expressions;
mod file;
mod jets;
mod onnx;
mod outside;
mod parts;
mod pieces;
mod tensor_file;

pub(crate) use checksum::Checksum;
pub use error::ModelError;
pub use expressions::Expressions;
pub use jets::Jets;
pub use onnx::Onnx;
pub use outside::Outside;
pub use parts::{Feature, Output, Parts, Precision, Region};
pub use rafnet_table::AtomicFile;
pub(crate) use tensor_file::{CHECKSUM, Tensor, TensorFile, write as write_tensors};

use crate::domain::{Shape, described};
use crate::engine::{Device, Second, Streams};
use crate::expr::{Scope, largest};
use engines::Engines;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How far beyond its box, in units of its extent, a point still counts as in a region.
const SLACK: f64 = 1e-12;

/// The whole function: evaluated, differentiated, saved and loaded.
///
/// ```
/// use rafnet::activation::Set;
/// use rafnet::model::{Output, Parts};
/// use rafnet::network::{Bias, Inputs, Layer, Network};
/// use rafnet::{Model, Streams};
///
/// // φ(x) = x² from the second of two neurons, and u = 3 (1 − x) φ + 1
/// let layers = vec![Layer::dense(Set::Poly.shared_out(2, 1.0)), Layer::linear(1, Bias::Yes)];
/// let network = Network::new(Inputs::coordinates(1), layers)?;
/// let parameters = vec![1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]; // neurons x and x², then the output takes the second
/// let u = Output::new("u").with_factor("1 - x").with_scale(3.0).with_lift("1");
/// let model = Model::new(Parts::new(["x"], vec![u], network, parameters))?;
/// # let folder = std::env::temp_dir().join(format!("rafnet-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("u.safetensors");
/// model.save(&path)?;
///
/// let model = Model::load(&path)?;
/// let points = [0.5, 2.0]; // n × d
/// assert_eq!(model.eval(&points)?, [1.375, -11.0]); // n × outputs: 3 (1 − x) x² + 1
/// let jet = model.jet(&points, Streams::laplacian())?;
/// assert_eq!(jet.laplacian(0), Some(&[-3.0, -30.0][..])); // 6 − 18 x
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Pieces
///
/// A function that is local is better made of local ones: on the box of piece p, with middle m and half extents h,
///
/// ```text
/// u(x) = φ_p((x − m) / h, features(x))        φ_p: the network with the last layer of piece p
/// ```
///
/// A point in several boxes belongs to the first of them, one in none to the nearest.
pub struct Model {
    parts: Parts,
    engines: Engines,
    /// Those of pieces that read features.
    of_pieces: BTreeMap<usize, Engines>,
    /// The region's shape, where it is no box.
    shape: Option<Arc<dyn Shape>>,
    outside: Outside,
}

impl Model {
    /// What a run calls the file of its model.
    pub const FILE: &str = "model.safetensors";

    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// [`ModelError`] names the part that does not fit and says what was expected.
    pub fn new(mut parts: Parts) -> Result<Self, ModelError> {
        if parts.precision == Precision::F32 {
            for p in &mut parts.parameters {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "rounding is what is asked for"
                )]
                let rounded = *p as f32;
                *p = f64::from(rounded);
            }
        }
        check::parts(&parts)?;
        let known = check::known(&parts)?;
        let (features, ansatz) = check::fields(&parts, &known);
        let of_pieces = pieces::engines(&parts, &known.features, &ansatz);
        let engines = Engines::new(parts.network.clone(), features, ansatz);
        let region = parts.region.as_ref();
        let shape = region.and_then(|r| {
            let description = serde_json::from_str(&r.description).ok()?;
            described(&description).filter(|s| s.dimension() == parts.coordinates.len())
        });
        Ok(Self {
            parts,
            engines,
            of_pieces,
            shape,
            outside: Outside::Continued,
        })
    }

    /// Gives numbers names that texts about the model may use.
    pub(crate) fn name_constants(&mut self, constants: &[(String, f64)]) {
        self.parts.constants = constants.to_vec();
    }

    /// The same model on a device.
    #[must_use]
    pub fn with_device(mut self, device: Device) -> Self {
        self.engines.set_device(device);
        let of_pieces = self.of_pieces.values_mut();
        of_pieces.for_each(|engines| engines.set_device(device));
        self
    }

    /// The same model on that many threads (one for each core unless told). The answers do not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.engines.set_threads(threads);
        let of_pieces = self.of_pieces.values_mut();
        of_pieces.for_each(|engines| engines.set_threads(threads));
        self
    }

    /// The same model with another answer outside its region.
    #[must_use]
    pub fn with_outside(self, outside: Outside) -> Self {
        Self { outside, ..self }
    }

    /// What it is made of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What names mean in a text about the model, such as `k*u_x + laplacian(u)`: coordinates, unknowns, constants, features.
    pub fn scope(&self) -> Scope {
        let parts = &self.parts;
        let features = parts.features.iter();
        features
            .fold(check::scope(parts), |scope, f| {
                scope.define(&f.name, &f.text)
            })
            .unknowns(parts.outputs.iter().map(|o| o.name.clone()))
    }

    /// How many coordinates a point has.
    pub fn dimension(&self) -> usize {
        self.parts.coordinates.len()
    }

    /// How many unknowns there are.
    pub fn n_outputs(&self) -> usize {
        self.parts.outputs.len()
    }

    /// Whether a point lies in the model's region, to within 1e-12 of its extent; everywhere without one.
    pub fn contains(&self, point: &[f64]) -> bool {
        let inside = |(x, [low, high]): (&f64, &[f64; 2])| {
            let slack = SLACK * (high - low + low.abs().max(high.abs()));
            *x >= low - slack && *x <= high + slack
        };
        let Some(region) = &self.parts.region else {
            return true;
        };
        let reach = |[low, high]: &[f64; 2]| SLACK * (high - low + low.abs().max(high.abs()));
        let reach = largest(region.bounds.iter().map(reach));
        point.iter().zip(&region.bounds).all(inside)
            && self.shape.as_ref().is_none_or(|s| s.contains(point, reach))
    }

    /// u at points (n × d, row by row): n × outputs, row by row.
    ///
    /// # Errors
    /// [`ModelError::Engine`] if the length is no multiple of the dimension or a coordinate is not finite.
    pub fn eval(&self, points: &[f64]) -> Result<Vec<f64>, ModelError> {
        let jets = self.jet(points, Streams::value())?;
        let outputs = self.n_outputs();
        let mut values = vec![0.0; jets.n_points() * outputs];
        for o in 0..outputs {
            for (i, &u) in jets.value(o).iter().enumerate() {
                values[i * outputs + o] = u;
            }
        }
        Ok(values)
    }

    /// u and the derivatives asked for at points (n × d, row by row). The Laplacian is that in space.
    ///
    /// # Errors
    /// [`ModelError::Engine`] if the length is no multiple of the dimension, a coordinate is not finite, or a derivative is
    /// along a coordinate that does not exist.
    pub fn jet(&self, points: &[f64], streams: Streams) -> Result<Jets, ModelError> {
        let streams = self.in_space(streams);
        let dimension = self.dimension();
        let carried = streams
            .carried(dimension)
            .map_err(|e| ModelError::Engine(e.into()))?;
        let n = points.len() / dimension;
        let what = format_args!("{} derivatives at {n} points", carried.len() - 1);
        rafnet_memory::require(what, &[n, carried.len(), self.n_outputs(), 8])
            .map_err(|e| ModelError::Engine(e.into()))?;
        let mut values = vec![0.0; n * carried.len() * self.n_outputs()];
        if self.parts.pieces.is_empty() {
            self.engines.with(|engine| {
                engine.evaluate(&self.parts.parameters, points, &streams, &mut values)
            })?;
        } else {
            self.piece_by_piece(points, &carried, &mut values)?;
        }
        if self.outside == Outside::Nan && self.parts.region.is_some() {
            for (i, point) in points.chunks_exact(dimension).enumerate() {
                if !self.contains(point) {
                    values[i..]
                        .iter_mut()
                        .step_by(n)
                        .for_each(|v| *v = f64::NAN);
                }
            }
        }
        Ok(Jets::new(values, n, self.n_outputs(), streams, carried))
    }

    /// The same streams, the Laplacian over the coordinates in space only.
    fn in_space(&self, mut streams: Streams) -> Streams {
        let (d, Some(time)) = (self.dimension(), self.parts.time) else {
            return streams;
        };
        for second in &mut streams.second {
            if *second == Second::Laplacian {
                let entry = |place: usize| {
                    let diagonal = place.is_multiple_of(d + 1) && place != time * (d + 1);
                    f64::from(u8::from(diagonal))
                };
                *second = Second::Matrix((0..d * d).map(entry).collect());
            }
        }
        streams
    }
}

impl Clone for Model {
    /// The same function with engines of its own.
    fn clone(&self) -> Self {
        let of_pieces = self.of_pieces.iter();
        let fresh = of_pieces.map(|(piece, engines)| (*piece, engines.fresh()));
        Self {
            parts: self.parts.clone(),
            engines: self.engines.fresh(),
            of_pieces: fresh.collect(),
            shape: self.shape.clone(),
            outside: self.outside,
        }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("coordinates", &self.parts.coordinates)
            .field("outputs", &self.parts.outputs)
            .field("n_parameters", &self.parts.parameters.len())
            .finish_non_exhaustive()
    }
}
