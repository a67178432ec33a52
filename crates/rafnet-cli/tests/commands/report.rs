//! The page that a run leaves, and `raf report`.

use crate::common::{Folder, printed, raf};
use std::path::Path;

#[test]
fn every_run_leaves_its_page() {
    let folder = Folder::new("page");
    let out = folder.join("run");
    let solved = printed(&raf(&["solve", "logistic", "--json", "--out", &out]));
    let page = Path::new(&out).join("report.html");
    assert_eq!(solved["report"], page.display().to_string());
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(text.contains("<title>logistic</title>") && text.len() < 5_000_000);
    let result = std::fs::read_to_string(Path::new(&out).join("result.json")).expect("a result");
    let result: serde_json::Value = serde_json::from_str(&result).expect("JSON");
    assert_eq!(result, solved);

    // made again, it is the same; a model stands for its run
    for named in [out.clone(), format!("{out}/model.safetensors")] {
        std::fs::remove_file(&page).expect("our page");
        let told = printed(&raf(&["report", &named, "--json"]));
        assert_eq!(told["report"], page.display().to_string());
        assert_eq!(std::fs::read_to_string(&page).expect("a page"), text);
    }
    let without = folder.join("without");
    let solved = printed(&raf(&[
        "solve",
        "logistic",
        "--json",
        "--no-report",
        "--out",
        &without,
    ]));
    assert!(solved["report"].is_null() && !Path::new(&without).join("report.html").exists());
    let both = folder.join("both.html");
    assert_eq!(
        raf(&["report", &out, &without, "-o", &both]).status.code(),
        Some(0)
    );
    let text = std::fs::read_to_string(&both).expect("a page");
    assert!(text.contains("2 runs compared"));
}

/// A page that cannot be written is said, and the run is as good as ever.
#[test]
fn a_page_that_cannot_be_written_spoils_nothing() {
    let folder = Folder::new("no-page");
    let out = folder.join("run");
    std::fs::create_dir_all(Path::new(&out).join("report.html/in-the-way")).expect("a folder");
    let solved = raf(&["solve", "logistic", "--json", "--out", &out]);
    assert_eq!(solved.status.code(), Some(0));
    let said = String::from_utf8_lossy(&solved.stderr).into_owned();
    assert!(said.contains("warning: "), "{said}");
    assert!(printed(&solved)["report"].is_null());
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = Folder::new("no-run");
    let nothing = folder.join("nothing");
    let refused = raf(&["report", &nothing]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        said.contains("holds no run") && said.contains("hint: "),
        "{said}"
    );
}
