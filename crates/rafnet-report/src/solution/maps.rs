//! Maps of a function of two coordinates and more: value, residual, estimated and true error on one grid, with the true outline.

use super::fields::{Field, Group, inside};
use super::{Solution, View};
use crate::array;
use crate::outline::{COARSE, FINE, Plane};
use crate::page::Section;
use rafnet::domain::{Cuboid, Domain, described};
use rafnet::expr::{larger, largest};
use rafnet::model::Model;
use serde_json::{Value, json};
use std::sync::Arc;

/// Numbers of all maps of a page together: half of what a page may have.
const NUMBERS: usize = 600_000;
/// Grid points along an axis.
const SIDES: [usize; 2] = [33, 161];
/// Multiplications that the maps of a page take, about half a second's.
const MOST_WORK: f64 = 8e8;
/// Eigenfunctions and unknowns of which maps are drawn.
const GROUPS: usize = 6;

/// What is mapped, and where.
struct Atlas<'a> {
    groups: Vec<Group<'a>>,
    domain: &'a Domain,
    coordinates: &'a [String],
    time: Option<usize>,
    /// Points of observations, n × d.
    observed: Vec<f64>,
    worst: Value,
}

/// The maps of a solution.
pub(crate) fn sections(solution: &Solution<'_>) -> Vec<Section> {
    let problem = solution.problem;
    let mut groups = solution.groups();
    groups.truncate(GROUPS);
    let atlas = Atlas {
        groups,
        domain: &problem.domain,
        coordinates: &problem.coordinates,
        time: problem.time,
        observed: problem.data.iter().flat_map(|o| o.points.clone()).collect(),
        worst: solution.result["worst"].clone(),
    };
    atlas.sections()
}

/// The maps of a model where it means something.
pub(crate) fn of_model(model: &Model) -> Vec<Section> {
    let parts = model.parts();
    let Some(domain) = domain_of(model) else {
        return Vec::new();
    };
    if parts.coordinates.len() == 1 {
        let groups = Group::of_model(model);
        return super::lines::section(&groups, &domain, &parts.coordinates[0], &[])
            .into_iter()
            .collect();
    }
    let mut groups = Group::of_model(model);
    groups.truncate(GROUPS);
    let atlas = Atlas {
        groups,
        domain: &domain,
        coordinates: &parts.coordinates,
        time: parts.time,
        observed: Vec::new(),
        worst: Value::Null,
    };
    atlas.sections()
}

/// The region that a model's file describes.
fn domain_of(model: &Model) -> Option<Domain> {
    let region = model.parts().region.as_ref()?;
    let description = serde_json::from_str(&region.description).ok();
    let shape = description.and_then(|d: Value| described(&d));
    let shape = shape.filter(|s| s.dimension() == model.dimension());
    let shape = match shape {
        Some(shape) => shape,
        None => Arc::new(Cuboid::new(region.bounds.clone()).ok()?),
    };
    Some(Domain::new(shape))
}

