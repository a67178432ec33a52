//! What is said of a run: one JSON object, and the same as a small table.

use super::task::Prepared;
use crate::progress::duration;
use rafnet::fit::{Fit, Kind, decibels};
use rafnet::run::Outcome;
use serde_json::{Value, json};
use std::fmt::Write as _;

impl Prepared {
    /// The object; `model` is where the model lies.
    pub(super) fn json(&self, fit: &Fit, model: &str) -> Value {
        let (task, quality) = (&self.task, &fit.quality);
        let looks = fit.looks.iter().filter_map(|l| l.held_out);
        let best_heldout = looks.min_by(f64::total_cmp).map(decibels);
        json!({
            "outcome": fit.ending(), "kind": task.kind.name(), "file": task.file(),
            "activation": task.choices.get("activation"), "psnr": quality.psnr, "ssim": quality.ssim, "mse": quality.mse,
            "lossless": quality.lossless, "psnr_heldout": quality.psnr_heldout, "mse_heldout": quality.mse_heldout,
            "psnr_heldout_best": best_heldout.filter(|_| task.kind != Kind::Table),
            "psnr_bicubic": quality.psnr_bicubic, "psnr_frames": quality.frames.map(|f| f[0]),
            "psnr_frames_deviation": quality.frames.map(|f| f[1]), "steps": fit.steps, "seconds": fit.seconds,
            "seconds_per_step": fit.seconds_per_step, "parameters": parameters(fit), "model": model,
            "seed": self.options.seed, "device": self.options.device.name(), "precision": task.choices.get("precision"),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// The table.
    pub(super) fn text(&self, fit: &Fit, model: &str) -> String {
        let (task, quality) = (&self.task, &fit.quality);
        let mut text = String::new();
        let mut row = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(text, "{name:<22} {value}");
            }
        };
        let sizes = self.signal.sizes();
        let sizes: Vec<String> = sizes.iter().rev().map(ToString::to_string).collect();
        let db = |v: Option<f64>| v.map(|v| format!("{v:.2} dB"));
        let truth = |l: bool| if l { "yes, bit for bit" } else { "no" }.to_owned();
        let plain_error = quality
            .mse_heldout
            .filter(|_| quality.psnr_heldout.is_none());
        let frames = quality
            .frames
            .map(|[m, d]| format!("{m:.2} dB, deviation {d:.2}"));
        let activation = task.choices.get("activation").unwrap_or("");
        let network = format!("{activation}, {} parameters", parameters(fit));
        let time = format!(
            "{} for {} steps, {:.0} ms a step",
            duration(fit.seconds),
            fit.steps,
            1e3 * fit.seconds_per_step
        );
        row(
            "signal",
            Some(format!("{} ({})", task.file(), sizes.join(" x "))),
        );
        row("outcome", Some(fit.ending().to_owned()));
        row("quality", db(quality.psnr));
        row("SSIM", quality.ssim.map(|s| format!("{s:.6}")));
        row("mean square error", Some(format!("{:.3e}", quality.mse)));
        row("lossless", quality.lossless.map(truth));
        row("between the samples", db(quality.psnr_heldout));
        row("held-out error", plain_error.map(|m| format!("{m:.3e}")));
        row("  bicubic there", db(quality.psnr_bicubic));
        row("frames", frames);
        row("network", Some(network));
        row("time", Some(time));
        row("model", Some(model.to_owned()));
        match fit.outcome {
            Outcome::Stopped => {
                let folder = task.out.display();
                let _ = writeln!(text, "\nraf fit --resume {folder} goes on from here");
            }
            Outcome::Diverged => {
                let steps = fit.steps;
                let why = "a smaller `--lr` may help";
                let _ = writeln!(text, "\nthe loss was not finite after step {steps}; {why}");
            }
            _ => {}
        }
        text
    }
}

fn parameters(fit: &Fit) -> usize {
    fit.model.parts().parameters.len()
}
