//! Fluxes: what may jump under a derivative.
//!
//! A flux is what a single derivative is taken of, linear in unknowns and their first derivatives, whose jumps lie on planes across
//! the axis. Its derivative has a meaning on either side, and one across a plane: that the flux is the same on both.

use super::jump::Line;
use super::leaf::Leaf;
use super::node::Expr;
use crate::largest;

/// What is differentiated across jumps of its coefficients, and is continuous there.
#[derive(Clone, Debug, PartialEq)]
pub struct Flux {
    /// Linear in unknowns and their first derivatives.
    pub of: Expr,
    /// The axis along which it is differentiated.
    pub axis: usize,
    /// That coordinate at the jumps, ascending.
    pub places: Vec<f64>,
}

/// Jumps on two lines that are this near, over the largest coordinate, lie on one plane.
const ON_PLANE: f64 = 1e-9;

impl Expr {
    /// This as a [`Flux`] along an axis, if it is one; jumps are looked for on lines between points.
    pub fn flux(&self, axis: usize, points: &[Vec<f64>]) -> Option<Flux> {
        let jets = self.jets();
        let across = jets.iter().any(|jet| jet.axes() == [axis]);
        let linear = |leaf: &Leaf| self.partial(leaf).jets().is_empty();
        let nothing = self
            .replace(&mut |leaf: &Leaf| matches!(leaf, Leaf::Jet(_)).then(|| Expr::number(0.0)));
        let is_linear = jets.iter().all(|jet| jet.order() < 2)
            && self
                .leaves()
                .iter()
                .filter(|l| matches!(l, Leaf::Jet(_)))
                .all(linear)
            && nothing.constant() == Some(0.0);
        if !across || !is_linear {
            return None;
        }
        let switches = self.switches();
        let mut found: Vec<f64> = Line::all(points, axis)
            .flat_map(|line| line.jumps(self, &switches))
            .map(|jump| jump.at)
            .collect();
        found.sort_by(f64::total_cmp);
        let extent = largest(points.iter().map(|x| x[axis].abs()));
        let near = |a: f64, b: f64| (a - b).abs() <= ON_PLANE * extent;
        let planes: Vec<&[f64]> = found.chunk_by(|a, b| near(*a, *b)).collect();
        // a slanted jump is somewhere else on every line
        planes.iter().all(|plane| plane.len() > 1).then(|| Flux {
            of: self.clone(),
            axis,
            places: planes.iter().map(|plane| plane[0]).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::jump::tests::points;
    use crate::{ExprError, Scope, parse};

    /// Fluxes are linear and jump on planes; what is slanted, bent, nonlinear or not differentiated across them is none.
    #[test]
    fn fluxes_jump_on_planes() -> Result<(), ExprError> {
        let scope = Scope::new(["x", "y"]).unknowns(["u", "v"]);
        for (text, places) in [
            ("where(x <= 0.5, 1, 0.01)*u_x", Some(vec![0.5])),
            (
                "where(abs(x - 0.4) < 0.1, 2, y)*(u_x + v_y) + u",
                Some(vec![0.3, 0.5]),
            ),
            ("where(x < y, 1, 2)*u_x", None),
            ("where(x^2 + y^2 < 0.5, 1, 2)*u_x", None),
            ("where(x < 0.5, 1, 2)*u_x^2", None),
            ("where(x < 0.5, 1, 2)*u_x + x", None),
            ("where(x < 0.5, 1, 2)*u", None),
            ("where(x < 0.5, 1, 2)*u_xx", None),
            ("where(u < 0.5, 1, 2)*u_x", None),
        ] {
            let found = parse(text, &scope)?.flux(0, &points()).map(|f| f.places);
            let same = match (&found, &places) {
                (Some(f), Some(p)) => {
                    f.len() == p.len() && f.iter().zip(p).all(|(f, p)| (f - p).abs() < 1e-12)
                }
                (f, p) => f.is_none() && p.is_none(),
            };
            assert!(same, "{text}: {found:?}");
        }
        Ok(())
    }
}
