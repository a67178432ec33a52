//! What a residual computes, as expressions over what it reads.
//!
//! An engine on the host calls [`Residual::evaluate`](crate::engine::Residual::evaluate). A device that compiles its own kernels asks for
//! the [`Formulas`] of an objective instead: residuals with their partial derivatives, and the streams of every known function. A
//! closure of the host has none, and is refused by name.

use super::ExprField;
use crate::engine::{Carried, EngineError, Field, Objective};
use crate::expr::{Expr, Leaf, kernel_text};
use crate::simd::Real;
use std::sync::Arc;

/// What an input of a formula is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// A coordinate of the point.
    Coordinate(usize),
    /// A number beside the point.
    Data(usize),
    /// A number that is the same at every point.
    Shared(usize),
    /// A stream of an output.
    Stream {
        /// Which output.
        output: usize,
        /// Which stream.
        stream: usize,
    },
}

/// A residual as expressions.
///
/// ```
/// use rafnet::engine::{ExprResidual, Residual};
/// use rafnet::expr::{Scope, parse};
/// let residual = parse("u_xx + u^2 - x", &Scope::new(["x"]).unknowns(["u"]))?;
/// let formula = ExprResidual::new(&[residual], 1, 1, 0).formula().expect("expressions");
/// assert_eq!(formula.kernel("double"), "\
/// const double t2 = u[0][0] * u[0][0];
/// const double t3 = u[0][2] + t2;
/// const double t5 = t3 - x[0];
/// const double t6 = 2.0 * u[0][0];
/// r[0] = t5;
/// dr[0][0][0] = t6;
/// dr[0][0][2] = 1.0;
/// ");
/// # Ok::<(), rafnet::expr::ExprError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Formula {
    /// What each leaf of the expressions is.
    pub reads: Vec<(Leaf, Read)>,
    /// r_m
    pub residuals: Vec<Expr>,
    /// ∂r_m/∂(stream s of output o) as ([m, o, s], expression), where it is not zero.
    pub partials: Vec<([usize; 3], Expr)>,
    /// ∂r_m/∂(shared number k) as ([m, k], expression), where it is not zero.
    pub slopes: Vec<([usize; 2], Expr)>,
}

impl Formula {
    /// Statements in C (or CUDA): they read `x[k]`, `data[c]`, `shared[k]` and `u[output][stream]`, and assign `r[m]`,
    /// `dr[m][output][stream]` and, for shared numbers, `ds[m][k]`. The functions of [`kernel_prelude`](crate::expr::kernel_prelude) must be there.
    pub fn kernel(&self, real: &str) -> String {
        let name_of = |leaf: &Leaf| match self.reads.iter().find(|(l, _)| l == leaf) {
            Some((_, Read::Coordinate(k))) => format!("x[{k}]"),
            Some((_, Read::Data(c))) => format!("data[{c}]"),
            Some((_, Read::Shared(k))) => format!("shared[{k}]"),
            Some((_, Read::Stream { output, stream })) => format!("u[{output}][{stream}]"),
            None => unreachable!("a formula names everything that it reads"),
        };
        let residuals = self.residuals.iter().enumerate();
        let residuals = residuals.map(|(m, r)| (format!("r[{m}]"), r));
        let partials = self.partials.iter();
        let partials = partials.map(|([m, o, s], p)| (format!("dr[{m}][{o}][{s}]"), p));
        let slopes = self.slopes.iter();
        let slopes = slopes.map(|([m, k], s)| (format!("ds[{m}][{k}]"), s));
        let named: Vec<(String, &Expr)> = residuals.chain(partials).chain(slopes).collect();
        let outputs: Vec<(&str, &Expr)> = named.iter().map(|(n, e)| (n.as_str(), *e)).collect();
        kernel_text(&outputs, real, &name_of)
    }
}

/// The known functions around a network, as expressions.
#[derive(Clone, Debug)]
pub struct KnownStreams {
    /// The streams of every extra input.
    pub features: Vec<Vec<Expr>>,
    /// The streams of every output's factor and lift, where there are such.
    pub ansatz: Vec<[Option<Vec<Expr>>; 2]>,
}

/// Everything of an objective that is not the network.
#[derive(Clone, Debug)]
pub struct Formulas {
    /// The residual.
    pub residual: Formula,
    /// What stands around the network.
    pub known: KnownStreams,
}

