//! Waves that solve linear equations with constant coefficients by themselves.
//!
//! ```text
//! u = Re a exp(i w·x)      P(i w) a = 0,  det P(i w) = 0        P_ej(i w) = Σ_α c_α (i w)^α over the terms c_α D^α u_j of equation e
//! ```
//!
//! In time w_t is a root for the other components that are given: −c w_x for transport, ±c |w| for waves, ±|w|² for Schrödinger's equation.
//! Without time a direction is given and the length is the root: |w| = k for Helmholtz' equation. Diffusion and damping have no real roots.

use crate::expr::{Expr, Leaf};
use crate::problem::Problem;
use faer::c64;

/// The highest degree of the determinant.
const MOST: usize = 8;
/// How far the determinant may be from one that has no other root.
const ALONE: f64 = 1e-8;
/// Directions in which a root is looked for before the symbol is taken to have some.
const TRIED: usize = 8;

/// What is solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    /// One component, the others are given.
    Axis(usize),
    /// The length.
    Radius,
}

/// A term of P: of which equation and unknown, its coefficient, its derivatives.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) place: [usize; 2],
    pub(super) coefficient: f64,
    pub(super) axes: Vec<usize>,
}

/// P(i w), for coordinates scaled to (−1, 1).
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(super) unknowns: usize,
    pub(super) terms: Vec<Term>,
    pub(super) along: Along,
    /// Half the extents of the domain.
    half: Vec<f64>,
    /// At most this degree of the determinant in what is solved for.
    pub(super) degree: usize,
    /// Whether nothing but zero data makes the solution zero: there is no source.
    pub(crate) homogeneous: bool,
}

impl Symbol {
    /// Of equations that are linear with constant coefficients and have real waves; `None` of others.
    pub(crate) fn of(problem: &Problem) -> Option<Self> {
        let (unknowns, d) = (problem.unknowns.len(), problem.coordinates.len());
        let plain = problem.features.is_empty() && problem.sought.is_empty();
        let held = problem.ansatz.iter().any(Option::is_some);
        if !plain || held || d < 2 || problem.equations.len() != unknowns {
            return None;
        }
        let free = (0..d).find(|k| !problem.periodic.contains(k));
        let along = match problem.time {
            Some(time) => Along::Axis(time),
            None if problem.periodic.is_empty() => Along::Radius,
            None => Along::Axis(free?),
        };
        let bounds = problem.domain.bounds();
        let half: Vec<f64> = bounds.iter().map(|[a, b]| 0.5 * (b - a)).collect();
        let counts = |k: &&usize| along == Along::Radius || along == Along::Axis(**k);
        let (mut terms, mut degree) = (Vec::new(), 0);
        for (e, equation) in problem.equations.iter().enumerate() {
            let mut highest = 0;
            for jet in equation.jets() {
                let axes = jet.axes().to_vec();
                highest = highest.max(axes.iter().filter(counts).count());
                let coefficient = equation
                    .partial(&Leaf::jet(jet.unknown(), &axes))
                    .constant()?;
                terms.push(Term {
                    place: [e, jet.unknown()],
                    coefficient: coefficient / axes.iter().map(|k| half[*k]).product::<f64>(),
                    axes,
                });
            }
            degree += highest;
        }
        let nothing = |leaf: &Leaf| matches!(leaf, Leaf::Jet(_)).then(|| Expr::number(0.0));
        let sourceless = |e: &Expr| e.replace(&mut |leaf| nothing(leaf)).constant() == Some(0.0);
        let symbol = Self {
            unknowns,
            terms,
            along,
            half,
            degree,
            homogeneous: problem.equations.iter().all(sourceless),
        };
        let direction = |i: usize| -> Vec<f64> {
            let component = |k: usize| (1.7 + 2.3 * (i * d + k) as f64).sin();
            (0..d).map(component).collect()
        };
        let has = |i: usize| !symbol.roots(&direction(i)).is_empty();
        ((1..=MOST).contains(&degree) && (0..TRIED).all(has)).then_some(symbol)
    }

    /// The terms of highest order alone, to be solved for the component along an axis; `None` where their coefficients vary or they do not
    /// depend on it.
    pub(super) fn principal(problem: &Problem, axis: usize) -> Option<Self> {
        let unknowns = problem.unknowns.len();
        if problem.equations.len() != unknowns {
            return None;
        }
        let (mut terms, mut degree) = (Vec::new(), 0);
        for (e, equation) in problem.equations.iter().enumerate() {
            let jets: Vec<_> = equation.jets().into_iter().collect();
            let order = jets.iter().map(|jet| jet.axes().len()).max()?;
            let mut highest = 0;
            for jet in jets.iter().filter(|jet| jet.axes().len() == order) {
                let axes = jet.axes().to_vec();
                highest = highest.max(axes.iter().filter(|k| **k == axis).count());
                let partial = equation.partial(&Leaf::jet(jet.unknown(), &axes));
                terms.push(Term {
                    place: [e, jet.unknown()],
                    coefficient: partial.constant()?,
                    axes,
                });
            }
            degree += highest;
        }
        (1..=MOST).contains(&degree).then(|| Self {
            unknowns,
            terms,
            along: Along::Axis(axis),
            half: vec![1.0; problem.coordinates.len()],
            degree,
            homogeneous: false,
        })
    }

