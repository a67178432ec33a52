//! Random strings: the parser never panics, its spans lie in the text, and what it accepts is printed and read back.

use rafnet::expr::{Leaf, Program, Scope, free_names, parse, parse_condition};

const TOKENS: [&str; 62] = [
    "x",
    "y",
    "t",
    "u",
    "u_x",
    "u_xx",
    "u_xy",
    "u_n",
    "q",
    "q_x",
    "c",
    "k",
    "f",
    "i",
    "pi",
    "e",
    "w",
    "1",
    "0",
    "2.5",
    "1e3",
    ".5",
    "1e999",
    "+",
    "-",
    "*",
    "/",
    "^",
    "**",
    "(",
    "(",
    "(",
    ")",
    ")",
    ")",
    "[",
    "]",
    ",",
    ",",
    "<",
    "<=",
    "==",
    "=",
    "!=",
    "and",
    "or",
    "not",
    " ",
    "sin(",
    "sqrt(",
    "log(",
    "where(",
    "sum(i,1,3,",
    "prod(i,1,2,",
    "d(",
    "laplacian(",
    "grad(",
    "div(",
    "dot(",
    "mod(",
    "λ",
    "@",
];

const SEEDS: [&str; 6] = [
    "u_t + u*u_x - 0.01*u_xx",
    "-div((1 + x^2)*grad(u)) + sin(pi*x)*exp(-y) - q",
    "where(x > 0 and not y < 1, min(x, y), mod(x, 2))",
    "sum(i, 1, 3, c[i]*x^i)/prod(j, 1, 2, 1 + j*y)",
    "laplacian(q*u) - dot(c, grad(u)) + k*u^3",
    "d(u^2*sin(x), x) + cbrt(abs(y)) - atan2(y, x)",
];

/// Marsaglia's xorshift64*: fixed seeds, no dependency.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(word).unwrap_or(0) % n
    }
}

fn scope() -> Scope {
    Scope::new(["x", "y", "t"])
        .time("t")
        .unknowns(["u"])
        .parameters(["k"])
        .columns(["f"])
        .array("c", [1.0, 2.0])
        .define("q", "x*sin(y)")
        .define("w", "w + 1")
}

/// Parses, checks what can be checked, and says whether the text was accepted.
fn check(text: &str, scope: &Scope) -> bool {
    let _ = free_names(text, scope);
    match parse(text, scope) {
        Ok(expr) => {
            let shown = expr.display(scope).to_string();
            match parse(&shown, scope) {
                Ok(again) => assert_eq!(again, expr, "{text}\n{shown}"),
                Err(error) => panic!("{text}\n{shown}\n{}", error.render()),
            }
            let point = |leaf: &Leaf| match leaf {
                Leaf::Coordinate(k) => 0.3 + *k as f64,
                _ => 1.7,
            };
            let value = expr.eval(&point);
            let leaves = expr.leaves();
            let inputs: Vec<[f64; 1]> = leaves.iter().map(|leaf| [point(leaf)]).collect();
            let inputs: Vec<&[f64]> = inputs.iter().map(|input| &input[..]).collect();
            let mut out = [0.0];
            match Program::compile(&[expr], &leaves) {
                Ok(program) => program.evaluate(&inputs, &mut [&mut out], &mut program.scratch()),
                Err(error) => panic!("{text}: {error}"),
            }
            let same = value.to_bits() == out[0].to_bits() || value.is_nan() && out[0].is_nan();
            assert!(same, "{text}: {value} {}", out[0]);
            true
        }
        Err(error) => {
            let span = error.span();
            assert!(error.text().get(span).is_some(), "{text}: {error:?}");
            assert!(error.render().contains('^'), "{text}");
            let _ = parse_condition(text, scope);
            false
        }
    }
}

#[test]
fn random_tokens_never_panic() {
    let (scope, mut random, mut accepted) = (scope(), Random(0x5EED), 0);
    for _ in 0..20_000 {
        let length = 1 + random.below(14);
        let text: String = (0..length)
            .map(|_| TOKENS[random.below(TOKENS.len())])
            .collect();
        accepted += usize::from(check(&text, &scope));
    }
    assert!(
        (200..5000).contains(&accepted),
        "{accepted} accepted: the test has lost its aim"
    );
}

#[test]
fn damaged_texts_never_panic() {
    let (scope, mut random, mut accepted) = (scope(), Random(0xDA_3A6E), 0);
    for round in 0..6000 {
        let mut text: Vec<char> = SEEDS[round % SEEDS.len()].chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, text[random.below(text.len())]),
                _ => text[at] = text[random.below(text.len())],
            }
        }
        accepted += usize::from(check(&text.iter().collect::<String>(), &scope));
    }
    assert!(
        (300..3000).contains(&accepted),
        "{accepted} accepted: the test has lost its aim"
    );
}
