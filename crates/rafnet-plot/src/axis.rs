//! Axes: round numbers at which to put ticks.
//!
//! The plotting library is handed an axis in units of its own ticks: a tick at every whole number, which is then written as the value
//! that it stands for. So values of any size, 1e-300 too, are drawn alike.

use std::sync::Arc;

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm: equal factors take equal lengths.
    Logarithmic,
}

/// A range with a tick at every whole number of its unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    scale: Scale,
    /// The step from tick to tick: of the value, or of its decimal logarithm.
    step: f64,
    /// The decimal logarithm of the value at the tick 0.
    origin: f64,
    range: [f64; 2],
}

/// Fewer than these have too few powers of ten to be read by.
const FEW_DECADES: f64 = 1.5;

/// Writes a tick.
pub(crate) type Label = Arc<dyn Fn(f64) -> String + Send + Sync>;

impl Axis {
    /// About `count` ticks over a range (of positive numbers on a logarithmic scale).
    pub(crate) fn new(range: [f64; 2], scale: Scale, count: usize) -> Self {
        let [low, high] = range.map(f64::log10);
        let (step, origin) = match scale {
            Scale::Linear => (round_step((range[1] - range[0]) / count as f64), 0.0),
            // doublings of a power of ten
            Scale::Logarithmic if high - low < FEW_DECADES => (2f64.log10(), low.floor()),
            Scale::Logarithmic => (((high - low) / count as f64).ceil().max(1.0), 0.0),
        };
        Self {
            scale,
            step,
            origin,
            range,
        }
    }

    /// Where a value lies, in ticks.
    pub(crate) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value / self.step,
            Scale::Logarithmic => (value.log10() - self.origin) / self.step,
        }
    }

    /// The ends, in ticks.
    pub(crate) fn ends(&self) -> [f64; 2] {
        self.range.map(|v| self.place(v))
    }

    /// What stands at a tick.
    pub(crate) fn label(self) -> Label {
        Arc::new(move |tick: f64| match self.scale {
            Scale::Linear => number(tick.round() * self.step, self.step),
            Scale::Logarithmic if self.step < 1.0 => {
                short(10f64.powf(self.origin) * tick.round().exp2())
            }
            Scale::Logarithmic => power(tick.round() * self.step),
        })
    }

    /// Every tick in the range with its text.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let [low, high] = self.ends();
        let label = self.label();
        let (mut tick, mut ticks) = ((low - 1e-9).ceil(), Vec::new());
        while tick <= high + 1e-9 && ticks.len() < 100 {
            ticks.push((tick, label(tick)));
            tick += 1.0;
        }
        ticks
    }
}

/// 1, 2 or 5 times a power of ten, at least `rough`.
fn round_step(rough: f64) -> f64 {
    if !rough.is_finite() || rough <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let found = steps.into_iter().find(|step| *step >= rough * 0.999);
    found.unwrap_or(10.0 * power)
}

/// A multiple of `step` with as many digits as tell it from its neighbours.
#[expect(
    clippy::cast_possible_truncation,
    reason = "exponents of floating-point numbers"
)]
fn number(value: f64, step: f64) -> String {
    let exponent = (step.log10() + 1e-9).floor() as i32;
    let most = value.abs().max(step);
    if value == 0.0 {
        return "0".into();
    }
    if (1e-3..1e6).contains(&most) && exponent >= -4 {
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        return grouped(&format!("{value:.decimals$}"));
    }
    let own = value.abs().log10().floor() as i32;
    let digits = usize::try_from(own - exponent).unwrap_or(0).min(12);
    scientific(value, digits)
}

/// 1.6·10⁻¹⁵ with so many digits after the point.
pub(crate) fn scientific(value: f64, digits: usize) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    let text = format!("{:.digits$e}", value.abs());
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{sign}{mantissa}·10{}", raised(exponent)),
        None => text,
    }
}

/// 10 000 instead of 10000, with a narrow space.
fn grouped(text: &str) -> String {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |rest| ("−", rest));
    let whole = digits.find('.').unwrap_or(digits.len());
    if whole <= 4 {
        return format!("{sign}{digits}");
    }
    let (before, after) = digits.split_at(whole - 3);
    format!("{sign}{before}\u{2009}{after}")
}

