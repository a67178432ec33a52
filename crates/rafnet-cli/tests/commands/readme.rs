//! The README tells the truth: its example is the one below, line by line, and gives what it says.

use std::path::Path;

#[rustfmt::skip]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
fn example() -> Result<[f64; 3], Box<dyn std::error::Error>> {
// the README's example
use rafnet::activation::Set;
use rafnet::engine::{Batch, Device, Objective, Regression, Streams};
use rafnet::network::{Init, Inputs, Network, Weights};
use rafnet::optimise::Adam;

let x: Vec<f64> = (0..=200).map(|i| f64::from(i) / 100.0 - 1.0).collect();
let y: Vec<f64> = x.iter().map(|x| (6.0 * x).sin() + x * x).collect();
let network = Network::resnet(Inputs::coordinates(1), &Set::Psg.shared_out(40, 1.0), 1)?;
let mut theta: Vec<f64> = network.init(Init::new(Weights::FanIn, 0));
let mut engine = Device::CPU.engine(Objective::new(network, std::sync::Arc::new(Regression { outputs: 1 })), 2)?;
let (mut adam, mut gradient) = (Adam::new(theta.len()), vec![0.0; theta.len()]);
for step in 0..3000 {
    engine.loss_and_gradient(&theta, &Batch::points(&x).with_data(&y), &mut gradient)?;
    adam.step(1e-2 * 0.998_f64.powi(step), &mut theta, &gradient);
}
let mut u = [0.0; 3]; // the network, its first and its second derivative at 0.3
engine.evaluate(&theta, &[0.3], &Streams::laplacian(), &mut u)?;
println!("{u:.2?}"); // [1.06, -0.78, -32.65]; the function's own are 1.06, -0.76 and -33.06
// its end
Ok(u)
}

#[test]
fn the_example_fits() -> Result<(), Box<dyn std::error::Error>> {
    let x = 0.3_f64;
    let exact = [
        (6.0 * x).sin() + x * x,
        6.0 * (6.0 * x).cos() + 2.0 * x,
        2.0 - 36.0 * (6.0 * x).sin(),
    ];
    // a fit, not an identity: two per cent of the function's own size, 36 for the second derivative
    for ((u, exact), size) in example()?.into_iter().zip(exact).zip([1.0, 6.0, 36.0]) {
        assert!((u - exact).abs() < 0.02 * size, "{u} for {exact}");
    }
    Ok(())
}

#[test]
fn the_example_is_in_the_readme() {
    let here = include_str!("readme.rs");
    let code = here
        .split("// the README's example\n")
        .nth(1)
        .and_then(|rest| rest.split("// its end\n").next())
        .expect("an example");
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("README.md");
    assert!(
        readme.contains(&format!("```rust\n{code}```")),
        "the README's example and tests/commands/readme.rs differ"
    );
}
