//! Pictures of a solution: the unknowns, their errors where the exact solution is known, and the equations' residuals.
//!
//! Several eigenfunctions are drawn one by one; of a solution in pieces the cut is drawn over the first unknown. One coordinate gives curves, two a map, three with time a map at five times; beyond that a map through the middle of the others.

use crate::output::Failure;
use crate::run_folder::RunFolder;
use rafnet::expr::{Expr, Leaf};
use rafnet::model::{Expressions, Model};
use rafnet::problem::Problem;
use rafnet::solve::Solved;
use rafnet_plot::{self as picture, Colours, Curve, HeatMap, Plot, Scale};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Grid points along an axis: of a curve, of a map, and of the coarsest map.
const ALONG: usize = 401;
const SIDE: usize = 161;
const COARSEST: usize = 61;
/// Multiplications that the maps of a model take, about half a second's; with more of them maps are coarser. To draw a cell takes as long as so many.
const MOST_WORK: f64 = 5e8;
const DRAWN: usize = 3_000;

/// One or two axes that vary while the others stay.
struct Slice {
    /// What is added to file names and titles.
    name: String,
    title: String,
    axes: Vec<usize>,
    at: Vec<f64>,
}

fn slices(problem: &Problem) -> Vec<Slice> {
    let bounds = problem.domain.bounds();
    let d = bounds.len();
    let middle: Vec<f64> = bounds
        .iter()
        .map(|[low, high]| 0.5 * (low + high))
        .collect();
    let axes: Vec<usize> = match problem.time {
        Some(time) if d > 2 => (0..d).filter(|k| *k != time).take(2).collect(),
        _ => (0..d.min(2)).collect(),
    };
    let whole = Slice {
        name: String::new(),
        title: String::new(),
        axes: axes.clone(),
        at: middle.clone(),
    };
    let Some(time) = problem.time.filter(|_| d == 3) else {
        return vec![whole];
    };
    let [first, last] = bounds[time];
    let slice = |k: usize| {
        let t = first + (last - first) * k as f64 / 4.0;
        let mut at = middle.clone();
        at[time] = t;
        Slice {
            name: format!("-{}", k + 1),
            title: format!(" at {} = {t:.3}", problem.coordinates[time]),
            axes: axes.clone(),
            at,
        }
    };
    (0..5).map(slice).collect()
}

impl Slice {
    /// The pieces of a model that a slice goes through, as rectangles.
    fn cut(&self, model: &Model) -> Vec<[[f64; 2]; 2]> {
        let &[x, y] = &self.axes[..] else {
            return Vec::new();
        };
        let through = |piece: &&Vec<[f64; 2]>| {
            let mut others = (0..piece.len()).filter(|k| *k != x && *k != y);
            others.all(|k| piece[k][0] <= self.at[k] && self.at[k] <= piece[k][1])
        };
        let pieces = model.parts().pieces.iter().filter(through);
        pieces.map(|piece| [piece[x], piece[y]]).collect()
    }

    /// The slice's points, the last axis fastest; of a map with so many along each axis.
    fn points(&self, bounds: &[[f64; 2]], side: usize) -> Vec<f64> {
        let (d, curve) = (bounds.len(), self.axes.len() == 1);
        let (side, n) = if curve {
            (ALONG, ALONG)
        } else {
            (side, side * side)
        };
        let mut points = Vec::with_capacity(n * d);
        for i in 0..n {
            let mut x = self.at.clone();
            for (place, &axis) in self.axes.iter().enumerate() {
                let step = if !curve && place == 0 {
                    i / side
                } else {
                    i % side
                };
                let [low, high] = bounds[axis];
                x[axis] = low + (high - low) * step as f64 / (side - 1) as f64;
            }
            points.extend(x);
        }
        points
    }
}

/// What is drawn.
struct Field {
    /// The file's name, without its ending.
    file: String,
    title: String,
    figure: Expr,
    colours: Colours,
    /// Whether the pieces of the solution are drawn over it.
    cut: bool,
}

impl Field {
    fn new(file: String, title: String, figure: Expr, colours: Colours) -> Self {
        Self {
            file,
            title,
            figure,
            colours,
            cut: false,
        }
    }
}

