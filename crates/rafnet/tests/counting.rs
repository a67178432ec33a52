//! A device that this library does not know: it computes as `reference` does and counts the bytes that go there and come back.
//!
//! It enters as any other crate's would, by a value; nothing in `solve`, `fit` or the command names it.

use rafnet::Problem;
use rafnet::activation::Set;
use rafnet::engine::conformance::{Conformance, Selection, frozen};
use rafnet::engine::ridges::{Axes, Layer, Places, Take};
use rafnet::engine::{
    Batch, Cloud, Computes, Couple, Descended, Descent, Device, Devices, Engine, EngineError,
    Objective, Regression, Rule, Streams,
};
use rafnet::network::{Init, Inputs, Network, Weights};
use rafnet::optimise::Adam;
use rafnet::simd::Real;
use rafnet::solve::{Method, Options};
use std::mem::size_of_val;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes there and back, and how many engines were made.
#[derive(Default)]
struct Counted {
    up: AtomicUsize,
    down: AtomicUsize,
    engines: AtomicUsize,
}

impl Counted {
    fn up<T>(&self, values: &[T]) {
        self.up.fetch_add(size_of_val(values), Relaxed);
    }

    fn down<T>(&self, values: &[T]) {
        self.down.fetch_add(size_of_val(values), Relaxed);
    }

    fn sent<T>(&self, parameters: &[T], batch: &Batch<'_, T>) {
        self.up(parameters);
        self.up(batch.points);
        self.up(batch.data);
        self.up(batch.weights);
    }
}

struct Counting {
    name: &'static str,
    counted: Counted,
}

impl Counting {
    /// A device of one test, so that tests side by side do not count each other's bytes.
    fn new(name: &'static str) -> &'static Self {
        let counted = Counted::default();
        Box::leak(Box::new(Self { name, counted }))
    }

    fn bytes(&self) -> [usize; 2] {
        [&self.counted.up, &self.counted.down].map(|n| n.load(Relaxed))
    }
}

impl Computes for &'static Counting {
    fn name(&self) -> &str {
        self.name
    }

    fn engine32(
        &self,
        objective: Objective<f32>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f32>>, EngineError> {
        self.counted.engines.fetch_add(1, Relaxed);
        let engine = Device::REFERENCE.engine(objective, threads)?;
        let counted = &self.counted;
        Ok(Box::new(Wrapped { engine, counted }))
    }

    fn engine64(
        &self,
        objective: Objective<f64>,
        threads: usize,
    ) -> Result<Box<dyn Engine<f64>>, EngineError> {
        self.counted.engines.fetch_add(1, Relaxed);
        let engine = Device::REFERENCE.engine(objective, threads)?;
        let counted = &self.counted;
        Ok(Box::new(Wrapped { engine, counted }))
    }

    fn ridges(
        &self,
        layer: &Layer,
        places: &Places<'_>,
        wanted: &[Axes],
        take: &mut Take<'_>,
    ) -> Result<(), EngineError> {
        self.counted.up(&layer.weights);
        self.counted.up(&layer.biases);
        places.coordinates.iter().for_each(|x| self.counted.up(x));
        places
            .inputs
            .iter()
            .flatten()
            .for_each(|x| self.counted.up(x));
        Device::REFERENCE.ridges(layer, places, wanted, &mut |j, columns| {
            columns.iter().for_each(|column| self.counted.down(column));
            take(j, columns)
        })
    }
}

struct Wrapped<T> {
    engine: Box<dyn Engine<T>>,
    counted: &'static Counted,
}

impl<T: Real> Engine<T> for Wrapped<T> {
    fn objective(&self) -> &Objective<T> {
        self.engine.objective()
    }

    fn evaluate(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        out: &mut [T],
    ) -> Result<(), EngineError> {
        self.counted.sent(parameters, &Batch::points(points));
        self.counted.down(out);
        self.engine.evaluate(parameters, points, streams, out)
    }

