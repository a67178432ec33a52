//! min ‖A c − b‖ where every row reads few groups of columns: groups are eliminated one after the other by orthogonal triangles.
//!
//! ```text
//! the front of group g:  | own rows     0   |           | R_g  S_g |   kept: c_g = R_g⁻¹ (y − S_g c_others)
//!                        | joins     joins  |  = Q  ·   |  0    T  |   handed on to the first of the others
//!                        | T of the groups before |
//! ```
//!
//! A chain of groups costs one front after the other, a plane grid of N groups N^1.5. The order is that of least degree (A. George, J. Liu,
//! "The evolution of the minimum degree ordering algorithm", 1989), fronts are those of a multifrontal QR (T. Davis, 2011), the triangle is
//! [`triangularise`], which drops nothing, and Q is never kept. Own rows come [`Condensed`](super::Condensed), with columns of norm one and
//! rows μ I that keep every R_g regular as in [`LeastSquares`](super::LeastSquares). Fronts of different branches are factored by different
//! threads; the answer does not depend on how many.

use super::triangle::back_substitute;
use super::{triangularise, triangularise_first};
use faer::Mat;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows over columns up to which they are not made a triangle before they are handed on.
const ENOUGH: f64 = 1.4;

/// Rows that read some groups.
pub(crate) struct Rows {
    /// Which, ascending.
    pub(crate) groups: Vec<usize>,
    /// The columns of these groups, one group after the other, then the right-hand sides.
    pub(crate) entries: Mat<f64>,
}

/// A group that was eliminated.
struct Kept {
    group: usize,
    /// The groups after it that it depends on.
    others: Vec<usize>,
    /// [R S y], as many rows as the group has columns.
    upper: Mat<f64>,
}

/// A factored problem with its right-hand sides.
pub(crate) struct Fronts {
    kept: Vec<Kept>,
    widths: Vec<usize>,
    /// What no group meets: a few rows of the sides alone.
    left: Mat<f64>,
    sides: usize,
    /// Multiplications and additions that it took.
    pub(crate) work: f64,
}

/// In which order groups are eliminated, and what each then depends on.
struct Plan {
    order: Vec<usize>,
    /// By group.
    others: Vec<Vec<usize>>,
    /// By group: how many fronts must be done one after the other before it.
    level: Vec<usize>,
}

impl Plan {
    /// Least degree first; of equal ones the one with the fewest fronts below it, so that branches can run side by side.
    fn new<'a>(groups: usize, rows: impl Iterator<Item = &'a [usize]>) -> Self {
        let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); groups];
        for touched in rows {
            for g in touched {
                near[*g].extend(touched.iter().filter(|o| *o != g));
            }
        }
        let mut plan = Self {
            order: Vec::with_capacity(groups),
            others: vec![Vec::new(); groups],
            level: vec![0; groups],
        };
        let mut waiting: BTreeSet<usize> = (0..groups).collect();
        while let Some(g) = waiting
            .iter()
            .copied()
            .min_by_key(|g| (near[*g].len(), plan.level[*g], *g))
        {
            waiting.remove(&g);
            let others: Vec<usize> = near[g].iter().copied().collect();
            for o in &others {
                near[*o].extend(others.iter().filter(|other| *other != o));
                near[*o].remove(&g);
                plan.level[*o] = plan.level[*o].max(plan.level[g] + 1);
            }
            plan.order.push(g);
            plan.others[g] = others;
        }
        plan
    }

    /// The group to which the front of `g` hands on.
    fn parent(&self, g: usize) -> Option<usize> {
        let place = |o: &usize| self.order.iter().position(|x| x == o);
        self.others[g].iter().copied().min_by_key(place)
    }
}

/// How many numbers the fronts keep of groups of `width` columns each that are joined in this way.
pub(crate) fn n_kept<'a>(
    groups: usize,
    width: usize,
    joins: impl Iterator<Item = &'a [usize]>,
) -> usize {
    let plan = Plan::new(groups, joins);
    let columns = plan
        .others
        .iter()
        .map(|o| width.saturating_mul(1 + o.len()));
    columns.fold(0, usize::saturating_add).saturating_mul(width)
}

