//! Kernels as text, generated for a network, its streams and what is asked of it.
//!
//! The ground is written once (`kernels/*.cu`: products, basis functions, a sweep's layers, steps); what is printed here is what depends on the
//! problem: sizes, the activation of every layer, inputs, factor, lift and residual as expressions.

pub(crate) mod layer;
pub(crate) mod surroundings;

use crate::CudaError;
use crate::machine::Facts;
use rafnet_engine::engine::{Carried, EngineError, Formula, KnownStreams, Objective, Row};
use rafnet_engine::network::{Bias, Network, Skip};
use rafnet_engine::simd::Real;
use std::fmt::Write as _;

pub(crate) const COMMON: &str = include_str!("kernels/common.cu");
pub(crate) const SWEEP: &str = include_str!("kernels/sweep.cu");
const MAIN: &str = include_str!("kernels/main.cu");
const STEPS: &str = include_str!("kernels/steps.cu");

/// The kernels around the dense algebra of a Gauss–Newton step.
pub(crate) const SQUARES: &str = include_str!("kernels/squares.cu");

/// What a sweep is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Evaluate = 0,
    Residuals = 1,
    Gradient = 2,
    Jacobian = 3,
    Pullback = 4,
    /// Sums of squares of residuals, each by itself.
    Squares = 5,
}

impl Mode {
    pub(crate) fn goes_back(self) -> bool {
        matches!(self, Self::Gradient | Self::Jacobian | Self::Pullback)
    }
}

/// Where the numbers of a network stand on a device.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Of every layer: where its packed weights for the way ahead and for the way back begin, where its activation's numbers begin.
    pub(crate) layers: Vec<[usize; 3]>,
    /// Lengths of both arrays.
    pub(crate) packed: usize,
    pub(crate) numbers: usize,
    /// Threads that pack them.
    pub(crate) packing: usize,
    /// Parameters: the network's, then shared numbers.
    pub(crate) parameters: usize,
    /// Numbers of a row of a Jacobian before they are summed up: one for each parameter, and for coefficients of a whole group one for each
    /// neuron.
    pub(crate) slots: usize,
    /// Where behind these a block has its sums of each layer's weights, in the order in which lanes hold them.
    pub(crate) fragments: Vec<usize>,
    /// All sums of a block.
    pub(crate) sums: usize,
    /// Of every parameter its first sum of a block, how many it has, which parameter it is, in the order of the sums; a fourth number pads.
    pub(crate) cells: Vec<[i32; 4]>,
    /// Of every parameter its first slot and how many it has.
    pub(crate) table: Vec<i32>,
    /// Of every group with coefficients of its own for all neurons: layer, group, first slot.
    pub(crate) common: Vec<[usize; 3]>,
}

/// Numbers of a packed operand's lane: two, or their two parts each.
fn packed_numbers<T: Real>() -> usize {
    if T::NAME == "f64" { 2 } else { 4 }
}

