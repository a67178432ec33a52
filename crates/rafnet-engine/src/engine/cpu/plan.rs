//! What a sweep looks like, worked out once: sizes, panels, buffers.
//!
//! A tile of points is cut into *blocks* of two registers' lanes. A buffer of width w holds, block after block and stream
//! after stream, w rows of one block of numbers:
//!
//! ```text
//! buffer[((block · S + stream) · w + neuron) · B + lane]        B = 2 · LANES
//! ```
//!
//! so a (block, stream) pair is the right factor of a small matrix product, its rows are registers, and no width is padded.

use super::weight_gradient::Summation;
use crate::activation::neuron::Wanted;
use crate::basis::Basis;
use crate::engine::Carried;
use crate::network::{Layer, Network, Skip};
use crate::simd::{Isa, Kernel, Level, Real, Vector, dispatch_at};
use std::ops::Range;

/// A group of neurons as the kernels see it.
pub(super) struct GroupPlan {
    pub(super) neurons: Range<usize>,
    pub(super) bases: Vec<Basis>,
    pub(super) wanted: Vec<Wanted>,
    pub(super) trained: bool,
    /// Where the coefficients start in the tables: `neurons · terms` numbers each for α and β, neuron by neuron.
    pub(super) table: usize,
    /// Where the coefficients that a function has of its own stand in the shape table: the rational function's, or neuron by neuron
    /// a text's.
    pub(super) shape: Range<usize>,
    /// How many of them a neuron has for itself; 0 where all neurons share them.
    pub(super) shape_step: usize,
    /// Whether the functions and their slopes may decay to almost nothing.
    pub(super) has_tail: bool,
}

/// Below the first (f32) or the second (f64) a number of a tail is taken as zero: activations, and what the loss feels of them. A product
/// of one and the other is then never subnormal; with such numbers arithmetic is a hundred times slower on many processors.
pub(super) type Least = [f64; 2];
pub(super) const VALUE: Least = [1e-15, 1e-120];
pub(super) const SLOPE: Least = [1e-22, 1e-180];

impl GroupPlan {
    /// The numbers, those of a tail as zeros; a NaN stays one.
    #[inline(always)]
    pub(super) fn without_tail<V: Vector>(&self, [single, double]: Least, value: V) -> V {
        if !self.has_tail {
            return value;
        }
        let is_single = V::Element::FRACTION_BITS == 23;
        let least = V::constant(if is_single { single } else { double });
        least.select_above(value.abs(), V::zero(), value)
    }

    /// The place of neuron `i`'s own coefficients in the shape table.
    #[inline(always)]
    pub(super) fn shape_of(&self, i: usize) -> Range<usize> {
        if self.shape_step == 0 {
            return self.shape.clone();
        }
        let start = self.shape.start + (i - self.neurons.start) * self.shape_step;
        start..start + self.shape_step
    }
}

/// A layer as the kernels see it.
pub(super) struct LayerPlan {
    pub(super) width: usize,
    pub(super) fan_in: usize,
    pub(super) weight: usize,
    pub(super) bias: Option<usize>,
    /// Empty for a linear layer.
    pub(super) groups: Vec<GroupPlan>,
    pub(super) skip: Skip,
    /// Whether a later layer adds this one's output: its gradient then starts from that layer's.
    pub(super) is_skip_source: bool,
    /// Rows of W in panels, and rows of Wᵀ.
    pub(super) panels: Vec<Panel>,
    pub(super) transposed_panels: Vec<Panel>,
}

/// `rows` rows of a packed matrix, from `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Panel {
    pub(super) start: usize,
    pub(super) rows: usize,
}

/// The whole sweep.
pub(super) struct Plan {
    /// The instruction set that every kernel of this plan is run with.
    pub(super) level: Level,
    pub(super) layers: Vec<LayerPlan>,
    pub(super) carried: Carried,
    pub(super) inputs: crate::network::Inputs,
    pub(super) n_parameters: usize,
    /// Lengths of the coefficient tables (each of α and β) and of the shape table.
    pub(super) table_len: usize,
    pub(super) shape_len: usize,
    /// Points of a block.
    pub(super) block: usize,
    /// Blocks of a tile.
    pub(super) tile_blocks: usize,
}

/// Bytes of a tile's buffers: what stays in a core's second-level cache beside the weights.
const TILE_BYTES: usize = 3 << 19;

/// (lanes of a register, rows of a product) of the instruction set in use.
struct Shape<T>(std::marker::PhantomData<T>);
impl<T: Real> Kernel for Shape<T> {
    type Output = (usize, usize);
    #[inline(always)]
    fn run<I: Isa>(self) -> (usize, usize) {
        (T::Register::<I>::LANES, I::ROWS)
    }
}

