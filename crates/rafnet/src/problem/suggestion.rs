//! The name that was probably meant, by the judgement of [`crate::expr`].

use crate::expr::{Mistake, Scope, parse};

/// The known name closest to `name`, when one is close.
pub(super) fn closest(name: &str, known: &[&str]) -> Option<String> {
    let as_name = |text: &str| text.replace(['-', ' '], "_");
    let scope = Scope::new(known.iter().map(|known| as_name(known)));
    let error = parse(&as_name(name), &scope).err()?;
    let Mistake::UnknownName { closest, .. } = error.mistake() else {
        return None;
    };
    let found = known
        .iter()
        .find(|known| Some(as_name(known)) == *closest)?;
    Some((*found).into())
}
