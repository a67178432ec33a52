//! A step of a fit with wide layers, for Hopper: loss and gradient of a fully connected network in f32 by the products of warpgroups.
//!
//! ```text
//! of every part of the points: chain (through all layers and back)  →  weights (W̄);  then sum  →  step (Adam)  →  pack (W → two f16 parts, swizzled)
//! ```
//!
//! What it leaves is what the general sweep leaves: the gradient in θ's order, and the loss. A step whose numbers did not fit their scales is in
//! vain: its gradient is zero, it neither moves anything nor counts, and who asked for it asks again.

use crate::machine::Facts;
use crate::text::{COMMON, Places, SWEEP, layer, surroundings, to_int};
use rafnet_engine::engine::{EngineError, Objective, Regression, Residual, Row};
use rafnet_engine::network::{Bias, Network, Skip};
use rafnet_engine::simd::Real;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

const KERNELS: [&str; 5] = [
    include_str!("kernels/wide_common.cu"),
    include_str!("kernels/wide_pack.cu"),
    include_str!("kernels/wide_chain.cu"),
    include_str!("kernels/wide_weights.cu"),
    include_str!("kernels/wide_sum.cu"),
];

/// Widths that are worth it and fit.
const WIDTHS: RangeInclusive<usize> = 129..=512;
/// The most numbers that enter the first layer, outputs, and layers.
const MOST_INPUTS: usize = 16;
const MOST_OUTPUTS: usize = 4;
const MOST_LAYERS: usize = 64;
/// Bytes of what the chain hands to the weights' kernel at once, and points.
const HANDED: usize = 1 << 30;
const POINTS: usize = 1 << 16;
/// Shared memory of a block that the kernels count on.
const SHARED: usize = 227 << 10;

/// What the scales of W, of h and of the cotangents begin with: they suit numbers up to 15, 1,000 and 1,000.
const SCALES: [f32; 3] = [4096.0, 64.0, 64.0];

/// How layers stand in θ: hidden layers but the first follow each other at equal distances.
struct Standing {
    weight: [usize; 3],
    bias: [usize; 3],
    each: usize,
}

/// Where the parameters of the first, the second and the last layer stand, if the layers between are alike.
fn standing(network: &Network) -> Option<Standing> {
    let layers = &network.layout().layers;
    let last = layers.len() - 1;
    let each = if last > 2 {
        layers[2].weight - layers[1].weight
    } else {
        0
    };
    let bias = [layers[0].bias?, layers[1].bias?, layers[last].bias?];
    let follows = |l: usize| {
        layers[l].weight == layers[1].weight + (l - 1) * each
            && layers[l].bias == Some(bias[1] + (l - 1) * each)
    };
    (1..last).all(follows).then_some(Standing {
        weight: [layers[0].weight, layers[1].weight, layers[last].weight],
        bias,
        each,
    })
}

/// How a wide step's neurons read their numbers: from registers, one beside the other.
const FORM: layer::Form = layer::Form {
    stride: 1,
    apart: true,
};

/// A neuron's formulas without where its numbers stand.
fn formulas(network: &Network, places: &Places, l: usize) -> String {
    let text = layer::neuron(network, places, l, FORM).text;
    let before = text.split_once("DEV int place").map_or("", |t| t.0);
    let behind = text.split_once("DEV real factor").map_or("", |t| t.1);
    [before, behind].concat()
}

/// Whether a term's gradient can be had this way: a fit in f32 by a plain network of equal wide layers, on a machine that has the instructions.
pub(crate) fn suits<T: Real>(objective: &Objective<T>, term: usize, facts: &Facts) -> bool {
    let network = &objective.network;
    let (layers, hidden) = (network.layers(), network.layers().len() - 1);
    let plain = objective.terms.len() == 1
        && objective.ansatz.is_empty()
        && objective.features.is_empty()
        && objective.shared.is_empty();
    let sized = (2..=MOST_LAYERS).contains(&hidden)
        && WIDTHS.contains(&layers[0].width)
        && network.fan_in(0) <= MOST_INPUTS
        && network.n_outputs() <= MOST_OUTPUTS
        && layers[..hidden]
            .iter()
            .all(|l| l.width == layers[0].width && l.activation.is_some())
        && layers[hidden].activation.is_none()
        && layers
            .iter()
            .all(|l| l.skip == Skip::None && l.bias == Bias::Yes);
    if !(T::NAME == "f32"
        && facts.warpgroups
        && facts.shared_of_block as usize >= SHARED
        && plain
        && sized)
    {
        return false;
    }
    let places = Places::new::<T>(network, 0);
    let alike = (1..hidden).all(|l| formulas(network, &places, l) == formulas(network, &places, 0));
    let fit = Regression {
        outputs: network.n_outputs(),
    };
    let is_fit = objective.term(term).is_ok_and(|t| {
        let kernel = |r: &dyn Residual<T>| r.formula().map(|f| f.kernel("float"));
        t.row == Row::Point
            && t.residual.data_columns() == fit.outputs
            && kernel(&*t.residual) == kernel(&fit)
    });
    alike && is_fit && places.common.is_empty() && standing(network).is_some()
}

