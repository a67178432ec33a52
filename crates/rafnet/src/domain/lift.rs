//! Lifts: functions inside a box made of values on its faces alone, by transfinite interpolation.
//!
//! Along an axis with chosen ends the projector Pₖ blends the values at those ends,
//! ```text
//! both ends   (P_k g)(x) = (b − x_k)/(b − a) g|_{x_k = a} + (x_k − a)/(b − a) g|_{x_k = b}
//! one end     (P_k g)(x) = g at that end
//! ```
//! and the lift is their Boolean sum (W. J. Gordon, "Blending-function methods of bivariate and multivariate
//! interpolation and approximation", SIAM J. Numer. Anal. 8, 1971; Coons' patch in 2-D):
//! ```text
//! L g = (1 − Π_k (1 − P_k)) g = Σ_{∅ ≠ S} (−1)^{|S|+1} (Π_{k∈S} P_k) g
//! ```
//! It equals g on every chosen face when the data agree where faces meet, and is exact for each g with (Π(1 − Pₖ)) g = 0.
//!
//! Written out, L g is a sum of [`LiftTerm`]s: sign · Π of blends (each linear in one coordinate) · g at x with some
//! coordinates clamped to faces. Each term can be differentiated exactly: a clamped coordinate no longer varies in g, the
//! others do, and the blends have constant slope. A caller with symbolic g substitutes the clamped coordinates in
//! the text; one with derivatives of g along the faces calls [`Lift::derivatives`]. g is asked for on the boundary only.

use super::blend::{Blend, Clamp, End};
use super::cuboid::Cuboid;
use super::derivatives::Derivatives;
use super::error::DomainError;

/// One term of a lift: sign · Π blends · g at the clamped point.
///
/// ```
/// use rafnet::domain::{Cuboid, End, Lift};
/// let square = Cuboid::new(vec![[0.0, 1.0], [0.0, 1.0]])?;
/// let lift = Lift::new(&square, &[(0, End::Low), (1, End::High)])?;
/// let corner = lift.terms().iter().find(|term| term.clamps.len() == 2).expect("x and y clamped");
/// assert_eq!(corner.sign, -1.0);
/// assert_eq!(corner.project(&[0.3, 0.4]), [0.0, 1.0]);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LiftTerm {
    /// +1 or −1.
    pub sign: f64,
    /// The coordinates that are fixed, by axis; at least one.
    pub clamps: Vec<Clamp>,
}

impl LiftTerm {
    /// x with the clamped coordinates on their faces, to the bit.
    pub fn project(&self, x: &[f64]) -> Vec<f64> {
        let mut projected = x.to_vec();
        for clamp in &self.clamps {
            projected[clamp.axis] = clamp.at;
        }
        projected
    }

    /// sign · Π blends at x.
    pub fn weight(&self, x: &[f64]) -> f64 {
        self.clamps.iter().fold(self.sign, |weight, clamp| {
            weight * clamp.blend.value(x[clamp.axis])
        })
    }

    /// The weight with its derivatives at x.
    pub fn weight_derivatives(&self, x: &[f64]) -> Derivatives {
        let start = Derivatives::constant(self.sign, x.len());
        self.clamps.iter().fold(start, |product, clamp| {
            let mut blend = Derivatives::constant(clamp.blend.value(x[clamp.axis]), x.len());
            blend.gradient[clamp.axis] = clamp.blend.slope();
            product.times(&blend)
        })
    }

    /// Derivatives of x ↦ g(projected x) from those of g: clamped coordinates do not vary.
    fn frozen(&self, mut g: Derivatives) -> Derivatives {
        let dimension = g.gradient.len();
        for clamp in &self.clamps {
            g.gradient[clamp.axis] = 0.0;
            for k in 0..dimension {
                g.hessian[clamp.axis * dimension + k] = 0.0;
                g.hessian[k * dimension + clamp.axis] = 0.0;
            }
        }
        g
    }
}

/// A transfinite lift over chosen faces of a box.
///
/// ```
/// use rafnet::domain::{Cuboid, End, Lift};
/// let square = Cuboid::new(vec![[0.0, 1.0], [0.0, 1.0]])?;
/// let faces = [(0, End::Low), (0, End::High), (1, End::Low), (1, End::High)];
/// let lift = Lift::new(&square, &faces)?;
/// assert_eq!(lift.terms().len(), 8); // four faces, four corners
/// let g = |x: &[f64]| x[0] * x[1] + 1.0;
/// assert_eq!(lift.value(&[0.25, 0.5], |_, x| g(x)), 1.125);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lift {
    terms: Vec<LiftTerm>,
}

/// Axes with a chosen face that are allowed: 3⁶ − 1 = 728 terms.
const AXES: usize = 6;

