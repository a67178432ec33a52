//! The works that speed is measured on: two equations and a picture.

use rafnet_engine::activation::{Set, Signal};
use rafnet_engine::engine::{
    Ansatz, Cloud, ExprField, ExprResidual, Field, Objective, Regression, Residual,
};
use rafnet_engine::expr::{Scope, parse};
use rafnet_engine::network::{Init, Inputs, Network, Weights};
use std::sync::Arc;

pub(crate) type Failure = Box<dyn std::error::Error>;

/// −Δu = f, or −Δu + (u + 2)² = f, on the unit square with u = 0 on its edge.
pub(crate) fn equation(width: usize, text: &str) -> Result<(Objective<f64>, Vec<f64>), Failure> {
    let network = Network::resnet(Inputs::coordinates(2), &Set::Psg.shared_out(width, 0.1), 1)?;
    let parameters: Vec<f64> = network.init(Init::new(Weights::FanIn, 0));
    let scope = Scope::new(["x", "y"]).unknowns(["u"]);
    let residual = ExprResidual::new(&[parse(text, &scope)?], 2, 1, 0);
    let factor = ExprField::new(&parse("x*(1-x)*y*(1-y)", &Scope::new(["x", "y"]))?, 2)?;
    let ansatz = Ansatz {
        factor: Some(Arc::new(factor) as Arc<dyn Field<f64>>),
        lift: None,
    };
    let objective = Objective::new(network, Arc::new(residual) as Arc<dyn Residual<f64>>)
        .with_ansatz(vec![ansatz]);
    Ok((objective, parameters))
}

pub(crate) const POISSON: &str = "-laplacian(u) + (2-6*x)*y^2*(1-y) + (2-6*y)*x^2*(1-x)";
pub(crate) const OSCILLATION: &str =
    "-laplacian(u) + (u+2)^2 - 72*pi^2*sin(6*pi*x)*sin(6*pi*y) - (sin(6*pi*x)*sin(6*pi*y)+2)^2";

/// A fit with its first parameters and samples.
pub(crate) type Picture = (Objective<f32>, Vec<f32>, Cloud<f32>);

/// A picture of 256² pixels, made of waves.
pub(crate) fn picture(set: Set) -> Result<Picture, Failure> {
    let layers = vec![set.learnable(256, Signal::Image); 4];
    let network = Network::fully_connected(Inputs::coordinates(2), layers, 1)?;
    let parameters: Vec<f32> = network.init(Init::new(Weights::Siren, 0));
    let side = 256;
    let mut cloud = Cloud::default();
    for i in 0..side * side {
        let [x, y] = [i / side, i % side].map(|k| 2.0 * (k as f32 + 0.5) / side as f32 - 1.0);
        cloud.points.extend([x, y]);
        cloud
            .data
            .push(0.5 * (7.0 * x + 3.0 * (5.0 * y).sin()).sin() + 0.2 * (40.0 * x * y).cos());
    }
    Ok((
        Objective::new(network, Arc::new(Regression { outputs: 1 })),
        parameters,
        cloud,
    ))
}
