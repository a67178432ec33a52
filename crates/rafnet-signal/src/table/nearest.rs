//! The known name nearest to a mistyped one, by the number of letters to change, insert or remove.

/// The nearest of the names, if it is near enough to be meant.
pub(super) fn nearest(name: &str, known: &[String]) -> Option<String> {
    let scored = known.iter().map(|candidate| {
        (
            distance(&name.to_lowercase(), &candidate.to_lowercase()),
            candidate,
        )
    });
    let (score, best) = scored.min_by_key(|(score, _)| *score)?;
    (score <= name.chars().count().div_ceil(3)).then(|| best.clone())
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["temperature".to_owned(), "pressure".to_owned()];
        assert_eq!(
            nearest("temprature", &known).as_deref(),
            Some("temperature")
        );
        assert_eq!(nearest("Pressure", &known).as_deref(), Some("pressure"));
        assert_eq!(nearest("volume", &known), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
