//! A problem as pieces see it: its system, what must be continuous across a cut, and along which axis it is solved step by step.

use super::Bounds;
use super::corners::Corner;
use super::functions::{Functions, Own};
use super::region::Region;
use super::surface::Surface;
use crate::engine::Device;
use crate::engine::ridges::Layer;
use crate::expr::{Expr, Leaf, largest, smaller};
use crate::posed::{ACROSS_JUMPS, Axes, Block, Kind, Residual, Sites, System};
use crate::problem::Problem;
use crate::waves::Symbol;

/// Domains that are cut have this many coordinates at most: in more, a piece needs thousands of functions.
const MOST_AXES: usize = 3;
const FAST_AXES: usize = 2;

/// The largest contrast of conductors that is made up for: beyond, rounding would be asked for.
const MOST_CONTRAST: f64 = 1e4;

/// A problem to be cut.
pub(super) struct Posed {
    pub(super) region: Region,
    /// The boundary of a domain that is not a box.
    pub(super) surfaces: Vec<Surface>,
    /// Its corners, where solutions are singular.
    pub(super) corners: Vec<Corner>,
    /// Which waves solve the equations.
    pub(super) symbol: Option<Symbol>,
    /// With residuals u − value and `u_k` − value, for known values, behind the problem's own.
    pub(super) system: System,
    /// Where these stand.
    known: Vec<(usize, Axes, usize)>,
    /// And where the problem's fluxes stand.
    fluxes: usize,
    /// Time, where the problem is solved slab by slab.
    pub(super) time: Option<usize>,
    /// For each axis and unknown the order of its highest derivative along it.
    orders: Vec<Vec<usize>>,
}

/// What keeps a problem from being cut into pieces, if anything does.
pub(crate) fn obstacle(problem: &Problem) -> Option<&'static str> {
    let given = problem.ansatz.iter().any(Option::is_some);
    let means = "a method that knows a `[[condition]]`; pieces know their neighbours only: use `--method lsq`";
    match () {
        () if problem.coordinates.len() > MOST_AXES => {
            Some("at most 3 coordinates to be cut into pieces: use `--method auto`")
        }
        () if !problem.data.is_empty() || !problem.sought.is_empty() => {
            Some("a method that fits observations; pieces solve what is given: use `--method lsq`")
        }
        () if !problem.constraints.is_empty() => Some(means),
        () if (0..problem.coordinates.len()).any(|axis| {
            let along = problem.fluxes.iter().filter(|flux| flux.axis == axis);
            along.count() != in_fluxes(problem, axis).len()
        }) =>
        {
            Some(ACROSS_JUMPS)
        }
        () if given || !problem.features.is_empty() => Some(
            "no `[ansatz]` and no features to be cut into pieces: leave them out or use `--method lsq`",
        ),
        () => None,
    }
}

/// Whether pieces are what a problem should be left to early: they can do it, and in so few coordinates they are fast.
pub(crate) fn suits(problem: &Problem) -> bool {
    problem.coordinates.len() <= FAST_AXES && obstacle(problem).is_none()
}

impl Posed {
    /// Whether there are three coordinates.
    pub(super) fn is_solid(&self) -> bool {
        self.system.known.dimension > 2
    }

    /// Of two numbers the one for up to two coordinates, or the one for three.
    pub(super) fn flat_or_solid(&self, [flat, solid]: [f64; 2]) -> f64 {
        if self.is_solid() { solid } else { flat }
    }

    pub(super) fn new(problem: &Problem, device: Device) -> Self {
        let mut system = System::new(problem.clone(), device);
        let d = problem.coordinates.len();
        let mut known = Vec::new();
        for u in 0..problem.unknowns.len() {
            for axes in std::iter::once(Vec::new()).chain((0..d).map(|k| vec![k])) {
                let off = Expr::leaf(Leaf::jet(u, &axes)) - Expr::leaf(Leaf::Column(0));
                known.push((u, axes, system.residuals.len()));
                let residual = Residual::new(Kind::Initial, &off, d, 0);
                system.residuals.push(residual);
            }
        }
        let fluxes = system.residuals.len();
        for flux in &problem.fluxes {
            let residual = Residual::new(Kind::Initial, &flux.of, d, 0);
            system.residuals.push(residual);
        }
        let order = |axis: usize, u: usize| {
            let equations = &system.residuals[..problem.equations.len()];
            let jets = equations.iter().flat_map(|r| &r.jets).filter(|j| j.0 == u);
            let counts = jets.map(|(_, axes)| axes.iter().filter(|k| **k == axis).count());
            counts.max().unwrap_or(0)
        };
        let of_axis = |axis| {
            (0..problem.unknowns.len())
                .map(|u| order(axis, u))
                .collect()
        };
        let orders: Vec<Vec<usize>> = (0..d).map(of_axis).collect();
        let region = Region::new(&problem.domain);
        let surfaces = if region.is_plain() {
            Vec::new()
        } else {
            Surface::all(&problem.domain)
        };
        let second = orders.iter().flatten().all(|order| *order == 2);
        Self {
            corners: Corner::all(&system, &surfaces, second),
            symbol: Symbol::of(problem),
            region,
            surfaces,
            time: problem.time.filter(|t| marches(problem, *t, &orders)),
            orders,
            known,
            fluxes,
            system,
        }
    }

