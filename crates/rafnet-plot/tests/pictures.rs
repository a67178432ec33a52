//! Pictures of every kind; with `RAF_PICTURES=FOLDER` they stay there to be looked at.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rafnet_plot::{Colours, Curve, HeatMap, Plot, PlotError, Scale};
use rafnet_plot::{Panel, convergence, curves, figure, heat_map, panels, pixels};
use std::path::{Path, PathBuf};

/// A folder for the pictures: that of `RAF_PICTURES` if they are to be looked at, else one that goes away.
struct Folder(PathBuf, bool);

impl Folder {
    fn new(name: &str) -> Self {
        let kept = std::env::var_os("RAF_PICTURES").map(PathBuf::from);
        let stays = kept.is_some();
        let folder = kept.unwrap_or_else(std::env::temp_dir);
        let folder = folder.join(format!("raf-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder, stays)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.1 {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }
}

fn size(path: &Path) -> (u32, u32) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    (reader.info().width, reader.info().height)
}

const N: usize = 101;

fn grid(f: &dyn Fn(f64, f64) -> f64) -> Vec<f64> {
    let place = |k: usize| k as f64 / (N - 1) as f64;
    let all = (0..N).flat_map(|i| (0..N).map(move |j| (i, j)));
    all.map(|(i, j)| f(2.0 * place(i), place(j))).collect()
}

#[test]
fn fields() {
    let folder = Folder::new("fields");
    let waves = grid(&|x, y| (3.0 * x).sin() * (6.0 * y).cos() * 0.123);
    let holed = grid(&|x, y| {
        let hole = (x - 1.0).hypot(y - 0.5) < 0.3;
        if hole {
            f64::NAN
        } else {
            1e-15 * (x - 0.4 - y)
        }
    });
    let (flat, none) = (grid(&|_, _| 1.5), grid(&|_, _| f64::NAN));
    let wide = [[0.0, 2.0], [0.0, 1.0]];
    for (name, values, colours, ranges) in [
        ("waves", &waves, Colours::Sequential, wide),
        ("holed", &holed, Colours::Diverging, wide),
        (
            "flat",
            &flat,
            Colours::Sequential,
            [[-1.0, 1.0], [0.0, 100.0]],
        ),
        (
            "none",
            &none,
            Colours::Sequential,
            [[-1.0, 1.0], [0.0, 4.0]],
        ),
    ] {
        let path = folder.file(&format!("{name}.png"));
        let map = HeatMap {
            values,
            size: [N, N],
            ranges,
            labels: ["x", "y"],
            title: &format!("{name}: u(x, y), relative L2 1.3e-14"),
            colours,
            outlines: &[[[-0.5, 0.5], [0.5, 1.0]]],
        };
        heat_map(&path, &map).unwrap();
        let (width, height) = size(&path);
        assert!((300..1200).contains(&width), "{name}: {width}");
        assert!((250..900).contains(&height), "{name}: {height}");
        for vector in ["svg", "pdf"] {
            heat_map(&folder.file(&format!("{name}.{vector}")), &map).unwrap();
        }
    }
    let svg = std::fs::read_to_string(folder.file("holed.svg")).unwrap();
    assert!(svg.contains("1·10⁻¹⁵"), "the bar's ticks");
    // x to 0.5 of 2 and y from 0.5 of 1 on, in a drawing of 420 by 210
    let outline = svg
        .split("<rect")
        .find(|r| r.contains(r#"stroke-width="0.7"#));
    let outline = outline.unwrap();
    let side = |name: &str| -> f64 {
        let text = outline.split(&format!(" {name}=\"")).nth(1).unwrap();
        text.split('"').next().unwrap().parse().unwrap()
    };
    assert!((side("width") - 105.0).abs() < 1.0, "{outline}");
    assert!((side("height") - 105.0).abs() < 1.0, "{outline}");
}

#[test]
fn lines() {
    let folder = Folder::new("lines");
    let x: Vec<f64> = (0..400).map(|k| f64::from(k) / 399.0).collect();
    let u: Vec<f64> = x.iter().map(|x| (12.0 * x).sin() * x).collect();
    let gap = |x: &f64| {
        if (0.4..0.5).contains(x) {
            f64::NAN
        } else {
            0.5 - x * x
        }
    };
    let broken: Vec<f64> = x.iter().map(gap).collect();
    let plot = Plot {
        curves: &[
            Curve::new("solution", &x, &u),
            Curve::new("with a gap", &x, &broken),
        ],
        title: "u over x",
        labels: ["x", "u"],
        scales: [Scale::Linear; 2],
    };
    for name in ["curves.png", "curves.svg", "curves.pdf"] {
        curves(&folder.file(name), &plot).unwrap();
    }
    let dot = [Curve::new("", &[1.0], &[0.0])];
    curves(
        &folder.file("dot.png"),
        &Plot {
            curves: &dot,
            ..plot
        },
    )
    .unwrap();
    convergence(&folder.file("empty.png"), "nothing", ["step", "loss"], &[]).unwrap();
}

/// Six activations over the steps, with bands, in one plot and as panels.
#[test]
fn training() {
    let folder = Folder::new("training");
    let steps: Vec<f64> = (1..=1000).map(|k| f64::from(k) * 100.0).collect();
    let names = [
        "ReLU³",
        "x + x²",
        "x + x² + ReLU",
        "x + x² + ReLU³",
        "x + x² + sin",
        "PSG",
    ];
    let fall = |k: usize, f: f64| -> Vec<f64> {
        let floor = 10f64.powf(-2.0 - k as f64) * f;
        let error = |s: &f64| (-s / 9e3).exp() * (1.3 + (s / 7e3).sin()) * f + floor;
        steps.iter().map(error).collect()
    };
    let values: Vec<[Vec<f64>; 3]> = (0..names.len())
        .map(|k| [1.0, 0.5, 2.0].map(|f| fall(k, f)))
        .collect();
    let pairs = names.iter().zip(&values);
    let shown: Vec<Curve<'_>> = pairs
        .map(|(name, [y, low, high])| Curve::new(name, &steps, y).with_band(low, high))
        .collect();
    let labels = ["step", "relative L2 error"];
    for name in ["convergence.png", "convergence.svg", "convergence.pdf"] {
        convergence(&folder.file(name), "Poisson", labels, &shown).unwrap();
    }
    let plot = Plot {
        curves: &shown[..3],
        title: "Poisson",
        labels,
        scales: [Scale::Linear, Scale::Logarithmic],
    };
    for name in ["panels.png", "panels.svg", "panels.pdf"] {
        panels(&folder.file(name), "training", 2, &[plot, plot, plot]).unwrap();
    }
    let svg = std::fs::read_to_string(folder.file("convergence.svg")).unwrap();
    for text in [
        "x + x² + sin",
        "relative L2 error",
        "10⁻⁴",
        "100\u{2009}000",
    ] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let map = HeatMap {
        values: &[1.0, 2.0, 3.0],
        size: [2, 2],
        ranges: [[0.0, 1.0], [0.0, 1.0]],
        labels: ["x", "y"],
        title: "",
        colours: Colours::Sequential,
        outlines: &[],
    };
    let refused =
        |map: &HeatMap<'_>, path: &str| heat_map(Path::new(path), map).unwrap_err().to_string();
    assert_eq!(
        refused(&map, "a.png"),
        "the picture has 3 values; expected 4"
    );
    let map = HeatMap {
        values: &[1.0, 2.0, 3.0, 4.0],
        ..map
    };
    let nowhere = refused(&map, "no/such/folder/a.png");
    assert!(nowhere.contains("cannot write the picture `no/such/folder/a.png`"));
    assert!(refused(&map, "a.jpg").contains(".svg, .png or .pdf"));
    let map = HeatMap {
        ranges: [[0.0, 1.0], [1.0, 1.0]],
        ..map
    };
    assert!(refused(&map, "a.png").starts_with("the range of y is [1.0, 1.0]"));
    let short = [Curve::new("", &[0.0, 1.0], &[0.0])];
    let found = convergence(Path::new("a.png"), "", ["x", "y"], &short).unwrap_err();
    assert!(matches!(
        found,
        PlotError::Values {
            found: 1,
            expected: 2,
            ..
        }
    ));
}

/// A figure is as wide as asked, a map ends at its outline, frames have the size of their drawing.
#[test]
fn figures_of_a_width() {
    let folder = Folder::new("figures");
    let values = grid(&|x, y| x * y);
    let field = HeatMap {
        values: &values,
        size: [N, N],
        ranges: [[0.0, 2.0], [0.0, 1.0]],
        labels: ["x", "y"],
        title: "",
        colours: Colours::Sequential,
        outlines: &[],
    };
    let inside = |[x, y]: [f64; 2]| (x - 1.0).hypot(y - 0.5) > 0.3;
    let map = |inside| Panel::Map {
        field,
        contours: true,
        arrows: Some([&values, &values]),
        inside,
        range: None,
    };
    let whole = map(&|_| true);
    let with_hole = map(&inside);
    let white = |panel: Panel<'_>| {
        let ([width, height], rgb) = pixels(&[panel], 1, 85.0).unwrap();
        assert_eq!(rgb.len(), 3 * width * height);
        assert!(
            (width as f64 - 1.5 * 85.0 / 25.4 * 96.0).abs() < 2.0,
            "{width}"
        );
        rgb.chunks(3).filter(|p| **p == [255; 3]).count()
    };
    assert!(white(with_hole) > white(whole) + 1_000);
    let (x, y) = ([0.0, 1.0, 2.0], [1.0, 3.0, 2.0]);
    let shown = [Curve::new("one", &x, &y), Curve::new("two", &y, &x)];
    let plot = Plot {
        curves: &shown,
        title: "",
        labels: ["x", "y"],
        scales: [Scale::Linear; 2],
    };
    for name in ["page.svg", "page.pdf", "page.png"] {
        figure(
            &folder.file(name),
            &[with_hole, Panel::Curves(plot)],
            2,
            175.0,
        )
        .unwrap();
    }
    let (width, _) = size(&folder.file("page.png"));
    assert!(
        (f64::from(width) - 175.0 / 25.4 * 300.0).abs() < 4.0,
        "{width}"
    );
}
