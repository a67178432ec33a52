//! The engine on a machine that is this processor: every sweep against the oracle, the random points, whole steps.

mod emulated;
mod fits;
mod steady;

use emulated::Emulated;
use rafnet::domain::{Annulus, Ball, Cuboid, Domain, Draw, Sampler, Shape, Uniform};
use rafnet_cuda::OnMachine;
use rafnet_engine::activation::{Activation, Set, Signal, Term as Function};
use rafnet_engine::basis::Basis;
use rafnet_engine::engine::conformance::{Conformance, Selection};
use rafnet_engine::engine::{
    AdamState, Batch, Cloud, Descended, Descent, Device, EngineError, Meanwhile, Objective,
    OnDevice, Region, Regression, Rule, Source, Steps, Term, Watched,
};
use rafnet_engine::network::{Init, Inputs, Network, Weights};
use std::sync::Arc;
use steady::Steady;

/// The device, or a word that there is none.
fn device(multiprocessors: u32, shared: u32) -> Option<Device> {
    let machine = Emulated::new(multiprocessors, shared, false)?;
    Some(Device::new(Box::leak(Box::new(OnMachine::new(
        "emulated", machine,
    )))))
}

fn conform<T: Conformance + OnDevice>(selection: &Selection, shared: u32) -> Result<(), String> {
    let Some(device) = device(3, shared) else {
        return Ok(());
    };
    let mut make = |objective| -> Result<_, EngineError> { device.engine::<T>(objective, 1) };
    let report = T::conform(selection, &mut make)?;
    assert!(report.comparisons > 100);
    Ok(())
}

fn selection(bases: &[Basis]) -> Selection {
    Selection {
        bases: bases.to_vec(),
        dimensions: vec![2],
        width: None,
        sizes: vec![0, 1, 33],
        seed: 2021,
    }
}

/// The fast path of fits with wide layers: gradients against the processor in double.
#[test]
#[ignore = "takes a minute; .ci/long runs it"]
fn gradients_of_wide_layers() -> Result<(), fits::Failure> {
    let Some(machine) = Emulated::new(3, 227 << 10, true) else {
        return Ok(());
    };
    let wide = Device::new(Box::leak(Box::new(OnMachine::new("emulated", machine))));
    for fit in fits::small()? {
        let (loss, reference) = fit.gradient::<f64>(Device::CPU)?;
        let (own, gradient) = fit.gradient::<f32>(wide)?;
        let apart = fit.apart(&gradient, &reference);
        let line: Vec<String> = apart
            .iter()
            .map(|(kind, e)| format!("{kind} {e:.1e}"))
            .collect();
        let said = format!(
            "{}: loss {:.1e} apart; {}",
            fit.name,
            (own / loss - 1.0).abs(),
            line.join(", ")
        );
        assert!(
            (own / loss - 1.0).abs() < 1e-5 && apart.values().all(|e| *e < 1e-4),
            "{said}"
        );
    }
    Ok(())
}

/// Steps whose numbers do not fit their scales are in vain, and are done again: what comes of them is what the general way gives.
#[test]
fn steps_of_wide_layers() -> Result<(), fits::Failure> {
    let device = |warpgroups| {
        let machine = Emulated::new(3, 227 << 10, warpgroups)?;
        Some(Device::new(Box::leak(Box::new(OnMachine::new(
            "emulated", machine,
        )))))
    };
    let (Some(wide), Some(general)) = (device(true), device(false)) else {
        return Ok(());
    };
    let siren = Set::Siren.learnable(136, Signal::Image);
    let mut fit = fits::Fit::new(
        "siren, data times 1e6",
        Inputs::coordinates(2),
        siren,
        2,
        1,
        70,
    )?;
    fit.data.iter_mut().for_each(|v| *v *= 1e6);
    let [a, b, c] = [
        fits::trained(&fit, wide, 2, 3)?,
        fits::trained(&fit, wide, 2, 3)?,
        fits::trained(&fit, general, 2, 3)?,
    ];
    assert!(
        a.1.iter()
            .zip(&b.1)
            .all(|(x, y)| x.to_bits() == y.to_bits())
    );
    assert!((a.0 / c.0 - 1.0).abs() < 1e-6, "{} and {}", a.0, c.0);
    let moved = |v: &[f32]| {
        v.iter()
            .zip(&fit.parameters)
            .map(|(x, y)| x - y)
            .collect::<Vec<f32>>()
    };
    let far = moved(&a.1)
        .iter()
        .zip(&moved(&c.1))
        .filter(|(x, y)| (*x - *y).abs() > 1e-5)
        .count();
    assert!(
        far * 1000 < a.1.len(),
        "{far} of {} parameters went elsewhere",
        a.1.len()
    );
    Ok(())
}

