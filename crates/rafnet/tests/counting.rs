//! A device that this library does not know: it computes as `reference` does and counts the bytes that go there and come back.
//!
//! It enters as any other crate's would, by a value; nothing in `solve`, `fit` or the command names it.

use rafnet::Problem;
use rafnet::activation::Set;
use rafnet::engine::conformance::{Conformance, Selection, frozen};
use rafnet::engine::ridges::{Axes, Layer, Places, Take};
use rafnet::engine::{
    Batch, Computes, Couple, Device, Devices, Engine, EngineError, Objective, Streams,
};
use rafnet::simd::Real;
use rafnet::solve::{Method, Options};
use std::mem::size_of_val;
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

/// Steps of Adam: today every one sends the parameters and its points, and takes the gradient back.
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
    let bits = solved("poisson-smooth", on, training(10));
    let first = counting.bytes();
    assert_eq!(
        bits,
        solved("poisson-smooth", Device::REFERENCE, training(10))
    );
    solved("poisson-smooth", on, training(110));
    let second = counting.bytes();
    let each = [0, 1].map(|k| (second[k] - 2 * first[k]) / 100);
    // by step: the parameters and the points there, the gradient back; the rest are looks at held-out points
    let parameters = size_of_val(&bits[..]);
    let points = 20 * 2 * size_of::<f64>();
    assert!(each[0] >= parameters + points && each[1] >= parameters);
    assert!(each[0] <= 2_509 && each[1] <= 1_336, "{each:?}");
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
