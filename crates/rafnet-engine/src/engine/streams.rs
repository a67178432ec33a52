//! Streams: which derivatives a sweep carries.
//!
//! A jet at a point is the value v, first derivatives along some coordinates, and second-order streams s, each with its own
//! constant symmetric matrix: Σ_ij C_s,ij ∂_ij u. The Laplacian is C = I, u_xx is e₁e₁ᵀ, u_xy is ½(e₁e₂ᵀ + e₂e₁ᵀ). [`Streams`] says
//! what is wanted; [`Carried`] is what must be carried for it in a given dimension: a second derivative needs the first
//! derivatives along its coordinates.

/// First derivatives that are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// None.
    None,
    /// Along every coordinate.
    All,
    /// Along these coordinates, from 0.
    Along(Vec<usize>),
}

/// A second-order stream that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Second {
    /// The sum of all u_kk.
    Laplacian,
    /// u_ij for two coordinates, from 0.
    Mixed(usize, usize),
    /// Σ_ij C_ij u_ij for a symmetric matrix, d × d row by row.
    Matrix(Vec<f64>),
}

/// The derivatives that are wanted beside the value.
///
/// ```
/// use rafnet::engine::Streams;
/// let carried = Streams::laplacian().carried(3)?;
/// assert_eq!(carried.len(), 5); // value, three first derivatives, the Laplacian
/// # Ok::<(), rafnet::engine::StreamsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Streams {
    /// First derivatives.
    pub gradient: Gradient,
    /// Second-order streams, in the order in which they come out.
    pub second: Vec<Second>,
}

/// Derivatives that cannot be carried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamsError {
    /// A coordinate that does not exist.
    #[error(
        "a derivative along coordinate {found} was asked for, but points have {dimension} coordinates (from 0)"
    )]
    Coordinate {
        /// What was asked for.
        found: usize,
        /// How many there are.
        dimension: usize,
    },
    /// A matrix of the wrong size, not symmetric or not finite.
    #[error(
        "the matrix of a second-order stream must be {dimension} × {dimension}, symmetric and finite"
    )]
    Matrix {
        /// The dimension.
        dimension: usize,
    },
}

impl Streams {
    /// The value alone.
    pub fn value() -> Self {
        Self {
            gradient: Gradient::None,
            second: Vec::new(),
        }
    }
    /// Value and gradient.
    pub fn gradient() -> Self {
        Self {
            gradient: Gradient::All,
            second: Vec::new(),
        }
    }
    /// Value, gradient and Laplacian.
    pub fn laplacian() -> Self {
        Self {
            gradient: Gradient::All,
            second: vec![Second::Laplacian],
        }
    }
    /// Value, gradient and the upper triangle of the Hessian, row by row.
    pub fn hessian(dimension: usize) -> Self {
        let upper = (0..dimension).flat_map(|i| (i..dimension).map(move |j| Second::Mixed(i, j)));
        Self {
            gradient: Gradient::All,
            second: upper.collect(),
        }
    }

    /// What a sweep must carry in `dimension` coordinates.
    ///
    /// # Errors
    /// [`StreamsError`] if a coordinate or matrix does not fit.
    pub fn carried(&self, dimension: usize) -> Result<Carried, StreamsError> {
        let inside = |k: usize| {
            if k < dimension {
                Ok(k)
            } else {
                Err(StreamsError::Coordinate {
                    found: k,
                    dimension,
                })
            }
        };
        let mut wanted = vec![matches!(self.gradient, Gradient::All); dimension];
        if let Gradient::Along(list) = &self.gradient {
            for &k in list {
                wanted[inside(k)?] = true;
            }
        }
        let mut second = Vec::new();
        for s in &self.second {
            let entries: Vec<(usize, usize, f64)> = match s {
                Second::Laplacian => (0..dimension).map(|k| (k, k, 1.0)).collect(),
                Second::Mixed(i, j) => vec![(inside(*i.min(j))?, inside(*i.max(j))?, 1.0)],
                Second::Matrix(c) => matrix_entries(c, dimension)?,
            };
            for &(i, j, _) in &entries {
                wanted[i] = true;
                wanted[j] = true;
            }
            second.push(Quadratic { entries });
        }
        let directions: Vec<usize> = (0..dimension).filter(|&k| wanted[k]).collect();
        for (i, j, _) in second.iter_mut().flat_map(|q| &mut q.entries) {
            let place = |k: usize| directions.iter().position(|&d| d == k).unwrap_or(0);
            (*i, *j) = (place(*i), place(*j));
        }
        Ok(Carried {
            dimension,
            directions,
            second,
        })
    }
}

fn matrix_entries(c: &[f64], d: usize) -> Result<Vec<(usize, usize, f64)>, StreamsError> {
    let fits = c.len() == d * d && c.iter().all(|v| v.is_finite());
    #[allow(
        clippy::float_cmp,
        reason = "symmetric to the last bit is what is asked for"
    )]
    let symmetric = fits && (0..d).all(|i| (0..i).all(|j| c[i * d + j] == c[j * d + i]));
    if !symmetric {
        return Err(StreamsError::Matrix { dimension: d });
    }
    let upper = (0..d).flat_map(|i| (i..d).map(move |j| (i, j)));
    let entry = |(i, j): (usize, usize)| (i, j, c[i * d + j] * if i == j { 1.0 } else { 2.0 });
    Ok(upper.map(entry).filter(|e| e.2 != 0.0).collect())
}

/// q(a, b) = Σ C_ij a_i b_j of one second-order stream, over the carried directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    /// (i, j, c) with i ≤ j: positions among the carried directions; c is C_ii, or C_ij + C_ji.
    pub entries: Vec<(usize, usize, f64)>,
}

/// What a sweep carries: stream 0 is the value, then one for each direction, then the second-order ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    dimension: usize,
    directions: Vec<usize>,
    second: Vec<Quadratic>,
}

impl Carried {
    /// The number of streams.
    #[allow(clippy::len_without_is_empty, reason = "the value is always carried")]
    pub fn len(&self) -> usize {
        1 + self.directions.len() + self.second.len()
    }
    /// The number of coordinates of a point.
    pub fn dimension(&self) -> usize {
        self.dimension
    }
    /// The coordinates whose first derivatives are carried, ascending.
    pub fn directions(&self) -> &[usize] {
        &self.directions
    }
    /// The second-order streams.
    pub fn second(&self) -> &[Quadratic] {
        &self.second
    }
    /// The stream of the first derivative along coordinate `k`.
    pub fn direction(&self, k: usize) -> Option<usize> {
        self.directions.iter().position(|&d| d == k).map(|p| 1 + p)
    }
    /// The stream of the second-order combination `s`, from 0.
    pub fn second_stream(&self, s: usize) -> usize {
        1 + self.directions.len() + s
    }
}
