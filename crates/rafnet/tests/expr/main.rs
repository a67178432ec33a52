//! The expression room, held against other algorithms.
//!
//! | file | what it checks |
//! |---|---|
//! | `calculus` | values and derivatives of random expressions, printing, programs |
//! | `operators` | `laplacian`, `div`, `grad`, sums, definitions, manufactured sources, against closed forms |
//! | `errors` | every mistake with its exact text |
//! | `fuzz` | random strings: no panic, spans inside the text |
//! | `oracle`, `polynomial` | the other algorithms: forward differentiation with error bounds; integer polynomials |

mod calculus;
mod errors;
mod fuzz;
mod operators;
mod oracle;
mod polynomial;
