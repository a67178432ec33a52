//! Waves between walls: those that solve the equations and come back to themselves.
//!
//! ```text
//! sin(w·x + w_t t + b)      w_k = n_k π / L_k between two walls of one kind, (n_k + ½) π / L_k between u = 0 and u_n = 0, 2 n_k π / L_k around
//!                           w_t a root of det P(i w) = 0                                            n from the lowest on, ±w, b = 0 and π/2
//! ```
//!
//! Of blind waves it takes as many as there are wavelengths in all of time; of these as many as there are in the box, for any time.

use super::symbol::Symbol;
use crate::domain::product;
use crate::expr::larger;
use crate::problem::Problem;
use std::f64::consts::{FRAC_PI_2, PI};

/// Axes in space, at most.
const MOST_AXES: usize = 3;

/// Which w a box allows: along each axis in space, in coordinates from −1 to 1.
#[derive(Clone, Debug)]
pub(crate) struct Walls {
    time: usize,
    /// For each axis the first w that is not negative, and the distance to the next.
    units: Vec<[f64; 2]>,
}

/// What two faces of a box ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wall {
    Value,
    Slope,
}

impl Walls {
    /// Of a box in space, with values or slopes given on each of its faces, or none where it is closed; `None` of other domains, and where a source
    /// makes more than waves.
    pub(crate) fn of(problem: &Problem, symbol: &Symbol) -> Option<Self> {
        let time = problem.time.filter(|_| symbol.homogeneous)?;
        let d = problem.coordinates.len();
        let unit = |k: usize| {
            if k == time {
                return Some([0.0; 2]);
            }
            if problem.periodic.contains(&k) {
                return Some([0.0, PI]);
            }
            let [low, high] = problem.domain.bounds()[k];
            let same = wall(problem, k, low)? == wall(problem, k, high)?;
            Some([if same { 0.0 } else { 0.5 * FRAC_PI_2 }, FRAC_PI_2])
        };
        let units = (0..d).map(unit).collect::<Option<Vec<_>>>()?;
        (2..=MOST_AXES + 1)
            .contains(&d)
            .then_some(Self { time, units })
    }

    /// `n` pairs of w and b, those with the longest waves first, as these scales measure them.
    pub(crate) fn modes(&self, symbol: &Symbol, scales: &[f64], n: usize) -> Vec<(Vec<f64>, f64)> {
        let space: Vec<usize> = (0..self.units.len()).filter(|k| *k != self.time).collect();
        let mut modes = Vec::new();
        for w in self.lattice(&space, scales, n) {
            // the first stays positive: −w is the same wave
            for signs in 0..1usize << (space.len() - 1) {
                let others = space[1..].iter().enumerate();
                let turned: Vec<usize> = others
                    .filter(|(bit, _)| signs >> bit & 1 == 1)
                    .map(|(_, k)| *k)
                    .collect();
                if turned.iter().any(|k| w[*k] == 0.0) {
                    continue;
                }
                let mut w = w.clone();
                turned.iter().for_each(|k| w[*k] = -w[*k]);
                for wave in symbol.all(&w) {
                    modes.extend([0.0, FRAC_PI_2].map(|b| (wave.clone(), b)));
                }
            }
            if modes.len() >= n {
                break;
            }
        }
        modes.truncate(n);
        modes
    }

    /// At least `n` places of the lattice, the nearest to zero first.
    fn lattice(&self, space: &[usize], scales: &[f64], n: usize) -> Vec<Vec<f64>> {
        let size = |w: &[f64]| {
            space
                .iter()
                .map(|k| (w[*k] / scales[*k]).powi(2))
                .sum::<f64>()
        };
        let dims = space.len() as f64;
        // as many as fit below a radius, which is made large enough
        let mut radius = space
            .iter()
            .map(|k| self.units[*k][1] / scales[*k])
            .fold(0.0, larger);
        loop {
            let along = |k: usize| {
                let [first, unit] = self.units[k];
                let allowed = (0..).map(|j| first + unit * f64::from(j));
                let near = allowed.take_while(|w| w / scales[k] <= radius);
                if k == self.time {
                    vec![0.0]
                } else {
                    near.collect()
                }
            };
            let d = self.units.len();
            let places = product(&(0..d).map(along).collect::<Vec<_>>());
            let mut places: Vec<Vec<f64>> = places.chunks(d).map(<[f64]>::to_vec).collect();
            places.retain(|w| size(w) <= radius * radius);
            if places.len() >= n {
                places.sort_by(|a, b| size(a).total_cmp(&size(b)));
                places.truncate(n);
                return places;
            }
            radius *= 2f64.powf(1.0 / dims);
        }
    }
}

