//! Order of coordinates, defaults, parameters, domains, data, and files.

use super::{at, read, refused};
use rafnet::expr::Leaf;
use rafnet::problem::Problem;

#[test]
fn coordinates_keep_their_order() {
    let text = |bounds: &str| {
        format!(
            "[domain]\nkind = \"box\"\n{bounds}\ntime = \"t\"\n[equation]\nresidual = \"u - x + 2*t\"\n"
        )
    };
    let problem = read(&text("x = [0, 1]\nt = [0, 2]"));
    assert_eq!(
        (problem.coordinates.as_slice(), problem.time),
        (&["x".to_owned(), "t".into()][..], Some(1))
    );
    assert_eq!(problem.domain.bounds(), [[0.0, 1.0], [0.0, 2.0]]);
    let problem = read(&text("z = [0, 3]\nt = [0, 2]\nx = [0, 1]"));
    assert_eq!(
        (problem.coordinates.join(" "), problem.time),
        ("z t x".into(), Some(1))
    );
    assert_eq!(
        problem.domain.bounds(),
        [[0.0, 3.0], [0.0, 2.0], [0.0, 1.0]]
    );
    assert_eq!(problem.domain.time_axis(), Some(1));
}

#[test]
fn every_kind_of_domain_has_its_coordinates() {
    for (domain, coordinates, measure) in [
        (
            "kind = \"interval\"\nz = [\"-pi\", \"pi\"]",
            "z",
            2.0 * std::f64::consts::PI,
        ),
        (
            "kind = \"box\"\ndimension = 3\neach = [0, 2]",
            "x1 x2 x3",
            8.0,
        ),
        ("kind = \"ball\"", "x y", std::f64::consts::PI),
        (
            "kind = \"ball\"\ncenter = [1, 2, 3]\nradius = 2",
            "x y z",
            32.0 / 3.0 * std::f64::consts::PI,
        ),
        (
            "kind = \"ball\"\ncoordinates = [\"p\", \"q\"]\nradius = \"sqrt(2)\"",
            "p q",
            2.0 * std::f64::consts::PI,
        ),
        (
            "kind = \"ball\"\ndimension = 4",
            "x1 x2 x3 x4",
            std::f64::consts::PI.powi(2) / 2.0,
        ),
        (
            "kind = \"annulus\"\ninner = 1\nouter = 2",
            "x y",
            3.0 * std::f64::consts::PI,
        ),
        (
            "kind = \"polygon\"\nvertices = [[0, 0], [2, 0], [0, 2]]",
            "x y",
            2.0,
        ),
        (
            "kind = \"ball\"\ntime = \"t\"\nt = [0, 3]",
            "x y t",
            3.0 * std::f64::consts::PI,
        ),
        (
            "kind = \"ball\"\ntime = \"t\"\nt = [0, 3]\ncoordinates = [\"x\", \"y\"]",
            "t x y",
            3.0 * std::f64::consts::PI,
        ),
        (
            "kind = \"difference\"\nparts = [{ kind = \"box\", x = [-1, 1], y = [-2, 2] }, { kind = \"box\", y = [0, 3], x = [0, 1] }]",
            "x y",
            6.0,
        ),
    ] {
        let problem = read(&format!(
            "[domain]\n{domain}\n[equation]\nresidual = \"u - 1\"\n"
        ));
        assert_eq!(problem.coordinates.join(" "), coordinates, "{domain}");
        // combined shapes measure themselves by sampling
        let tolerance = if domain.contains("parts") {
            1e-2
        } else {
            1e-13
        };
        assert!(
            (problem.domain.measure() / measure - 1.0).abs() < tolerance,
            "{domain}"
        );
    }
}

#[test]
fn parameters_and_functions_use_each_other() {
    let problem = read(
        "[domain]\nkind = \"interval\"\nx = [0, \"length\"]\n[parameters]\nlength = \"2*half\"\nhalf = \"c[2]/2\"\n\
         c = [0.5, \"3*third\"]\nthird = \"1/3\"\nk = { find = true, start = 2.5 }\ntwice = \"2*k\"\n\
         [functions]\nq = \"half*p + x\"\np = \"x^2\"\n[equation]\nresidual = \"u - q - twice\"\n",
    );
    assert_eq!(problem.domain.bounds(), [[0.0, 1.0]]);
    assert_eq!(problem.sought[0].start.to_bits(), 2.5f64.to_bits());
    let value = problem.equations[0].eval(&|leaf: &Leaf| match leaf {
        Leaf::Coordinate(_) => 3.0,
        Leaf::Parameter(0) => 7.0,
        _ => 100.0,
    });
    assert_eq!(value.to_bits(), (100.0f64 - (4.5 + 3.0) - 14.0).to_bits());
}

#[test]
fn small_tables_are_read() {
    let problem = read(
        "name = \"n\"\n[domain]\nkind = \"ball\"\n[equation]\nresidual = \"laplacian(u) - u^2\"\n[boundary]\non = \"all\"\ndirichlet = 1\n\
         [features]\nr = \"sqrt(x^2 + y^2)\"\n[ansatz]\nfactor = \"1 - r\"\n[guess]\nu = \"1 + x\"\n\
         [network]\nwidth = 64\ninit-scale = 0.5\nactivation = [\"psg\", \"sine\"]\n[solver]\nmethod = \"lsq\"\n",
    );
    let point = [0.6, 0.8 / 2.0];
    assert_eq!(problem.name, "n");
    assert_eq!(problem.features[0].0, "r");
    let (factor, lift) = problem.ansatz[0].as_ref().expect("an ansatz");
    super::close(at(factor, &point, &[]), 1.0 - 0.52f64.sqrt(), 1.0, 2.0);
    assert_eq!(lift.constant(), Some(0.0));
    super::close(
        at(problem.guess[0].as_ref().expect("a guess"), &point, &[]),
        1.6,
        1.0,
        2.0,
    );
    let options: Vec<String> = problem
        .options
        .iter()
        .map(|(k, v)| format!("{k}={v}"))
        .collect();
    assert_eq!(
        options,
        [
            "width=64",
            "init_scale=0.5",
            "activation=psg,sine",
            "method=lsq"
        ]
    );
    assert_eq!(
        read("[domain]\nkind = \"ball\"\n[equation]\nresidual = \"u\"\n").name,
        "test"
    );
}

