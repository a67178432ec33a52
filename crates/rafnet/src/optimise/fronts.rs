//! min ‖A c − b‖ where every row reads few groups of columns: groups are eliminated one after the other by orthogonal triangles.
//!
//! ```text
//! the front of group g:  | own rows     0   |           | R_g  S_g |   kept: c_g = R_g⁻¹ (y − S_g c_others)
//!                        | joins     joins  |  = Q  ·   |  0    T  |   handed on to the first of the others
//!                        | T of the groups before |
//! ```
//!
//! A chain of groups costs one front after the other, a plane grid of N groups N^1.5. The order is that of least degree (A. George, J. Liu,
//! "The evolution of the minimum degree ordering algorithm", 1989), fronts are those of a multifrontal QR (T. Davis, 2011): rows of triangles
//! stand in the order of their first numbers, so that a reflection reads none that begin after its columns. The triangle is
//! [`triangularise`], which drops nothing, and Q is never kept. Own rows come [`Condensed`](super::Condensed), with columns of norm one and
//! rows μ I that keep every R_g regular as in [`LeastSquares`](super::LeastSquares). Fronts of different branches are factored by different
//! threads; the answer does not depend on how many.

mod plan;

pub(crate) use plan::n_kept;

use super::parallel::each;
use super::triangle::back_substitute;
use super::{ANYWHERE, triangularise, triangularise_first};
use crate::halt::{Crew, Halt};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};
use plan::Plan;
use std::sync::Mutex;

