//! What lies outside a model's region.

/// What a model answers outside its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Whatever the network says there.
    Continued,
    /// NaN.
    Nan,
}
