//! Every mistake with its exact text: `errors.txt` holds the texts and what a user reads.
//!
//! An entry is a line `=== text` (line breaks in it written `\n`) and the rendered error below it; a line `### name`
//! says in which scope the entries that follow are read.

use std::collections::BTreeSet;

use rafnet::expr::{Leaf, Mistake, Program, Scope, parse, parse_number};

const ALL: [&str; 30] = [
    "ArgumentCount",
    "ChainedComparison",
    "Character",
    "Cycle",
    "Empty",
    "IndexOutOfRange",
    "Length",
    "LoopName",
    "MissingOperator",
    "NoSpace",
    "NormalNotAllowed",
    "NotACoordinate",
    "NotAFunction",
    "NotCalled",
    "NotConstant",
    "NotDifferentiable",
    "NotIndexed",
    "NotWhole",
    "Number",
    "OrderTooHigh",
    "Shape",
    "TooDeep",
    "TooLarge",
    "TooManyTerms",
    "Unclosed",
    "Unexpected",
    "UnknownFunction",
    "UnknownName",
    "UnknownNotAllowed",
    "Unopened",
];

fn scope(name: &str) -> Scope {
    match name {
        "residual" => Scope::new(["x", "y", "t"])
            .time("t")
            .unknowns(["u"])
            .columns(["f"])
            .number("nu", 0.1)
            .array("c", [1.0, 2.0, 3.0])
            .define("q", "x*sinn(y)")
            .define("a", "b + 1")
            .define("b", "2*a"),
        "known functions only" => Scope::new(["x1", "x2"]).unknowns(["u"]).forbid_unknowns(),
        "values only, time only" => Scope::new(["t"]).time("t").unknowns(["u"]).limit_order(0),
        _ => panic!("no scope `{name}`"),
    }
}

/// The name of the variant.
fn kind(mistake: &Mistake) -> String {
    let text = format!("{mistake:?}");
    text.split([' ', '{']).next().unwrap_or_default().into()
}

#[test]
fn every_mistake_is_told_in_these_words() {
    let mut met = BTreeSet::from(["TooDeep".to_owned(), "TooLarge".to_owned()]); // below
    let mut scope_now = Scope::default();
    let mut n_entries = 0;
    for entry in include_str!("errors.txt").split_inclusive("\n=== ") {
        let entry = entry.trim_end_matches("=== ");
        let (head, expected) = entry.split_once('\n').unwrap_or((entry, ""));
        let (expected, next_scope) = match expected.split_once("\n### ") {
            Some((expected, name)) => (expected, Some(name.trim())),
            None => (expected, None),
        };
        if let Some(name) = head.strip_prefix("### ") {
            scope_now = scope(name);
        } else {
            let text = head.replace("\\n", "\n");
            let error =
                parse(&text, &scope_now).map_or_else(|e| e, |_| panic!("`{text}` was accepted"));
            assert_eq!(
                error.render(),
                expected.trim_end_matches('\n'),
                "for `{text}`"
            );
            met.insert(kind(error.mistake()));
            n_entries += 1;
        }
        if let Some(name) = next_scope {
            scope_now = scope(name);
        }
    }
    assert!(n_entries > 70, "{n_entries}");
    assert_eq!(met, ALL.into_iter().map(Into::into).collect());
}

#[test]
fn absurd_depth_is_refused_before_the_stack_ends() {
    let scope = Scope::new(["x"]);
    for (open, close) in [
        ("(", ")"),
        ("sin(", ")"),
        ("-", ""),
        ("not ", ""),
        ("x^", ""),
        ("c[", "]"),
    ] {
        let text = open.repeat(200_000) + "x" + &close.repeat(200_000);
        let error = parse(&text, &scope).map_or_else(|e| e, |_| panic!("{open} was accepted"));
        assert_eq!(*error.mistake(), Mistake::TooDeep { limit: 64 }, "{open}");
    }
    let mut chained = Scope::new(["x"]).define("f0", "x");
    for k in 1..=1000 {
        let below = format!("{}f{}{}", "sin(".repeat(60), k - 1, ")".repeat(60));
        chained = chained.define(&format!("f{k}"), &below);
    }
    let error = parse("f1000", &chained).map_or_else(|e| e, |_| panic!("it was accepted"));
    assert_eq!(*error.mistake(), Mistake::TooDeep { limit: 120 });
    assert!(error.definition().is_some());
}

#[test]
fn the_greatest_depth_can_be_differentiated() -> Result<(), Box<dyn std::error::Error>> {
    let scope = Scope::new(["x"])
        .define("f", &("sin(x + ".repeat(28) + "x" + &")".repeat(28)))
        .define("g", &("sqrt(2 + ".repeat(28) + "f" + &")".repeat(28)));
    let g = parse("d(g, x, x)", &scope)?;
    assert!(g.eval(&|_| 0.5).is_finite());
    let program = Program::compile(&[g.derivative(0)], &[Leaf::Coordinate(0)])?;
    assert!(program.n_instructions() > 200);
    Ok(())
}

#[test]
fn long_chains_are_no_depth() -> Result<(), Box<dyn std::error::Error>> {
    let scope = Scope::new(["x"]);
    let sum = parse("x^2 + ".repeat(20_000).trim_end_matches(" + "), &scope)?;
    assert_eq!(sum, parse("20000*x^2", &scope)?);
    Ok(())
}

#[test]
fn endless_growth_is_refused() {
    let text = "d(sum(i, 1, 10000, sin(i*x)*cos(i*x)*exp(i*x)), x)";
    let error = parse(text, &Scope::new(["x"])).map_or_else(|e| e, |_| panic!("it was accepted"));
    assert_eq!(*error.mistake(), Mistake::TooLarge { limit: 100_000 });
}

#[test]
fn numbers_must_not_depend_on_anything() {
    let scope = Scope::new(["x"]).number("nu", 0.1);
    let error = parse_number("2*nu*x", &scope).map_or_else(|e| e, |v| panic!("{v} was accepted"));
    assert_eq!(
        error.render(),
        "the value must be a number, but depends on `x`\n\n  2*nu*x\n  ^^^^^^"
    );
}

/// The defect was time: fourteen seconds, since sizes were looked at before a derivative and not during it.
#[test]
fn a_derivative_that_blows_up_is_refused_on_the_way() {
    let scope = Scope::new(["x"]);
    let read = |text: &str| parse(text, &scope).map_err(|e| e.mistake().clone());
    let begun = std::time::Instant::now();
    let outgrown = read("d(prod(i, 1, 256, sin(x*i)), x, x)");
    assert!(
        matches!(outgrown, Err(Mistake::TooLarge { .. })),
        "{outgrown:?}"
    );
    assert!(begun.elapsed() < std::time::Duration::from_secs(7));
    // what is cheap stays
    assert!(read("d(prod(i, 1, 256, sin(x*i)), x)").is_ok());
    assert!(read("d(prod(i, 1, 40, sin(x*i)), x, x)").is_ok());
}
