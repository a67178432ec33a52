//! The engine on a real card: conformance, and how long a step takes. Run where there is one:
//! `cargo test -p rafnet-cuda --release --test on_card -- --ignored --test-threads=1 --nocapture`;
//! `RAFNET_PART=2/8` takes the second of eight parts of the conformance walk, so that several processes share it.

#![expect(clippy::print_stdout, reason = "what was measured")]

use rafnet_engine::activation::Set;
use rafnet_engine::engine::conformance::{Conformance, Selection};
use rafnet_engine::engine::{Batch, Cloud, Descent, Device, Objective, OnDevice};
use std::time::Instant;

mod steady;
mod works;

use steady::Steady;
use works::{Failure, OSCILLATION, POISSON, equation, picture};

fn card() -> Device {
    rafnet_cuda::devices()[0]
}

/// Which part of how many.
fn part() -> (usize, usize) {
    let given = std::env::var("RAFNET_PART").unwrap_or_default();
    let parts = given.split_once('/');
    let parts = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.unwrap_or((1, 1))
}

fn walk<T: Conformance>() -> Result<(), String> {
    let (this, of) = part();
    let begun = Instant::now();
    let all = Selection {
        sizes: vec![0, 1, 33, 129, 257],
        ..Selection::full()
    };
    let (mut comparisons, mut worst) = (0, 0.0f64);
    for (k, &basis) in all.bases.iter().enumerate() {
        if k % of + 1 != this {
            continue;
        }
        let some = Selection {
            bases: vec![basis; 1],
            seed: all.seed + 97 * k as u64,
            dimensions: match k % 4 {
                0 => vec![1, 2, 3, 10],
                1 => vec![2, 3, 10, 1],
                2 => vec![3, 10, 1, 2],
                _ => vec![10, 1, 2, 3],
            },
            ..all.clone()
        };
        let report = T::conform(&some, &mut |objective| card().engine::<T>(objective, 1))?;
        comparisons += report.comparisons;
        worst = worst.max(report.worst);
    }
    println!(
        "conformance {} part {this} of {of}: {comparisons} numbers, the largest error {worst:.2} of its bound, {:.1} s",
        T::NAME,
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

#[test]
#[ignore = "needs a card"]
fn conforms() -> Result<(), String> {
    walk::<f64>()?;
    walk::<f32>()
}

#[test]
#[ignore = "needs a card"]
fn conforms_wide() -> Result<(), String> {
    for (dimension, width) in [(2, 100), (3, 256), (2, 300), (20, 64)] {
        let wide = Selection::wide(dimension, width);
        f64::conform(&wide, &mut |objective| card().engine::<f64>(objective, 1))?;
        f32::conform(&wide, &mut |objective| card().engine::<f32>(objective, 1))?;
    }
    Ok(())
}

/// Whether `RAFNET_WORK` names this work, or none.
fn is_asked(name: &str) -> bool {
    std::env::var("RAFNET_WORK").map_or(true, |asked| asked == name)
}

fn timed<T: OnDevice>(
    name: &str,
    objective: Objective<T>,
    parameters: &[T],
    rule: &dyn Fn() -> Steady<T>,
    steps: u64,
) -> Result<(), Failure> {
    // checkers of memory and of races are a thousand times slower
    let few = std::env::var("RAFNET_STEPS")
        .ok()
        .and_then(|n| n.parse::<u64>().ok());
    let steps = few.map_or(steps, |few| 10 * few);
    let begun = Instant::now();
    let mut engine = card().engine(objective, 1)?;
    let mut ends = Vec::new();
    let mut best = f64::INFINITY;
    let mut all = Vec::new();
    for run in 0..2 {
        let mut descent = Descent::new(parameters.to_vec(), 0);
        let mut rule = rule();
        engine.descend(&mut descent, &mut rule, few.unwrap_or(20))?;
        if run == 0 {
            println!("{name}: ready after {:.2} s", begun.elapsed().as_secs_f64());
        }
        for _ in 0..10 {
            let begun = Instant::now();
            let came = engine.descend(&mut descent, &mut rule, steps / 10)?;
            assert!(came.is_finite, "{name}: not finite");
            let each = begun.elapsed().as_secs_f64() / (steps / 10) as f64;
            best = best.min(each);
            all.push(each);
        }
        ends.push(descent.parameters);
    }
    all.sort_by(f64::total_cmp);
    let same = ends[0]
        .iter()
        .zip(&ends[1])
        .all(|(a, b)| a.to_f64().to_bits() == b.to_f64().to_bits());
    println!(
        "{name}: a step in {:.4} ms (best {:.4}), wall clock, {steps} steps; twice the same bits: {same}",
        1e3 * all[all.len() / 2],
        1e3 * best
    );
    assert!(same);
    Ok(())
}

#[test]
#[ignore = "needs a card"]
fn steps_in_double() -> Result<(), Failure> {
    for (name, width, text) in [("poisson", 50, POISSON), ("oscillation", 100, OSCILLATION)] {
        if !is_asked(name) {
            continue;
        }
        let (objective, parameters) = equation(width, text)?;
        let n = parameters.len();
        let rule = || Steady::new(n, 10_000, Cloud::default(), 1e-3);
        timed(name, objective, &parameters, &rule, 1000)?;
    }
    Ok(())
}

#[test]
#[ignore = "needs a card"]
fn steps_in_single() -> Result<(), Failure> {
    for (name, set) in [("siren", Set::Siren), ("image", Set::Psg)] {
        if !is_asked(name) {
            continue;
        }
        let (objective, parameters, cloud) = picture(set)?;
        let n = parameters.len();
        let rule = || Steady::new(n, 0, cloud.clone(), 1e-4);
        timed(name, objective, &parameters, &rule, 200)?;
    }
    Ok(())
}

/// Loss and gradient of the whole works against the processor's, and a hundred steps of Adam on the same points.
#[test]
#[ignore = "needs a card"]
fn agrees_with_the_processor() -> Result<(), Failure> {
    for (name, width, text) in [("poisson", 50, POISSON), ("oscillation", 100, OSCILLATION)] {
        let (objective, parameters) = equation(width, text)?;
        let points: Vec<f64> = (0..2000)
            .map(|k| (f64::from(k) * 0.618_033_988_75 + 0.1).fract())
            .collect();
        let batch = Batch::points(&points);
        let mut gradients = vec![vec![0.0; parameters.len()]; 2];
        let mut losses = [0.0; 2];
        for ((device, gradient), loss) in [Device::CPU, card()]
            .into_iter()
            .zip(&mut gradients)
            .zip(&mut losses)
        {
            *loss = device.engine(objective.clone(), 2)?.loss_and_gradient(
                &parameters,
                &batch,
                gradient,
            )?;
        }
        let largest = gradients[0]
            .iter()
            .fold(0.0f64, |m, g| if g.abs() > m { g.abs() } else { m });
        let off = gradients[0]
            .iter()
            .zip(&gradients[1])
            .fold(
                0.0f64,
                |m, (a, b)| if (a - b).abs() > m { (a - b).abs() } else { m },
            );
        println!(
            "{name}: loss {:.1e} apart, gradient {:.1e} of its largest entry",
            (losses[0] / losses[1] - 1.0).abs(),
            off / largest
        );
        let mut ends = Vec::new();
        for device in [Device::CPU, card()] {
            let mut engine = device.engine(objective.clone(), 2)?;
            let same = Cloud {
                points: points.clone(),
                ..Cloud::default()
            };
            let mut rule = Steady::new(parameters.len(), 0, same, 1e-3);
            let mut descent = Descent::new(parameters.clone(), 0);
            let mut loss = 0.0;
            while descent.step < 100 {
                let most = 100 - descent.step;
                loss = engine.descend(&mut descent, &mut rule, most)?.loss;
            }
            ends.push((loss, descent.parameters));
        }
        println!(
            "{name}: losses {:.12e} and {:.12e} after 100 steps",
            ends[0].0, ends[1].0
        );
        assert!((ends[0].0 / ends[1].0 - 1.0).abs() < 1e-6);
    }
    Ok(())
}
