//! Best-first bisection: where a text reaches beyond the values that were seen.
//!
//! ```text
//! excess of a box    how far its enclosure reaches beyond [low seen, high seen], less a tolerance
//! priority           volume × excess, over the domain's volume and the scale
//! a witness          a box whose enclosure lies beyond as a whole
//! ```
//!
//! The best box is followed down to a witness or to nothing, always into the half that reaches further; the other halves wait. So a
//! strip that crosses thousands of boxes is met by the first one that is followed. Near a smooth maximum the nearest of n points in m
//! coordinates is about n^(−1/m) away and the value there lower by its square, which the tolerance covers.

use super::field::{Field, Seen};
use super::tuning::{EXCESS, FAR, ROUNDING, SPLITS};
use crate::expr::{Defined, Interval};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A box whose values all lie beyond those seen.
pub(super) struct Witness {
    pub(super) sides: Vec<Interval>,
    /// 1 where they are higher, −1 where they are lower.
    pub(super) sign: f64,
}

/// A part of the domain that needs no further look.
pub(super) struct Zone {
    pub(super) at: Vec<f64>,
    pub(super) reach: Vec<f64>,
    /// Of a strip its normal, and how far it reaches to both sides of it.
    pub(super) across: Option<(Vec<f64>, f64)>,
}

impl Zone {
    pub(super) fn holds(&self, x: &[f64]) -> bool {
        if let Some((normal, reach)) = &self.across {
            let off = x.iter().zip(&self.at).zip(normal);
            return off.map(|((x, at), n)| (x - at) * n).sum::<f64>().abs() <= *reach;
        }
        let mut sides = x.iter().zip(&self.at).zip(&self.reach);
        sides.all(|((x, at), reach)| (x - at).abs() <= *reach)
    }

    fn covers(&self, sides: &[Interval]) -> bool {
        if let Some((normal, reach)) = &self.across {
            return farthest(normal, &self.at, sides) <= *reach;
        }
        let mut all = sides.iter().zip(&self.at).zip(&self.reach);
        all.all(|((side, at), reach)| side.low >= at - reach && side.high <= at + reach)
    }
}

/// How far a box reaches from a point along a direction, to either side.
pub(super) fn farthest(normal: &[f64], at: &[f64], sides: &[Interval]) -> f64 {
    let all = || sides.iter().zip(at).zip(normal);
    let middle = all().map(|((side, at), n)| (side.middle() - at) * n);
    let half = all().map(|((side, _), n)| 0.5 * side.width() * n.abs());
    middle.sum::<f64>().abs() + half.sum::<f64>()
}

struct Cell {
    sides: Vec<Interval>,
    range: Interval,
    share: f64,
    infinite: usize,
    priority: f64,
    number: usize,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    /// The higher priority, then the earlier box.
    fn cmp(&self, other: &Self) -> Ordering {
        let priority = self.priority.total_cmp(&other.priority);
        priority.then(other.number.cmp(&self.number))
    }
}

/// A search through the boxes of a field.
pub(super) struct Bisection {
    seen: Seen,
    tolerance: f64,
    /// What excesses are measured by: how far the known values spread.
    pub(super) scale: f64,
    pub(super) zones: Vec<Zone>,
    waiting: BinaryHeap<Cell>,
    left: usize,
    made: usize,
    /// Whether nothing was left that could reach beyond.
    pub(super) excluded: bool,
}

impl Bisection {
    /// A search with so many boxes.
    pub(super) fn new(field: &mut Field<'_>, seen: Seen, boxes: usize) -> Self {
        let size = seen.low.abs().max(seen.high.abs());
        let scale = (seen.high - seen.low).max(ROUNDING * size);
        let smooth = 2.0 * (seen.n as f64).powf(-2.0 / field.free.len() as f64);
        let mut search = Self {
            seen,
            tolerance: EXCESS.max(smooth),
            scale: scale.max(f64::MIN_POSITIVE),
            zones: Vec::new(),
            waiting: BinaryHeap::new(),
            left: boxes,
            made: 0,
            excluded: true,
        };
        let whole = search.cell(field, field.sides.clone(), 1.0, 0);
        search.waiting.extend(whole);
        search
    }

    /// Boxes that were enclosed.
    pub(super) fn made(&self) -> usize {
        self.made
    }

    /// The next witness; `None` when nothing is left or the boxes are spent.
    pub(super) fn next(&mut self, field: &mut Field<'_>) -> Option<Witness> {
        while let Some(cell) = self.waiting.pop() {
            if self.excess(cell.range) <= 0.0 || self.is_done(&cell.sides) {
                continue;
            }
            if self.left < 2 {
                self.excluded = false;
                return None;
            }
            let witness = self.follow(field, cell);
            if witness.is_some() {
                return witness;
            }
        }
        None
    }

    /// A place was found that takes this zone, with a value so far beyond those seen.
    pub(super) fn leave(&mut self, zone: Zone, excess: f64) {
        if excess.is_finite() {
            self.scale = self.scale.max(excess);
        }
        self.zones.push(zone);
    }

    /// How far a value lies beyond those seen.
    pub(super) fn beyond(&self, value: f64, sign: f64) -> f64 {
        if sign > 0.0 {
            value - self.seen.high
        } else {
            self.seen.low - value
        }
    }

