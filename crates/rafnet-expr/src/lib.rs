//! Expressions: text → expression → symbolic derivatives → values over slices.
//!
//! A residual such as `u_t + u*u_x - nu*u_xx` is read once ([`parse()`]), differentiated once with respect to what it
//! is made of ([`Expr::partial`]) and evaluated over slices for ever after ([`Program`]):
//!
//! ```text
//! text ──parse──▶ Expr ──derivative, partial, substitute──▶ Expr ──compile──▶ Program ──evaluate──▶ slices
//!                  ▲                                         │        └──────▶ kernel text (C, CUDA)
//!                Scope (what the names mean)              display
//! ```
//!
//! | room | holds |
//! |---|---|
//! | `leaf`, `node`, `function`, `fingerprint` | what an expression is made of |
//! | `algebra/` | constructors that simplify: sums, products, powers, functions, conditions |
//! | `derivative`, `substitute`, `analysis`, `summand`, `point` | what is asked of an expression |
//! | `parse/` | tokens, grammar, scope, names, vectors: from text to [`Expr`] |
//! | `error/` | mistakes in a text, with the spot underlined and a suggestion |
//! | `print`, `number` | back to text |
//! | `interval/` | ranges that hold every value over a box |
//! | `program/` | flat instructions over chunks of lanes, elementary functions, kernel text |
//! | `largest` | the largest of what was computed, NaN where one is |
//!
//! # Example
//!
//! The rows of Newton's method for Burgers' equation: the residual and its partial derivatives, in one program.
//!
//! ```
//! use rafnet::expr::{Leaf, Program, Scope, parse};
//!
//! let scope = Scope::new(["x", "t"]).time("t").unknowns(["u"]).number("nu", 0.1);
//! let residual = parse("u_t + u*u_x - nu*u_xx", &scope)?;
//!
//! let jets = residual.leaves(); // u, u_x, u_xx, u_t
//! let mut outputs = vec![residual.clone()];
//! outputs.extend(jets.iter().map(|leaf| residual.partial(leaf)));
//! assert_eq!(outputs[1].display(&scope).to_string(), "u_x"); // ∂r/∂u
//!
//! let program = Program::compile(&outputs, &jets)?;
//! let (u, u_x, u_xx, u_t) = ([2.0, 3.0], [5.0, 7.0], [10.0, 20.0], [1.0, 1.0]);
//! let mut columns = vec![[0.0; 2]; outputs.len()];
//! let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(|c| &mut c[..]).collect();
//! program.evaluate(&[&u, &u_x, &u_xx, &u_t], &mut slices, &mut program.scratch());
//! assert_eq!(columns[0], [1.0 + 2.0 * 5.0 - 0.1 * 10.0, 1.0 + 3.0 * 7.0 - 0.1 * 20.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod algebra;
mod analysis;
mod derivative;
mod error;
mod fingerprint;
mod flux;
mod function;
mod interval;
mod jump;
mod largest;
mod leaf;
mod node;
mod number;
mod parse;
mod point;
mod print;
mod program;
mod substitute;
mod summand;

pub use analysis::Dependence;
pub use derivative::LARGEST_DERIVATIVE;
pub use derivative::Outgrown;
pub use error::{ExprError, Mistake, Shape};
pub use flux::Flux;
pub use function::{Binary, Unary};
pub use interval::{Defined, Enclosing, Enclosure, Interval};
pub use jump::Jump;
pub use largest::{larger, largest, smaller};
pub use leaf::{Jet, Leaf};
pub use node::Expr;
pub use parse::{Scope, Symbol, free_names, parse, parse_condition, parse_equation, parse_number};
pub use print::Displayed;
pub use program::{Elementary, LANES, MissingInput, Program, Scratch, kernel_prelude, kernel_text};
pub use program::{Schedule, Step};
pub use summand::{KnownPart, Role};
