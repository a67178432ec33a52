//! What a figure is drawn over: the coordinates that nothing holds, and the places where the others stay.

use super::Kind;
use crate::output::Failure;
use rafnet::model::Model;

/// Points along a curve, and along a side of a map.
const ALONG: usize = 601;
const SIDE: usize = 161;
/// Times or maps of one figure.
const MOST: usize = 24;

/// The coordinates that vary, and what is drawn over them.
pub(super) struct Axes {
    /// Name, range and number of points of each.
    free: Vec<(String, [f64; 2], usize)>,
    /// Their places among the model's coordinates.
    pub(super) places: Vec<usize>,
    pub(super) slices: Vec<Slice>,
    time: Option<(usize, [f64; 2])>,
}

/// A point whose other coordinates vary.
#[derive(Clone)]
pub(super) struct Slice {
    pub(super) point: Vec<f64>,
    /// What tells it from other slices.
    pub(super) label: Option<String>,
}

impl Axes {
    /// The axes of a model; what is moving has no time among them.
    pub(super) fn of(
        model: &Model,
        times: Option<&str>,
        at: Option<&str>,
        kind: Option<Kind>,
        moving: bool,
    ) -> Result<Self, Failure> {
        let parts = model.parts();
        let names = &parts.coordinates;
        let Some(region) = &parts.region else {
            let message =
                "the model says nothing about its domain, so there is nothing to draw it over";
            return Err(Failure::new(
                message,
                "evaluate it at points of your own: raf eval MODEL --at points.csv -o values.csv",
            ));
        };
        let mut middle: Vec<f64> = region
            .bounds
            .iter()
            .map(|[low, high]| 0.5 * (low + high))
            .collect();
        let mut held = vec![false; names.len()];
        for pair in at
            .into_iter()
            .flat_map(|t| t.split(','))
            .map(str::trim)
            .filter(|p| !p.is_empty())
        {
            let fail = |what: String| {
                Failure::new(
                    format!("in `--at`: {what}"),
                    format!("write `--at {}=0.5`", names[names.len() - 1]),
                )
            };
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| fail(format!("`{pair}` is no coordinate with its value")))?;
            let place = names
                .iter()
                .position(|n| n == name.trim())
                .ok_or_else(|| fail(format!("the model has no coordinate `{}`", name.trim())))?;
            let value = value.trim().parse::<f64>().ok().filter(|v| v.is_finite());
            middle[place] = value.ok_or_else(|| fail(format!("`{pair}` is no number")))?;
            held[place] = true;
        }
        let times = list(times)?;
        let time = parts.time.filter(|_| names.len() > 1);
        match time {
            None if !times.is_empty() || moving => {
                let message = if moving {
                    "this model has no time that a film could run over"
                } else {
                    "`--time` was given, but the model has no time beside other coordinates"
                };
                let hint = if moving {
                    "pass `-o NAME.pdf`"
                } else {
                    "leave `--time` out, or hold a coordinate by `--at`"
                };
                return Err(Failure::new(message, hint));
            }
            Some(k) if moving || !times.is_empty() => held[k] = true,
            // space and time of three and more coordinates: the end is shown
            Some(k) if names.len() > 2 && !held[k] && kind != Some(Kind::Lines) => {
                held[k] = true;
                middle[k] = region.bounds[k][1];
            }
            _ => {}
        }
        let most = if kind == Some(Kind::Lines) { 1 } else { 2 };
        let mut places: Vec<usize> = (0..names.len()).filter(|k| !held[*k]).collect();
        places.truncate(most);
        if places.is_empty() {
            let message = "every coordinate is held: there is nothing to draw over";
            return Err(Failure::new(
                message,
                "leave one out of `--at` and `--time`, or print the value: raf eval RUN --at \"x=0.5, t=1\"",
            ));
        }
        if places.len() == 1 && matches!(kind, Some(Kind::Map | Kind::Contours | Kind::Arrows)) {
            let message = "a map takes two coordinates, and only one is left";
            return Err(Failure::new(
                message,
                "hold fewer by `--at` and `--time`, or draw `--kind lines`",
            ));
        }
        let n = if places.len() == 1 { ALONG } else { SIDE };
        let free = places
            .iter()
            .map(|&k| (names[k].clone(), region.bounds[k], n))
            .collect();
        let slices = match (time, &times[..]) {
            (Some(k), [_, ..]) => times
                .iter()
                .map(|t| {
                    let mut point = middle.clone();
                    point[k] = *t;
                    Slice {
                        point,
                        label: Some(format!("{} = {t}", names[k])),
                    }
                })
                .collect(),
            _ => vec![Slice {
                point: middle,
                label: None,
            }],
        };
        Ok(Self {
            free,
            places,
            slices,
            time: time.map(|k| (k, region.bounds[k])),
        })
    }

    /// A slice for each of so many times, from the first to the last.
    pub(super) fn over_time(&self, frames: u16) -> Result<Vec<Slice>, Failure> {
        let Some((axis, [first, last])) = self.time else {
            let message = "this model has no time that a film could run over";
            return Err(Failure::new(message, "pass `-o NAME.pdf`"));
        };
        let of = |k: u16| {
            let t = first + (last - first) * f64::from(k) / f64::from(frames - 1);
            let mut point = self.slices[0].point.clone();
            point[axis] = t;
            Slice {
                point,
                label: Some(format!("t = {t:.3}")),
            }
        };
        Ok((0..frames).map(of).collect())
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.free.iter().map(|(name, ..)| name.as_str()).collect()
    }

    pub(super) fn range(&self, axis: usize) -> [f64; 2] {
        self.free[axis].1
    }

    pub(super) fn count(&self, axis: usize) -> usize {
        self.free[axis].2
    }

    /// The places along an axis.
    pub(super) fn along(&self, axis: usize) -> Vec<f64> {
        let (_, [low, high], n) = self.free[axis];
        let at = |k: usize| {
            if k + 1 == n {
                high
            } else {
                low + (high - low) * k as f64 / (n - 1) as f64
            }
        };
        (0..n).map(at).collect()
    }
}

/// The numbers of `--time`.
fn list(text: Option<&str>) -> Result<Vec<f64>, Failure> {
    let number = |part: &str| {
        let found = part.trim().parse::<f64>().ok().filter(|t| t.is_finite());
        found.ok_or_else(|| {
            Failure::new(
                format!("`--time {part}` cannot be used: expected a number"),
                "raf plot RUN --time 0,0.5,1 -o figure.pdf",
            )
        })
    };
    let times = text
        .into_iter()
        .flat_map(|t| t.split(','))
        .map(number)
        .collect::<Result<Vec<f64>, Failure>>()?;
    if times.len() > MOST {
        let message = format!("`--time` has {} times; a figure takes {MOST}", times.len());
        return Err(Failure::new(
            message,
            "take fewer, or a film: `-o NAME.gif --frames 60`",
        ));
    }
    Ok(times)
}
