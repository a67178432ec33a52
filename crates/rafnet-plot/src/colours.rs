//! Colours: curves that everyone can tell apart, maps in which equal steps in value look like equal steps.

use kuva::plot::LineStyle;

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

/// Which colours stand for which values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// Dark blue to yellow, brightness rising evenly (viridis): for any field.
    Sequential,
    /// Blue over grey to red, grey at zero: for what has a sign, such as an error.
    Diverging,
}

/// Where a field has no value.
pub(crate) const NOTHING: Colour = [176, 176, 180];

/// Okabe and Ito's colours without their yellow, which is pale on white, each in another brightness.
const CURVES: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

const SEQUENTIAL: [Colour; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

const DIVERGING: [Colour; 9] = [
    [59, 76, 192],
    [98, 130, 234],
    [141, 176, 254],
    [184, 208, 249],
    [221, 221, 221],
    [245, 196, 173],
    [244, 154, 123],
    [222, 96, 77],
    [180, 4, 38],
];

/// The colour and the line of the k-th curve: lines change where colours come again.
pub(crate) fn of_curve(k: usize) -> (&'static str, LineStyle) {
    let line = match k / CURVES.len() % 3 {
        0 => LineStyle::Solid,
        1 => LineStyle::Dashed,
        _ => LineStyle::Dotted,
    };
    (CURVES[k % CURVES.len()], line)
}

/// `#rrggbb`.
pub(crate) fn text([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

impl Colours {
    /// The values at the two ends for a field with this range.
    pub(crate) fn range(self, found: Option<[f64; 2]>) -> [f64; 2] {
        let [low, high] = found.unwrap_or([0.0, 0.0]);
        match self {
            Self::Sequential => [low, high],
            Self::Diverging => {
                let most = low.abs().max(high.abs());
                [-most, most]
            }
        }
    }

    /// The colour at a place from 0 to 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index below 9, and bytes"
    )]
    pub(crate) fn at(self, place: f64) -> Colour {
        let stops = match self {
            Self::Sequential => &SEQUENTIAL,
            Self::Diverging => &DIVERGING,
        };
        let at = place.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let k = (at as usize).min(stops.len() - 2);
        let part = at - k as f64;
        std::array::from_fn(|c| {
            let mixed = f64::from(stops[k][c]) * (1.0 - part) + f64::from(stops[k + 1][c]) * part;
            mixed.round() as u8
        })
    }
}
