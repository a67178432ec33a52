//! Networks built by hand, held against the theory's numbers and against other algorithms.
//!
//! | file | what it checks |
//! |---|---|
//! | `polynomial` | elementary maps, monomials, the red and blue layout: sizes of the specification's table; exact at integer points; rounding within its bound against integer arithmetic |
//! | `relu` | the ReLU twin: tolerance kept, parameters beside ours |
//! | `chebyshev` | degrees, sizes, errors and bounds of exp; the bound for other functions |
//! | `bandlimited` | the closed form of a product of sinc functions, its expected error over seeds |
//! | `atoms` | cosines, waves, Gabor atoms, radial functions: neuron counts and closed forms |
//! | `digits` | floor, 2^x and step: numbers, errors, bounds, beyond f64 too |
//! | `sine_relu` | the exact pieces, the measured rate |
//! | `expand` | learnable networks with one basis function a neuron |
//! | `files` | constructions as models: saved, loaded, evaluated |
//! | `refusals` | nonsense, with its message |

mod atoms;
mod bandlimited;
mod chebyshev;
mod digits;
mod expand;
mod files;
mod polynomial;
mod refusals;
mod relu;
mod sine_relu;

use rafnet_theory::Construction;

/// u: half the distance from 1 to the next number.
const UNIT: f64 = f64::EPSILON / 2.0;

/// The measured error keeps the bound, and the bound says something: rounding at most `rounding`.
#[track_caller]
fn holds(made: &Construction, rounding: f64) {
    let (found, bound) = (made.max_error, made.bound);
    assert!(
        found <= bound.total(),
        "{}: measured {found:e}, bound {bound:?}",
        made.kind
    );
    assert!(
        bound.rounding <= rounding,
        "{}: a rounding of {:e} says nothing, expected at most {rounding:e}",
        made.kind,
        bound.rounding
    );
}
