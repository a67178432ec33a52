//! Fits with wide layers on a real card: gradients against the processor in double, the same bits, and how long a step takes. Run where there
//! is one: `cargo test -p rafnet-cuda --release --test wide_on_card -- --ignored --test-threads=1 --nocapture`;
//! `RAFNET_PART=2/8` takes the second of eight parts of the fits whose gradients are compared.

#![expect(clippy::print_stdout, reason = "what was measured")]

mod fits;
mod steady;

use fits::{Failure, Fit, trained};
use rafnet_cuda::machine::{Address, Argument, Facts, Kernel, Machine, Recorded, Shape};
use rafnet_cuda::{Card, CudaError, OnMachine};
use rafnet_engine::activation::{Set, Signal};
use rafnet_engine::engine::{Batch, Descent, Device};
use rafnet_engine::network::Inputs;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A card that times its kernels one by one, or that has no products of warpgroups.
struct Watched {
    card: Arc<Card>,
    facts: Facts,
    names: Mutex<Vec<(Kernel, String)>>,
    /// Milliseconds and launches of each kernel, where they are wanted.
    times: Option<Mutex<BTreeMap<String, (f64, u32)>>>,
}

impl Watched {
    fn new(warpgroups: bool, timing: bool) -> Result<Arc<Self>, Failure> {
        let card = Card::open(0)?;
        let facts = Facts {
            warpgroups,
            ..card.facts().clone()
        };
        Ok(Arc::new(Self {
            card,
            facts,
            names: Mutex::default(),
            times: timing.then(Mutex::default),
        }))
    }

    fn device(self: &Arc<Self>) -> Device {
        Device::new(Box::leak(Box::new(OnMachine::new(
            "card",
            Arc::clone(self) as Arc<dyn Machine>,
        ))))
    }
}