impl Places {
    pub(crate) fn new<T: Real>(network: &Network, shared: usize) -> Self {
        let each = 32 * packed_numbers::<T>();
        let (mut layers, mut packed, mut numbers) = (Vec::new(), 0, 0);
        for (l, layer) in network.layers().iter().enumerate() {
            let (fan, width) = (network.fan_in(l), layer.width);
            let ahead = (fan + 8) / 8 * width.div_ceil(8) * each;
            let back = width.div_ceil(8) * fan.div_ceil(8) * each;
            layers.push([packed, packed + ahead, numbers]);
            packed += ahead + back;
            let rows = layer.activation.as_ref().map_or(0, layer::rows_of);
            numbers += rows * width;
        }
        let own = network.n_parameters();
        let parameters = own + shared;
        let mut table: Vec<i32> = (0..parameters).flat_map(|k| [to_int(k), 1]).collect();
        let (mut slots, mut common) = (parameters, Vec::new());
        for (l, layer) in network.layers().iter().enumerate() {
            let groups = layer.activation.iter().flat_map(|a| a.groups());
            for (g, group) in groups.enumerate() {
                let of_group = group.shaped().filter(|b| !b.shape_is_by_neuron());
                let at = network.layout().layers[l].groups[g].shape;
                if let (Some(basis), Some(at)) = (of_group, at) {
                    common.push([l, g, slots]);
                    for c in 0..basis.shape_len() {
                        table[2 * (at + c)] = to_int(slots);
                        table[2 * (at + c) + 1] = to_int(group.neurons);
                        slots += group.neurons;
                    }
                }
            }
        }
        let mut sums = slots.next_multiple_of(32);
        let mut cells: Vec<[i32; 4]> = (0..parameters)
            .map(|k| [table[2 * k], table[2 * k + 1], to_int(k), 0])
            .collect();
        let mut fragments = Vec::new();
        for (l, layer) in network.layers().iter().enumerate() {
            let at = &network.layout().layers[l];
            let (fan, columns) = (
                network.fan_in(l),
                network.fan_in(l) + usize::from(layer.bias == Bias::Yes),
            );
            fragments.push(sums);
            if l == 0 && layer::is_direct(network) {
                continue; // its sums stand where the parameters do
            }
            for (row, column) in
                (0..layer.width).flat_map(|row| (0..columns).map(move |column| (row, column)))
            {
                let parameter = if column < fan {
                    at.weight + row * fan + column
                } else {
                    at.bias.unwrap_or(0) + row
                };
                cells[parameter][0] = to_int(sums + fragment(row, column, columns.div_ceil(8)));
            }
            sums += layer.width.div_ceil(16) * columns.div_ceil(8) * 128;
        }
        cells.sort_unstable();
        let things = packed / packed_numbers::<T>() + numbers;
        Self {
            packing: things.next_multiple_of(256).min(1 << 18),
            layers,
            packed,
            numbers,
            parameters,
            slots,
            fragments,
            sums,
            cells,
            table,
            common,
        }
    }
}

/// Where an entry of a product stands among the tiles of 16 x 8 that warps hold, so many of them side by side.
fn fragment(row: usize, column: usize, across: usize) -> usize {
    let lane = 4 * (row % 8) + column % 8 / 2;
    ((row / 16 * across + column / 8) * 32 + lane) * 4 + 2 * (row % 16 / 8) + column % 2
}

/// A number of a kernel; sizes beyond 2³¹ were refused when memory was asked for.
pub(crate) fn to_int(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// How a sweep is cut into tiles, and what a block needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiling {
    /// Points of a tile.
    pub(crate) points: usize,
    /// Threads of a block.
    pub(crate) threads: usize,
    /// Numbers of a row of its matrices.
    pub(crate) pitch: usize,
    /// Numbers of one matrix.
    pub(crate) matrix: usize,
    /// Whether they lie in shared memory.
    pub(crate) in_shared: bool,
    /// Bytes of shared memory.
    pub(crate) shared: usize,
    /// Blocks that a multiprocessor holds at once.
    pub(crate) blocks: usize,
    /// Numbers of scratch of a block.
    pub(crate) scratch: usize,
}

/// Most rows of a tile: beyond, what a block keeps of its points no longer lies in shared memory.
const ROWS: usize = 128;

impl Tiling {
    /// With what its blocks keep.
    fn new<T: Real>(
        network: &Network,
        mode: Mode,
        streams: usize,
        facts: &Facts,
    ) -> (Self, layer::Stash) {
        let bytes = size_of::<T>();
        let widest = (0..network.layers().len())
            .map(|l| ((network.fan_in(l) + 8) / 8).max(network.layers()[l].width.div_ceil(8)) * 8)
            .max()
            .unwrap_or(8);
        // an odd multiple of four: fragments are read without conflicts both ways round
        let pitch = ((widest / 4) | 1) * 4;
        let dimension = network.inputs().dimension;
        let tile = |points: usize| {
            let matrix = streams * points * pitch;
            // whole tiles of columns are read beyond the last row of the first matrix only, which ends in the second
            (
                matrix,
                (2 * matrix + (points * dimension).next_multiple_of(2)) * bytes,
            )
        };
        // whole tiles of sixteen rows, whole groups of eight points
        let step = if streams.is_multiple_of(2) { 8 } else { 16 };
        // a sweep that goes back keeps as much of a tile as its two matrices hold; one that does not leaves room for a second block
        let most = facts.shared_of_block as usize;
        let half = (facts.shared_of_multiprocessor as usize / 2).saturating_sub(1024);
        let aim = if mode.goes_back() {
            most * 11 / 20
        } else {
            half
        };
        let mut points = step;
        while (points + step) * streams <= ROWS && tile(points + step).1 <= aim {
            points += step;
        }
        let (matrix, size) = tile(points);
        let [blocks, threads] = if !mode.goes_back() && size <= half {
            [2, 256]
        } else {
            [1, 512]
        };
        let size = size.max(threads * 8);
        let in_shared = size <= most;
        let room = if in_shared && mode.goes_back() {
            (most - size) / bytes
        } else {
            0
        };
        let stash = layer::Stash::new(network, streams, points, room, mode == Mode::Jacobian);
        let tiling = Self {
            points,
            threads,
            pitch,
            matrix,
            in_shared,
            shared: if in_shared {
                (size + stash.shared * bytes).next_multiple_of(16)
            } else {
                0
            },
            blocks,
            // behind what the layers keep, φ of every point
            scratch: stash.scratch + points * network.n_outputs() * streams,
        };
        (tiling, stash)
    }