impl Lift {
    /// The lift over these faces (axis from 0, end) of a box; naming a face twice is the same as once.
    ///
    /// # Errors
    ///
    /// Without a face, with an axis the box does not have, or with faces along more than six axes.
    pub fn new(cuboid: &Cuboid, faces: &[(usize, End)]) -> Result<Self, DomainError> {
        let bounds = cuboid.intervals();
        let dimension = bounds.len();
        if faces.is_empty() {
            return Err(DomainError::NoLiftFaces);
        }
        if let Some(&(axis, _)) = faces.iter().find(|(axis, _)| *axis >= dimension) {
            return Err(DomainError::LiftAxis { axis, dimension });
        }
        let projectors: Vec<Vec<Clamp>> = (0..dimension)
            .map(|axis| projector(axis, bounds[axis], |end| faces.contains(&(axis, end))))
            .filter(|clamps| !clamps.is_empty())
            .collect();
        if projectors.len() > AXES {
            return Err(DomainError::LiftTooLarge {
                found: projectors.len(),
                limit: AXES,
            });
        }
        // 1 − Π(1 − P_k), multiplied out: each axis either leaves a product as it is or takes one more clamp and −1.
        let mut terms = vec![LiftTerm {
            sign: -1.0,
            clamps: Vec::new(),
        }];
        for projector in &projectors {
            let longer = |term: &LiftTerm| {
                let (sign, clamps) = (-term.sign, term.clamps.clone());
                projector
                    .iter()
                    .map(move |&clamp| LiftTerm {
                        sign,
                        clamps: [&clamps[..], &[clamp]].concat(),
                    })
                    .collect::<Vec<_>>()
            };
            let added: Vec<LiftTerm> = terms.iter().flat_map(longer).collect();
            terms.extend(added);
        }
        terms.remove(0);
        Ok(Self { terms })
    }

    /// The terms whose sum the lift is.
    pub fn terms(&self) -> &[LiftTerm] {
        &self.terms
    }

    /// The lift at x, from g at points exactly on chosen faces; the term tells which.
    pub fn value(&self, x: &[f64], mut g: impl FnMut(&LiftTerm, &[f64]) -> f64) -> f64 {
        self.terms
            .iter()
            .map(|term| term.weight(x) * g(term, &term.project(x)))
            .sum()
    }

    /// The lift with its derivatives at x, from those of g along the faces; derivatives of g across a face it is asked on
    /// are not used.
    pub fn derivatives(
        &self,
        x: &[f64],
        mut g: impl FnMut(&LiftTerm, &[f64]) -> Derivatives,
    ) -> Derivatives {
        let mut sum = Derivatives::constant(0.0, x.len());
        for term in &self.terms {
            let boundary = term.frozen(g(term, &term.project(x)));
            sum.add(&term.weight_derivatives(x).times(&boundary));
        }
        sum
    }
}

