//! What lies between pixels: interpolation that follows edges (directional cubic convolution, Zhou, Shen and Dong 2012), then cubic.
//!
//! The picture is doubled first. A new pixel is a mean along one of two crossing directions, weighted (−1, 9, 9, −1)/16; the
//! direction is the one along which its neighbourhood changes less, g being the sum of absolute differences there:
//!
//! ```text
//! 1. pixels amid four old ones:   the two diagonals, g over the 3 × 3 nearest of their kind
//! 2. the others:                  row and column,    g over those of their kind in 5 × 5
//! (1 + g₁)/(1 + g₂) above 1.15: the second direction; below 1/1.15: the first; else both, weighted 1/(1 + g⁵)
//! ```
//!
//! Between the pixels of the doubled picture the cubic convolution with a = −½ (Keys 1981) goes on. Beyond the edge the outermost
//! pixels are repeated.

/// Old pixels that are repeated beyond each edge.
const MARGIN: usize = 4;
/// A direction is clear if the other changes by so much more.
const CLEAR: f32 = 1.15;

/// A picture that can be asked anywhere.
///
/// ```
/// use rafnet_signal::image::Between;
/// let ramp = Between::new([12, 12], 1, |row, column, _| (3 * row + column) as f32);
/// let mut value = [0.0];
/// ramp.at([5.5, 6.25], &mut value); // away from the edges, where pixels are repeated
/// assert!((value[0] - 22.75).abs() < 1e-5);
/// ```
#[derive(Clone, Debug)]
pub struct Between {
    /// Channel by channel, rows × columns of the doubled picture with its margins.
    doubled: Vec<f32>,
    rows: usize,
    columns: usize,
    channels: usize,
}

impl Between {
    /// Doubles a picture of `[rows, columns]` whose values, for the measure of change, reach over some hundred steps.
    pub fn new(
        [rows, columns]: [usize; 2],
        channels: usize,
        value: impl Fn(usize, usize, usize) -> f32,
    ) -> Self {
        let size = |n: usize| 2 * (n + 2 * MARGIN) - 1;
        let (height, width) = (size(rows), size(columns));
        let old = |k: usize, n: usize| (k / 2).saturating_sub(MARGIN).min(n - 1);
        let mut doubled = Vec::with_capacity(height * width * channels);
        for c in 0..channels {
            let mut plane = vec![0.0; height * width];
            for y in (0..height).step_by(2) {
                for x in (0..width).step_by(2) {
                    plane[y * width + x] = value(old(y, rows), old(x, columns), c);
                }
            }
            fill(&mut plane, [height, width], Kind::Amid);
            fill(&mut plane, [height, width], Kind::Beside);
            doubled.extend(plane);
        }
        Self {
            doubled,
            rows: height,
            columns: width,
            channels,
        }
    }

    /// The values at a place, in pixels of the picture from the middle of its first one; up to half a pixel outside.
    pub fn at(&self, [row, column]: [f64; 2], values: &mut [f64]) {
        let (rows, columns) = (taps(row, self.rows), taps(column, self.columns));
        let plane = self.rows * self.columns;
        for (c, value) in values.iter_mut().enumerate().take(self.channels) {
            *value = 0.0;
            for (y, weight) in rows {
                let line = &self.doubled[c * plane + y * self.columns..];
                let along = columns.iter().map(|(x, w)| w * f64::from(line[*x]));
                *value += weight * along.sum::<f64>();
            }
        }
    }
}

/// The cubic convolution with a = −½ (Keys 1981): weights of the samples before, at, after and beyond a place a share t after the second.
///
/// ```
/// use rafnet_signal::image::cubic_weights;
/// assert_eq!(cubic_weights(0.5).map(|w| 16.0 * w), [-1.0, 9.0, 9.0, -1.0]);
/// ```
pub fn cubic_weights(t: f64) -> [f64; 4] {
    [
        ((-0.5 * t + 1.0) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1.0,
        ((-1.5 * t + 2.0) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    ]
}

/// The four pixels of the doubled picture around a place, with their weights.
fn taps(place: f64, size: usize) -> [(usize, f64); 4] {
    let at = (2.0 * (place + MARGIN as f64)).clamp(0.0, (size - 1) as f64);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place inside, cut to the pixel before it"
    )]
    let cell = at as usize;
    let t = at - cell as f64;
    let weights = cubic_weights(t);
    [0, 1, 2, 3].map(|m| ((cell + m).saturating_sub(1).min(size - 1), weights[m]))
}