/// What the pictures of an unknown are called: after it, but for names that other pictures have. No other one has a `-` behind an unknown.
fn stem(unknown: &str) -> String {
    match unknown {
        "residual" | "convergence" => format!("{unknown}-u"),
        _ => unknown.to_owned(),
    }
}

/// Who draws, and until when.
pub(crate) struct Drawing<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) threads: usize,
    /// When no further picture is begun.
    pub(crate) until: Option<Instant>,
}

impl Drawing<'_> {
    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Draws everything into a folder; answers how many pictures were left out because the time was over.
pub(crate) fn draw(problem: &Problem, solved: &Solved, by: &Drawing<'_>) -> Result<usize, Failure> {
    let leaf = |u: usize| Expr::leaf(Leaf::jet(u, &[]));
    let mut fields: Vec<Field> = Vec::new();
    for (u, name) in problem.unknowns.iter().enumerate() {
        let (file, value) = (stem(name), leaf(u));
        if let Some(exact) = &problem.exact[u] {
            let (file, title) = (
                format!("{file}-error"),
                format!("{name} minus the exact solution"),
            );
            let error = value.clone() - exact.clone();
            fields.push(Field::new(file, title, error, Colours::Diverging));
        }
        fields.push(Field::new(file, name.clone(), value, Colours::Sequential));
    }
    if problem.coordinates.len() > 1 && !solved.model.parts().pieces.is_empty() {
        let first = &problem.unknowns[0];
        let (file, title) = (
            format!("{}-cut", stem(first)),
            format!("{first} and the cut"),
        );
        let field = Field::new(file, title, leaf(0), Colours::Sequential);
        fields.push(Field { cut: true, ..field });
    }
    for (k, equation) in problem.equations.iter().enumerate() {
        let filled = equation.replace(&mut |leaf| match leaf {
            Leaf::Parameter(p) => {
                let eigenvalue = solved.eigenvalues.first().map(|pair| pair.value);
                let value = eigenvalue.or(solved.found.get(*p).map(|f| f.value));
                value.map(Expr::number)
            }
            _ => None,
        });
        let number = if problem.equations.len() > 1 {
            format!("-{}", k + 1)
        } else {
            String::new()
        };
        let name = format!("residual{number}");
        fields.push(Field::new(name.clone(), name, filled, Colours::Diverging));
    }
    let mut left_out = draw_fields(problem, &solved.model, &fields, by)?;
    if solved.eigenvalues.len() < 2 {
        return Ok(left_out);
    }
    for (k, pair) in solved.eigenvalues.iter().enumerate() {
        let mode = |(u, name): (usize, &String)| {
            let of = match problem.unknowns.len() {
                1 => String::new(),
                _ => format!("-{name}"),
            };
            let title = format!("{name} of eigenvalue {:.6}", pair.value);
            let file = format!("mode-{}{of}", k + 1);
            Field::new(file, title, leaf(u), Colours::Diverging)
        };
        let fields: Vec<Field> = problem.unknowns.iter().enumerate().map(mode).collect();
        left_out += draw_fields(problem, &pair.model, &fields, by)?;
    }
    Ok(left_out)
}

/// Grid points along an axis of so many maps of every field: a weight counts once for the value and for each derivative.
fn side(model: &Model, fields: usize, maps: usize) -> usize {
    let d = model.dimension();
    let evaluated = model.parts().network.n_parameters() * (1 + d + d * (d + 1) / 2);
    let each = evaluated + fields * DRAWN;
    let work = (maps * SIDE * SIDE) as f64 * each as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive number"
    )]
    let side = (SIDE as f64 * (MOST_WORK / work).sqrt()) as usize;
    side.clamp(COARSEST, SIDE)
}