    fn loss_and_gradient(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        gradient: &mut [T],
    ) -> Result<f64, EngineError> {
        self.counted.sent(parameters, batch);
        self.counted.down(gradient);
        self.engine.loss_and_gradient(parameters, batch, gradient)
    }

    fn residuals(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
    ) -> Result<(), EngineError> {
        self.counted.sent(parameters, batch);
        self.counted.down(residual);
        self.engine.residuals(parameters, batch, residual)
    }

    fn residuals_and_jacobian(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
        jacobian: &mut [T],
    ) -> Result<(), EngineError> {
        self.counted.sent(parameters, batch);
        self.counted.down(residual);
        self.counted.down(jacobian);
        let engine = &mut self.engine;
        engine.residuals_and_jacobian(parameters, batch, residual, jacobian)
    }

    /// All of the steps without a word to the host: the loss comes back.
    fn descend(
        &mut self,
        descent: &mut Descent<T>,
        rule: &mut dyn Rule<T>,
        most: u64,
    ) -> Result<Descended, EngineError> {
        let last = descent.step + most;
        loop {
            let came = self.engine.descend(descent, rule, last - descent.step)?;
            if descent.step == last || !came.is_finite {
                self.counted.down(&[came.loss]);
                return Ok(came);
            }
        }
    }

    fn fetch(&mut self, descent: &mut Descent<T>) -> Result<(), EngineError> {
        self.counted.down(&descent.parameters);
        self.engine.fetch(descent)
    }

    fn pullback(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        cotangents: &[T],
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        self.counted.sent(parameters, &Batch::points(points));
        self.counted.up(cotangents);
        self.counted.down(gradient);
        let engine = &mut self.engine;
        engine.pullback(parameters, points, streams, cotangents, gradient)
    }

