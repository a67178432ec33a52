//! The network one point at a time, in plain loops over [`Number`]s: u, its gradient and Hessian by hyper-dual numbers.
//!
//! It reads a network's description and finds parameters by their names; it shares no code with the sweeps, their plan or
//! the basis functions' towers.

use super::dual::Dual;
use super::number::Number;
use super::wave::{Surroundings, Wave};
use crate::activation::{Coefficient, Group, Initial, Scale, Term};
use crate::basis::{Basis, Text};
use crate::expr::{Binary, Schedule, Step, Unary};
use crate::network::{Bias, Encoding, Network, Skip};

/// u_o, ∂_i u_o, ∂_j u_o, ∂_ij u_o for every output o.
pub(super) fn hyper_dual<N: Number>(
    network: &Network,
    around: &Surroundings,
    theta: &[N],
    x: &[f64],
    [i, j]: [usize; 2],
) -> Vec<[N; 4]> {
    let on = |k: usize, axis: usize| N::exact(if k == axis { 1.0 } else { 0.0 });
    let point = x.iter().enumerate().map(|(k, &x)| Dual {
        value: Dual {
            value: N::exact(x),
            slope: on(k, j),
        },
        slope: Dual::constant(on(k, i)),
    });
    let theta: Vec<Dual<Dual<N>>> = theta
        .iter()
        .map(|&t| Dual::constant(Dual::constant(t)))
        .collect();
    let u = function(network, around, &theta, &point.collect::<Vec<_>>());
    u.into_iter()
        .map(|u| [u.value.value, u.slope.value, u.value.slope, u.slope.slope])
        .collect()
}

/// u = factor·φ + lift, for every output.
fn function<N: Number>(network: &Network, around: &Surroundings, theta: &[N], x: &[N]) -> Vec<N> {
    let phi = forward(network, &around.features, theta, x);
    let product = |(o, phi): (usize, N)| {
        let Some((factor, lift)) = around.ansatz.get(o) else {
            return phi;
        };
        let product = factor.as_ref().map_or(phi, |g| g.at(x) * phi);
        lift.as_ref().map_or(product, |l| product + l.at(x))
    };
    phi.into_iter().enumerate().map(product).collect()
}

/// φ: z = W h + b, h = σ(z) + skip.
fn forward<N: Number>(network: &Network, features: &[Wave], theta: &[N], x: &[N]) -> Vec<N> {
    let block = |name: String| network.layout().get(&name).map(|n| &theta[n.range.clone()]);
    let mut inputs = encode(network.inputs().encoding, x);
    inputs.extend(features.iter().map(|f| f.at(x)));
    let mut outputs: Vec<Vec<N>> = Vec::new();
    for (l, layer) in network.layers().iter().enumerate() {
        let below = outputs.last().unwrap_or(&inputs);
        let weight = block(format!("layers.{l}.weight")).unwrap_or(&[]);
        let mut h: Vec<N> = weight
            .chunks_exact(below.len())
            .map(|row| dot(row, below))
            .collect();
        if layer.bias == Bias::Yes
            && let Some(bias) = block(format!("layers.{l}.bias"))
        {
            h.iter_mut().zip(bias).for_each(|(h, &b)| *h = *h + b);
        }
        let groups = layer.activation.as_ref().map_or(&[][..], |a| a.groups());
        let mut first = 0;
        for (g, group) in groups.iter().enumerate() {
            let prefix = match groups.len() {
                1 => format!("layers.{l}"),
                _ => format!("layers.{l}.groups.{g}"),
            };
            let [alpha, beta, rational, text] = ["alpha", "beta", "rational", "text"]
                .map(|what| block(format!("{prefix}.{what}")).unwrap_or(&[]));
            for k in 0..group.neurons {
                let mut own = rational.to_vec();
                own.extend(text.chunks_exact(group.neurons).map(|name| name[k]));
                h[first + k] = neuron(group, k, alpha, beta, &own, h[first + k]);
            }
            first += group.neurons;
        }
        let skip = match layer.skip {
            Skip::None => &[][..],
            Skip::Inputs => &inputs,
            Skip::Layer(from) => &outputs[from],
        };
        h.iter_mut().zip(skip).for_each(|(h, &s)| *h = *h + s);
        outputs.push(h);
    }
    outputs.pop().unwrap_or_default()
}

fn dot<N: Number>(a: &[N], b: &[N]) -> N {
    a.iter()
        .zip(b)
        .fold(N::exact(0.0), |sum, (&a, &b)| sum + a * b)
}

fn encode<N: Number>(encoding: Encoding, x: &[N]) -> Vec<N> {
    match encoding {
        Encoding::Raw => x.to_vec(),
        Encoding::Periodic { order } => (1..=order)
            .flat_map(|m| {
                let turned = x.iter().map(move |&x| N::exact(m as f64) * x);
                let sines = turned.clone().map(Number::sin);
                sines.chain(turned.map(Number::cos)).collect::<Vec<_>>()
            })
            .collect(),
    }
}

