//! Letters in the two fonts that every viewer has, Helvetica and Symbol, with their widths.

/// Letters in a row that are set alike.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) font: Font,
    /// Size and height above the line over the size of the text.
    pub(super) size: f64,
    pub(super) rise: f64,
    pub(super) codes: Vec<u8>,
}

/// Which font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Font {
    Helvetica,
    Symbol,
}

/// Raised and lowered letters, and narrow spaces.
const SMALL: f64 = 0.62;
const RAISED: f64 = 0.36;
const LOWERED: f64 = -0.16;

/// Widths of Helvetica from the space on, in thousandths.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Signs of the font Symbol with their codes and widths.
#[rustfmt::skip]
const SIGNS: [(char, u8, u16); 54] = [
    ('−', 0x2D, 549), ('⊕', 0xC5, 768), ('∞', 0xA5, 713), ('≤', 0xA3, 549), ('≥', 0xB3, 549), ('≈', 0xBB, 549),
    ('≠', 0xB9, 549), ('√', 0xD6, 549), ('∇', 0xD1, 713), ('∂', 0xB6, 494), ('∈', 0xCE, 713), ('→', 0xAE, 987),
    ('∫', 0xF2, 274), ('∑', 0xE5, 713), ('⊗', 0xC4, 768), ('′', 0xA2, 247), ('Γ', b'G', 603), ('Δ', b'D', 612),
    ('Θ', b'Q', 741), ('Λ', b'L', 686), ('Ξ', b'X', 645), ('Π', b'P', 768), ('Σ', b'S', 592), ('Φ', b'F', 763),
    ('Ψ', b'Y', 795), ('Ω', b'W', 768), ('α', b'a', 631), ('β', b'b', 549), ('γ', b'g', 411), ('δ', b'd', 494),
    ('ε', b'e', 439), ('ζ', b'z', 494), ('η', b'h', 603), ('θ', b'q', 521), ('ι', b'i', 329), ('κ', b'k', 549),
    ('λ', b'l', 549), ('μ', b'm', 576), ('ν', b'n', 521), ('ξ', b'x', 493), ('π', b'p', 549), ('ρ', b'r', 549),
    ('σ', b's', 603), ('τ', b't', 439), ('υ', b'u', 576), ('φ', b'j', 603), ('χ', b'c', 549), ('ψ', b'y', 686),
    ('ω', b'w', 686), ('∗', 0x2A, 500), ('⋅', 0xD7, 250), ('↔', 0xAB, 1042), ('∝', 0xB5, 713), ('∼', 0x7E, 549),
];

/// Letters of Helvetica beyond Latin-1, with their codes and widths in Windows' encoding.
const BEYOND: [(char, u8, u16); 7] = [
    ('…', 0x85, 1000),
    ('–', 0x96, 556),
    ('—', 0x97, 1000),
    ('‘', 0x91, 222),
    ('’', 0x92, 222),
    ('“', 0x93, 333),
    ('”', 0x94, 333),
];

/// A letter's place on the line: size, height, and the letter that is set there.
fn placed(letter: char) -> (f64, f64, char) {
    let digit = |from: u32| char::from_digit(letter as u32 - from, 10).unwrap_or('?');
    match letter {
        '¹' => (SMALL, RAISED, '1'),
        '²' => (SMALL, RAISED, '2'),
        '³' => (SMALL, RAISED, '3'),
        '⁰' | '⁴'..='⁹' => (SMALL, RAISED, digit(0x2070)),
        '⁺' => (SMALL, RAISED, '+'),
        '⁻' => (SMALL, RAISED, '−'),
        'ⁿ' => (SMALL, RAISED, 'n'),
        'ᵃ' => (SMALL, RAISED, 'a'),
        '₀'..='₉' => (SMALL, LOWERED, digit(0x2080)),
        '\u{2009}' | '\u{202f}' => (SMALL, 0.0, ' '),
        other => (1.0, 0.0, other),
    }
}

/// A letter's font, code and width; a question mark where there is none.
fn set(letter: char) -> (Font, u8, u16) {
    let in_table = |table: &[(char, u8, u16)]| {
        let found = table.iter().find(|(c, ..)| *c == letter);
        found.map(|(_, code, width)| (*code, *width))
    };
    match u8::try_from(letter as u32) {
        Ok(code @ b' '..=b'~') => (Font::Helvetica, code, WIDTHS[usize::from(code - b' ')]),
        Ok(code @ 0xA0..) => {
            let width = match letter {
                '\u{a0}' | '·' | 'ì'..='ï' => 278,
                '°' => 400,
                '±' | '×' | '÷' | '¬' => 584,
                'À'..='Ö' => 722,
                _ => 556,
            };
            (Font::Helvetica, code, width)
        }
        _ => match (in_table(&SIGNS), in_table(&BEYOND)) {
            (Some((code, width)), _) => (Font::Symbol, code, width),
            (_, Some((code, width))) => (Font::Helvetica, code, width),
            _ => (Font::Helvetica, b'?', 556),
        },
    }
}

/// A text in pieces, and how wide it is over its size.
pub(super) fn pieces(text: &str) -> (Vec<Piece>, f64) {
    let (mut pieces, mut width): (Vec<Piece>, f64) = (Vec::new(), 0.0);
    for (size, rise, letter) in text.chars().map(placed) {
        let (font, code, thousandths) = set(letter);
        width += size * f64::from(thousandths) / 1000.0;
        let next = Piece {
            font,
            size,
            rise,
            codes: vec![code],
        };
        match pieces.last_mut() {
            Some(last) if (last.font, last.size, last.rise) == (font, size, rise) => {
                last.codes.push(code);
            }
            _ => pieces.push(next),
        }
    }
    (pieces, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that figures write has its letter.
    #[test]
    fn no_letter_is_missing() {
        let all = "x ⊕ x² ⊕ sin ⊕ Gaussian, ReLU³: 1.6·10⁻¹⁵ … −1.0, 100\u{2009}000 λ ∇ Schrödinger’s [−1, 1] u₁₂ %";
        let (pieces, width) = pieces(all);
        assert!(
            pieces.iter().all(|p| !p.codes.contains(&b'?')),
            "{pieces:?}"
        );
        assert!((20.0..60.0).contains(&width), "{width}");
        assert_eq!(super::pieces("日").0[0].codes, b"?");
    }
}