impl Fronts {
    /// Factors rows over groups of so many columns.
    pub(crate) fn new(widths: &[usize], rows: Vec<Rows>, sides: usize, threads: usize) -> Self {
        let plan = Plan::new(widths.len(), rows.iter().map(|r| &r.groups[..]));
        // rows enter with the first of their groups that is eliminated
        let mut place = vec![0; widths.len()];
        plan.order
            .iter()
            .enumerate()
            .for_each(|(at, g)| place[*g] = at);
        let mut fresh: Vec<Vec<Rows>> = widths.iter().map(|_| Vec::new()).collect();
        for r in rows {
            if let Some(first) = r.groups.iter().copied().min_by_key(|g| place[*g]) {
                fresh[first].push(r);
            }
        }
        let waiting: Vec<Mutex<Vec<Rows>>> = fresh.into_iter().map(Mutex::new).collect();
        let kept: Vec<Mutex<Option<Kept>>> = widths.iter().map(|_| Mutex::new(None)).collect();
        let mut left = vec![];
        let deepest = plan.level.iter().max().copied().unwrap_or(0);
        for level in 0..=deepest {
            let now: Vec<usize> = plan
                .order
                .iter()
                .copied()
                .filter(|g| plan.level[*g] == level)
                .collect();
            let done: Vec<Mutex<Option<Rows>>> = now.iter().map(|_| Mutex::new(None)).collect();
            let eliminate = |k: usize| {
                let g = now[k];
                let rows = waiting[g]
                    .lock()
                    .map_or_else(|_| Vec::new(), |mut w| std::mem::take(&mut *w));
                let (own, rest) = front(g, &plan.others[g], widths, rows, sides);
                put(&kept[g], own);
                put(&done[k], rest);
            };
            in_parallel(now.len(), threads, &eliminate);
            // in the order of elimination, whatever thread was first
            for (g, rest) in now.iter().zip(done) {
                let Some(rest) = rest.into_inner().ok().flatten() else {
                    continue;
                };
                match plan.parent(*g) {
                    Some(parent) => {
                        if let Ok(mut w) = waiting[parent].lock() {
                            w.push(rest);
                        }
                    }
                    None => left.push(rest.entries),
                }
            }
        }
        let work = |g: usize| {
            let (n, others): (usize, usize) =
                (widths[g], plan.others[g].iter().map(|o| widths[*o]).sum());
            4.0 * (n + others) as f64 * n as f64 * (n + others) as f64
        };
        let kept_work = (0..widths.len()).map(work).sum();
        let mut all: Vec<Kept> = kept
            .into_iter()
            .filter_map(|k| k.into_inner().ok().flatten())
            .collect();
        all.sort_by_key(|k| place[k.group]);
        Self {
            kept: all,
            widths: widths.to_vec(),
            left: last_rows(&left, sides),
            sides,
            work: kept_work,
        }
    }

    /// The solution for the combination Σ_k t_k B_k, by group.
    pub(crate) fn solve(&self, combination: &[f64]) -> Vec<Vec<f64>> {
        let mut found: Vec<Vec<f64>> = self.widths.iter().map(|w| vec![0.0; *w]).collect();
        for Kept {
            group,
            others,
            upper,
        } in self.kept.iter().rev()
        {
            let n = self.widths[*group];
            let sides = upper.ncols() - self.sides;
            let mut x: Vec<f64> = (0..n)
                .map(|i| {
                    let sum = combination.iter().enumerate();
                    sum.map(|(k, t)| t * upper[(i, sides + k)]).sum()
                })
                .collect();
            for (at, value) in (n..).zip(others.iter().flat_map(|o| &found[*o])) {
                let column = upper.col(at);
                x.iter_mut()
                    .zip(column.iter())
                    .for_each(|(x, s)| *x -= s * value);
            }
            back_substitute(upper, &mut x);
            found[*group] = x;
        }
        found
    }

    /// ‖A c − b‖ of the solution for a combination, the share of the ridge included.
    pub(crate) fn misfit(&self, combination: &[f64]) -> f64 {
        let row = |i: usize| -> f64 {
            let terms = combination.iter().enumerate();
            terms.map(|(k, t)| t * self.left[(i, k)]).sum()
        };
        (0..self.left.nrows())
            .map(|i| row(i).powi(2))
            .sum::<f64>()
            .sqrt()
    }
}

/// Keeps one result.
fn put<T>(place: &Mutex<Option<T>>, value: T) {
    if let Ok(mut place) = place.lock() {
        *place = Some(value);
    }
}

/// Calls `job` with 0, 1, … on several threads.
pub(crate) fn in_parallel(count: usize, threads: usize, job: &(dyn Fn(usize) + Sync)) {
    let threads = threads.min(count);
    if threads < 2 {
        (0..count).for_each(job);
        return;
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    match next.fetch_add(1, Ordering::Relaxed) {
                        k if k < count => job(k),
                        _ => return,
                    }
                }
            });
        }
    });
}

