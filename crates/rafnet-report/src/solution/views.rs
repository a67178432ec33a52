//! The planes in which a function of several coordinates is shown.

use rafnet::domain::Domain;

/// Times, or places along a third axis.
const FRAMES: usize = 21;
/// The same of each of three planes.
const SLICES: usize = 9;

/// Two axes that vary, one that has a slider perhaps, and the others at a point.
pub(crate) struct View {
    pub(crate) axes: [usize; 2],
    /// The axis with the slider, and its values.
    pub(crate) frames: Option<(usize, Vec<f64>)>,
    /// Where the other axes are.
    pub(crate) at: Vec<f64>,
}

impl View {
    /// The views of a domain: one of a plane, one in time, three slices in space; of more coordinates planes through the middle.
    pub(crate) fn of(domain: &Domain, time: Option<usize>) -> Vec<Self> {
        let bounds = domain.bounds();
        let d = bounds.len();
        let space: Vec<usize> = (0..d).filter(|k| Some(*k) != time).collect();
        let at: Vec<f64> = bounds
            .iter()
            .map(|[low, high]| 0.5 * (low + high))
            .collect();
        let along = |axis: usize, n: usize| {
            let [low, high] = bounds[axis];
            let value = |k: usize| low + (high - low) * k as f64 / (n - 1) as f64;
            (axis, (0..n).map(value).collect::<Vec<f64>>())
        };
        let view = |axes: [usize; 2], frames: Option<(usize, Vec<f64>)>| Self {
            axes,
            frames,
            at: at.clone(),
        };
        match (space.len(), time) {
            (0, _) | (1, None) => Vec::new(),
            (1, Some(t)) => vec![view([space[0], t], None)],
            (2, t) => vec![view([space[0], space[1]], t.map(|t| along(t, FRAMES)))],
            (3, None) => vec![
                view([0, 1], Some(along(2, SLICES))),
                view([0, 2], Some(along(1, SLICES))),
                view([1, 2], Some(along(0, SLICES))),
            ],
            (_, t) => [[0, 1], [0, 2], [1, 2]]
                .map(|[i, j]| view([space[i], space[j]], t.map(|t| along(t, SLICES))))
                .into(),
        }
    }

    /// The points of one frame with so many along each axis, the first axis fastest.
    pub(crate) fn points(
        &self,
        bounds: &[[f64; 2]],
        [nx, ny]: [usize; 2],
        frame: usize,
    ) -> Vec<f64> {
        let mut points = Vec::with_capacity(nx * ny * bounds.len());
        let place = |axis: usize, k: usize, n: usize| {
            let [low, high] = bounds[axis];
            low + (high - low) * k as f64 / (n - 1) as f64
        };
        for j in 0..ny {
            for i in 0..nx {
                let mut x = self.at.clone();
                if let Some((axis, values)) = &self.frames {
                    x[*axis] = values[frame];
                }
                x[self.axes[0]] = place(self.axes[0], i, nx);
                x[self.axes[1]] = place(self.axes[1], j, ny);
                points.extend(x);
            }
        }
        points
    }

    /// How many frames.
    pub(crate) fn n_frames(&self) -> usize {
        self.frames.as_ref().map_or(1, |(_, values)| values.len())
    }
}
