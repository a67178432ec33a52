//! Where two conditions meet, the later one wins.
//!
//! Two conditions for one unknown contradict each other on a piece when both give values, or both slopes, or when
//! together there are more than the equation takes there: one a second-order unknown on every piece, two for both ends
//! of an interval (so that u and u′ at one end are data of an initial value problem).

use super::conditions::Draft;
use super::region::holds_somewhere;
use super::setting::Setting;
use crate::expr::{Binary, Expr, Unary};
use crate::problem::Condition;
use crate::problem::error::ProblemError;
use crate::problem::fault::Fault;

/// A condition on one piece.
struct Atom {
    draft: usize,
    piece: usize,
    filter: Option<Expr>,
    gone: bool,
}

/// Takes from each condition what later ones give; `wanted[piece]` is how many conditions the equations take there.
pub(super) fn resolve(
    setting: &Setting<'_>,
    drafts: &[Draft],
    wanted: &[usize],
) -> Result<Vec<Condition>, ProblemError> {
    refuse_repetition(setting, drafts, wanted)?;
    let mut atoms: Vec<Atom> = Vec::new();
    for (draft, Draft { region, .. }) in drafts.iter().enumerate() {
        atoms.extend(region.pieces.iter().map(|&piece| Atom {
            draft,
            piece,
            filter: region.filter.clone(),
            gone: false,
        }));
    }
    for earlier in 0..atoms.len() {
        for later in earlier + 1..atoms.len() {
            let (i, j) = (&atoms[earlier], &atoms[later]);
            let meet = i.piece == j.piece && i.draft != j.draft && !i.gone;
            if !meet || !contradict(setting, drafts, wanted, i.draft, j.draft, i.piece) {
                continue;
            }
            let taken = drafts[j.draft].region.filter.clone();
            let left = taken.map(|taken| without(i.filter.as_ref(), taken));
            let atom = &mut atoms[earlier];
            atom.gone = left
                .as_ref()
                .is_none_or(|left| !holds_somewhere(setting, atom.piece, Some(left)));
            atom.filter = left;
        }
    }
    Ok(gather(drafts, &atoms))
}

/// The points of `filter` where `taken` does not hold.
fn without(filter: Option<&Expr>, taken: Expr) -> Expr {
    let not = taken.apply(Unary::Not);
    match filter {
        Some(filter) => filter.clone().apply_with(Binary::And, not),
        None => not,
    }
}

fn contradict(
    setting: &Setting<'_>,
    drafts: &[Draft],
    wanted: &[usize],
    i: usize,
    j: usize,
    piece: usize,
) -> bool {
    let (i, j) = (&drafts[i], &drafts[j]);
    if i.unknown.is_none() || i.unknown != j.unknown {
        return false;
    }
    if i.class == j.class {
        return true;
    }
    // u and u_t at the first time are a pair
    !setting.is_time(piece) && crowded(setting, drafts, wanted, piece)
}

/// Whether more conditions meet on a piece (or both ends of an interval) than the equations take.
fn crowded(setting: &Setting<'_>, drafts: &[Draft], wanted: &[usize], piece: usize) -> bool {
    let interval = setting.space().len() == 1;
    let together = |other: usize| other == piece || interval && !setting.is_time(other);
    let pieces: Vec<usize> = (0..setting.domain.pieces().len())
        .filter(|k| together(*k))
        .collect();
    let wanted: usize = pieces.iter().map(|k| wanted[*k]).sum();
    // those of one class are one, since the later replaces the earlier
    let distinct = |piece: &usize| {
        let here = drafts
            .iter()
            .filter(|draft| draft.region.pieces.contains(piece));
        let (owned, general): (Vec<&Draft>, Vec<&Draft>) =
            here.partition(|draft| draft.unknown.is_some());
        let mut kinds: Vec<_> = owned
            .iter()
            .map(|draft| (draft.unknown, draft.class))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.len() + general.len()
    };
    let found: usize = pieces.iter().map(distinct).sum();
    found > wanted
}

/// Refuses a condition all of whose points a single later one gives again.
fn refuse_repetition(
    setting: &Setting<'_>,
    drafts: &[Draft],
    wanted: &[usize],
) -> Result<(), ProblemError> {
    for (i, earlier) in drafts.iter().enumerate() {
        for (j, later) in drafts.iter().enumerate().skip(i + 1) {
            let covers = |piece: &usize| {
                let filter = &later.region.filter;
                later.region.pieces.contains(piece)
                    && contradict(setting, drafts, wanted, i, j, *piece)
                    && (filter.is_none() || *filter == earlier.region.filter)
            };
            if earlier.region.pieces.iter().all(covers) {
                let fault = Fault::OverDetermined { later: later.line };
                return Err(setting.source.error(&earlier.span, fault));
            }
        }
    }
    Ok(())
}

/// The pieces of each draft together again, those with another filter on their own.
fn gather(drafts: &[Draft], atoms: &[Atom]) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for (k, draft) in drafts.iter().enumerate() {
        let mut groups: Vec<(Option<Expr>, Vec<usize>)> = Vec::new();
        for atom in atoms.iter().filter(|atom| atom.draft == k && !atom.gone) {
            match groups.iter_mut().find(|(filter, _)| *filter == atom.filter) {
                Some((_, pieces)) => pieces.push(atom.piece),
                None => groups.push((atom.filter.clone(), vec![atom.piece])),
            }
        }
        conditions.extend(groups.into_iter().map(|(filter, pieces)| Condition {
            pieces,
            filter,
            residual: draft.residual.clone(),
            dirichlet: draft.dirichlet.clone(),
            initial: draft.initial,
            enforce: draft.enforce,
            weight: draft.weight,
            points: draft.points,
        }));
    }
    conditions
}
