//! Every item at a toy size: it runs, it is not run again, it goes on where it was stopped, and its page has what it should.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rafnet_paper::{Asked, Budget, ITEMS, Item, PaperError, Preset, Record, Store, Track, Watch};
use rafnet_paper::{missing, published, run, runs, write_results};
use std::path::{Path, PathBuf};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("paper-{name}-{}", std::process::id());
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    fn asked(&self) -> Asked {
        Asked {
            budget: Budget::Toy,
            // nothing is there: embedded samples
            data: Some(self.0.join("no-data")),
            ..Asked::quick(&self.0)
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_item_at_a_toy_size() {
    let folder = Folder::new("all");
    let asked = folder.asked();
    let all: Vec<&Item> = ITEMS.iter().collect();
    let wanted = runs(&all, &asked).len();
    assert_eq!(run(&all, &asked, &mut ()).unwrap(), wanted);
    assert_eq!(
        run(&all, &asked, &mut ()).unwrap(),
        0,
        "nothing is made twice"
    );
    let page = write_results(&all, &asked).unwrap();
    assert_eq!(
        std::fs::read_to_string(folder.0.join("RESULTS.md")).unwrap(),
        page
    );
    for item in &ITEMS {
        assert!(page.contains(&format!("## {}: {}", item.place, item.title)));
    }
    // the paper's numbers, and pictures that exist
    for number in ["6.87e-5", "3.46e-2", "73.80", "32.79", "2.31e-7", "3.9e8"] {
        assert!(page.contains(number), "{number}");
    }
    let figures: Vec<&str> = page
        .split("](results")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
        .collect();
    assert!(figures.len() >= 9, "{figures:?}");
    for letter in ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "(g)", "(h)"] {
        assert!(page.contains(&format!("![{letter} ")), "figure {letter}");
    }
    for figure in figures {
        assert!(
            folder.0.join(format!("results{figure}")).is_file(),
            "{figure}"
        );
    }
    // every record has the figure that its table prints
    let store = Store::of(&asked);
    for (key, figure) in [
        ("poisson/psg-parity-0", "moving_average"),
        ("poisson/psg-parity-decay-0", "moving_average"),
        ("oscillation/psg-trained-0", "relative_l2"),
        ("scaled-sines/last-cos-parity-0", "best"),
        ("eigen-5/relu3-parity-0", "moving_average"),
        ("eigen-10/psg-parity-0", "eigenvalue"),
        ("eigen-5/psg-trained-0", "relative_l2"),
        ("eigen-10/open-0", "eigenvalue"),
        ("table1/camera-psg-0", "ssim"),
        ("between/camera-psg-0", "psnr_between"),
        ("table2/bikes-siren-0", "frames_deviation"),
        ("audio/bach-sine-0", "mse"),
        ("theorems/polynomial-2-1-3", "stated_parameters"),
    ] {
        let record = store.get(key).unwrap_or_else(|| panic!("no {key}"));
        assert!(
            record.figure(figure).is_some_and(f64::is_finite),
            "{key}: {figure}"
        );
    }
    let polynomial = store.get("theorems/polynomial-2-1-3").unwrap();
    assert_eq!(polynomial.figure("stated_parameters"), Some(925.0));
}

/// Stops the second run half way.
struct Stopper(usize);

impl Watch for Stopper {
    fn begins(&mut self, k: usize, _: usize, _: &str) {
        self.0 = k;
    }
    fn going_on(&mut self, _: f64, _: &str) -> bool {
        self.0 < 1
    }
}

#[test]
fn a_stopped_item_goes_on() {
    let folder = Folder::new("stopped");
    let asked = Asked {
        track: Some(Track::Parity),
        ..folder.asked()
    };
    let items = [Item::named("poisson").unwrap()];
    let all = runs(&items, &asked).len();
    let stopped = run(&items, &asked, &mut Stopper(0)).unwrap_err();
    assert!(matches!(stopped, PaperError::Stopped));
    assert_eq!(missing(&items, &asked).len(), all - 1);
    // fewer steps than are there already are not made again, other settings are
    let fewer = Asked {
        steps: Some(2),
        ..asked.clone()
    };
    assert_eq!(missing(&items, &fewer).len(), all - 1);
    let other = Asked {
        with: vec![("weight_decay".into(), "1e-3".into())],
        ..asked.clone()
    };
    assert_eq!(missing(&items, &other).len(), runs(&items, &other).len());
    assert_eq!(run(&items, &asked, &mut ()).unwrap(), all - 1);
}

/// Stops at the so-manieth step.
struct At(u64);

impl Watch for At {
    fn going_on(&mut self, _: f64, _: &str) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

const LONG: f64 = 1e6;

/// Says in a state that it took long to come to it; its first number are the seconds.
fn took_long(begun: &std::path::Path) {
    for file in std::fs::read_dir(begun).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "figures") {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[..8].copy_from_slice(&LONG.to_le_bytes());
            std::fs::write(&path, bytes).unwrap();
        }
    }
}

