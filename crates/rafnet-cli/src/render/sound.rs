//! Sounds, at any rate.

use super::{Arguments, extension, number, refused};
use crate::output::Failure;
use rafnet::Model;
use rafnet_signal::audio::{Audio, REACH, WavFormat};
use rafnet_signal::grid::axis;
use rafnet_signal::table::npy::NpyWriter;
use serde_json::Value;

/// Samples evaluated at a time.
const BLOCK: usize = 1 << 16;
/// The most samples: six hours at 48 kHz.
const MOST: f64 = 1e9;

pub(super) fn render(model: &Model, about: &Value, a: &Arguments) -> Result<String, Failure> {
    let (samples, own) = (number(about, "samples")?, number(about, "rate")?);
    let own = u32::try_from(own).unwrap_or(u32::MAX);
    let rate = a.rate.unwrap_or(own);
    let wanted = (samples as f64 * f64::from(rate) / f64::from(own)).round();
    if rate == 0 || wanted > MOST {
        let message = format!("`--rate {rate}` cannot be used: that would be {wanted:.0} samples");
        return Err(Failure::new(
            message,
            "raf render MODEL --rate 96000 -o out.wav",
        ));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above"
    )]
    let n = (wanted as usize).max(1);
    let times = axis(n, -REACH, REACH);
    let ending = extension(&a.output);
    if ending != "wav" && ending != "npy" {
        let message = format!(
            "`{}` has no ending that a sound can have",
            a.output.display()
        );
        return Err(Failure::new(
            message,
            "raf render MODEL -o out.wav, or out.npy for the numbers",
        ));
    }
    let channels = model.n_outputs();
    let mut values = Vec::with_capacity(n * channels);
    for block in times.chunks(BLOCK) {
        values.extend(model.eval(block).map_err(refused)?);
    }
    if ending == "npy" {
        let shape = match channels {
            1 => &[n][..],
            _ => &[n, channels],
        };
        let mut writer = NpyWriter::create(&a.output, shape).map_err(refused)?;
        writer.write(&values).map_err(refused)?;
        writer.finish().map_err(refused)?;
    } else {
        let sound = Audio::new(rate, channels, values).map_err(refused)?;
        sound.save(&a.output, WavFormat::F32).map_err(refused)?;
    }
    Ok(format!("{n} samples at {rate} Hz"))
}
