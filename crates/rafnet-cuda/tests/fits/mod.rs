//! Fits for tests of the fast path, and how far gradients are apart.

#![allow(dead_code, reason = "every test takes some of it")]

use crate::steady::Steady;
use rafnet_engine::activation::{Activation, Set, Signal};
use rafnet_engine::engine::{
    Batch, Cloud, Descent, Device, EngineError, Objective, OnDevice, Regression,
};
use rafnet_engine::network::{Init, Inputs, Network, Weights};
use rafnet_engine::simd::Real;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) type Failure = Box<dyn std::error::Error>;

/// A fit of waves: a network, its first parameters, points and data.
pub(crate) struct Fit {
    pub(crate) name: String,
    pub(crate) network: Network,
    pub(crate) outputs: usize,
    pub(crate) parameters: Vec<f32>,
    pub(crate) points: Vec<f32>,
    pub(crate) data: Vec<f32>,
}

impl Fit {
    pub(crate) fn new(
        name: &str,
        inputs: Inputs,
        activation: Activation,
        hidden: usize,
        outputs: usize,
        n: usize,
    ) -> Result<Self, Failure> {
        let width = activation.width();
        let network = Network::fully_connected(inputs, vec![activation; hidden], outputs)?;
        let d = inputs.dimension;
        let ratios = [
            0.754_877_666_246_692_8,
            0.569_840_290_998_053_3,
            0.430_159_709_001_946_7,
        ];
        let coordinate = |k: usize| {
            let (point, along) = ((k / d) as f64, k % d);
            2.0 * (point * ratios[along % 3] + 0.1 * along as f64).fract() - 1.0
        };
        let points: Vec<f32> = (0..n * d).map(|k| f32::from_f64(coordinate(k))).collect();
        let wave = |p: &[f32], o: usize| {
            let along: f32 = p.iter().enumerate().map(|(k, x)| (3 + k) as f32 * x).sum();
            0.5 * (2.0 * along + o as f32).sin() + 0.3 * (9.0 * p[0] - o as f32).cos()
        };
        let data = (0..n * outputs)
            .map(|k| wave(&points[k / outputs * d..][..d], k % outputs))
            .collect();
        Ok(Self {
            name: format!("{name} {width} x {hidden}, {outputs} out, {n} points"),
            parameters: network.init(Init::new(Weights::Siren, 7)),
            network,
            outputs,
            points,
            data,
        })
    }

    pub(crate) fn objective<T: OnDevice>(&self) -> Objective<T> {
        Objective::new(
            self.network.clone(),
            Arc::new(Regression {
                outputs: self.outputs,
            }),
        )
    }

    pub(crate) fn gradient<T: OnDevice>(
        &self,
        device: Device,
    ) -> Result<(f64, Vec<f64>), EngineError> {
        let of = |v: &[f32]| {
            v.iter()
                .map(|x| T::from_f64(f64::from(*x)))
                .collect::<Vec<T>>()
        };
        let (parameters, points, data) = (of(&self.parameters), of(&self.points), of(&self.data));
        let mut gradient = vec![T::ZERO; parameters.len()];
        let batch = Batch::points(&points).with_data(&data);
        let loss = device
            .engine(self.objective::<T>(), 16)?
            .loss_and_gradient(&parameters, &batch, &mut gradient)?;
        Ok((loss, gradient.iter().map(|g| g.to_f64()).collect()))
    }

    /// Relative L2 of each kind of parameter, the worst over the layers.
    pub(crate) fn apart(&self, mine: &[f64], reference: &[f64]) -> BTreeMap<String, f64> {
        let mut all = BTreeMap::new();
        let last = self.network.layers().len() - 1;
        for named in self.network.layout().named() {
            let mut words = named.name.split('.').skip(1);
            let layer = words
                .next()
                .and_then(|k| k.parse::<usize>().ok())
                .unwrap_or(0);
            let kind = words.last().unwrap_or("");
            let kind = match layer {
                0 => format!("first {kind}"),
                l if l == last => format!("last {kind}"),
                _ => kind.to_owned(),
            };
            let pairs = || {
                mine[named.range.clone()]
                    .iter()
                    .zip(&reference[named.range.clone()])
            };
            let off: f64 = pairs().map(|(a, b)| (a - b).powi(2)).sum();
            let size: f64 = pairs().map(|(_, b)| b.powi(2)).sum();
            let relative = if size > 0.0 {
                (off / size).sqrt()
            } else {
                off.sqrt()
            };
            let entry = all.entry(kind).or_insert(0.0);
            // what is no number is the worst
            if relative.is_nan() || relative > *entry {
                *entry = relative;
            }
        }
        all
    }

    /// Adam on its samples.
    pub(crate) fn steady(&self, rate: f64) -> Steady<f32> {
        let cloud = Cloud {
            points: self.points.clone(),
            data: self.data.clone(),
            ..Cloud::default()
        };
        Steady::new(self.parameters.len(), 0, cloud, rate)
    }
}

/// Parameters and loss after so many steps, in so many calls.
pub(crate) fn trained(
    fit: &Fit,
    device: Device,
    calls: u64,
    steps: u64,
) -> Result<(f64, Vec<f32>), Failure> {
    let mut engine = device.engine(fit.objective::<f32>(), 1)?;
    let mut rule = fit.steady(1e-4);
    let mut descent = Descent::new(fit.parameters.clone(), 0);
    let mut loss = 0.0;
    for _ in 0..calls {
        let came = engine.descend(&mut descent, &mut rule, steps)?;
        assert!(came.is_finite, "{}: not finite", fit.name);
        loss = came.loss;
    }
    assert_eq!(descent.step, calls * steps);
    Ok((loss, descent.parameters))
}

/// Few points, all that differs: widths in one part and in two, outputs, inputs, activations, scales.
pub(crate) fn small() -> Result<Vec<Fit>, Failure> {
    let (plane, space) = (Inputs::coordinates(2), Inputs::coordinates(3));
    let psg = |width| Set::Psg.learnable(width, Signal::Image);
    let siren = |width| Set::Siren.learnable(width, Signal::Image);
    let mut large = Fit::new("siren, data times 1e5", plane, siren(136), 2, 1, 70)?;
    large.data.iter_mut().for_each(|v| *v *= 1e5);
    Ok(vec![
        Fit::new("psg", plane, psg(136), 3, 1, 400)?,
        Fit::new("siren", space, siren(133), 2, 3, 140)?,
        Fit::new("psg", plane, psg(256), 2, 1, 130)?,
        Fit::new("siren", plane, siren(400), 3, 3, 200)?,
        Fit::new(
            "psg in groups, of periodic inputs",
            Inputs::periodic(2, 4),
            Set::Psg.shared_out(200, 0.1),
            2,
            2,
            60,
        )?,
        large,
    ])
}