    /// Numbers of the matrices of a block outside shared memory.
    pub(crate) fn matrices(&self, dimension: usize) -> usize {
        if self.in_shared {
            0
        } else {
            (2 * self.matrix + self.points * dimension)
                .max(self.threads * 8)
                .div_ceil(64)
                * 64
        }
    }
}

/// A sweep's text with how it is cut.
pub(crate) struct Swept {
    pub(crate) text: String,
    pub(crate) tiling: Tiling,
}

/// What a sweep asks of the points.
pub(crate) struct Asked<'a> {
    pub(crate) mode: Mode,
    pub(crate) carried: &'a Carried,
    pub(crate) known: &'a KnownStreams,
    /// The residual, with its row and how many residuals it has; none for values and pullbacks.
    pub(crate) residual: Option<(&'a Formula, Row, usize)>,
    /// Numbers beside a point.
    pub(crate) columns: usize,
    /// Whether points have weights.
    pub(crate) weighted: bool,
}

fn head<T: Real>(network: &Network) -> String {
    let is_double = i32::from(T::NAME == "f64");
    format!(
        "#define REAL_IS_DOUBLE {is_double}\n#define D {}\n#define OUTPUTS {}\n#define LAYERS {}\n#define FAN_IN {}\n{COMMON}\n",
        network.inputs().dimension,
        network.n_outputs(),
        network.layers().len(),
        network.fan_in(0),
    )
}

/// C's name of the numbers.
pub(crate) fn real<T: Real>() -> &'static str {
    if T::NAME == "f64" { "double" } else { "float" }
}

/// The text of a sweep.
pub(crate) fn sweep<T: Real>(
    objective: &Objective<T>,
    places: &Places,
    facts: &Facts,
    asked: &Asked<'_>,
) -> Swept {
    let network = &objective.network;
    let (streams, carried) = (asked.carried.len(), asked.carried);
    let (tiling, stash) = Tiling::new::<T>(network, asked.mode, streams, facts);
    let mut text = head::<T>(network);
    let count = asked.residual.as_ref().map_or(1, |r| r.2);
    let _ = writeln!(
        text,
        "#define MODE {}\n#define GOES_BACK {}\n#define S {streams}\n#define DIRECTIONS {}\n#define SECONDS {}\n#define POINTS {}\n\
         #define THREADS {}\n#define BLOCKS {}\n#define PITCH {}\n#define MATRIX {}\n#define MATRICES {}ull\n#define IN_SHARED {}\n#define STASH {}ull\n\
         #define STASH_INPUTS {}\n#define COUNT {count}\n#define SLOTS {}ull\n#define SUMS_OF_BLOCK {}ull\n#define SHARED_NUMBERS {}\n#define SHARED_SLOT {}\n#define DATA_COLUMNS {}\n#define PHI {}ull\n#define DIRECT {}\n#define SHARED_STASH {}",
        asked.mode as u8,
        i32::from(asked.mode.goes_back()),
        carried.directions().len(),
        carried.second().len(),
        tiling.points,
        tiling.threads,
        tiling.blocks,
        tiling.pitch,
        tiling.matrix,
        tiling.matrices(network.inputs().dimension),
        i32::from(tiling.in_shared),
        tiling.scratch,
        stash.inputs(),
        places.slots,
        places.sums,
        objective.shared.len(),
        network.n_parameters(),
        asked.columns,
        stash.scratch,
        i32::from(layer::is_direct(network)),
        layer::IN_SHARED,
    );
    text += &surroundings::quadratics(carried);
    text += &surroundings::axes(carried);
    text += "template <int L> struct Layer;\n";
    text += &layer::generated_bases::<T>(network);
    // the rules for streams and coefficients come before the layers that use them, and these before the sweep
    let (rules, rest) = SWEEP.split_once("struct Tile {").unwrap_or((SWEEP, ""));
    text += rules;
    for l in 0..network.layers().len() {
        text += &layer::layer(network, places, l, Some(&stash));
    }
    text += &surroundings::inputs::<T>(network, carried, asked.known);
    text += "struct Tile {";
    text += rest;
    text += &order(network);
    text += &surroundings::respond::<T>(objective, asked);
    text += MAIN;
    Swept { text, tiling }
}

