//! Another evaluator: random trees, differentiated forward (dual numbers), with a running bound on rounding.
//!
//! A number carries (v, v′) and bounds (e, e′) on what rounding did to them, by first-order propagation:
//! for f(a), e = |f′| eₐ + ε|f| and e′ = |f″| eₐ |a′| + |f′| e′ₐ + ε(1 + |f′|)|a′|, where the 1 stands for derivatives
//! that the library computes with cancellation, such as 1 − tanh². A case near a kink, a jump or the edge of a domain
//! gives `None` and is not judged.

use proptest::prelude::*;

/// A random expression.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Number(f64),
    X,
    Y,
    Negate(Box<Tree>),
    Add(Box<Tree>, Box<Tree>),
    Subtract(Box<Tree>, Box<Tree>),
    Multiply(Box<Tree>, Box<Tree>),
    Divide(Box<Tree>, Box<Tree>),
    IntegerPower(Box<Tree>, i32),
    Power(Box<Tree>, Box<Tree>),
    Call(&'static str, Box<Tree>),
    Call2(&'static str, Box<Tree>, Box<Tree>),
    Where(&'static str, Box<[Tree; 4]>),
}

const FUNCTIONS: [&str; 17] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "cbrt", "abs", "sign", "floor", "erf",
];

/// Random expressions of some twenty nodes.
pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    let numbers = prop::sample::select(vec![0.0, 1.0, 2.0, 0.5, 3.0, 1.25, 10.0]);
    let leaf = prop_oneof![
        2 => numbers.prop_map(Tree::Number),
        3 => Just(Tree::X),
        3 => Just(Tree::Y),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        let two = || (one(), one());
        let unary = prop::sample::select(FUNCTIONS.to_vec());
        let binary = prop::sample::select(vec!["atan2", "min", "max", "mod"]);
        let compare = prop::sample::select(vec!["<", "<=", ">", ">=", "!="]);
        let four = [inner.clone(), inner.clone(), inner.clone(), inner.clone()];
        prop_oneof![
            1 => one().prop_map(Tree::Negate),
            3 => two().prop_map(|(a, b)| Tree::Add(a, b)),
            3 => two().prop_map(|(a, b)| Tree::Subtract(a, b)),
            4 => two().prop_map(|(a, b)| Tree::Multiply(a, b)),
            2 => two().prop_map(|(a, b)| Tree::Divide(a, b)),
            3 => (one(), -3..6).prop_map(|(a, n)| Tree::IntegerPower(a, n)),
            1 => two().prop_map(|(a, b)| Tree::Power(a, b)),
            5 => (unary, one()).prop_map(|(f, a)| Tree::Call(f, a)),
            2 => (binary, two()).prop_map(|(f, (a, b))| Tree::Call2(f, a, b)),
            1 => (compare, four).prop_map(|(c, parts)| Tree::Where(c, Box::new(parts))),
        ]
    })
}

impl Tree {
    /// The tree as text, with every bracket.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Number(value) => format!("{value}"),
            Self::X => "x".into(),
            Self::Y => "y".into(),
            Self::Negate(a) => format!("(-{})", a.text()),
            Self::Add(a, b) => format!("({} + {})", a.text(), b.text()),
            Self::Subtract(a, b) => format!("({} - {})", a.text(), b.text()),
            Self::Multiply(a, b) => format!("({} * {})", a.text(), b.text()),
            Self::Divide(a, b) => format!("({} / {})", a.text(), b.text()),
            Self::IntegerPower(a, n) => format!("({}) ^ ({n})", a.text()),
            Self::Power(a, b) => format!("({}) ^ ({})", a.text(), b.text()),
            Self::Call(f, a) => format!("{f}({})", a.text()),
            Self::Call2(f, a, b) => format!("{f}({}, {})", a.text(), b.text()),
            Self::Where(compare, parts) => {
                let [a, b, then, otherwise] = parts.each_ref().map(Self::text);
                format!("where({a} {compare} {b}, {then}, {otherwise})")
            }
        }
    }

    /// Value and derivative at a point, where x′ = `along[0]` and y′ = `along[1]`.
    pub(crate) fn dual(&self, at: [f64; 2], along: [f64; 2]) -> Option<Dual> {
        let inner = |tree: &Self| tree.dual(at, along);
        let result = match self {
            Self::Number(value) => Dual::new(*value, 0.0),
            Self::X => Dual::new(at[0], along[0]),
            Self::Y => Dual::new(at[1], along[1]),
            Self::Negate(a) => inner(a)?.times(Dual::new(-1.0, 0.0)),
            Self::Add(a, b) => inner(a)?.plus(inner(b)?),
            Self::Subtract(a, b) => inner(a)?.plus(inner(b)?.times(Dual::new(-1.0, 0.0))),
            Self::Multiply(a, b) => inner(a)?.times(inner(b)?),
            Self::Divide(a, b) => inner(a)?.times(inner(b)?.reciprocal()),
            Self::IntegerPower(a, n) => inner(a)?.integer_power(*n),
            Self::Power(a, b) => inner(a)?.power(inner(b)?)?,
            Self::Call(f, a) => inner(a)?.call(f)?,
            Self::Call2(f, a, b) => inner(a)?.call2(f, inner(b)?)?,
            Self::Where(compare, parts) => {
                let [a, b, then, otherwise] = parts.each_ref();
                let (a, b) = (inner(a)?, inner(b)?);
                a.apart(b)?;
                let holds = match *compare {
                    "<" | "<=" => a.v < b.v,
                    ">" | ">=" => a.v > b.v,
                    _ => true,
                };
                inner(if holds { then } else { otherwise })?
            }
        };
        let sound = [result.v, result.d, result.ev, result.ed]
            .iter()
            .all(|x| x.abs() < 1e10);
        (sound && result.ev <= 1e-8 * (1.0 + result.v.abs())).then_some(result)
    }
}

