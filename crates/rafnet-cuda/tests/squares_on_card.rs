//! Gauss–Newton steps on a real card: whether they are right, the same in every run, and how long their parts take. Run where there is one:
//! `cargo test -p rafnet-cuda --release --test squares_on_card -- --ignored --test-threads=1 --nocapture`.

#![expect(clippy::print_stdout, reason = "what was measured")]

mod squares;
#[expect(dead_code, reason = "other tests use the other works")]
mod works;

use rafnet_cuda::Card;
use rafnet_cuda::machine::{Machine, Matrix, Memory};
use rafnet_engine::engine::{Cloud, Device, Squares};
use squares::Problem;
use std::sync::Arc;
use std::time::Instant;
use works::{Failure, OSCILLATION, POISSON, equation};

fn card() -> Device {
    rafnet_cuda::devices()[0]
}

#[test]
#[ignore = "needs a card"]
fn steps_are_right() -> Result<(), Failure> {
    for (points, means) in [(60, 3), (900, 5)] {
        Problem::new(8, points, means)?.check(card())?;
    }
    Ok(())
}

/// Milliseconds of the fastest of some.
fn best(times: usize, work: &mut dyn FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..times {
        let begun = Instant::now();
        work()?;
        best = best.min(1e3 * begun.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Products and Cholesky's factor alone, at the sizes of a step in the space of samples.
fn dense(rows: usize, width: usize) -> Result<[f64; 2], Failure> {
    let machine: Arc<dyn Machine> = Card::open(0)?;
    let j = Memory::new(&machine, rows * width * 8)?;
    let g = Memory::new(&machine, rows * rows * 8)?;
    let mut numbers = vec![0.0; rows * rows];
    (0..rows).for_each(|i| numbers[i * (rows + 1)] = 1.0 + i as f64);
    let some: Vec<f64> = (0..rows * width)
        .map(|k| (k as f64 * 0.618).fract())
        .collect();
    machine.write(j.at(), bytemuck::cast_slice(&some))?;
    let of = Matrix::new(j.at(), width).transpose();
    let product = best(5, &mut || {
        let into = Matrix::new(g.at(), rows);
        machine
            .dense()?
            .multiply([rows, rows, width], of, of, into)?;
        Ok(machine.wait()?)
    })?;
    machine.write(g.at(), bytemuck::cast_slice(&numbers))?;
    let factor = best(5, &mut || {
        machine.dense()?.cholesky(rows, g.at())?;
        Ok(())
    })?;
    Ok([product, factor])
}

#[test]
#[ignore = "needs a card"]
fn parts_of_a_step() -> Result<(), Failure> {
    for (name, width, text, points) in [
        ("poisson", 50, POISSON, 2000),
        ("poisson, 8000 points", 50, POISSON, 8000),
        ("oscillation", 100, OSCILLATION, 2000),
        ("oscillation, 8000 points", 100, OSCILLATION, 8000),
    ] {
        let begun = Instant::now();
        let (objective, parameters) = equation(width, text)?;
        let mut engine = card().engine(objective, 1)?;
        let cloud = Cloud {
            points: (0..2 * points)
                .map(|k| (f64::from(k) * 0.618_033_988_75 + 0.1).fract())
                .collect(),
            ..Cloud::default()
        };
        let clouds = [cloud];
        let start = vec![0.0; parameters.len()];
        let squares = engine.squares(&clouds, &[1.0], &[])?;
        let squares: &mut dyn Squares<f64> = &mut *squares.ok_or("the host's work")?;
        squares.loss(&parameters)?;
        let first = squares.steps(&parameters, &[1e-2, 1e-15], &start)?;
        println!(
            "{name}: {} parameters, ready after {:.2} s",
            parameters.len(),
            begun.elapsed().as_secs_f64()
        );
        let again = squares.steps(&parameters, &[1e-2, 1e-15], &start)?;
        println!("{name}: twice the same bits: {}", first == again);
        let loss = best(20, &mut || Ok(squares.loss(&parameters).map(|_| ())?))?;
        let mut of = |dampings: &[f64]| {
            best(5, &mut || {
                Ok(squares.steps(&parameters, dampings, &start).map(|_| ())?)
            })
        };
        let (rows, cholesky, reflections) = (of(&[])?, of(&[1e-2])?, of(&[1e-15])?);
        println!(
            "{name}: loss {loss:.2} ms; rows and Gram matrix {rows:.2}, a step by Cholesky {:.2} more, by reflections {:.2} more",
            cholesky - rows,
            reflections - rows
        );
        if points == 2000 {
            let [product, factor] = dense(2000, parameters.len())?;
            println!(
                "{name}: the product alone {product:.2} ms (both triangles), the factor {factor:.2}"
            );
        }
        assert!(first == again, "{name}: other bits");
    }
    Ok(())
}