/// A run that was stopped half way goes on from there to the figures of an unbroken one.
#[test]
fn a_stopped_run_goes_on_to_the_same_figures() {
    // stopped at this step, so many are left; an eigenpair's error is taken every 100 steps
    for (item, key, at, left) in [
        ("poisson", "poisson/psg-parity-0", 2, 2),
        ("table1", "table1/camera-psg-0", 2, 2),
        ("eigen-5", "eigen-5/psg-parity-0", 150, 50),
    ] {
        let (broken, whole) = (Folder::new("broken"), Folder::new("whole"));
        let asked = |folder: &Folder| Asked {
            only: Some(key.into()),
            ..folder.asked()
        };
        let items = [Item::named(item).unwrap()];
        let stopped = run(&items, &asked(&broken), &mut At(at)).unwrap_err();
        assert!(matches!(stopped, PaperError::Stopped));
        let begun = broken.0.join("results/toy/.begun");
        assert_eq!(
            std::fs::read_dir(&begun).unwrap().count(),
            2,
            "a checkpoint and figures"
        );
        took_long(&begun);
        let mut steps = Counter(0);
        run(&items, &asked(&broken), &mut steps).unwrap();
        run(&items, &asked(&whole), &mut ()).unwrap();
        assert!(steps.0 <= left, "it went on: {} steps", steps.0);
        assert_eq!(std::fs::read_dir(&begun).unwrap().count(), 0);
        let [a, b] = [&broken, &whole].map(|f| Store::of(&asked(f)).get(key).unwrap());
        let [of_a, of_b] = [&a, &b].map(|r| r.seconds().unwrap());
        assert!(of_a >= LONG && of_b < LONG, "{key}: {of_a} s, {of_b} s");
        for figure in [
            "moving_average",
            "last",
            "relative_l2",
            "psnr",
            "mse",
            "psnr_best",
        ] {
            assert_eq!(a.figure(figure), b.figure(figure), "{key}: {figure}");
        }
    }
}

/// Counts steps.
struct Counter(usize);

impl Watch for Counter {
    fn going_on(&mut self, _: f64, _: &str) -> bool {
        self.0 += 1;
        true
    }
}

#[test]
fn the_same_seed_gives_the_same_figures_on_any_number_of_threads() {
    let figures = |threads: usize| {
        let folder = Folder::new(&format!("threads-{threads}"));
        let asked = Asked {
            threads,
            only: Some("psg-parity-0".into()),
            ..folder.asked()
        };
        run(&[Item::named("figure-b").unwrap()], &asked, &mut ()).unwrap();
        let record: Record = Store::of(&asked).get("poisson/psg-parity-0").unwrap();
        record.figure("moving_average").map(f64::to_bits)
    };
    assert!(figures(1).is_some());
    assert_eq!(figures(1), figures(3));
}

#[test]
fn names_stand_for_items() {
    assert_eq!(Item::named("figure-e").map(|i| i.id), Some("table4"));
    assert_eq!(Item::named("ntk").map(|i| i.id), Some("table5"));
    assert!(Item::named("table9").is_none());
    let columns: Vec<&str> = Item::all_named("table3").iter().map(|i| i.id).collect();
    assert!(columns.contains(&"regression") && columns.contains(&"eigen-10"));
    for item in &ITEMS {
        let none = item.runs(&Asked::quick(".")).is_empty();
        assert_eq!(none, item.id == "headline", "{}", item.id);
    }
}

/// What is said to one method is not said to another: no run is made again under another name for nothing.
#[test]
fn options_and_presets_go_where_they_mean_something() {
    let first =
        |item: &str, asked: &Asked| runs(&[Item::named(item).unwrap()], asked)[0].key.clone();
    let with = |name: &str, value: &str| Asked {
        with: vec![(name.into(), value.into())],
        ..Asked::quick(".")
    };
    let gradient = with("mode", "gradient");
    assert_eq!(
        first("eigen-5", &gradient),
        "eigen-5-mode-gradient/relu-parity-0"
    );
    assert_eq!(first("poisson", &gradient), "poisson/relu3-parity-0");
    let decay = with("weight_decay", "1e-3");
    assert_eq!(first("eigen-10", &decay), "eigen-10/relu-parity-0");
    assert_eq!(
        first("poisson", &decay),
        "poisson-weight_decay-1e-3/relu3-parity-0"
    );
    let code = Asked {
        preset: Preset::Code,
        ..Asked::quick(".")
    };
    assert_eq!(first("figure-g", &code), "eigen-5/relu-parity-0");
    assert_eq!(first("figure-b", &code), "poisson-code/relu3-parity-0");
    assert_eq!(first("audio", &code), "audio-code/bach-siren-0");
    assert_eq!(first("table1", &code), "table1/camera-siren-0");
}

/// The claims that the abstract draws from the tables, as far as they can be drawn.
#[test]
fn the_published_numbers_are_those_of_the_paper() {
    let fall = |column: &str, from: &str| {
        let of = |row| published::table_3(column, row).unwrap();
        100.0 * (1.0 - of("psg") / of(from))
    };
    assert!((fall("eigen-5", "relu3") - 99.3).abs() < 0.05);
    assert!((fall("eigen-10", "relu") - 76.0).abs() < 0.05);
    assert!((fall("poisson", "relu3") - 95.0).abs() < 0.05);
    assert!((fall("oscillation", "poly-sine") - 28.6).abs() < 0.05);
    let ratio = published::TABLE_1[3].1[1][0] / published::TABLE_1[0].1[1][0];
    assert!((100.0 * (ratio - 1.0) - 58.3).abs() < 0.05);
}
