//! `--device reference` runs every command that computes a network, and agrees with `--device cpu`.

use crate::common::{Folder, printed, raf};
use serde_json::Value;

const DEVICES: [&str; 2] = ["cpu", "reference"];

/// The same command on both devices.
fn both(arguments: &dyn Fn(&str) -> Vec<String>) -> [Value; 2] {
    DEVICES.map(|device| {
        let mut all = arguments(device);
        all.extend(["--device", device, "--json"].map(str::to_owned));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let run = raf(&all);
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(matches!(run.status.code(), Some(0 | 1)), "{all:?}: {said}");
        let answer = printed(&run);
        assert_eq!(answer["device"], device, "{answer}");
        answer
    })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn near(what: &str, a: &Value, b: &Value, tolerance: f64) {
    let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else {
        panic!("{what}: {a} and {b} should be numbers");
    };
    assert!(
        (a - b).abs() <= tolerance * a.abs().max(b.abs()),
        "{what}: {a} and {b}"
    );
}

#[test]
fn both_devices_run_every_command() {
    let folder = Folder::new("devices");
    let solve = "solve poisson-smooth --method lbfgs --width 10 --depth 2 --points 80 --steps 60 --seed 3 --out";
    let solved = both(&|device| [words(solve), vec![folder.join(device)]].concat());
    // rounding differs, and sixty steps amplify it
    near(
        "solve",
        &solved[0]["relative_l2"],
        &solved[1]["relative_l2"],
        2e-2,
    );
    assert!(
        solved[1]["relative_l2"].as_f64().is_some_and(|e| e < 0.2),
        "{}",
        solved[1]
    );

    let model = folder.join("cpu/model.safetensors");
    let table = |device: &str| folder.join(&format!("{device}.csv"));
    both(&|device| {
        let grid = words("--grid 5x4 --derivatives gradient,laplacian -o");
        [
            words("eval"),
            vec![model.clone()],
            grid,
            vec![table(device)],
        ]
        .concat()
    });
    let numbers = DEVICES.map(|device| {
        let text = std::fs::read_to_string(table(device)).expect("a table");
        let cells = text.lines().skip(1).flat_map(|line| line.split(','));
        cells
            .map(|v| v.parse::<f64>().expect("a number"))
            .collect::<Vec<f64>>()
    });
    assert!(numbers[0].len() == numbers[1].len() && numbers[0].len() >= 20 * 4);
    for (a, b) in numbers[0].iter().zip(&numbers[1]) {
        assert!((a - b).abs() <= 1e-11 * (1.0 + a.abs()), "{a} and {b}");
    }

    let ntk = "ntk poisson-smooth --width 8 --points 12 --out";
    let kernels =
        both(&|device| [words(ntk), vec![folder.join(&format!("ntk-{device}"))]].concat());
    let number = |k: usize| &kernels[k]["kernels"][0]["condition_number"];
    near("ntk", number(0), number(1), 1e-6);

    let fit = "fit image --size 12x12 --width 8 --depth 2 --steps 20 --seed 1 --out";
    let fitted = both(&|device| [words(fit), vec![folder.join(&format!("fit-{device}"))]].concat());
    near("fit", &fitted[0]["psnr"], &fitted[1]["psnr"], 1e-2);

    let picture = folder.join("fit-cpu/model.safetensors");
    both(&|device| {
        let output = folder.join(&format!("{device}.png"));
        [
            words("render"),
            vec![picture.clone()],
            words("-o"),
            vec![output],
        ]
        .concat()
    });
    let pictures = DEVICES
        .map(|device| std::fs::read(folder.join(&format!("{device}.png"))).expect("a picture"));
    assert_eq!(pictures[0].len(), pictures[1].len());
}

/// The search over frozen layers, too; its answer has more digits than any trained one.
#[test]
fn frozen_layers_are_solved_on_both_devices() {
    let folder = Folder::new("devices-lsq");
    let problem = folder.join("sines.toml");
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u) + 2*pi^2*u_\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n[exact]\nu = \"u_\"\n";
    std::fs::write(&problem, text.replace("u_", "sin(pi*x)*sin(pi*y)")).expect("a problem file");
    let solve = format!("solve {problem} --method lsq --width 120 --threads 1 --out");
    let solved = both(&|device| [words(&solve), vec![folder.join(device)]].concat());
    let values = DEVICES.map(|device| {
        let model = folder.join(&format!("{device}/model.safetensors"));
        let table = folder.join(&format!("{device}.csv"));
        let run = raf(&["eval", &model, "--grid", "9x9", "-o", &table]);
        assert!(run.status.success());
        let text = std::fs::read_to_string(table).expect("a table");
        let cells = text.lines().skip(1).flat_map(|line| line.split(','));
        cells
            .map(|v| v.parse::<f64>().expect("a number"))
            .collect::<Vec<f64>>()
    });
    assert!(values[0].len() >= 81 && values[0].len() == values[1].len());
    for (a, b) in values[0].iter().zip(&values[1]) {
        assert!((a - b).abs() <= 1e-12, "{a} and {b}");
    }
    assert!(solved[0]["relative_l2"].as_f64().is_some_and(|e| e < 1e-12));
    assert_ne!(solved[0]["residual"], solved[1]["residual"], "other code");
}

#[test]
fn an_unknown_device_is_refused() {
    for command in [
        "solve poisson-smooth",
        "fit image",
        "ntk poisson-smooth",
        "bench",
    ] {
        let mut all = words(command);
        all.extend(words("--device vulkan"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let run = raf(&all);
        assert_eq!(run.status.code(), Some(2), "{command}");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(
            said.contains("vulkan")
                && ["cpu", "cuda:K", "reference"]
                    .iter()
                    .all(|known| said.contains(known)),
            "{said}"
        );
    }
}

/// Where there is no card, what asks for one is told what is missing and what to do; `raf devices` says the same, and is content.
#[test]
fn a_card_that_is_not_there_is_named() {
    let list = raf(&["devices"]);
    assert_eq!(list.status.code(), Some(0));
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(
        list.contains("cpu ") && list.contains("reference "),
        "{list}"
    );
    if list.contains("cuda:0") {
        return;
    }
    assert!(list.contains("no cuda: "), "{list}");
    let folder = Folder::new("no-card");
    for command in [
        "solve poisson-smooth --method adam --steps 5 --out",
        "fit image --steps 5 --out",
        "ntk poisson-smooth --out",
    ] {
        let mut all = words(command);
        all.push(folder.join("run"));
        all.extend(words("--device cuda"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let run = raf(&all);
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{command}: {said}");
        assert!(
            said.contains("NVIDIA driver") && said.contains("--device cpu"),
            "{command}: {said}"
        );
        let made = folder.join("run");
        assert!(!std::path::Path::new(&made).exists(), "{command}: {made}");
    }
    // frozen layers are the processor's
    let out = folder.join("run");
    let run = raf(&["solve", "poisson-smooth", "--device", "cuda", "--out", &out]);
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.code() == Some(2)
            && said.contains("frozen layers")
            && said.contains("--method adam"),
        "{said}"
    );
}