impl Atlas<'_> {
    fn sections(&self) -> Vec<Section> {
        let views = View::of(self.domain, self.time);
        let size = self.size(&views);
        let section = |(k, view): (usize, &View)| self.section(view, size, k == 0);
        views.iter().enumerate().filter_map(section).collect()
    }

    /// Grid points along both axes: what the page has room for, and the models are quick enough for.
    fn size(&self, views: &[View]) -> usize {
        let maps: usize = views.iter().map(View::n_frames).sum();
        let fields: usize = self.groups.iter().map(Group::n_fields).sum();
        let room = NUMBERS as f64 / (maps * fields.max(1)).max(1) as f64;
        let d = self.coordinates.len();
        let streams = 1 + d + d * (d + 1) / 2;
        let of_group = |g: &Group<'_>| g.model.parts().network.n_parameters() * streams;
        let work: usize = self.groups.iter().map(of_group).sum();
        let quick = MOST_WORK / (maps * work.max(1)).max(1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let side = (if quick < room { quick } else { room }).sqrt() as usize;
        side.clamp(SIDES[0], SIDES[1])
    }

    fn section(&self, view: &View, side: usize, first: bool) -> Option<Section> {
        let bounds = self.domain.bounds();
        let frames = view.n_frames();
        let size = [side, side];
        let points: Vec<f64> = (0..frames)
            .flat_map(|f| view.points(bounds, size, f))
            .collect();
        let inside = inside(self.domain, &points);
        let shown = shown(&inside, size);
        let (mut fields, mut groups) = (Vec::new(), Vec::new());
        for group in &self.groups {
            let own = group.fields(&points, &inside)?;
            let sizes = own[0].values.iter().zip(&inside);
            let sizes = sizes.filter(|(_, inside)| **inside).map(|(v, _)| v.abs());
            let first = fields.len();
            let places: Vec<usize> = (first..first + own.len()).collect();
            let bar = bar(group, &own, largest(sizes), &inside);
            groups.push(json!({ "name": group.name, "fields": places, "bar": bar }));
            fields.extend(own.iter().map(|f| field(f, &inside, &shown)));
        }
        let axis = |k: usize| json!({ "name": self.coordinates[k], "range": bounds[k], "time": Some(k) == self.time });
        let others = (0..bounds.len())
            .filter(|k| !view.axes.contains(k) && view.frames.as_ref().is_none_or(|f| f.0 != *k));
        let others: Vec<String> = others
            .map(|k| format!("{} = {:.4}", self.coordinates[k], view.at[k]))
            .collect();
        let slider = view.frames.as_ref().map(|(k, values)| {
            json!({ "name": self.coordinates[*k], "values": values, "time": Some(*k) == self.time })
        });
        let of_plane = self.coordinates.len() == 2;
        let dots = if of_plane {
            array::f32(&self.observed)
        } else {
            Value::Null
        };
        let data = json!({
            "axes": view.axes.map(axis), "size": size, "frames": slider, "fields": fields, "groups": groups,
            "outlines": self.outlines(view), "cut": self.cut(view), "dots": dots,
            "worst": if of_plane { self.worst.clone() } else { Value::Null }, "at": others,
        });
        let [x, y] = view.axes.map(|k| self.coordinates[k].as_str());
        let title = match &view.frames {
            Some((k, _)) if Some(*k) != self.time => {
                format!("The solution over {x} and {y}, at {}", self.coordinates[*k])
            }
            _ if first && others.is_empty() => "The solution".to_owned(),
            _ => format!("The solution over {x} and {y}"),
        };
        let text = if others.is_empty() {
            String::new()
        } else {
            format!("In the plane {}.", others.join(", "))
        };
        Some(Section::new("maps", title, text, data))
    }

    /// The outline in every frame, once where it is the same in all.
    fn outlines(&self, view: &View) -> Value {
        let same = match &view.frames {
            None => true,
            Some((axis, _)) => Some(*axis) == self.time || self.domain.as_cuboid().is_some(),
        };
        let frames = if same { 1 } else { view.n_frames() };
        let outline = |frame: usize| {
            let mut at = view.at.clone();
            if let (Some((axis, values)), false) = (&view.frames, same) {
                at[*axis] = values[frame];
            }
            let plane = Plane {
                domain: self.domain,
                axes: view.axes,
                at: &at,
                cells: if same { FINE } else { COARSE },
            };
            let loops = plane.outline();
            Value::from(loops.iter().map(|l| array::f32(l)).collect::<Vec<_>>())
        };
        Value::from((0..frames).map(outline).collect::<Vec<_>>())
    }

    /// The pieces of the solution that lie in the view: x and y, and from where to where they reach along the slider.
    fn cut(&self, view: &View) -> Value {
        let parts = self.groups.first().map(|g| g.model.parts());
        let pieces = parts.map_or(&[][..], |p| &p.pieces[..]);
        let slider = view.frames.as_ref().map(|f| f.0);
        let through = |piece: &&Vec<[f64; 2]>| {
            let mut fixed =
                (0..piece.len()).filter(|k| !view.axes.contains(k) && Some(*k) != slider);
            fixed.all(|k| piece[k][0] <= view.at[k] && view.at[k] <= piece[k][1])
        };
        let boxes = pieces.iter().filter(through).flat_map(|piece| {
            let [x, y] = view.axes.map(|k| piece[k]);
            let along = slider.map_or([f64::NEG_INFINITY, f64::INFINITY], |k| piece[k]);
            [x, y, along].concat()
        });
        array::f32(&boxes.collect::<Vec<f64>>())
    }
}

/// Inside, and one grid point beyond: what colours between grid points need.
fn shown(inside: &[bool], [nx, ny]: [usize; 2]) -> Vec<bool> {
    let mut shown = vec![false; inside.len()];
    for (frame, from) in inside.chunks(nx * ny).zip(shown.chunks_mut(nx * ny)) {
        for j in 0..ny {
            for i in 0..nx {
                let near = |k: usize, n: usize| k.saturating_sub(1)..(k + 2).min(n);
                from[j * nx + i] = near(j, ny).any(|b| near(i, nx).any(|a| frame[b * nx + a]));
            }
        }
    }
    shown
}

/// The largest error that is likely anywhere: what the figures say, and what the map of the estimate has.
fn bar(group: &Group<'_>, fields: &[Field], size: f64, inside: &[bool]) -> Option<f64> {
    let estimate = fields.iter().find(|f| f.role == "estimate");
    let on_map = estimate.map_or(0.0, |f| {
        let counted = f.values.iter().zip(inside).filter(|(_, inside)| **inside);
        largest(counted.map(|(v, _)| *v))
    });
    group.bar(size).map(|bar| larger(bar, on_map))
}

/// A field with its range, which is that of points inside.
fn field(field: &Field, inside: &[bool], shown: &[bool]) -> Value {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (v, _) in field
        .values
        .iter()
        .zip(inside)
        .filter(|(v, inside)| **inside && v.is_finite())
    {
        low = rafnet::expr::smaller(low, *v);
        high = larger(high, *v);
    }
    let kept = field.values.iter().zip(shown);
    let kept: Vec<f64> = kept
        .map(|(v, shown)| if *shown { *v } else { f64::NAN })
        .collect();
    json!({ "name": field.name, "role": field.role, "low": low, "high": high, "values": array::f32(&kept) })
}
