//! Unions, differences and intersections of shapes.
//!
//! The level is the minimum or maximum of those of the parts, by [`Operation`].
//!
//! Points are drawn from what surrounds the shape (the smallest part of an intersection, the first of a difference, the
//! box around a union) and kept when they lie inside. `bounding` says which points of the parts' boundaries bound the whole.

mod bounding;

use super::cuboid::Cuboid;
use super::error::DomainError;
use super::factor::{FactorTerm, Side};
use super::measure::{Measured, measure};
use super::operation::Operation;
use super::piece::{Face, Piece};
use super::shape::{Placed, Shape};
use super::wedge::{Wedge, wedges_of_cells};
use std::sync::Arc;

/// A union, difference or intersection.
///
/// ```
/// use rafnet::domain::{Ball, Combined, Cuboid, Operation, Shape};
/// use std::sync::Arc;
/// let square = Arc::new(Cuboid::new(vec![[-1.0, 1.0]; 2])?);
/// let hole = Arc::new(Ball::new(vec![0.0, 0.0], 0.5)?);
/// let plate = Combined::new(Operation::Difference, vec![square, hole])?;
/// assert!(plate.level(&[0.0, 0.0]) > 0.0 && plate.level(&[0.75, 0.0]) < 0.0);
/// assert_eq!(plate.pieces()[4].name(&["x", "y"]), "part 2: surface");
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Combined {
    operation: Operation,
    parts: Vec<Arc<dyn Shape>>,
    bounds: Cuboid,
    measure: f64,
}

impl Combined {
    /// Combines two or more parts of the same dimension.
    ///
    /// # Errors
    ///
    /// With fewer than two parts, parts of different dimension, or when nothing is left.
    pub fn new(operation: Operation, parts: Vec<Arc<dyn Shape>>) -> Result<Self, DomainError> {
        if parts.len() < 2 {
            return Err(DomainError::TooFewParts {
                operation,
                found: parts.len(),
            });
        }
        let expected = parts[0].dimension();
        for (part, shape) in (1..).zip(&parts) {
            let found = shape.dimension();
            if found != expected {
                return Err(DomainError::PartDimension {
                    operation,
                    part,
                    expected,
                    found,
                });
            }
        }
        let bounds = operation
            .bounds(&parts)
            .ok_or(DomainError::EmptyCombination {
                operation,
                tried: 1,
            })?;
        let mut combined = Self {
            operation,
            parts,
            bounds,
            measure: 0.0,
        };
        let Measured { measure, tried } = measure(
            |x| combined.level(x),
            &combined.bounds,
            combined.grid_lines(),
        );
        if measure <= 0.0 {
            return Err(DomainError::EmptyCombination { operation, tried });
        }
        combined.measure = measure;
        Ok(combined)
    }

    /// The parts.
    pub fn parts(&self) -> &[Arc<dyn Shape>] {
        &self.parts
    }

    /// How they are combined.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The corners of one part that are corners of the whole.
    fn wedges_of(&self, part: usize) -> Vec<Wedge> {
        let cuts_out = |k: usize| self.operation == Operation::Difference && k > 0;
        // at the corner the other parts do not matter
        let alone = |wedge: &Wedge| {
            let mut others = (0..self.parts.len()).filter(|k| *k != part);
            others.all(|k| {
                let level = self.parts[k].level(&wedge.position);
                match self.operation {
                    Operation::Union => level > 0.0,
                    Operation::Intersection => level < 0.0,
                    Operation::Difference => cuts_out(k) == (level > 0.0) && level != 0.0,
                }
            })
        };
        let own = self.parts[part].wedges().into_iter().filter(alone);
        own.map(|w| if cuts_out(part) { w.outside() } else { w })
            .collect()
    }

    /// What interior points are drawn from, before those outside are dropped.
    fn source(&self) -> &dyn Shape {
        match self.operation {
            Operation::Union => &self.bounds,
            Operation::Difference => &*self.parts[0],
            Operation::Intersection => {
                let smallest = self
                    .parts
                    .iter()
                    .min_by(|a, b| a.measure().total_cmp(&b.measure()));
                smallest.map_or(&self.bounds, |part| &**part)
            }
        }
    }
}

