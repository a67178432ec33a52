//! A table in units in which its columns are alike; columns that cannot be fitted are refused, before the first step.

use crate::expr::{larger, smaller};
use crate::fit::FitError;
use crate::network::Network;
use rafnet_signal::Error;
use rafnet_signal::table::Table;

/// A table with the middle and half the extent of each input and the mean and deviation of each output.
#[derive(Clone, Debug)]
pub struct Scaled {
    pub(super) table: Table,
    /// The rows as a grid: of an array its sizes.
    pub(super) sizes: Vec<usize>,
    pub(super) inputs: Vec<[f64; 2]>,
    pub(super) outputs: Vec<[f64; 2]>,
}

/// Columns that cannot become the coordinates and values of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// Numbers where names should be.
    #[error(
        "{table} has no header: its first line holds numbers, expected the names of the columns"
    )]
    NoHeader {
        /// Which table.
        table: String,
    },
    /// No name.
    #[error("a column of {table} has no name")]
    Unnamed {
        /// Which table.
        table: String,
    },
    /// A name that no formula could use.
    #[error("the column `{name}` of {table} cannot name a coordinate or a value")]
    Name {
        /// Which table.
        table: String,
        /// The name.
        name: String,
    },
    /// A name twice.
    #[error("two of the columns chosen from {table} are called `{name}`")]
    Twins {
        /// Which table.
        table: String,
        /// The name.
        name: String,
    },
    /// Values too far apart for their deviation.
    #[error(
        "the values of the column `{name}` of {table} are too large: their mean or spread is beyond 1.8e308"
    )]
    TooLarge {
        /// Which table.
        table: String,
        /// The column.
        name: String,
    },
}

impl TryFrom<Table> for Scaled {
    type Error = FitError;

    fn try_from(table: Table) -> Result<Self, FitError> {
        Self::new(table, "the table")
    }
}

impl Scaled {
    /// Takes the scales of the columns of a table, which is called so in messages.
    pub(super) fn new(table: Table, called: &str) -> Result<Self, FitError> {
        let (d, outputs) = (table.input_names.len(), table.output_names.len());
        for (names, numbers) in [(d, &table.inputs), (outputs, &table.outputs)] {
            let expected = names.saturating_mul(table.n_rows).max(1);
            let found = numbers.len();
            if found != expected {
                let what = "a table";
                return Err(FitError::Signal(Error::Length {
                    what,
                    found,
                    expected,
                }));
            }
        }
        let names = table.input_names.iter().chain(&table.output_names);
        let names: Vec<&String> = names.collect();
        check(&names, called)?;
        let column = |values: &[f64], n: usize, k: usize| -> Vec<f64> {
            values.iter().skip(k).step_by(n).copied().collect()
        };
        let extent = |k: usize| {
            let values = column(&table.inputs, d, k);
            let low = values.iter().copied().fold(f64::INFINITY, smaller);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, larger);
            let half = 0.5 * (high - low);
            [0.5 * (high + low), if half > 0.0 { half } else { 1.0 }]
        };
        let spread = |k: usize| {
            let values = column(&table.outputs, outputs, k);
            let n = values.len().max(1) as f64;
            let mean = values.iter().sum::<f64>() / n;
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
            let deviation = square.sqrt();
            [mean, if deviation > 0.0 { deviation } else { 1.0 }]
        };
        let inputs: Vec<[f64; 2]> = (0..d).map(extent).collect();
        let outputs: Vec<[f64; 2]> = (0..outputs).map(spread).collect();
        let mut scales = inputs.iter().chain(&outputs);
        if let Some(k) = scales.position(|s| s.iter().any(|v| !v.is_finite())) {
            let (table, name) = (called.to_owned(), names[k].clone());
            return Err(ColumnError::TooLarge { table, name }.into());
        }
        Ok(Self {
            sizes: vec![table.n_rows],
            inputs,
            outputs,
            table,
        })
    }

    /// From weights on scaled inputs to weights on the table's own: w·(x − m)/h + b = (w/h)·x + (b − w·m/h).
    pub(super) fn unscale(&self, network: &Network, parameters: &mut [f64]) {
        let layout = network.layout();
        let (Some(weight), Some(bias)) =
            (layout.get("layers.0.weight"), layout.get("layers.0.bias"))
        else {
            return;
        };
        let d = self.inputs.len();
        for neuron in 0..bias.range.len() {
            for (k, [middle, half]) in self.inputs.iter().enumerate() {
                let w = &mut parameters[weight.range.start + neuron * d + k];
                *w /= half;
                let moved = *w * middle;
                parameters[bias.range.start + neuron] -= moved;
            }
        }
    }
}

/// Refuses names that cannot be those of coordinates and values.
fn check(names: &[&String], called: &str) -> Result<(), ColumnError> {
    let table = called.to_owned();
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Err(ColumnError::NoHeader { table });
    }
    for (k, name) in names.iter().enumerate() {
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let usable = begins && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if usable && !names[..k].contains(name) {
            continue;
        }
        let name = (*name).clone();
        return Err(match name.as_str() {
            "" => ColumnError::Unnamed { table },
            _ if !usable => ColumnError::Name { table, name },
            _ => ColumnError::Twins { table, name },
        });
    }
    Ok(())
}
