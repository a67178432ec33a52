//! A sound and its fit, to be heard and seen. Spectrograms are made of the samples by the page.

use super::Fitted;
use super::picture::evaluate;
use crate::array;
use crate::page::Section;
use rafnet::expr::largest;
use rafnet::fit::Signal;
use rafnet::signal::audio::REACH;
use rafnet::signal::grid;
use serde_json::json;

/// The most samples: three sounds of two bytes each are most of what a page may have.
const SAMPLES: usize = 480_000;
/// The largest sample.
const FULL: f64 = 32_767.0;

/// A sound fitted: its first channel, from its beginning.
pub(super) fn sections(fitted: &Fitted) -> Vec<Section> {
    let Signal::Audio(sound) = &fitted.signal else {
        return Vec::new();
    };
    let (target, channels) = (sound.target(), sound.channels());
    let moments = fitted.signal.sizes()[0];
    let shown = moments.min(SAMPLES);
    let mut points = vec![0.0; shown];
    for (k, point) in points.iter_mut().enumerate() {
        grid::point_into(k, &[moments], -REACH, REACH, std::slice::from_mut(point));
    }
    let Some(found) = evaluate(&fitted.model, &points) else {
        return Vec::new();
    };
    let peak = f64::from(target.peak);
    let first = |k: usize| f64::from(target.values[k * channels]);
    let wanted: Vec<f64> = (0..shown).map(first).collect();
    let found: Vec<f64> = found.iter().step_by(channels).map(|v| v / peak).collect();
    let off: Vec<f64> = found.iter().zip(&wanted).map(|(f, w)| f - w).collect();
    let most = largest(off.iter().map(|v| v.abs()));
    let amplified = if most > 0.0 { 0.9 / most } else { 1.0 };
    let scaled = |values: &[f64], by: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        let sample = |v: &f64| (v * by * FULL).clamp(-FULL, FULL).round() as i16;
        array::i16(&values.iter().map(sample).collect::<Vec<i16>>())
    };
    let data = json!({
        "rate": sound.rate(), "target": scaled(&wanted, 0.95), "fit": scaled(&found, 0.95), "difference": scaled(&off, amplified),
        "amplified": amplified, "peak": peak, "full": FULL * 0.95,
    });
    let rate = f64::from(sound.rate());
    let mut text = String::new();
    if shown < moments {
        text = format!(
            "The first {:.1} of {:.1} seconds.",
            shown as f64 / rate,
            moments as f64 / rate
        );
    }
    if channels > 1 {
        text = format!("{text} The first of {channels} channels.");
    }
    vec![Section::new(
        "sound",
        "The sound and its fit",
        text.trim(),
        data,
    )]
}