    fn coupled(
        &mut self,
        parameters: &[T],
        (points, group): (&[T], usize),
        streams: &Streams,
        couple: &Couple<'_, T>,
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        self.counted.sent(parameters, &Batch::points(points));
        self.counted.down(gradient);
        let engine = &mut self.engine;
        engine.coupled(parameters, (points, group), streams, couple, gradient)
    }
}

fn device(counting: &'static Counting) -> Device {
    Device::new(Box::leak(Box::new(counting)))
}

/// Solves a built-in problem on a device; the bits of its model.
fn solved(name: &str, device: Device, options: Options) -> Vec<u64> {
    let options = Options {
        device,
        threads: 1,
        ..options
    };
    let problem = Problem::builtin(name).expect("a built-in problem");
    let solved = problem.solve(&options, |progress| progress.go_on());
    let model = solved.expect("an answer").model;
    model
        .parts()
        .parameters
        .iter()
        .map(|v| v.to_bits())
        .collect()
}

#[test]
fn it_conforms() {
    let counting = Counting::new("counting");
    let selection = Selection {
        dimensions: vec![1, 2],
        sizes: vec![0, 1, 7],
        seed: 5,
        ..Selection::full()
    };
    let device = device(counting);
    let double = f64::conform(&selection, &mut |objective| device.engine(objective, 1));
    let single = f32::conform(&selection, &mut |objective| device.engine(objective, 1));
    let layers = frozen(device, 3);
    for report in [double, single, layers] {
        let report = report.unwrap_or_else(|difference| panic!("{difference}"));
        assert!(report.comparisons > 1_000, "{report:?}");
    }
    assert!(counting.bytes().iter().all(|n| *n > 0));
}

#[test]
fn it_is_named_beside_the_others() {
    let device = device(Counting::new("counting"));
    let devices = Devices::default().with(device);
    assert_eq!(devices.named("counting"), Ok(device));
    let mut options = Options {
        devices,
        ..Options::default()
    };
    options.set("device", "counting").expect("a known device");
    assert_eq!(options.device, device);
    let refused = options.set("device", "counted").expect_err("no device");
    let said = refused.to_string();
    assert!(
        said.ends_with("expected cpu, reference or counting"),
        "{said}"
    );
}

/// Steps of Adam: nothing goes there and one number comes back, whatever their number.
#[test]
fn bytes_of_steps() {
    struct Square(Adam<f64>, [Cloud<f64>; 1]);
    impl Rule<f64> for Square {
        fn draw(&mut self, step: u64) -> Result<(&[Cloud<f64>], &[f64]), EngineError> {
            let place = |k: u64| ((step * 7 + k) as f64 * 0.618).fract();
            self.1[0].points = (0..5).map(place).collect();
            self.1[0].data = self.1[0].points.iter().map(|x| x * x).collect();
            Ok((&self.1, &[1.0]))
        }
        fn update(&mut self, _: u64, parameters: &mut [f64], gradient: &mut [f64]) {
            self.0.step(1e-2, parameters, gradient);
        }
    }
    let counting = Counting::new("counting");
    let activation = Set::Tanh.shared_out(8, 0.1);
    let network = Network::fully_connected(Inputs::coordinates(1), vec![activation], 1);
    let network = network.expect("a network");
    let start: Vec<f64> = network.init(Init::new(Weights::FanIn, 1));
    let objective = Objective::new(network, Arc::new(Regression { outputs: 1 }));
    let trained = |device: Device, steps_a_call: u64| {
        let mut engine = device.engine(objective.clone(), 1).expect("an engine");
        let mut descent = Descent::new(start.clone(), 0);
        let mut rule = Square(Adam::new(start.len()), [Cloud::default()]);
        let mut losses = Vec::new();
        while descent.step < 100 {
            let came = engine.descend(&mut descent, &mut rule, steps_a_call);
            losses.push(came.expect("steps").loss);
        }
        (engine, descent, losses)
    };
    let (mut engine, mut descent, losses) = trained(device(counting), 100);
    assert_eq!((counting.bytes(), losses.len()), ([0, 8], 1));
    engine.fetch(&mut descent).expect("parameters");
    assert_eq!(counting.bytes(), [0, 8 + 8 * start.len()]);
    let (_, on_the_host, losses) = trained(Device::CPU, 100);
    assert_eq!(losses.len(), 100); // a host is heard between two steps
    assert!(losses[99] < 0.1 * losses[0]);
    let pairs = descent.parameters.iter().zip(&on_the_host.parameters);
    pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
}

/// A whole training: between two looks at held-out points nothing but the loss moves.
#[test]
fn bytes_of_training() {
    let counting = Counting::new("counting");
    let training = |steps| Options {
        method: Method::Adam,
        activation: vec![Set::Tanh],
        width: Some(6),
        depth: Some(2),
        points: Some(20),
        steps: Some(steps),
        ..Options::default()
    };
    let on = device(counting);
    assert_eq!(
        solved("poisson-smooth", on, training(10)),
        solved("poisson-smooth", Device::REFERENCE, training(10))
    );
    // the first looks follow each other soon, and after them the next is at step 1000
    let before = counting.bytes();
    solved("poisson-smooth", on, training(510));
    let first = counting.bytes();
    solved("poisson-smooth", on, training(610));
    let second = counting.bytes();
    let each = [0, 1].map(|k| (second[k] + before[k] - 2 * first[k]) / 100);
    // looks: held-out points and the parameters there, values and the parameters back
    assert!(each[0] <= 1_653 && each[1] <= 854, "{each:?}");
}

/// Frozen layers: every column comes back; the same answer as that of `reference`.
#[test]
fn bytes_of_frozen_layers() {
    let counting = Counting::new("counting");
    let lsq = || Options {
        method: Method::Lsq,
        width: Some(24),
        ..Options::default()
    };
    let bits = solved("logistic", device(counting), lsq());
    assert_eq!(bits, solved("logistic", Device::REFERENCE, lsq()));
    let [up, down] = counting.bytes();
    assert!(up > 0 && down > up, "{up} {down}");
}
