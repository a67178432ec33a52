//! How good a solution is, at points that no solver sees.
//!
//! ```text
//! residual of a block = rms(r) / min( own terms, FAR · implied terms )                  the worst block counts
//! own terms           = rms( Σ_α |∂r/∂(D^α u) · D^α u| + |what is left of r| )
//! implied terms       : the same for the solution that the data imply ([`given`](super::given)), whatever the candidate
//! ```
//!
//! so that the figure means digits, whatever the units. Own terms are what the solution's are once a candidate is near it. They grow with a
//! candidate that explodes, and its residual over them would look like none; that is why they count up to FAR times the implied ones only.
//! They are never taken as smaller than those of a function that changes by its own size over half the domain. For a condition the
//! terms are also looked at inside, or zero data on zero values would count as no agreement at all.

use super::{Block, Distance, JetColumns, Kind, Purpose, Residual, System};
use crate::domain::{DomainError, Draw};
use crate::expr::{Expr, Leaf, larger, largest, smaller};

/// Held-out points.
pub(crate) struct Judge {
    pub(crate) blocks: Vec<Block>,
    /// For each block its implied terms.
    implied: Vec<f64>,
    /// For each block of a condition points inside.
    inner: Vec<Option<Block>>,
    /// Points inside, and each unknown itself: how large it is.
    inside: Block,
    values: Vec<Residual>,
    /// How large the data imply each unknown to be.
    sizes: Vec<f64>,
}

/// What the judge found.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// The worst block's residual relative to its terms.
    pub(crate) residual: f64,
    /// The worst block's residual relative to the terms of a function as large as the candidate that changes over half the domain, up to
    /// one: the error, if it is of the slowest kind. It is relative to the size that the data imply where the candidate is larger.
    pub(crate) slow: f64,
    /// What the error is at least: an equation without derivatives, r(u) = 0, has r ≈ ∂r/∂u · error at every point.
    pub(crate) least: Distance,
    /// Root mean squares: equations, boundary, initial, data; `None` where there are none.
    pub(crate) rms: [Option<f64>; 4],
    /// Σ (misfit/σ)² over observations with known noise, and how many these are.
    pub(crate) chi_squared: Option<(f64, usize)>,
    /// Where the worst block is worst.
    pub(crate) worst: Option<Worst>,
}

/// A place where a residual is largest.
#[derive(Clone, Debug)]
pub(crate) struct Worst {
    /// Which residual, an index into the system's list.
    pub(crate) residual: usize,
    pub(crate) point: Vec<f64>,
}

/// Held-out points inside while searching, and for what is said of the answer: a search that takes the best of many attempts would else
/// report the one whose flaws fall between the points. Half as many lie on the edge.
pub(crate) const SEARCHING: usize = 600;
pub(crate) const EXAMINING: usize = 4_000;
/// A solution with a larger held-out residual may be anything: waves that are not resolved have no size of their own.
pub(crate) const UNRESOLVED: f64 = 1e-3;
/// Points inside at which a solution's size is looked at.
const SIZED: usize = 64;
/// Observations whose misfit is this many times their noise are explained, and few of them by what noise comes to by chance: χ²/n has a mean of 1
/// and a variance of 2/n, of which root so many times are allowed.
const EXPLAINED: f64 = 1.5;
const BY_CHANCE: f64 = 5.0;
/// How many times the terms that the data imply a candidate's own may be: layers, singular corners and growth are steeper than the
/// data show.
const FAR: f64 = 1e3;

impl Judge {
    /// Draws the points.
    pub(crate) fn new(system: &System, inside: usize, draw: &Draw) -> Result<Self, DomainError> {
        Self::of_local(system, [inside, SIZED], draw)
    }

