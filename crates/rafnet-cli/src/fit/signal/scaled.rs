//! A table in units in which its columns are alike.

use rafnet::expr::{larger, smaller};
use rafnet::network::Network;
use rafnet_signal::table::Table;

/// A table with the middle and half the extent of each input and the mean and deviation of each output.
pub(in crate::fit) struct Scaled {
    pub(in crate::fit) table: Table,
    pub(super) inputs: Vec<[f64; 2]>,
    pub(super) outputs: Vec<[f64; 2]>,
}

impl Scaled {
    pub(super) fn new(table: Table) -> Self {
        let column = |values: &[f64], n: usize, k: usize| -> Vec<f64> {
            values.iter().skip(k).step_by(n).copied().collect()
        };
        let (d, outputs) = (table.input_names.len(), table.output_names.len());
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
        Self {
            inputs: (0..d).map(extent).collect(),
            outputs: (0..outputs).map(spread).collect(),
            table,
        }
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

    /// For each input its middle and half its extent, for each output its mean and deviation.
    pub(in crate::fit) fn scales(&self) -> (&[[f64; 2]], &[[f64; 2]]) {
        (&self.inputs, &self.outputs)
    }

    /// An output's deviation, in its own unit.
    pub(in crate::fit) fn deviation(&self, output: usize) -> f64 {
        self.outputs[output][1]
    }
}
