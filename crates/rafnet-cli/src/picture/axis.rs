//! Axes: round numbers at which to put ticks.

use super::canvas::text_width;

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Logarithmic,
}

/// A range with its ticks.
pub(super) struct Axis {
    range: [f64; 2],
    scale: Scale,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// About `count` ticks over a range (positive numbers on a logarithmic scale).
    pub(super) fn new(range: [f64; 2], scale: Scale, count: usize) -> Self {
        let ticks = match scale {
            Scale::Linear => linear_ticks(range, count),
            Scale::Logarithmic => decades(range, count),
        };
        Self {
            range,
            scale,
            ticks,
        }
    }

    /// Where a value lies, 0 to 1 within the range.
    pub(super) fn place(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Logarithmic => (value.log10() - low.log10()) / (high.log10() - low.log10()),
        }
    }

    /// Places from 0 to 1 with their numbers.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        let placed = self
            .ticks
            .iter()
            .map(|(v, text)| (self.place(*v), text.clone()));
        placed.filter(|(place, _)| (-1e-9..=1.0 + 1e-9).contains(place))
    }

    /// The pixels that the widest number takes.
    pub(super) fn widest(&self) -> usize {
        let widths = self.ticks.iter().map(|(_, text)| text_width(text));
        widths.max().unwrap_or(0)
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks([low, high]: [f64; 2], count: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / count as f64;
    if rough.is_nan() || rough <= 0.0 || !rough.is_finite() {
        return Vec::new();
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil();
    let values = (0..=2 * count).map(|k| (first + k as f64) * step);
    let values = values.take_while(|v| *v <= high + 1e-9 * step);
    values.map(|v| (v, number(v, step))).collect()
}

/// Powers of ten, some left out where there are too many.
fn decades([low, high]: [f64; 2], count: usize) -> Vec<(f64, String)> {
    let (first, last) = (low.log10().ceil() as i32, high.log10().floor() as i32);
    let decades = (last - first + 1).max(1);
    let every = (decades + count as i32) / count as i32;
    let exponents = (first..=last).filter(|e| e.rem_euclid(every) == 0);
    let powers = exponents.map(|e| (10f64.powi(e), format!("1e{e}")));
    powers.collect()
}

/// A multiple of `step` with as many digits as tell it from its neighbours.
fn number(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-9 * step {
        0.0
    } else {
        value
    };
    let exponent = step.log10().floor() as i32;
    let most = value.abs().max(step);
    if (1e-3..1e5).contains(&most) && exponent >= -4 {
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        return format!("{value:.decimals$}");
    }
    if value == 0.0 {
        return "0".into();
    }
    let digits = value.abs().log10().floor() as i32 - exponent;
    let digits = usize::try_from(digits).unwrap_or(0).min(12);
    format!("{value:.digits$e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(range: [f64; 2], scale: Scale) -> Vec<String> {
        let axis = Axis::new(range, scale, 5);
        axis.ticks().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            texts([0.0, 1.0], Scale::Linear),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            texts([-1.0, 1.0], Scale::Linear),
            ["-1.0", "-0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(
            texts([0.0, 3e-7], Scale::Linear),
            ["0", "1e-7", "2e-7", "3e-7"]
        );
        assert_eq!(
            texts([0.0, 2000.0], Scale::Linear),
            ["0", "500", "1000", "1500", "2000"]
        );
        assert_eq!(
            texts([2e-13, 3.0], Scale::Logarithmic),
            ["1e-12", "1e-9", "1e-6", "1e-3", "1e0"]
        );
        assert!(texts([1.0, 1.0], Scale::Linear).is_empty());
    }
}
