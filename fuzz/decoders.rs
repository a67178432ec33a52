//! Panics in the decoders of other crates: `rafnet-signal` turns them into errors. Each place is named once, and the run goes on, while
//! a panic from anywhere else ends it.

use std::collections::BTreeSet;
use std::sync::Mutex;

/// The crates whose panics are caught.
const DECODERS: [&str; 4] = ["png-", "zune-jpeg-", "gif-", "rusty_h264"];

/// Where they were seen to panic.
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// From now on.
pub(crate) fn name_the_decoders() {
    let ours = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location();
        let theirs = place.and_then(|p| Some((of_a_decoder(p.file())?, p.line())));
        match theirs {
            Some((file, line)) => {
                let place = format!("{file}:{line}");
                if SEEN.lock().is_ok_and(|mut seen| seen.insert(place.clone())) {
                    eprintln!("caught in a dependency: {place}: {panic}");
                }
            }
            None => ours(panic),
        }
    }));
}

/// `rusty_h264-decoder-0.17.0/src/x.rs` of a path in the registry.
fn of_a_decoder(path: &str) -> Option<&str> {
    let start = DECODERS.iter().find_map(|name| path.find(name))?;
    Some(&path[start..])
}
