//! Means and integrals over a domain or parts of its boundary: points and weights with Σ w f(x) ≈ (1/|Ω|) ∫ f.
//!
//! A shape is the image of the unit cube under a map that preserves measure, so points of the cube with weights that sum to one keep their
//! weights. Each shape names rules for its numbers ([`Shape::rules`](super::Shape)): Gauss points along straight axes and radii, in
//! every triangle of a polygon, equally spaced ones around circles. Their product is exact to rounding for functions that are smooth.
//! Elsewhere (combined shapes, more than three numbers) many Sobol points with equal weights.

use super::{Domain, DomainError, Draw, Placed, Rule, Sampler};

/// Gauss points along each axis of the cube, by its dimension.
const ALONG: [usize; 3] = [64, 48, 20];
/// Points with equal weights.
const MANY: usize = 1 << 14;

/// Points (n × d by rows) with weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    /// n × d by rows.
    pub points: Vec<f64>,
    /// n
    pub weights: Vec<f64>,
}

/// The same on parts of a boundary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoundaryQuadrature {
    /// n × d by rows.
    pub points: Vec<f64>,
    /// Outward unit normals, n × d by rows.
    pub normals: Vec<f64>,
    /// n
    pub weights: Vec<f64>,
}

/// How fine a sum is: the difference of the two says how good the finer one is at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fineness {
    /// As fine as the shape's rules go.
    Fine,
    /// Three quarters of the points along each number, half as many where they have equal weights.
    Coarse,
}

impl Fineness {
    /// About how many points there are along each of so many numbers.
    fn along(self, numbers: usize) -> Option<usize> {
        let fine = ALONG.get(numbers.wrapping_sub(1)).copied();
        match self {
            Self::Fine => fine,
            Self::Coarse => fine.map(|n| 3 * n / 4),
        }
    }
    fn many(self) -> usize {
        match self {
            Self::Fine => MANY,
            Self::Coarse => MANY / 2,
        }
    }
}

/// Calls `visit(u, weight)` for every point of a product of rules.
fn each_node(rules: &[Rule], mut visit: impl FnMut(&[f64], f64)) {
    let mut u = vec![0.0; rules.len()];
    for index in 0..rules.iter().map(Vec::len).product() {
        let (mut rest, mut weight) = (index, 1.0);
        for (u, rule) in u.iter_mut().zip(rules) {
            let [node, w] = rule[rest % rule.len()];
            rest /= rule.len();
            *u = node;
            weight *= w;
        }
        visit(&u, weight);
    }
}

impl Domain {
    /// Points and weights for means over the domain: the weights sum to one.
    ///
    /// ```
    /// use rafnet::domain::{Ball, Domain};
    /// use std::sync::Arc;
    /// let disc = Domain::new(Arc::new(Ball::new(vec![0.0, 0.0], 2.0)?));
    /// let q = disc.quadrature()?;
    /// let mean: f64 = q.points.chunks(2).zip(&q.weights).map(|(x, w)| w * x[0] * x[0]).sum();
    /// assert!((mean - 1.0).abs() < 1e-13); // R²/4
    /// # Ok::<(), rafnet::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Domain::interior`].
    pub fn quadrature(&self) -> Result<Quadrature, DomainError> {
        self.quadrature_as(Fineness::Fine)
    }

    /// The same with more or fewer points.
    ///
    /// # Errors
    /// As [`Domain::interior`].
    pub fn quadrature_as(&self, fineness: Fineness) -> Result<Quadrature, DomainError> {
        self.quadrature_between(fineness, &vec![Vec::new(); self.dimension()])
    }

    /// The same for functions that change abruptly at some places along each axis: on a box every part between them has points of its own.
    ///
    /// # Errors
    /// As [`Domain::interior`].
    pub fn quadrature_between(
        &self,
        fineness: Fineness,
        breaks: &[Vec<f64>],
    ) -> Result<Quadrature, DomainError> {
        let along = fineness.along(self.shape.numbers());
        let rules = along.and_then(|n| self.shape.rules(n));
        let rules = rules.map(|rules| self.cut(rules, breaks));
        let Some(rules) = rules else {
            let n = fineness.many();
            let points = self.interior(n, &Draw::new(Sampler::Sobol, 0))?;
            let weights = vec![1.0 / n as f64; n];
            return Ok(Quadrature { points, weights });
        };
        let mut x = vec![0.0; self.dimension()];
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        each_node(&rules, |u, weight| {
            if self.shape.place(u, &mut x) == Placed::Kept {
                points.extend(&x);
                weights.push(weight);
            }
        });
        Ok(Quadrature { points, weights })
    }

