//! A layer as a C++ type: its sizes, where its numbers stand, and the formulas of its neurons.

use super::{COMMON, Places, packed_numbers, real, source_of, to_int};
use rafnet_engine::activation::{Activation, Coefficient, Group, Initial, Scale, random};
use rafnet_engine::basis::Basis;
use rafnet_engine::expr::{Expr, Leaf, kernel_text};
use rafnet_engine::network::{Bias, Encoding, Network, Skip};
use rafnet_engine::simd::Real;
use std::fmt::Write as _;

/// What a block keeps of a tile for later: z of every hidden layer, h of layers that later ones add, and cotangents of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Z(usize),
    H(usize),
    Bar(usize),
    Inputs,
}

/// Where places in shared memory begin to be counted.
pub(super) const IN_SHARED: usize = 1 << 28;

/// Where it keeps them: in shared memory while there is room, those that are used most first, and behind that in a scratch of its own.
pub(super) struct Stash {
    places: Vec<(Part, usize)>,
    /// Of every layer the later one that adds it, in whose place for z the cotangents are kept once z is not needed any more.
    adds: Vec<Option<usize>>,
    /// Numbers in shared memory, and in the scratch.
    pub(super) shared: usize,
    pub(super) scratch: usize,
}

impl Stash {
    /// For so many streams of so many points, with room for so many numbers in shared memory; `keeps_z` where the way back is gone several
    /// times.
    pub(super) fn new(
        network: &Network,
        streams: usize,
        points: usize,
        room: usize,
        keeps_z: bool,
    ) -> Self {
        let hidden = network.layers().len() - 1;
        let width = |l: usize| network.layers()[l].width;
        let adder = |l: usize| {
            network
                .layers()
                .iter()
                .position(|layer| layer.skip == Skip::Layer(l))
        };
        let adds: Vec<Option<usize>> = (0..hidden).map(|l| adder(l).filter(|_| !keeps_z)).collect();
        // each part with its neurons and how often it is written and read
        let mut parts = Vec::new();
        for l in 0..hidden {
            let for_bar = if adds.contains(&Some(l)) { 2 } else { 0 };
            if l > 0 || !is_direct(network) {
                let again = usize::from(l + 1 < hidden);
                parts.push((Part::Z(l), width(l), 2 + again + for_bar));
            }
            if adder(l).is_some() {
                parts.push((Part::H(l), width(l), 2));
                if keeps_z {
                    parts.push((Part::Bar(l), width(l), 2));
                }
            }
        }
        if !is_direct(network) && network.layers().iter().any(|l| l.skip == Skip::Inputs) {
            parts.push((Part::Inputs, network.fan_in(0), 2));
        }
        parts.sort_by_key(|part| std::cmp::Reverse(part.2));
        let (mut places, mut shared, mut scratch) = (Vec::new(), 0, 0);
        for (part, neurons, _) in parts {
            let length = neurons.div_ceil(4) * (points / 8) * streams * 32;
            if shared + length <= room {
                places.push((part, IN_SHARED + shared));
                shared += length;
            } else {
                places.push((part, scratch));
                scratch += length;
            }
        }
        Self {
            places,
            adds,
            shared,
            scratch: scratch + 32,
        }
    }

    fn place(&self, part: Part) -> i32 {
        let found = self.places.iter().find(|p| p.0 == part);
        found.map_or(-1, |p| to_int(p.1))
    }

    fn bar(&self, l: usize) -> i32 {
        let later = self.adds.get(l).copied().flatten();
        self.place(later.map_or(Part::Bar(l), Part::Z))
    }

    /// Where the inputs are kept.
    pub(super) fn inputs(&self) -> i32 {
        self.place(Part::Inputs)
    }
}

/// Whether the first layer is computed from the coordinates number by number, without a product of matrices.
pub(super) fn is_direct(network: &Network) -> bool {
    let inputs = network.inputs();
    inputs.encoding == Encoding::Raw
        && network.fan_in(0) == inputs.dimension
        && inputs.dimension <= 3
        && network.layers().len() > 1
}