/// The layers in their order, there and back. Where the first one is computed from the coordinates, its products are left out.
fn order(network: &Network) -> String {
    let last = network.layers().len() - 1;
    let first = usize::from(layer::is_direct(network));
    let enter = |l: usize, again: bool| match l {
        0 => format!("enter<{again}>(b); "),
        _ => format!("activate<{}, {again}>(b); ", l - 1),
    };
    let mut text = String::from("DEV void ahead(const Tile &b) {\n");
    for l in first..=last {
        let _ = writeln!(
            text,
            "  {}__syncthreads(); dense<{l}>(b); __syncthreads();",
            enter(l, false)
        );
    }
    text += "}\n#if GOES_BACK\nDEV void again(const Tile &b) { ";
    text += &enter(last, true);
    text += "}\nDEV void back(const Tile &b) {\n";
    for l in (first..=last).rev() {
        let _ = write!(text, "  weight_gradient<{l}>(b);");
        if l > 0 {
            let _ = write!(
                text,
                " __syncthreads(); dense_back<{l}>(b); __syncthreads(); feel<{}>(b);",
                l - 1
            );
            if l == 1 && first == 0 {
                text += " __syncthreads(); enter<true>(b);";
            }
            text += " __syncthreads();";
        }
        text += "\n";
    }
    text += "}\n#endif\n";
    text
}

/// The kernels around the sweeps of a network.
pub(crate) fn steps<T: Real>(objective: &Objective<T>, places: &Places) -> String {
    let network = &objective.network;
    let mut text = head::<T>(network);
    let _ = writeln!(
        text,
        "#define S 1\n#define PARAMETERS {}\n#define SLOTS {}ull\n#define SUMS_OF_BLOCK {}ull\n#define PACKING {}",
        places.parameters, places.slots, places.sums, places.packing
    );
    text += "template <int L> struct Layer;\n";
    for l in 0..network.layers().len() {
        text += &layer::layer(network, places, l, None);
    }
    text += STEPS;
    // after a step it is counted, or taken back
    text += "extern \"C\" __global__ void __launch_bounds__(256) pack(real *theta, const real *fixed, real *packed, real *numbers, u64 *call, const double *loss, \
             double *figures, real *m, real *v, const real *before) {\n  int id = blockIdx.x * 256 + threadIdx.x;\n  \
             bool moved_back = call && call[NOT_FINITE];\n  if (moved_back) move_back(theta, m, v, before, id);\n  \
             if (call && id == 0) count_step(call, loss, figures);\n  if (moved_back) return;\n";
    for l in 0..network.layers().len() {
        let _ = writeln!(text, "  pack_layer<{l}>(theta, packed, id);");
    }
    text += &layer::numbers::<T>(network, places).0;
    text += "}\n";
    let _ = writeln!(
        text,
        "extern \"C\" __global__ void read_shared(const real *theta, const real *bounds, real *shared) {{\n  \
         for (int k = threadIdx.x; k < {}; k += 32) shared[k] = fmin(fmax(theta[{} + k], bounds[2 * k]), bounds[2 * k + 1]);\n}}",
        objective.shared.len(),
        network.n_parameters()
    );
    text
}

/// Numbers that the network's description holds fixed, in the order in which `pack` reads them.
pub(crate) fn fixed<T: Real>(network: &Network, places: &Places) -> Vec<f64> {
    layer::numbers::<T>(network, places).1
}

/// Whether a network's skips are of the kind that a layer can take.
pub(crate) fn source_of(skip: Skip) -> i32 {
    match skip {
        Skip::None => -2,
        Skip::Inputs => -1,
        Skip::Layer(from) => to_int(from),
    }
}

impl From<CudaError> for EngineError {
    fn from(error: CudaError) -> Self {
        Self::Device {
            device: "cuda".to_owned(),
            why: error.to_string(),
        }
    }
}