/// Draws figures of a model on every slice; answers how many were left out.
fn draw_fields(
    problem: &Problem,
    model: &Model,
    fields: &[Field],
    by: &Drawing<'_>,
) -> Result<usize, Failure> {
    let texts: Vec<Expr> = fields.iter().map(|f| f.figure.clone()).collect();
    let Ok(mut expressions) = Expressions::new(model, &texts) else {
        return Ok(0);
    };
    let bounds = problem.domain.bounds();
    let d = bounds.len();
    let slices = slices(problem);
    let side = side(model, fields.len(), slices.len());
    let mut left_out = 0;
    for slice in slices {
        if by.is_over() {
            left_out += fields.len();
            continue;
        }
        let points = slice.points(bounds, side);
        let n = points.len() / d;
        let Ok(columns) = expressions.evaluate(model, &points) else {
            continue;
        };
        let inside: Vec<bool> = points
            .chunks(d)
            .map(|x| problem.domain.contains(x))
            .collect();
        let path = |field: &Field| by.folder.own(&format!("{}{}.png", field.file, slice.name));
        let paths = fields.iter().map(path);
        let maps: Vec<_> = fields.iter().zip(columns.chunks(n)).zip(paths).collect();
        let drawn = side_by_side(&maps, by, &|((field, column), path)| {
            let shown: Vec<f64> = column
                .iter()
                .zip(&inside)
                .map(|(v, inside)| if *inside { *v } else { f64::NAN })
                .collect();
            let title = format!("{}: {}{}", problem.name, field.title, slice.title);
            let label = |k: usize| problem.coordinates[slice.axes[k]].as_str();
            if slice.axes.len() == 1 {
                let x: Vec<f64> = points.chunks(d).map(|p| p[slice.axes[0]]).collect();
                let curve = Curve::new("", &x, &shown);
                let plot = Plot {
                    curves: &[curve],
                    title: &title,
                    labels: [label(0), &field.title],
                    scales: [Scale::Linear; 2],
                };
                return picture::curves(path, &plot);
            }
            let outlines = if field.cut {
                slice.cut(model)
            } else {
                Vec::new()
            };
            let map = HeatMap {
                values: &shown,
                size: [side, side],
                ranges: [bounds[slice.axes[0]], bounds[slice.axes[1]]],
                labels: [label(0), label(1)],
                title: &title,
                colours: field.colours,
                outlines: &outlines,
            };
            picture::heat_map(path, &map)
        });
        left_out += drawn.map_err(unwritable)?;
    }
    Ok(left_out)
}

/// Draws all of them, on several threads: a picture takes longer than what is in it. Answers how many were left out.
fn side_by_side<T: Sync>(
    all: &[T],
    by: &Drawing<'_>,
    draw: &(dyn Fn(&T) -> Result<(), picture::PlotError> + Sync),
) -> Result<usize, picture::PlotError> {
    let next = AtomicUsize::new(0);
    let one_after_the_other = || {
        let mut drawn = 0;
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed))
            && !by.is_over()
        {
            draw(one)?;
            drawn += 1;
        }
        Ok(drawn)
    };
    let drawn: usize = std::thread::scope(|scope| {
        let others = (1..by.threads.min(all.len())).map(|_| scope.spawn(one_after_the_other));
        let others: Vec<_> = others.collect();
        let own = [one_after_the_other()].into_iter();
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or(Ok(0)));
        own.chain(others).sum::<Result<usize, picture::PlotError>>()
    })?;
    Ok(all.len() - drawn)
}

/// The held-out residual over time.
pub(super) fn curve(
    problem: &Problem,
    best: &[[f64; 2]],
    folder: &RunFolder,
) -> Result<(), Failure> {
    let x: Vec<f64> = best.iter().map(|b| b[0]).collect();
    // a stage begins with a best of its own
    let lowest = best.iter().scan(f64::INFINITY, |low, b| {
        *low = low.min(b[1]);
        Some(*low)
    });
    let y: Vec<f64> = lowest.collect();
    if x.len() < 2 {
        return Ok(());
    }
    let curve = Curve::new("", &x, &y);
    let labels = ["seconds", "best held-out residual"];
    picture::convergence(
        &folder.own("convergence.png"),
        &problem.name,
        labels,
        &[curve],
    )
    .map_err(unwritable)
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn unwritable(error: picture::PlotError) -> Failure {
    Failure::new(
        error.to_string(),
        "pass `--out` with a folder that can be written",
    )
}