    /// The same with so many points for the size of a solution: one that is small nearly everywhere is large between few.
    pub(crate) fn of_local(
        system: &System,
        [inside, sized]: [usize; 2],
        draw: &Draw,
    ) -> Result<Self, DomainError> {
        let blocks = system.blocks(inside, inside / 2, &draw.held_out(), &[])?;
        let sizing = draw.round(Purpose::Sized.round()).held_out();
        let mut points = system.problem.domain.interior(sized, &sizing)?;
        // a pulse is large between few points, or at none of them
        points.extend(system.at_places(sized, &sizing)?);
        let inner = |block: &Block| {
            let kind = system.residuals[block.residual].kind;
            matches!(kind, Kind::Boundary | Kind::Initial)
                .then(|| Block::new(block.residual, system.known.sites(&points)))
        };
        let d = system.known.dimension;
        let value = |u| Residual::new(Kind::Equation, &Expr::leaf(Leaf::jet(u, &[])), d, 0);
        let implied = blocks.iter().map(|b| system.implied(b));
        let implied: Vec<f64> = implied.collect::<Result<_, _>>()?;
        Ok(Self {
            implied,
            sizes: system.sizes()?.to_vec(),
            inner: blocks.iter().map(inner).collect(),
            inside: Block::new(0, system.known.sites(&points)),
            values: (0..system.problem.unknowns.len()).map(value).collect(),
            blocks,
        })
    }

    /// Judges a solution by its jets.
    pub(crate) fn verdict(
        &self,
        system: &System,
        sought: &[f64],
        jets: impl Fn(&Residual, &Block) -> JetColumns,
    ) -> Verdict {
        let mut verdict = Verdict {
            residual: 0.0,
            slow: 0.0,
            least: Distance::default(),
            rms: [None; 4],
            chi_squared: None,
            worst: None,
        };
        let size_of = |value: &Residual| rms(&jets(value, &self.inside)[0]);
        let sizes: Vec<f64> = self.values.iter().map(size_of).collect();
        let bounds = system.problem.domain.bounds();
        for ((block, inner), implied) in self.blocks.iter().zip(&self.inner).zip(&self.implied) {
            let residual = &system.residuals[block.residual];
            let columns = jets(residual, block);
            let response = residual.respond(block, &columns, sought);
            let rows = block.rows(&response[0]);
            let rms = rms(&rows);
            let mut own = terms(&response, &columns);
            if let Some(inner) = inner {
                own = larger(own, inner_terms(&response, &jets(residual, inner)));
            }
            let of_function = |jets: &dyn Fn(&[usize]) -> bool| {
                natural(residual, &response, &sizes, bounds, jets)
            };
            let natural = of_function(&|_| true);
            own = larger(own, natural);
            let size = match FAR * implied {
                far if far > 0.0 => smaller(own, far),
                _ => own, // nothing but zero is given: the candidate has the only size there is
            };
            let relative = if size == 0.0 { rms } else { rms / size };
            if let Some(sigma) = block.noise {
                let (sum, n) = verdict.chi_squared.unwrap_or_default();
                let square: f64 = rows.iter().map(|r| (r / sigma).powi(2)).sum();
                verdict.chi_squared = Some((sum + square, n + rows.len()));
            }
            let explained = (block.noise).is_some_and(|sigma| is_noise(rms / sigma, rows.len()));
            if !relative.is_finite() {
                verdict.residual = f64::INFINITY;
            } else if !explained && relative > verdict.residual {
                verdict.residual = relative;
                verdict.worst = worst(block, &response[0]);
            }
            // an error that is carried along grows with time, however large the terms are that carry it
            let in_time = |axes: &[usize]| system.problem.time.is_some_and(|t| axes.contains(&t));
            let slowest = match of_function(&in_time) {
                0.0 => natural,
                terms => terms,
            };
            if !explained && slowest != 0.0 {
                verdict.slow = larger(verdict.slow, rms / slowest);
            }
            if residual.kind == Kind::Equation && is_plain(residual, system.problem.n_own()) {
                verdict.least = verdict.least.max(misfit(&response, &columns));
            }
            let place = match residual.kind {
                Kind::Equation | Kind::Constraint => 0,
                Kind::Boundary => 1,
                Kind::Initial => 2,
                Kind::Data => 3,
            };
            verdict.rms[place] = Some(larger(verdict.rms[place].unwrap_or(0.0), rms));
        }
        let known = sizes.iter().zip(&self.sizes).filter(|s| *s.1 > 0.0);
        let swollen = known.map(|(own, implied)| own / implied);
        let swollen = swollen.filter(|s| !s.is_infinite()).fold(1.0, larger);
        verdict.slow = smaller(verdict.slow, 1.0) * swollen;
        verdict
    }
}