/// A number of few digits, without zeros at its end.
fn short(value: f64) -> String {
    let text = format!("{value:.3e}");
    let plain = (1e-3..1e5).contains(&value);
    match (text.parse::<f64>(), text.split_once('e')) {
        (Ok(rounded), _) if plain => grouped(&rounded.to_string()),
        (_, Some((mantissa, _))) => {
            let kept = mantissa.trim_end_matches('0').trim_end_matches('.');
            scientific(value, kept.len().saturating_sub(2))
        }
        _ => text,
    }
}

/// 10⁻³ of −3.
fn power(exponent: f64) -> String {
    if exponent == 0.0 {
        return "1".into();
    }
    format!("10{}", raised(&format!("{exponent:.0}")))
}

fn raised(exponent: &str) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => c
            .to_digit(10)
            .and_then(|d| char::from_u32(0x2070 + d))
            .unwrap_or(c),
    };
    exponent.chars().map(digit).collect()
}

/// The range of the finite numbers among these.
pub(crate) fn finite_range(values: impl IntoIterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.into_iter().filter(|v| v.is_finite());
    finite.fold(None, |range: Option<[f64; 2]>, v| {
        let [low, high] = range.unwrap_or([v, v]);
        Some([low.min(v), high.max(v)])
    })
}

/// A range with some room at its ends, and an extent where it had none.
pub(crate) fn widened(range: Option<[f64; 2]>, scale: Scale, room: f64) -> [f64; 2] {
    if scale == Scale::Logarithmic {
        let [low, high] = range.unwrap_or([0.1, 1.0]).map(f64::log10);
        let extra = if high - low < 0.5 {
            0.5
        } else {
            room * (high - low)
        };
        let [low, high] = [low - extra, high + extra].map(|v| 10f64.powf(v));
        return [low.max(f64::MIN_POSITIVE), high.min(f64::MAX)];
    }
    let [low, high] = range.unwrap_or([0.0, 1.0]);
    if high > low {
        return [low - room * (high - low), high + room * (high - low)];
    }
    let extra = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    [low - extra, high + extra]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(range: [f64; 2], scale: Scale) -> Vec<String> {
        let ticks = Axis::new(range, scale, 5).ticks();
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            texts([0.0, 1.0], Scale::Linear),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            texts([-1.0, 1.0], Scale::Linear),
            ["−1.0", "−0.5", "0", "0.5", "1.0"]
        );
        assert_eq!(
            texts([0.0, 3e-7], Scale::Linear),
            ["0", "1·10⁻⁷", "2·10⁻⁷", "3·10⁻⁷"]
        );
        assert_eq!(
            texts([0.0, 100_000.0], Scale::Linear),
            [
                "0",
                "20\u{2009}000",
                "40\u{2009}000",
                "60\u{2009}000",
                "80\u{2009}000",
                "100\u{2009}000"
            ]
        );
        assert_eq!(
            texts([2e-13, 3.0], Scale::Logarithmic),
            ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"]
        );
        // less than a decade
        assert_eq!(
            texts([0.15, 0.99], Scale::Logarithmic),
            ["0.2", "0.4", "0.8"]
        );
        assert_eq!(
            texts([7e-7, 4e-6], Scale::Logarithmic),
            ["8·10⁻⁷", "1.6·10⁻⁶", "3.2·10⁻⁶"]
        );
        assert_eq!(texts([9.0, 70.0], Scale::Logarithmic), ["16", "32", "64"]);
    }

    #[test]
    fn the_smallest_numbers_have_an_axis() {
        let [low, high] = widened(Some([5e-324, f64::MAX]), Scale::Logarithmic, 0.05);
        assert!(low > 0.0 && high.is_finite());
        assert!(
            !Axis::new([low, high], Scale::Logarithmic, 5)
                .ticks()
                .is_empty()
        );
        assert!(Axis::new([1.0, 1.0], Scale::Linear, 5).ticks().len() < 3);
    }
}
