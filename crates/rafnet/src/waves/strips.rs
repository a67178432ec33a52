//! What is narrow along no axis: strips of known texts, and those to which narrow boundary and initial values travel, along the
//! characteristics of linear equations.
//!
//! ```text
//! on a face x_a = const      a value is narrow along x_k
//! inside                     a strip with the normal ξ: ξ_k = 1, ξ_a a real root of the principal symbol, all others 0
//! at another face            it comes back along the other roots
//! ```
//!
//! Equations whose characteristics bend have none of these, nor have equations without real ones (diffusion, Laplace).

use super::symbol::Symbol;
use crate::expr::smaller;
use crate::posed::Narrow;
use crate::problem::{Place, Problem, Strip};

/// What travels is followed where it is narrower than this share of the domain: a hundred functions resolve what is wider.
const THIN: f64 = 0.03;
/// Strips at most.
const MOST: usize = 12;
/// Strips that are nearer than their width are one, unless one is so many times narrower.
const ALIKE: f64 = 4.0;

/// The strips of a problem: those of its texts, whether points meet them or not, and those to which values on faces travel; on a box alone, where
/// nothing closes on itself.
pub(crate) fn strips(problem: &Problem, narrow: &Narrow) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    if problem.domain.as_cuboid().is_none() || !problem.periodic.is_empty() {
        let own = narrow.places.iter().filter(|p| p.across.is_some());
        return own.cloned().collect();
    }
    // the wider first: what is as wide and as near is the same, seen by its flank
    let widest = |p: &Place| {
        p.width
            .iter()
            .flatten()
            .copied()
            .fold(f64::INFINITY, smaller)
    };
    let mut all: Vec<&Place> = narrow.places.iter().chain(&narrow.met).collect();
    all.sort_by(|a, b| widest(b).total_cmp(&widest(a)));
    let all = || all.iter().copied();
    // a text's own strips come first, so that no other is taken for them
    for place in all().filter(|p| p.pieces.is_empty()) {
        if let Some(strip) = &place.across {
            keep(&mut found, place, strip.clone());
        }
    }
    for place in all().filter(|p| !p.pieces.is_empty()) {
        begin(problem, place, &mut found);
    }
    let mut next = 0;
    while next < found.len() {
        let place = found[next].clone();
        next += 1;
        let Some(strip) = &place.across else { continue };
        for back in reflected(problem, strip) {
            keep(&mut found, &place, back);
        }
    }
    found
}

/// The strips that begin where a value on faces is narrow along one axis.
fn begin(problem: &Problem, place: &Place, found: &mut Vec<Place>) {
    let bounds = problem.domain.bounds();
    let narrow = |k: &usize| {
        let [low, high] = bounds[*k];
        place.width[*k].is_some_and(|w| w < THIN * (high - low))
    };
    let narrow: Vec<usize> = (0..bounds.len()).filter(narrow).collect();
    let &[k] = &narrow[..] else { return };
    let (Some(at), Some(width)) = (place.at[k], place.width[k]) else {
        return;
    };
    if place.singular || place.across.is_some() {
        return;
    }
    let mut along = vec![0.0; bounds.len()];
    along[k] = 1.0;
    for piece in &place.pieces {
        let face = problem.domain.pieces()[*piece].face.fixed();
        if let Some((axis, value)) = face {
            for normal in normals(problem, axis, &along) {
                keep(found, place, strip(normal, (axis, value), at, width));
            }
        }
    }
}

/// The strip with a normal through where a face and a trace meet: Σ over the other coordinates of ξ_k x_k = `at`.
fn strip(normal: Vec<f64>, (axis, value): (usize, f64), at: f64, width: f64) -> Strip {
    let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
    let offset = (at + normal[axis] * value) / length;
    Strip {
        normal: normal.into_iter().map(|n| n / length).collect(),
        offset,
        width: width / length,
    }
}

/// All ξ that are characteristic and have these components but for one.
fn normals(problem: &Problem, axis: usize, along: &[f64]) -> Vec<Vec<f64>> {
    let symbol = Symbol::principal(problem, axis);
    symbol.map_or(Vec::new(), |symbol| symbol.all(along))
}

/// What comes back from the faces in space that a strip meets.
fn reflected(problem: &Problem, from: &Strip) -> Vec<Strip> {
    let bounds = problem.domain.bounds();
    let mut back = Vec::new();
    for axis in (0..bounds.len()).filter(|k| Some(*k) != problem.time) {
        for value in bounds[axis] {
            let mut along = from.normal.clone();
            along[axis] = 0.0;
            let at = from.offset - from.normal[axis] * value;
            let ends = bounds
                .iter()
                .zip(&along)
                .map(|([low, high], n)| [n * low, n * high]);
            let least: f64 = ends.clone().map(|[a, b]| a.min(b)).sum();
            let most: f64 = ends.map(|[a, b]| a.max(b)).sum();
            if least < at && at < most {
                let ways = normals(problem, axis, &along).into_iter();
                back.extend(ways.map(|n| strip(n, (axis, value), at, from.width)));
            }
        }
    }
    back
}

