//! The percentages of the abstract, recomputed from the paper's tables and from ours.

use super::table_3::COLUMNS;
use super::{images, video};
use crate::cell::Cell;
use crate::item::Item;
use crate::peers;
use crate::published::{TABLE_1, TABLE_2, sign, table_3};
use crate::table::{Section, Table};
use crate::{Asked, Store};

pub(super) const ITEM: Item = Item {
    id: "headline",
    place: "abstract",
    title: "the abstract's percentages",
    also: &[],
    runs: |_| Vec::new(),
    section,
};

/// How much smaller the second error is, in per cent.
fn fall(from: f64, to: f64) -> f64 {
    100.0 * (1.0 - to / from)
}

fn signed(value: f64) -> String {
    format!("{value:+.1} %").replace('-', "−")
}

fn percent(value: f64) -> String {
    format!("{value:.1} %").replace('-', "−")
}

/// What two cells give, if both are there and of all their steps.
fn compared(a: &Cell, b: &Cell, write: impl Fn(f64, f64) -> String) -> String {
    let both = a.median().zip(b.median());
    let both = both.filter(|_| a.is_whole() && b.is_whole());
    both.map_or(String::new(), |(x, y)| write(x, y))
}

fn section(asked: &Asked, store: &Store) -> Section {
    let mut section = Section::default();
    section.say("The abstract claims improvements of \"over\" 14 % (audio and video), 58 % (images), 73 % (PDEs) and 99 % (eigenvalue problems). What the paper's own tables give, ours where both runs took all their steps, and JAX's, without a weight decay, after the most steps that both rows have:");
    let mut table = Table::new(["claim", "from the paper's tables", "from ours", "from JAX"]);
    let pictures = ["camera", "astronaut", "cat", "coin"];
    let of = |row: &str| TABLE_1.iter().find(|r| r.0 == row).map(|r| r.1);
    if let (Some(siren), Some(psg)) = (of("siren"), of("psg")) {
        for (k, picture) in pictures.iter().enumerate() {
            let ours = |network: &str| Cell::of(&images::records(store, picture, network), "psnr");
            let rise = |p: f64, s: f64| signed(100.0 * (p / s - 1.0));
            table.row([
                format!("images +58 %: PSNR of PSG over SIREN, {picture}"),
                rise(psg[k][0], siren[k][0]),
                compared(&ours("psg"), &ours("siren"), rise),
                String::new(),
            ]);
        }
    }
    let video = |network: &str| Cell::of(&video::records(store, network), "frames_mean");
    let square = |a: f64, b: f64| percent(fall(1.0, 10f64.powf((b - a) / 10.0)));
    table.row([
        "video −14 %: mean square of Sine-Gaussian below SIREN".to_owned(),
        square(TABLE_2[1].1[0], TABLE_2[0].1[0]),
        compared(&video("sine-gaussian"), &video("siren"), square),
        String::new(),
    ]);
    for against in ["relu3", "poly-sine", "relu"] {
        for column in COLUMNS {
            let (claim, rows) = match column.id {
                "eigen-5" | "eigen-10" => ("eigenvalue −99 %", ["relu3", "relu"]),
                _ => ("PDEs −73 %", ["relu3", "poly-sine"]),
            };
            if !rows.contains(&against) {
                continue;
            }
            let paper = |a: &str| Cell::from_values(table_3(column.id, a).into_iter().collect());
            let ours = |a: &str| {
                let found = column.records(asked, store, &format!("{a}-parity"));
                Cell::of(&found, "moving_average")
            };
            let fallen = |from: f64, to: f64| percent(fall(from, to));
            table.row([
                format!(
                    "{claim}: error of PSG below {}, {}",
                    sign(against),
                    column.id
                ),
                compared(&paper(against), &paper("psg"), fallen),
                compared(&ours(against), &ours("psg"), fallen),
                peers::pair(column.id, [against, "psg"])
                    .map_or(String::new(), |(steps, [from, to])| {
                        format!("{} after {steps} steps", fallen(from, to))
                    }),
            ]);
        }
    }
    section.add(&table);
    section.say("58 % is the smallest of the four pictures; 99 % is against ReLU³, and 67 to 76 % against ReLU, which the method followed has; 73 % and 14 % follow from no pair of the tables.");
    section
}

#[cfg(test)]
mod tests {
    use super::compared;
    use crate::cell::Cell;
    use crate::record::Record;
    use serde_json::json;

    fn cell(error: f64, steps: u64) -> Cell {
        let record = json!({
            "budget": "full", "settings": { "steps": steps, "full_steps": 1000 }, "figures": { "error": error },
        });
        Cell::of(&[Record(record)], "error")
    }

    #[test]
    fn only_runs_of_all_steps_are_compared() {
        let ratio = |a: &Cell, b: &Cell| compared(a, b, |a, b| format!("{}", a / b));
        assert_eq!(ratio(&cell(2.0, 1000), &cell(1.0, 1000)), "2");
        assert_eq!(ratio(&cell(2.0, 100), &cell(1.0, 100)), "");
        assert_eq!(ratio(&cell(2.0, 100), &cell(1.0, 1000)), "");
        assert_eq!(ratio(&Cell::default(), &cell(1.0, 1000)), "");
    }
}
