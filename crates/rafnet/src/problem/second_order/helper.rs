//! A helper: what it stands for, and a text with the helper put in.
//!
//! ```text
//! r = r₀ + Σ_B c_B (Δu)_B   →   r₀ + Σ_B c_B w_B        B the derivatives of Δu that occur
//! ```

use crate::expr::{Expr, Jet, Leaf};

/// An unknown that stands for a sum of second derivatives of another.
pub(super) struct Helper {
    pub(super) of: usize,
    pub(super) meaning: Meaning,
    /// Its own number.
    pub(super) number: usize,
}

pub(super) enum Meaning {
    /// u_ij
    Second([usize; 2]),
    /// Δu over these axes.
    Laplacian(Vec<usize>),
}

impl Helper {
    pub(super) fn name(&self, unknowns: &[String], coordinates: &[String]) -> String {
        let of = &unknowns[self.of];
        match &self.meaning {
            Meaning::Second([i, j]) => format!("{of}_{}{}", coordinates[*i], coordinates[*j]),
            Meaning::Laplacian(_) => format!("laplacian({of})"),
        }
    }

    /// A text with the helper put in; `None` where a higher derivative is not one of the Laplacian.
    pub(super) fn lowered(&self, text: &Expr) -> Option<Expr> {
        match &self.meaning {
            Meaning::Second(pair) => Some(text.replace(&mut |leaf| match leaf {
                Leaf::Jet(jet) if jet.unknown() == self.of => {
                    let rest = rest(jet, pair)?;
                    Some(Expr::leaf(Leaf::jet(self.number, &rest)))
                }
                _ => None,
            })),
            Meaning::Laplacian(axes) => self.through_laplacian(text, axes),
        }
    }

    /// r = r₀ + Σ_B c_B (Δu)_B: c_B is the coefficient of a derivative that belongs to one B alone, and all the others must agree.
    fn through_laplacian(&self, text: &Expr, space: &[usize]) -> Option<Expr> {
        let own = |leaf: &Leaf| match leaf {
            Leaf::Jet(jet) if jet.unknown() == self.of && jet.order() > 1 => Some(jet.clone()),
            _ => None,
        };
        let jets: Vec<Jet> = text.leaves().iter().filter_map(own).collect();
        let high = jets.iter().any(|jet| jet.order() > 2);
        // lower derivatives stay as they are unless they make up Δu themselves
        let least = if high { 2 } else { 1 };
        let jets: Vec<Jet> = jets.into_iter().filter(|jet| jet.order() > least).collect();
        let lowered = self.collected(text, &jets, space);
        match (lowered, high) {
            (None, false) => Some(text.clone()),
            (lowered, _) => lowered,
        }
    }

    fn collected(&self, text: &Expr, jets: &[Jet], space: &[usize]) -> Option<Expr> {
        if jets.is_empty() {
            return Some(text.clone());
        }
        let coefficient = |jet: &Jet| text.partial(&Leaf::Jet(jet.clone()));
        let free = |e: &Expr| e.jets().iter().all(|jet| !jets.contains(jet));
        let mut bases: Vec<Vec<usize>> = Vec::new();
        for jet in jets {
            bases.extend(space.iter().filter_map(|k| rest(jet, &[*k, *k])));
        }
        bases.sort();
        bases.dedup();
        let twice = |base: &[usize], k: usize| {
            let axes = [base, &[k, k]].concat();
            Jet::new(self.of, &axes)
        };
        let of_base = |base: &Vec<usize>| {
            let own = base.iter().find(|axis| space.contains(axis));
            coefficient(&twice(base, *own.unwrap_or(&space[0])))
        };
        let factors: Vec<Expr> = bases.iter().map(of_base).collect();
        let mut expected: Vec<(Jet, Expr)> = Vec::new();
        for (base, factor) in bases.iter().zip(&factors) {
            for k in space {
                let jet = twice(base, *k);
                match expected.iter_mut().find(|(known, _)| *known == jet) {
                    Some((_, sum)) => *sum = sum.clone() + factor.clone(),
                    None => expected.push((jet, factor.clone())),
                }
            }
        }
        let met = |(jet, sum): &(Jet, Expr)| free(sum) && coefficient(jet) == *sum;
        let complete = jets
            .iter()
            .all(|jet| expected.iter().any(|(known, _)| known == jet));
        if !complete || !expected.iter().all(met) {
            return None;
        }
        let without = text.replace(&mut |leaf| match leaf {
            Leaf::Jet(jet) if jets.contains(jet) => Some(Expr::number(0.0)),
            _ => None,
        });
        let terms = bases.iter().zip(factors);
        let terms = terms.map(|(base, factor)| factor * Expr::leaf(Leaf::jet(self.number, base)));
        Some(Expr::sum([without].into_iter().chain(terms)))
    }
}

/// What is left of a derivative without these two axes, if it has them.
pub(super) fn rest(jet: &Jet, pair: &[usize; 2]) -> Option<Vec<usize>> {
    let mut axes = jet.axes().to_vec();
    for axis in pair {
        let place = axes.iter().position(|other| other == axis)?;
        axes.remove(place);
    }
    Some(axes)
}
