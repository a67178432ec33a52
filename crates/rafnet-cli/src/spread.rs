//! Least, median and greatest of one figure over several runs.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) greatest: f64,
}

impl Spread {
    /// Of any number of values, if there are some; of an even number the median is the mean of the two in the middle.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut all: Vec<f64> = values.into_iter().collect();
        all.sort_by(f64::total_cmp);
        let (least, greatest) = (*all.first()?, *all.last()?);
        let (a, b) = (all[(all.len() - 1) / 2], all[all.len() / 2]);
        // of two infinities the mean is one of them
        let median = if all.len() % 2 == 1 || a.is_infinite() {
            a
        } else {
            0.5 * (a + b)
        };
        Some(Self {
            least,
            median,
            greatest,
        })
    }

    /// The three as curves.
    pub(crate) fn curves(all: &[Self]) -> [Vec<f64>; 3] {
        let curve = |of: fn(&Self) -> f64| all.iter().map(of).collect();
        [
            curve(|s| s.least),
            curve(|s| s.median),
            curve(|s| s.greatest),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn the_median_is_the_middle_one_or_between_the_two() {
        let of = |values: &[f64]| Spread::of(values.iter().copied()).map(|s| s.median);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(of(&[4.0, 1.0, 2.0, 8.0]), Some(3.0));
        let infinite = [1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY];
        assert_eq!(of(&infinite), Some(f64::INFINITY));
    }
}
