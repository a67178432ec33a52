//! What the first layer sees: coordinates, or fixed periodic features of them, and further known functions.

/// How coordinates enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As they are.
    Raw,
    /// sin(kx), cos(kx) for k = 1..order, each block over all coordinates:
    /// [sin x₁ … sin x_d, cos x₁ … cos x_d, sin 2x₁ …], 2·d·order numbers; every function of them has period 2π.
    Periodic {
        /// The largest k.
        order: usize,
    },
}

/// The inputs of a network.
///
/// ```
/// use rafnet::network::Inputs;
/// assert_eq!(Inputs::coordinates(2).width(), 2);
/// assert_eq!(Inputs::periodic(5, 5).width(), 50);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// How many coordinates a point has.
    pub dimension: usize,
    /// How they enter.
    pub encoding: Encoding,
    /// How many known functions of the point are appended; the engine is given them as fields.
    pub features: usize,
}

impl Inputs {
    /// The coordinates themselves.
    pub fn coordinates(dimension: usize) -> Self {
        Self {
            dimension,
            encoding: Encoding::Raw,
            features: 0,
        }
    }
    /// Fixed sines and cosines of the coordinates up to an order.
    pub fn periodic(dimension: usize, order: usize) -> Self {
        Self {
            dimension,
            encoding: Encoding::Periodic { order },
            features: 0,
        }
    }
    /// The same with further known functions appended.
    #[must_use]
    pub fn with_features(self, features: usize) -> Self {
        Self { features, ..self }
    }
    /// How many numbers the first layer sees.
    pub fn width(&self) -> usize {
        let encoded = match self.encoding {
            Encoding::Raw => self.dimension,
            Encoding::Periodic { order } => self.dimension.saturating_mul(order).saturating_mul(2),
        };
        encoded.saturating_add(self.features)
    }
    /// Whether the first layer sees the raw coordinates and nothing else.
    pub fn is_raw(&self) -> bool {
        self.encoding == Encoding::Raw && self.features == 0
    }
}
