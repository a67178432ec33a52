//! Networks with a name: an activation, or more than that.

use crate::activation::{Set, UnknownSet};
use std::f64::consts::PI;

/// A network by its name.
///
/// ```
/// use rafnet::fit::Recipe;
/// assert_eq!(Recipe::named("siren-scaled")?.init_scale, 2.5);
/// assert!(Recipe::named("sirens").is_err());
/// # Ok::<(), rafnet::fit::UnknownRecipe>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// The activation of every layer.
    pub activation: Set,
    /// A factor on the hidden weights at the start.
    pub init_scale: f64,
    /// Frozen Fourier features in the first layer, their weights normal with this deviation.
    pub fourier: Option<f64>,
    /// The frequency for which the weights of a text's layers are made.
    pub frequency: f64,
}

/// What is no network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownRecipe {
    /// A name that nobody knows.
    #[error(
        "unknown activation `{name}`; known: {}, or a text in x such as a*sin(b*x)",
        known()
    )]
    Name {
        /// What was asked for.
        name: String,
    },
    /// A text that cannot be used.
    #[error(transparent)]
    Text(UnknownSet),
}

/// SIREN's frequency.
const SIREN: f64 = 30.0;

/// Name, activation, factor, deviation, frequency. `siren-scaled` starts from hidden weights 2.5 times as large: it memorises. FINER (Liu
/// et al. 2024) and WIRE (Saragadam et al. 2023, here its real part) are texts. Fourier features (Tancik et al. 2020) have deviation
/// 10 over [0, 1], that is 10π over [−1, 1].
const NAMED: [(&str, &str, f64, Option<f64>, f64); 4] = [
    ("siren-scaled", "siren", 2.5, None, SIREN),
    ("finer", "sin(30*(abs(x) + 1)*x)", 1.0, None, SIREN),
    ("wire", "cos(20*x)*exp(-(10*x)^2)", 1.0, None, 20.0),
    ("fourier", "relu", 1.0, Some(10.0 * PI), SIREN),
];

fn known() -> String {
    let named = NAMED.iter().map(|n| n.0);
    let all: Vec<&str> = named.chain(Set::ALL.into_iter().map(Set::name)).collect();
    all.join(", ")
}

impl Recipe {
    /// The network of a name, or with an activation given by name or as a text.
    ///
    /// # Errors
    /// [`UnknownRecipe`] lists the names there are.
    pub fn named(name: &str) -> Result<Self, UnknownRecipe> {
        let known = NAMED.iter().find(|n| n.0 == name);
        let (_, activation, init_scale, fourier, frequency) =
            known.copied().unwrap_or((name, name, 1.0, None, SIREN));
        let activation = activation.parse::<Set>().map_err(|e| match e {
            UnknownSet::Name { name } => UnknownRecipe::Name { name },
            other => UnknownRecipe::Text(other),
        })?;
        Ok(Self {
            activation,
            init_scale,
            fourier,
            frequency: match activation {
                Set::Text(text) if known.is_none() => text.frequency(),
                _ => frequency,
            },
        })
    }
}
