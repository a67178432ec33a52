//! What stands around a network, as C++: quadratic forms of the streams, inputs, factor, lift, residual and what they send back.

use super::{Asked, Mode, real};
use rafnet_engine::engine::{Carried, Formula, KnownStreams, Objective, Row};
use rafnet_engine::expr::{Expr, Leaf, kernel_text};
use rafnet_engine::network::{Encoding, Network};
use rafnet_engine::simd::Real;
use std::fmt::Write as _;

/// q_s = Σ C_ij z_i z_j of every second-order stream, and their way back: z̄_k += σ″ Σ_s h̄_s ∂q_s/∂z_k.
pub(crate) fn quadratics(carried: &Carried) -> String {
    let mut text =
        String::from("DEV void quadratics(const real (&z)[S], real (&q)[SECONDS + 1]) {\n");
    let number = |c: f64| format!("R({c:?})");
    for (s, q) in carried.second().iter().enumerate() {
        let _ = writeln!(text, "  q[{s}] = 0;");
        for &(i, j, c) in &q.entries {
            let _ = writeln!(
                text,
                "  q[{s}] = fma({} * z[{}], z[{}], q[{s}]);",
                number(c),
                1 + i,
                1 + j
            );
        }
    }
    text += "}\nDEV void quadratics_back(real second, const real (&z)[S], real (&bar)[S]) {\n";
    for (s, q) in carried.second().iter().enumerate() {
        let at = carried.second_stream(s);
        let _ = writeln!(text, "  {{ real f = second * bar[{at}];");
        for &(i, j, c) in &q.entries {
            let _ = writeln!(
                text,
                "    bar[{a}] = fma({c} * f, z[{b}], bar[{a}]); bar[{b}] = fma({c} * f, z[{a}], bar[{b}]);",
                a = 1 + i,
                b = 1 + j,
                c = number(c)
            );
        }
        text += "  }\n";
    }
    text + "}\n"
}

/// The coordinate along which each direction points.
pub(super) fn axes(carried: &Carried) -> String {
    let all = carried.directions().iter().enumerate();
    let cases: Vec<String> = all
        .map(|(p, axis)| format!("k == {p} ? {axis} : "))
        .collect();
    let cases = cases.concat();
    format!("__device__ constexpr int axis(int k) {{ return {cases}0; }}\n")
}

/// Statements that assign the streams of a known function of `x` to `name[s]`.
fn streams<T: Real>(all: &[Expr], name: &dyn Fn(usize) -> String) -> String {
    let name_of = |leaf: &Leaf| match leaf {
        Leaf::Coordinate(k) => format!("x[{k}]"),
        _ => "0".to_owned(),
    };
    let names: Vec<String> = (0..all.len()).map(name).collect();
    let outputs: Vec<(&str, &Expr)> = names.iter().map(String::as_str).zip(all).collect();
    kernel_text(&outputs, real::<T>(), &name_of)
}

/// The numbers that enter the first layer: coordinates or sin(mx), cos(mx), then known functions.
pub(crate) fn inputs<T: Real>(
    network: &Network,
    carried: &Carried,
    known: &KnownStreams,
) -> String {
    let mut text = String::from(
        "// x: the point; to: its row of the value, the other streams eight rows apart\nDEV void inputs(const real *x, real *to) {\n",
    );
    let place = |s: usize, column: usize| format!("to[{s} * 8 * PITCH + {column}]");
    let second_of = |k: usize, s: usize| -> f64 {
        let entries = carried.second()[s].entries.iter();
        let along = |p: usize| carried.directions()[p] == k;
        entries
            .filter(|(i, j, _)| i == j && along(*i))
            .map(|e| e.2)
            .sum()
    };
    let mut column = 0;
    // a function of coordinate k alone, by its value and two derivatives
    let mut of_one = |text: &mut String, k: usize, [value, first, second]: [&str; 3]| {
        let _ = writeln!(text, "  {} = {value};", place(0, column));
        for (p, &direction) in carried.directions().iter().enumerate() {
            let v = if direction == k { first } else { "0" };
            let _ = writeln!(text, "  {} = {v};", place(1 + p, column));
        }
        for s in 0..carried.second().len() {
            let c = second_of(k, s);
            let _ = writeln!(
                text,
                "  {} = R({c:?}) * ({second});",
                place(carried.second_stream(s), column)
            );
        }
        column += 1;
    };
    let d = network.inputs().dimension;
    match network.inputs().encoding {
        Encoding::Raw => {
            for k in 0..d {
                of_one(&mut text, k, [&format!("x[{k}]"), "1", "0"]);
            }
        }
        Encoding::Periodic { order } => {
            for m in 1..=order {
                for k in 0..d {
                    let _ = writeln!(
                        text,
                        "  real s{m}_{k}, c{m}_{k}; sine_cosine(R({m}) * x[{k}], s{m}_{k}, c{m}_{k});"
                    );
                }
                for k in 0..d {
                    let all = [
                        format!("s{m}_{k}"),
                        format!("R({m}) * c{m}_{k}"),
                        format!("R(-{}) * s{m}_{k}", m * m),
                    ];
                    of_one(&mut text, k, [&all[0], &all[1], &all[2]]);
                }
                for k in 0..d {
                    let all = [
                        format!("c{m}_{k}"),
                        format!("R(-{m}) * s{m}_{k}"),
                        format!("R(-{}) * c{m}_{k}", m * m),
                    ];
                    of_one(&mut text, k, [&all[0], &all[1], &all[2]]);
                }
            }
        }
    }
    for feature in &known.features {
        let _ = writeln!(
            text,
            "  {{\n{}  }}",
            streams::<T>(feature, &|s| place(s, column))
        );
        column += 1;
    }
    text + "}\n"
}

