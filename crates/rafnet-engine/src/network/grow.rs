//! A network inside a wider one.

use super::Network;
use crate::simd::Real;

impl Network {
    /// Whether [`grow`](Self::grow) keeps the function: every layer's neurons must be of one kind, so that new ones come last.
    pub fn can_grow(&self) -> bool {
        let mut activations = self.layers().iter().filter_map(|l| l.activation.as_ref());
        activations.all(|a| a.groups().len() == 1)
    }

    /// Places `parameters` inside those of a wider network of the same make, `grown`: nothing of a new neuron reaches an old one or an
    /// output yet, so that the function stays the same.
    ///
    /// ```
    /// use rafnet::activation::Set;
    /// use rafnet::network::{Init, Inputs, Network, Weights};
    /// let network = |width| Network::fully_connected(Inputs::coordinates(1), vec![Set::Tanh.shared_out(width, 0.1); 2], 1);
    /// let (narrow, wide) = (network(2)?, network(3)?);
    /// let mut grown = wide.init::<f64>(Init::new(Weights::FanIn, 1));
    /// narrow.grow(&narrow.init::<f64>(Init::new(Weights::FanIn, 0)), &wide, &mut grown);
    /// let output = &wide.layout().get("layers.2.weight").expect("an output layer").range;
    /// assert_eq!(grown[output.clone()][2], 0.0);
    /// # Ok::<(), rafnet::network::NetworkError>(())
    /// ```
    pub fn grow<T: Real>(&self, parameters: &[T], wider: &Self, grown: &mut [T]) {
        for old in self.layout().named() {
            let Some(new) = wider.layout().get(&old.name) else {
                continue;
            };
            let width = |shape: &[usize]| shape.last().copied().unwrap_or(1);
            let (from, to) = (width(&old.shape), width(&new.shape));
            let rows = parameters[old.range.clone()].chunks(from);
            for (row, place) in rows.zip(grown[new.range.clone()].chunks_mut(to)) {
                place[..from].copy_from_slice(row);
                if old.name.ends_with(".weight") {
                    place[from..].fill(T::ZERO);
                }
            }
        }
    }
}