/// A value, its derivative, and bounds on the rounding in both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual {
    pub(crate) v: f64,
    pub(crate) d: f64,
    pub(crate) ev: f64,
    pub(crate) ed: f64,
}

const EPS: f64 = f64::EPSILON;

impl Dual {
    fn new(v: f64, d: f64) -> Self {
        let ev = EPS * v.abs();
        Self { v, d, ev, ed: 0.0 }
    }

    /// Refuses values that rounding could exchange.
    fn apart(self, other: Self) -> Option<()> {
        let gap = (self.v - other.v).abs();
        (gap > 1e3 * (self.ev + other.ev) + 1e-12).then_some(())
    }

    fn chain(self, f: f64, f1: f64, f2: f64) -> Self {
        Self {
            v: f,
            d: f1 * self.d,
            ev: f1.abs() * self.ev + EPS * f.abs(),
            ed: f2.abs() * self.ev * self.d.abs()
                + f1.abs() * self.ed
                + EPS * (1.0 + f1.abs()) * self.d.abs(),
        }
    }

    fn plus(self, o: Self) -> Self {
        Self {
            v: self.v + o.v,
            d: self.d + o.d,
            ev: self.ev + o.ev + EPS * (self.v.abs() + o.v.abs()),
            ed: self.ed + o.ed + EPS * (self.d.abs() + o.d.abs()),
        }
    }

    fn times(self, o: Self) -> Self {
        let (a, b) = (self.v.abs(), o.v.abs());
        let (da, db) = (self.d.abs(), o.d.abs());
        Self {
            v: self.v * o.v,
            d: self.d * o.v + self.v * o.d,
            ev: a * o.ev + b * self.ev + EPS * a * b,
            ed: a * o.ed + b * self.ed + da * o.ev + db * self.ev + 2.0 * EPS * (da * b + a * db),
        }
    }

    fn reciprocal(self) -> Self {
        let f = 1.0 / self.v;
        self.chain(f, -f * f, 2.0 * f * f * f)
    }

    fn integer_power(self, n: i32) -> Self {
        let m = f64::from(n);
        let second = if n == 0 || n == 1 {
            0.0
        } else {
            m * (m - 1.0) * self.v.powi(n - 2)
        };
        let first = if n == 0 { 0.0 } else { m * self.v.powi(n - 1) };
        self.chain(self.v.powi(n), first, second)
    }

    /// a^b for a > 0: v (b′ log a + b a′/a).
    fn power(self, b: Self) -> Option<Self> {
        self.apart(Self::new(0.0, 0.0))?;
        if self.v < 0.0 {
            return None;
        }
        let (a, log) = (self.v, self.v.ln());
        let (v, slope) = (a.powf(b.v), b.d * log + b.v * self.d / a);
        let relative =
            log.abs() * b.ev + (b.v / a).abs() * self.ev + EPS * (1.0 + (b.v * log).abs());
        let slope_error = log.abs() * b.ed
            + (b.v / a).abs() * self.ed
            + b.d.abs() * (self.ev / a + EPS * log.abs())
            + (self.d / a).abs() * b.ev
            + (b.v * self.d / (a * a)).abs() * self.ev
            + 4.0 * EPS * ((b.d * log).abs() + (b.v * self.d / a).abs());
        Some(Self {
            v,
            d: v * slope,
            ev: v * relative,
            ed: v * (relative * slope.abs() + slope_error),
        })
    }

