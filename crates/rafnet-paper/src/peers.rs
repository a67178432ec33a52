//! What JAX gives with the settings of Table 3: the same network, start, Adam and schedule, other random numbers.
//!
//! Measured by `bench/table3.py` on one H200, value, gradient and Laplacian written out by hand, double precision; the figure is ours too, the
//! smallest mean over 100 steps of the error at 10,000 fresh points. Where steps end before the paper's, so did the time on the machine.

use crate::Record;
use crate::cell::{Cell, error};
use crate::published::sign;
use crate::table::Table;

/// A line each: column, activation, weight decay, steps, and the figure of every seed.
const MEASURED: &str = include_str!("peers.txt");

/// A row of Table 3 there.
struct Peer {
    activation: &'static str,
    weight_decay: &'static str,
    /// After so many steps, one figure a seed.
    averages: Vec<(u64, Vec<f64>)>,
}

/// The rows of a column, in their order.
fn peers(column: &str) -> Vec<Peer> {
    let mut rows: Vec<Peer> = Vec::new();
    for line in MEASURED.lines() {
        let mut words = line.split_whitespace();
        if words.next() != Some(column) {
            continue;
        }
        let (Some(activation), Some(weight_decay), Some(Ok(steps))) =
            (words.next(), words.next(), words.next().map(str::parse))
        else {
            continue;
        };
        let average = (steps, words.filter_map(|w| w.parse().ok()).collect());
        let same = |p: &&mut Peer| (p.activation, p.weight_decay) == (activation, weight_decay);
        match rows.last_mut().filter(same) {
            Some(row) => row.averages.push(average),
            None => rows.push(Peer {
                activation,
                weight_decay,
                averages: vec![average],
            }),
        }
    }
    rows
}

/// JAX's figures of a column beside ours; nothing where it was not run there. `records` are those of an activation, decayed or not.
pub(crate) fn beside(column: &str, records: impl Fn(&str, bool) -> Vec<Record>) -> Option<Table> {
    let mut table = Table::new([
        "activation",
        "weight decay",
        "ours",
        "JAX, as many steps",
        "JAX at the end",
        "its steps",
    ]);
    let rows = peers(column);
    for peer in &rows {
        let ours = records(peer.activation, peer.weight_decay != "0");
        let text = |figures: &[f64]| Cell::from_values(figures.to_vec()).text(error);
        let steps = ours.first().and_then(Record::steps);
        let same = peer.averages.iter().find(|(n, _)| Some(*n) == steps);
        let (end, last) = peer.averages.last()?;
        table.row([
            sign(peer.activation).to_owned(),
            peer.weight_decay.to_owned(),
            Cell::of(&ours, "moving_average").text(error),
            same.map_or(String::new(), |(_, figures)| text(figures)),
            text(last),
            end.to_string(),
        ]);
    }
    (!rows.is_empty()).then_some(table)
}

/// What it gives for two activations without a weight decay, medians after the most steps that both took.
pub(crate) fn pair(column: &str, activations: [&str; 2]) -> Option<(u64, [f64; 2])> {
    let rows = peers(column);
    let row = |activation: &str| {
        let mut plain = rows.iter().filter(|p| p.weight_decay == "0");
        plain.find(|p| p.activation == activation)
    };
    let [a, b] = activations.map(row);
    let (a, b) = a.zip(b)?;
    a.averages.iter().rev().find_map(|(steps, of_a)| {
        let (_, of_b) = b.averages.iter().find(|(n, _)| n == steps)?;
        let median = |figures: &Vec<f64>| Cell::from_values(figures.clone()).median();
        Some((*steps, [median(of_a)?, median(of_b)?]))
    })
}

#[cfg(test)]
mod tests {
    use super::{MEASURED, pair, peers};
    use crate::published::{COLUMNS_3, table_3};

    #[test]
    fn every_line_is_of_table_3_and_averages_never_rise() {
        let mut figures = 0;
        for column in COLUMNS_3 {
            for peer in peers(column) {
                assert!(table_3(column, peer.activation).is_some());
                figures += peer.averages.iter().map(|a| a.1.len()).sum::<usize>();
                for two in peer.averages.windows(2) {
                    let ((before, earlier), (after, later)) = (&two[0], &two[1]);
                    assert!(before < after);
                    assert!(earlier.iter().zip(later).all(|(e, l)| l <= e));
                }
            }
        }
        assert_eq!(
            pair("low-regularity", ["relu3", "psg"]),
            Some((200_000, [1.23e-3, 2.93e-4]))
        );
        assert_eq!(pair("regression", ["relu3", "psg"]), None);
        let words: usize = MEASURED.lines().map(|l| l.split_whitespace().count()).sum();
        assert_eq!(figures, words - 4 * MEASURED.lines().count());
    }
}
