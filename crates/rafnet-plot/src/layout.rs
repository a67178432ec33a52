//! What every drawing with axes has in common.

use crate::axis::Axis;
use kuva::render::layout::{Layout, TickFormat};

/// A layout with these axes, in ticks, their names, and a title where there is one.
pub(crate) fn with_axes(layout: Layout, axes: [Axis; 2], labels: [&str; 2], title: &str) -> Layout {
    let [x, y] = axes.map(|axis| axis.ends());
    let layout = layout
        .with_x_axis_min(x[0])
        .with_x_axis_max(x[1])
        .with_y_axis_min(y[0])
        .with_y_axis_max(y[1])
        .with_x_tick_step(1.0)
        .with_y_tick_step(1.0)
        .with_x_tick_format(TickFormat::Custom(axes[0].label()))
        .with_y_tick_format(TickFormat::Custom(axes[1].label()))
        .with_box_axes()
        .with_title_size(15)
        .with_x_label(labels[0])
        .with_y_label(labels[1]);
    match title {
        "" => layout,
        title => layout.with_title(title),
    }
}
