//! What points are drawn for: each purpose has a round of its own, so that no two share their points.

/// A purpose of [`Draw::round`](crate::domain::Draw::round). Points that are trained on count their rounds from zero, with other points held out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// The points of a single least-squares solution.
    Solved = 1,
    /// How large a solution is, and means over the domain.
    Sized = 3,
    /// Whether equations contradict each other.
    Contradiction = 4,
    /// Where solutions are compared.
    Compared = 5,
    /// Through which points the spectrum of the data is taken.
    Spectrum = 7,
    /// Where the residual is looked for that decides where more points are needed.
    Hot = 11,
    /// Gradients along which functions are turned.
    Turned = 13,
    /// What is said of an answer.
    Examined = 17,
    /// Whether a way of meeting boundary values suits, and norms of high-dimensional states.
    Suited = 23,
    /// How large the data imply a solution to be.
    Given = 29,
    /// Which coordinates act together.
    Groups = 37,
    /// Natural units of an eigenvalue problem.
    Units = 41,
    /// Where narrow features of texts are looked for that a judge has no points for.
    Narrow = 43,
}

impl Purpose {
    /// The number of its round.
    pub(crate) fn round(self) -> u64 {
        self as u64
    }
}