    /// Rules along the axes of a box, repeated between the breaks.
    fn cut(&self, rules: Vec<Rule>, breaks: &[Vec<f64>]) -> Vec<Rule> {
        let bounds = self.bounds();
        let is_box = rules.len() == bounds.len()
            && (self.measure() - bounds.iter().map(|[low, high]| high - low).product::<f64>())
                .abs()
                <= 1e-12 * self.measure();
        if !is_box {
            return rules;
        }
        let cut = |(rule, ([low, high], breaks)): (Rule, (&[f64; 2], &Vec<f64>))| {
            let mut ends: Vec<f64> = breaks.iter().map(|b| (b - low) / (high - low)).collect();
            ends.retain(|end| *end > 0.0 && *end < 1.0);
            ends.sort_by(f64::total_cmp);
            let starts = [0.0].into_iter().chain(ends.iter().copied());
            let parts = starts.zip(ends.iter().copied().chain([1.0]));
            let part = |(a, b): (f64, f64)| {
                let inside = move |[x, w]: &[f64; 2]| [a + (b - a) * x, (b - a) * w];
                rule.iter().map(inside).collect::<Vec<_>>()
            };
            parts.flat_map(part).collect()
        };
        // a shape that is swept through time has its instant before its other numbers
        let mut order: Vec<usize> = (0..bounds.len()).collect();
        order.sort_by_key(|axis| Some(*axis) != self.time_axis);
        let axes = order.iter().map(|axis| (&bounds[*axis], &breaks[*axis]));
        rules.into_iter().zip(axes).map(cut).collect()
    }

