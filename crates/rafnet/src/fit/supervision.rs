//! What is given at a sample: values, or derivatives from which the values follow up to a constant.

use crate::engine::{Formula, Read, Residual, Response, Site, Streams};
use crate::expr::{Expr, Leaf};
use crate::simd::Real;

/// What a fit is told of the signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Supervision {
    /// u
    #[default]
    Value,
    /// ∂u/∂x_k for each coordinate
    Gradient,
    /// Σ_k ∂²u/∂x_k²
    Laplacian,
}

impl Supervision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Value, Self::Gradient, Self::Laplacian];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Gradient => "gradient",
            Self::Laplacian => "laplacian",
        }
    }

    /// Numbers given for each sample: channel by channel, for a gradient coordinate by coordinate.
    pub const fn columns(self, dimension: usize, channels: usize) -> usize {
        match self {
            Self::Value | Self::Laplacian => channels,
            Self::Gradient => dimension * channels,
        }
    }
}

/// r = D u − given.
pub(super) struct Misfit {
    pub(super) supervision: Supervision,
    pub(super) dimension: usize,
    pub(super) channels: usize,
}

impl<T: Real> Residual<T> for Misfit {
    fn streams(&self) -> Streams {
        match self.supervision {
            Supervision::Value => Streams::value(),
            Supervision::Gradient => Streams::gradient(),
            Supervision::Laplacian => Streams::laplacian(),
        }
    }
    fn count(&self) -> usize {
        self.supervision.columns(self.dimension, self.channels)
    }
    fn outputs(&self) -> usize {
        self.channels
    }
    fn data_columns(&self) -> usize {
        self.supervision.columns(self.dimension, self.channels)
    }
    fn evaluate(&self, site: &Site<'_, T>, response: &mut Response<'_, T>) {
        let columns = self.supervision.columns(self.dimension, self.channels);
        let each = columns / self.channels;
        for m in 0..columns {
            let (channel, k) = (m / each, m % each);
            let stream = match self.supervision {
                Supervision::Value => 0,
                Supervision::Gradient => site.carried.direction(k).unwrap_or(0),
                Supervision::Laplacian => site.carried.second_stream(0),
            };
            let known = site.u(channel, stream).iter().zip(site.data(m));
            for (value, (&u, &given)) in response.value(m).iter_mut().zip(known) {
                *value = u - given;
            }
            response.partial(m, channel, stream).fill(T::ONE);
        }
    }
    fn formula(&self) -> Option<Formula> {
        let columns = self.supervision.columns(self.dimension, self.channels);
        let each = columns / self.channels;
        let mut formula = Formula {
            reads: Vec::new(),
            residuals: Vec::new(),
            partials: Vec::new(),
            slopes: Vec::new(),
        };
        for m in 0..columns {
            let (output, k) = (m / each, m % each);
            // value, then a stream for each coordinate, then the Laplacian
            let stream = match self.supervision {
                Supervision::Value => 0,
                Supervision::Gradient => 1 + k,
                Supervision::Laplacian => 1 + self.dimension,
            };
            let (u, given) = (Leaf::Column(columns + m), Leaf::Column(m));
            formula
                .reads
                .push((u.clone(), Read::Stream { output, stream }));
            formula.reads.push((given.clone(), Read::Data(m)));
            formula.residuals.push(Expr::leaf(u) - Expr::leaf(given));
            formula
                .partials
                .push(([m, output, stream], Expr::number(1.0)));
        }
        Some(formula)
    }
}
