//! The order in which groups are eliminated, known before any number is.

use std::collections::BTreeSet;

/// In which order groups are eliminated, and what each then depends on.
pub(super) struct Plan {
    pub(super) order: Vec<usize>,
    /// By group, in the order of elimination.
    pub(super) others: Vec<Vec<usize>>,
    /// By group: how many fronts must be done one after the other before it.
    pub(super) level: Vec<usize>,
}

impl Plan {
    /// Least degree first; of equal ones the one with the fewest fronts below it, so that branches can run side by side.
    pub(super) fn new<'a>(groups: usize, rows: impl Iterator<Item = &'a [usize]>) -> Self {
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
        let mut place = vec![0; groups];
        let in_order = plan.order.iter().enumerate();
        in_order.for_each(|(at, g)| place[*g] = at);
        let others = plan.others.iter_mut();
        others.for_each(|others| others.sort_by_key(|o| place[*o]));
        plan
    }

    /// The group to which the front of `g` hands on.
    pub(super) fn parent(&self, g: usize) -> Option<usize> {
        self.others[g].first().copied()
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
