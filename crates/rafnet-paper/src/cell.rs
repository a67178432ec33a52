//! A cell of a table: what several seeds gave, in few characters.

use crate::Record;
use rafnet::expr::{larger, smaller};
use std::fmt::Write as _;

/// The figures of one cell, one a seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    values: Vec<f64>,
    /// The smallest share of the paper's steps among them.
    share: f64,
}

impl Cell {
    /// A figure of several records.
    pub(crate) fn of(records: &[Record], figure: &str) -> Self {
        // a budget that is not full says so once, at the top
        let full = records.iter().filter(|r| r.is_full());
        let shares = full.map(Record::share);
        Self {
            values: records.iter().filter_map(|r| r.figure(figure)).collect(),
            share: shares.fold(1.0, smaller),
        }
    }

    /// Numbers that are there already.
    pub(crate) fn from_values(values: Vec<f64>) -> Self {
        Self { values, share: 1.0 }
    }

    /// Something of every figure.
    pub(crate) fn map(mut self, of: impl Fn(f64) -> f64) -> Self {
        self.values.iter_mut().for_each(|v| *v = of(*v));
        self
    }

    /// The median; of an even number the mean of the two in the middle.
    pub(crate) fn median(&self) -> Option<f64> {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        (n > 0).then(|| 0.5 * sorted[(n - 1) / 2] + 0.5 * sorted[n / 2])
    }

    /// `2.1e-4 (1.9e-4 to 3.0e-4)`, with the share of the steps where it was not all of them; empty where there is nothing.
    pub(crate) fn text(&self, write: impl Fn(f64) -> String) -> String {
        let Some(median) = self.median() else {
            return String::new();
        };
        let mut text = write(median);
        let low = self.values.iter().copied().fold(f64::INFINITY, smaller);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, larger);
        if self.values.len() > 1 {
            let _ = write!(text, " ({} to {})", write(low), write(high));
        }
        if !self.is_whole() {
            let _ = write!(text, " ᵃ {}", percent(self.share));
        }
        text
    }

    /// Whether every run took all of its steps.
    pub(crate) fn is_whole(&self) -> bool {
        self.share > 0.9995
    }
}

/// A figure of several records, device by device: seconds of one are not seconds of another.
pub(crate) fn by_device(records: &[Record], figure: &str) -> String {
    let mut devices: Vec<&str> = records.iter().filter_map(Record::device).collect();
    devices.sort_unstable();
    devices.dedup();
    let of = |device: &&str| {
        let own = records.iter().filter(|r| r.device() == Some(device));
        let own: Vec<Record> = own.cloned().collect();
        let text = Cell::of(&own, figure).text(error);
        Some(format!("{device} {text}")).filter(|_| !text.is_empty())
    };
    let all: Vec<String> = devices.iter().filter_map(of).collect();
    all.join("; ")
}

/// `2.1e-4`.
pub(crate) fn error(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.2e}")
    } else {
        "∞".into()
    }
}

/// `70.79`.
pub(crate) fn decibels(value: f64) -> String {
    format!("{value:.2}")
}

/// `12 %`.
pub(crate) fn percent(share: f64) -> String {
    let digits = match 100.0 * share {
        p if p >= 9.95 => 0,
        p if p >= 0.995 => 1,
        _ => 2,
    };
    format!("{:.digits$} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_stand_by_device() {
        let record = |device: &str, seconds: f64| {
            Record(serde_json::json!({ "device": device, "figures": { "step": seconds } }))
        };
        let all = [
            record("cuda", 1e-3),
            record("cpu", 2.0),
            record("cuda", 3e-3),
        ];
        let expected = "cpu 2.00e0; cuda 2.00e-3 (1.00e-3 to 3.00e-3)";
        assert_eq!(by_device(&all, "step"), expected);
    }

    #[test]
    fn several_seeds_in_one_cell() {
        let cell = Cell::from_values(vec![3e-4, 1e-4, 2e-4]);
        assert_eq!(cell.text(error), "2.00e-4 (1.00e-4 to 3.00e-4)");
        assert_eq!(Cell::from_values(vec![0.5]).text(error), "5.00e-1");
        assert_eq!(Cell::from_values(vec![1.0, 4.0]).median(), Some(2.5));
        assert_eq!(Cell::default().text(error), "");
        assert_eq!(percent(0.02), "2.0 %");
    }
}
