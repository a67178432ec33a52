//! Solutions that run away: where small errors grow, a coarse level can blow up in finite time although the solution does not, in ever shorter slabs.

use crate::expr::largest;

/// Six slabs are shorter, all together, than this share of the time that is left, and the last is shorter than the first.
const SHORT: f64 = 0.02;
/// In them an unknown has grown by this factor, to this many times what is given.
const GROWN: f64 = 4.0;
const LARGE: f64 = 100.0;

/// The slabs behind.
pub(super) struct Trail {
    given: Vec<f64>,
    last: f64,
    slabs: Vec<([f64; 2], f64)>,
}

impl Trail {
    /// For unknowns of given sizes, up to the last moment.
    pub(super) fn new(given: &[f64], last: f64) -> Self {
        Self {
            given: given.to_vec(),
            last,
            slabs: Vec::new(),
        }
    }

    /// Another slab, with the sizes of the unknowns in it.
    pub(super) fn push(&mut self, slab: [f64; 2], sizes: &[f64]) {
        let over = sizes.iter().zip(&self.given).map(|(s, g)| s / g);
        self.slabs.push((slab, largest(over)));
    }

    /// Whether the last ones are ever shorter and larger.
    pub(super) fn runs_away(&self) -> bool {
        let [.., (first, small), _, _, _, _, (now, large)] = self.slabs[..] else {
            return false;
        };
        let length = |[begin, end]: [f64; 2]| end - begin;
        now[1] - first[0] < SHORT * (self.last - now[1])
            && length(now) < length(first)
            && large > LARGE.max(GROWN * small)
    }
}

#[cfg(test)]
mod tests {
    use super::Trail;

    /// Slabs of u = 1/(1 − t), each a quarter of what is left before the pole: far behind it the trail is long, near it it runs away.
    #[test]
    fn a_pole_is_run_into_and_growth_over_long_times_is_not() {
        let trail = |last: f64, size: &dyn Fn(f64) -> f64, next: &dyn Fn(f64) -> f64| {
            let mut trail = Trail::new(&[1.0], last);
            let mut begin = 0.0;
            for _ in 0..60 {
                let end = begin + next(begin);
                trail.push([begin, end], &[size(end)]);
                begin = end;
                if trail.runs_away() {
                    return Some(begin);
                }
            }
            None
        };
        let pole = trail(2.0, &|t| 1.0 / (1.0 - t), &|t| 0.25 * (1.0 - t));
        assert!(pole.is_some_and(|t| t > 0.98), "{pole:?}");
        // as large, but over all of the time
        assert_eq!(trail(20.0, &f64::exp, &|_| 0.3), None);
        // a stiff start: short slabs at first, then longer ones
        assert_eq!(
            trail(20.0, &|t| 1e5 * t.min(1.0), &|t| 1e-6 + 0.3 * t),
            None
        );
    }
}