/// Rows of numbers that an activation reads: α, β and β's slope of each term, then coefficients of a function's own.
pub(crate) fn rows_of(activation: &Activation) -> usize {
    let rows = |g: &Group| 3 * g.terms.len() + g.shape_len_of_neuron();
    activation.groups().iter().map(rows).max().unwrap_or(0)
}

/// A group's coefficients that each of its neurons reads.
trait Shaped {
    fn shape_len_of_neuron(&self) -> usize;
}

impl Shaped for Group {
    fn shape_len_of_neuron(&self) -> usize {
        self.shaped().map_or(0, Basis::shape_len)
    }
}

/// A number written so that it is read back as it is.
fn literal(value: f64) -> String {
    format!("R({value:?})")
}

/// How the formulas of neurons are printed.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// How far the rows of numbers are apart that a neuron reads.
    pub(crate) stride: usize,
    /// Whether a neuron is handed its own numbers, and the factors that its gradients share at all points stand apart, in `factor`: sums over
    /// points then need them once.
    pub(crate) apart: bool,
}

/// Where a coefficient of neuron `n` is read, or the number itself.
fn read(
    coefficient: Option<&Coefficient>,
    row: usize,
    width: usize,
    one: impl Fn(f64) -> f64,
) -> String {
    match coefficient {
        None => literal(one(1.0)),
        Some(c) if !c.is_trained() => match c.initial {
            Initial::Constant(value) => literal(one(value)),
            _ => format!("q[{}]", row * width),
        },
        Some(_) => format!("q[{}]", row * width),
    }
}

/// The basis functions of a network that `kernels/common.cu` does not have: texts, and those of the table without a kernel written by hand.
pub(crate) fn generated_bases<T: Real>(network: &Network) -> String {
    let mut text = rafnet_engine::expr::kernel_prelude(real::<T>(), "DEV");
    for basis in generated(network) {
        let Some(function) = basis.as_text() else {
            continue;
        };
        let (x, real) = (Leaf::Coordinate(0), real::<T>());
        let name_of = |leaf: &Leaf| match leaf {
            Leaf::Parameter(k) => format!("c[{k}]"),
            _ => "y".to_owned(),
        };
        let mut tower = vec![function.function().clone()];
        for order in 0..3 {
            tower.push(tower[order].partial(&x));
        }
        let assign = |all: &[Expr]| {
            let names: Vec<String> = (0..all.len()).map(|k| format!("g[{k}]")).collect();
            let outputs: Vec<(&str, &Expr)> = names.iter().map(String::as_str).zip(all).collect();
            kernel_text(&outputs, real, &name_of)
        };
        let name = kernel_name(network, basis);
        let coefficients = match function.names().len() {
            0 => "",
            _ => "const real *c, ",
        };
        let _ = writeln!(
            text,
            "DEV void basis_{name}(real y, {coefficients}real (&g)[4]) {{\n{}}}",
            assign(&tower)
        );
        if function.names().is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "DEV void {name}_by(int k, real y, const real *c, real (&g)[4]) {{\n  g[3] = 0;"
        );
        for k in 0..function.names().len() {
            let by = Leaf::Parameter(k);
            let all: Vec<Expr> = tower[..3].iter().map(|g| g.partial(&by)).collect();
            let _ = writeln!(text, "  if (k == {k}) {{\n{}  }}", assign(&all));
        }
        text += "}\n";
    }
    text
}

/// Whether a kernel of it is written by hand.
fn is_written(basis: Basis) -> bool {
    COMMON.contains(&format!("DEV void basis_{}(", basis.name()))
}

/// The functions among a network's that are generated, each once.
fn generated(network: &Network) -> Vec<Basis> {
    let mut all: Vec<Basis> = Vec::new();
    let layers = network
        .layers()
        .iter()
        .filter_map(|l| l.activation.as_ref());
    for term in layers.flat_map(|a| a.groups()).flat_map(|g| &g.terms) {
        if !is_written(term.basis) && !all.contains(&term.basis) {
            all.push(term.basis);
        }
    }
    all
}