/// u = gφ + l for output `o`, from `u[o]` = φ; g stays in `g{o}` for the way back.
fn ansatz<T: Real>(
    text: &mut String,
    carried: &Carried,
    o: usize,
    [factor, lift]: &[Option<Vec<Expr>>; 2],
) {
    let n = carried.len();
    if let Some(factor) = factor {
        let _ = writeln!(
            text,
            "  real g{o}[S];\n  {{\n{}  }}",
            streams::<T>(factor, &|s| format!("g{o}[{s}]"))
        );
        for (s, q) in carried.second().iter().enumerate() {
            let at = carried.second_stream(s);
            let _ = writeln!(
                text,
                "  u[{o}][{at}] = g{o}[0] * u[{o}][{at}] + g{o}[{at}] * u[{o}][0];"
            );
            for &(i, j, c) in &q.entries {
                let (i, j) = (1 + i, 1 + j);
                let _ = writeln!(
                    text,
                    "  u[{o}][{at}] += R({c:?}) * (g{o}[{i}] * u[{o}][{j}] + g{o}[{j}] * u[{o}][{i}]);"
                );
            }
        }
        for k in 1..=carried.directions().len() {
            let _ = writeln!(
                text,
                "  u[{o}][{k}] = g{o}[0] * u[{o}][{k}] + g{o}[{k}] * u[{o}][0];"
            );
        }
        let _ = writeln!(text, "  u[{o}][0] *= g{o}[0];");
    }
    if let Some(lift) = lift {
        let _ = writeln!(
            text,
            "  {{ real l[{n}];\n{}  EACH(s, S) u[{o}][s] += l[s]; }}",
            streams::<T>(lift, &|s| format!("l[{s}]"))
        );
    }
}

/// ū → φ̄ for output `o`, in place in `bar[o]`.
fn ansatz_back(text: &mut String, carried: &Carried, o: usize) {
    let _ = writeln!(
        text,
        "  {{ real sum = 0; EACH(s, S) sum += g{o}[s] * bar[{o}][s]; bar[{o}][0] = sum;"
    );
    let _ = writeln!(text, "    EACH(k, DIRECTIONS) bar[{o}][1 + k] *= g{o}[0];");
    for (s, q) in carried.second().iter().enumerate() {
        let at = carried.second_stream(s);
        for &(i, j, c) in &q.entries {
            let (i, j) = (1 + i, 1 + j);
            let _ = writeln!(
                text,
                "    bar[{o}][{i}] += R({c:?}) * bar[{o}][{at}] * g{o}[{j}]; bar[{o}][{j}] += R({c:?}) * bar[{o}][{at}] * g{o}[{i}];"
            );
        }
        let _ = writeln!(text, "    bar[{o}][{at}] *= g{o}[0];");
    }
    text.push_str("  }\n");
}

