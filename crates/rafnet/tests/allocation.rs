//! A training step allocates nothing once the engine is warm: a counting allocator under loss, gradient and Adam.
//!
//! One test in this file: the count is the whole process's, so nothing else may run beside it.
#![allow(unsafe_code, reason = "a global allocator is an unsafe trait")]

mod common;

use common::{Equation, Pde};
use rafnet::activation::{Set, Signal};
use rafnet::engine::{Ansatz, Batch, Device, Field, Objective, OnDevice, Regression};
use rafnet::network::{Init, Inputs, Network, Weights};
use rafnet::optimise::Adam;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(old, layout, size) }
    }
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of three warm steps: the fewest of three looks, since the counter also hears the test harness's own thread.
fn warm_steps<T: OnDevice>(objective: Objective<T>, data_columns: usize, threads: usize) -> usize {
    let n = 1000;
    let d = objective.network.inputs().dimension;
    let point = |k: usize| T::from_f64((k as f64 * 0.618).fract() * 0.8 + 0.1);
    let points: Vec<T> = (0..n * d).map(point).collect();
    let data: Vec<T> = (0..n * data_columns).map(point).collect();
    let batch = Batch::points(&points).with_data(&data);
    let mut theta: Vec<T> = objective.network.init(Init::new(Weights::Siren, 1));
    let mut gradient = vec![T::ZERO; theta.len()];
    let mut adam = Adam::new(theta.len());
    let mut engine = Device::CPU.engine(objective, threads).expect("an engine");
    let mut step = || {
        let loss = engine
            .loss_and_gradient(&theta, &batch, &mut gradient)
            .expect("a step");
        assert!(loss.is_finite());
        adam.step(1e-4, &mut theta, &gradient);
    };
    step();
    step();
    let mut look = || {
        let before = ALLOCATIONS.load(Ordering::SeqCst);
        step();
        step();
        step();
        ALLOCATIONS.load(Ordering::SeqCst) - before
    };
    look().min(look()).min(look())
}

#[test]
fn a_warm_step_allocates_nothing() {
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    drop(vec![1u8; 4096]);
    assert!(
        ALLOCATIONS.load(Ordering::SeqCst) > before,
        "the counter counts"
    );
    let network = |set: Set, learnable: bool| {
        let layer = || {
            if learnable {
                set.learnable(40, Signal::Image)
            } else {
                set.shared_out(40, 0.1)
            }
        };
        Network::fully_connected(Inputs::coordinates(2), vec![layer(), layer()], 2)
            .expect("a network")
    };
    for threads in [1, 2] {
        let regression = Arc::new(Regression { outputs: 2 });
        let plain = Objective::<f32>::new(network(Set::Siren, false), regression.clone());
        assert_eq!(warm_steps(plain, 2, threads), 0, "plain, {threads} threads");
        let learnable = Objective::<f32>::new(network(Set::Psg, true), regression);
        assert_eq!(
            warm_steps(learnable, 2, threads),
            0,
            "learnable, {threads} threads"
        );
        let resnet = Network::resnet(Inputs::coordinates(2), &Set::Psg.shared_out(50, 0.1), 1)
            .expect("a network");
        let pde = Pde {
            equation: Equation::Poisson,
            with_source: true,
        };
        let factor: Arc<dyn Field<f64>> = Arc::new(BoxFactor);
        let ansatz = Ansatz {
            factor: Some(factor),
            lift: None,
        };
        let poisson = Objective::new(resnet, Arc::new(pde)).with_ansatz(vec![ansatz]);
        assert_eq!(warm_steps(poisson, 0, threads), 0, "PDE, {threads} threads");
    }
}

/// x₁(1−x₁) x₂(1−x₂) without the lists that `common::Known` makes for each point.
struct BoxFactor;

impl Field<f64> for BoxFactor {
    fn streams(
        &self,
        points: &rafnet::engine::Points<'_, f64>,
        carried: &rafnet::engine::Carried,
        out: &mut [f64],
    ) {
        let n = points.len();
        assert_eq!(
            carried.len(),
            4,
            "value, two first derivatives, the Laplacian"
        );
        for i in 0..n {
            let [x, y] = [points.coordinate(0)[i], points.coordinate(1)[i]];
            let (p, q) = (x * (1.0 - x), y * (1.0 - y));
            out[i] = p * q;
            out[n + i] = (1.0 - 2.0 * x) * q;
            out[2 * n + i] = (1.0 - 2.0 * y) * p;
            out[3 * n + i] = -2.0 * (p + q);
        }
    }
}
