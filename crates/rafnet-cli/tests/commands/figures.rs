//! `raf plot` and the files of `raf eval` for ParaView.

use crate::common::{Folder, printed, raf};

fn refused(arguments: &[&str]) -> String {
    let run = raf(arguments);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&run.stderr).into_owned()
}

/// A heat problem that was solved, and where.
fn solved(folder: &Folder, problem: &str) -> String {
    let run = folder.join(problem);
    let said = raf(&[
        "solve",
        problem,
        "--target",
        "1e-6",
        "--no-report",
        "--out",
        &run,
    ]);
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    run
}

fn drawn(arguments: &[&str]) -> Vec<u8> {
    let run = raf(&[&["plot"], arguments].concat());
    assert!(
        run.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    let place = arguments.iter().position(|a| *a == "-o").expect("a file");
    std::fs::read(arguments[place + 1]).expect("a figure")
}

/// The width of an SVG, in units of 1/96 inch.
fn width(svg: &str) -> f64 {
    let rest = svg.split("width=\"").nth(1).expect("a width");
    rest.split('"')
        .next()
        .expect("a width")
        .trim_end_matches("px")
        .parse()
        .expect("a number")
}

#[test]
fn figures_of_every_kind() {
    let folder = Folder::new("figures");
    let heat = solved(&folder, "heat");
    let curves = folder.join("curves.svg");
    let text = String::from_utf8(drawn(&[
        &heat,
        "--quantity",
        "-0.1*u_x",
        "--time",
        "0,0.5,1",
        "-o",
        &curves,
    ]))
    .expect("SVG");
    for words in ["t = 0.5", "-0.1*u_x"] {
        assert!(text.contains(words), "no `{words}`");
    }
    assert!(
        (width(&text) - 85.0 / 25.4 * 96.0).abs() < 1.0,
        "{}",
        width(&text)
    );
    let map = folder.join("map.svg");
    let text = String::from_utf8(drawn(&[&heat, "--width", "page", "-o", &map])).expect("SVG");
    assert!(
        (width(&text) - 175.0 / 25.4 * 96.0).abs() < 1.0,
        "{}",
        width(&text)
    );
    let lined = folder.join("contours.svg");
    let with = drawn(&[&heat, "--kind", "contours", "--width", "page", "-o", &lined]);
    assert!(with.len() > text.len() + 10_000, "level lines are drawn");
    let pdf = drawn(&[
        &heat,
        "--at",
        "x=0.5",
        "--log",
        "-o",
        &folder.join("line.pdf"),
    ]);
    assert!(pdf.starts_with(b"%PDF-"));
    let png = drawn(&[&heat, &heat, "--time", "1", "-o", &folder.join("two.png")]);
    assert!(png.starts_with(b"\x89PNG"));
    let gif = drawn(&[&heat, "--frames", "3", "-o", &folder.join("film.gif")]);
    assert!(gif.starts_with(b"GIF89a"));
    let mp4 = drawn(&[&heat, "--frames", "3", "-o", &folder.join("film.mp4")]);
    assert_eq!(&mp4[4..8], b"ftyp");
    for (arguments, words) in [
        (&["--quantity", "u_y", "-o", "a.pdf"][..], "u_y"),
        (&["--quantity", "u", "-o", "a.jpg"], "a.pdf"),
        (&["-o", "a.vtu"], "raf eval"),
        (&["--at", "y=1", "-o", "a.pdf"], "no coordinate `y`"),
        (
            &["--at", "x=0.5,t=1", "-o", "a.pdf"],
            "nothing to draw over",
        ),
        (&["--width", "3", "-o", "a.pdf"], "30 to 1000"),
        (&["--kind", "arrows", "-o", "a.pdf"], "two components"),
        (&["--time", "noon", "-o", "a.pdf"], "expected a number"),
        (&["--log", "-o", "a.pdf"], "log(abs(u))/log(10)"),
        (&["-o", "missing/folder/a.pdf"], "missing/folder"),
    ] {
        let said = refused(&[&["plot", &heat], arguments].concat());
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

/// A number behind a name in an element of a VTK file.
fn attribute(text: &str, name: &str) -> usize {
    let rest = text
        .split(&format!("{name}=\""))
        .nth(1)
        .expect("the attribute");
    rest.split('"')
        .next()
        .expect("a number")
        .parse()
        .expect("a number")
}

/// The numbers of an array of doubles, by its name.
fn array(file: &[u8], name: &str) -> Vec<f64> {
    let text = String::from_utf8_lossy(file);
    let element = text
        .split(&format!("Name=\"{name}\""))
        .nth(1)
        .expect("the array");
    let offset = attribute(element, "offset");
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let begin = file
        .windows(mark.len())
        .position(|w| w == mark)
        .expect("data")
        + mark.len()
        + offset;
    let eight = |at: usize| <[u8; 8]>::try_from(&file[at..at + 8]).expect("eight bytes");
    let bytes = usize::try_from(u64::from_le_bytes(eight(begin))).expect("a length");
    (0..bytes / 8)
        .map(|k| f64::from_le_bytes(eight(begin + 8 * (k + 1))))
        .collect()
}

/// A ring on a grid: points outside are left out, the others have the values of `raf eval` at them.
#[test]
fn a_grid_for_paraview() {
    let folder = Folder::new("paraview");
    let ring = solved(&folder, "annulus");
    let file = folder.join("ring.vtu");
    let run = printed(&raf(&[
        "eval",
        &ring,
        "--grid",
        "41x41",
        "--columns",
        "u, u_x",
        "-o",
        &file,
        "--json",
    ]));
    let (points, outside) = (
        run["points"].as_u64().expect("points"),
        run["outside"].as_u64().expect("some outside"),
    );
    let bytes = std::fs::read(&file).expect("a file");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let kept = attribute(&text, "NumberOfPoints");
    assert_eq!(kept as u64, points - outside);
    assert!(outside > 0 && attribute(&text, "NumberOfCells") > kept / 2);
    let (places, values) = (array(&bytes, "Points"), array(&bytes, "u"));
    assert_eq!((places.len(), values.len()), (3 * kept, kept));
    for k in [0, kept / 2, kept - 1] {
        let at = format!("x={:?}, y={:?}", places[3 * k], places[3 * k + 1]);
        let found = printed(&raf(&["eval", &ring, "--at", &at, "--json"]));
        let value = found["values"][0][0].as_f64().expect("a value");
        assert!(
            (value - values[k]).abs() <= 1e-14 * value.abs(),
            "{at}: {value} and {}",
            values[k]
        );
    }
    let heat = solved(&folder, "heat");
    let list = folder.join("heat.pvd");
    let run = raf(&[
        "eval", &heat, "--grid", "21", "--time", "0,0.5,1", "-o", &list,
    ]);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let text = std::fs::read_to_string(&list).expect("a list");
    assert!(
        text.contains("timestep=\"0.5\"") && text.contains("file=\"heat-0001.vtu\""),
        "{text}"
    );
    let middle = std::fs::read(folder.join("heat-0001.vtu")).expect("a grid");
    assert_eq!(array(&middle, "u").len(), 21);
    for (arguments, words) in [
        (
            &["--grid", "21x21", "--time", "0,1", "-o", "a.vtu"][..],
            ".pvd",
        ),
        (&["--grid", "21x21", "-o", "a.pvd"], "--time 0,0.5,1"),
        (&["--at", "x=1,t=1", "-o", "a.vtu"], "--grid"),
    ] {
        let said = refused(&[&["eval", &heat], arguments].concat());
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