/// The largest size of all; NaN where one is.
pub(super) fn sup(values: &[f64]) -> f64 {
    largest(values.iter().map(|v| v.abs()))
}

/// The root mean square, of numbers whose squares need not be numbers.
pub(crate) fn rms(values: &[f64]) -> f64 {
    let largest = sup(values);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let mean = values.iter().map(|v| (v / largest).powi(2)).sum::<f64>() / values.len() as f64;
    largest * mean.sqrt()
}

/// The point of a block where its residual is largest.
fn worst(block: &Block, r: &[f64]) -> Option<Worst> {
    let largest = (0..r.len()).max_by(|i, j| r[*i].abs().total_cmp(&r[*j].abs()))?;
    Some(Worst {
        residual: block.residual,
        point: block.sites.coordinates.iter().map(|x| x[largest]).collect(),
    })
}

/// The root mean square of Σ|∂r/∂(D^α u) D^α u| + |what is left of r|.
fn terms(response: &[Vec<f64>], jets: &[Vec<f64>]) -> f64 {
    let size = |i: usize| {
        let (mut size, mut total) = (0.0, 0.0);
        for (jet, partial) in jets.iter().zip(&response[1..]) {
            let term = jet[i] * partial[i];
            (size, total) = (size + f64::abs(term), total + term);
        }
        size + (response[0][i] - total).abs()
    };
    rms(&(0..response[0].len()).map(size).collect::<Vec<f64>>())
}

/// Whether a residual reads values of the file's own unknowns alone.
fn is_plain(residual: &Residual, own: usize) -> bool {
    let mut jets = residual.jets.iter();
    jets.all(|(unknown, axes)| axes.is_empty() && *unknown < own)
}

/// r over Σ|∂r/∂u| |u|, for values u: how far they are from meeting it, over their own size.
fn misfit(response: &[Vec<f64>], values: &[Vec<f64>]) -> Distance {
    let of = |size: fn(&[f64]) -> f64| {
        let terms = values.iter().zip(&response[1..]);
        let whole: f64 = terms.map(|(u, partial)| rms(partial) * size(u)).sum();
        // where everything is zero there is nothing to be off from
        if whole == 0.0 {
            0.0
        } else {
            size(&response[0]) / whole
        }
    };
    Distance {
        l2: of(rms),
        linf: of(sup),
    }
}

/// The same with jets inside and the mean sizes of the partial derivatives on the edge: the text of a condition is evaluated on
/// its own set only.
fn inner_terms(response: &[Vec<f64>], jets: &[Vec<f64>]) -> f64 {
    let n = jets.first().map_or(0, Vec::len);
    let factors: Vec<f64> = response[1..].iter().map(|p| mean(p)).collect();
    let size = |i: usize| {
        let terms = jets.iter().zip(&factors).map(|(jet, f)| f * jet[i].abs());
        terms.sum::<f64>()
    };
    rms(&(0..n).map(size).collect::<Vec<f64>>())
}

/// What the terms amount to for functions that change by their own size over half the domain: Σ mean|∂r/∂(D^α u)| |u| / h^α over the chosen jets. It counts
/// where every term of the solution itself vanishes, as those of a linear function do in Laplace's equation.
fn natural(
    residual: &Residual,
    response: &[Vec<f64>],
    sizes: &[f64],
    bounds: &[[f64; 2]],
    jets: &dyn Fn(&[usize]) -> bool,
) -> f64 {
    let term = |((unknown, axes), partial): (&(usize, Vec<usize>), &Vec<f64>)| {
        let halves = axes.iter().map(|&k| 0.5 * (bounds[k][1] - bounds[k][0]));
        halves.fold(mean(partial) * sizes[*unknown], |size, half| size / half)
    };
    let all = residual.jets.iter().zip(&response[1..]);
    all.filter(|((_, axes), _)| jets(axes)).map(term).sum()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().map(|v| v.abs()).sum::<f64>() / values.len().max(1) as f64
}