    /// Points, normals and weights for integrals over these pieces of the boundary: the weights sum to their length or area.
    ///
    /// ```
    /// use rafnet::domain::{Cuboid, Domain, Fineness};
    /// use std::sync::Arc;
    /// let rectangle = Domain::new(Arc::new(Cuboid::new(vec![[0.0, 3.0], [0.0, 1.0]])?));
    /// let q = rectangle.boundary_quadrature(&[2, 3], Fineness::Fine)?; // below and above
    /// let sum: f64 = q.points.chunks(2).zip(&q.weights).map(|(x, w)| w * x[0]).sum();
    /// assert!((sum - 9.0).abs() < 1e-12);
    /// # Ok::<(), rafnet::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Domain::boundary`].
    pub fn boundary_quadrature(
        &self,
        pieces: &[usize],
        fineness: Fineness,
    ) -> Result<BoundaryQuadrature, DomainError> {
        let mut all = BoundaryQuadrature::default();
        let d = self.dimension();
        for &index in pieces {
            let piece = self.piece(index)?.clone();
            let rules = match piece.dimension {
                0 => Some(vec![vec![[0.5, 1.0]]; piece.numbers]).filter(|_| piece.numbers == 0),
                _ => fineness
                    .along(piece.numbers)
                    .filter(|_| piece.part.is_empty())
                    .and_then(|n| self.shape.rules_on(piece.face, n)),
            };
            let Some(rules) = rules else {
                let many = fineness.many();
                let drawn = self.boundary(&[index], many, &Draw::new(Sampler::Sobol, 0))?;
                let n = drawn.points.len() / d;
                all.points.extend(drawn.points);
                all.normals.extend(drawn.normals);
                all.weights
                    .extend(std::iter::repeat_n(piece.measure / n as f64, n));
                continue;
            };
            let (mut x, mut normal) = (vec![0.0; d], vec![0.0; d]);
            each_node(&rules, |u, weight| {
                let on = (&piece.part[..], piece.face);
                if self.shape.place_on(on.0, on.1, u, &mut x, &mut normal) == Placed::Kept {
                    all.points.extend(&x);
                    all.normals.extend(&normal);
                    all.weights.push(weight * piece.measure);
                }
            });
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Annulus, Ball, Combined, Cuboid, Operation, Polygon};
    use std::sync::Arc;

    fn mean(domain: &Domain, f: impl Fn(&[f64]) -> f64) -> f64 {
        let q = domain.quadrature().expect("points");
        let d = domain.dimension();
        q.points
            .chunks(d)
            .zip(&q.weights)
            .map(|(x, w)| w * f(x))
            .sum()
    }

    #[test]
    fn means_in_closed_form() {
        let interval = Domain::new(Arc::new(Cuboid::new(vec![[0.0, 2.0]]).expect("a box")));
        assert!((mean(&interval, |x| x[0].exp()) - (2f64.exp() - 1.0) / 2.0).abs() < 1e-13);
        let disc = Domain::new(Arc::new(Ball::new(vec![1.0, 0.0], 3.0).expect("a disc")));
        assert!((mean(&disc, |x| x[1] * x[1]) - 9.0 / 4.0).abs() < 1e-12); // R²/4
        let ring = Domain::new(Arc::new(
            Annulus::new(vec![0.0, 0.0], 1.0, 2.0).expect("a ring"),
        ));
        // the mean of ln r: ∫ r ln r dr = [r²/2 ln r − r²/4], over (R² − r²)/2
        let expected = (2.0 * 2f64.ln() - 0.75) / 1.5;
        assert!((mean(&ring, |x| x[0].hypot(x[1]).ln()) - expected).abs() < 1e-12);
        let swept = Domain::with_time(
            Arc::new(Cuboid::new(vec![[0.0, 1.0]]).expect("a box")),
            1,
            [0.0, 3.0],
        )
        .expect("a cylinder");
        assert!((mean(&swept, |x| x[0] * x[1] * x[1]) - 1.5).abs() < 1e-13);
    }

    #[test]
    fn polygons_and_balls_to_rounding() {
        let triangle = Polygon::new(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).expect("a triangle");
        let triangle = Domain::new(Arc::new(triangle));
        // ∫∫ e^(x+y) over the triangle is 1, its area a half
        assert!((mean(&triangle, |x| (x[0] + x[1]).exp()) - 2.0).abs() < 1e-13);
        let corners = vec![
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let bent = Domain::new(Arc::new(Polygon::new(corners).expect("an L")));
        // x³ over [0,2]×[0,1] and [0,1]×[1,2]: 4 + 1/4, over an area of 3
        assert!((mean(&bent, |x| x[0].powi(3)) - 4.25 / 3.0).abs() < 1e-13);
        let ball = Ball::new(vec![1.0, 0.0, 0.0], 3.0).expect("a ball");
        let ball = Domain::new(Arc::new(ball));
        assert!((mean(&ball, |x| x[1] * x[1]) - 9.0 / 5.0).abs() < 1e-12); // R²/5
        assert!((mean(&ball, |x| (x[0] - 1.0).hypot(x[1].hypot(x[2]))) - 9.0 / 4.0).abs() < 1e-12); // 3R/4
        let pair = Domain::new(Arc::new(
            Annulus::new(vec![0.0], 1.0, 2.0).expect("two intervals"),
        ));
        assert!((mean(&pair, |x| x[0].powi(4)) - 31.0 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn combined_shapes_get_many_points() {
        let square = Arc::new(Cuboid::new(vec![[0.0, 1.0], [0.0, 1.0]]).expect("a square"));
        let hole = Arc::new(Ball::new(vec![0.5, 0.5], 0.25).expect("a disc"));
        let plate = Combined::new(Operation::Difference, vec![square, hole]).expect("a plate");
        let plate = Domain::new(Arc::new(plate));
        // by symmetry; Sobol points are off by less than a few over their number
        assert!((mean(&plate, |x| x[0]) - 0.5).abs() < 8.0 / MANY as f64);
    }

    /// ∮ x·n = d |Ω|, on every kind of boundary.
    #[test]
    fn boundaries_by_the_divergence_theorem() {
        let shapes: Vec<Domain> = vec![
            Domain::new(Arc::new(
                Cuboid::new(vec![[-1.0, 2.0]]).expect("an interval"),
            )),
            Domain::new(Arc::new(
                Cuboid::new(vec![[0.0, 2.0], [1.0, 2.0], [0.0, 1.0]]).expect("a box"),
            )),
            Domain::new(Arc::new(Ball::new(vec![0.3, 0.1], 2.0).expect("a disc"))),
            Domain::new(Arc::new(
                Ball::new(vec![0.3, 0.1, 1.0], 0.5).expect("a ball"),
            )),
            Domain::new(Arc::new(
                Annulus::new(vec![0.3, 0.1], 0.5, 2.0).expect("a ring"),
            )),
            Domain::new(Arc::new(
                Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]).expect("a triangle"),
            )),
        ];
        for domain in shapes {
            let d = domain.dimension();
            let q = domain
                .boundary_quadrature(&domain.space_pieces(), Fineness::Fine)
                .expect("points");
            let rows = q.points.chunks(d).zip(q.normals.chunks(d)).zip(&q.weights);
            let sum: f64 = rows
                .map(|((x, n), w)| w * x.iter().zip(n).map(|(x, n)| x * n).sum::<f64>())
                .sum();
            let expected = d as f64 * domain.measure();
            assert!(
                (sum - expected).abs() < 1e-12 * expected,
                "{sum} and {expected}"
            );
        }
    }
}
