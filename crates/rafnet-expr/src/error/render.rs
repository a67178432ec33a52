//! The spot in the text, underlined.

use std::ops::Range;

/// Lines longer than this are cut around the spot.
const LONGEST_LINE: usize = 96;

/// The line that holds the start of `span` and a line of carets below it, both indented by two spaces.
pub(super) fn underline(text: &str, span: Range<usize>) -> String {
    let from = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[span.start..]
        .find('\n')
        .map_or(text.len(), |at| span.start + at);
    let before = text[from..span.start].chars().count();
    let within = text[span.start..span.end.clamp(span.start, to)]
        .chars()
        .count();
    let line: Vec<char> = text[from..to].chars().map(printable).collect();
    let (shown, cut) = window(&line, before, within);
    let carets = "^".repeat(within.clamp(1, shown.chars().count().max(1)));
    format!("  {shown}\n  {}{carets}", " ".repeat(before - cut))
}

/// Tabs and other control characters would move the carets.
fn printable(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// The part of the line to show, and by how much the spot moves to the left.
fn window(line: &[char], before: usize, within: usize) -> (String, usize) {
    if line.len() <= LONGEST_LINE {
        return (line.iter().collect(), 0);
    }
    let room = LONGEST_LINE.saturating_sub(within) / 2;
    let start = before.saturating_sub(room);
    let end = (start + LONGEST_LINE).min(line.len());
    let mut shown: Vec<char> = line[start..end].to_vec();
    if start > 0 && start < before {
        shown[0] = '…';
    }
    if let (true, Some(last)) = (end < line.len() && before + within < end, shown.last_mut()) {
        *last = '…';
    }
    (shown.into_iter().collect(), start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_the_spot() {
        assert_eq!(underline("a + bb", 4..6), "  a + bb\n      ^^");
        assert_eq!(
            underline("ν + bb", 5..7),
            "  ν + bb\n      ^^",
            "columns, not bytes"
        );
        assert_eq!(underline("a\nb + cc", 6..8), "  b + cc\n      ^^");
        assert_eq!(underline("a +", 3..3), "  a +\n     ^");
        assert_eq!(underline("", 0..0), "  \n  ^");
    }

    #[test]
    fn long_lines_are_cut_around_the_spot() {
        let text = format!("{}bad{}", "x + ".repeat(100), " + y".repeat(100));
        let shown = underline(&text, 400..403);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0].chars().count(), 98);
        assert!(lines[0].starts_with("  …") && lines[0].ends_with('…'));
        let spot = lines[1].find('^').unwrap_or(0);
        assert_eq!(
            lines[0].chars().skip(spot).take(3).collect::<String>(),
            "bad"
        );
    }
}