/// A text without trained names, and one with them: their kernels are generated.
#[test]
fn functions_that_are_generated() -> Result<(), fits::Failure> {
    let Some(machine) = Emulated::new(3, 227 << 10, false) else {
        return Ok(());
    };
    let emulated = Device::new(Box::leak(Box::new(OnMachine::new("emulated", machine))));
    for text in ["x*exp(-x^2/2) + max(0, x)", "a*sin(b*x)/(1 + x^2); b = 2"] {
        let terms = vec![Function::plain(text.parse()?)];
        let activation = Activation::uniform(8, terms);
        let fit = fits::Fit::new(text, Inputs::coordinates(2), activation, 2, 1, 20)?;
        let (loss, reference) = fit.gradient::<f64>(Device::CPU)?;
        let (own, gradient) = fit.gradient::<f64>(emulated)?;
        let apart = fit.apart(&gradient, &reference);
        assert!(
            (own / loss - 1.0).abs() < 1e-12 && apart.values().all(|e| *e < 1e-12),
            "{}: loss {own}, {loss}; {apart:?}",
            fit.name
        );
    }
    Ok(())
}

#[test]
#[ignore = "takes a minute; .ci/long runs it"]
fn two_kinds_of_network_in_double() -> Result<(), String> {
    conform::<f64>(&selection(&[Basis::Sine, Basis::Rational]), 227 << 10)
}

#[test]
#[ignore = "takes a minute; .ci/long runs it"]
fn two_other_kinds_in_single() -> Result<(), String> {
    conform::<f32>(&selection(&[Basis::Gaussian, Basis::Tanh]), 227 << 10)
}

/// Adam at a constant rate on samples that stay the same, or on those of each step.
struct Fixed {
    clouds: Vec<Cloud<f64>>,
    /// Other samples, of the second term, whose misfit is watched, and what was seen.
    watched: Cloud<f64>,
    seen: Vec<f64>,
    m: Vec<f64>,
    v: Vec<f64>,
    t: u64,
}

const RATE: f64 = 1e-2;

fn factors(t: u64) -> [f64; 2] {
    [
        RATE / (1.0 - 0.9f64.powf(t as f64)),
        1.0 / (1.0 - 0.999f64.powf(t as f64)),
    ]
}