/// Rows that read some groups.
pub(crate) struct Rows {
    /// Which, ascending.
    pub(crate) groups: Vec<usize>,
    /// The columns of these groups, one group after the other, then the right-hand sides.
    pub(crate) entries: Mat<f64>,
    /// Whether each row begins a column after the one before.
    pub(crate) triangle: bool,
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

impl Fronts {
    /// Factors rows over groups of so many columns. Of no use once it is ended.
    pub(crate) fn new(widths: &[usize], rows: Vec<Rows>, sides: usize, crew: Crew<'_>) -> Self {
        let plan = Plan::new(widths.len(), rows.iter().map(|r| &r.groups[..]));
        // rows enter with the first of their groups that is eliminated
        let mut place = vec![0; widths.len()];
        plan.order
            .iter()
            .enumerate()
            .for_each(|(at, g)| place[*g] = at);
        let mut waiting: Vec<Vec<Rows>> = widths.iter().map(|_| Vec::new()).collect();
        for r in rows {
            if let Some(first) = r.groups.iter().copied().min_by_key(|g| place[*g]) {
                waiting[first].push(r);
            }
        }
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        let rooms = Rooms::default();
        let deepest = plan.level.iter().max().copied().unwrap_or(0);
        for level in 0..=deepest {
            let at_level = |g: &usize| plan.level[*g] == level;
            let now: Vec<usize> = plan.order.iter().copied().filter(at_level).collect();
            let own = |g: &usize| Mutex::new(std::mem::take(&mut waiting[*g]));
            let given: Vec<Mutex<Vec<Rows>>> = now.iter().map(own).collect();
            // few fronts have several threads each
            let of_each = Crew::new((crew.threads / now.len().max(1)).max(1), crew.halt);
            let done = each(now.len(), crew, &|k| {
                let rows = given[k]
                    .lock()
                    .map_or_else(|_| Vec::new(), |mut given| std::mem::take(&mut *given));
                let group = (now[k], &plan.others[now[k]][..]);
                rooms.lend(|room| front(group, widths, rows, sides, room, of_each))
            });
            // in the order of elimination, whatever thread was first
            for (own, rest) in done {
                match plan.parent(own.group) {
                    Some(parent) => waiting[parent].push(rest),
                    None => left.push(rest.entries),
                }
                kept.push(own);
            }
        }
        let work = |g: usize| {
            let (n, others): (usize, usize) =
                (widths[g], plan.others[g].iter().map(|o| widths[*o]).sum());
            4.0 * (n + others) as f64 * n as f64 * (n + others) as f64
        };
        let kept_work = (0..widths.len()).map(work).sum();
        kept.sort_by_key(|k: &Kept| place[k.group]);
        Self {
            kept,
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

/// Where fronts are made: kept from one to the next, or their memory is left in holes.
#[derive(Default)]
struct Rooms(Mutex<Vec<Vec<f64>>>);

impl Rooms {
    fn lend<T>(&self, job: impl FnOnce(&mut Vec<f64>) -> T) -> T {
        let idle = self.0.lock().ok().and_then(|mut rooms| rooms.pop());
        let mut room = idle.unwrap_or_default();
        let made = job(&mut room);
        self.0
            .lock()
            .into_iter()
            .for_each(|mut rooms| rooms.push(std::mem::take(&mut room)));
        made
    }
}

/// Triangularises the front of a group: what is kept of it, and what is handed on.
fn front(
    (group, others): (usize, &[usize]),
    widths: &[usize],
    rows: Vec<Rows>,
    sides: usize,
    room: &mut Vec<f64>,
    crew: Crew<'_>,
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
    let left = total - n;
    let height: usize = rows.iter().map(|r| r.entries.nrows()).sum();
    // rows that are no more than columns are handed on as they are: a triangle has as many
    let dense = !others.is_empty() && height <= n + left;
    let tall = height.max(total);
    if room.len() < tall * total {
        // given up first: never two
        *room = Vec::new();
        *room = vec![0.0; tall * total];
    }
    let room = &mut room[..tall * total];
    room.fill(0.0);
    let mut joint = MatMut::from_column_major_slice_mut(room, tall, total);
    // where each column of a set of rows stands: in its own order, as groups are in that of elimination
    let columns_of = |r: &Rows| -> Vec<usize> {
        let places = r.groups.iter().map(|g| (starts[*g], widths[*g]));
        let all = places.chain([(width, sides)]);
        all.flat_map(|(start, wide)| start..start + wide).collect()
    };
    // rows of triangles stand in the order in which they begin, behind all others; these stay as they come, whatever zeros are among them: rows
    // of very different sizes lose digits in another order (120 pieces on a line: ten of them)
    let mut leads: Vec<(usize, usize)> = Vec::with_capacity(height);
    for r in &rows {
        let (first, columns) = (leads.len(), columns_of(r));
        let lead = |i: usize| if r.triangle { columns[i] } else { 0 };
        leads.extend((0..r.entries.nrows()).map(|i| (lead(i), first + i)));
    }
    leads.sort_unstable();
    let mut place = vec![0; height];
    let in_order = leads.iter().enumerate();
    in_order.for_each(|(to, (_, row))| place[*row] = to);
    let mut at = 0;
    // each is given up once it is in: the last fronts are what takes the memory
    for r in rows {
        let count = r.entries.nrows();
        for (k, to) in columns_of(&r).into_iter().enumerate() {
            let Some(to) = joint.rb_mut().col_mut(to).try_as_col_major_mut() else {
                continue;
            };
            let to = to.as_slice_mut();
            let pairs = place[at..at + count].iter().zip(r.entries.col_as_slice(k));
            pairs.for_each(|(place, v)| to[*place] = *v);
        }
        at += count;
    }
    let columns = if dense { n } else { total };
    let reach = |end: usize| leads.partition_point(|(lead, _)| *lead < end);
    triangularise_first(joint.rb_mut(), columns, &reach, crew);
    let handed_on = if dense {
        height.max(n) - n
    } else {
        left.min(tall - n)
    };
    let rest = joint.rb().submatrix(n, n, handed_on, left);
    let entries = if dense { rest.to_owned() } else { upper(rest) };
    let upper = upper(joint.rb().submatrix(0, 0, n, total));
    let others = others.to_vec();
    let rest = Rows {
        groups: others.clone(),
        entries,
        triangle: !dense,
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

/// What is on and above the diagonal.
fn upper(a: MatRef<'_, f64>) -> Mat<f64> {
    let entry = |i: usize, j: usize| if i <= j { a[(i, j)] } else { 0.0 };
    Mat::from_fn(a.nrows(), a.ncols(), entry)
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
    triangularise(&mut joint, ANYWHERE, &Halt::default()); // a few columns
    upper(joint.submatrix(0, 0, sides, sides))
}

#[cfg(test)]
mod tests;
