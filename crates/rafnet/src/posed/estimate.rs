//! What the error is likely to be, from how much solutions of a known residual differ:
//!
//! ```text
//! error ≈ d_a ( ρ / √(ρ_a² + ρ²) )^p,     d_a = ‖u_a − u‖ / ‖u‖,   ρ: residuals,   of the best solution and of others a
//! p       = Σ_b x_b ln(d_b/d₁) / Σ_b x_b²,  from 0 to 1,     x_b = ln(ρ_b/ρ₁)     over those that are much rougher than the nearest, 1; ¾ without any
//! ```
//!
//! in the mean (L2) and where it is largest (L∞), each by its own. p is how fast solutions were seen to come nearer while their residuals
//! fell: as fast where problems are well posed, more slowly where some of the solution is hardly held (heat backwards). The largest over all
//! others counts: the best residual of many is small by luck, too, and one solution that disagrees is enough to doubt it. Near rounding (below [`FINE`]) errors
//! follow residuals and distances are rounding: there p is 1, and the largest but one counts.
//! Where nothing agrees the estimate is the disagreement. Above [`LOST`] nothing was found, and solutions may
//! well agree in that: there the estimate is no less than the error of the slowest kind that has such a residual.

use super::judge::{rms, sup};
use crate::expr::larger;

/// How far a function is from another, or likely to be from the truth, relative to its own size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Distance {
    /// By root mean squares.
    pub(crate) l2: f64,
    /// The largest difference over the largest value.
    pub(crate) linf: f64,
}

impl Distance {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self::both(f64::INFINITY);

    /// The same in either norm.
    pub(crate) const fn both(distance: f64) -> Self {
        Self {
            l2: distance,
            linf: distance,
        }
    }

    /// From x to y.
    pub(crate) fn between(x: &[f64], y: &[f64]) -> Self {
        let off: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        Self::of(&off, x)
    }

    /// The same; where x is zero to rounding, next to the size that the data imply, over that size.
    pub(crate) fn apart(x: &[f64], y: &[f64], implied: f64) -> Self {
        if rms(x) >= ZERO * implied {
            return Self::between(x, y);
        }
        let off: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        Self {
            l2: rms(&off) / implied,
            linf: sup(&off) / implied,
        }
    }

    /// Of a difference, over the size of x.
    pub(crate) fn of(off: &[f64], x: &[f64]) -> Self {
        let over = |size: f64, whole: f64| size / larger(whole, f64::MIN_POSITIVE);
        Self {
            l2: over(rms(off), rms(x)),
            linf: over(sup(off), sup(x)),
        }
    }

    /// The larger of two, in each norm; NaN where either is.
    pub(crate) fn max(self, other: Self) -> Self {
        self.with(other, larger)
    }

    /// Both changed alike.
    pub(crate) fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self {
            l2: change(self.l2),
            linf: change(self.linf),
        }
    }

    /// From both, norm by norm.
    pub(crate) fn with(self, other: Self, pick: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            l2: pick(self.l2, other.l2),
            linf: pick(self.linf, other.linf),
        }
    }
}

/// A solution at common points (every unknown after the other), with its held-out residual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) residual: f64,
    /// What the error would be if it were of the slowest kind.
    pub(crate) slow: f64,
}

/// An unknown below this share of the size that the data imply is zero.
const ZERO: f64 = 1e-10;
/// Solutions whose residual is this many times larger say nothing.
pub(crate) const NEAR: f64 = 1e4;
/// Below this residual one solution that is far says nothing.
const FINE: f64 = 1e-9;
/// Above this residual a nonlinear problem is not solved, and errors are not in proportion to residuals: solutions up to so many times worse
/// are as good.
const UNSOLVED: f64 = 1e-3;
const AS_GOOD: f64 = 10.0;
/// Above this residual nothing was found.
pub(crate) const LOST: f64 = 3e-2;

/// Residuals that differ by less say nothing of how fast solutions come nearer.
pub(crate) const ROUGHER: f64 = 10.0;

/// p where no rougher solution tells it: residuals may fall faster than errors.
const UNSEEN: f64 = 0.75;

