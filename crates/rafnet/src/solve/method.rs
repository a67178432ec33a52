//! The ways to solve, by their names.

use std::fmt;

/// How to solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// `lsq` first; where it stalls, `lm` from there.
    #[default]
    Auto,
    /// Frozen features, the output layer solved exactly.
    Lsq,
    /// Many small frozen layers on boxes and time slabs, joined by rows.
    Pieces,
    /// Levenberg–Marquardt on every weight.
    Lm,
    /// L-BFGS with a strong-Wolfe search on every weight.
    Lbfgs,
    /// Adam with fresh points each step, as in the paper.
    Adam,
    /// Two networks along random paths: the paper's way to eigenvalues.
    Bsde,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Lsq,
        Self::Pieces,
        Self::Lm,
        Self::Lbfgs,
        Self::Adam,
        Self::Bsde,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Lsq => "lsq",
            Self::Pieces => "pieces",
            Self::Lm => "lm",
            Self::Lbfgs => "lbfgs",
            Self::Adam => "adam",
            Self::Bsde => "bsde",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
