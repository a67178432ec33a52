//! Every built-in problem is read, and its exact solution solves it.

use super::at_exact;
use rafnet::domain::{Draw, Sampler};
use rafnet::expr::{Leaf, larger};
use rafnet::problem::{Extent, Problem};

#[test]
fn every_one_is_read_and_says_what_it_teaches() {
    let names = Problem::builtin_names();
    assert!(names.len() >= 28);
    for (name, about) in names {
        let problem = Problem::builtin(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(problem.name, name);
        assert_eq!(problem.about, about, "{name}");
        assert!(
            (20..110).contains(&about.chars().count()),
            "{name}: {about}"
        );
        assert!(problem.warnings().is_empty(), "{name}");
    }
}

#[test]
fn the_folder_holds_nothing_else() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/problems");
    let files = std::fs::read_dir(folder).expect("the folder of problems");
    let mut stems: Vec<String> = files
        .map(|file| file.expect("a file").path())
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    stems.sort();
    let mut names: Vec<&str> = Problem::builtin_names()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    assert_eq!(stems, names);
}

/// The exact solution makes every equation and condition zero, up to rounding in the largest of its terms.
#[test]
fn exact_solutions_solve() {
    for (name, _) in Problem::builtin_names() {
        let problem = Problem::builtin(name).expect("it is read");
        let unknown = problem.exact.iter().any(Option::is_none);
        if unknown || !problem.sought.is_empty() {
            continue;
        }
        let draw = Draw::new(Sampler::Random, 1);
        let dimension = problem.coordinates.len();
        let inside = problem.domain.interior(50, &draw).expect("points inside");
        for point in inside.chunks(dimension) {
            for equation in &problem.equations {
                let size = largest_jet(&problem, equation, point);
                let residual = at_exact(&problem, equation, point, &[]);
                // ten or so operations a term, amplified by 1/r and the like
                assert!(
                    residual.abs() <= 1e-11 * size,
                    "{name}: {residual:e} at {point:?}"
                );
            }
        }
        for condition in &problem.conditions {
            let on = problem
                .domain
                .boundary(&condition.pieces, 20, &draw)
                .expect("points on it");
            for (point, normal) in on
                .points
                .chunks(dimension)
                .zip(on.normals.chunks(dimension))
            {
                let residual = at_exact(&problem, &condition.residual, point, normal);
                assert!(residual.abs() <= 1e-12, "{name}: {residual:e} at {point:?}");
            }
        }
        for constraint in &problem.constraints {
            let off = |point: &[f64]| {
                at_exact(&problem, &constraint.of, point, &[])
                    - at_exact(&problem, &constraint.equals, point, &[])
            };
            if let Extent::Point(at) = &constraint.over {
                assert!(off(at).abs() < 1e-12, "{name}: {}", off(at));
                continue;
            }
            assert_eq!(constraint.over, Extent::Mean, "{name}");
            // a mean at every time is one over all of it, too
            let points = problem
                .domain
                .interior(1 << 14, &Draw::new(Sampler::Lattice, 0))
                .expect("points");
            let average = points.chunks(dimension).map(off).sum::<f64>() / f64::from(1 << 14);
            assert!(average.abs() < 1e-3, "{name}: {average}");
        }
    }
}

/// The largest |∂r/∂u_…·u_…|, at least 1.
fn largest_jet(problem: &Problem, equation: &rafnet::expr::Expr, point: &[f64]) -> f64 {
    let sizes = equation.jets().into_iter().map(|jet| {
        let leaf = Leaf::Jet(jet);
        let term = equation.partial(&leaf) * rafnet::expr::Expr::leaf(leaf);
        at_exact(problem, &term, point, &[]).abs()
    });
    sizes.fold(1.0, larger)
}

#[test]
fn the_inverse_problem_fits_its_data() {
    let problem = Problem::builtin("inverse-diffusivity").expect("it is read");
    assert_eq!(
        (problem.sought[0].name.as_str(), problem.sought[0].start),
        ("k", 1.0)
    );
    let data = &problem.data[0];
    assert_eq!(data.values.len(), 20);
    for (point, value) in data.points.chunks(2).zip(&data.values) {
        super::close(
            at_exact(&problem, &data.observe, point, &[]),
            *value,
            1.0,
            4.0,
        );
    }
}

#[test]
fn networks_of_the_position_tests_are_named() {
    let problem = Problem::builtin("oscillation-scaled-last-cos").expect("it is read");
    let options: Vec<(&str, &str)> = problem
        .options
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    assert_eq!(
        options,
        [
            ("width", "100"),
            (
                "activation",
                "poly-sine,poly-sine,poly-sine,scaled-sine-cosine"
            )
        ]
    );
}