/// How fast solutions came nearer to the best one while their residuals fell: p of the nearest other and of rougher ones, each by its residual and
/// its distance. It is the slope of a line through the nearest, so that the roughest say most: of two residuals that are close, an accident of
/// their distances would.
pub(crate) fn order(
    nearest: (f64, Distance),
    rougher: impl IntoIterator<Item = (f64, Distance)>,
) -> Distance {
    let (residual, near) = nearest;
    let (mut products, mut squares) = (Distance::default(), 0.0);
    for (rough, far) in rougher {
        if rough >= ROUGHER * residual {
            let x = (rough / residual).ln();
            let y = far.with(near, |far, near| (far / near).ln());
            products = products.with(y, |sum, y| sum + x * y);
            squares += x * x;
        }
    }
    if squares == 0.0 {
        return Distance::both(UNSEEN);
    }
    products.map(|sum| match sum / squares {
        slope if slope > 0.0 => slope.min(1.0),
        // NaN, too: not at all
        _ => 0.0,
    })
}

/// The estimate for the best of several solutions, the others in order of their residuals; `order` is how fast they came nearer, `sizes` are what
/// the data imply of each unknown.
pub(crate) fn error_estimate<'a>(
    best: Sample<'_>,
    others: impl Iterator<Item = Sample<'a>>,
    order: Distance,
    unknowns: usize,
    sizes: &[f64],
    nonlinear: bool,
) -> Distance {
    if best.values.iter().any(|v| v.is_nan()) {
        return Distance::both(f64::NAN);
    }
    let n = best.values.len() / unknowns.max(1);
    let difference = |a: &Sample<'_>| {
        let one = |u: usize| {
            let mine = u * n..(u + 1) * n;
            let implied = sizes.get(u).copied().unwrap_or(0.0);
            Distance::apart(&best.values[mine.clone()], &a.values[mine], implied)
        };
        (0..unknowns)
            .map(one)
            .fold(Distance::default(), Distance::max)
    };
    let near: Vec<(Distance, f64)> = others
        .filter(|a| a.residual < NEAR * best.residual)
        .map(|a| (difference(&a), a.residual))
        .collect();
    let fine = best.residual <= FINE;
    let order = if fine { Distance::both(1.0) } else { order };
    let by_share = |(off, residual): &(Distance, f64)| {
        let share = best.residual / best.residual.hypot(*residual);
        off.with(order, |off, order| off * share.powf(order))
    };
    let errors: Vec<Distance> = near.iter().map(by_share).collect();
    let unsolved = nonlinear && best.residual > UNSOLVED;
    let as_good = near
        .iter()
        .filter(|(_, residual)| unsolved && *residual < AS_GOOD * best.residual);
    let apart = as_good
        .map(|(off, _)| *off)
        .fold(Distance::default(), Distance::max);
    let least = if best.residual > LOST {
        best.slow
    } else {
        f64::EPSILON
    };
    let in_norm = |norm: fn(&Distance) -> f64| {
        let mut errors: Vec<f64> = errors.iter().map(norm).filter(|k| k.is_finite()).collect();
        errors.sort_by(|a, b| b.total_cmp(a));
        let counts = errors.get(usize::from(fine && errors.len() > 1));
        // nothing to compare with: as if errors were as large as residuals
        larger(counts.copied().unwrap_or(best.residual), least)
    };
    let in_proportion = Distance {
        l2: in_norm(|k| k.l2),
        linf: in_norm(|k| k.linf),
    };
    in_proportion.max(apart)
}

#[cfg(test)]
mod tests {
    use super::{Distance, Sample, error_estimate, order};

    const ONE: Distance = Distance::both(1.0);

