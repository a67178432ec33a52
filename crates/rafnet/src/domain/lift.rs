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

#[cfg(test)]
mod tests;

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