impl Plan {
    pub(super) fn new<T: Real>(level: Level, network: &Network, carried: Carried) -> Self {
        let (lanes, rows) = dispatch_at(level, Shape::<T>(std::marker::PhantomData));
        let (mut table_len, mut shape_len) = (0, 0);
        let layers = network.layers();
        let plan = |(l, layer): (usize, &Layer)| {
            let places = &network.layout().layers[l];
            let fan_in = network.fan_in(l);
            LayerPlan {
                width: layer.width,
                fan_in,
                weight: places.weight,
                bias: places.bias,
                groups: groups(layer, &mut table_len, &mut shape_len),
                skip: layer.skip,
                is_skip_source: layers.iter().any(|other| other.skip == Skip::Layer(l)),
                panels: panels(layer.width, rows),
                transposed_panels: panels(fan_in, rows),
            }
        };
        let layers: Vec<LayerPlan> = layers.iter().enumerate().map(plan).collect();
        let block = 2 * lanes;
        let numbers: usize = layers.iter().map(|l| 2 * l.width).sum();
        let bytes = numbers * carried.len() * block * size_of::<T>();
        let tile_blocks = (TILE_BYTES / bytes).clamp(1, 4096 / block);
        let n_parameters = network.n_parameters();
        Self {
            level,
            layers,
            carried,
            inputs: *network.inputs(),
            n_parameters,
            table_len,
            shape_len,
            block,
            tile_blocks,
        }
    }

    /// A kernel runs with the registers that the plan was made for.
    ///
    /// # Panics
    /// If not.
    #[inline(always)]
    pub(super) fn assert_level<I: Isa, T: Real>(&self) {
        assert_eq!(
            self.block,
            2 * T::Register::<I>::LANES,
            "a block is two registers"
        );
    }

    /// The code paths that the layers' sweeps take.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = vec![format!("{:?}", self.level)];
        for (l, layer) in self.layers.iter().enumerate() {
            // the first layer's inputs have no gradient, so Wᵀ is not used there
            let transposed = layer.transposed_panels.iter().filter(|_| l > 0);
            let products = layer.panels.iter().chain(transposed);
            paths.extend(products.map(|p| format!("product of {} rows", p.rows)));
            match Summation::of(layer.width, layer.fan_in) {
                Summation::LaneSums => paths.push("gradient by lane sums".to_owned()),
                Summation::Transposed => paths.extend(
                    layer
                        .panels
                        .iter()
                        .map(|p| format!("gradient of {} rows by transposed inputs", p.rows)),
                ),
            }
        }
        paths
    }

    /// The widest layer, inputs included.
    pub(super) fn widest(&self) -> usize {
        self.layers
            .iter()
            .map(|l| l.width.max(l.fan_in))
            .max()
            .unwrap_or(0)
    }
}

/// `n` rows in panels of nearly equal height, none above `most`.
pub(super) fn panels(n: usize, most: usize) -> Vec<Panel> {
    let count = n.div_ceil(most);
    let bound = |p: usize| p * n / count;
    (0..count)
        .map(|p| Panel {
            start: bound(p),
            rows: bound(p + 1) - bound(p),
        })
        .collect()
}

fn groups(layer: &Layer, table_len: &mut usize, shape_len: &mut usize) -> Vec<GroupPlan> {
    let mut first = 0;
    let mut plan = |group: &crate::activation::Group| {
        let wanted: Vec<Wanted> = group
            .terms
            .iter()
            .map(|t| Wanted {
                alpha: t.alpha.is_trained(),
                beta: t
                    .scale
                    .coefficient()
                    .is_some_and(crate::activation::Coefficient::is_trained),
            })
            .collect();
        let step = group.shaped().filter(|b| b.shape_is_by_neuron());
        let step = step.map_or(0, |b| b.shape_len());
        let n_shape = group.shape_len();
        let plan = GroupPlan {
            neurons: first..first + group.neurons,
            bases: group.terms.iter().map(|t| t.basis).collect(),
            trained: wanted.iter().any(|w| *w != Wanted::NOTHING) || n_shape > 0,
            wanted,
            table: *table_len,
            shape: *shape_len..*shape_len + n_shape,
            shape_step: step,
            has_tail: group.terms.iter().all(|t| t.basis.has_tail()),
        };
        first += group.neurons;
        *table_len += group.neurons * group.terms.len();
        *shape_len += n_shape;
        plan
    };
    layer
        .activation
        .iter()
        .flat_map(|a| a.groups())
        .map(&mut plan)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Panel, panels};

    #[test]
    fn panels_cover_all_rows_evenly() {
        assert_eq!(panels(0, 14), []);
        assert_eq!(panels(1, 14), [Panel { start: 0, rows: 1 }]);
        for n in 1..300 {
            let all = panels(n, 14);
            assert_eq!(all.iter().map(|p| p.rows).sum::<usize>(), n);
            let (most, least) = (
                all.iter().map(|p| p.rows).max(),
                all.iter().map(|p| p.rows).min(),
            );
            assert!(most <= Some(14) && most.zip(least).is_some_and(|(m, l)| m - l <= 1));
        }
    }
}