    /// Changes w so that its wave solves the equations; `share` in [0, 1) picks one of several. Left as it is where there is none.
    pub(crate) fn solve(&self, w: &mut [f64], share: f64) {
        let roots = self.roots(w);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index"
        )]
        let Some(root) = roots.get((share * roots.len() as f64) as usize) else {
            return;
        };
        w.copy_from_slice(&self.at(w, *root));
    }

    /// All waves with the components of w that are given.
    pub(crate) fn all(&self, w: &[f64]) -> Vec<Vec<f64>> {
        let roots = self.roots(w).into_iter();
        roots.map(|root| self.at(w, root)).collect()
    }

    /// Without time and a source, in the plane: the only wave along a direction of the user's coordinates, if all solutions are made of such.
    pub(crate) fn only_wave(&self, direction: [f64; 2]) -> Option<[f64; 2]> {
        let plain = self.along == Along::Radius && self.homogeneous && self.half.len() == 2;
        let scaled: Vec<f64> = direction
            .iter()
            .zip(&self.half)
            .map(|(e, h)| e * h)
            .collect();
        let roots = if plain {
            self.roots(&scaled)
        } else {
            Vec::new()
        };
        let &[length] = &roots[..] else {
            return None;
        };
        // no other root: det(z) / det(0) = (1 − z²/length²)^(degree/2)
        let none = self.determinant(&scaled, c64::new(0.0, 0.0));
        let alone = |z: f64| {
            let found = self.determinant(&scaled, c64::new(z * length, 0.0)) / none;
            let power = i32::try_from(self.degree / 2).unwrap_or(0);
            let expected = (1.0 - z * z).powi(power);
            (found - c64::new(expected, 0.0)).norm() < ALONE * expected.abs()
        };
        [0.5, 2.0]
            .into_iter()
            .all(alone)
            .then(|| direction.map(|e| e * length))
    }

    /// w with the component or the length that is solved for.
    fn at(&self, w: &[f64], value: f64) -> Vec<f64> {
        match self.along {
            Along::Axis(axis) => {
                let mut w = w.to_vec();
                w[axis] = value;
                w
            }
            Along::Radius => w.iter().map(|w| w * value).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Symbol;
    use crate::problem::Problem;

    fn symbol(unknowns: &str, equations: &str, domain: &str) -> Option<Symbol> {
        let text = format!(
            "unknowns = [{unknowns}]\n[domain]\nkind = \"box\"\n{domain}\n[equation]\nresidual = [{equations}]\n[[data]]\nrows = [[0, 0{}]]\n",
            ", 0".repeat(unknowns.split(',').count())
        );
        let problem = Problem::from_text(&text, "waves.toml", None).expect("a problem");
        Symbol::of(&problem)
    }

    /// Coordinates run over (−1, 1), so that scaled and plain components are the same.
    #[test]
    fn waves_travel_as_their_equations_say() {
        let in_time = "x = [-1, 1]\nt = [-1, 1]\ntime = \"t\"";
        for (unknowns, equations, expected) in [
            ("\"u\"", "\"u_t + 50*u_x\"", vec![-150.0]),
            ("\"u\"", "\"u_tt - 4*u_xx\"", vec![-6.0, 6.0]),
            ("\"u\"", "\"u_tt - 4*u_xx + 13*u\"", vec![-7.0, 7.0]),
            (
                "\"u\", \"v\"",
                "\"u_t - v_xx\", \"v_t + u_xx\"",
                vec![-9.0, 9.0],
            ),
            (
                "\"u\", \"v\"",
                "\"u_t + 2*v_x\", \"v_t + 2*u_x - 1\"",
                vec![-6.0, 6.0],
            ),
        ] {
            let symbol = symbol(unknowns, equations, in_time).expect("waves");
            let found = symbol.roots(&[3.0, 0.1]);
            assert_eq!(found.len(), expected.len(), "{equations}: {found:?}");
            for (f, e) in found.iter().zip(expected) {
                assert!((f - e).abs() < 1e-12 * e.abs(), "{equations}: {f}, not {e}");
            }
            assert_eq!(symbol.homogeneous, !equations.contains("- 1"));
        }
        let flat = "x = [-1, 1]\ny = [-1, 1]";
        let pair = "\"u_xx + u_yy + 144*u\", \"v_xx + v_yy + 144*v\"";
        let twice = symbol("\"u\", \"v\"", pair, flat).expect("waves");
        let wave = twice.only_wave([0.6, -0.8]).expect("one wave");
        assert!((wave[0] - 7.2).hypot(wave[1] + 9.6) < 1e-12, "{wave:?}");
        let helmholtz = symbol("\"u\"", "\"u_xx + u_yy + 144*u\"", flat).expect("waves");
        let mut w = [3.0, -4.0];
        helmholtz.solve(&mut w, 0.0);
        assert!(
            (w[0] - 7.2).abs() < 1e-12 && (w[1] + 9.6).abs() < 1e-12,
            "{w:?}"
        );
    }

    #[test]
    fn what_decays_or_varies_has_no_waves() {
        let in_time = "x = [-1, 1]\nt = [-1, 1]\ntime = \"t\"";
        for equation in [
            "u_t - u_xx",
            "u_tt + u_t - u_xx",
            "u_t + x*u_x",
            "u_t + u*u_x",
            "u_t + u_x - 0.001*u_xx",
        ] {
            assert!(
                symbol("\"u\"", &format!("\"{equation}\""), in_time).is_none(),
                "{equation}"
            );
        }
        let flat = "x = [-1, 1]\ny = [-1, 1]";
        for equation in ["u_xx + u_yy", "u_xx + u_yy - u", "u_x - u_yy"] {
            assert!(
                symbol("\"u\"", &format!("\"{equation}\""), flat).is_none(),
                "{equation}"
            );
        }
    }
}
