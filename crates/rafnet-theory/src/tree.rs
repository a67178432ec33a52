//! Product trees: n values multiplied pair by pair in ⌈log₂ n⌉ layers.
//!
//! A layer that holds n values has n neurons: two for each pair, one to carry a value that is left over. In all
//! n + ⌈n/2⌉ + … neurons until one value is left: 2, 5, 6 and 14 for n = 2, 3, 4 and 8.

use super::arithmetic::Arithmetic;
use super::wire::Wire;

/// One layer: pairs multiplied, a single value carried.
pub(super) fn tree_layer(arithmetic: &mut impl Arithmetic, values: &[Wire]) -> Vec<Wire> {
    values
        .chunks(2)
        .map(|pair| match pair {
            [a, b] => arithmetic.product(a, b),
            _ => arithmetic.carry(&pair[0]),
        })
        .collect()
}

/// The product of all values, after as many layers as it takes.
pub(super) fn product_tree(arithmetic: &mut impl Arithmetic, mut values: Vec<Wire>) -> Wire {
    while values.len() > 1 {
        values = tree_layer(arithmetic, &values);
    }
    values
        .pop()
        .unwrap_or_else(|| unreachable!("a product has factors"))
}
