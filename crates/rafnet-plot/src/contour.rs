//! Lines along which a field on a grid has a value: marching squares, linear between grid points.

use crate::HeatMap;

/// A segment, from a point to another.
pub(crate) type Segment = [[f64; 2]; 2];

/// The segments of a level; cells with a corner that has no value are left out.
pub(crate) fn segments(map: &HeatMap<'_>, level: f64) -> Vec<Segment> {
    let [nx, ny] = map.size;
    let place = |axis: usize, k: usize| {
        let [low, high] = map.ranges[axis];
        low + (high - low) * k as f64 / (map.size[axis] - 1) as f64
    };
    let mut found = Vec::new();
    for i in 0..nx.saturating_sub(1) {
        for j in 0..ny.saturating_sub(1) {
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let values = corners.map(|(i, j)| map.values[i * ny + j] - level);
            if values.iter().any(|v| !v.is_finite()) {
                continue;
            }
            let points = corners.map(|(i, j)| [place(0, i), place(1, j)]);
            let crossing = |k: usize| {
                let next = (k + 1) % 4;
                let (a, b) = (values[k], values[next]);
                ((a < 0.0) != (b < 0.0)).then(|| {
                    let share = a / (a - b);
                    let mix = |c: usize| points[k][c] + share * (points[next][c] - points[k][c]);
                    [mix(0), mix(1)]
                })
            };
            let crossings: Vec<[f64; 2]> = (0..4).filter_map(crossing).collect();
            match crossings[..] {
                [a, b] => found.push([a, b]),
                [a, b, c, d] => {
                    // a saddle: the middle says which corners belong together
                    let middle = values.iter().sum::<f64>() < 0.0;
                    let joined = middle == (values[0] < 0.0);
                    let pairs = if joined {
                        [[a, b], [c, d]]
                    } else {
                        [[d, a], [b, c]]
                    };
                    found.extend(pairs);
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::segments;
    use crate::{Colours, HeatMap};

    /// The level 1/4 of x² + y² is a circle: its segments are together as long as it, and every end lies on it.
    #[test]
    fn a_circle() {
        const N: usize = 201;
        let at = |k: usize| 2.0 * k as f64 / (N - 1) as f64 - 1.0;
        let all = (0..N).flat_map(|i| (0..N).map(move |j| at(i).powi(2) + at(j).powi(2)));
        let values: Vec<f64> = all.collect();
        let map = HeatMap {
            values: &values,
            size: [N, N],
            ranges: [[-1.0, 1.0]; 2],
            labels: ["x", "y"],
            title: "",
            colours: Colours::Sequential,
            outlines: &[],
        };
        let found = segments(&map, 0.25);
        let length: f64 = found
            .iter()
            .map(|[a, b]| (a[0] - b[0]).hypot(a[1] - b[1]))
            .sum();
        assert!((length - std::f64::consts::PI).abs() < 1e-3, "{length}");
        for end in found.iter().flatten() {
            assert!((end[0].hypot(end[1]) - 0.5).abs() < 1e-4, "{end:?}");
        }
    }
}