/// What happens to a point once φ and its streams are known.
pub(super) fn respond<T: Real>(objective: &Objective<T>, asked: &Asked<'_>) -> String {
    let carried = asked.carried;
    let mut text = String::from(
        "DEV void respond(const Tile &b, int p, const real *data_of, const real *weights, const real *shared, const real *given, real *out, real scale,\n    \
         double *square, real *slopes) {\n  \
         int i = min(b.begin + p, b.n - 1);\n  bool counts = b.begin + p < b.n;\n  const real *x = b.x + p * D;\n  real u[OUTPUTS][S];\n",
    );
    // the streams of φ: a Jacobian's later residuals need them after the matrix has been used
    if asked.mode == Mode::Jacobian {
        text += "  real *phi = b.phi + p * OUTPUTS * S;\n  \
                 EACH(o, OUTPUTS) EACH(s, S) { if (b.residual == 0) phi[o * S + s] = b.Z[ROW(s, p) * PITCH + o]; u[o][s] = phi[o * S + s]; }\n";
    } else {
        text += "  EACH(o, OUTPUTS) EACH(s, S) u[o][s] = b.Z[ROW(s, p) * PITCH + o];\n";
    }
    let known = &asked.known.ansatz;
    for (o, around) in known.iter().enumerate() {
        ansatz::<T>(&mut text, carried, o, around);
    }
    let backwards = |text: &mut String| {
        for (o, around) in known.iter().enumerate() {
            if around[0].is_some() {
                ansatz_back(text, carried, o);
            }
        }
        *text += "  EACH(o, OUTPUTS) EACH(s, S) b.Z[ROW(s, p) * PITCH + o] = counts ? bar[o][s] : R(0);\n";
    };
    match (asked.mode, &asked.residual) {
        (Mode::Evaluate, _) => {
            text += "  if (counts) EACH(o, OUTPUTS) EACH(s, S) out[(u64)(o * S + s) * b.n + i] = u[o][s];\n";
        }
        (Mode::Pullback, _) => {
            text += "  real bar[OUTPUTS][S];\n  EACH(o, OUTPUTS) EACH(s, S) bar[o][s] = given[(u64)(o * S + s) * b.n + i];\n";
            backwards(&mut text);
        }
        (_, None) => {}
        (mode, Some((formula, row, count))) => {
            residual(
                &mut text,
                formula,
                *count,
                objective,
                mode != Mode::Residuals,
            );
            let weight = if asked.weighted { "weights[i]" } else { "R(1)" };
            let of_row = match row {
                Row::Point if asked.weighted => "sqrt(weights[i])",
                _ => weight,
            };
            match mode {
                Mode::Residuals => {
                    let _ = writeln!(
                        text,
                        "  if (counts) EACH(m, COUNT) out[(u64)i * COUNT + m] = r[m] * {of_row};"
                    );
                }
                Mode::Squares => {
                    text +=
                        "  if (counts) EACH(m, COUNT) square[m] += (double)r[m] * (double)r[m];\n";
                }
                Mode::Gradient => {
                    let felt = match row {
                        Row::Point => {
                            let _ = writeln!(
                                text,
                                "  if (counts) EACH(m, COUNT) square[0] += (double){weight} * (double)r[m] * (double)r[m];"
                            );
                            format!("scale * {weight} * r[m]")
                        }
                        Row::Sum(group) => {
                            format!("scale * {weight} * given[(u64)(i / {group}) * COUNT + m]")
                        }
                    };
                    let _ = writeln!(
                        text,
                        "  real bar[OUTPUTS][S];\n  EACH(o, OUTPUTS) EACH(s, S) bar[o][s] = 0;\n  EACH(m, COUNT) {{ real f = {felt};\n    \
                         EACH(o, OUTPUTS) EACH(s, S) bar[o][s] += f * dr[m][o][s];\n    \
                         if (counts) EACH(k, SHARED_NUMBERS) slopes[k] += f * ds[m][k]; }}"
                    );
                    backwards(&mut text);
                }
                _ => {
                    let _ = writeln!(
                        text,
                        "  real bar[OUTPUTS][S];\n  EACH(o, OUTPUTS) EACH(s, S) bar[o][s] = 0;\n  EACH(m, COUNT) if (m == b.residual) {{\n    \
                         EACH(o, OUTPUTS) EACH(s, S) bar[o][s] = {of_row} * dr[m][o][s];\n    \
                         if (counts) EACH(k, SHARED_NUMBERS) row_of(b, p)[SHARED_SLOT + k] = {of_row} * ds[m][k]; }}"
                    );
                    backwards(&mut text);
                }
            }
        }
    }
    text + "}\n"
}

/// r, dr and ds of a point.
fn residual<T: Real>(
    text: &mut String,
    formula: &Formula,
    count: usize,
    objective: &Objective<T>,
    slopes: bool,
) {
    *text += "  const real *data = data_of + (u64)i * DATA_COLUMNS;\n  real r[COUNT];\n";
    let _ = writeln!(
        text,
        "  real dr[{count}][OUTPUTS][S], ds[{count}][{}];\n  EACH(m, COUNT) {{ EACH(o, OUTPUTS) EACH(s, S) dr[m][o][s] = 0; EACH(k, SHARED_NUMBERS) ds[m][k] = 0; }}\n  {{",
        objective.shared.len().max(1)
    );
    if slopes {
        *text += &formula.kernel(real::<T>());
    } else {
        let values = Formula {
            partials: Vec::new(),
            slopes: Vec::new(),
            ..formula.clone()
        };
        *text += &values.kernel(real::<T>());
    }
    *text += "  }\n";
}
