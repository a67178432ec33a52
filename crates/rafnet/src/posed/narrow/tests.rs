//! Features drawn at random are found where they are and as wide as they are; smooth texts have none.
//!
//! Places and widths come from SplitMix64 with the seed that a test names. A Gaussian exp(−((x − a)/s)²) is 2√(log 2) s ≈ 1.67 s wide
//! at half its height.

use super::{Looks, Narrow};
use crate::domain::{Draw, Sampler};
use crate::expr::{larger, smaller};
use crate::problem::{Owner, Place, Problem, Shape};

struct Numbers(u64);

impl Numbers {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// A width between two, log-uniform.
    fn width(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }
}

fn problem(text: &str) -> Problem {
    Problem::from_text(text, "narrow.toml", None).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn search(problem: &Problem) -> Narrow {
    let looks = Looks::of(problem, &Draw::new(Sampler::Sobol, 0));
    Narrow::search(problem, &looks.expect("points"))
}

/// A box [0, 1]^m with −Δu = source.
fn poisson(m: usize, source: &str) -> Problem {
    let axes: Vec<String> = NAMES[..m]
        .iter()
        .map(|x| format!("{x} = [0, 1]\n"))
        .collect();
    let axes = axes.concat();
    problem(&format!(
        "[domain]\nkind = \"box\"\n{axes}[equation]\nresidual = \"-laplacian(u) - ({source})\"\n\
         [[boundary]]\non = \"all\"\ndirichlet = 0\n"
    ))
}

const NAMES: [&str; 4] = ["x", "y", "z", "w"];

/// The place nearest to a point; widths are measured in those of the truth.
fn nearest<'a>(narrow: &'a Narrow, at: &[Option<f64>]) -> Option<&'a Place> {
    let away = |place: &&Place| {
        let pairs = place.at.iter().zip(at);
        pairs
            .map(|(a, b)| (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs())
            .fold(0.0, larger)
    };
    narrow
        .places
        .iter()
        .min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// Within a width of the truth, and as wide to a factor of 3.
fn assert_found(narrow: &Narrow, at: &[Option<f64>], width: &[f64], what: &str) {
    let place = nearest(narrow, at).unwrap_or_else(|| panic!("{what}: nothing of {at:?}"));
    for (k, truth) in at.iter().enumerate() {
        let Some(truth) = truth else {
            assert_eq!((place.at[k], place.width[k]), (None, None), "{what}");
            continue;
        };
        let (found, wide) = (
            place.at[k].expect("a place"),
            place.width[k].expect("a width"),
        );
        assert!(
            (found - truth).abs() < width[k],
            "{what}: at {found} for {truth}"
        );
        assert!(
            (width[k] / 3.0..3.0 * width[k]).contains(&wide),
            "{what}: {wide} for {}",
            width[k]
        );
    }
}

const FULL_WIDTH: f64 = 1.665;

/// Seed 1; widths log-uniform in [1e-6, 1e-4] on a line and [1e-6, 1e-2] beyond: what is wider on a line holds some of the 600 points.
#[test]
fn peaks_in_one_to_four_coordinates() {
    let mut numbers = Numbers(1);
    let waves = ["1", "sin(3*x)", "(2 + cos(20*x))", "exp(x)"];
    for case in 0..32 {
        let m = 1 + case % 4;
        let widest = if m == 1 { 1e-4 } else { 1e-2 };
        let s = numbers.width(1e-6, widest);
        let at: Vec<f64> = (0..m).map(|_| numbers.between(0.05, 0.95)).collect();
        let square = |k: usize| format!("(({} - {:e})/{s:e})^2", NAMES[k], at[k]);
        let squares: Vec<String> = (0..m).map(square).collect();
        let source = format!(
            "sin(pi*x) + {}*exp(-({}))",
            waves[case / 4 % 4],
            squares.join(" + ")
        );
        let narrow = search(&poisson(m, &source));
        let at: Vec<Option<f64>> = at.into_iter().map(Some).collect();
        assert_found(
            &narrow,
            &at,
            &vec![FULL_WIDTH * s; m],
            &format!("case {case}: {source}"),
        );
        assert_eq!(narrow.places.len(), 1, "case {case}: {:?}", narrow.places);
        assert_eq!(narrow.places[0].owner, Owner::Residual(0));
        assert_eq!(narrow.places[0].shape, Shape::Peak);
    }
}

/// Seed 2: exp(−((x + b y − c)/s)²) is met on its line, and as wide along x as it is.
#[test]
fn oblique_strips() {
    let mut numbers = Numbers(2);
    for case in 0..8 {
        let s = numbers.width(1e-6, 1e-4);
        let (b, c) = (numbers.between(0.5, 1.5), numbers.between(0.6, 1.1));
        let source = format!("exp(-((x + {b:e}*y - {c:e})/{s:e})^2)");
        let narrow = search(&poisson(2, &source));
        assert!(!narrow.places.is_empty(), "case {case}: {source}");
        for place in &narrow.places {
            let [x, y] = [0, 1].map(|k: usize| place.at[k].expect("a place"));
            assert!(
                (x + b * y - c).abs() < FULL_WIDTH * s,
                "case {case}: {x} {y}"
            );
            let wide = place.width[0].expect("a width") / (FULL_WIDTH * s);
            assert!((1.0 / 3.0..3.0).contains(&wide), "case {case}: {wide}");
        }
    }
}

/// Seed 3: an impulse in time, a spike in a boundary value, a narrow initial pulse, a thin strip in a coefficient (smooth and not),
/// a weight of a report; each is said of its own text.
#[test]
fn features_of_every_kind_of_text() {
    let mut numbers = Numbers(3);
    for case in 0..4 {
        let s = numbers.width(1e-6, 1e-4);
        let a = numbers.between(0.1, 0.9);
        let peak = |x: &str| format!("exp(-(({x} - {a:e})/{s:e})^2)");
        let heat = |source: &str, initial: &str, edge: &str, coefficient: &str| {
            problem(&format!(
                "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[equation]\n\
                 residual = \"u_t - ({coefficient})*u_xx - ({source})\"\n[[initial]]\nu = \"{initial}\"\n\
                 [[boundary]]\non = \"x=0\"\ndirichlet = \"{edge}\"\n[[boundary]]\non = \"x=1\"\ndirichlet = 0\n"
            ))
        };
        let (plain, flat) = ("sin(pi*x)*exp(-t)", "sin(pi*x)");
        let strip = format!("where(abs(x - {a:e}) < {s:e}, 10, 1)");
        let smooth = format!("1 + 9*{}", peak("x"));
        let (x, t) = ([Some(a), None], [None, Some(a)]);
        for (problem, at, width, said) in [
            (
                heat(&peak("t"), flat, "0", "1"),
                t,
                FULL_WIDTH * s,
                "the source has a peak",
            ),
            (
                heat(plain, flat, &peak("t"), "1"),
                t,
                FULL_WIDTH * s,
                "the boundary value has a peak",
            ),
            (
                heat(plain, &peak("x"), "0", "1"),
                x,
                FULL_WIDTH * s,
                "the initial value has a peak",
            ),
            (
                heat(plain, flat, "0", &strip),
                x,
                2.0 * s,
                "a coefficient has a peak",
            ),
            (
                heat(plain, flat, "0", &smooth),
                x,
                FULL_WIDTH * s,
                "a coefficient has a peak",
            ),
        ] {
            let narrow = search(&problem);
            assert_found(&narrow, &at, &[width; 2], &format!("case {case}: {said}"));
            let sentence = narrow.places[0].sentence(&problem);
            assert!(sentence.starts_with(said), "case {case}: {sentence}");
            assert_eq!(narrow.places.len(), 1, "case {case}: {sentence}");
        }
    }
}

/// Seed 4: two peaks on one sine, the second half as high.
#[test]
fn two_peaks_of_one_text() {
    let mut numbers = Numbers(4);
    for case in 0..8 {
        let [s, r] = [0, 1].map(|_| numbers.width(1e-6, 1e-4));
        let (a, b) = (numbers.between(0.1, 0.45), numbers.between(0.55, 0.9));
        let peaks = format!("exp(-((x - {a:e})/{s:e})^2) + 0.5*exp(-((x - {b:e})/{r:e})^2)");
        let narrow = search(&poisson(1, &format!("sin(pi*x)*(1 + {peaks})")));
        for (at, width) in [(a, s), (b, r)] {
            assert_found(
                &narrow,
                &[Some(at)],
                &[FULL_WIDTH * width],
                &format!("case {case}"),
            );
        }
        assert_eq!(narrow.places.len(), 2, "case {case}: {:?}", narrow.places);
    }
}

/// Seed 5, widths in [1e-6, 1e-5], so that none of the 600 points happens to lie in one: tanh((x − a)/s) has no value that its ends do
/// not have; its slope is 1.76 s wide. A layer along a circle is met on the circle.
#[test]
fn steps() {
    let mut numbers = Numbers(5);
    for case in 0..8 {
        let s = numbers.width(1e-6, 1e-5);
        let a = numbers.between(0.1, 0.9);
        let problem = poisson(1, &format!("tanh((x - {a:e})/{s:e}) + sin(pi*x)"));
        let narrow = search(&problem);
        assert_found(&narrow, &[Some(a)], &[1.763 * s], &format!("case {case}"));
        assert_eq!(narrow.places[0].shape, Shape::Step);
        let round = search(&poisson(2, &format!("tanh((x^2 + y^2 - {a:e})/{s:e})")));
        assert!(!round.places.is_empty(), "case {case}");
        for place in &round.places {
            let [x, y] = [0, 1].map(|k: usize| place.at[k].expect("a place"));
            assert!(
                (x * x + y * y - a).abs() < 6.0 * s,
                "case {case}: {place:?}"
            );
        }
    }
}

#[test]
fn smooth_and_kinked_texts_have_no_narrow_place() {
    for source in [
        "sin(pi*x)*sin(pi*y)",
        "sin(40*pi*x)*sin(40*pi*y)",
        "sin(300*x)",
        "where(x < 0.3, 1, 2)",
        "abs(x - 0.3)*abs(y - 0.7)",
        "sqrt((x - 0.3)^2 + (y - 0.6)^2)",
        "sqrt(x) + cbrt(y - 0.5)",
        "exp(50*(x - 1))*y",
        "tanh(20*(x - 0.5))",
        "exp(-100*((x - 0.4)^2 + (y - 0.4)^2))",
        "1/(1 + 25*x^2)",
        "sin(x)/x",
        "sin(x)^2 + cos(x)^2",
        "floor(3*x) + mod(5*y, 1)",
    ] {
        let narrow = search(&poisson(2, source));
        assert!(narrow.places.is_empty(), "{source}: {:?}", narrow.places);
    }
    for (name, _) in Problem::builtin_names() {
        let problem = Problem::builtin(name).expect("a built-in problem");
        let narrow = search(&problem);
        assert!(narrow.places.is_empty(), "{name}: {:?}", narrow.places);
    }
}

#[test]
fn what_is_infinite_is_called_singular() {
    let problem = poisson(2, "1/sqrt((x - 0.3)^2 + (y - 0.6)^2)");
    let narrow = search(&problem);
    let place = nearest(&narrow, &[Some(0.3), Some(0.6)]).expect("a place");
    assert!(place.singular);
    let sentence = place.sentence(&problem);
    assert!(
        sentence.starts_with("the source is singular at x = 0.3"),
        "{sentence}"
    );
}

/// Points on both sides of a place at every distance, in the domain; the coordinate that the text does not name is anywhere.
#[test]
fn points_and_breaks_of_a_place() {
    let problem = poisson(2, "exp(-((x - 0.3)/1e-5)^2)");
    let narrow = search(&problem);
    let place = &narrow.places[0];
    let width = place.width[0].expect("a width");
    let points = place
        .points(&problem, 256, &Draw::new(Sampler::Sobol, 7))
        .expect("points");
    assert_eq!(points.len(), 2 * 256);
    let distances: Vec<f64> = points
        .chunks_exact(2)
        .map(|x| (x[0] - 0.3) / width)
        .collect();
    for (low, high) in [(0.2, 1.0), (1.0, 5.0), (5.0, 31.0)] {
        for sign in [-1.0, 1.0] {
            let within = distances
                .iter()
                .filter(|d| (low..high).contains(&(sign * **d)));
            assert!(within.count() > 20, "{low} {high} {sign}");
        }
    }
    let far = points.chunks_exact(2).filter(|x| x[1] > 0.5).count();
    assert!((100..156).contains(&far));
    let [low, high] = place.breaks(&problem, 0).expect("narrow along x");
    assert!(low < 0.3 && 0.3 < high && (high - low - 8.0 * width).abs() < 1e-9);
    assert!(place.breaks(&problem, 1).is_none());
    assert_eq!(
        place.sentence(&problem),
        "the source has a peak of width 2e-5 at x = 0.30000"
    );
}

/// Pieces end where nothing is left: exp((x − 1)/s) is rounding at a distance of log(1/ε) s, where a Gaussian of that width has long been zero.
#[test]
fn a_long_tail_ends_further_away() {
    let problem = poisson(2, "exp((x - 1)/1e-3)");
    let narrow = search(&problem);
    let [low, high] = narrow.places[0].breaks(&problem, 0).expect("a layer");
    let tail = -f64::EPSILON.ln() * 1e-3;
    assert!(((1.0 - low) / tail - 1.0).abs() < 0.1, "{low}");
    assert!((high - 1.0).abs() < 1e-12);
}

/// A wave or two leave nothing open; a source of forty half-waves along both axes, squared with an offset, takes more boxes than there are.
#[test]
fn what_could_not_be_excluded_is_said() {
    let slow = search(&poisson(2, "sin(pi*x) + cos(3*y)"));
    assert!(slow.excluded && slow.boxes < 5_000, "{}", slow.boxes);
    let fast = search(&Problem::builtin("super-oscillation").expect("a built-in problem"));
    assert!(!fast.excluded && fast.places.is_empty());
}

/// Seed 9: a slanted strip is one place with its normal, however many boxes it crosses; a step across it too. Points lie around it, from end
/// to end, and no cut is made for it.
#[test]
fn slanted_strips_are_one_place() {
    let mut numbers = Numbers(9);
    for case in 0..6 {
        let s = numbers.width(1e-6, 1e-4);
        let turn = numbers.between(0.3, 1.2);
        let (n, a) = ([turn.cos(), turn.sin()], numbers.between(0.4, 0.9));
        let across = format!("({:e}*x + {:e}*y - {a:e})/{s:e}", n[0], n[1]);
        for (text, wide, shape) in [
            (format!("exp(-({across})^2)"), 1.665, Shape::Peak),
            (format!("tanh({across}) + x"), 1.763, Shape::Step),
        ] {
            let problem = poisson(2, &text);
            let narrow = search(&problem);
            assert_eq!(narrow.places.len(), 1, "case {case}: {text}");
            let place = &narrow.places[0];
            let strip = place.across.as_ref().expect("a strip");
            let off = strip.normal.iter().zip(n).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, larger) < 0.1 * s, "case {case}: {strip:?}");
            assert!((strip.offset - a).abs() < s, "case {case}: {strip:?}");
            assert!(
                (strip.width / (wide * s) - 1.0).abs() < 0.2,
                "case {case}: {strip:?}"
            );
            assert_eq!(place.shape, shape);
            assert!(place.breaks(&problem, 0).is_none());
            let points = place.points(&problem, 400, &Draw::new(Sampler::Sobol, 7));
            let points = points.expect("points");
            let away: Vec<f64> = points.chunks_exact(2).map(|x| strip.away(x)).collect();
            let within = |w: f64| away.iter().filter(|a| a.abs() < w * strip.width).count();
            assert!(within(0.3) > 5 && within(4.0) > away.len() / 2);
            assert_eq!(within(31.0), away.len());
            let first = points.chunks_exact(2).map(|x| x[0]);
            let [low, high] = [first.clone().fold(1.0, smaller), first.fold(0.0, larger)];
            // the chord through the square
            let at = |y: f64| ((a - n[1] * y) / n[0]).clamp(0.0, 1.0);
            let [from, to] = [at(1.0), at(0.0)];
            assert!(
                low < from + 0.1 && high > to - 0.1,
                "{low} {high}, {from} {to}"
            );
        }
    }
}