/// Sizes of a wide step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    width: usize,
    depth: usize,
    /// The width as the sums of products see it, and in runs of 64 columns.
    padded: usize,
    runs: usize,
    /// Groups of 64 points that a block takes side by side.
    pub(crate) teams: usize,
    stage: usize,
    stages: usize,
    /// Places that an output has among sums over a warp: a power of two.
    slots: usize,
    /// Numbers of a row of inputs; of a team's scratch.
    pitch: usize,
    scratch: usize,
    /// Rows of a team's sums.
    rows: usize,
    /// Bytes of shared memory of the chain.
    pub(crate) shared: usize,
    /// Runs of columns of the first of two parts of W̄.
    runs_0: usize,
    /// Slices of the points that the parts of W̄ are summed in.
    pub(crate) slices: [usize; 2],
    /// Numbers and trained numbers of a neuron.
    numbers: usize,
    trained: usize,
    /// Rows of all activations' numbers that are filled.
    fills: usize,
}

/// Bytes of shared memory of the weights' kernel.
pub(crate) const SHARED_OF_WEIGHTS: usize = 4 * 49152 + 128;

impl Plan {
    pub(crate) fn new<T: Real>(network: &Network, places: &Places, facts: &Facts) -> Self {
        let (width, depth, outputs) = (
            network.layers()[0].width,
            network.layers().len() - 1,
            network.n_outputs(),
        );
        let padded = width.next_multiple_of(32);
        let runs = padded.div_ceil(64);
        let teams = if padded <= 256 { 2 } else { 1 };
        let team = 256 / teams;
        let slots = outputs.next_power_of_two();
        let pitch = network.fan_in(0).next_multiple_of(4);
        let scratch = (runs * 64 * slots).max(64 * pitch).max(2 * team);
        let stage = padded * 64;
        let beside = teams * (runs * 16384 + 256 * slots + 4 * scratch) + 20 * depth;
        let stages = ((SHARED - beside) / (stage + 16)).clamp(2, 8);
        let runs_0 = if runs <= 4 { runs } else { runs.div_ceil(2) };
        let trained = layer::neuron(network, places, 0, FORM).trained;
        let activation = network.layers()[0].activation.as_ref();
        Self {
            width,
            depth,
            padded,
            runs,
            teams,
            stage,
            stages,
            slots,
            pitch,
            scratch,
            rows: depth * (trained + 1) + network.fan_in(0) + outputs + 1,
            shared: beside + stages * (stage + 16),
            runs_0,
            slices: slices(
                padded,
                runs_0,
                (depth - 1) * runs.div_ceil(2),
                facts.multiprocessors as usize,
            ),
            numbers: activation.map_or(0, layer::rows_of),
            trained,
            fills: layer::numbers::<T>(network, places).0.lines().count(),
        }
    }

    /// Points of a block.
    pub(crate) fn points(&self) -> usize {
        64 * self.teams
    }

    /// Bytes of an operand of 64 points.
    fn operand(&self) -> usize {
        self.runs * 16384
    }

    /// Groups of points, a block's each, that are taken at once: whole rounds of all multiprocessors where there are many.
    pub(crate) fn at_once(&self, n: usize, multiprocessors: usize) -> usize {
        let each = 2 * (self.depth - 1) * self.operand() * self.teams;
        let most = (HANDED / each).min(POINTS / self.points()).max(1);
        let all = n.div_ceil(self.points());
        if all <= most {
            all
        } else {
            (most / multiprocessors * multiprocessors).max(most.min(multiprocessors))
        }
    }