/// The name of a basis function in kernels: its own, and of a text its place among the generated ones.
fn kernel_name(network: &Network, basis: Basis) -> String {
    match basis {
        Basis::Text(_) => {
            let all = generated(network);
            let at = all.iter().position(|b| *b == basis).unwrap_or(0);
            format!("text_{at}")
        }
        named => named.name().to_owned(),
    }
}

/// The calls of a basis function: its tower at `y`, and its gradient by coefficient `k`.
fn calls(network: &Network, basis: Basis, shape: &str) -> [String; 2] {
    let name = kernel_name(network, basis);
    match basis.shape_len() {
        0 => [format!("basis_{name}(y, g);"), String::new()],
        _ => [
            format!("basis_{name}(y, {shape}, g);"),
            format!("{name}_by(k, y, {shape}, by);"),
        ],
    }
}

/// The formulas of a group's neurons: [ahead, back, where its trained numbers go].
struct Formulas {
    tower: String,
    back: String,
    places: Vec<String>,
    /// What a sum over points is multiplied by, where that stands apart.
    factors: Vec<String>,
}

fn formulas(network: &Network, places: &Places, l: usize, g: usize, form: Form) -> Formulas {
    let layer = &network.layers()[l];
    let activation = layer.activation.as_ref();
    let Some(group) = activation.and_then(|a| a.groups().get(g)) else {
        return Formulas {
            tower: String::new(),
            back: String::new(),
            places: Vec::new(),
            factors: Vec::new(),
        };
    };
    let at = &network.layout().layers[l].groups[g];
    let (width, terms) = (form.stride, group.terms.len());
    let mut factors = Vec::new();
    let start: usize = activation
        .iter()
        .flat_map(|a| &a.groups()[..g])
        .map(|g| g.neurons)
        .sum();
    let (mut tower, mut back, mut to) = (String::new(), String::new(), Vec::new());
    let names = group.shape_len_of_neuron();
    if names > 0 {
        let load: Vec<String> = (0..names)
            .map(|k| format!("q[{}]", (3 * terms + k) * width))
            .collect();
        let line = format!("      const real c[{names}] = {{{}}};\n", load.join(", "));
        tower += &line;
        back += &line;
    }
    for (p, term) in group.terms.iter().enumerate() {
        let alpha = read(Some(&term.alpha), 3 * p, width, |v| v);
        let beta = read(term.scale.coefficient(), 3 * p + 1, width, |v| {
            term.scale.beta(v)
        });
        let [call, by] = calls(network, term.basis, "c");
        let begin = format!(
            "      {{ const real alpha = {alpha}, beta = {beta}; const real y = beta * z[0]; real g[4]; {call} mix(alpha, beta, g, d);"
        );
        let _ = writeln!(tower, "{begin} }}");
        back += &begin;
        if let Some(place) = at.alpha[p] {
            let _ = write!(back, " own[{}] += for_alpha(beta, g, H);", to.len());
            factors.push("R(1)".to_owned());
            to.push(format!("{place} + n - {start}"));
        }
        if let Some(place) = at.beta[p] {
            let slope = match term.scale {
                Scale::Frequency(_) => "R(1)".to_owned(),
                _ => format!("q[{}]", (3 * p + 2) * width),
            };
            let felt = if form.apart {
                "for_beta(R(1), beta, z[0], g, H)".to_owned()
            } else {
                format!("{slope} * for_beta(alpha, beta, z[0], g, H)")
            };
            let _ = write!(back, " own[{}] += {felt};", to.len());
            factors.push(format!("{slope} * {alpha}"));
            to.push(format!("{place} + n - {start}"));
        }
        if term.basis.shape_len() > 0 {
            let _ = write!(
                back,
                " EACH(k, {names}) {{ real by[4]; {by} own[OWN + k] += alpha * for_alpha(beta, by, H); }}"
            );
        }
        back += " }\n";
    }
    // coefficients of the function's own come last: every term with that function adds to them
    back = back.replace("OWN", &to.len().to_string());
    if let (Some(place), true) = (at.shape, names > 0) {
        let by_neuron = group.shaped().is_some_and(Basis::shape_is_by_neuron);
        let common = places
            .common
            .iter()
            .find(|c| c[0] == l && c[1] == g)
            .map(|c| c[2]);
        for k in 0..names {
            let first = match common {
                Some(slot) if !by_neuron => slot + k * group.neurons,
                _ => place + k * group.neurons,
            };
            to.push(format!("{first} + n - {start}"));
            factors.push("R(1)".to_owned());
        }
    }
    Formulas {
        tower,
        back,
        places: to,
        factors,
    }
}

