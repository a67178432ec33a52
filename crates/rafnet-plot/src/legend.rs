//! Where a legend stands, and what is written there.

use crate::axis::Axis;
use crate::lines::{Plot, stretches};
use kuva::plot::legend::LegendPosition;

/// Letters of a name in a legend.
const LETTERS: usize = 40;

/// A name as the legend has room for.
pub(crate) fn short(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LETTERS - 1).collect();
    format!("{kept}…")
}

/// The corner where the fewest points are.
pub(crate) fn emptiest_corner(plot: &Plot<'_>, axes: [Axis; 2]) -> LegendPosition {
    let ends = axes.map(|axis| axis.ends());
    let place = |axis: usize, v: f64| {
        let [low, high] = ends[axis];
        (v - low) / (high - low)
    };
    let points: Vec<[f64; 2]> = plot
        .curves
        .iter()
        .flat_map(|c| stretches(c, axes))
        .flatten()
        .map(|p| [place(0, p[0]), place(1, p[1])])
        .collect();
    let longest = plot
        .curves
        .iter()
        .map(|c| short(c.name).chars().count())
        .max()
        .unwrap_or(0);
    let (wide, tall) = (
        0.12 + 0.013 * longest as f64,
        0.08 + 0.06 * plot.curves.len() as f64,
    );
    let corners = [
        (LegendPosition::InsideTopRight, [true, true]),
        (LegendPosition::InsideTopLeft, [false, true]),
        (LegendPosition::InsideBottomLeft, [false, false]),
        (LegendPosition::InsideBottomRight, [true, false]),
    ];
    let covered = |[right, top]: [bool; 2]| {
        let within = |p: &&[f64; 2]| {
            let x = if right { 1.0 - p[0] } else { p[0] };
            let y = if top { 1.0 - p[1] } else { p[1] };
            x < wide && y < tall
        };
        points.iter().filter(within).count()
    };
    let least = corners
        .into_iter()
        .min_by_key(|(_, corner)| covered(*corner));
    least.map_or(LegendPosition::InsideTopRight, |(position, _)| position)
}
