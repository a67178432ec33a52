//! The built-in problems, compiled in from `problems/*.toml`.

use super::Problem;
use super::error::ProblemError;
use super::fault::Fault;
use super::suggestion::closest;

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every built-in problem.
        const BUILTINS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../problems/", $name, ".toml")))),*
        ];
    };
}

builtins![
    "poisson-smooth",
    "low-regularity",
    "low-regularity-r",
    "oscillation",
    "oscillation-code",
    "oscillation-scaled-first",
    "oscillation-scaled-first-cos",
    "oscillation-scaled-last",
    "oscillation-scaled-last-cos",
    "super-oscillation",
    "regression-jump",
    "heat",
    "wave",
    "advection-diffusion",
    "helmholtz",
    "nonlinear-polygon",
    "system",
    "inverse-diffusivity",
    "poisson-5d",
    "poisson-10d",
    "logistic",
    "oscillator",
    "ball-3d",
    "annulus",
    "robin",
    "neumann",
    "periodic",
    "torsion",
    "variable-coefficients",
    "burgers",
    "reaction-diffusion",
    "beam",
    "kovasznay",
    "taylor-green",
    "kdv",
    "lorenz",
    "drum-l-shape",
    "drum-disc",
    "quantum-oscillator",
    "well-3d",
    "schrodinger-d2",
    "schrodinger-d5",
    "schrodinger-d10",
];

impl Problem {
    /// Reads a built-in problem.
    ///
    /// # Errors
    /// When there is none of that name.
    ///
    /// ```
    /// use rafnet::problem::Problem;
    /// let problem = Problem::builtin("poisson-smooth")?;
    /// assert_eq!(problem.coordinates, ["x", "y"]);
    /// assert!(Problem::builtin("poisson-smoth").is_err_and(|e| e.to_string().contains("`poisson-smooth`")));
    /// # Ok::<(), rafnet::problem::ProblemError>(())
    /// ```
    pub fn builtin(name: &str) -> Result<Self, ProblemError> {
        let text = Self::builtin_text(name).ok_or_else(|| {
            let known: Vec<&str> = BUILTINS.iter().map(|(name, _)| *name).collect();
            let closest = closest(name, &known);
            ProblemError::new(name, None, Fault::UnknownBuiltin { closest })
        })?;
        Self::from_text(text, &format!("{name}.toml"), None)
    }

    /// The text of a built-in problem, to start one's own from.
    pub fn builtin_text(name: &str) -> Option<&'static str> {
        let found = BUILTINS.iter().find(|(other, _)| *other == name);
        found.map(|(_, text)| *text)
    }

    /// The name of every built-in problem, with one line on what a user learns from it.
    pub fn builtin_names() -> Vec<(&'static str, &'static str)> {
        BUILTINS
            .iter()
            .map(|(name, text)| (*name, about(text)))
            .collect()
    }
}

/// The value of the line `about = "…"`.
fn about(text: &'static str) -> &'static str {
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix("about = \""));
    value.map_or("", |value| value.trim_end_matches('"'))
}