    fn call(self, f: &str) -> Option<Self> {
        let x = self.v;
        let (sine, cosine) = x.sin_cos();
        let near = |jump: f64| self.apart(Self::new(jump, 0.0));
        Some(match f {
            "sin" => self.chain(sine, cosine, sine),
            "cos" => self.chain(cosine, -sine, cosine),
            "tan" => {
                let (t, s) = (x.tan(), 1.0 + x.tan().powi(2));
                self.chain(t, s, 2.0 * t * s)
            }
            "asin" | "acos" => {
                let r = 1.0 - x * x;
                near(1.0)?;
                near(-1.0)?;
                let (f1, f2) = (1.0 / r.sqrt(), x / (r * r.sqrt()));
                if f == "asin" {
                    self.chain(x.asin(), f1, f2)
                } else {
                    self.chain(x.acos(), -f1, f2)
                }
            }
            "atan" => {
                let r = 1.0 + x * x;
                self.chain(x.atan(), 1.0 / r, 2.0 * x / (r * r))
            }
            "sinh" => self.chain(x.sinh(), x.cosh(), x.sinh()),
            "cosh" => self.chain(x.cosh(), x.sinh(), x.cosh()),
            "tanh" => {
                let t = x.tanh();
                self.chain(t, 1.0 / x.cosh().powi(2), 2.0 * t)
            }
            "exp" => self.chain(x.exp(), x.exp(), x.exp()),
            "log" => self.chain(x.ln(), 1.0 / x, 1.0 / (x * x)),
            "sqrt" => {
                near(0.0)?;
                let r = x.sqrt();
                self.chain(r, 0.5 / r, 0.25 / (r * x))
            }
            "cbrt" => {
                near(0.0)?;
                let r = x.cbrt();
                self.chain(r, 1.0 / (3.0 * r * r), 2.0 / (9.0 * r * r * x))
            }
            "erf" => {
                let f1 = 2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp();
                self.chain(libm::erf(x), f1, 2.0 * x * f1)
            }
            "abs" => {
                near(0.0)?;
                self.chain(x.abs(), x.signum(), 0.0)
            }
            "sign" => {
                near(0.0)?;
                Self {
                    v: x.signum(),
                    d: 0.0,
                    ev: 0.0,
                    ed: 0.0,
                }
            }
            "floor" => {
                near(x.round())?;
                Self {
                    v: x.floor(),
                    d: 0.0,
                    ev: 0.0,
                    ed: 0.0,
                }
            }
            _ => unreachable!("every function of the list is here"),
        })
    }

    fn call2(self, f: &str, b: Self) -> Option<Self> {
        match f {
            "min" | "max" => {
                self.apart(b)?;
                Some(if (self.v < b.v) == (f == "min") {
                    self
                } else {
                    b
                })
            }
            "mod" => {
                b.apart(Self::new(0.0, 0.0))?;
                let size = if b.v < 0.0 {
                    b.times(Self::new(-1.0, 0.0))
                } else {
                    b
                };
                let q = (self.v / size.v).floor();
                self.times(size.reciprocal())
                    .apart(Self::new((self.v / size.v).round(), 0.0))?;
                let mut r = self.plus(size.times(Self::new(-q, 0.0)));
                // The library has q as (a − mod)/b, with the rounding of both.
                r.ed += (self.ev + r.ev + q.abs() * b.ev) / size.v * b.d.abs();
                Some(r)
            }
            _ => self.atan2(b),
        }
    }

    fn atan2(self, x: Self) -> Option<Self> {
        let y = self;
        let r2 = x.v * x.v + y.v * y.v;
        if x.v < 0.0 || r2 == 0.0 {
            y.apart(Self::new(0.0, 0.0))?;
        }
        let d = (x.v * y.d - y.v * x.d) / r2;
        let cross = (x.v * y.d).abs() + (y.v * x.d).abs();
        let radial = 2.0 * (x.v.abs() * x.ev + y.v.abs() * y.ev) / r2;
        let v = y.v.atan2(x.v);
        Some(Self {
            v,
            d,
            ev: (x.v.abs() * y.ev + y.v.abs() * x.ev) / r2 + EPS * v.abs(),
            ed: (x.v.abs() * y.ed + y.v.abs() * x.ed + y.d.abs() * x.ev + x.d.abs() * y.ev) / r2
                + cross / r2 * (radial + 4.0 * EPS),
        })
    }
}
