//! `raf build polynomial`: the red and blue layout, its ReLU twin, its diagram.

use super::kinds::{Extras, Made, done, variant};
use super::values::{formula, intervals, refused, whole};
use crate::output::Failure;
use rafnet_theory::{Polynomial, RedBlue};
use serde_json::json;

#[derive(clap::Args)]
pub(super) struct PolynomialOptions {
    /// The polynomial, such as "x^3*y - 2*x"
    text: String,
    /// The variables, in order (default: x, y, z, t or x1, x2, … as they occur)
    #[arg(long, value_delimiter = ',')]
    variables: Vec<String>,
    /// Chains N of each block
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    chains: i64,
    /// Rows a of blocks
    #[arg(long, allow_negative_numbers = true)]
    rows: Option<i64>,
    /// Columns b of blocks
    #[arg(long, allow_negative_numbers = true)]
    columns: Option<i64>,
    /// Fill up with identity layers to depth L
    #[arg(long, allow_negative_numbers = true)]
    depth: Option<i64>,
    /// As few layers as are needed
    #[arg(long)]
    tight: bool,
    /// Where rounding is bounded and the error measured: low,high, once or for each variable (default -1,1)
    #[arg(long, allow_hyphen_values = true)]
    interval: Vec<String>,
    /// Build the ReLU network of the same layout to this tolerance, and report its size
    #[arg(long, value_name = "TOLERANCE", allow_negative_numbers = true)]
    relu_twin: Option<f64>,
    /// Draw the blocks as SVG
    #[arg(long)]
    diagram: bool,
}

impl PolynomialOptions {
    pub(super) fn make(&self) -> Result<Made, Failure> {
        let mut extras = Extras::default();
        let polynomial = Polynomial::of(&formula(&self.text, &self.variables)?).map_err(refused)?;
        let terms = polynomial.terms().len();
        let count = |what, value: Option<i64>| value.map(|v| whole(what, v, 1, 4096)).transpose();
        let (rows, columns) = (
            count("the number of rows", self.rows)?,
            count("the number of columns", self.columns)?,
        );
        let rows = rows.unwrap_or(columns.map_or(1, |b| terms.div_ceil(b)));
        let layout = RedBlue {
            chains: whole("the number of chains", self.chains, 1, 4096)?,
            rows,
            columns: columns.unwrap_or(terms.div_ceil(rows)),
            depth: self
                .depth
                .map(|l| whole("the depth", l, 1, 1 << 14))
                .transpose()?,
            variant: variant(self.tight),
        };
        let bounds = intervals(&self.interval, polynomial.variables().len())?;
        let made =
            rafnet_theory::polynomial(&polynomial, &layout, bounds.as_deref()).map_err(refused)?;
        if let Some(tolerance) = self.relu_twin {
            let twin = rafnet_theory::relu_twin(&polynomial, &layout, bounds.as_deref(), tolerance)
                .map_err(refused)?;
            let figures = json!({
                "width": twin.width(), "depth": twin.depth(), "parameters": twin.parameters(), "neurons": twin.neurons(),
                "bound": twin.bound.value, "max_error": twin.max_error,
            });
            extras.json.insert("relu_twin".into(), figures);
        }
        if self.diagram {
            extras.pictures.push((
                "polynomial",
                rafnet_theory::polynomial_diagram(&polynomial, &layout),
            ));
        }
        done(Ok(made), extras)
    }
}