impl Machine for Watched {
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn kernels(&self, text: &str, names: &[&str]) -> Result<Vec<Kernel>, CudaError> {
        let kernels = self.card.kernels(text, names)?;
        let named = kernels
            .iter()
            .copied()
            .zip(names.iter().map(|n| (*n).to_owned()));
        self.names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(named);
        Ok(kernels)
    }
    fn alloc(&self, bytes: usize) -> Result<Address, CudaError> {
        self.card.alloc(bytes)
    }
    fn free(&self, at: Address) {
        self.card.free(at);
    }
    fn free_memory(&self) -> u64 {
        self.card.free_memory()
    }
    fn write(&self, to: Address, bytes: &[u8]) -> Result<(), CudaError> {
        self.card.write(to, bytes)
    }
    fn read(&self, from: Address, into: &mut [u8]) -> Result<(), CudaError> {
        self.card.read(from, into)
    }
    fn clear(&self, at: Address, bytes: usize) -> Result<(), CudaError> {
        self.card.clear(at, bytes)
    }
    fn launch(
        &self,
        kernel: Kernel,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<(), CudaError> {
        let Some(times) = &self.times else {
            return self.card.launch(kernel, shape, arguments);
        };
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let name = names
            .iter()
            .find(|(k, _)| *k == kernel)
            .map_or(String::new(), |(_, n)| n.clone());
        let took = self
            .card
            .timed(&mut || self.card.launch(kernel, shape, arguments))?;
        let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = times.entry(name).or_default();
        *entry = (entry.0 + took, entry.1 + 1);
        Ok(())
    }
    fn record(
        &self,
        work: &mut dyn FnMut() -> Result<(), CudaError>,
    ) -> Result<Recorded, CudaError> {
        self.card.record(work)
    }
    fn replay(&self, recorded: Recorded) -> Result<(), CudaError> {
        self.card.replay(recorded)
    }
    fn wait(&self) -> Result<(), CudaError> {
        self.card.wait()
    }
    fn timed(&self, work: &mut dyn FnMut() -> Result<(), CudaError>) -> Result<f64, CudaError> {
        self.card.timed(work)
    }
}

fn fits() -> Result<Vec<Fit>, Failure> {
    let (plane, space) = (Inputs::coordinates(2), Inputs::coordinates(3));
    let psg = |width| Set::Psg.learnable(width, Signal::Image);
    let siren = |width| Set::Siren.learnable(width, Signal::Image);
    let mut all = vec![
        Fit::new("psg", plane, psg(256), 4, 1, 4096)?,
        Fit::new("psg", plane, psg(256), 4, 3, 777)?,
        Fit::new("siren", plane, siren(256), 4, 1, 5001)?,
        Fit::new("psg", plane, psg(136), 2, 1, 1000)?,
        Fit::new("siren", plane, siren(136), 3, 3, 70_001)?,
        Fit::new("psg", plane, psg(133), 3, 2, 300)?,
        Fit::new("siren", space, siren(400), 6, 3, 3001)?,
        Fit::new(
            "psg",
            space,
            Set::Psg.learnable(400, Signal::Video),
            6,
            3,
            1500,
        )?,
        Fit::new("psg", plane, psg(400), 2, 1, 1111)?,
        Fit::new("siren", plane, siren(512), 3, 4, 600)?,
        Fit::new("psg", plane, psg(512), 4, 1, 600)?,
        Fit::new(
            "tanh",
            Inputs::coordinates(5),
            Set::Tanh.learnable(300, Signal::Image),
            3,
            1,
            2000,
        )?,
        Fit::new(
            "psg in groups",
            plane,
            Set::Psg.shared_out(200, 0.1),
            3,
            1,
            500,
        )?,
        Fit::new(
            "siren of periodic inputs",
            Inputs::periodic(2, 4),
            siren(192),
            2,
            1,
            500,
        )?,
    ];
    // scales that the first guess does not suit
    let mut large = Fit::new("siren, data times 1e5", plane, siren(256), 3, 1, 900)?;
    large.data.iter_mut().for_each(|v| *v *= 1e5);
    let mut small = Fit::new("siren, outputs times 1e-7", plane, siren(256), 3, 1, 900)?;
    small.data.iter_mut().for_each(|v| *v *= 1e-7);
    let at = small.network.layout().layers[3].weight;
    small.parameters[at..].iter_mut().for_each(|v| *v *= 1e-7);
    all.extend([large, small]);
    Ok(all)
}

#[test]
#[ignore = "needs a card"]
fn gradients_agree_with_the_processor() -> Result<(), Failure> {
    let (wide, general) = (
        Watched::new(true, false)?.device(),
        Watched::new(false, false)?.device(),
    );
    let mut wrong = Vec::new();
    let given = std::env::var("RAFNET_PART").unwrap_or_default();
    let parts = given
        .split_once('/')
        .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (this, of): (usize, usize) = parts.unwrap_or((1, 1));
    for fit in fits()?.into_iter().skip(this - 1).step_by(of) {
        let (loss, reference) = fit.gradient::<f64>(Device::CPU)?;
        println!("{}: loss {loss:.6e}", fit.name);
        for (name, device) in [("wide", wide), ("general", general)] {
            // the general way is there to compare with, once for each activation
            if name == "general" && !fit.name.contains("256 x 4, 1 out") {
                continue;
            }
            let (own, gradient) = fit.gradient::<f32>(device)?;
            let apart = fit.apart(&gradient, &reference);
            let line: Vec<String> = apart
                .iter()
                .map(|(kind, e)| format!("{kind} {e:.1e}"))
                .collect();
            println!(
                "  {name}: loss {:.1e} apart; {}",
                (own / loss - 1.0).abs(),
                line.join(", ")
            );
            let worst = apart
                .values()
                .fold(0.0, |m: f64, e| if *e <= m { m } else { *e });
            if name == "wide" && !(worst < 2e-3 && (own / loss - 1.0).abs() < 1e-4) {
                wrong.push(fit.name.clone());
            }
        }
        let again = [fit.gradient::<f32>(wide)?, fit.gradient::<f32>(wide)?];
        let same = again[0].0.to_bits() == again[1].0.to_bits()
            && again[0]
                .1
                .iter()
                .zip(&again[1].1)
                .all(|(a, b)| a.to_bits() == b.to_bits());
        println!("  twice the same bits: {same}");
        if !same {
            wrong.push(format!("{}: not the same bits", fit.name));
        }
    }
    println!("wrong: {wrong:?}");
    assert!(wrong.is_empty(), "{wrong:?}");
    Ok(())
}

#[test]
#[ignore = "needs a card"]
fn steps_go_down_as_the_general_ones() -> Result<(), Failure> {
    let (wide, general) = (
        Watched::new(true, false)?.device(),
        Watched::new(false, false)?.device(),
    );
    let plane = Inputs::coordinates(2);
    let siren = || Set::Siren.learnable(256, Signal::Image);
    let mut large = Fit::new("siren, data times 1e5", plane, siren(), 3, 1, 4000)?;
    large.data.iter_mut().for_each(|v| *v *= 1e5);
    let psg = Fit::new(
        "psg",
        plane,
        Set::Psg.learnable(256, Signal::Image),
        4,
        1,
        8192,
    )?;
    for fit in [psg, Fit::new("siren", plane, siren(), 4, 1, 8192)?, large] {
        let [a, b, c] = [
            trained(&fit, wide, 3, 50)?,
            trained(&fit, wide, 3, 50)?,
            trained(&fit, general, 3, 50)?,
        ];
        let same =
            a.1.iter()
                .zip(&b.1)
                .all(|(x, y)| x.to_bits() == y.to_bits());
        println!(
            "{}: 150 steps, loss {:.5e} wide, {:.5e} general; twice the same bits: {same}",
            fit.name, a.0, c.0
        );
        assert!(same, "{}", fit.name);
        assert!(
            (a.0 / c.0 - 1.0).abs() < 0.05,
            "{}: {} and {}",
            fit.name,
            a.0,
            c.0
        );
    }
    Ok(())
}

/// How long a step takes, by the clock on the wall: the difference of a long and a short descent.
fn timed(fit: &Fit, device: Device, few: u64, many: u64) -> Result<f64, Failure> {
    let mut engine = device.engine(fit.objective::<f32>(), 1)?;
    let mut rule = fit.steady(1e-5);
    let mut descent = Descent::new(fit.parameters.clone(), 0);
    engine.descend(&mut descent, &mut rule, few)?;
    let mut all = Vec::new();
    for _ in 0..3 {
        let mut took = [0.0; 2];
        for (steps, took) in [few, few + many].into_iter().zip(&mut took) {
            let begun = Instant::now();
            let came = engine.descend(&mut descent, &mut rule, steps)?;
            assert!(came.is_finite, "{}: not finite", fit.name);
            *took = begun.elapsed().as_secs_f64();
        }
        all.push((took[1] - took[0]) / many as f64);
    }
    all.sort_by(f64::total_cmp);
    Ok(1e3 * all[1])
}

#[test]
#[ignore = "needs a card"]
fn steps_are_timed() -> Result<(), Failure> {
    let (plane, space) = (Inputs::coordinates(2), Inputs::coordinates(3));
    let fits = [
        (
            Fit::new(
                "image: psg",
                plane,
                Set::Psg.learnable(256, Signal::Image),
                4,
                1,
                65_536,
            )?,
            5,
            300,
        ),
        (
            Fit::new(
                "siren",
                plane,
                Set::Siren.learnable(256, Signal::Image),
                4,
                1,
                65_536,
            )?,
            5,
            300,
        ),
        (
            Fit::new(
                "psg",
                plane,
                Set::Psg.learnable(256, Signal::Image),
                4,
                3,
                65_536,
            )?,
            5,
            100,
        ),
        (
            Fit::new(
                "video: psg",
                space,
                Set::Psg.learnable(400, Signal::Video),
                6,
                3,
                1_000_000,
            )?,
            2,
            10,
        ),
        (
            Fit::new(
                "video: siren",
                space,
                Set::Siren.learnable(400, Signal::Video),
                6,
                3,
                1_000_000,
            )?,
            2,
            10,
        ),
        (
            Fit::new(
                "siren",
                plane,
                Set::Siren.learnable(136, Signal::Image),
                3,
                3,
                65_536,
            )?,
            5,
            100,
        ),
        (
            Fit::new(
                "psg",
                plane,
                Set::Psg.learnable(512, Signal::Image),
                4,
                1,
                65_536,
            )?,
            5,
            50,
        ),
    ];
    for (fit, few, many) in fits {
        let step = timed(&fit, Watched::new(true, false)?.device(), few, many)?;
        let layers = (fit.network.layers().len() - 2) as f64;
        let width = fit.network.layers()[0].width as f64;
        let n = fit.points.len() / fit.network.inputs().dimension;
        let operations = 18.0 * layers * width * width * n as f64;
        println!(
            "{}: a step in {step:.4} ms, {:.0} TFLOP/s of the tensor cores",
            fit.name,
            operations / step / 1e9
        );
        // its kernels one by one
        let watched = Watched::new(true, true)?;
        fit.gradient::<f32>(watched.device())?;
        if let Some(times) = &watched.times {
            times.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        let mut engine = watched.device().engine(fit.objective::<f32>(), 1)?;
        let mut gradient = vec![0.0; fit.parameters.len()];
        let batch = Batch::points(&fit.points).with_data(&fit.data);
        for _ in 0..5 {
            engine.loss_and_gradient(&fit.parameters, &batch, &mut gradient)?;
        }
        if let Some(times) = &watched.times {
            for (name, (took, launches)) in
                times.lock().unwrap_or_else(PoisonError::into_inner).iter()
            {
                println!(
                    "  {name}: {:.1} us a launch, {launches} launches of 5 gradients",
                    1e3 * took / f64::from(*launches)
                );
            }
        }
    }
    Ok(())
}
