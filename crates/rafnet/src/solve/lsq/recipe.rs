//! How a layer's frozen weights are drawn.
//!
//! ```text
//! sine       sin(w·x + b)         w_k = s_k U / h_k,  b = π U                   h_k: half the extent of input k,  U uniform in (−1, 1)
//! spectral   sin(w·x + b)         w_k = ±π (f + 2U) / h_k                       f drawn from the data's spectrum along axis k
//! ridges     γ(w·(x − c))         γ = tanh or a Gaussian, c uniform in the box  steep where s is large
//! focused    γ(s n·(x − c))       c where the residual is large, n along the gradient there (every second one: anyhow)
//! turned     γ(Σ_k s_k U e_k·x + b)                   e_k: axes of a frame ([`Frame`]) in place of the coordinates', ridges steep by s_k / max s
//! grouped    γ(w·x + b)           w_k = 0 but for the few inputs of a set ([`Groups`])
//! solving    sin(w·x + b)         w as for sines, and then such that the wave solves the equations ([`Symbol`])
//! squares    (w·x + b)²           a few of them span the quadratics
//! across     γ((n·x − c)/σ)       where something known is narrow along no axis ([`across`])
//! ```
//!
//! Along a periodic axis sines take whole numbers of waves, everything else stays constant: the layer is then exactly periodic.

use super::across::across;
use super::chances::Chances;
use super::groups::Groups;
use super::hot::Hot;
use super::tuning::SPECTRAL;
use super::turn::Frame;
use crate::activation::random;
use crate::basis::Basis;
use crate::engine::ridges::Layer;
use crate::posed::{Power, extent};
use crate::problem::Strip;
use crate::waves::Symbol;
use crate::waves::Walls;
use rand::RngExt;
use std::f64::consts::PI;
use std::sync::Arc;

/// Which functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Sines.
    Sine,
    /// Sines and, the other half, tanh ridges.
    Tanh,
    /// Sines and, the other half, Gaussian ridges.
    Gaussian,
}

impl Family {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sine => "sines",
            Self::Tanh => "sines and tanh",
            Self::Gaussian => "sines and Gaussians",
        }
    }
}

/// How to draw a layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recipe {
    pub(super) family: Family,
    /// Waves along each input: the largest phase over half its extent.
    pub(super) scales: Vec<f64>,
    /// Steepness of ridges, in the same unit.
    pub(super) steepness: f64,
    /// The share of sines whose frequencies come from the data's spectrum.
    pub(super) spectral: f64,
    /// The share of sines that solve the equations by themselves.
    pub(super) solving: f64,
    /// Whether these are the waves between the walls of a box.
    pub(super) standing: bool,
    /// The share of ridges that sit where the last solution was worst.
    pub(super) focus: f64,
    /// Whether further functions lie across strips.
    pub(super) across: bool,
    /// Axes along which the coordinates' scales are meant, if not the coordinates' own.
    pub(super) frame: Option<Arc<Frame>>,
    /// Which inputs each function reads, if not all.
    pub(super) groups: Option<Arc<Groups>>,
    pub(super) seed: u64,
}

impl Recipe {
    /// Sines of these scales, and nothing else.
    pub(super) fn sines(scales: Vec<f64>, seed: u64) -> Self {
        Self {
            family: Family::Sine,
            scales,
            steepness: 1.0,
            spectral: 0.0,
            solving: 0.0,
            standing: false,
            focus: 0.0,
            across: false,
            frame: None,
            groups: None,
            seed,
        }
    }
}

/// What drawing needs to know of the inputs.
pub(super) struct Inputs {
    /// [low, high] of each, the coordinates first.
    pub(super) ranges: Vec<[f64; 2]>,
    /// Spectra of the data along the coordinates.
    pub(super) spectra: Vec<Power>,
    /// How many of the last ones are corners' functions, which enter by themselves and into every fourth sine.
    pub(super) corners: usize,
    /// Axes that close on themselves.
    pub(super) periodic: Vec<usize>,
    /// Where something known is narrow along no axis: further functions may lie across these.
    pub(super) strips: Vec<Strip>,
    /// Where the last solution was worst.
    pub(super) hot: Hot,
    /// Which waves solve the equations by themselves, if some do.
    pub(super) symbol: Option<Symbol>,
    /// The walls between which they stand, if there are such.
    pub(super) walls: Option<Walls>,
}

