//! A curve that grows while a run goes on: thinned, so that it stays small.

/// The most points.
const MOST: usize = 1 << 13;

/// Every point at first, then every second, every fourth and so on.
pub(crate) struct Curve {
    pub(crate) points: Vec<[f64; 2]>,
    /// How many points were added, kept or not.
    pub(crate) added: usize,
    every: usize,
}

impl Curve {
    pub(crate) fn new() -> Self {
        Self {
            points: Vec::new(),
            added: 0,
            every: 1,
        }
    }

    pub(crate) fn add(&mut self, point: [f64; 2]) {
        if self.points.len() == MOST {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every *= 2;
        }
        if self.added.is_multiple_of(self.every) {
            self.points.push(point);
        }
        self.added += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, MOST};

    #[test]
    fn a_long_curve_is_thinned_evenly() {
        let mut curve = Curve::new();
        (0..5 * MOST).for_each(|k| curve.add([k as f64, 0.0]));
        let expected: Vec<[f64; 2]> = (0..5 * MOST).step_by(8).map(|k| [k as f64, 0.0]).collect();
        assert_eq!(curve.points, expected);
        assert_eq!(curve.added, 5 * MOST);
    }
}
