//! Interior points: inside, uniform, repeatable, and never shared between training and held-out streams.

use super::box_points;
use super::catalogue::{self, Entry};
use crate::domain::{Draw, Sampler};
use std::collections::{HashMap, HashSet};

const SAMPLERS: [Sampler; 3] = [Sampler::Random, Sampler::Sobol, Sampler::Lattice];

fn interior(entry: &Entry, count: usize, draw: &Draw) -> Vec<Vec<f64>> {
    let points = entry
        .domain
        .interior(count, draw)
        .unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    let rows: Vec<Vec<f64>> = points
        .chunks(entry.domain.dimension())
        .map(<[f64]>::to_vec)
        .collect();
    assert_eq!(rows.len(), count, "{}", entry.name);
    rows
}

#[test]
fn points_lie_inside() {
    for entry in catalogue::all() {
        for (seed, sampler) in (5..).zip(SAMPLERS) {
            for draw in [
                Draw::new(sampler, seed),
                Draw::new(sampler, seed).held_out(),
            ] {
                for x in interior(entry, 300, &draw) {
                    assert!(entry.domain.contains(&x), "{}: {x:?}", entry.name);
                    // Curved sides are met to rounding only; everything else is strictly inside.
                    assert!(
                        entry.domain.shape().level(&x) < 1e-15 * 8.0,
                        "{}: {x:?}",
                        entry.name
                    );
                }
            }
        }
    }
}

/// Pairs of equal points anywhere in the batches would be a collision; each stream, seed and round is another batch.
#[test]
fn the_same_draw_gives_the_same_bits_and_another_gives_others() {
    for entry in catalogue::all() {
        for sampler in SAMPLERS {
            let draw = Draw::new(sampler, 1);
            let bits = |draw: &Draw| {
                let points = interior(entry, 200, draw);
                points
                    .iter()
                    .map(|x| x.iter().map(|x| x.to_bits()).collect())
                    .collect::<HashSet<Vec<u64>>>()
            };
            let training = bits(&draw);
            assert_eq!(training, bits(&draw), "{}", entry.name);
            for other in [
                draw.held_out(),
                draw.round(1),
                Draw::new(sampler, 2),
                draw.round(1).held_out(),
            ] {
                assert!(
                    training.is_disjoint(&bits(&other)),
                    "{}: {other:?}",
                    entry.name
                );
            }
        }
    }
}

/// The points of a longer draw begin with those of a shorter one.
#[test]
fn longer_draws_extend_shorter_ones() {
    for entry in catalogue::all() {
        let draw = Draw::new(Sampler::Sobol, 3);
        assert_eq!(
            interior(entry, 50, &draw)[..20],
            interior(entry, 20, &draw)[..],
            "{}",
            entry.name
        );
    }
}

/// The share p of N random points of the box around a shape that it contains estimates |Ω|/|box| with the standard
/// deviation √(p(1 − p)/N); five of them are exceeded once in two million draws. A counted measure has its own error, at
/// most that of 2¹⁴ random points.
#[test]
fn measures_agree_with_monte_carlo() {
    for entry in catalogue::all() {
        let bounds = entry.domain.bounds();
        let volume: f64 = bounds.iter().map(|[low, high]| high - low).product();
        let count = 10_000;
        let inside = box_points(bounds, 17, count)
            .iter()
            .filter(|x| entry.domain.contains(x))
            .count();
        let p = entry.measure / volume;
        let deviation = (p * (1.0 - p)).max(0.0).sqrt();
        let found = inside as f64 / count as f64;
        assert!(
            (found - p).abs() <= 5.0 * deviation / (count as f64).sqrt() + 1e-12,
            "{}: {found}, {p}",
            entry.name
        );
        let gap = (entry.domain.measure() - entry.measure).abs();
        let is_plain = entry
            .domain
            .pieces()
            .iter()
            .all(|piece| piece.part.is_empty());
        let allowed = if is_plain {
            8.0 * f64::EPSILON * entry.measure
        } else {
            5.0 * volume * deviation / 128.0
        };
        assert!(gap <= allowed, "{}: measure off by {gap:e}", entry.name);
    }
}

/// Which of 4 × 4 × 4 cells of the box a point lies in, by its first three coordinates.
fn cell(x: &[f64], bounds: &[[f64; 2]]) -> Vec<u8> {
    let quarter = |(x, [low, high]): (&f64, &[f64; 2])| {
        let share = (x - low) / (high - low);
        [0.25, 0.5, 0.75]
            .iter()
            .map(|end| u8::from(share > *end))
            .sum()
    };
    x.iter().zip(bounds).take(3).map(quarter).collect()
}

/// χ² of two samples of equal size over K cells, Σ (a − b)²/(a + b), has mean K − 1 and variance 2(K − 1) when both come from
/// the same distribution; five deviations and 20 more (for its skewness at small K) are met by chance less than once in
/// 10⁶. The other sample is drawn by rejection from the box. Quasi-random points vary less, so the bound holds for them too.
#[test]
fn points_are_uniform() {
    for entry in catalogue::all() {
        let bounds = entry.domain.bounds();
        let count = 3_000;
        let oracle: Vec<Vec<f64>> = (0..)
            .flat_map(|seed| box_points(bounds, 100 + seed, 5_000))
            .filter(|x| entry.domain.contains(x))
            .take(count)
            .collect();
        for sampler in SAMPLERS {
            let drawn = interior(entry, count, &Draw::new(sampler, 23));
            let mut cells: HashMap<Vec<u8>, [f64; 2]> = HashMap::new();
            for (which, sample) in [&drawn, &oracle].into_iter().enumerate() {
                for x in sample {
                    cells.entry(cell(x, bounds)).or_default()[which] += 1.0;
                }
            }
            let statistic: f64 = cells.values().map(|[a, b]| (a - b).powi(2) / (a + b)).sum();
            let freedom = cells.len() as f64 - 1.0;
            let bound = freedom + 5.0 * (2.0 * freedom).sqrt() + 20.0;
            assert!(
                statistic <= bound,
                "{}, {sampler}: χ² = {statistic} over {freedom}",
                entry.name
            );
        }
    }
}

/// The mean of a smooth function converges faster than for random points. In the disc, |x − c|² has the mean R²/2 and the
/// variance R⁴/12; the random error at N = 4096 is 0.0101 for R = 1.5, and quasi-random points must be ten times better.
#[test]
fn quasi_random_points_integrate_better() {
    let entry = catalogue::named("disc");
    let count = 4096;
    let random_error = 1.5f64.powi(2) / (12.0 * f64::from(count)).sqrt();
    for sampler in [Sampler::Sobol, Sampler::Lattice] {
        let points = interior(entry, 4096, &Draw::new(sampler, 2));
        let mean: f64 = points
            .iter()
            .map(|x| ((x[0] - 1.0).powi(2) + (x[1] + 2.0).powi(2)) / f64::from(count))
            .sum();
        assert!(
            (mean - 1.125).abs() < random_error / 10.0,
            "{sampler}: {mean}"
        );
    }
}
