//! `raf devices`: what can compute here.

use crate::output::Report;
use rafnet_cuda::{Card, Listed, compiler_found};
use serde_json::{Value, json};
use std::fmt::Write;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  raf devices
  raf fit picture.png --device cuda
  raf solve burgers.toml --method adam --device cuda:1

Cards are found through NVIDIA's driver, and kernels are compiled with NVRTC: both are looked for in the folders of
RAFNET_CUDA_LIBRARIES, where the loader looks, in the CUDA toolkit and among Python's packages (nvidia-cuda-nvrtc).")]
pub(crate) struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run() -> Report {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = format!(
        "cpu        this processor, {threads} {}\n",
        if threads == 1 { "thread" } else { "threads" }
    );
    let mut all = vec![json!({ "device": "cpu", "threads": threads })];
    let compiler = compiler_found();
    let cards = Card::list();
    for card in cards.iter().flatten() {
        let _ = writeln!(text, "{}", line(card));
        all.push(values(card));
    }
    text.push_str("reference  one point at a time, for tests\n");
    all.push(json!({ "device": "reference" }));
    // what keeps a card from being used; a machine without one says so in a line of its own
    let missing = cards.as_ref().err().or(compiler.as_ref().err());
    let missing = missing.map(ToString::to_string);
    if let Some(missing) = &missing {
        let _ = writeln!(text, "no cuda: {missing}");
    } else if let Ok(compiler) = &compiler {
        let _ = writeln!(text, "kernels are compiled by {compiler}");
    }
    Report {
        text,
        json: json!({ "devices": all, "compiler": compiler.ok(), "missing": missing }),
        status: 0,
    }
}

/// A card in a line.
fn line(card: &Listed) -> String {
    const GIB: f64 = (1u64 << 30) as f64;
    let facts = &card.facts;
    let (major, minor) = facts.capability;
    let free = card.free.map_or_else(
        || "does not let this process in".to_owned(),
        |free| format!("{:.0} free", free as f64 / GIB),
    );
    let clock = card
        .clock
        .map_or_else(String::new, |mhz| format!(", up to {mhz} MHz"));
    format!(
        "cuda:{:<5} {}, {:.0} GiB ({free}), {} multiprocessors{clock}, compute capability {major}.{minor}, driver {}",
        card.ordinal,
        facts.name,
        facts.memory as f64 / GIB,
        facts.multiprocessors,
        card.driver
    )
}

fn values(card: &Listed) -> Value {
    json!({
        "device": format!("cuda:{}", card.ordinal),
        "name": card.facts.name,
        "memory": card.facts.memory,
        "free": card.free,
        "multiprocessors": card.facts.multiprocessors,
        "megahertz": card.clock,
        "capability": format!("{}.{}", card.facts.capability.0, card.facts.capability.1),
        "driver": card.driver,
    })
}
