//! Sharing the neurons of a layer out among basis functions.

/// `width` neurons in `groups` parts of ⌊width/groups⌋; the last part takes the remainder.
///
/// ```
/// use rafnet::activation::split;
/// assert_eq!(split(50, 4), [12, 12, 12, 14]);
/// assert_eq!(split(100, 3), [33, 33, 34]);
/// ```
pub fn split(width: usize, groups: usize) -> Vec<usize> {
    if groups == 0 {
        return Vec::new();
    }
    let part = width / groups;
    let mut counts = vec![part; groups];
    counts[groups - 1] = width - part * (groups - 1);
    counts
}
