//! A known text over a box, ready to be enclosed and evaluated.

use crate::domain::Domain;
use crate::expr::{
    Enclosing, Enclosure, Expr, Interval, LANES, Leaf, MissingInput, Program, Scratch,
};

/// A text in the coordinates it depends on.
pub(super) struct Field<'a> {
    /// Which coordinates of the problem these are.
    pub(super) axes: Vec<usize>,
    /// What each runs through; one number on a face.
    pub(super) sides: Vec<Interval>,
    /// Which of `axes` are more than one number.
    pub(super) free: Vec<usize>,
    enclosing: Enclosing,
    registers: Vec<Enclosure>,
    program: Program,
    scratch: Scratch,
    within: Within<'a>,
    /// Whether all points of the box count.
    pub(super) is_box: bool,
}

/// Where points count that lie in the box.
#[derive(Clone, Copy)]
pub(super) struct Within<'a> {
    pub(super) domain: &'a Domain,
    /// What must not be 0.
    pub(super) filter: Option<&'a Expr>,
}

impl Within<'_> {
    /// Whether every point of the box around the domain counts, to judge by these coordinates alone.
    fn is_box(&self, axes: &[usize]) -> bool {
        let space = |k: &usize| Some(*k) != self.domain.time_axis();
        let mut space = (0..self.domain.dimension()).filter(space);
        let open = space.any(|k| !axes.contains(&k));
        self.filter.is_none() && (open || self.domain.as_cuboid().is_some())
    }
}

/// What a text is at points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) low: f64,
    pub(super) high: f64,
    /// At how many points it has a value.
    pub(super) n: usize,
}

impl<'a> Field<'a> {
    /// A text over the sides of a box (one for each coordinate of the problem).
    pub(super) fn new(
        expr: &Expr,
        sides: &[Interval],
        within: Within<'a>,
    ) -> Result<Self, MissingInput> {
        let axes = expr.coordinates();
        let leaves: Vec<Leaf> = axes.iter().map(|k| Leaf::Coordinate(*k)).collect();
        let sides: Vec<Interval> = axes.iter().map(|k| sides[*k]).collect();
        let enclosing = Enclosing::compile(expr, &leaves)?;
        let program = Program::compile(std::slice::from_ref(expr), &leaves)?;
        Ok(Self {
            free: (0..axes.len())
                .filter(|k| sides[*k].width() > 0.0)
                .collect(),
            registers: enclosing.registers(),
            scratch: program.scratch(),
            is_box: within.is_box(&axes),
            axes,
            sides,
            enclosing,
            program,
            within,
        })
    }

    /// Operations for each box.
    pub(super) fn cost(&self) -> usize {
        self.enclosing.n_operations().max(1)
    }

    pub(super) fn enclose(&mut self, sides: &[Interval]) -> Enclosure {
        self.enclosing.enclose(sides, &mut self.registers)
    }

    /// The values at the points (n × d) that lie on this face; of so many the most extreme one at either end does not count.
    pub(super) fn seen(&mut self, points: &[f64], dimension: usize, chance: usize) -> Seen {
        let on_face = |x: &&[f64]| {
            let fixed = (0..self.axes.len()).filter(|k| !self.free.contains(k));
            fixed.into_iter().all(|k| {
                let (side, x) = (self.sides[k], x[self.axes[k]]);
                (x - side.low).abs() <= self.within.domain.tolerance()
            })
        };
        let points: Vec<&[f64]> = points.chunks_exact(dimension).filter(on_face).collect();
        let column = |k: &usize| points.iter().map(|x| x[*k]).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = self.axes.iter().map(column).collect();
        let inputs: Vec<&[f64]> = columns.iter().map(|c| &c[..]).collect();
        let mut values = vec![0.0; points.len()];
        self.program
            .evaluate(&inputs, &mut [&mut values], &mut self.scratch);
        let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        // the few most extreme ones may be those that met a narrow place by chance, and a judge with fewer points would not
        let few = values.len() / chance;
        let kept = &values[few..values.len() - few];
        Seen {
            low: kept.first().copied().unwrap_or(f64::INFINITY),
            high: kept.last().copied().unwrap_or(f64::NEG_INFINITY),
            n: values.len() / (few + 1),
        }
    }

    /// The values at `at` with coordinate k (of `axes`) moved to each of these, at most [`LANES`].
    pub(super) fn along(&mut self, at: &[f64], k: usize, moved: &[f64]) -> Vec<f64> {
        debug_assert!(moved.len() <= LANES);
        let inputs: Vec<&[f64]> = (0..at.len())
            .map(|j| if j == k { moved } else { &at[j..=j] })
            .collect();
        let mut values = vec![0.0; moved.len()];
        self.program
            .evaluate(&inputs, &mut [&mut values], &mut self.scratch);
        values
    }

    /// The value at a point.
    pub(super) fn at(&mut self, at: &[f64]) -> f64 {
        self.along(at, 0, &at[..1])[0]
    }

    /// Whether a point counts; coordinates that the text does not depend on are half way.
    pub(super) fn holds(&self, at: &[f64]) -> bool {
        if self.is_box {
            return true;
        }
        let bounds = self.within.domain.bounds().iter();
        let mut x: Vec<f64> = bounds.map(|[low, high]| 0.5 * (low + high)).collect();
        for (axis, value) in self.axes.iter().zip(at) {
            x[*axis] = *value;
        }
        self.within.domain.contains(&x) && self.within.filter.is_none_or(|f| f.at(&x) > 0.5)
    }
}
