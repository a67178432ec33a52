//! The kernels of many networks compile for both targets, and their registers suffice; needs the compiler's library and no card.
//!
//! What compiled once is remembered by its text, so that a run pays for what changed.

#[path = "../../rafnet/tests/common/skipped.rs"]
mod skipped;
#[expect(dead_code, reason = "fits are for other tests")]
mod works;

use rafnet_cuda::machine::{Address, Argument, Facts, Kernel, Machine, Recorded, Shape};
use rafnet_cuda::{CudaError, FunctionUse, OnMachine, compile_report, compiler_found};
use rafnet_engine::activation::{Activation, Set, Signal};
use rafnet_engine::engine::{Batch, Device, ExprResidual, Objective, OnDevice, Regression};
use rafnet_engine::expr::{Scope, parse};
use rafnet_engine::network::{Inputs, Network};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use works::{Failure, OSCILLATION, POISSON, equation};

/// A machine that compiles, and runs nothing.
struct Compiles {
    facts: Facts,
    architecture: &'static str,
    /// Kernels with what the compiler said of them.
    said: Mutex<Vec<FunctionUse>>,
}

impl Compiles {
    fn new(architecture: &'static str) -> Arc<Self> {
        let [capability, shared] = match architecture {
            "sm_80" => [(8, 0), (163, 164)],
            _ => [(9, 0), (227, 228)],
        };
        Arc::new(Self {
            facts: Facts {
                name: architecture.to_owned(),
                capability,
                multiprocessors: 132,
                shared_of_block: shared.0 << 10,
                shared_of_multiprocessor: shared.1 << 10,
                memory: 80 << 30,
                cache: 50 << 20,
                warpgroups: false,
            },
            architecture,
            said: Mutex::default(),
        })
    }

    /// What the compiler says of a text, remembered in a file under the text's hash.
    fn report(&self, text: &str) -> Result<Vec<FunctionUse>, CudaError> {
        let whole = format!("{}\n{}\n{text}", compiler_found()?, self.architecture);
        let hash = whole.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled");
        let file = folder.join(format!("{hash:016x}"));
        if let Ok(known) = std::fs::read_to_string(&file) {
            let numbers = |line: &str| -> Option<FunctionUse> {
                let mut words = line.split(' ');
                let name = words.next()?.to_owned();
                let mut next = || words.next()?.parse::<u32>().ok();
                Some(FunctionUse {
                    name,
                    registers: Some(next()?),
                    stack: next()?,
                    spill_stores: next()?,
                    spill_loads: next()?,
                    shared: next()?,
                })
            };
            return Ok(known.lines().filter_map(numbers).collect());
        }
        let functions = compile_report(text, self.architecture)?.functions;
        let line = |f: &FunctionUse| {
            format!(
                "{} {} {} {} {} {}\n",
                f.name,
                f.registers.unwrap_or(0),
                f.stack,
                f.spill_stores,
                f.spill_loads,
                f.shared
            )
        };
        let text: String = functions.iter().map(line).collect();
        let fresh = folder.join(format!("{hash:016x}-{}", std::process::id()));
        // not remembered is no failure
        let _ = std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&fresh, text))
            .and_then(|()| std::fs::rename(&fresh, &file));
        Ok(functions)
    }
}

impl Machine for Compiles {
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn kernels(&self, text: &str, names: &[&str]) -> Result<Vec<Kernel>, CudaError> {
        let functions = self.report(text)?;
        if let Some(missing) = names
            .iter()
            .find(|name| !functions.iter().any(|f| f.name == **name))
        {
            return Err(CudaError::Compile {
                log: format!("{missing} is not there"),
            });
        }
        if let Ok(mut said) = self.said.lock() {
            said.extend(functions);
        }
        Ok(vec![Kernel(0); names.len()])
    }
    fn alloc(&self, _: usize) -> Result<Address, CudaError> {
        Ok(Address(256))
    }
    fn free(&self, _: Address) {}
    fn free_memory(&self) -> u64 {
        self.facts.memory
    }
    fn write(&self, _: Address, _: &[u8]) -> Result<(), CudaError> {
        Ok(())
    }
    fn read(&self, _: Address, into: &mut [u8]) -> Result<(), CudaError> {
        into.fill(0);
        Ok(())
    }
    fn clear(&self, _: Address, _: usize) -> Result<(), CudaError> {
        Ok(())
    }
    fn launch(&self, _: Kernel, _: Shape, _: &[Argument]) -> Result<(), CudaError> {
        Ok(())
    }
    fn record(
        &self,
        work: &mut dyn FnMut() -> Result<(), CudaError>,
    ) -> Result<Recorded, CudaError> {
        work().map(|()| Recorded(0))
    }
    fn replay(&self, _: Recorded) -> Result<(), CudaError> {
        Ok(())
    }
    fn wait(&self) -> Result<(), CudaError> {
        Ok(())
    }
    fn timed(&self, work: &mut dyn FnMut() -> Result<(), CudaError>) -> Result<f64, CudaError> {
        work().map(|()| 0.0)
    }
}

