//! Boundary values by a penalty, mean residual² + λ mean boundary residual², against the ansatz that holds them exactly. The paper's
//! appendix describes both and uses the ansatz.

use super::ways;
use crate::cell::{Cell, error};
use crate::item::Item;
use crate::table::{Section, Table};
use crate::work::{Equation, Run, Source};
use crate::{Asked, Store, Track};

pub(super) const ITEM: Item = Item {
    id: "penalty",
    place: "appendix A.3, equation (17)",
    title: "a penalty on the boundary against the ansatz",
    also: &[],
    runs,
    section,
};

const ID: &str = "penalty";
const WEIGHTS: [&str; 5] = ["1", "10", "100", "1000", "10000"];
const STEPS: [u64; 2] = [20_000, 400];

fn text(weight: &str) -> String {
    format!(
        r#"
name = "poisson-penalty"
[domain]
kind = "box"
x = [0, 1]
y = [0, 1]
[equation]
residual = "-laplacian(u) - f"
source = "manufactured"
[[boundary]]
on = "all"
dirichlet = "0"
enforce = "penalty"
weight = {weight}
[exact]
u = "x^2*(1-x)*y^2*(1-y)"
"#
    )
}

fn runs(asked: &Asked) -> Vec<Run> {
    let mut runs = Vec::new();
    if !asked.wants(Track::Parity) {
        return runs;
    }
    for seed in asked.seeds() {
        let mut add = |name: &str, source: Source| {
            let options = ways::adam(asked, "psg", 50);
            let work = Equation::parity(source, options, seed, ways::steps(asked, STEPS));
            runs.push(ways::run(ID, asked, name, work));
        };
        add("ansatz", Source::Builtin("poisson-smooth"));
        for weight in WEIGHTS {
            add(
                &format!("weight-{weight}"),
                Source::Text("poisson-penalty", text(weight)),
            );
        }
    }
    runs
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("Poisson's equation, PSG, 20,000 steps of Adam; a quarter as many points on the boundary as inside.");
    let mut table = Table::new(["boundary values", "average", "best", "last"]);
    let mut row = |title: String, name: &str| {
        let found = ways::records(ID, asked, store, name);
        let of = |figure: &str| Cell::of(&found, figure).text(error);
        table.row([title, of("moving_average"), of("best"), of("last")]);
    };
    row("by the ansatz".into(), "ansatz");
    for weight in WEIGHTS {
        row(
            format!("penalty, λ = {weight}"),
            &format!("weight-{weight}"),
        );
    }
    section.add(&table);
    section
}
