//! How runs end.

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The held-out residual is at the target.
    TargetReached,
    /// Nothing improves any more.
    Converged,
    /// What was found misses the target that was asked for or is likely to be off by more than [`POOR`](crate::solve::POOR), because nothing improves any
    /// more or the time was up.
    Stalled,
    /// No function meets everything that was asked; [`Solved::remark`](crate::solve::Solved::remark) names what fights.
    Contradictory,
    /// The time limit or the last step came first.
    BudgetSpent,
    /// The numbers stopped being finite; the last good state was kept.
    Diverged,
    /// The caller stopped it.
    Stopped,
}

impl Outcome {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::TargetReached => "target reached",
            Self::Converged => "converged",
            Self::Stalled => "stalled",
            Self::Contradictory => "contradictory",
            Self::BudgetSpent => "budget spent",
            Self::Diverged => "diverged",
            Self::Stopped => "stopped",
        }
    }
}