/// What the conditions on a face of a box ask of every unknown they hold, if it is one kind.
fn wall(problem: &Problem, axis: usize, at: f64) -> Option<Wall> {
    let pieces = problem.domain.pieces();
    let on = |p: &usize| pieces[*p].face.fixed() == Some((axis, at));
    let conditions = problem.conditions.iter();
    let held: Vec<_> = conditions.filter(|c| c.pieces.iter().any(on)).collect();
    let values = held.iter().filter(|c| c.dirichlet.is_some()).count();
    match held.len() {
        0 => None,
        all if values == all => Some(Wall::Value),
        _ if values == 0 => Some(Wall::Slope),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Symbol, Walls};
    use crate::expr::largest;
    use crate::problem::Problem;
    use std::f64::consts::PI;

    fn modes(walls: &str, n: usize) -> Option<Vec<(Vec<f64>, f64)>> {
        let text = format!(
            "[domain]\nkind = \"box\"\nx = [-1, 1]\ny = [-1, 1]\nt = [-1, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_tt - 4*laplacian(u)\"\n\
             [[boundary]]\non = \"y\"\nneumann = 0\n{walls}[[initial]]\nu = 1\nu_t = 0\n"
        );
        let problem = Problem::from_text(&text, "walls.toml", None).expect("a problem");
        let symbol = Symbol::of(&problem).expect("waves");
        Some(Walls::of(&problem, &symbol)?.modes(&symbol, &[1.0; 3], n))
    }

    fn on(face: &str, what: &str) -> String {
        format!("[[boundary]]\non = \"{face}\"\n{what}\n")
    }

    /// Between walls of one kind x takes multiples of π/2, between others odd ones of π/4; y, between slopes, multiples of π/2; each wave
    /// travels with speed 2, there and back, and there are no two alike.
    #[test]
    fn they_fit_between_their_walls() {
        for (walls, shift) in [
            (on("x", "dirichlet = 0"), 0.0),
            (on("x=-1", "dirichlet = 0") + &on("x=1", "neumann = 0"), 0.5),
        ] {
            let found = modes(&walls, 100).expect("walls");
            assert_eq!(found.len(), 100);
            for (w, _) in &found {
                let whole = |v: f64| (v - v.round()).abs() < 1e-12;
                assert!(
                    whole(2.0 * w[0] / PI - shift) && whole(2.0 * w[1] / PI),
                    "{w:?}"
                );
                assert!(
                    (w[2].powi(2) - 4.0 * (w[0].powi(2) + w[1].powi(2))).abs() < 1e-9,
                    "{w:?}"
                );
            }
            for (i, a) in found.iter().enumerate() {
                assert!(!found[..i].contains(a), "{a:?} twice");
            }
            let longest = |range: std::ops::Range<usize>| {
                let sizes = found[range].iter().map(|(w, _)| w[0].hypot(w[1]));
                largest(sizes)
            };
            assert!(longest(0..30) < longest(70..100));
        }
    }

    /// Nothing stands on a disc, or without time.
    #[test]
    fn other_domains_have_no_walls() {
        let wave = "[equation]\nresidual = \"laplacian(u) + u\"\n[[boundary]]\non = \"all\"\ndirichlet = 1\n";
        let disc = "[domain]\nkind = \"ball\"\ncoordinates = [\"x\", \"y\"]\ncenter = [0, 0]\nradius = 1\n";
        let in_time = format!(
            "{disc}time = \"t\"\nt = [0, 1]\n{}[[initial]]\nu = 1\nu_t = 0\n",
            wave.replace("+ u", "- u_tt")
        );
        let square = format!("[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n{wave}");
        for text in [in_time, square] {
            let problem = Problem::from_text(&text, "walls.toml", None).expect("a problem");
            let symbol = Symbol::of(&problem).expect("waves");
            assert!(Walls::of(&problem, &symbol).is_none(), "{text}");
        }
    }
}
