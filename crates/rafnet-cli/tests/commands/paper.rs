//! `raf paper` from the command line; what the items compute is tested in `rafnet-paper`.

use crate::common::{Folder, printed, raf};

#[test]
fn an_item_leaves_its_page_and_its_records() {
    let folder = Folder::new("paper");
    let out = folder.join("out");
    let arguments = [
        "paper", "theorems", "--budget", "full", "--out", &out, "--json",
    ];
    let said = printed(&raf(&arguments));
    assert_eq!(said["outcome"], "done");
    let runs = said["runs"].as_array().expect("runs").len();
    assert_eq!(said["made"], runs);
    let page = std::fs::read_to_string(folder.join("out/RESULTS.md")).expect("a page");
    assert!(page.contains("| Theorem 3 |") && page.contains("925"));
    assert_eq!(printed(&raf(&arguments))["made"], 0);
}

#[test]
fn everything_is_listed() {
    let items = printed(&raf(&["paper", "--list", "--json"]));
    let items = items["items"].as_array().expect("items");
    for name in [
        "table1", "table2", "table3", "table4", "table5", "audio", "theorems", "headline",
    ] {
        assert!(items.iter().any(|i| i["item"] == name), "{name}");
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    for (arguments, expected) in [
        (vec!["paper", "table9"], "there is no item `table9`"),
        (vec!["paper", "--budget", "large"], "expected quick or full"),
        (
            vec!["paper", "--track", "free"],
            "expected parity, trained or open",
        ),
        (
            vec!["paper", "poisson", "--with", "decay=1"],
            "`decay = 1` cannot be used",
        ),
        (
            vec!["paper", "poisson", "--seeds", "0"],
            "`--seeds 0` cannot be used: expected a whole number from 1",
        ),
        (
            vec!["paper", "poisson", "--only", "camera"],
            "`--only camera` cannot be used: expected a part of the name of a run, such as `poisson/relu3-parity-0`",
        ),
    ] {
        let run = raf(&arguments);
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
