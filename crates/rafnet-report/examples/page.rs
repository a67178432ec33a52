//! The page of runs, as `raf report` writes it: `cargo run --release -p rafnet-report --example page -- RUN… page.html`.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let output = paths
        .pop()
        .ok_or("the folders of runs, then the page's file")?;
    let page = rafnet_report::page(&paths)?;
    rafnet_report::write(&page, &output)?;
    Ok(())
}