    /// Bytes of packed weights; of what is handed over of so many groups, h and cotangents each; of scratch, of sums and of parts of W̄.
    pub(crate) fn packed(&self) -> usize {
        (self.depth - 1) * 4 * self.part()
    }
    fn part(&self) -> usize {
        self.padded / 32 * self.stage
    }
    pub(crate) fn handed(&self, groups: usize) -> usize {
        (self.depth - 1) * self.operand() * self.teams * groups
    }
    pub(crate) fn kept(&self, blocks: usize) -> usize {
        (blocks * self.teams * (self.depth - 2) * 64 + 16) * self.runs * 256
    }
    pub(crate) fn sums(&self, blocks: usize) -> usize {
        blocks * self.teams * self.rows * self.runs * 256
    }
    pub(crate) fn partial(&self) -> usize {
        (self.depth - 1) * self.most_slices() * self.runs * 64 * self.padded * 4
    }
    pub(crate) fn most_slices(&self) -> usize {
        self.slices[0].max(self.slices[1])
    }

    /// Blocks of packing, of the weights' kernel, and of the last sums.
    pub(crate) fn packing(&self) -> usize {
        (self.depth - 1) * (self.padded / 32).pow(2) + self.fills
    }
    pub(crate) fn weighing(&self) -> usize {
        (self.depth - 1) * self.runs.div_ceil(2) * (self.slices[0] + self.slices[1])
    }
    pub(crate) fn summing(&self) -> usize {
        ((self.depth - 1) * self.width * self.padded / 4).div_ceil(256) + self.rows * self.runs
    }

    /// The state that a run begins with, and where in it stands whether a step was in vain.
    pub(crate) fn state(&self) -> Vec<u32> {
        let scales = SCALES
            .iter()
            .flat_map(|s| std::iter::repeat_n(s.to_bits(), self.depth));
        let scales: Vec<u32> = scales.collect();
        let mut state = [&scales[..], &scales[..]].concat();
        state.resize(10 * self.depth + 1, 0);
        state
    }
    pub(crate) fn again(&self) -> usize {
        40 * self.depth
    }
}

/// How many slices each part of W̄'s columns is summed in: the least time of the slowest block, times rounds of all multiprocessors.
fn slices(padded: usize, runs_0: usize, units: usize, multiprocessors: usize) -> [usize; 2] {
    let widths = [padded.min(runs_0 * 64), padded.saturating_sub(runs_0 * 64)];
    let mut best = (f64::INFINITY, [1, 1]);
    for a in 1..=64usize {
        for b in if widths[1] == 0 { 0..=0 } else { 1..=64usize } {
            let rounds = (units * (a + b)).div_ceil(multiprocessors.max(1)) as f64;
            let slowest = (widths[0] as f64 / a as f64).max(widths[1] as f64 / b.max(1) as f64);
            // a block has its beginning and end, and its part is summed
            let cost = rounds * (slowest + 0.3) + 0.01 * (a + b) as f64;
            if cost < best.0 {
                best = (cost, [a, b]);
            }
        }
    }
    best.1
}

/// A product of a warpgroup as a function: d += a b, or d = a b; with both operands along the points, or along the sum.
fn mma(name: &str, columns: usize, sets: bool, along_points: bool) -> String {
    let list =
        |one: &dyn Fn(usize) -> String| (0..columns / 2).map(one).collect::<Vec<_>>().join(", ");
    let (write, test, way) = (
        if sets { '=' } else { '+' },
        if sets { "ne" } else { "eq" },
        u8::from(along_points),
    );
    let emulated = format!("emulated_wgmma<{columns}, {sets}, {along_points}>(d, a, b);");
    format!(
        "DEV void {name}(float (&d)[{}], u64 a, u64 b) {{\n#if EMULATED\n  {emulated}\n#else\n  asm volatile(\"{{\\n.reg .pred p;\\nsetp.{test}.b32 p, 0, 0;\\n\"\n    \
         \"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{}}}, %{}, %{}, p, 1, 1, {way}, {way};\\n}}\"\n    : {} : \"l\"(a), \"l\"(b));\n#endif\n}}\n",
        columns / 2,
        list(&|i| format!("%{i}")),
        columns / 2,
        columns / 2 + 1,
        list(&|i| format!("\"{write}f\"(d[{i}])")),
    )
}