/// Triangularises the front of a group: what is kept of it, and what is handed on.
fn front(
    group: usize,
    others: &[usize],
    widths: &[usize],
    rows: Vec<Rows>,
    sides: usize,
) -> (Kept, Rows) {
    let n = widths[group];
    let mut starts = vec![usize::MAX; widths.len()];
    starts[group] = 0;
    let mut width = n;
    for o in others {
        starts[*o] = width;
        width += widths[*o];
    }
    let total = width + sides;
    let height: usize = rows.iter().map(|r| r.entries.nrows()).sum();
    let mut joint = Mat::<f64>::zeros(height.max(total), total);
    let mut at = 0;
    // each is given up once it is in: the last fronts are what takes the memory
    for r in rows {
        let count = r.entries.nrows();
        let mut from = 0;
        let places = r.groups.iter().map(|g| (starts[*g], widths[*g]));
        for (start, wide) in places.chain([(width, sides)]) {
            let mut to = joint.submatrix_mut(at, start, count, wide);
            to.copy_from(r.entries.submatrix(0, from, count, wide));
            from += wide;
        }
        at += count;
    }
    let left = total - n;
    // rows that are not many more than columns are handed on as they are: a triangle would cost more than it saves
    let dense = !others.is_empty() && height as f64 - n as f64 <= ENOUGH * left as f64;
    let upper = |joint: &Mat<f64>, first: usize, count: usize, wide: usize| {
        Mat::from_fn(count, wide, |i, j| {
            if i <= j {
                joint[(first + i, first + j)]
            } else {
                0.0
            }
        })
    };
    let entries = if dense {
        triangularise_first(&mut joint, n);
        joint.submatrix(n, n, height.max(n) - n, left).to_owned()
    } else {
        triangularise(&mut joint);
        upper(&joint, n, left.min(joint.nrows() - n), left)
    };
    let upper = upper(&joint, 0, n, total);
    let others = others.to_vec();
    let rest = Rows {
        groups: others.clone(),
        entries,
    };
    (
        Kept {
            group,
            others,
            upper,
        },
        rest,
    )
}

/// Rows of the sides alone, as one triangle.
fn last_rows(rows: &[Mat<f64>], sides: usize) -> Mat<f64> {
    let height: usize = rows.iter().map(Mat::nrows).sum();
    let mut joint = Mat::<f64>::zeros(height.max(sides), sides);
    let mut at = 0;
    for r in rows {
        joint.submatrix_mut(at, 0, r.nrows(), sides).copy_from(r);
        at += r.nrows();
    }
    triangularise(&mut joint);
    Mat::from_fn(
        sides,
        sides,
        |i, j| if i <= j { joint[(i, j)] } else { 0.0 },
    )
}

#[cfg(test)]
mod tests {
    use super::{Fronts, Rows};
    use crate::optimise::LeastSquares;
    use faer::Mat;

    /// Rows of a graph of groups: own ones and one set for each edge.
    fn rows(edges: &[(usize, usize)], groups: usize, n: usize) -> Vec<Rows> {
        let entry = |seed: usize, i: usize, j: usize| {
            // splitmix64: plain multiples would make rows that depend on each other
            let mut x = (seed * 31 + i * 7919 + j * 104_729) as u64;
            x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let own = (0..groups).map(|g| Rows {
            groups: vec![g],
            entries: Mat::from_fn(n + 2, n + 2, |i, j| entry(g + 1, i, j)),
        });
        let joins = edges.iter().enumerate().map(|(e, (a, b))| Rows {
            groups: vec![*a, *b],
            entries: Mat::from_fn(3, 2 * n + 2, |i, j| entry(1000 + e, i, j)),
        });
        own.chain(joins).collect()
    }

    /// A chain, a circle and a grid: the same solution and misfit as one dense problem, the same bits on any number of threads.
    #[test]
    fn fronts_solve_what_one_dense_triangle_solves() {
        let chain: Vec<(usize, usize)> = (0..6).map(|k| (k, k + 1)).collect();
        let circle: Vec<(usize, usize)> = (0..6).map(|k| (k, k + 1)).chain([(0, 6)]).collect();
        let right = (0..9).filter(|k| k % 3 < 2).map(|k| (k, k + 1));
        let grid: Vec<(usize, usize)> = right.chain((0..6).map(|k| (k, k + 3))).collect();
        for (edges, groups) in [(chain, 7), (circle, 7), (grid, 9)] {
            let n = 5;
            let widths = vec![n; groups];
            let fronts = Fronts::new(&widths, rows(&edges, groups, n), 2, 1);
            let all = rows(&edges, groups, n);
            let height = all.iter().map(|r| r.entries.nrows()).sum();
            let mut dense = LeastSquares::room(height, n * groups, 2);
            let mut at = 0;
            for r in &all {
                for i in 0..r.entries.nrows() {
                    let places = r.groups.iter().flat_map(|g| g * n..(g + 1) * n);
                    for (from, to) in places.chain([groups * n, groups * n + 1]).enumerate() {
                        dense[(at, to)] = r.entries[(i, from)];
                    }
                    at += 1;
                }
            }
            let dense = LeastSquares::new(dense, 2);
            let (mine, expected) = (fronts.solve(&[1.0, -0.5]), dense.solve(&[1.0, -0.5]));
            for (a, b) in mine.iter().flatten().zip(&expected) {
                assert!((a - b).abs() < 1e-11, "{a} {b}");
            }
            let [a, b] = [fronts.misfit(&[1.0, -0.5]), dense.misfit(&[1.0, -0.5])];
            assert!((a - b).abs() < 1e-12, "{a} {b}");
            let threaded = Fronts::new(&widths, rows(&edges, groups, n), 2, 3);
            assert_eq!(threaded.solve(&[1.0, 2.0]), fronts.solve(&[1.0, 2.0]));
        }
    }
}
