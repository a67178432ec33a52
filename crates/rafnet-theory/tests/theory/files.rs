//! Constructions as model files: the same values and exact derivatives after a round trip; diagrams as SVG.

use rafnet::{Model, Streams};
use rafnet_theory::{
    Degree, Formula, Polynomial, RedBlue, Series, Variant, Window, chebyshev, gabor,
    monomial_diagram, polynomial, polynomial_diagram,
};

#[test]
fn round_trips() -> Result<(), Box<dyn std::error::Error>> {
    let p = Polynomial::read("x^3*y - 2*x")?;
    let layout = RedBlue::narrow(&p, Variant::Tight);
    let model = Model::from_bytes(&polynomial(&p, &layout, None)?.to_model()?.to_bytes()?)?;
    let jet = model.jet(&[3.0, 2.0], Streams::laplacian())?;
    assert_eq!(jet.value(0), [48.0]);
    // ∂x = 3x²y − 2, ∂y = x³, Δ = 6xy: a network that is exact has exact derivatives
    assert_eq!(jet.gradient(0, 0), Some(&[52.0][..]));
    assert_eq!(jet.gradient(0, 1), Some(&[27.0][..]));
    assert_eq!(jet.laplacian(0), Some(&[36.0][..]));
    let exp = Formula::read("exp(x)")?;
    let series = Series::of(&exp, [-1.0, 1.0], Degree::Tolerance(1e-12))?;
    let net = chebyshev(&exp, &series, None)?;
    let model = Model::from_bytes(&net.to_model()?.to_bytes()?)?;
    assert!((model.eval(&[0.5])?[0] - 0.5_f64.exp()).abs() < 1e-12);
    assert!(!model.contains(&[1.5]));
    let atom = gabor(
        &[2.0],
        &[Window {
            centre: 0.0,
            width: 1.0,
        }],
    )?;
    let model = Model::from_bytes(&atom.to_model()?.to_bytes()?)?;
    let names: Vec<&str> = model
        .parts()
        .outputs
        .iter()
        .map(|o| o.name.as_str())
        .collect();
    assert_eq!(
        (names, model.eval(&[0.0])?),
        (vec!["re", "im"], vec![1.0, 0.0])
    );
    Ok(())
}

#[test]
fn diagrams() -> Result<(), Box<dyn std::error::Error>> {
    let p = Polynomial::read("x1^3*x2^2 + 2*x1*x2^4 - 5")?;
    let layout = RedBlue {
        chains: 4,
        rows: 2,
        columns: 2,
        depth: None,
        variant: Variant::Stated,
    };
    let svg = polynomial_diagram(&p, &layout);
    let blocks = |svg: &str, colour: &str| {
        svg.matches(&format!("fill=\"{colour}\" fill-opacity"))
            .count()
    };
    // three terms; x and the sum in each of two columns; input and output
    assert_eq!(
        [
            blocks(&svg, "#c0392b"),
            blocks(&svg, "#2e6da4"),
            blocks(&svg, "#3c8d40")
        ],
        [3, 4, 2]
    );
    assert!(svg.contains("width 19") && svg.trim_end().ends_with("</svg>"));
    // a tree over 16 chains has 15 products: the right part of the paper's figure
    let svg = monomial_diagram(&[16], 16, Variant::Stated);
    assert_eq!(svg.matches(">×<").count(), 15);
    Ok(())
}