impl Rule<f64> for Fixed {
    fn draw(&mut self, step: u64) -> Result<(&[Cloud<f64>], &[f64]), EngineError> {
        let k = usize::try_from(step).unwrap_or(0) % self.clouds.len();
        Ok((std::slice::from_ref(&self.clouds[k]), &[0.5]))
    }
    fn steps(&mut self, step: u64, most: u64) -> Result<Option<Steps<'_, f64>>, EngineError> {
        let source = match &self.clouds[..] {
            [one] => Source::Same(one),
            each => {
                let [first, count] = [step, most].map(|n| usize::try_from(n).unwrap_or(0));
                Source::Each(&each[first..first + count])
            }
        };
        Ok(Some(Steps {
            sources: vec![source],
            weights: vec![0.5],
            decay: 0.0,
            still: Vec::from([2..4; 1]),
            adam: AdamState {
                betas: [0.9, 0.999],
                epsilon: 1e-8,
                factors: (1..=most).map(|k| factors(self.t + k)).collect(),
                m: &mut self.m,
                v: &mut self.v,
            },
            watched: Some(Watched {
                term: 1,
                source: Source::Same(&self.watched),
            }),
            meanwhile: Meanwhile::default(),
        }))
    }
    fn taken(&mut self, steps: u64) {
        self.t += steps;
    }
    fn watched(&mut self, sums: &[f64]) {
        self.seen.extend(sums);
    }
    fn update(&mut self, _: u64, parameters: &mut [f64], gradient: &mut [f64]) {
        self.t += 1;
        let [a, b] = factors(self.t);
        gradient[2..4].fill(0.0);
        for (k, g) in gradient.iter().enumerate() {
            self.m[k] = 0.9 * self.m[k] + (1.0 - 0.9) * g;
            self.v[k] = 0.999 * self.v[k] + (1.0 - 0.999) * g * g;
            parameters[k] -= a * self.m[k] / ((b * self.v[k]).sqrt() + 1e-8);
        }
    }
}

/// A descent, what came of each call, what was watched after each step.
type Ended = (Descent<f64>, Vec<Descended>, Vec<f64>);

/// Seven steps in calls of three, with samples of which one may be far too large, in so many clouds: one, or one for each step.
fn descend(
    device: Device,
    spoiled: bool,
    clouds: u32,
) -> Result<Ended, Box<dyn std::error::Error>> {
    let network = Network::fully_connected(
        Inputs::coordinates(2),
        vec![Set::Psg.shared_out(6, 1.0); 2],
        1,
    )?;
    let parameters: Vec<f64> = network.init(Init::new(Weights::FanIn, 5));
    let n = parameters.len();
    let of_step = |step: u32| {
        let mut cloud = Cloud::default();
        for k in 37 * step..37 * (step + 1) {
            let place = |r: f64| (r * f64::from(k)).fract();
            let [x, y] = [0.618_033_988_75, 0.324_717_957_24].map(place);
            cloud.points.extend([x, y]);
            let is_spoilt = spoiled && k == 20; // its square is no number of f64
            cloud.data.push(if is_spoilt { 1e200 } else { x * y });
        }
        cloud
    };
    let watched = Cloud {
        points: vec![0.25, 0.5, 0.75, 0.125],
        data: vec![1.0, -1.0],
        weights: Vec::new(),
    };
    let mut rule = Fixed {
        clouds: (0..clouds).map(of_step).collect(),
        watched: watched.clone(),
        seen: Vec::new(),
        m: vec![0.0; n],
        v: vec![0.0; n],
        t: 0,
    };
    let mut objective = Objective::new(network, Arc::new(Regression { outputs: 1 }));
    objective
        .terms
        .push(Term::new(Arc::new(Regression { outputs: 1 })));
    let mut engine = device.engine(objective, 1)?;
    let mut descent = Descent::new(parameters, 0);
    let mut came = Vec::new();
    while descent.step < 7 {
        let most = (7 - descent.step).min(3 - descent.step % 3);
        let this = engine.descend(&mut descent, &mut rule, most)?;
        came.push(this);
        if rule.seen.len() < usize::try_from(descent.step)? {
            // the processor watches nothing
            let mut r = [0.0; 2];
            engine.residuals(&descent.parameters, &watched.of_term(1), &mut r)?;
            rule.seen.push(r[0] * r[0] + r[1] * r[1]);
        }
        if !this.is_finite {
            break;
        }
    }
    Ok((descent, came, rule.seen))
}