/// The text of the kernels.
pub(crate) fn text<T: Real>(
    objective: &Objective<T>,
    places: &Places,
    plan: &Plan,
) -> Result<String, EngineError> {
    let network = &objective.network;
    let residual = &objective.term(0)?.residual;
    let carried = residual.streams().carried(network.inputs().dimension)?;
    let known = objective.known_streams(&carried)?;
    let Some(Standing { weight, bias, each }) = standing(network) else {
        return Ok(String::new());
    };
    let (n, trained) = (plan.padded / (3 - plan.teams), plan.trained);
    let columns_0 = plan.padded.min(plan.runs_0 * 64);
    let columns_1 = if plan.runs_0 < plan.runs {
        plan.padded - columns_0
    } else {
        columns_0
    };
    let row_in = plan.depth * (trained + 1);
    let row_out = row_in + network.fan_in(0);
    let mut text = format!(
        "#define REAL_IS_DOUBLE 0\n#define QUICK 1\n#define D {}\n{COMMON}\n#define S 1\n#define DIRECTIONS 0\n#define SECONDS 0\n#define MODE 2\n#define POINTS 64\n",
        network.inputs().dimension
    );
    let sizes = [
        ("FAN_IN", network.fan_in(0)),
        ("COORDINATES_ALONE", usize::from(network.inputs().is_raw())),
        ("OUTPUTS", network.n_outputs()),
        ("SLOTS_OF_OUTPUT", plan.slots),
        ("DEPTH", plan.depth),
        ("WIDTH", plan.width),
        ("PADDED", plan.padded),
        ("RUNS", plan.runs),
        ("TEAMS", plan.teams),
        ("SHARE", n),
        ("STAGE", plan.stage),
        ("STAGES", plan.stages),
        ("PITCH", plan.pitch),
        ("SCRATCH_NUMBERS", plan.scratch),
        ("PACKED_PART", plan.part()),
        ("NUMBERS", plan.numbers),
        ("FIRST_NUMBER", places.layers[0][2]),
        ("TRAINED", trained),
        ("ROW_IN", row_in),
        ("ROW_OUT", row_out),
        ("ROW_LAST", row_out + network.n_outputs()),
        ("SUM_ROWS", plan.rows),
        ("RUNS_0", plan.runs_0),
        ("COLUMNS_0", columns_0),
        ("COLUMNS_1", columns_1),
        ("WEIGHT_0", weight[0]),
        ("WEIGHT_1", weight[1]),
        ("WEIGHT_OUT", weight[2]),
        ("BIAS_0", bias[0]),
        ("BIAS_1", bias[1]),
        ("BIAS_OUT", bias[2]),
        ("EACH_LAYER", each),
    ];
    for (name, value) in sizes {
        let _ = writeln!(text, "#define {name} {}", to_int(value));
    }
    text += &surroundings::quadratics(&carried);
    text += &layer::generated_bases::<T>(network);
    text += SWEEP.split_once("struct Tile {").map_or(SWEEP, |t| t.0);
    text += "// the neurons of the second layer, of which the later ones are like; the numbers of the first stand elsewhere\n";
    text += &layer::neuron(network, places, 1, FORM).text;
    text += &layer::neuron(network, places, 0, FORM)
        .text
        .replace("Neuron", "First");
    text += &surroundings::inputs::<T>(network, &carried, &known);
    text += "#define PACKING 256\nDEV int ring(int id, int) { return id; }\nDEV void fill_numbers(const real *theta, const real *fixed, real *numbers, int id, int row) {\n  switch (row) {\n";
    for (row, fill) in layer::numbers::<T>(network, places).0.lines().enumerate() {
        let _ = writeln!(text, "  case {row}:{fill} break;");
    }
    text += "  }\n}\n";
    text += &mma("mma_add", n, false, false);
    text += &mma("mma_set", n, true, false);
    text += &mma("mma_points", columns_0, false, true);
    if columns_1 != columns_0 {
        text += &mma("mma_points", columns_1, false, true);
    }
    // the products' functions use the types of the first part, and the kernels use them
    let (head, functions) = text.split_at(text.find("DEV void mma_add").unwrap_or(text.len()));
    Ok([head, KERNELS[0], functions, &KERNELS[1..].concat()].concat())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::{compile_report, compiler_found};
    use rafnet_engine::activation::{Activation, Set, Signal};
    use rafnet_engine::network::Inputs;
    use std::sync::Arc;

    fn facts() -> Facts {
        Facts {
            name: "made up".to_owned(),
            capability: (9, 0),
            multiprocessors: 132,
            shared_of_block: 227 << 10,
            shared_of_multiprocessor: 228 << 10,
            memory: 1 << 36,
            cache: 50 << 20,
            warpgroups: true,
        }
    }

    fn fit(
        inputs: Inputs,
        activation: Activation,
        hidden: usize,
        outputs: usize,
    ) -> Objective<f32> {
        let network = Network::fully_connected(inputs, vec![activation; hidden], outputs).unwrap();
        Objective::new(network, Arc::new(Regression { outputs }))
    }

    fn psg(width: usize) -> Activation {
        Set::Psg.learnable(width, Signal::Image)
    }

    #[test]
    fn fits_with_wide_layers_suit() {
        let plane = Inputs::coordinates(2);
        let suited = |objective: &Objective<f32>| suits(objective, 0, &facts());
        for width in [129, 256, 400, 512] {
            assert!(suited(&fit(plane, psg(width), 3, 1)), "{width}");
        }
        assert!(suited(&fit(
            Inputs::periodic(2, 4),
            Set::Siren.learnable(136, Signal::Image),
            2,
            4
        )));
        assert!(suited(&fit(plane, Set::Psg.shared_out(200, 0.1), 2, 3)));
        for width in [50, 128, 513] {
            assert!(!suited(&fit(plane, psg(width), 3, 1)), "{width}");
        }
        assert!(!suited(&fit(plane, psg(256), 1, 1)));
        assert!(!suited(&fit(plane, psg(256), 3, 5)));
        assert!(!suited(&fit(Inputs::coordinates(17), psg(256), 3, 1)));
        // the rational function's coefficients belong to a layer, not to its neurons
        assert!(!suited(&fit(
            plane,
            Set::Rational.learnable(256, Signal::Image),
            3,
            1
        )));
        let objective = fit(plane, psg(256), 3, 1);
        assert!(!suits(
            &objective,
            0,
            &Facts {
                warpgroups: false,
                ..facts()
            }
        ));
        let mixed = vec![psg(256), psg(256), Set::Siren.learnable(256, Signal::Image)];
        let mixed = Network::fully_connected(plane, mixed, 1).unwrap();
        assert!(!suited(&Objective::new(
            mixed,
            Arc::new(Regression { outputs: 1 })
        )));
        let double = Objective::<f64>::new(objective.network, Arc::new(Regression { outputs: 1 }));
        assert!(!suits(&double, 0, &facts()));
    }

    #[test]
    fn every_size_fits_into_shared_memory() {
        let holds = |width, outputs, inputs, hidden| {
            let objective = fit(
                Inputs::coordinates(inputs),
                Set::Siren.learnable(width, Signal::Image),
                hidden,
                outputs,
            );
            let places = Places::new::<f32>(&objective.network, 0);
            let plan = Plan::new::<f32>(&objective.network, &places, &facts());
            let at = format!("{width} {outputs} {inputs} {hidden}: {plan:?}");
            assert!(plan.shared <= SHARED, "{at}");
            let together = plan.at_once(1 << 20, 132);
            assert!(plan.handed(together) <= HANDED || together <= 132, "{at}");
        };
        for width in WIDTHS.step_by(37).chain([256, 400, 512]) {
            for outputs in [1, 2, 4] {
                for (inputs, hidden) in [(2, 2), (3, 6), (16, 9)] {
                    holds(width, outputs, inputs, hidden);
                }
            }
        }
        holds(512, 4, 16, 64);
    }

    /// Registers suffice, and products are not put in a row.
    #[test]
    fn kernels_compile() {
        if compiler_found().is_err() {
            return;
        }
        let some = [
            fit(Inputs::coordinates(2), psg(256), 4, 1),
            fit(
                Inputs::coordinates(3),
                Set::Psg.learnable(400, Signal::Video),
                6,
                3,
            ),
            fit(
                Inputs::coordinates(2),
                Set::Siren.learnable(256, Signal::Image),
                4,
                1,
            ),
            fit(Inputs::periodic(2, 2), psg(136), 2, 4),
            fit(Inputs::coordinates(16), Set::Psg.shared_out(512, 0.1), 3, 1),
        ];
        for objective in some {
            let places = Places::new::<f32>(&objective.network, 0);
            let plan = Plan::new::<f32>(&objective.network, &places, &facts());
            let text = text(&objective, &places, &plan).unwrap();
            let report = compile_report(&text, "sm_90a").unwrap();
            for function in &report.functions {
                assert!(
                    !function.spills() && function.stack == 0,
                    "{function:?} of {plan:?}"
                );
            }
            assert_eq!(report.remarks, Vec::<String>::new(), "{plan:?}");
        }
    }
}