/// Which new pixels are filled.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// In the middle of four old ones.
    Amid,
    /// Between two old ones.
    Beside,
}

impl Kind {
    fn is_at(self, y: usize, x: usize) -> bool {
        match self {
            Self::Amid => y % 2 == 1 && x % 2 == 1,
            Self::Beside => (y + x) % 2 == 1,
        }
    }

    /// The two directions.
    const fn directions(self) -> [[isize; 2]; 2] {
        match self {
            Self::Amid => [[-1, 1], [-1, -1]],
            Self::Beside => [[0, 1], [1, 0]],
        }
    }
}

fn fill(plane: &mut [f32], [height, width]: [usize; 2], kind: Kind) {
    let inside = |k: usize, step: isize, size: usize| {
        let moved = k.cast_signed() + step;
        moved.clamp(0, size.cast_signed() - 1).unsigned_abs()
    };
    let old = plane.to_vec();
    let at = |y: usize, x: usize, [dy, dx]: [isize; 2], times: isize| {
        old[inside(y, times * dy, height) * width + inside(x, times * dx, width)]
    };
    for y in 0..height {
        for x in 0..width {
            if !kind.is_at(y, x) {
                continue;
            }
            let [first, second] = kind.directions().map(|along| {
                let mut change = 0.0;
                for v in y.saturating_sub(2)..(y + 3).min(height) {
                    for u in x.saturating_sub(2)..(x + 3).min(width) {
                        if kind.is_at(v, u) {
                            change += (at(v, u, along, 1) - at(v, u, along, -1)).abs();
                        }
                    }
                }
                let near = at(y, x, along, 1) + at(y, x, along, -1);
                let far = at(y, x, along, 3) + at(y, x, along, -3);
                (change, (9.0 * near - far) / 16.0)
            });
            let ratio = (1.0 + first.0) / (1.0 + second.0);
            plane[y * width + x] = if ratio > CLEAR {
                second.1
            } else if ratio * CLEAR < 1.0 {
                first.1
            } else {
                let weight = |change: f32| 1.0 / (1.0 + change.powi(5));
                let (w1, w2) = (weight(first.0), weight(second.0));
                (w1 * first.1 + w2 * second.1) / (w1 + w2)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Between;

    #[test]
    fn pixels_are_met_and_edges_followed() {
        // a slanted edge, 200 on one side and 20 on the other
        let edge = |y: f64, x: f64| if x + 0.9 * y > 20.0 { 200.0f32 } else { 20.0 };
        let picture = |row: usize, column: usize| edge(row as f64, column as f64);
        let between = Between::new(
            [24, 30],
            2,
            |row, column, c| {
                if c == 0 { picture(row, column) } else { 7.0 }
            },
        );
        let mut value = [0.0; 2];
        let (mut directed, mut plain) = (0.0, 0.0);
        for row in 3..20 {
            for column in 3..26 {
                between.at([row as f64, column as f64], &mut value);
                assert!((value[0] - f64::from(picture(row, column))).abs() < 1e-9);
                assert!((value[1] - 7.0).abs() < 1e-6);
                let [y, x] = [row as f64 + 0.5, column as f64 + 0.5];
                between.at([y, x], &mut value);
                // plain cubic interpolation amid four pixels
                let w = [-1.0, 9.0, 9.0, -1.0].map(|w| w / 16.0);
                let mut cubic = 0.0;
                for (i, wi) in w.iter().enumerate() {
                    for (j, wj) in w.iter().enumerate() {
                        cubic += wi * wj * f64::from(picture(row + i - 1, column + j - 1));
                    }
                }
                let exact = f64::from(edge(y, x));
                directed += (value[0] - exact).powi(2);
                plain += (cubic - exact).powi(2);
            }
        }
        assert!(directed < 0.6 * plain, "{directed} {plain}");
    }

    /// One pixel, one row: there is something everywhere.
    #[test]
    fn the_smallest_pictures() {
        let mut value = [0.0];
        let one = Between::new([1, 1], 1, |_, _, _| 3.0);
        one.at([-0.5, 0.5], &mut value);
        assert!((value[0] - 3.0).abs() < 1e-6);
        let row = Between::new([1, 4], 1, |_, column, _| column as f32);
        row.at([0.3, 1.5], &mut value);
        assert!((value[0] - 1.5).abs() < 1e-5);
    }
}