impl<T: Real> Objective<T> {
    /// The known functions with the streams that are carried.
    ///
    /// # Errors
    /// [`EngineError::Closure`] names what has no expression.
    pub fn known_streams(&self, carried: &Carried) -> Result<KnownStreams, EngineError> {
        let closure = |what: String| EngineError::Closure { what };
        let streams = |field: &Arc<dyn Field<T>>, what: &dyn Fn() -> String| {
            let expr = field.formula().ok_or_else(|| closure(what()))?;
            Ok::<_, EngineError>(ExprField::streams_of(expr, carried))
        };
        let mut features = Vec::new();
        for (k, field) in self.features.iter().enumerate() {
            features.push(streams(field, &|| format!("extra input {k}"))?);
        }
        let mut ansatz = Vec::new();
        for (o, known) in self.ansatz.iter().enumerate() {
            let part = |field: &Option<Arc<dyn Field<T>>>, name: &str| {
                let what = || format!("the {name} of output {o}");
                let field = field.as_ref();
                field.map(|f| streams(f, &what)).transpose()
            };
            ansatz.push([part(&known.factor, "factor")?, part(&known.lift, "lift")?]);
        }
        Ok(KnownStreams { features, ansatz })
    }

    /// The physics of a term as expressions, with the streams that its residual reads.
    ///
    /// # Errors
    /// [`EngineError::Closure`] names what has none.
    pub fn formulas(&self, term: usize) -> Result<Formulas, EngineError> {
        let residual = &self.term(term)?.residual;
        let carried = residual.streams();
        let carried = carried.carried(self.network.inputs().dimension)?;
        let formula = residual.formula();
        let known = self.known_streams(&carried)?;
        let what = "the residual".to_owned();
        Ok(Formulas {
            residual: formula.ok_or(EngineError::Closure { what })?,
            known,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{ExprResidual, Points, Regression, Residual, Response, Site, Streams};
    use crate::expr::{Scope, kernel_prelude, parse};
    use std::fmt::Write as _;
    use std::process::Command;

    /// Residuals that use every function there is, in two coordinates and two unknowns with one shared number.
    const TEXTS: [&str; 6] = [
        "-laplacian(u) + u^3 - exp(x)*cos(3*y)",
        "u*u_x + v*u_y - 0.1*(u_xx + 2*u_xy) + tanh(v)/(2 + sin(u))",
        "where(x < y, abs(u), sign(v)*u_y) + max(u, v) - min(x, v_x)",
        "sqrt(1 + u^2)*log(2 + v^2) + atan(u_x) - mod(3*x, 0.7)",
        "p*u - atan2(v, 2 + u) + 2^u - floor(4*y) + sinh(v) - cosh(x)",
        "asin(0.5*tanh(u)) + acos(0.3*tanh(v)) - tan(0.4*x) + x^u^2",
    ];

    /// The kernel's text, compiled by the C compiler of this machine, agrees with the residual as the host evaluates it.
    #[test]
    #[allow(clippy::print_stderr, reason = "a missing compiler is said")]
    fn kernels_in_c_agree_with_the_host() -> Result<(), Box<dyn std::error::Error>> {
        if Command::new("cc").arg("--version").output().is_err() {
            eprintln!("skipped: kernels as C, there is no C compiler");
            return Ok(());
        }
        let scope = Scope::new(["x", "y"])
            .unknowns(["u", "v"])
            .parameters(["p"]);
        let texts: Result<Vec<Expr>, _> = TEXTS.iter().map(|t| parse(t, &scope)).collect();
        let residual = ExprResidual::new(&texts?, 2, 2, 1);
        let carried = residual.streams().carried(2)?;
        let (n, s, count) = (7, carried.len(), TEXTS.len());
        let number = |k: usize| (k as f64 * 0.754_877_666 + 0.2).fract() * 1.6 - 0.6;
        let coordinates: Vec<f64> = (0..2 * n).map(|k| number(k).abs() + 0.1).collect();
        let jets: Vec<f64> = (0..2 * s * n).map(|k| number(k + 50)).collect();
        let (mut values, mut partials) = (vec![0.0; count * n], vec![0.0; count * 2 * s * n]);
        let mut slopes = vec![0.0; count * n];
        residual.evaluate(
            &Site {
                points: Points::new(&coordinates, n),
                carried: &carried,
                jets: &jets,
                data: &[],
                shared: &[0.37],
            },
            &mut Response {
                values: &mut values,
                partials: &mut partials,
                slopes: &mut slopes,
                shared: 1,
                n,
                streams: s,
                outputs: 2,
            },
        );
        let kernel = Residual::<f64>::formula(&residual).ok_or("expressions")?;
        let mut c = String::from("#include <math.h>\n#include <stdio.h>\n");
        c += &kernel_prelude("double", "static inline");
        let _ = writeln!(
            c,
            "static void residual(const double *x, const double u[2][{s}], const double *shared, double *r, double dr[][2][{s}], double ds[][1]) {{"
        );
        c += &kernel.kernel("double");
        c += "}\nint main(void) {\n";
        let list = |all: &mut dyn Iterator<Item = f64>| {
            let all: Vec<String> = all.map(|v| format!("{v:?}")).collect();
            all.join(", ")
        };
        let _ = writeln!(c, "static const double shared[] = {{0.37}};");
        for i in 0..n {
            let x = list(&mut (0..2).map(|k| coordinates[k * n + i]));
            let u = list(&mut (0..2 * s).map(|k| jets[k * n + i]));
            let _ = writeln!(
                c,
                "{{ const double x[] = {{{x}}}, flat[] = {{{u}}}; double r[{count}], dr[{count}][2][{s}] = {{0}}, ds[{count}][1] = {{0}};"
            );
            let _ = writeln!(
                c,
                "residual(x, (const double (*)[{s}])flat, shared, r, dr, ds);"
            );
            let _ = writeln!(
                c,
                "for (int m = 0; m < {count}; m++) {{ printf(\"%.17g\\n%.17g\\n\", r[m], ds[m][0]);"
            );
            let _ = writeln!(
                c,
                "for (int k = 0; k < {}; k++) printf(\"%.17g\\n\", dr[m][0][k]); }} }}",
                2 * s
            );
        }
        c += "return 0; }\n";
        let folder = std::env::temp_dir().join(format!("raf-kernel-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let (source, program) = (folder.join("kernel.c"), folder.join("kernel"));
        std::fs::write(&source, &c)?;
        let compiled = Command::new("cc")
            .args(["-O1", "-ffp-contract=off", "-o"])
            .args([&program, &source])
            .arg("-lm")
            .output()?;
        assert!(
            compiled.status.success(),
            "{}\n{c}",
            String::from_utf8_lossy(&compiled.stderr)
        );
        let said = String::from_utf8(Command::new(&program).output()?.stdout)?;
        std::fs::remove_dir_all(&folder)?;
        let found: Result<Vec<f64>, _> = said.lines().map(str::parse::<f64>).collect();
        let found = found?;
        assert_eq!(found.len(), n * count * (2 + 2 * s));
        let mut found = found.iter();
        for i in 0..n {
            for m in 0..count {
                let partials = (0..2 * s).map(|k| partials[(m * 2 * s + k) * n + i]);
                let own = [values[m * n + i], slopes[m * n + i]];
                for (k, expected) in own.into_iter().chain(partials).enumerate() {
                    let found = *found.next().ok_or("a number")?;
                    // a dozen steps, each within two roundings in either library
                    let bound = 1e-13 * (1.0 + expected.abs());
                    assert!(
                        (found - expected).abs() <= bound,
                        "point {i}, residual {m}, number {k}: {found} and {expected}"
                    );
                }
            }
        }
        Ok(())
    }

    /// Plain regression has a formula; a closure of the host is refused by what it is.
    #[test]
    fn closures_are_refused_by_name() -> Result<(), Box<dyn std::error::Error>> {
        use crate::engine::conformance::Wave;
        use crate::network::{Bias, Inputs, Layer, Network};
        let network = || Network::new(Inputs::coordinates(1), vec![Layer::linear(1, Bias::Yes)]);
        let plain = Objective::<f64>::new(network()?, Arc::new(Regression { outputs: 1 }));
        let text = plain.formulas(0)?.residual.kernel("float");
        assert_eq!(
            text,
            "const float t2 = u[0][0] - data[0];\nr[0] = t2;\ndr[0][0][0] = 1.0f;\n"
        );
        let wave = Wave {
            offset: 0.0,
            slope: vec![1.0],
            frequency: vec![1.0],
        };
        let ansatz = crate::engine::Ansatz {
            factor: Some(Arc::new(wave)),
            lift: None,
        };
        let refused = plain.with_ansatz(vec![ansatz]).formulas(0).err();
        let message = refused.map(|e| e.to_string()).unwrap_or_default();
        assert!(
            message.starts_with("the factor of output 0 is a function of the host"),
            "{message}"
        );
        assert_eq!(
            Residual::<f64>::streams(&Regression { outputs: 1 }),
            Streams::value()
        );
        Ok(())
    }
}
