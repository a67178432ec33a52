//! What JAX gives with the settings of Table 3: the same network, start, Adam and schedule, other random numbers.
//!
//! Measured with JAX on one H200, value, gradient and Laplacian written out by hand, double precision; the figure is ours too, the
//! smallest mean over 100 steps of the error at 10,000 fresh points. Where steps end before the paper's, so did the time on the machine.

use crate::Record;
use crate::cell::{Cell, error};
use crate::table::Table;

/// A row of Table 3 there.
struct Peer {
    column: &'static str,
    activation: &'static str,
    /// With a weight decay of 1e-4.
    decayed: bool,
    /// After so many steps, one figure a seed.
    averages: &'static [(u64, &'static [f64])],
}

const PEERS: &[Peer] = &[
    Peer {
        column: "poisson",
        activation: "relu3",
        decayed: false,
        averages: &[
            (1_000, &[1.75e-4, 1.28e-4, 1.58e-4]),
            (2_000, &[9.12e-5, 1.06e-4, 9.19e-5]),
            (10_000, &[4.91e-5, 5.22e-5, 5.10e-5]),
            (49_000, &[2.39e-5, 2.12e-5, 2.42e-5]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly",
        decayed: false,
        averages: &[
            (1_000, &[2.14e-4, 1.04e-4, 2.51e-4]),
            (2_000, &[3.05e-5, 2.89e-5, 9.16e-5]),
            (10_000, &[1.28e-5, 1.86e-5, 2.17e-5]),
            (51_000, &[3.29e-6, 3.39e-6, 3.40e-6]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly-relu",
        decayed: false,
        averages: &[
            (1_000, &[1.60e-2, 6.65e-3, 1.32e-2]),
            (2_000, &[2.53e-3, 5.63e-3, 8.70e-3]),
            (10_000, &[1.46e-4, 5.89e-4, 6.05e-4]),
            (47_000, &[1.46e-4, 4.64e-4, 3.84e-4]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly-relu3",
        decayed: false,
        averages: &[
            (1_000, &[5.59e-5, 1.10e-4, 1.52e-4]),
            (2_000, &[3.56e-5, 6.27e-5, 1.02e-4]),
            (10_000, &[1.48e-5, 3.64e-5, 2.84e-5]),
            (46_000, &[5.74e-6, 1.12e-5, 8.91e-6]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly-sine",
        decayed: false,
        averages: &[
            (1_000, &[4.08e-4, 5.69e-4, 3.01e-4]),
            (2_000, &[2.41e-4, 2.22e-4, 1.76e-4]),
            (10_000, &[1.86e-5, 3.64e-5, 2.70e-5]),
            (46_000, &[5.51e-6, 3.58e-6, 4.50e-6]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "psg",
        decayed: false,
        averages: &[
            (1_000, &[3.82e-4, 5.35e-4, 5.57e-4]),
            (2_000, &[2.04e-4, 2.58e-4, 3.28e-4]),
            (10_000, &[1.31e-4, 2.10e-4, 2.72e-4]),
            (44_000, &[2.78e-5, 2.39e-5, 3.23e-5]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "relu3",
        decayed: true,
        averages: &[
            (1_000, &[2.22e-3]),
            (2_000, &[2.10e-3]),
            (10_000, &[1.54e-3]),
            (100_000, &[1.39e-3]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly",
        decayed: true,
        averages: &[
            (1_000, &[8.16e-4]),
            (2_000, &[7.87e-4]),
            (10_000, &[5.30e-4]),
            (100_000, &[4.48e-4]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly-relu",
        decayed: true,
        averages: &[
            (1_000, &[7.25e-3]),
            (2_000, &[7.25e-3]),
            (10_000, &[6.04e-4]),
            (100_000, &[4.84e-4]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly-relu3",
        decayed: true,
        averages: &[
            (1_000, &[1.12e-3]),
            (2_000, &[1.09e-3]),
            (10_000, &[1.09e-3]),
            (100_000, &[1.09e-3]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "poly-sine",
        decayed: true,
        averages: &[
            (1_000, &[7.18e-4]),
            (2_000, &[7.15e-4]),
            (10_000, &[4.55e-4]),
            (100_000, &[4.42e-4]),
        ],
    },
    Peer {
        column: "poisson",
        activation: "psg",
        decayed: true,
        averages: &[
            (1_000, &[8.46e-4]),
            (2_000, &[8.46e-4]),
            (10_000, &[5.93e-4]),
            (100_000, &[2.69e-4]),
        ],
    },
    Peer {
        column: "low-regularity",
        activation: "relu3",
        decayed: false,
        averages: &[
            (1_000, &[1.39e-1]),
            (2_000, &[6.70e-2]),
            (10_000, &[1.02e-2]),
            (78_000, &[1.71e-3]),
        ],
    },
    Peer {
        column: "low-regularity",
        activation: "poly-sine",
        decayed: false,
        averages: &[
            (1_000, &[3.36e-2]),
            (2_000, &[2.31e-2]),
            (10_000, &[1.05e-2]),
            (95_000, &[2.03e-3]),
        ],
    },
    Peer {
        column: "low-regularity",
        activation: "psg",
        decayed: false,
        averages: &[
            (1_000, &[1.38e-2]),
            (2_000, &[9.67e-3]),
            (10_000, &[3.45e-3]),
            (90_000, &[4.76e-4]),
        ],
    },
    Peer {
        column: "low-regularity",
        activation: "psg",
        decayed: true,
        averages: &[
            (1_000, &[1.38e-2]),
            (2_000, &[9.70e-3]),
            (10_000, &[3.55e-3]),
            (91_000, &[4.86e-4]),
        ],
    },
    Peer {
        column: "oscillation",
        activation: "relu3",
        decayed: false,
        averages: &[
            (1_000, &[1.28e-1]),
            (2_000, &[9.15e-2]),
            (10_000, &[2.11e-2]),
            (100_000, &[1.53e-3]),
        ],
    },
    Peer {
        column: "oscillation",
        activation: "poly-relu3",
        decayed: false,
        averages: &[
            (1_000, &[5.22e-2]),
            (2_000, &[4.93e-2]),
            (10_000, &[1.20e-2]),
            (100_000, &[1.04e-3]),
        ],
    },
    Peer {
        column: "oscillation",
        activation: "poly-sine",
        decayed: false,
        averages: &[
            (1_000, &[2.89e-2]),
            (2_000, &[1.32e-2]),
            (10_000, &[4.18e-3]),
            (100_000, &[2.12e-4]),
        ],
    },
    Peer {
        column: "oscillation",
        activation: "psg",
        decayed: false,
        averages: &[
            (1_000, &[1.74e-2]),
            (2_000, &[7.82e-3]),
            (10_000, &[2.12e-3]),
            (100_000, &[1.65e-4]),
        ],
    },
];

/// JAX's figures of a column beside ours; nothing where it was not run there. `records` are those of an activation, decayed or not.
pub(crate) fn beside(
    column: &str,
    sign: impl Fn(&str) -> &str,
    records: impl Fn(&str, bool) -> Vec<Record>,
) -> Option<Table> {
    let mut table = Table::new([
        "activation",
        "weight decay",
        "ours",
        "JAX, as many steps",
        "JAX at the end",
        "its steps",
    ]);
    let mut rows = PEERS.iter().filter(|p| p.column == column).peekable();
    rows.peek()?;
    for peer in rows {
        let ours = records(peer.activation, peer.decayed);
        let steps = ours.first().and_then(Record::steps);
        let after = |steps: u64| peer.averages.iter().find(|(n, _)| *n == steps);
        let text = |figures: &[f64]| Cell::from_values(figures.to_vec()).text(error);
        let same = steps
            .and_then(after)
            .map_or(String::new(), |(_, f)| text(f));
        let (end, last) = peer.averages.last().copied().unwrap_or_default();
        table.row([
            sign(peer.activation).to_owned(),
            if peer.decayed { "1e-4" } else { "0" }.to_owned(),
            Cell::of(&ours, "moving_average").text(error),
            same,
            text(last),
            end.to_string(),
        ]);
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::PEERS;
    use crate::published::table_3;

    #[test]
    fn rows_are_rows_of_table_3_and_averages_never_rise() {
        for peer in PEERS {
            assert!(table_3(peer.column, peer.activation).is_some());
            for two in peer.averages.windows(2) {
                let ((before, earlier), (after, later)) = (two[0], two[1]);
                assert!(before < after && earlier.len() == later.len());
                assert!(earlier.iter().zip(later).all(|(e, l)| l <= e));
            }
        }
    }
}
