//! What a model is made of, as plain data.

use crate::network::Network;

/// How a model's parameters are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Four bytes a number.
    F32,
    /// Eight bytes a number.
    F64,
}

impl Precision {
    /// `f32` or `f64`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// An extra input of the network: a known function of the coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name; later features, factors and lifts may use it.
    pub name: String,
    /// Its text in the coordinates.
    pub text: String,
}

/// One unknown: u = factor·scale·φ + lift.
///
/// ```
/// use rafnet::model::Output;
/// let u = Output::new("u").with_factor("x*(1 - x)").with_scale(2.0);
/// assert_eq!((u.factor.as_deref(), u.lift, u.scale), (Some("x*(1 - x)"), None, 2.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The unit in which the network's output counts.
    pub scale: f64,
    /// A text in the coordinates (and the features' names), or none for 1.
    pub factor: Option<String>,
    /// A text in the coordinates (and the features' names), or none for 0.
    pub lift: Option<String>,
}

impl Output {
    /// u = φ.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            scale: 1.0,
            factor: None,
            lift: None,
        }
    }
    /// The same with a factor.
    #[must_use]
    pub fn with_factor(self, text: impl Into<String>) -> Self {
        let factor = Some(text.into());
        Self { factor, ..self }
    }
    /// The same with a lift.
    #[must_use]
    pub fn with_lift(self, text: impl Into<String>) -> Self {
        let lift = Some(text.into());
        Self { lift, ..self }
    }
    /// The same with a scale.
    #[must_use]
    pub fn with_scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }
}

/// Where a model means something.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// [low, high] of each coordinate.
    pub bounds: Vec<[f64; 2]>,
    /// The domain as JSON text, kept as it is for whoever wrote it; `null` when there is nothing to say.
    pub description: String,
}

impl Region {
    /// A box.
    pub fn new(bounds: Vec<[f64; 2]>) -> Self {
        Self {
            bounds,
            description: "null".into(),
        }
    }
    /// The same with a description of the domain, a JSON text.
    #[must_use]
    pub fn with_description(self, json: impl Into<String>) -> Self {
        let description = json.into();
        Self {
            description,
            ..self
        }
    }
}

/// Everything that defines a [`Model`](super::Model).
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The coordinates' names, in the order of a point's columns.
    pub coordinates: Vec<String>,
    /// Which of them is time, from 0.
    pub time: Option<usize>,
    /// The unknowns, in the order of the network's outputs.
    pub outputs: Vec<Output>,
    /// Extra inputs of the network, as many as its description says.
    pub features: Vec<Feature>,
    /// Numbers with names that the texts may use: a problem's parameters, found ones among them.
    pub constants: Vec<(String, f64)>,
    /// φ
    pub network: Network,
    /// The network's parameters, laid out as [`Network::layout`] says, with one last layer after the other where there are pieces; with
    /// [`Precision::F32`] they are rounded to f32.
    pub parameters: Vec<f64>,
    /// How the parameters are stored. Evaluation is in f64 either way.
    pub precision: Precision,
    /// Where the model means something, if it is said.
    pub region: Option<Region>,
    /// The boxes of a model of several [pieces](super::Model#pieces); without any the network is the same everywhere.
    pub pieces: Vec<Vec<[f64; 2]>>,
}

impl Parts {
    /// A network with names for its coordinates and outputs: u = φ, in f64, everywhere.
    pub fn new<N: Into<String>>(
        coordinates: impl IntoIterator<Item = N>,
        outputs: Vec<Output>,
        network: Network,
        parameters: Vec<f64>,
    ) -> Self {
        Self {
            coordinates: coordinates.into_iter().map(Into::into).collect(),
            time: None,
            outputs,
            features: Vec::new(),
            constants: Vec::new(),
            network,
            parameters,
            precision: Precision::F64,
            region: None,
            pieces: Vec::new(),
        }
    }
    /// The same with time among the coordinates, from 0.
    #[must_use]
    pub fn with_time(self, axis: usize) -> Self {
        let time = Some(axis);
        Self { time, ..self }
    }
    /// The same with one more extra input.
    #[must_use]
    pub fn with_feature(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        self.features.push(Feature { name, text });
        self
    }
    /// The same with one more number that texts may use.
    #[must_use]
    pub fn with_constant(mut self, name: impl Into<String>, value: f64) -> Self {
        self.constants.push((name.into(), value));
        self
    }
    /// The same with its parameters stored in this precision.
    #[must_use]
    pub fn with_precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }
    /// The same with a region.
    #[must_use]
    pub fn with_region(self, region: Region) -> Self {
        let region = Some(region);
        Self { region, ..self }
    }
    /// The same of several pieces: their boxes, [low, high] along each coordinate.
    #[must_use]
    pub fn with_pieces(self, pieces: Vec<Vec<[f64; 2]>>) -> Self {
        Self { pieces, ..self }
    }
    /// How many numbers all pieces share: everything before the last layer. What follows are the last layers, one a piece.
    pub(super) fn n_shared(&self) -> usize {
        let last = self.network.layout().layers.last();
        last.map_or(0, |places| places.weight)
    }
    /// How many parameters there must be.
    pub(super) fn n_parameters(&self) -> usize {
        let (one, shared) = (self.network.n_parameters(), self.n_shared());
        let layers = self.pieces.len().max(1);
        shared.saturating_add(layers.saturating_mul(one - shared))
    }
}
