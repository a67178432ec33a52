//! Waves that solve the equations: large pieces have them in place of half of their own.
//!
//! ```text
//! u = Σ_j c_j sin(w_j·x) + d_j cos(w_j·x)       |w_j| = k for Δu + k² u = 0: complete on a piece without a hole (I. Vekua, 1942)
//! ```
//!
//! Waves of any length need a piece for every wavelength, these one for every one and a half: half as many in the plane. Where a piece is
//! smaller than a wave they are all alike, and near a corner they are not what the solution is made of: there others stay.

use super::Bounds;
use super::functions::Functions;
use crate::expr::{Expr, Leaf, Unary, largest};
use crate::waves::Symbol;
use std::f64::consts::{FRAC_PI_2, PI};

/// The share of a piece's functions.
const SHARE: f64 = 0.5;
/// How large they are in a piece's coordinates, over the largest of its own waves, from which on a piece has them.
const LARGE: f64 = 0.6;
/// By what share of a half turn another seed moves them.
const MOVED: f64 = 0.13;
/// Successive directions are this share of a half turn apart, so that any number of them is spread evenly.
const TURN: f64 = 0.618_033_988_749_894_9;

impl Functions {
    /// The same with waves that solve plane equations without a source, if there are such, in directions by the seed.
    pub(super) fn solving(mut self, symbol: Option<&Symbol>, seed: u64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let directions = (0.5 * SHARE * self.len() as f64) as usize;
        let wave = |j: usize| {
            let angle = PI * (MOVED * seed as f64 + TURN * j as f64).fract();
            symbol?.only_wave([angle.cos(), angle.sin()])
        };
        self.waves = (0..directions)
            .map(wave)
            .collect::<Option<_>>()
            .unwrap_or_default();
        self
    }

    /// Whether a box is large enough for them.
    pub(super) fn are_waves(&self, bounds: &Bounds) -> bool {
        let half = |k: usize| 0.5 * (bounds[k][1] - bounds[k][0]);
        let phases = |w: &[f64; 2]| [0, 1].map(|k| (w[k] * half(k)).abs());
        let largest = largest(self.waves.iter().flat_map(phases));
        largest > LARGE * self.scale()
    }

    /// Weights and biases of the waves in a box's own coordinates.
    pub(super) fn waves_on(&self, bounds: &Bounds) -> impl Iterator<Item = ([f64; 2], f64)> {
        let middle = [0, 1].map(|k| 0.5 * (bounds[k][0] + bounds[k][1]));
        let half = [0, 1].map(|k| 0.5 * (bounds[k][1] - bounds[k][0]));
        self.waves.iter().flat_map(move |w| {
            let phase = w[0] * middle[0] + w[1] * middle[1];
            let own = [0, 1].map(|k| w[k] * half[k]);
            [(own, phase), (own, phase + FRAC_PI_2)]
        })
    }

    /// The waves as expressions.
    pub(super) fn wave_expressions(&self) -> impl Iterator<Item = Expr> {
        let x = |k: usize| Expr::leaf(Leaf::Coordinate(k));
        self.waves.iter().flat_map(move |w| {
            let phase = x(0).scaled(w[0]) + x(1).scaled(w[1]);
            [phase.clone().apply(Unary::Sin), phase.apply(Unary::Cos)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Functions;
    use crate::problem::Problem;
    use crate::waves::Symbol;

    fn drawn(equation: &str) -> Functions {
        let text = format!(
            "[domain]\nkind = \"box\"\nx = [0, 4]\ny = [1, 2]\n[equation]\nresidual = \"{equation}\"\n[[data]]\nrows = [[1, 1, 0]]\n"
        );
        let problem = Problem::from_text(&text, "waves.toml", None).expect("a problem");
        Functions::draw(40, 2, 7).solving(Symbol::of(&problem).as_ref(), 3)
    }

    /// |w|² + w_y² = 36 for each, whatever the domain; on a box the layer has them in its own coordinates, and the model as expressions.
    #[test]
    fn they_solve_the_equation_everywhere() {
        let functions = drawn("u_xx + 2*u_yy + 36*u");
        assert_eq!(functions.waves.len(), 10);
        for [x, y] in &functions.waves {
            assert!((x * x + 2.0 * y * y - 36.0).abs() < 1e-10, "{x} {y}");
        }
        let (bounds, point) = (vec![[1.0, 3.0], [1.0, 1.5]], [2.5, 1.1]);
        assert!(functions.are_waves(&bounds));
        let own = [0, 1].map(|k: usize| {
            let [low, high] = bounds[k];
            (2.0 * point[k] - low - high) / (high - low)
        });
        let on_the_box = functions
            .waves_on(&bounds)
            .map(|(w, b)| (w[0] * own[0] + w[1] * own[1] + b).sin());
        for (value, expression) in on_the_box.zip(functions.wave_expressions()) {
            assert!((value - expression.at(&point)).abs() < 1e-13);
        }
        assert!(!functions.are_waves(&vec![[1.0, 1.1], [1.0, 1.1]]));
    }

    /// With a source, with waves that decay too, or with none.
    #[test]
    fn other_equations_have_none() {
        for equation in [
            "laplacian(u) + 36*u - 1",
            "laplacian(u) - 36*u",
            "u_xx - u_yy",
            "u_xxxx + u_yyyy - 36*u",
            "laplacian(u) + u_x + 36*u",
        ] {
            assert!(drawn(equation).waves.is_empty(), "{equation}");
        }
    }
}