impl Inputs {
    /// Whether any spectrum has something to say.
    pub(super) fn oscillating(&self) -> bool {
        self.spectra.iter().any(|p| extent(p) >= SPECTRAL)
    }

    /// Draws `n` functions, and those across strips where these are asked for.
    pub(super) fn draw(&self, n: usize, recipe: &Recipe) -> Layer {
        let mut layer = self.everywhere(n, recipe);
        if recipe.across {
            for (basis, weights, bias) in across(&self.strips, &self.ranges, n / 2) {
                layer.push(basis, &weights, bias);
            }
        }
        layer
    }

    /// Draws `n` functions that belong to no place.
    fn everywhere(&self, n: usize, recipe: &Recipe) -> Layer {
        let inputs = self.ranges.len();
        let plain = inputs - self.corners;
        let mut layer = Layer {
            bases: self.bases(n, recipe.family),
            ..Layer::default()
        };
        let modes = self.modes(&layer.bases, recipe);
        let last = layer.bases.len() - modes.len();
        let mut random = random(recipe.seed);
        let mut uniform = || 2.0 * random.random::<f64>() - 1.0;
        for j in 0..n {
            if layer.bases[j] == Basis::Identity {
                layer
                    .weights
                    .extend((0..inputs).map(|k| f64::from(u8::from(k == plain + j))));
                layer.biases.push(0.0);
                continue;
            }
            let mut bias = match layer.bases[j] {
                Basis::Square => uniform(),
                Basis::Sine => PI * uniform(),
                _ => 0.0,
            };
            let chances = self.chances(layer.bases[j], recipe, &mut uniform);
            // always as many numbers, so that a change of recipe keeps the others
            let numbers: Vec<[f64; 4]> = (0..inputs).map(|_| [(); 4].map(|()| uniform())).collect();
            let along = |k: usize| {
                let read = self.reads(j, k);
                read.then(|| self.along(k, &chances, recipe, numbers[k]))
            };
            let mut normalised: Vec<f64> = (0..inputs).map(|k| along(k).unwrap_or(0.0)).collect();
            if let Some(frame) = recipe.frame.as_ref().filter(|_| chances.free()) {
                frame.turn(&mut normalised);
            }
            if let Some(groups) = recipe.groups.as_ref().filter(|_| chances.free()) {
                let read = groups.of(j);
                (0..plain)
                    .filter(|k| !read.contains(k))
                    .for_each(|k| normalised[k] = 0.0);
            }
            if let Some(symbol) = self.solving(&chances, recipe, &numbers) {
                symbol.solve(&mut normalised, 0.5 * (numbers[1][3] + 1.0));
            }
            if let Some((w, b)) = j.checked_sub(last).and_then(|k| modes.get(k)) {
                normalised.clone_from(w);
                bias = *b;
            }
            for (k, [.., centre]) in numbers.into_iter().enumerate() {
                let [low, high] = self.ranges[k];
                let (half, middle) = (0.5 * (high - low), 0.5 * (high + low));
                let w = normalised[k] / half;
                layer.weights.push(w);
                bias -= w * match chances.spot {
                    _ if !chances.ridge => middle,
                    Some((at, _)) if k < at.len() => at[k] + 0.02 * half * centre,
                    _ => middle + half * centre,
                };
            }
            layer.biases.push(bias);
        }
        layer
    }

