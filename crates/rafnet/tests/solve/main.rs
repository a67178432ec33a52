//! Solving: every kind of condition, operator and ending on small problems with closed forms.
//!
//! Each problem is written as a user would write it. Its solution is a Rust function beside it, so that neither the file's `[exact]`
//! nor the library's own report is what it is held against.

mod bits; // same bits for any number of threads, other bits for another seed
mod builtins; // every built-in problem: its error and its estimate
mod checkpoints; // gone on with exactly, or refused
mod constraints; // means, integrals, values at points, more equations than unknowns
mod curved; // pieces of domains that are not boxes
mod damaged; // thousands of damaged expressions and problem files
mod devices; // the reference computes what the cpu does
mod dimensions; // regression, an interval, three and five dimensions, and the order of columns
mod dirichlet; // values on every shape
mod documented; // the examples of docs/reference/problem-file.md
mod eigen; // eigenvalues that are known, with their errors
mod endings; // stopped, out of time, at the target
mod examples; // flows, a soliton, a beam, Lorenz's equations
mod inverse; // parameters and fields from data, with their standard errors
mod manner; // enforce, [ansatz], [features], [guess]
mod narrow; // features between the points
mod operators; // divergence, gradients, mixed derivatives, variable coefficients
mod orders; // third and fourth derivatives
mod own_set; // texts are read on their own set, `exact` by the report alone
mod periodic; // axes that close on themselves
mod pieces; // layers, fronts, stiff and long times
mod reports; // figures with their errors
mod slopes; // Neumann, Robin, general conditions, means
mod starts; // Newton from elsewhere
mod systems; // several unknowns
mod time; // initial data, ordinary equations, transport
mod trust; // figures that do not flatter
mod waves; // waves that solve equations by themselves

use rafnet::expr::largest;
use rafnet::problem::Problem;
use rafnet::solve::{Options, Solved};

/// Enough that an error cannot hide between the points.
const POINTS: usize = 2000;

/// What the estimate may be off by.
const ESTIMATE_WITHIN: f64 = 100.0;

/// Neither an error nor its estimate means anything below the rounding of the points themselves.
const ROUNDING: f64 = 1e-15;

/// The problem in a text.
fn read(text: &str) -> Problem {
    Problem::from_text(text, "test.toml", None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The defaults, on one thread: tests run beside each other.
fn options() -> Options {
    Options {
        threads: 1,
        ..Options::default()
    }
}

fn solve(problem: &Problem, options: &Options) -> Solved {
    let solved = problem.solve(options, |progress| progress.go_on());
    solved.unwrap_or_else(|error| panic!("{}: {error}", problem.name))
}

/// Points inside a domain, uniform, from a fixed sequence of our own.
fn points(problem: &Problem) -> Vec<f64> {
    let (bounds, mut random) = (problem.domain.bounds(), Random(0x9E37_79B9));
    let mut points = Vec::new();
    let mut count = 0;
    while count < POINTS {
        let draw = |[low, high]: &[f64; 2]| low + (high - low) * random.unit();
        let point: Vec<f64> = bounds.iter().map(draw).collect();
        if problem.domain.contains(&point) {
            points.extend(point);
            count += 1;
        }
    }
    points
}

/// The relative L2 error of the worst unknown.
fn error(problem: &Problem, solved: &Solved, exact: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
    let points = points(problem);
    let found = solved.model.eval(&points).expect("points inside");
    let unknowns = problem.unknowns.len();
    let mut sums = vec![[0.0, 0.0]; unknowns];
    for (point, found) in points
        .chunks(problem.coordinates.len())
        .zip(found.chunks(unknowns))
    {
        let exact = exact(point);
        for ((sum, found), exact) in sums.iter_mut().zip(found).zip(exact) {
            sum[0] += (found - exact).powi(2);
            sum[1] += exact.powi(2);
        }
    }
    let relative = sums.iter().map(|[off, size]| (off / size).sqrt());
    largest(relative)
}

/// Solves a problem with the defaults and holds it against its closed form: the error is below `bound`, and the solver knew so.
fn recovers(text: &str, bound: f64, exact: impl Fn(&[f64]) -> Vec<f64>) -> Solved {
    recovers_with(&options(), text, bound, exact)
}

fn recovers_with(
    options: &Options,
    text: &str,
    bound: f64,
    exact: impl Fn(&[f64]) -> Vec<f64>,
) -> Solved {
    let problem = read(text);
    let solved = solve(&problem, options);
    let error = error(&problem, &solved, exact);
    assert!(
        error < bound,
        "error {error:.1e}, not {bound:.0e}\n{text}\n{}",
        solved.decisions().join("\n")
    );
    let estimate = solved.error_estimate.max(ROUNDING) / error.max(ROUNDING);
    assert!(
        (1.0 / ESTIMATE_WITHIN..=ESTIMATE_WITHIN).contains(&estimate),
        "error {error:.1e}, estimated {:.1e}\n{text}",
        solved.error_estimate
    );
    solved
}

/// Marsaglia's xorshift64*: fixed seeds, no dependency.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        self.word() as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.word()).unwrap_or(0) % n
    }

    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.unit(), std::f64::consts::TAU * self.unit());
        (-2.0 * (1.0 - radius).ln()).sqrt() * angle.cos()
    }
}