    /// What a box has in place of functions that all have.
    pub(super) fn own(&self, functions: &Functions, bounds: &Bounds) -> Own {
        match self.corner(bounds) {
            Some(k) => {
                let corner = &self.corners[k];
                Own::Corner(k, corner.units(corner.of(functions.len()), bounds))
            }
            None if functions.are_waves(bounds) => Own::Waves(2 * functions.waves.len()),
            None => Own::Nothing,
        }
    }

    /// The corner whose functions a box has.
    fn corner(&self, bounds: &Bounds) -> Option<usize> {
        let domain = &self.region.domain;
        self.corners.iter().position(|c| c.is_near(domain, bounds))
    }

    /// The functions of a box.
    pub(super) fn layer(&self, functions: &Functions, bounds: &Bounds) -> Layer {
        functions.on(bounds, &self.own(functions, bounds))
    }

    /// Points of a box, with what its functions must know there.
    pub(super) fn sites(&self, functions: &Functions, bounds: &Bounds, points: &[f64]) -> Sites {
        let mut sites = self.system.known.bare_sites(points);
        if let Some(corner) = self.corner(bounds).map(|c| &self.corners[c]) {
            sites.inputs = corner.jets(corner.of(functions.len()), &sites.coordinates);
        }
        sites
    }

    /// The residual `D^axes u` − value.
    pub(super) fn known(&self, unknown: usize, axes: &[usize]) -> usize {
        let place = self
            .known
            .iter()
            .find(|(u, a, _)| *u == unknown && a[..] == *axes);
        place.map_or(0, |k| k.2)
    }

    /// What is continuous across a cut: unknowns with the derivatives along the axis below their highest, but those that fluxes stand for.
    pub(super) fn joined(&self, axis: usize) -> Vec<(usize, Axes)> {
        let orders = self.orders[axis].iter().enumerate();
        let below =
            |(u, order): (usize, &usize)| (0..(*order).min(2)).map(move |k| (u, vec![axis; k]));
        let replaced = in_fluxes(&self.system.problem, axis);
        let stays = |(u, axes): &(usize, Axes)| axes.is_empty() || !replaced.contains(u);
        orders.flat_map(below).filter(stays).collect()
    }

    /// The residuals that are fluxes along an axis, each with an unknown by whose size it is measured.
    pub(super) fn fluxes(&self, axis: usize) -> Vec<(usize, usize)> {
        let all = self.system.problem.fluxes.iter().enumerate();
        let along = all.filter(|(_, flux)| flux.axis == axis);
        let unknowns = in_fluxes(&self.system.problem, axis);
        along.map(|(k, _)| self.fluxes + k).zip(unknowns).collect()
    }

    /// The largest coefficient of a flux's derivatives along an axis at some points, of those at which it has a value.
    pub(super) fn strength(&self, r: usize, axis: usize, points: &[f64]) -> f64 {
        let residual = &self.system.residuals[r];
        let block = Block::new(r, self.system.known.bare_sites(points));
        let nothing = vec![vec![0.0; block.sites.n]; residual.jets.len()];
        let partials = residual.respond(&block, &nothing, &[]).split_off(1);
        let across = residual.jets.iter().zip(&partials);
        let across = across.filter(|((_, axes), _)| axes[..] == [axis]);
        let all = across.flat_map(|(_, coefficients)| coefficients);
        largest(all.filter(|c| !c.is_nan()).map(|c| c.abs()))
    }

    /// How much stronger the fluxes of each box are than those of the weakest: a source that is missed in a good conductor is missed by
    /// everything around it, whose flux is as large and whose resistance is larger. No more than [`MOST_CONTRAST`]; 1 without fluxes.
    pub(super) fn contrasts(&self, boxes: &[Bounds]) -> Vec<f64> {
        let strength = |bounds: &Bounds| {
            let points = self.region.inside(bounds, 3, None);
            let all = self.system.problem.fluxes.iter().enumerate();
            let all = all.map(|(k, flux)| self.strength(self.fluxes + k, flux.axis, &points));
            largest(all)
        };
        let strengths: Vec<f64> = boxes.iter().map(strength).collect();
        let weakest = strengths.iter().copied().filter(|s| *s > 0.0);
        let weakest = weakest.fold(f64::INFINITY, smaller);
        let over = |s: &f64| (s / weakest).clamp(1.0, MOST_CONTRAST);
        strengths.iter().map(over).collect()
    }

    pub(super) fn unknowns(&self) -> usize {
        self.system.problem.unknowns.len()
    }
}

/// The unknowns whose derivatives along an axis are in fluxes along it.
fn in_fluxes(problem: &Problem, axis: usize) -> Vec<usize> {
    let along = problem.fluxes.iter().filter(|flux| flux.axis == axis);
    let jets = along.flat_map(|flux| flux.of.jets());
    let across = jets.filter(|jet| jet.axes() == [axis]);
    let mut unknowns: Vec<usize> = across.map(|jet| jet.unknown()).collect();
    unknowns.sort_unstable();
    unknowns.dedup();
    unknowns
}

/// Whether time goes forward: it is not closed, nothing is asked at its end, and at its start every unknown with derivatives in time is given.
fn marches(problem: &Problem, time: usize, orders: &[Vec<usize>]) -> bool {
    let [first, last] = problem.domain.bounds()[time];
    let at = |value: f64| {
        let pieces = problem.domain.pieces();
        problem.conditions.iter().filter(move |c| {
            let on = |p: &usize| pieces[*p].face.fixed() == Some((time, value));
            c.pieces.iter().any(on)
        })
    };
    let wanted: usize = orders[time].iter().sum();
    !problem.periodic.contains(&time)
        && at(last).count() == 0
        && wanted > 0
        && at(first).count() >= wanted
}
