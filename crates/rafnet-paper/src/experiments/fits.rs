//! What the fits of signals share: seeds, steps, one run for each network.

use crate::work::Run;
use crate::{Asked, Track};

/// The seeds of a fit: one unless more are asked for.
pub(super) fn seeds(asked: &Asked) -> std::ops::Range<u64> {
    0..asked.seeds.unwrap_or(1)
}

/// Steps within what is asked.
pub(super) fn steps(asked: &Asked, quick: u64, full: u64) -> u64 {
    let steps = asked.by_budget(3, quick, full);
    asked.steps.map_or(steps, |most| steps.min(most))
}

/// The paper's way for each network and seed.
pub(super) fn parity(
    asked: &Asked,
    networks: &[&'static str],
    run: impl Fn(&'static str, u64) -> Run,
) -> Vec<Run> {
    let seeds = seeds(asked).filter(|_| asked.wants(Track::Parity));
    let of_seed = |seed: u64| networks.iter().map(move |n| (*n, seed));
    let all = seeds.flat_map(of_seed);
    all.map(|(network, seed)| run(network, seed)).collect()
}