/// Whether noise explains so many observations whose misfit has this mean square root, in units of the noise.
fn is_noise(misfit: f64, n: usize) -> bool {
    let by_chance = 1.0 + BY_CHANCE * (2.0 / n as f64).sqrt();
    misfit <= larger(EXPLAINED, by_chance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::{Block, Judge, Residual, System, is_noise, misfit};
    use crate::domain::{Draw, Sampler};
    use crate::posed::Narrow;
    use crate::problem::Problem;

    /// Of five observations with noise of the size that is said, one set in twenty has χ² > 11; of nineteen, one in two thousand has χ² > 45. Ten times the
    /// noise is none.
    #[test]
    fn few_observations_may_be_far_by_chance() {
        let misfit = |chi_squared: f64, n: usize| is_noise((chi_squared / n as f64).sqrt(), n);
        assert!(misfit(11.0, 5) && misfit(20.0, 5) && misfit(45.0, 19));
        assert!(!misfit(25.0, 5) && !misfit(60.0, 19));
        assert!(misfit(2000.0, 1000) && !misfit(2400.0, 1000));
        assert!(!is_noise(10.0, 2) && !is_noise(f64::NAN, 5));
    }

    /// u = a·x + a²t solves u_t = u_x² whatever a is: only the data say that a is 1. An enormous a has enormous terms, over which its
    /// misfit on the boundary is nothing; over those that the data imply it is enormous too.
    #[test]
    fn an_enormous_candidate_is_judged_by_the_data() {
        let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_x^2\"\n\
                    [[initial]]\nu = \"x\"\n[[boundary]]\non = \"x=0\"\ndirichlet = \"t\"\n";
        let problem = Problem::from_text(text, "wave.toml", None).expect("a problem");
        let system = System::new(problem, crate::engine::Device::default());
        let judge = Judge::new(&system, 100, &system.draw(0)).expect("points");
        let residual = |a: f64| {
            let jets = |residual: &Residual, block: &Block| {
                let points = 0..block.sites.n;
                let jet = |axes: &[usize], i: usize| match axes {
                    [] => a * block.sites.coordinates[0][i] + a * a * block.sites.coordinates[1][i],
                    [0] => a,
                    [1] => a * a,
                    _ => 0.0,
                };
                let column = |axes: &[usize]| points.clone().map(|i| jet(axes, i)).collect();
                residual.jets.iter().map(|(_, axes)| column(axes)).collect()
            };
            judge.verdict(&system, &[], jets).residual
        };
        assert!(residual(1.0) < 1e-15);
        assert!((0.01..10.0).contains(&residual(2.0)), "{}", residual(2.0));
        for a in [1e8, 1e20, 1e70] {
            assert!(residual(a) > 1.0, "{a:e}: {}", residual(a));
        }
    }

    /// A pulse of width w spreads: u = exp(−z²/s)/√(πs), s = w² + 4Dt. What u_t misses by 1e-7 of itself is a residual of that size, around the pulse
    /// and away from it, however narrow it starts, though evenly spread points of the initial value see nothing of it.
    #[test]
    fn a_narrow_initial_value_is_judged_by_its_own_terms() {
        let (a, d) = (0.412_345_67, 0.01);
        for w in [1e-2, 1e-4, 1e-6] {
            let text = format!(
                "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 0.5]\ntime = \"t\"\n[equation]\nresidual = \"u_t - {d}*u_xx\"\n\
                 [[initial]]\nu = \"exp(-((x - {a})/{w})^2)/(sqrt(pi)*{w})\"\n[[boundary]]\non = \"x\"\nneumann = 0\n"
            );
            let mut problem = Problem::from_text(&text, "pulse.toml", None).expect("a problem");
            let draw = Draw::new(Sampler::Sobol, 0);
            problem.places = Narrow::of(&problem, &draw).expect("points").places;
            let system = System::new(problem, crate::engine::Device::default());
            let judge = Judge::new(&system, 400, &system.draw(0)).expect("points");
            let jets = |residual: &Residual, block: &Block| {
                let jet = |axes: &[usize], i: usize| {
                    let [x, t] = [0, 1].map(|k| block.sites.coordinates[k][i]);
                    let (z, s) = (x - a, w * w + 4.0 * d * t);
                    let u = (-z * z / s).exp() / (std::f64::consts::PI * s).sqrt();
                    match axes {
                        [] => u,
                        [0, 0] => u * (4.0 * z * z / s - 2.0) / s,
                        [1] => d * u * (4.0 * z * z / s - 2.0) / s * (1.0 + 1e-7),
                        _ => 0.0,
                    }
                };
                let column = |axes: &[usize]| (0..block.sites.n).map(|i| jet(axes, i)).collect();
                residual.jets.iter().map(|(_, axes)| column(axes)).collect()
            };
            let residual = judge.verdict(&system, &[], jets).residual;
            assert!((1e-8..1e-6).contains(&residual), "{w:e}: {residual:e}");
        }
    }

    /// u = x solves u_xx = 0 between 0 and 1: a jet that is no number at one point of one block leaves no small residual and no slow error.
    #[test]
    fn one_jet_that_is_no_number_is_not_small() {
        let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx\"\n[[boundary]]\non = \"all\"\ndirichlet = \"x\"\n";
        let problem = Problem::from_text(text, "line.toml", None).expect("a problem");
        let system = System::new(problem, crate::engine::Device::default());
        let judge = Judge::new(&system, 100, &system.draw(0)).expect("points");
        let verdict = |of: Option<usize>| {
            let jets = |residual: &Residual, block: &Block| {
                let jet = |axes: &[usize], i: usize| match axes {
                    _ if i == 0 && Some(residual.jets[0].1.len()) == of => f64::NAN,
                    [] => block.sites.coordinates[0][i],
                    [0] => 1.0,
                    _ => 0.0,
                };
                let column = |axes: &[usize]| (0..block.sites.n).map(|i| jet(axes, i)).collect();
                residual.jets.iter().map(|(_, axes)| column(axes)).collect()
            };
            judge.verdict(&system, &[], jets)
        };
        assert!(verdict(None).residual < 1e-15 && verdict(None).slow < 1e-15);
        // in the equation, and in the condition and the size of u
        for order in [2, 0] {
            let found = verdict(Some(order));
            assert!(!found.residual.is_finite(), "{order}: {found:?}");
            assert!(found.slow.is_nan(), "{order}: {found:?}");
            let place = usize::from(order == 0);
            assert!(found.rms[place].is_some_and(f64::is_nan), "{found:?}");
        }
    }

    /// Values that miss r = u − 2 by half of their size; with NaN in any input the distance is none.
    #[test]
    fn a_misfit_that_is_no_number_is_not_zero() {
        let of = |r: f64, partial: f64, u: f64| {
            let found = misfit(&[vec![r, -1.0], vec![partial, 1.0]], &[vec![u, 1.0]]);
            [found.l2, found.linf]
        };
        assert!(of(-1.0, 1.0, 1.0).iter().all(|d| (d - 1.0).abs() < 1e-15));
        for nan in [
            of(f64::NAN, 1.0, 1.0),
            of(-1.0, f64::NAN, 1.0),
            of(-1.0, 1.0, f64::NAN),
        ] {
            assert!(nan.iter().all(|d| d.is_nan()), "{nan:?}");
        }
        let [l2, linf] = {
            let found = misfit(&[vec![0.0], vec![0.0]], &[vec![0.0]]);
            [found.l2, found.linf]
        };
        assert!(l2 == 0.0 && linf == 0.0, "nothing to be off from");
    }
}