#[test]
fn data_come_from_rows_and_files() {
    let head = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n\
                [equation]\nresidual = [\"u_t - v*u_x\"]\n";
    let rows = read(&format!(
        "{head}[[data]]\nrows = [[0.5, 0.25, 1, \"\"], [0.75, 1, \"1/2\", nan]]\nsigma = 0.1\n\
         [[data]]\nobserve = \"v*u_x\"\nrows = [[0, 0, 3]]\n"
    ));
    assert_eq!(rows.data.len(), 2, "v was not observed");
    assert_eq!(
        (
            rows.data[0].points.as_slice(),
            rows.data[0].values.as_slice()
        ),
        (&[0.5, 0.25, 0.75, 1.0][..], &[1.0, 0.5][..])
    );
    assert_eq!((rows.data[0].sigma, rows.data[1].sigma), (Some(0.1), None));
    assert_eq!(rows.data[1].observe.jets().len(), 2);

    let folder = std::env::temp_dir().join(format!("rafnet-problem-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("points.csv"),
        "# measured\nt, v, u, x\n0.25, 2, 1, 0.5\r\n1, , 0.5, 0.75\n",
    )
    .expect("a table");
    std::fs::write(
        folder.join("p.toml"),
        format!("{head}[data]\nfile = \"points.csv\"\n"),
    )
    .expect("a file");
    let problem =
        Problem::from_file(folder.join("p.toml")).unwrap_or_else(|error| panic!("{error}"));
    let by_unknown = |k: usize| {
        problem
            .data
            .iter()
            .find(|data| data.observe.as_leaf() == Some(&Leaf::jet(k, &[])))
    };
    let (u, v) = (by_unknown(0).expect("u"), by_unknown(1).expect("v"));
    assert_eq!(
        (u.points.as_slice(), u.values.as_slice()),
        (&[0.5, 0.25, 0.75, 1.0][..], &[1.0, 0.5][..])
    );
    assert_eq!(
        (v.points.as_slice(), v.values.as_slice()),
        (&[0.5, 0.25][..], &[2.0][..]),
        "an empty cell is not observed"
    );
    assert_eq!(problem.name, "p");
    let head_of = |text: &str| text.lines().next().expect("a line").to_owned();
    for (table, message) in [
        ("", "points.csv: the data are empty"),
        ("x,t\n0,0\n", "points.csv:1: the data have no column `u`"),
        ("x,u\n0,0\n", "points.csv:1: the data have no column `t`"),
        (
            "x,t,w\n0,0,1\n",
            "points.csv:1: unknown column `w` in the data",
        ),
        (
            "x,t,x\n0,0,1\n",
            "points.csv:1: the column `x` is there twice",
        ),
        (
            "x,t,u\n0,0,1\n0,0\n",
            "points.csv:3: row 2 has 2 entries, expected 3: x, t, u",
        ),
        (
            "x,t,u\n0,0,1\n0,zero,1\n",
            "points.csv:3: `zero` in column `t` is not a finite number",
        ),
        (
            "x,t,u\n5,0,1\n",
            "points.csv:2: the data point x = 5, t = 0 lies outside the domain",
        ),
    ] {
        std::fs::write(folder.join("points.csv"), table).expect("a table");
        let error = Problem::from_file(folder.join("p.toml"))
            .err()
            .expect(message);
        assert_eq!(head_of(&error.to_string()), message);
    }
    std::fs::remove_dir_all(&folder).expect("a folder of our own");
    let missing = Problem::from_file(folder.join("p.toml"))
        .err()
        .expect("nothing there");
    assert!(
        missing
            .to_string()
            .contains("p.toml: there is no such file")
    );
}

#[test]
fn a_coordinate_called_t_draws_a_warning() {
    let problem = read(
        "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\n[equation]\nresidual = \"u - x*t\"\n",
    );
    assert_eq!(problem.warnings().len(), 1);
    assert!(problem.warnings()[0].contains("time = \"t\""));
}

#[test]
fn names_declared_by_the_user_win() {
    let problem = read(
        "[domain]\nkind = \"interval\"\nx = [0, 1]\n[parameters]\ne = 5\nf = 2\n[equation]\nresidual = \"u - e - f\"\n",
    );
    let value = problem.equations[0].eval(&|_: &Leaf| 0.0);
    assert_eq!(value.to_bits(), (-7f64).to_bits());
}

#[test]
fn absurd_sizes_are_refused_at_once() {
    for (domain, what) in [
        (
            "kind = \"box\"\ndimension = 1000000000\neach = [0, 1]",
            "`dimension` is 1000000000, the limit is 1000",
        ),
        ("kind = \"ball\"\ndimension = 1e300", "`dimension` is 1"),
        (
            "kind = \"ball\"\ndimension = -3",
            "`dimension` is -3, expected a whole number from 1",
        ),
    ] {
        let message = refused(&format!(
            "[domain]\n{domain}\n[equation]\nresidual = \"u - 1\"\n"
        ));
        assert!(message.contains(what), "{message}");
    }
}