/// A layer; without a stash what packing needs of it.
pub(super) fn layer(network: &Network, places: &Places, l: usize, kept: Option<&Stash>) -> String {
    let (layer, at) = (&network.layers()[l], &network.layout().layers[l]);
    let [ahead, back, _] = places.layers[l];
    let biased = layer.bias == Bias::Yes;
    let mut text = format!(
        "template <> struct Layer<{l}> {{\n  enum : int {{ WIDTH = {}, FAN = {}, BIASED = {}, WEIGHT = {}, BIAS = {}, FORWARD = {ahead}, REVERSE = {back}",
        layer.width,
        network.fan_in(l),
        i32::from(biased),
        at.weight,
        at.bias.unwrap_or(0),
    );
    let Some(stash) = kept else {
        return text + " };\n};\n";
    };
    let form = Form {
        stride: layer.width,
        apart: false,
    };
    let Neuron {
        text: neuron,
        trained,
    } = neuron(network, places, l, form);
    let hidden = l + 1 < network.layers().len();
    let (from, bar) = match layer.skip {
        Skip::None => (-1, -1),
        Skip::Inputs => (stash.inputs(), -1),
        Skip::Layer(from) => (stash.place(Part::H(from)), stash.bar(from)),
    };
    let of_hidden = |place: i32| if hidden { place } else { -1 };
    let _ = writeln!(
        text,
        ",\n    FRAGMENTS = {}, TRAINED = {trained}, SKIP = {}, SKIP_FROM = {from}, SKIP_BAR = {bar}, STASH_Z = {}, STASH_H = {}, STASH_BAR = {} }};",
        places.fragments[l],
        source_of(layer.skip),
        of_hidden(stash.place(Part::Z(l))),
        of_hidden(stash.place(Part::H(l))),
        if stash.place(Part::H(l)) >= 0 {
            of_hidden(stash.bar(l))
        } else {
            -1
        },
    );
    text + &neuron + "};\n"
}

/// A layer's neuron as a C++ type, and how many trained numbers it has.
pub(crate) struct Neuron {
    pub(crate) text: String,
    pub(crate) trained: usize,
}

/// The neuron of a layer: its value, its way back with the gradients of its own numbers, and where these stand.
pub(crate) fn neuron(network: &Network, places: &Places, l: usize, form: Form) -> Neuron {
    let activation = network.layers()[l].activation.as_ref();
    let groups = activation.map_or(&[][..], |a| a.groups());
    let all: Vec<Formulas> = (0..groups.len())
        .map(|g| formulas(network, places, l, g, form))
        .collect();
    let trained = all.iter().map(|f| f.places.len()).max().unwrap_or(0);
    let begin = if form.apart {
        "numbers".to_owned()
    } else {
        format!("numbers + {} + n_", places.layers[l][2])
    };
    let mut text = String::from("  struct Neuron {\n    const real *q;\n    int n;\n");
    let _ = writeln!(
        text,
        "    DEV Neuron(const real *numbers, int n_) : q({begin}), n(n_) {{}}"
    );
    if groups.is_empty() {
        text += "    DEV void ahead(const real (&z)[S], real (&h)[S]) const { EACH(s, S) h[s] = z[s]; }\n    \
                 DEV void back(const real (&z)[S], real (&bar)[S], real *own) const {}\n    \
                 DEV int place(int c) const { return -1; }\n  };\n";
        return Neuron { text, trained };
    }
    let by_group = |what: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        let mut end = 0;
        for (g, group) in groups.iter().enumerate() {
            end += group.neurons;
            let head = if g + 1 == groups.len() {
                "    {\n".to_owned()
            } else {
                format!("    if (n < {end}) {{\n")
            };
            text += &head;
            text += &what(g);
            text += if g + 1 == groups.len() {
                "    }\n"
            } else {
                "    } else\n"
            };
        }
        text
    };
    // one case for each trained number of a group
    let cases = |all: &[String], otherwise: &str| {
        let cases: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(c, value)| format!("      if (c == {c}) return {value};\n"))
            .collect();
        cases.concat() + "      return " + otherwise + ";\n"
    };
    text += "    DEV void ahead(const real (&z)[S], real (&h)[S]) const {\n    real d[4] = {0, 0, 0, 0};\n";
    text += &by_group(&|g| all[g].tower.clone());
    text += "    streams_ahead(d, z, h);\n    }\n";
    let _ = writeln!(
        text,
        "    DEV void back(const real (&z)[S], real (&bar)[S], real *own) const {{\n    real d[4] = {{0, 0, 0, 0}}, H[3];\n    felt(z, bar, H);"
    );
    text += &by_group(&|g| all[g].back.clone());
    text += "    streams_back(d, H, z, bar);\n    }\n    DEV int place(int c) const {\n";
    text += &by_group(&|g| cases(&all[g].places, "-1"));
    text += "    }\n";
    if form.apart {
        text += "    DEV real factor(int c) const {\n";
        text += &by_group(&|g| cases(&all[g].factors, "R(1)"));
        text += "    }\n";
    }
    text += "  };\n";
    Neuron { text, trained }
}