/// The clamps of one axis's projector.
fn projector(axis: usize, [low, high]: [f64; 2], chosen: impl Fn(End) -> bool) -> Vec<Clamp> {
    let clamp = |end, at, blend| Clamp {
        axis,
        end,
        at,
        blend,
    };
    match (chosen(End::Low), chosen(End::High)) {
        (false, false) => vec![],
        (true, false) => vec![clamp(End::Low, low, Blend::One)],
        (false, true) => vec![clamp(End::High, high, Blend::One)],
        (true, true) => vec![
            clamp(End::Low, low, Blend::Falling { low, high }),
            clamp(End::High, high, Blend::Rising { low, high }),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Shape;
    use crate::domain::derivatives::check_by_differences;
    use proptest::prelude::*;

    fn brick(dimension: usize) -> Cuboid {
        Cuboid::new([[-1.0, 0.5], [0.25, 2.0], [-0.5, 0.75]][..dimension].to_vec()).expect("a box")
    }

    /// The faces whose bit is set: 2 bits an axis.
    fn faces(dimension: usize, mask: usize) -> Vec<(usize, End)> {
        let all = (0..dimension).flat_map(|axis| [(axis, End::Low), (axis, End::High)]);
        all.enumerate()
            .filter(|(bit, _)| mask >> bit & 1 == 1)
            .map(|(_, face)| face)
            .collect()
    }

    /// exp(s) sin(q) + s, with s = ½ Σ k xₖ and q = Π (½xₖ + 1): smooth, nothing special on any face.
    fn wavy(x: &[f64]) -> f64 {
        let s: f64 = x.iter().zip(1..).map(|(x, k)| 0.5 * f64::from(k) * x).sum();
        let q: f64 = x.iter().map(|x| 0.5 * x + 1.0).product();
        s.exp() * q.sin() + s
    }

    fn inside(cuboid: &Cuboid, u: &[f64]) -> Vec<f64> {
        u.iter()
            .zip(cuboid.intervals())
            .map(|(u, [low, high])| low + u * (high - low))
            .collect()
    }

    proptest! {
        /// On each chosen face the lift is g, and g is asked only there: a term ε·distance to the boundary changes no bit.
        #[test]
        fn data_are_met_on_chosen_faces(dimension in 1usize..4, mask in 1usize..64, u in prop::array::uniform3(0.0..1.0f64)) {
            let cuboid = brick(dimension);
            let faces = faces(dimension, mask);
            prop_assume!(!faces.is_empty());
            let lift = Lift::new(&cuboid, &faces).expect("a lift");
            let x = inside(&cuboid, &u[..dimension]);
            for &(axis, end) in &faces {
                let mut on = x.clone();
                on[axis] = cuboid.intervals()[axis][usize::from(end == End::High)];
                let gap = lift.value(&on, |_, x| wavy(x)) - wavy(&on);
                // Up to 26 terms, each rounded.
                prop_assert!(gap.abs() < 26.0 * 8.0 * f64::EPSILON * (1.0 + wavy(&on).abs()), "{gap:e} on {axis} {end:?}");
            }
            let bent = lift.value(&x, |_, x| wavy(x) + 1e3 * cuboid.level(x));
            prop_assert_eq!(bent.to_bits(), lift.value(&x, |_, x| wavy(x)).to_bits());
        }

        /// (1 − P₁)(1 − P₂) annihilates a(y) + x b(y) and c(x) + y d(x): those are reproduced inside, not only on faces.
        #[test]
        fn blended_functions_are_reproduced(u in prop::array::uniform2(0.0..1.0f64)) {
            let cuboid = brick(2);
            let lift = Lift::new(&cuboid, &faces(2, 15)).expect("a lift");
            let g = |x: &[f64]| x[1].sin() + x[0] * x[1].exp() + x[0].cos() - x[1] * (2.0 * x[0]).sin();
            let x = inside(&cuboid, &u);
            prop_assert!((lift.value(&x, |_, x| g(x)) - g(&x)).abs() < 1e-14);
        }

        /// From derivatives along the faces to those of the lift, against differences.
        #[test]
        fn derivatives_agree_with_differences(dimension in 1usize..4, mask in 1usize..64, u in prop::array::uniform3(0.1..0.9f64)) {
            let cuboid = brick(dimension);
            let faces = faces(dimension, mask);
            prop_assume!(!faces.is_empty());
            let lift = Lift::new(&cuboid, &faces).expect("a lift");
            // exp(a·x) is its own derivative; across a clamped face the wrong value must not matter.
            let g = |term: &LiftTerm, x: &[f64]| {
                let a: Vec<f64> = (0..dimension).map(|k| 0.4 + 0.3 * k as f64).collect();
                let value = a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>().exp();
                let mut g = Derivatives {
                    value,
                    gradient: a.iter().map(|a| a * value).collect(),
                    hessian: a.iter().flat_map(|p| a.iter().map(move |q| p * q * value)).collect(),
                };
                term.clamps.iter().for_each(|clamp| g.gradient[clamp.axis] = f64::NAN);
                g
            };
            let x = inside(&cuboid, &u[..dimension]);
            let found = lift.derivatives(&x, g);
            prop_assert!((found.value - lift.value(&x, |term, x| g(term, x).value)).abs() < 1e-13);
            check_by_differences(&found, &x, 0.5, |x| lift.derivatives(x, g));
        }
    }

    #[test]
    fn terms_are_counted_by_axes() {
        for (dimension, mask, count) in [
            (1, 3, 2),
            (2, 15, 8),
            (3, 63, 26),
            (2, 0b0111, 5),
            (3, 0b01_0000, 1),
        ] {
            let lift = Lift::new(&brick(dimension), &faces(dimension, mask)).expect("a lift");
            assert_eq!(lift.terms().len(), count);
            assert!(lift.terms().iter().all(|term| !term.clamps.is_empty()));
        }
        let twice = Lift::new(&brick(1), &[(0, End::Low), (0, End::Low)]).expect("a lift");
        assert_eq!(twice.terms().len(), 1);
    }

    #[test]
    fn impossible_lifts_are_refused() {
        let message = |cuboid: &Cuboid, faces: &[_]| {
            Lift::new(cuboid, faces).expect_err("no lift").to_string()
        };
        assert_eq!(
            message(&brick(1), &[]),
            "a lift needs at least one face of the box"
        );
        assert_eq!(
            message(&brick(2), &[(2, End::Low)]),
            "the lift names axis 3, the box has 2"
        );
        let seven = Cuboid::new(vec![[0.0, 1.0]; 7]).expect("a box");
        let all: Vec<_> = (0..7).map(|axis| (axis, End::Low)).collect();
        assert_eq!(
            message(&seven, &all),
            "a lift along 7 axes would need up to 3^7 terms, 6 axes are allowed; \
             enter the boundary data as weighted rows instead"
        );
    }
}