/// Adds a strip that lies along no axis and is not there yet.
fn keep(found: &mut Vec<Place>, from: &Place, strip: Strip) {
    let known = |p: &Place| {
        p.across.as_ref().is_some_and(|other| {
            let near = |a: f64, b: f64| (a - b).abs() <= other.width;
            let mut turned = other.normal.iter().zip(&strip.normal);
            near(other.offset, strip.offset)
                && turned.all(|(a, b)| near(*a, *b))
                && other.width < ALIKE * strip.width
        })
    };
    let slanted = strip.normal.iter().filter(|n| n.abs() > 1e-9).count() > 1;
    if slanted && found.len() < MOST && !found.iter().any(known) {
        found.push(Place {
            pieces: Vec::new(),
            across: Some(strip),
            ..from.clone()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::strips;
    use crate::domain::{Draw, Sampler};
    use crate::posed::Narrow;
    use crate::problem::Problem;

    fn of(problem: &Problem) -> Vec<([f64; 2], f64)> {
        let narrow = Narrow::of(problem, &Draw::new(Sampler::Sobol, 0)).expect("points");
        let found = strips(problem, &narrow);
        let found = found.into_iter().filter_map(|place| place.across);
        let turned = |s: crate::problem::Strip| {
            let sign = s.normal[0].signum();
            ([sign * s.normal[0], sign * s.normal[1]], sign * s.offset)
        };
        found.map(turned).collect()
    }

    fn in_time(equation: &str, conditions: &str) -> Problem {
        let text = format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"{equation}\"\n{conditions}"
        );
        Problem::from_text(&text, "waves.toml", None).expect("a problem")
    }

    const FIXED: &str = "[[boundary]]\non = \"x\"\ndirichlet = 0\n";

    /// Whether x = at + v t is among the strips.
    fn has(found: &[([f64; 2], f64)], at: f64, v: f64) -> bool {
        let length = v.hypot(1.0);
        let same = |(n, offset): &([f64; 2], f64)| {
            (n[0] - 1.0 / length).abs() < 1e-9
                && (n[1] + v / length).abs() < 1e-9
                && (offset - at / length).abs() < 2e-3
        };
        found.iter().any(same)
    }

    /// A pulse at 0.3 travels both ways and comes back from both walls, 0.3 later from one and 0.7 from the other; whether points meet it or not.
    #[test]
    fn a_pulse_travels_and_comes_back() {
        for width in [1e-2, 1e-3, 1e-5] {
            let pulse = format!("[[initial]]\nu = \"exp(-((x - 0.3)/{width})^2)\"\nu_t = 0\n");
            let found = of(&in_time("u_tt - u_xx", &(FIXED.to_owned() + &pulse)));
            assert_eq!(found.len(), 4, "{width}: {found:?}");
            for (at, v) in [(0.3, 1.0), (0.3, -1.0), (-0.3, 1.0), (1.7, -1.0)] {
                assert!(has(&found, at, v), "{width}: {at} {v}: {found:?}");
            }
        }
        let inflow = "[[boundary]]\non = \"x=0\"\ndirichlet = \"exp(-((t - 0.25)/1e-3)^2)\"\n[[initial]]\nu = 0\n";
        let found = of(&in_time("u_t + 2*u_x + u", inflow));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(has(&found, -0.5, 2.0), "{found:?}");
    }

    /// Diffusion spreads, characteristics that bend are no strips, and what lies along an axis is a place and no strip.
    #[test]
    fn what_does_not_travel_has_no_strips() {
        let pulse = "[[initial]]\nu = \"exp(-((x - 0.3)/1e-3)^2)\"\n";
        for equation in ["u_t - u_xx", "u_t + (1 + x)*u_x", "u_t + u*u_x"] {
            let found = of(&in_time(equation, &(FIXED.to_owned() + pulse)));
            assert!(found.is_empty(), "{equation}: {found:?}");
        }
        let flash = "[[boundary]]\non = \"x\"\ndirichlet = \"exp(-((t - 0.3)/1e-3)^2)\"\n[[initial]]\nu = 0\n";
        assert!(of(&in_time("u_t - u_xx", flash)).is_empty());
    }

    /// Nothing in a built-in problem is narrow along no axis.
    #[test]
    fn built_in_problems_have_none() {
        for (name, _) in Problem::builtin_names() {
            let problem = Problem::builtin(name).expect("a built-in problem");
            let narrow = Narrow::of(&problem, &Draw::new(Sampler::Sobol, 0)).expect("points");
            let found = strips(&problem, &narrow);
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
}
