//! What JAX gives with the settings of Tables 3 and 4 and of Figure 3 (f): the same network, start, Adam and schedule, other random numbers.
//!
//! Measured by `bench/table3.py` on one H200, value, gradient and Laplacian written out by hand, double precision; the figures are ours too, of
//! the error at 10,000 fresh points: for Table 3 the smallest mean over 100 steps, for the other two the smallest of a step. Where
//! steps end before the paper's, so did the time on the machine.

use crate::cell::{Cell, error};
use crate::table::{Section, Table};
use crate::{Asked, Budget, Record};

/// A line each: column, activation, weight decay, steps, and the figure of every seed.
const MEASURED: &str = include_str!("peers.txt");

/// A row of a table there.
struct Peer {
    activation: &'static str,
    weight_decay: &'static str,
    /// After so many steps, one figure a seed.
    figures: Vec<(u64, Vec<f64>)>,
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
        let figures = (steps, words.filter_map(|w| w.parse().ok()).collect());
        let same = |p: &&mut Peer| (p.activation, p.weight_decay) == (activation, weight_decay);
        match rows.last_mut().filter(same) {
            Some(row) => row.figures.push(figures),
            None => rows.push(Peer {
                activation,
                weight_decay,
                figures: vec![figures],
            }),
        }
    }
    rows
}

/// JAX's figures of a column beside ours, which have a full budget and the usual settings. `ours` are the title and the records of an activation, decayed or not.
pub(crate) fn beside(
    section: &mut Section,
    asked: &Asked,
    column: &str,
    figure: &str,
    ours: impl Fn(&str, bool) -> (String, Vec<Record>),
) {
    let rows = peers(column);
    if asked.budget != Budget::Full || !asked.is_plain() || rows.is_empty() {
        return;
    }
    let mut table = Table::new([
        "activation",
        "ours",
        "JAX, as many steps",
        "JAX at the end",
        "its steps",
    ]);
    for peer in &rows {
        let decayed = peer.weight_decay != "0";
        let (activation, records) = ours(peer.activation, decayed);
        let title = match peer.weight_decay {
            "0" => activation,
            decay => format!("{activation}, weight decay {decay}"),
        };
        let text = |figures: &Vec<f64>| Cell::from_values(figures.clone()).text(error);
        let steps = records.first().and_then(Record::steps);
        let same = peer.figures.iter().find(|(n, _)| Some(*n) == steps);
        let last = peer.figures.last();
        table.row([
            title,
            Cell::of(&records, figure).text(error),
            same.map_or(String::new(), |(_, of)| text(of)),
            last.map_or(String::new(), |(_, of)| text(of)),
            last.map_or(String::new(), |(n, _)| n.to_string()),
        ]);
    }
    let what = match figure {
        "best" => "smallest errors of a single step",
        _ => "averages",
    };
    section.say(format!("The {what} beside those of JAX on an H200, with the same network, Adam and schedule and other random numbers."));
    section.add(&table);
}

/// What it gives for two activations with this weight decay, medians after the most steps that both took.
pub(crate) fn pair(
    column: &str,
    activations: [&str; 2],
    weight_decay: &str,
) -> Option<(u64, [f64; 2])> {
    let rows = peers(column);
    let row = |activation: &str| {
        let mut same = rows.iter().filter(|p| p.weight_decay == weight_decay);
        same.find(|p| p.activation == activation)
    };
    let [a, b] = activations.map(row);
    let (a, b) = a.zip(b)?;
    a.figures.iter().rev().find_map(|(steps, of_a)| {
        let (_, of_b) = b.figures.iter().find(|(n, _)| n == steps)?;
        let median = |figures: &Vec<f64>| Cell::from_values(figures.clone()).median();
        Some((*steps, [median(of_a)?, median(of_b)?]))
    })
}

#[cfg(test)]
mod tests {
    use super::{MEASURED, pair, peers};
    use crate::published::{COLUMNS_3, table_3};

    #[test]
    fn every_line_is_of_a_table_and_figures_never_rise() {
        let mut figures = 0;
        for column in COLUMNS_3
            .into_iter()
            .chain(["scaled-sines", "super-oscillation"])
        {
            for peer in peers(column) {
                assert!(!COLUMNS_3.contains(&column) || table_3(column, peer.activation).is_some());
                figures += peer.figures.iter().map(|a| a.1.len()).sum::<usize>();
                for two in peer.figures.windows(2) {
                    let ((before, earlier), (after, later)) = (&two[0], &two[1]);
                    assert!(before < after);
                    assert!(earlier.iter().zip(later).all(|(e, l)| l <= e));
                }
            }
        }
        assert_eq!(
            pair("low-regularity", ["relu3", "psg"], "0"),
            Some((200_000, [1.23e-3, 2.93e-4]))
        );
        assert_eq!(pair("regression", ["relu3", "psg"], "0"), None);
        let words: usize = MEASURED.lines().map(|l| l.split_whitespace().count()).sum();
        assert_eq!(figures, words - 4 * MEASURED.lines().count());
    }
}
