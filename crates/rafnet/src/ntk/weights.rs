//! Weights of the loss's terms from the kernel's traces.
//!
//! ```text
//! J(θ) = Σ_k λ_k/n_k Σ_i |r_k(x_i)|²        t_k = tr(J_k J_kᵀ)/n_k        λ_k = Σ_j t_j / t_k
//! ```
//!
//! t_k is the mean rate at which the residuals of term k fall by themselves; with these weights all terms fall at one rate.
//! (S. Wang, X. Yu, P. Perdikaris, "When and why PINNs fail to train", 2022, (6.5)–(6.6), there with n_k all equal.)

use super::{NtkError, Tangent};

/// The weight of one term.
#[derive(Clone, Debug, PartialEq)]
pub struct TermWeight {
    /// What the term is: `equations`, `boundary 1`, `initial 2`, `data 1`.
    pub name: String,
    /// How many residuals.
    pub n_rows: usize,
    /// tr(J_k J_kᵀ)
    pub trace: f64,
    /// λ_k; `None` where the term does not depend on the parameters.
    pub weight: Option<f64>,
}

impl Tangent {
    /// The weights that make every term's residuals fall at the same mean rate.
    ///
    /// # Errors
    /// [`NtkError`] where numbers overflow.
    pub fn term_weights(&mut self) -> Result<Vec<TermWeight>, NtkError> {
        let mut terms: Vec<TermWeight> = (0..self.points.len())
            .map(|k| TermWeight {
                name: self.name(k),
                n_rows: 0,
                trace: 0.0,
                weight: None,
            })
            .collect();
        for slab in self.slabs() {
            let rows = self.rows(&slab)?;
            terms[slab.term].n_rows += slab.rows;
            terms[slab.term].trace += rows.jacobian.iter().map(|j| j * j).sum::<f64>();
        }
        let mean = |t: &TermWeight| t.trace / t.n_rows.max(1) as f64;
        let total: f64 = terms.iter().map(mean).sum();
        for term in &mut terms {
            term.weight = Some(total / mean(term)).filter(|w| w.is_finite());
        }
        Ok(terms)
    }

    fn name(&self, term: usize) -> String {
        let conditions = &self.terms.system.problem.conditions;
        match self.terms.place(term) {
            None => "equations".into(),
            Some(c) if c >= conditions.len() => format!("data {}", c - conditions.len() + 1),
            Some(c) if conditions[c].initial => format!("initial {}", c + 1),
            Some(c) => format!("boundary {}", c + 1),
        }
    }
}