    /// Corners' functions by themselves, squares, ridges, and sines for the rest.
    fn bases(&self, n: usize, family: Family) -> Vec<Basis> {
        let plain = self.ranges.len() - self.corners;
        let alone = self.corners.min(n / 2);
        let squares = alone + ((plain + 1) * (plain + 2)).min(n / 8);
        let ridges = match family {
            Family::Sine => 0,
            _ => (n - squares) / 2,
        };
        let basis = |j: usize| match family {
            _ if j < alone => Basis::Identity,
            _ if j < squares => Basis::Square,
            Family::Tanh if j < squares + ridges => Basis::Tanh,
            Family::Gaussian if j < squares + ridges => Basis::Gaussian,
            _ => Basis::Sine,
        };
        (0..n).map(basis).collect()
    }

    /// The waves between walls, where these are asked for: as many as there are sines.
    fn modes(&self, bases: &[Basis], recipe: &Recipe) -> Vec<(Vec<f64>, f64)> {
        let both = self.symbol.as_ref().zip(self.walls.as_ref());
        let Some((symbol, walls)) = both.filter(|_| recipe.standing) else {
            return Vec::new();
        };
        let sines = bases.iter().filter(|b| **b == Basis::Sine).count();
        walls.modes(symbol, &recipe.scales, sines)
    }

    /// The symbol, if a function is one of those that solve the equations; what decides are numbers that only ridges take.
    fn solving(
        &self,
        chances: &Chances<'_>,
        recipe: &Recipe,
        numbers: &[[f64; 4]],
    ) -> Option<&Symbol> {
        let chosen = 0.5 * (numbers[0][3] + 1.0) < recipe.solving;
        let wave = chances.basis == Basis::Sine && chosen;
        self.symbol.as_ref().filter(|_| wave)
    }

    /// Whether function `j` reads input `k`: a corner's function enters into every fourth.
    fn reads(&self, j: usize, k: usize) -> bool {
        let plain = self.ranges.len() - self.corners;
        k < plain || j.is_multiple_of(4) && (j / 4) % self.corners == k - plain
    }

    /// A function's weight along input `k`, over half the input's extent.
    fn along(
        &self,
        k: usize,
        chances: &Chances<'_>,
        recipe: &Recipe,
        [sign, pick, jitter, _]: [f64; 4],
    ) -> f64 {
        let closed = self.periodic.contains(&k);
        let steep = match &recipe.frame {
            Some(frame) if k < frame.len() => chances.steepness * frame.share(k, &recipe.scales),
            _ => chances.steepness,
        };
        let along = match chances.basis {
            Basis::Sine if chances.spectral && self.spectrum(k).is_some() => {
                let waves = self.frequency(k, 0.5 * (pick + 1.0)) + 2.0 * jitter;
                waves * PI * sign.signum()
            }
            Basis::Sine => recipe.scales[k] * sign,
            _ if closed => 0.0,
            Basis::Square => sign,
            _ => match &chances.spot {
                Some((_, direction)) if chances.aligned && k < direction.len() => {
                    chances.steepness * (direction[k] + 0.1 * sign)
                }
                _ => steep * sign,
            },
        };
        if closed {
            (along / PI).round() * PI
        } else {
            along
        }
    }

    /// A point of interest with its direction.
    pub(super) fn spot(&self, share: f64) -> Option<(&[f64], &[f64])> {
        let d = self.spectra.len();
        let count = self.hot.points.len() / d.max(1);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index"
        )]
        let at = ((share * count as f64) as usize).min(count.checked_sub(1)?) * d;
        Some((
            &self.hot.points[at..at + d],
            &self.hot.directions[at..at + d],
        ))
    }

    fn spectrum(&self, axis: usize) -> Option<&Power> {
        self.spectra.get(axis).filter(|p| extent(p) >= SPECTRAL)
    }

    /// The frequency below which a share of the power along an axis lies.
    fn frequency(&self, axis: usize, share: f64) -> f64 {
        let mut sum = 0.0;
        let reached = |p: &f64| {
            sum += p;
            sum >= share
        };
        self.spectra[axis].iter().position(reached).unwrap_or(0) as f64
    }
}