/// Σ_p α_p γ_p(β_p z) for neuron `k` of a group; trained rows stand in the order of the terms that train one.
fn neuron<N: Number>(group: &Group, k: usize, alpha: &[N], beta: &[N], shape: &[N], z: N) -> N {
    let mut rows = [alpha, beta].map(|block| block.chunks_exact(group.neurons));
    let mut number = |c: &Coefficient, which: usize| {
        if c.is_trained() {
            rows[which].next().map_or(N::exact(f64::NAN), |row| row[k])
        } else {
            N::rounded(fixed(&c.initial, k))
        }
    };
    let mut sum = N::exact(0.0);
    for Term {
        basis,
        alpha,
        scale,
    } in &group.terms
    {
        let alpha = number(alpha, 0);
        let y = match scale {
            Scale::One => z,
            Scale::Frequency(c) => number(c, 1) * z,
            Scale::Width(c) => {
                let s = number(c, 1);
                let s = if s.is_negative() { -s } else { s };
                z * (N::rounded(std::f64::consts::SQRT_2) * s).recip()
            }
        };
        sum = sum + alpha * value(*basis, y, shape);
    }
    sum
}

fn fixed(initial: &Initial, k: usize) -> f64 {
    match initial {
        Initial::Constant(value) => *value,
        Initial::Harmonics(step) => step * (k + 1) as f64,
        Initial::Values(values) => values[k],
        Initial::Normal { .. } | Initial::Uniform { .. } => f64::NAN, // refused: fixed numbers are written down
    }
}

/// γ(y), from which the dual numbers make all derivatives: by the formula, which the engine's own functions never see.
fn value<N: Number>(basis: Basis, y: N, shape: &[N]) -> N {
    if let Some(text) = basis.as_text() {
        return written(text, y, shape);
    }
    // the rational function
    let powers = [N::exact(1.0), y, y * y, y * y * y];
    dot(&shape[..4], &powers) * dot(&shape[4..], &powers).recip()
}

/// A text's own steps, without its symbolic derivatives.
fn written<N: Number>(text: Text, y: N, names: &[N]) -> N {
    let Schedule { steps, outputs } = text.steps();
    let [zero, one] = [0.0, 1.0].map(N::exact);
    let mut done: Vec<N> = Vec::with_capacity(steps.len());
    for step in steps {
        let value = match *step {
            Step::Input(0) => y,
            Step::Input(k) => names[k - 1],
            Step::Constant(c) => number(c),
            Step::Add(a, b) => done[a] + done[b],
            Step::AddScaled(a, b, -1.0) => done[a] - done[b],
            Step::AddScaled(a, b, c) => done[a] + number::<N>(c) * done[b],
            Step::Scale(a, -1.0) => -done[a],
            Step::Scale(a, c) => number::<N>(c) * done[a],
            Step::Shift(a, c) => done[a] + number(c),
            Step::Multiply(a, b) => done[a] * done[b],
            Step::Divide(a, b) => done[a] * done[b].recip(),
            Step::Reciprocal(a) => done[a].recip(),
            Step::Unary(function, a) => unary(function, done[a]),
            Step::Binary(Binary::Power, a, b) => match steps[a] {
                Step::Constant(base) => (N::rounded(base.ln()) * done[b]).exp(),
                _ => (done[b] * done[a].log()).exp(),
            },
            Step::Binary(function, a, b) => {
                let (a, b) = (done[a], done[b]);
                match function {
                    Binary::Max => a.max(b),
                    Binary::Min => -(-a).max(-b),
                    Binary::LessEqual => (b - a).step(),
                    Binary::Less => (a - b).step().choose(zero, one),
                    Binary::And => a.choose(b, zero),
                    Binary::Or => a.choose(one, b),
                    other => unknown(other.name()),
                }
            }
            Step::Select(c, a, b) => done[c].choose(done[a], done[b]),
        };
        done.push(value);
    }
    done[outputs[0]]
}

/// A constant: exact if it is in single precision too.
#[expect(
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    reason = "whether rounding changes it is the question"
)]
fn number<N: Number>(c: f64) -> N {
    if f64::from(c as f32) == c {
        N::exact(c)
    } else {
        N::rounded(c)
    }
}

fn unary<N: Number>(function: Unary, a: N) -> N {
    let [zero, one, half] = [0.0, 1.0, 0.5].map(N::exact);
    match function {
        Unary::Sin => a.sin(),
        Unary::Cos => a.cos(),
        Unary::Tan => a.sin() * a.cos().recip(),
        Unary::Exp => a.exp(),
        Unary::Sinh => half * (a.exp() - (-a).exp()),
        Unary::Cosh => half * (a.exp() + (-a).exp()),
        Unary::Log => a.log(),
        Unary::Tanh => a.tanh(),
        Unary::Atan => a.atan(),
        Unary::Erf => a.erf(),
        Unary::Sqrt => a.sqrt(),
        Unary::Abs => a.max(-a),
        Unary::Floor => a.floor(),
        Unary::Sign => a.step().choose(one, -one),
        Unary::Not => a.choose(zero, one),
        other @ (Unary::Asin | Unary::Acos | Unary::Cbrt) => unknown(other.name()),
    }
}

/// A function that no formula of the table has needed yet.
fn unknown<N>(name: &str) -> N {
    panic!(
        "the oracle does not know `{name}`: `Number` in engine/conformance/number.rs is to learn it"
    )
}