    /// Distances that fall as the square root of residuals, and one that is as far at a residual that is not much smaller: one half, and what
    /// follows from it. Distances that do not fall: zero. Those that fall faster: one.
    #[test]
    fn solutions_that_come_nearer_slowly_are_far_from_the_truth() {
        let of = |pairs: &[(f64, f64)]| {
            let mut pairs = pairs.iter().map(|(r, d)| (*r, Distance::both(*d)));
            order(pairs.next().expect("a nearest"), pairs).l2
        };
        let half = of(&[(1e-6, 1e-3), (5e-6, 1e-3), (1e-4, 1e-2), (1e-2, 0.1)]);
        assert!((half - 0.5).abs() < 1e-12, "{half}");
        let none = of(&[(1e-6, 1e-3), (1e-4, 5e-4)]);
        let as_fast = of(&[(1e-6, 1e-9), (1e-4, 1e-2)]);
        assert!(none.abs() < 1e-15 && (as_fast - 1.0).abs() < 1e-15);
        // a residual that is ten times smaller by luck says little beside one that is three thousand times larger
        let mostly = of(&[(1.2e-5, 4e-5), (1.2e-4, 6e-5), (3.6e-2, 7e-2)]);
        assert!((0.85..1.0).contains(&mostly), "{mostly}");
        let sample = |values, residual| Sample {
            values,
            residual,
            slow: residual,
        };
        let best = sample(&[1.0, 1.0], 1e-8);
        let other = sample(&[1.001, 1.001], 1e-6);
        let said = |half: f64| {
            let others = std::iter::once(other);
            error_estimate(best, others, Distance::both(half), 1, &[1.0], false).l2
        };
        assert!((said(1.0) / 1e-5 - 1.0).abs() < 1e-3, "{:e}", said(1.0));
        assert!((said(0.5) / 1e-4 - 1.0).abs() < 1e-3, "{:e}", said(0.5));
    }

    /// Two solutions that agree on u and are rounding where the other unknown is zero agree; where it is small and not zero they do not.
    #[test]
    fn an_unknown_that_is_zero_is_measured_by_what_is_given() {
        let of = |small: f64| {
            let first = [1.0, 2.0, small, -small];
            let second = [1.0, 2.0, -small, small];
            let sample = |values| Sample {
                values,
                residual: 1e-15,
                slow: 1e-15,
            };
            let others = [sample(&second[..])];
            error_estimate(
                sample(&first[..]),
                others.into_iter(),
                ONE,
                2,
                &[1.0; 2],
                false,
            )
            .l2
        };
        assert!(of(1e-17) < 1e-15, "{:.1e}", of(1e-17));
        assert!(of(1e-6) > 0.5, "{:.1e}", of(1e-6));
    }

    /// Solutions u + e z with residual 10 e: the estimate is e for the best, whatever the others.
    #[test]
    fn errors_in_proportion_to_residuals_are_found() {
        let noise = |k: u64, i: usize| ((i as f64 + 1.0) * (k as f64 + 0.7) * 12.9898).sin();
        let values = |k: u64, e: f64| -> Vec<f64> {
            (0..400)
                .map(|i| 1.0 + e * 2f64.sqrt() * noise(k, i))
                .collect()
        };
        let all: Vec<(Vec<f64>, f64)> = [(1, 1e-8), (2, 3e-8), (3, 1e-7), (4, 1e-6)]
            .map(|(k, e)| (values(k, e), 10.0 * e))
            .to_vec();
        let samples: Vec<Sample<'_>> = all
            .iter()
            .map(|(v, r)| Sample {
                values: v,
                residual: *r,
                slow: *r,
            })
            .collect();
        let found = error_estimate(samples[0], samples[1..].iter().copied(), ONE, 1, &[], false);
        assert!((0.5e-8..2e-8).contains(&found.l2), "{found:?}");
        // the largest of many sines is √2 times their mean square; of two that are compared, up to twice
        assert!((0.7e-8..4e-8).contains(&found.linf), "{found:?}");
    }

    /// A residual or a value that is no number leaves no estimate, with others to compare with and without.
    #[test]
    fn no_estimate_from_what_is_no_number() {
        let values = [1.0, 2.0];
        let other = Sample {
            values: &[1.0, 2.1],
            residual: 1e-2,
            slow: 1e-2,
        };
        let bad = [1.0, f64::NAN];
        for others in [&[][..], &[other]] {
            let estimate = |values, residual| {
                let best = Sample {
                    values,
                    residual,
                    slow: residual,
                };
                error_estimate(best, others.iter().copied(), ONE, 1, &[], true)
            };
            assert!(estimate(&values, 1e-2).l2 > 0.0);
            for found in [estimate(&values, f64::NAN), estimate(&bad, 1e-2)] {
                assert!(found.l2.is_nan() && found.linf.is_nan(), "{found:?}");
            }
        }
    }

    #[test]
    fn the_larger_of_a_distance_and_nothing_is_nothing() {
        let (some, none) = (Distance::both(1.0), Distance::both(f64::NAN));
        for d in [
            some.max(none),
            none.max(some),
            Distance::default().max(none),
        ] {
            assert!(d.l2.is_nan() && d.linf.is_nan(), "{d:?}");
        }
    }
}
