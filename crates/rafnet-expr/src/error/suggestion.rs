//! The name that was probably meant.

/// Names people know from elsewhere.
const ALIASES: [(&str, &str); 16] = [
    ("ln", "log"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("fabs", "abs"),
    ("sgn", "sign"),
    ("signum", "sign"),
    ("if", "where"),
    ("iff", "where"),
    ("product", "prod"),
    ("lap", "laplacian"),
    ("nabla", "grad"),
    ("diff", "d"),
    ("fmod", "mod"),
    ("PI", "pi"),
];

/// Nothing longer is compared.
const LONGEST_NAME: usize = 64;

/// The known name closest to `name`: an alias, another case, or at most one slip of the pen in two or three letters.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.collect();
    let alias = ALIASES.iter().find(|(other, _)| *other == name);
    if let Some((_, ours)) = alias.filter(|(_, ours)| known.contains(ours)) {
        return Some((*ours).into());
    }
    let length = name.chars().count();
    if length > LONGEST_NAME {
        return None;
    }
    let scored = known.into_iter().map(|other| {
        let same = other.to_lowercase() == name.to_lowercase();
        (if same { 0 } else { distance(name, other) }, other)
    });
    scored
        .filter(|(cost, _)| *cost == 0 || (length > 2 && *cost <= length.max(OTHER_LETTER)))
        .min()
        .map(|(_, other)| other.into())
}

/// What a letter too many, too few, or exchanged with its neighbour costs.
const SLIP: usize = 2;

/// What another letter costs: rather more, so that `sinn` is `sin` and not `sign`.
const OTHER_LETTER: usize = 3;

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), by their costs.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).map(|j| j * SLIP).collect();
    for i in 1..=a.len() {
        let mut row = vec![i * SLIP; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + OTHER_LETTER * usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + SLIP).min(row[j - 1] + SLIP);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + SLIP);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        assert_eq!(distance("sin", "sin"), 0);
        assert_eq!(distance("sni", "sin"), SLIP);
        assert_eq!(distance("laplacien", "laplacian"), OTHER_LETTER);
        assert_eq!(distance("kitten", "sitting"), 2 * OTHER_LETTER + SLIP);
        assert_eq!(distance("", "abc"), 3 * SLIP);
    }

    #[test]
    fn only_close_names_are_suggested() {
        let known = ["sign", "sin", "sinh", "log", "pi", "x", "sqrt"];
        let closest = |name| closest(name, known.into_iter());
        assert_eq!(closest("sni").as_deref(), Some("sin"));
        assert_eq!(closest("sinn").as_deref(), Some("sin"));
        assert_eq!(closest("ln").as_deref(), Some("log"));
        assert_eq!(closest("Pi").as_deref(), Some("pi"));
        assert_eq!(closest("z"), None, "one letter is no evidence");
        assert_eq!(closest("banana"), None);
    }
}
