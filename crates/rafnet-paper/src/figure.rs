//! The figures, each as SVG and as PDF: training curves with the range over seeds as a band, waves of sounds.

use crate::Store;
use crate::record::Record;
use crate::table::Section;
use rafnet_plot::{Curve, Plot, PlotError, Scale, curves, panels};
use std::path::Path;

/// The runs of one curve.
pub(crate) struct Group {
    name: String,
    records: Vec<Record>,
}

/// A curve over its seeds.
struct Drawn {
    name: String,
    x: Vec<f64>,
    /// Least, median, greatest.
    y: [Vec<f64>; 3],
}

impl Drawn {
    fn curve(&self) -> Curve<'_> {
        let [low, median, high] = &self.y;
        Curve::new(&self.name, &self.x, median).with_band(low, high)
    }
}

impl Group {
    pub(crate) fn new(name: &str, records: Vec<Record>) -> Self {
        Self {
            name: name.into(),
            records,
        }
    }

    /// The curve of this name over the seeds, as far as all of them go; a single value is none.
    fn drawn(&self, curve: &str) -> Option<Drawn> {
        let all: Vec<(Vec<f64>, Vec<f64>)> =
            self.records.iter().filter_map(|r| r.curve(curve)).collect();
        let shortest = all.iter().min_by_key(|c| c.0.len())?;
        let n = shortest.0.len();
        let mut y = [const { Vec::new() }; 3];
        for k in 0..n {
            let mut values: Vec<f64> = all.iter().map(|c| c.1[k]).collect();
            values.sort_by(f64::total_cmp);
            y[0].push(values[0]);
            y[1].push(values[(values.len() - 1) / 2]);
            y[2].push(values[values.len() - 1]);
        }
        let measured = y[1].iter().filter(|v| v.is_finite()).count();
        (measured > 1).then(|| Drawn {
            name: self.name.clone(),
            x: shortest.0.clone(),
            y,
        })
    }
}

/// Draws a figure in both formats. One that cannot be drawn is no reason to keep the numbers back.
fn keep(
    section: &mut Section,
    store: &Store,
    name: &str,
    shows: &str,
    draw: impl Fn(&Path) -> Result<(), PlotError>,
) {
    let path = store.figure(&format!("{name}.svg"));
    if draw(&path).is_ok() && draw(&path.with_extension("pdf")).is_ok() {
        section.figures.push((path, shows.to_owned()));
    }
}

fn draw(
    section: &mut Section,
    store: &Store,
    (name, title): (&str, &str),
    all: &[Drawn],
    label: &str,
    scale: Scale,
) {
    if all.is_empty() {
        return;
    }
    let shown: Vec<Curve<'_>> = all.iter().map(Drawn::curve).collect();
    let plot = Plot {
        curves: &shown,
        title,
        labels: ["step", label],
        scales: [Scale::Linear, scale],
    };
    keep(section, store, name, title, |path| curves(path, &plot));
}

/// Errors over the steps, logarithmic: the median over the seeds and their range.
pub(crate) fn errors(
    section: &mut Section,
    store: &Store,
    name: &str,
    title: &str,
    groups: &[Group],
) {
    let all: Vec<Drawn> = groups.iter().filter_map(|g| g.drawn("error")).collect();
    let (named, label) = ((name, title), "relative L2 error");
    draw(section, store, named, &all, label, Scale::Logarithmic);
}

/// The loss of a fit over the steps, likewise.
pub(crate) fn losses(
    section: &mut Section,
    store: &Store,
    name: &str,
    title: &str,
    groups: &[Group],
    label: &str,
) {
    let all: Vec<Drawn> = groups.iter().filter_map(|g| g.drawn("loss")).collect();
    let named = (name, title);
    draw(section, store, named, &all, label, Scale::Logarithmic);
}

/// The quality of a fit over the steps, in dB.
pub(crate) fn quality(
    section: &mut Section,
    store: &Store,
    name: &str,
    title: &str,
    groups: &[Group],
    label: &str,
) {
    let mut all: Vec<Drawn> = groups.iter().filter_map(|g| g.drawn("loss")).collect();
    for drawn in &mut all {
        for values in &mut drawn.y {
            values
                .iter_mut()
                .for_each(|v| *v = rafnet_signal::metrics::psnr_of_mse(*v, 2.0));
        }
        drawn.y.swap(0, 2);
    }
    draw(section, store, (name, title), &all, label, Scale::Linear);
}

/// For each network the sound, the fit and their difference, as the range of every piece of time.
pub(crate) fn waves(
    section: &mut Section,
    store: &Store,
    name: &str,
    title: &str,
    groups: &[Group],
) {
    struct Wave {
        title: String,
        x: Vec<f64>,
        ends: [Vec<f64>; 2],
    }
    let mut all: Vec<Wave> = Vec::new();
    for group in groups {
        let Some(record) = group.records.first() else {
            continue;
        };
        for (k, what) in ["truth", "fit", "difference"].into_iter().enumerate() {
            let ends = ["low", "high"].map(|end| record.list(&format!("{what}_{end}")));
            let n = ends[0].len();
            let name = ["sound", &group.name, "their difference"][k];
            let title = if k == 0 {
                format!("{title}: {name}")
            } else {
                name.to_owned()
            };
            let x = (0..n)
                .map(|i| 5.0 + 90.0 * i as f64 / n.max(2) as f64)
                .collect();
            all.push(Wave { title, x, ends });
        }
    }
    if all.is_empty() || all.iter().any(|w| w.x.len() < 2) {
        return;
    }
    let middles: Vec<Vec<f64>> = all
        .iter()
        .map(|w| {
            w.ends[0]
                .iter()
                .zip(&w.ends[1])
                .map(|(a, b)| 0.5 * (a + b))
                .collect()
        })
        .collect();
    let shown: Vec<[Curve<'_>; 1]> = all
        .iter()
        .zip(&middles)
        .map(|(w, m)| [Curve::new("", &w.x, m).with_band(&w.ends[0], &w.ends[1])])
        .collect();
    let plots: Vec<Plot<'_>> = all
        .iter()
        .zip(&shown)
        .map(|(w, c)| Plot {
            curves: c,
            title: &w.title,
            labels: ["share of the clip, %", "amplitude"],
            scales: [Scale::Linear; 2],
        })
        .collect();
    let shows = format!("{title}: sound, fit and difference");
    keep(section, store, name, &shows, |path| {
        panels(path, "", 3, &plots)
    });
}
