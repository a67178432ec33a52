//! The reproducing activation function: every neuron its own mix of basis functions,
//!
//! ```text
//! σ(z) = Σ_p α_p γ_p(β_p z)                                            (RAF paper, equation 1)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | γ_p | a [`Basis`] function |
//! | α_p | its coefficient in this neuron |
//! | β_p | its frequency in this neuron; a Gaussian of width s has β = 1/(√2 s) |
//!
//! A layer's [`Activation`] is a row of [`Group`]s of neighbouring neurons that share their basis functions. In
//! *learnable* mode one group covers the layer and all coefficients are trained; in *shared-out* mode (the paper's ⊕)
//! each group has one basis function with α = 1. The two mix freely: which α, frequencies and widths are trained is said
//! term by term. [`neuron`] holds the formulas.

mod allocation;
mod initial;
pub mod neuron;
mod set;
mod term;

pub use allocation::split;
pub use initial::Initial;
pub use initial::random;
pub use set::{Set, Signal, UnknownSet, psg, psg_rational, scaled_sines, scaled_sines_cosines};
pub use term::{Coefficient, Scale, Term, Training};

use crate::basis::Basis;

/// Most basis functions a neuron may mix.
pub const MOST_TERMS: usize = 16;

/// Neighbouring neurons with the same basis functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// How many neurons.
    pub neurons: usize,
    /// The basis functions that each of them mixes.
    pub terms: Vec<Term>,
}

impl Group {
    /// The basis function with coefficients of its own, if there is one: all terms that have some are of the same function.
    pub fn shaped(&self) -> Option<Basis> {
        let mut bases = self.terms.iter().map(|t| t.basis);
        bases.find(|b| b.shape_len() > 0)
    }

    /// How many such coefficients the group has.
    pub fn shape_len(&self) -> usize {
        self.shaped().map_or(0, |basis| match basis {
            basis if basis.shape_is_by_neuron() => basis.shape_len() * self.neurons,
            basis => basis.shape_len(),
        })
    }
}

/// The activation of a layer: its neurons, in order, in groups.
///
/// ```
/// use rafnet::activation::{Set, Signal};
/// let layer = Set::Psg.shared_out(50, 0.1);
/// let counts: Vec<usize> = layer.groups().iter().map(|g| g.neurons).collect();
/// assert_eq!(counts, [12, 12, 12, 14]);
/// assert_eq!(Set::Psg.learnable(256, Signal::Image).n_trained(), 6 * 256);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Activation {
    groups: Vec<Group>,
}

/// An activation that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActivationError {
    /// A group without basis functions.
    #[error("group {group} of the activation has no basis function; give each group at least one")]
    NoTerms {
        /// Which group, from 0.
        group: usize,
    },
    /// A group of too many basis functions.
    #[error(
        "group {group} of the activation mixes {found} basis functions; at most {MOST_TERMS} are taken"
    )]
    TooManyTerms {
        /// Which group, from 0.
        group: usize,
        /// How many it mixes.
        found: usize,
    },
    /// More neurons together than can be counted.
    #[error(
        "the groups of the activation have more than {} neurons together; give fewer",
        usize::MAX
    )]
    TooManyNeurons,
    /// Two functions with coefficients of their own in one group.
    #[error(
        "group {group} of the activation mixes `{first}` and `{second}`, which both have coefficients of their own; join them in one text, \
         or give each a group"
    )]
    TwoShapes {
        /// Which group, from 0.
        group: usize,
        /// One of them.
        first: Basis,
        /// The other.
        second: Basis,
    },
    /// A coefficient that is held fixed and drawn at random.
    #[error(
        "the {what} of `{basis}` is held fixed but drawn at random; draw it first (`Initial::drawn`) so that the description of \
         the network holds its values"
    )]
    FixedAtRandom {
        /// `coefficient`, `frequency` or `width`.
        what: &'static str,
        /// Of which basis function.
        basis: Basis,
    },
    /// As many values as neurons are needed.
    #[error("`{basis}` has {found} values for a group of {expected} neurons")]
    WrongCount {
        /// Of which basis function.
        basis: Basis,
        /// How many neurons there are.
        expected: usize,
        /// How many values were given.
        found: usize,
    },
    /// A value that is infinite or NaN, or a width of zero.
    #[error(
        "the {what} of `{basis}` has the value {value}; a finite number is needed, and a width other than 0"
    )]
    BadValue {
        /// `coefficient`, `frequency` or `width`.
        what: &'static str,
        /// Of which basis function.
        basis: Basis,
        /// The value.
        value: String,
    },
}

impl Activation {
    /// Checks the groups and joins them; groups of no neurons are dropped.
    ///
    /// # Errors
    /// [`ActivationError`] says which group or coefficient cannot be.
    pub fn new(groups: Vec<Group>) -> Result<Self, ActivationError> {
        let mut neurons = groups.iter().map(|g| g.neurons);
        if neurons.try_fold(0usize, usize::checked_add).is_none() {
            return Err(ActivationError::TooManyNeurons);
        }
        for (index, group) in groups.iter().enumerate() {
            if group.terms.is_empty() {
                return Err(ActivationError::NoTerms { group: index });
            }
            if group.terms.len() > MOST_TERMS {
                return Err(ActivationError::TooManyTerms {
                    group: index,
                    found: group.terms.len(),
                });
            }
            for term in &group.terms {
                term.check(group.neurons)?;
                let other = group.shaped().filter(|b| *b != term.basis);
                if let Some(first) = other.filter(|_| term.basis.shape_len() > 0) {
                    return Err(ActivationError::TwoShapes {
                        group: index,
                        first,
                        second: term.basis,
                    });
                }
            }
        }
        Ok(Self {
            groups: groups.into_iter().filter(|g| g.neurons > 0).collect(),
        })
    }

    /// Every neuron the same fixed function: one basis, α = 1, a fixed frequency.
    pub fn uniform(width: usize, terms: Vec<Term>) -> Self {
        Self {
            groups: vec![Group {
                neurons: width,
                terms,
            }],
        }
    }

    /// The groups, in the order of the neurons.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many neurons.
    pub fn width(&self) -> usize {
        self.groups.iter().map(|g| g.neurons).sum()
    }

    /// How many coefficients, frequencies, widths and shape parameters are trained.
    pub fn n_trained(&self) -> usize {
        self.groups
            .iter()
            .map(|g| {
                let terms = g.terms.iter().map(|t| t.n_trained(g.neurons));
                terms.sum::<usize>() + g.shape_len()
            })
            .sum()
    }
}
