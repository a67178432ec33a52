//! The kernel at the parameters of a trained model, with the model's own factors, lifts and extra inputs.

use super::{NtkError, Settings, Tangent};
use crate::expr::{Expr, parse};
use crate::model::Model;
use crate::problem::Problem;

impl Tangent {
    /// A trained model on the residuals of a problem; activation, width and depth of the settings have no part in it.
    ///
    /// ```
    /// use rafnet::model::{Output, Parts};
    /// use rafnet::network::{Init, Weights};
    /// use rafnet::ntk::{Mode, Settings, Tangent};
    /// use rafnet::{Model, Problem};
    /// let problem = Problem::builtin("regression-jump")?;
    /// let settings = Settings { width: Some(8), points: 10, ..Settings::default() };
    /// let network = settings.network(&problem)?;
    /// let parameters = network.init(Init::new(Weights::FanIn, 0));
    /// let names = problem.coordinates.clone();
    /// let model = Model::new(Parts::new(names, vec![Output::new("u")], network, parameters))?;
    /// // at its start a model has the kernel of a fresh network
    /// let at_model = Tangent::of_model(&problem, &settings, &model)?.spectrum(Mode::F64Svd)?;
    /// assert_eq!(at_model, Tangent::new(&problem, &settings)?.spectrum(Mode::F64Svd)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NtkError::Model`] or [`NtkError::Sought`] where model and problem do not belong together.
    pub fn of_model(
        problem: &Problem,
        settings: &Settings,
        model: &Model,
    ) -> Result<Self, NtkError> {
        let parts = model.parts();
        let names: Vec<String> = parts.outputs.iter().map(|o| o.name.clone()).collect();
        for (what, found, expected) in [
            ("coordinates", &parts.coordinates, &problem.coordinates),
            ("unknowns", &names, &problem.unknowns),
        ] {
            if found != expected {
                return Err(NtkError::Model {
                    what,
                    found: found.join(", "),
                    expected: expected.join(", "),
                });
            }
        }
        if !parts.pieces.is_empty() {
            return Err(NtkError::Model {
                what: "pieces",
                found: parts.pieces.len().to_string(),
                expected: "one network for all of them".into(),
            });
        }
        let mut theta = parts.parameters.clone();
        for sought in &problem.sought {
            let known = parts
                .constants
                .iter()
                .find(|(name, _)| *name == sought.name);
            let (_, value) = known.ok_or_else(|| NtkError::Sought {
                name: sought.name.clone(),
            })?;
            theta.push(*value);
        }
        let mut problem = problem.clone();
        let scope = model.scope();
        let read = |text: &str| parse(text, &scope).map_err(NtkError::Text);
        problem.features = parts
            .features
            .iter()
            .map(|f| Ok((f.name.clone(), read(&f.text)?)))
            .collect::<Result<_, NtkError>>()?;
        for (output, ansatz) in parts.outputs.iter().zip(&mut problem.ansatz) {
            let factor = match &output.factor {
                Some(text) => read(text)?,
                None => Expr::number(1.0),
            };
            let lift = match &output.lift {
                Some(text) => read(text)?,
                None => Expr::number(0.0),
            };
            #[expect(clippy::float_cmp, reason = "a scale of exactly 1 costs nothing")]
            let plain = output.factor.is_none() && output.lift.is_none() && output.scale == 1.0;
            *ansatz = (!plain).then(|| (Expr::number(output.scale) * factor, lift));
        }
        Self::held(problem, settings, &parts.network, theta)
    }
}
