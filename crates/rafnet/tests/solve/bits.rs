//! The same seed gives the same bits, whatever the number of threads; another seed gives others.

use crate::{options, read, solve};
use rafnet::solve::{Options, Solved};

const LINEAR: &str = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u) - 5*u\"\n\
                      [[boundary]]\non = \"all\"\ndirichlet = \"exp(x + 2*y)\"\n";

const NONLINEAR: &str = "[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n[parameters]\nk = { find = true, start = 0.5 }\n\
                         [equation]\nresidual = \"u_t + k*u^2\"\n[[initial]]\nu = 1\n[[data]]\nrows = [[1, 0.5], [2, \"1/3\"]]\n";

/// Every number that comes out.
fn bits(solved: &Solved) -> Vec<u64> {
    let figures = [solved.residual, solved.error_estimate];
    let found = solved.found.iter().flat_map(|f| [f.value, f.sigma]);
    let parameters = solved.model.parts().parameters.iter().copied();
    let points: Vec<f64> = (0..40).map(|k| f64::from(k) / 40.0).collect();
    let values = solved.model.eval(&points).expect("points inside");
    let all = figures.into_iter().chain(found).chain(parameters);
    all.chain(values).map(f64::to_bits).collect()
}

fn with(threads: usize, seed: u64) -> Options {
    Options {
        threads,
        seed,
        ..options()
    }
}

#[test]
fn any_number_of_threads() {
    for text in [LINEAR, NONLINEAR] {
        let problem = read(text);
        let one = bits(&solve(&problem, &with(1, 0)));
        for threads in [2, 3, 0] {
            let other = bits(&solve(&problem, &with(threads, 0)));
            assert!(one == other, "{threads} threads\n{text}");
        }
    }
}

#[test]
fn a_seed_twice_and_another() {
    for text in [LINEAR, NONLINEAR] {
        let problem = read(text);
        let run = |seed| bits(&solve(&problem, &with(1, seed)));
        let (first, again, other) = (run(5), run(5), run(6));
        assert!(first == again, "{text}");
        assert!(first != other, "{text}");
    }
}