    /// Down from a box, always into the half that reaches further.
    fn follow(&mut self, field: &mut Field<'_>, mut cell: Cell) -> Option<Witness> {
        loop {
            let sign = self.certain(cell.range);
            if sign != 0.0 && field.holds(&middle(&cell.sides)) {
                let sides = cell.sides;
                return Some(Witness { sides, sign });
            }
            let Some(halves) = self.halves(field, &cell) else {
                self.excluded = false;
                return None;
            };
            let (next, other) = match halves {
                [Some(first), Some(second)] => {
                    let [next, other] = self.ordered(field, first, second);
                    (next, Some(other))
                }
                [Some(only), None] | [None, Some(only)] => (only, None),
                [None, None] => return None,
            };
            self.waiting.extend(other);
            cell = next;
        }
    }

    /// Two halves, first the one that reaches further; where both reach as far, the one whose middle does; then either, by lot, so that
    /// no side of a plateau is followed for ever.
    fn ordered(&mut self, field: &mut Field<'_>, first: Cell, second: Cell) -> [Cell; 2] {
        let mut reach = [&first, &second].map(|half| self.excess(half.range));
        if reach[0].total_cmp(&reach[1]) == Ordering::Equal {
            reach = [&first, &second].map(|half| self.excess_at_middle(field, &half.sides));
        }
        let lot = self.made.wrapping_mul(0x9e37_79b9) >> 16 & 1 == 0;
        match reach[0].total_cmp(&reach[1]) {
            Ordering::Less => [second, first],
            Ordering::Equal if lot => [second, first],
            _ => [first, second],
        }
    }

    fn excess_at_middle(&mut self, field: &mut Field<'_>, sides: &[Interval]) -> f64 {
        let points: Vec<Interval> = sides.iter().map(|s| Interval::point(s.middle())).collect();
        self.left = self.left.saturating_sub(1);
        self.made += 1;
        self.excess(field.enclose(&points).range)
    }

    /// Both halves as far as they matter; `None` where the box cannot be split or no box is left.
    fn halves(&mut self, field: &mut Field<'_>, cell: &Cell) -> Option<[Option<Cell>; 2]> {
        let infinite = cell.infinite + usize::from(!cell.range.is_bounded());
        if self.left < 2 || infinite > SPLITS * field.free.len() {
            return None;
        }
        let width = |k: &usize| cell.sides[*k].width() / field.sides[*k].width();
        let widest = field.free.iter().copied();
        let widest = widest.max_by(|a, b| width(a).total_cmp(&width(b)).then(b.cmp(a)))?;
        let side = cell.sides[widest];
        let middle = side.middle();
        if middle <= side.low || middle >= side.high {
            return None;
        }
        let parts = [
            Interval::new(side.low, middle),
            Interval::new(middle, side.high),
        ];
        Some(parts.map(|part| {
            let mut sides = cell.sides.clone();
            sides[widest] = part;
            self.cell(field, sides, 0.5 * cell.share, infinite)
        }))
    }

    /// A box, unless it needs no further look.
    fn cell(
        &mut self,
        field: &mut Field<'_>,
        sides: Vec<Interval>,
        share: f64,
        infinite: usize,
    ) -> Option<Cell> {
        let enclosure = field.enclose(&sides);
        self.left = self.left.saturating_sub(1);
        self.made += 1;
        let excess = self.excess(enclosure.range);
        let nothing = enclosure.defined == Defined::Nowhere || excess <= 0.0;
        if nothing || self.is_done(&sides) || is_outside(field, &sides) {
            return None;
        }
        Some(Cell {
            sides,
            range: enclosure.range,
            share,
            infinite,
            priority: share * (excess / self.scale).min(FAR),
            number: self.made,
        })
    }

    fn is_done(&self, sides: &[Interval]) -> bool {
        self.zones.iter().any(|zone| zone.covers(sides))
    }

    fn excess(&self, range: Interval) -> f64 {
        let above = range.high - self.seen.high;
        let below = self.seen.low - range.low;
        above.max(below) - self.tolerance * self.scale
    }

    /// The sign of the side on which all values lie beyond those seen; 0 where some do not.
    fn certain(&self, range: Interval) -> f64 {
        let margin = self.tolerance * self.scale;
        if range.low > self.seen.high + margin {
            1.0
        } else if range.high < self.seen.low - margin {
            -1.0
        } else {
            0.0
        }
    }
}

/// The middle of a box.
pub(super) fn middle(sides: &[Interval]) -> Vec<f64> {
    sides.iter().map(|side| side.middle()).collect()
}

/// Whether a small box lies outside of the domain, to judge by its corners and its middle.
fn is_outside(field: &Field<'_>, sides: &[Interval]) -> bool {
    if field.is_box || field.free.len() > 4 {
        return false;
    }
    let small = |k: &usize| 16.0 * sides[*k].width() <= field.sides[*k].width();
    if !field.free.iter().all(small) || field.holds(&middle(sides)) {
        return false;
    }
    (0..1usize << field.free.len()).all(|corner| {
        let mut x = middle(sides);
        for (bit, k) in field.free.iter().enumerate() {
            let low = corner >> bit & 1 == 0;
            x[*k] = if low { sides[*k].low } else { sides[*k].high };
        }
        !field.holds(&x)
    })
}