/// Statements that fill the numbers of all activations from θ and from what is fixed, and those fixed numbers.
pub(crate) fn numbers<T: Real>(network: &Network, places: &Places) -> (String, Vec<f64>) {
    let (mut text, mut fixed) = (String::new(), Vec::new());
    let weights = places.packed / packed_numbers::<T>();
    let mut unused = random(0); // fixed numbers are written down, none is drawn
    for (l, layer) in network.layers().iter().enumerate() {
        let [.., begin] = places.layers[l];
        let mut start = 0;
        for (g, group) in layer.activation.iter().flat_map(|a| a.groups()).enumerate() {
            let at = &network.layout().layers[l].groups[g];
            let terms = group.terms.len();
            let mut fill = |row: usize,
                            value: &dyn Fn(&str) -> String,
                            stored: Result<usize, &Coefficient>| {
                let from = match stored {
                    Ok(place) => format!("theta[{place} + k]"),
                    Err(coefficient) => {
                        let place = fixed.len();
                        fixed.extend(
                            (0..group.neurons).map(|k| coefficient.initial.draw(k, &mut unused)),
                        );
                        format!("fixed[{place} + k]")
                    }
                };
                let to = begin + row * layer.width + start;
                let _ = writeln!(
                    text,
                    "  for (int k = ring(id, {}); k < {}; k += PACKING) numbers[{to} + k] = {};",
                    weights + to,
                    group.neurons,
                    value(&from)
                );
            };
            let plain = |from: &str| from.to_owned();
            for (p, term) in group.terms.iter().enumerate() {
                fill(3 * p, &plain, at.alpha[p].ok_or(&term.alpha));
                if let Some(coefficient) = term.scale.coefficient() {
                    let stored = at.beta[p].ok_or(coefficient);
                    if let Scale::Width(_) = term.scale {
                        fill(3 * p + 1, &|from| format!("beta_of_width({from})"), stored);
                        fill(3 * p + 2, &|from| format!("slope_of_width({from})"), stored);
                    } else {
                        fill(3 * p + 1, &plain, stored);
                    }
                }
            }
            if let (Some(place), Some(basis)) = (at.shape, group.shaped()) {
                for c in 0..basis.shape_len() {
                    let by_neuron = basis.shape_is_by_neuron();
                    let from = if by_neuron {
                        place + c * group.neurons
                    } else {
                        place + c
                    };
                    let index = if by_neuron { " + k" } else { "" };
                    let to = begin + (3 * terms + c) * layer.width + start;
                    let _ = writeln!(
                        text,
                        "  for (int k = ring(id, {}); k < {}; k += PACKING) numbers[{to} + k] = theta[{from}{index}];",
                        weights + to,
                        group.neurons
                    );
                }
            }
            start += group.neurons;
        }
    }
    (text, fixed)
}
