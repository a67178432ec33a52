//! What came of a fit, in words: only what `result.json` says.

use crate::page::{Figure, Tone, Verdict};
use crate::words::duration;
use serde_json::Value;

/// From so many dB on nobody sees a difference.
const EXCELLENT: f64 = 45.0;
/// Below so many dB anybody does.
const ROUGH: f64 = 30.0;

/// Figures of the result: key, name, what it means.
const FIGURES: [(&str, &str, &str); 9] = [
    (
        "psnr",
        "quality, dB",
        "peak signal to noise, at the samples that were trained on",
    ),
    (
        "psnr_heldout",
        "between the samples, dB",
        "at samples that the training never saw",
    ),
    (
        "psnr_bicubic",
        "bicubic there, dB",
        "cubic interpolation of the trained pixels",
    ),
    ("psnr_frames", "mean over frames, dB", ""),
    (
        "ssim",
        "SSIM",
        "structural similarity, 1 where the pictures are the same",
    ),
    ("mse", "mean square error", ""),
    ("mse_heldout", "held-out mean square error", ""),
    ("parameters", "parameters", ""),
    ("seconds", "seconds", ""),
];

/// How good a result is.
pub(crate) fn tone(result: &Value) -> Tone {
    if matches!(result["outcome"].as_str(), Some("diverged")) {
        return Tone::Poor;
    }
    match result["psnr"].as_f64() {
        _ if result["lossless"] == true => Tone::Good,
        Some(db) if db >= EXCELLENT => Tone::Good,
        Some(db) if db < ROUGH => Tone::Poor,
        _ => Tone::Fair,
    }
}

/// The verdict on a result.
pub(crate) fn verdict(result: &Value) -> Verdict {
    let db = result["psnr"].as_f64();
    let headline = match db {
        _ if result.is_null() => {
            "This run has not finished: how good its model is, is not known.".to_owned()
        }
        _ if result["outcome"] == "diverged" => "Diverged: the loss was not finite.".to_owned(),
        _ if result["lossless"] == true => {
            "Lossless: every sample is met to the last bit.".to_owned()
        }
        Some(db) if db >= EXCELLENT => format!("{db:.1} dB: fit and signal look the same."),
        Some(db) if db >= ROUGH => format!("{db:.1} dB: close, with differences that can be seen."),
        Some(db) => format!("{db:.1} dB: a rough fit."),
        None => match result["mse"].as_f64() {
            Some(mse) => format!("The mean square error is {mse:.2e} of the values' own variance."),
            None => "Nothing is known of the quality.".to_owned(),
        },
    };
    let mut verdict = Verdict::new(tone(result), headline);
    if let (Some(between), Some(bicubic)) = (
        result["psnr_heldout"].as_f64(),
        result["psnr_bicubic"].as_f64(),
    ) {
        let better = if between > bicubic {
            "better than"
        } else {
            "no better than"
        };
        verdict.sentences.push(format!(
            "Between the samples it has {between:.1} dB, {better} the {bicubic:.1} dB of cubic interpolation."
        ));
    } else if let Some(between) = result["psnr_heldout"].as_f64() {
        verdict.sentences.push(format!(
            "At samples that the training never saw it has {between:.1} dB."
        ));
    }
    if let (Some(ending), Some(seconds), Some(steps)) = (
        result["outcome"].as_str(),
        result["seconds"].as_f64(),
        result["steps"].as_u64(),
    ) {
        verdict.sentences.push(format!(
            "Ended after {steps} steps in {}: {ending}.",
            duration(seconds)
        ));
    }
    verdict.figures = FIGURES
        .iter()
        .filter_map(|(key, label, note)| {
            let value = result[*key].as_f64()?;
            let text = match *key {
                "parameters" => format!("{value:.0}"),
                "ssim" => format!("{value:.6}"),
                "mse" | "mse_heldout" => format!("{value:.3e}"),
                "seconds" => format!("{value:.1}"),
                _ => format!("{value:.2}"),
            };
            let [key, label, note] = [*key, *label, *note].map(str::to_owned);
            Some(Figure {
                key,
                label,
                value,
                text,
                note,
            })
        })
        .collect();
    verdict
}