/// Whole steps on the machine, recorded and repeated, against steps of the processor: rounding apart.
#[test]
fn steps_are_those_of_the_processor() -> Result<(), Box<dyn std::error::Error>> {
    let Some(device) = device(3, 227 << 10) else {
        return Ok(());
    };
    for clouds in [1, 7] {
        let (mine, looks, seen) = descend(device, false, clouds)?;
        let (other, all, expected) = descend(Device::CPU, false, clouds)?;
        assert_eq!((mine.step, looks.len(), all.len()), (7, 3, 7));
        let least = all[..3]
            .iter()
            .map(|d| d.loss)
            .fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        assert!(
            (looks[0].least / least - 1.0).abs() < 1e-12
                && (looks[2].loss / all[6].loss - 1.0).abs() < 1e-12
        );
        assert_eq!((seen.len(), expected.len()), (7, 7));
        let pairs = mine.parameters.iter().zip(&other.parameters);
        for (a, b) in pairs.chain(seen.iter().zip(&expected)) {
            assert!((a - b).abs() < 1e-11, "{a} and {b}");
        }
    }
    Ok(())
}

/// Where a loss is no number nothing moves, on either.
#[test]
fn a_step_that_is_no_number_is_not_taken() -> Result<(), Box<dyn std::error::Error>> {
    let Some(device) = device(3, 227 << 10) else {
        return Ok(());
    };
    let [(mine, looks, _), (other, _, _)] =
        [descend(device, true, 1)?, descend(Device::CPU, true, 1)?];
    assert!(!looks[0].is_finite && mine.step == 0 && looks[0].loss.is_infinite());
    assert_eq!(mine.parameters, other.parameters);
    Ok(())
}

/// Points that the machine draws in boxes, balls and rings, for training and held out, are those of the host: the mean square of a network
/// over them is the same, up to rounding.
#[test]
fn points_are_drawn_as_on_the_host() -> Result<(), Box<dyn std::error::Error>> {
    let Some(device) = device(3, 227 << 10) else {
        return Ok(());
    };
    let shapes: [Arc<dyn Shape>; 4] = [
        Arc::new(Cuboid::new(vec![[-1.0, 0.5], [2.0, 3.0], [0.0, 1e-3]])?),
        Arc::new(Ball::new(vec![0.5, -2.0], 1.5)?),
        Arc::new(Annulus::new(vec![0.0, 1.0], 0.5, 2.0)?),
        Arc::new(Ball::new(vec![0.0, 0.25, -1.0], 0.75)?),
    ];
    for shape in shapes {
        let domain = Domain::new(shape);
        let network = Network::fully_connected(
            Inputs::coordinates(domain.dimension()),
            vec![Set::Psg.shared_out(6, 1.0); 2],
            1,
        )?;
        let parameters: Vec<f64> = network.init(Init::new(Weights::FanIn, 5));
        let objective = Objective::new(network, Arc::new(Regression { outputs: 1 }));
        for draw in [
            Draw::new(Sampler::Random, 11),
            Draw::new(Sampler::Random, 11).held_out(),
        ] {
            let (map, labels) = domain.uniform(&draw).ok_or("no map")?;
            let mut rule = Steady::new(parameters.len(), 100, Cloud::default(), 0.0);
            rule.region = match map {
                Uniform::Box(bounds) => Region::Box(bounds),
                Uniform::Shell { centre, outer, q } => Region::Shell { centre, outer, q },
            };
            (rule.labels, rule.seed, rule.columns) = (labels, 11, 1);
            let mut descent = Descent::new(parameters.clone(), 6);
            let mut engine = device.engine(objective.clone(), 1)?;
            let came = engine.descend(&mut descent, &mut rule, 1)?;
            let points = domain.interior(100, &draw.round(6))?;
            let zeros = [0.0; 100];
            let batch = Batch::points(&points).with_data(&zeros);
            let mut gradient = vec![0.0; parameters.len()];
            let mut host = Device::CPU.engine(objective.clone(), 1)?;
            let expected = host.loss_and_gradient(&parameters, &batch, &mut gradient)?;
            assert!(
                (came.loss / expected - 1.0).abs() < 1e-13,
                "{:?}: {} and {expected}",
                rule.region,
                came.loss
            );
        }
    }
    Ok(())
}
