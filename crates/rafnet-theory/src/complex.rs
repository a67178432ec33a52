//! Networks with complex parameters, stored as pairs of real parts.
//!
//! Wavelet-like atoms have one neuron where parameters may be complex: a Gaussian with a complex bias is a Gaussian times a wave.
//! [`ComplexNetwork`] evaluates such a network as it is written, in complex arithmetic; it is also the independent check of the
//! real network that a model file holds.

use rafnet::basis::Basis;
use serde_json::{Value, json};
use std::ops::{Add, Mul, Sub};

/// A complex number: its real and its imaginary part.
///
/// ```
/// use rafnet_theory::Complex;
/// assert_eq!(Complex(1.0, 2.0) * Complex(0.0, 1.0), Complex(-2.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex(pub f64, pub f64);

impl Complex {
    /// 0
    pub const ZERO: Self = Self(0.0, 0.0);

    /// A real number.
    pub const fn real(value: f64) -> Self {
        Self(value, 0.0)
    }
    /// e^z
    #[must_use]
    pub fn exp(self) -> Self {
        let (sin, cos) = self.1.sin_cos();
        Self(self.0.exp() * cos, self.0.exp() * sin)
    }
    /// sin z
    #[must_use]
    pub fn sin(self) -> Self {
        let (sin, cos) = self.0.sin_cos();
        Self(sin * self.1.cosh(), cos * self.1.sinh())
    }
    /// |z|
    pub fn modulus(self) -> f64 {
        self.0.hypot(self.1)
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(
            self.0 * other.0 - self.1 * other.1,
            self.0 * other.1 + self.1 * other.0,
        )
    }
}

/// A neuron γ(Σ wᵢ hᵢ + b) with complex numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplexNeuron {
    /// γ: x, x², sin or the Gaussian exp(−z²), continued to complex arguments.
    pub basis: Basis,
    /// w, one for each neuron of the layer before.
    pub weights: Vec<Complex>,
    /// b
    pub bias: Complex,
}

impl ComplexNeuron {
    fn value(&self, before: &[Complex]) -> Complex {
        let z = dot(&self.weights, before) + self.bias;
        match self.basis {
            Basis::Square => z * z,
            Basis::Sine => z.sin(),
            Basis::Gaussian => (Complex::ZERO - z * z).exp(),
            _ => z,
        }
    }
}

/// A network with complex parameters and one complex output.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplexNetwork {
    /// The hidden layers.
    pub layers: Vec<Vec<ComplexNeuron>>,
    /// The output's weights.
    pub output: Vec<Complex>,
}

impl ComplexNetwork {
    /// The value at a point.
    pub fn value(&self, point: &[f64]) -> Complex {
        let mut values: Vec<Complex> = point.iter().map(|&x| Complex::real(x)).collect();
        for layer in &self.layers {
            values = layer.iter().map(|neuron| neuron.value(&values)).collect();
        }
        dot(&self.output, &values)
    }

    /// factor · Π neurons, by a tree of products a b = ¼ (a + b)² − ¼ (a − b)².
    pub(super) fn product(neurons: Vec<ComplexNeuron>, factor: Complex) -> Self {
        let mut width = neurons.len();
        let one = Complex::real(1.0);
        // each value as (neuron, weight) pairs of the last layer
        let mut values: Vec<Vec<(usize, Complex)>> = (0..width).map(|i| vec![(i, one)]).collect();
        let mut layers = vec![neurons];
        while values.len() > 1 {
            let mut layer = Vec::new();
            let mut next = Vec::new();
            for pair in values.chunks(2) {
                let mut put = |basis, signs: &[f64]| {
                    let mut weights = vec![Complex::ZERO; width];
                    for (value, &sign) in pair.iter().zip(signs) {
                        for &(i, w) in value {
                            weights[i] = weights[i] + w * Complex::real(sign);
                        }
                    }
                    layer.push(ComplexNeuron {
                        basis,
                        weights,
                        bias: Complex::ZERO,
                    });
                    layer.len() - 1
                };
                next.push(if pair.len() == 2 {
                    let (plus, minus) = (
                        put(Basis::Square, &[1.0, 1.0]),
                        put(Basis::Square, &[1.0, -1.0]),
                    );
                    vec![(plus, Complex::real(0.25)), (minus, Complex::real(-0.25))]
                } else {
                    vec![(put(Basis::Identity, &[1.0]), one)]
                });
            }
            width = layer.len();
            layers.push(layer);
            values = next;
        }
        let mut output = vec![Complex::ZERO; width];
        for &(i, w) in &values[0] {
            output[i] = w * factor;
        }
        Self { layers, output }
    }

    /// The network as JSON: every number a pair `[re, im]`, layer by layer, neuron by neuron.
    pub fn to_json(&self) -> String {
        let pair = |z: &Complex| json!([z.0, z.1]);
        let pairs = |all: &[Complex]| all.iter().map(pair).collect::<Vec<Value>>();
        let neuron = |n: &ComplexNeuron| json!({ "basis": n.basis.name(), "weights": pairs(&n.weights), "bias": pair(&n.bias) });
        let layer = |l: &Vec<ComplexNeuron>| l.iter().map(neuron).collect::<Vec<Value>>();
        let layers: Vec<Vec<Value>> = self.layers.iter().map(layer).collect();
        json!({ "format": "rafnet-complex", "version": 1, "layers": layers, "output": pairs(&self.output) }).to_string()
    }

    pub(super) fn widths(&self) -> Vec<usize> {
        self.layers.iter().map(Vec::len).collect()
    }
    /// How many complex numbers, the output's bias not among them.
    pub(super) fn n_parameters(&self) -> usize {
        self.numbers().count()
    }
    pub(super) fn n_nonzero(&self) -> usize {
        self.numbers().filter(|z| **z != Complex::ZERO).count()
    }
    fn numbers(&self) -> impl Iterator<Item = &Complex> {
        let neurons = self.layers.iter().flatten();
        let hidden = neurons.flat_map(|n| n.weights.iter().chain([&n.bias]));
        hidden.chain(&self.output)
    }
}

fn dot(weights: &[Complex], values: &[Complex]) -> Complex {
    let terms = weights.iter().zip(values);
    terms.fold(Complex::ZERO, |sum, (w, h)| sum + *w * *h)
}
