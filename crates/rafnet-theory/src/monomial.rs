//! Monomials: x^α by N chains of products and a tree (the paper's Lemma, part iv, and its figure).
//!
//! The k = |α| factors are dealt to N chains as evenly as possible. Layer 1 multiplies the first two factors of each chain, each
//! further layer one more; then a binary tree of ⌈log₂ N⌉ layers multiplies the chains' values:
//!
//! ```text
//! stated  depth max(1, ⌈k/N⌉)     + ⌈log₂ N⌉        (what the polynomial proof uses; one layer more than needed)
//! tight   depth max(1, ⌈k/N⌉ − 1) + ⌈log₂ N⌉        (a chain of m factors needs m − 1 layers)
//! width   2N + d
//! ```

use super::arithmetic::Arithmetic;
use super::draft::Draft;
use super::formula::numbered;
use super::sampling;
use super::tree::tree_layer;
use super::wire::Wire;
use super::{Bound, Construction, Form, Statement, TheoryError};

/// Which depth is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As the proof counts.
    Stated,
    /// As many layers as are needed.
    Tight,
}

/// ⌈log₂ n⌉
pub(super) fn log2_ceil(n: usize) -> usize {
    n.next_power_of_two().trailing_zeros() as usize
}

/// The depth of the chains and of the whole, for a total degree.
pub(super) fn depths(degree: usize, chains: usize, variant: Variant) -> [usize; 2] {
    let rounds = degree.div_ceil(chains);
    let rounds = match variant {
        Variant::Stated => rounds.max(1),
        Variant::Tight => rounds.saturating_sub(1).max(1),
    };
    [rounds, rounds + log2_ceil(chains)]
}

/// The depth of a monomial of this total degree on N chains.
///
/// ```
/// use rafnet_theory::{Variant, monomial_depth};
/// assert_eq!(monomial_depth(5, 2, Variant::Stated), 4);
/// assert_eq!(monomial_depth(5, 2, Variant::Tight), 3);
/// ```
pub fn monomial_depth(degree: usize, chains: usize, variant: Variant) -> usize {
    depths(degree, chains.max(1), variant)[1]
}

/// One monomial on its way through the layers of a column.
pub(super) struct Block {
    chains: Vec<Chain>,
}

/// The factors still to come, the last first, and the product so far.
struct Chain {
    waiting: Vec<usize>, // variables
    value: Option<Wire>,
}

impl Block {
    /// Deals the factors (variables with their multiplicity) to at most `chains` chains.
    pub(super) fn new(powers: &[u32], chains: usize) -> Self {
        let factors = powers.iter().enumerate();
        let factors = factors.flat_map(|(k, &n)| std::iter::repeat_n(k, n as usize));
        let mut dealt: Vec<Vec<usize>> = vec![Vec::new(); chains];
        for (i, factor) in factors.enumerate() {
            dealt[i % chains].push(factor);
        }
        let chains = dealt.into_iter().filter(|c| !c.is_empty());
        Self {
            chains: chains
                .map(|mut waiting| {
                    waiting.reverse();
                    Chain {
                        waiting,
                        value: None,
                    }
                })
                .collect(),
        }
    }

    /// One more layer of the chains: multiply by the next factor, or carry.
    pub(super) fn multiply(&mut self, arithmetic: &mut impl Arithmetic, x: &[Wire]) {
        for chain in &mut self.chains {
            let value = match chain.value.take() {
                Some(value) => Some(value),
                None => chain.waiting.pop().map(|k| x[k].clone()),
            };
            chain.value = value.map(|value| match chain.waiting.pop() {
                Some(k) => arithmetic.product(&value, &x[k]),
                None => arithmetic.carry(&value),
            });
        }
    }

    /// One layer of the tree over the chains.
    pub(super) fn join(&mut self, arithmetic: &mut impl Arithmetic) {
        let values: Vec<Wire> = self.chains.drain(..).filter_map(|c| c.value).collect();
        let joined = tree_layer(arithmetic, &values).into_iter();
        self.chains = joined
            .map(|value| Chain {
                waiting: Vec::new(),
                value: Some(value),
            })
            .collect();
    }

    /// The finished product; none for the constant 1.
    pub(super) fn value(&self) -> Option<&Wire> {
        self.chains.first().and_then(|c| c.value.as_ref())
    }
}

/// x^α on N chains, width at most 2N + d, measured on [−1, 1]^d.
///
/// # Errors
/// [`TheoryError::Number`] without a variable, without a chain, or with a degree of 0.
///
/// ```
/// use rafnet_theory::{Variant, monomial};
/// let m = monomial(&[3, 2], 2, Variant::Tight)?; // x1³ x2²
/// assert_eq!((m.depth(), m.width()), (3, 6));
/// assert_eq!(m.eval(&[2.0, 3.0])?, [72.0]);
/// # Ok::<(), rafnet_theory::TheoryError>(())
/// ```
pub fn monomial(
    powers: &[u32],
    chains: usize,
    variant: Variant,
) -> Result<Construction, TheoryError> {
    let degree: usize = powers.iter().map(|&n| n as usize).sum();
    if !(1..=512).contains(&degree) {
        return Err(TheoryError::number("the total degree", degree, "1 to 512"));
    }
    if !(1..=512).contains(&chains) {
        return Err(TheoryError::number(
            "the number of chains",
            chains,
            "1 to 512",
        ));
    }
    let bounds = sampling::unit_box(powers.len());
    let mut draft = Draft::new(powers.len());
    let mut x = Wire::inputs(&bounds);
    let mut block = Block::new(powers, chains);
    let [rounds, depth] = depths(degree, chains, variant);
    for layer in 0..depth {
        if layer < rounds {
            block.multiply(&mut draft, &x);
        } else {
            block.join(&mut draft);
        }
        x = x.iter().map(|w| draft.carry(w)).collect();
    }
    let output = block.value().cloned();
    let output = output.unwrap_or_else(|| unreachable!("the degree is at least 1"));
    let rounding = output.settled();
    let built = draft.finish(&[output])?;
    let d = powers.len();
    let points = sampling::points(&bounds);
    let exact: Vec<f64> = points
        .chunks_exact(d)
        .map(|x| {
            x.iter()
                .zip(powers)
                .map(|(x, &n)| x.powi(n.cast_signed()))
                .product()
        })
        .collect();
    let coordinates = numbered("x", d);
    let stated = depths(degree, chains, Variant::Stated)[1];
    Construction {
        statement: Some(Statement::dense(d, 2 * chains + d, stated)),
        ..Construction::new(
            "monomial",
            coordinates,
            Form::Real(built),
            Bound::exact(rounding),
            bounds,
        )
    }
    .measured(&points, &exact)
}