/// Compiles the gradient's sweep and the steps' kernels; answers what was said.
fn gradient<T: OnDevice>(
    architecture: &'static str,
    objective: Objective<T>,
) -> Result<Vec<FunctionUse>, Failure> {
    let machine = Compiles::new(architecture);
    let device = Device::new(Box::leak(Box::new(OnMachine::new(
        "compiles",
        Arc::clone(&machine) as Arc<dyn Machine>,
    ))));
    let n = objective.network.n_parameters() + objective.shared.len();
    let points = vec![T::ZERO; objective.network.inputs().dimension];
    let columns = objective.term(0)?.residual.data_columns();
    let data = vec![T::ZERO; columns];
    let mut engine = device.engine(objective, 1)?;
    let batch = Batch {
        data: &data,
        ..Batch::points(&points)
    };
    engine.loss_and_gradient(&vec![T::ZERO; n], &batch, &mut vec![T::ZERO; n])?;
    drop(engine);
    let said = machine.said.lock().map_err(|_| "poisoned")?;
    Ok(said.clone())
}

fn there_is_a_compiler() -> bool {
    match compiler_found() {
        Ok(_) => true,
        Err(error) => {
            skipped::skipped(&format!("kernels are not compiled: {error}"));
            false
        }
    }
}

/// A network of a list: its activation, trained or shared out, width, coordinates, whether it solves −Δu + u² = 0 in double or fits in single.
type Listed = (Set, bool, usize, usize, bool);

/// Every basis function, both precisions, one to ten coordinates, widths from 3 to 512.
const NETWORKS: [Listed; 16] = [
    (Set::Sine, false, 10, 1, true),
    (Set::SineGaussian, false, 50, 3, true),
    (Set::PolySine, true, 20, 1, true),
    (Set::Relu3, false, 50, 5, true),
    (Set::Poly, false, 20, 2, true),
    (Set::PolyRelu3, false, 12, 2, true),
    (Set::Tanh, false, 32, 2, true),
    (Set::Rational, false, 24, 2, true),
    (Set::Gaussian, true, 40, 2, true),
    (Set::ScaledSine, false, 100, 1, true),
    (Set::Psg, false, 80, 10, true),
    (Set::Relu, false, 3, 2, false),
    (Set::Rational, false, 64, 2, false),
    (Set::PolyRelu, true, 100, 1, false),
    (Set::Tanh, false, 512, 3, false),
    (Set::Psg, true, 400, 3, false),
];

fn layers(set: &Set, is_trained: bool, width: usize) -> Activation {
    if is_trained {
        set.learnable(width, Signal::Image)
    } else {
        set.shared_out(width, 0.1)
    }
}

fn compile(
    architecture: &'static str,
    (set, is_trained, width, d, solves): &Listed,
) -> Result<Vec<FunctionUse>, Failure> {
    let network = Network::fully_connected(
        Inputs::coordinates(*d),
        vec![layers(set, *is_trained, *width); 2],
        1,
    )?;
    if !solves {
        let residual = Arc::new(Regression { outputs: 1 });
        return gradient::<f32>(architecture, Objective::new(network, residual));
    }
    let names: Vec<String> = (1..=*d).map(|k| format!("x{k}")).collect();
    let scope = Scope::new(names).unknowns(["u"]);
    let residual = ExprResidual::new(&[parse("-laplacian(u) + u^2", &scope)?], *d, 1, 0);
    gradient::<f64>(architecture, Objective::new(network, Arc::new(residual)))
}

/// Compiles every so many of the list; the newer cards' instructions for all, the older ones' for every fourth.
fn compile_every(step: usize) -> Result<(), Failure> {
    if !there_is_a_compiler() {
        return Ok(());
    }
    for (k, listed) in NETWORKS.iter().enumerate().step_by(step) {
        for architecture in ["sm_90a", "sm_80"]
            .into_iter()
            .take(1 + usize::from(k % 4 == 0))
        {
            compile(architecture, listed)
                .map_err(|e| format!("{listed:?} for {architecture}: {e}"))?;
        }
    }
    Ok(())
}

#[test]
fn every_fifth_network_compiles() -> Result<(), Failure> {
    compile_every(5)
}

#[test]
#[ignore = "takes a minute; .ci/long runs it"]
fn sixteen_networks_compile() -> Result<(), Failure> {
    compile_every(1)
}

/// What may be read back of it: oscillation's sweep reads 272 bytes on sm_90a, with its products written out, and is 5 % faster for it.
const SPILLED: u32 = 288;

/// Of the equations that speed is measured on, hardly a number is written to slow memory for want of registers.
#[test]
fn registers_of_the_works_suffice() -> Result<(), Failure> {
    if !there_is_a_compiler() {
        return Ok(());
    }
    let mut all = Vec::new();
    for architecture in ["sm_90a", "sm_80"] {
        for (name, width, text) in [("poisson", 50, POISSON), ("oscillation", 100, OSCILLATION)] {
            all.push((
                format!("{name} {architecture}"),
                gradient(architecture, equation(width, text)?.0)?,
            ));
        }
    }
    for (name, said) in all {
        for function in said {
            assert!(function.spill_loads <= SPILLED, "{name}: {function:?}");
        }
    }
    Ok(())
}