impl Shape for Combined {
    fn dimension(&self) -> usize {
        self.bounds.dimension()
    }

    fn level(&self, x: &[f64]) -> f64 {
        self.operation
            .level(self.parts.iter().map(|part| part.level(x)))
    }

    fn description(&self) -> serde_json::Value {
        let parts: Vec<serde_json::Value> = self.parts.iter().map(|p| p.description()).collect();
        serde_json::json!({ "kind": self.operation.to_string(), "parts": parts })
    }

    fn bounds(&self) -> Cuboid {
        self.bounds.clone()
    }

    fn measure(&self) -> f64 {
        self.measure
    }

    fn numbers(&self) -> usize {
        self.source().numbers()
    }

    fn place(&self, u: &[f64], x: &mut [f64]) -> Placed {
        if self.source().place(u, x) == Placed::Kept && self.level(x) < 0.0 {
            Placed::Kept
        } else {
            Placed::Missed
        }
    }

    fn pieces(&self) -> Vec<Piece> {
        let of_part = |(part, shape): (usize, &Arc<dyn Shape>)| {
            let below = |piece: Piece| Piece {
                part: [&[part], &piece.part[..]].concat(),
                ..piece
            };
            shape.pieces().into_iter().map(below).collect::<Vec<_>>()
        };
        let all = self.parts.iter().enumerate().flat_map(of_part);
        all.map(|piece| Piece {
            measure: piece.measure * self.kept(&piece),
            ..piece
        })
        .filter(|piece| piece.measure > 0.0)
        .collect()
    }

    fn place_on(
        &self,
        part: &[usize],
        face: Face,
        u: &[f64],
        x: &mut [f64],
        normal: &mut [f64],
    ) -> Placed {
        let Some((&first, below)) = part.split_first() else {
            return Placed::Missed;
        };
        if self.parts[first].place_on(below, face, u, x, normal) == Placed::Missed {
            return Placed::Missed;
        }
        if self.operation == Operation::Difference && first > 0 {
            for n in normal.iter_mut() {
                *n = 0.0 - *n; // and not −0
            }
        }
        if self.is_bounding(first, x, normal) {
            Placed::Kept
        } else {
            Placed::Missed
        }
    }

    /// A part's term stays positive in an intersection, the first part's in a difference; the sphere of a ball that is
    /// taken away changes its sign. Others may vanish inside the whole.
    fn factor_term(&self, part: &[usize], face: Face) -> Option<FactorTerm> {
        let (&first, below) = part.split_first()?;
        let term = self.parts[first].factor_term(below, face)?;
        match (self.operation, first) {
            (Operation::Intersection, _) | (Operation::Difference, 0) => Some(term),
            (Operation::Difference, _) if face == Face::Surface && below.is_empty() => match term {
                FactorTerm::Sphere {
                    axes,
                    centre,
                    radius,
                    side: Side::Inside,
                } => Some(FactorTerm::Sphere {
                    axes,
                    centre,
                    radius,
                    side: Side::Outside,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Those of boxes that are put together or cut out; of other parts those of each, but none where the boundaries of two cross.
    fn wedges(&self) -> Vec<Wedge> {
        match self.grid_lines() {
            Some(lines) => wedges_of_cells(&lines, &|x| self.level(&x) < 0.0),
            None => (0..self.parts.len())
                .flat_map(|k| self.wedges_of(k))
                .collect(),
        }
    }

    fn grid_lines(&self) -> Option<Vec<Vec<f64>>> {
        let mut lines = vec![Vec::new(); self.dimension()];
        for part in &self.parts {
            for (mine, theirs) in lines.iter_mut().zip(part.grid_lines()?) {
                mine.extend(theirs);
            }
        }
        for axis in &mut lines {
            axis.sort_by(f64::total_cmp);
            axis.dedup();
        }
        Some(lines)
    }
}
