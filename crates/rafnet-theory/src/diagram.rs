//! The two figures of the proofs as SVG: the chains and the tree of a monomial, the red and blue blocks of a polynomial.
//!
//! Green: input and output. Blue: identity neurons that carry x or the sum. Red: products. Drawn from the layout that is built.

use super::monomial::{depths, log2_ceil};
use super::{Polynomial, RedBlue, Variant};
use std::fmt::Write as _;

const RED: &str = "#c0392b";
const BLUE: &str = "#2e6da4";
const GREEN: &str = "#3c8d40";
const STEP: usize = 64;

/// A drawing that grows downwards and to the right.
struct Svg {
    body: String,
    width: usize,
    height: usize,
}

impl Svg {
    fn new() -> Self {
        Self {
            body: String::new(),
            width: 0,
            height: 0,
        }
    }

    fn block(&mut self, [x, y, w, h]: [usize; 4], colour: &str, label: &str) {
        self.width = self.width.max(x + w);
        self.height = self.height.max(y + h);
        let (middle, base) = (x + w / 2, y + h / 2 + 4);
        let label = escape(label);
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"4\" fill=\"{colour}\" fill-opacity=\"0.15\" stroke=\"{colour}\"/>\
             <text x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\" fill=\"{colour}\">{label}</text>"
        );
    }

    fn arrow(&mut self, [x1, y1, x2, y2]: [usize; 4], colour: &str) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" marker-end=\"url(#tip)\"/>"
        );
    }

    fn finish(self, title: &str) -> String {
        let (w, h) = (self.width + 20, self.height + 40);
        let title = escape(title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <defs><marker id=\"tip\" markerWidth=\"7\" markerHeight=\"7\" refX=\"6\" refY=\"3\" orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 z\" fill=\"#555\"/></marker></defs>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n{}<text x=\"10\" y=\"{}\" fill=\"#333\">{title}</text>\n</svg>\n",
            self.body,
            h - 12
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The figure of the Lemma: N chains of products beside the identity, then the tree.
///
/// ```
/// use rafnet_theory::{Variant, monomial_diagram};
/// let svg = monomial_diagram(&[3, 2], 2, Variant::Tight);
/// assert!(svg.starts_with("<svg") && svg.matches("<rect").count() > 5);
/// ```
pub fn monomial_diagram(powers: &[u32], chains: usize, variant: Variant) -> String {
    let (chains, d) = (chains.max(1), powers.len());
    let degree: usize = powers.iter().map(|&n| n as usize).sum();
    let [rounds, depth] = depths(degree, chains, variant);
    let mut svg = Svg::new();
    let row = |k: usize| 20 + k * 48;
    let column = |l: usize| 20 + l * (STEP + 24);
    svg.block([column(0), row(0), STEP, 32], GREEN, "x");
    for layer in 1..=rounds {
        svg.block([column(layer), row(0), STEP, 32], BLUE, &format!("id {d}"));
        svg.arrow(
            [column(layer) - 24, row(0) + 16, column(layer), row(0) + 16],
            "#555",
        );
        for chain in 0..chains {
            // the factors this chain has been dealt, and those multiplied so far
            let dealt = degree / chains + usize::from(chain < degree % chains);
            let label = match dealt {
                0 => continue,
                m if m > layer => "×",
                _ => "carry",
            };
            let y = row(chain + 1);
            svg.block([column(layer), y, STEP, 32], RED, label);
            svg.arrow(
                [column(layer) - 24, row(0) + 24, column(layer), y + 16],
                RED,
            );
        }
    }
    let mut values = chains.min(degree.max(1));
    for level in 1..=log2_ceil(chains) {
        let (before, x) = (values, column(rounds + level));
        values = values.div_ceil(2);
        for k in 0..values {
            let (y, pair) = (row(k + 1), 2 * k + 1 < before);
            svg.block([x, y, STEP, 32], RED, if pair { "×" } else { "carry" });
            svg.arrow([x - 24, row(2 * k + 1) + 16, x, y + 16], RED);
            if pair {
                svg.arrow([x - 24, row(2 * k + 2) + 16, x, y + 16], RED);
            }
        }
    }
    svg.block([column(depth + 1), row(1), STEP, 32], GREEN, "monomial");
    let title = format!(
        "degree {degree}, N = {chains} chains, depth {depth}, width at most {}",
        2 * chains + d
    );
    svg.finish(&title)
}

/// The figure of Theorem 3: red blocks in a rows and b columns, blue identities that carry x and the sum.
pub fn polynomial_diagram(polynomial: &Polynomial, layout: &RedBlue) -> String {
    let mut svg = Svg::new();
    let d = polynomial.variables().len();
    let (w, gap) = (120, 28);
    let column = |b: usize| 20 + STEP + gap + b * (w + gap);
    let row = |a: usize| 20 + 48 * (a + 1);
    let sum_row = row(layout.rows);
    svg.block([20, 20, STEP, sum_row + 12], GREEN, "x");
    for b in 0..layout.columns {
        svg.block([column(b), 20, w, 32], BLUE, &format!("x: {d} identities"));
        svg.arrow([column(b) - gap, 36, column(b), 36], RED);
        for a in 0..layout.rows {
            let Some((c, powers)) = polynomial.terms().get(b * layout.rows + a) else {
                continue;
            };
            let y = row(a);
            svg.block(
                [column(b), y, w, 32],
                RED,
                &term_text(polynomial, *c, powers),
            );
            svg.arrow([column(b) - gap, 44, column(b), y + 16], RED);
            svg.arrow(
                [column(b) + w, y + 20, column(b) + w + gap - 6, sum_row + 6],
                "#555",
            );
        }
        svg.block([column(b), sum_row, w, 32], BLUE, "sum");
        svg.arrow(
            [
                column(b) + w,
                sum_row + 16,
                column(b) + w + gap,
                sum_row + 16,
            ],
            "#555",
        );
    }
    svg.block([column(layout.columns), sum_row, STEP, 32], GREEN, "P(x)");
    let title = format!(
        "N = {}, a = {}, b = {}: width {}, {} layers used",
        layout.chains,
        layout.rows,
        layout.columns,
        layout.width(d),
        layout.used_depth(polynomial.degree())
    );
    svg.finish(&title)
}

fn term_text(polynomial: &Polynomial, c: f64, powers: &[u32]) -> String {
    let mut text = format!("{c}");
    for (name, &n) in polynomial.variables().iter().zip(powers) {
        let _ = match n {
            0 => Ok(()),
            1 => write!(text, " {name}"),
            _ => write!(text, " {name}^{n}"),
        };
    }
    text
}
