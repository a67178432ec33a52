//! The same tests on a driver and a compiler that are made up for them, written in C: what calls a driver is tested without a card.

use super::skipped::skipped;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with the made-up libraries.
struct Libraries(PathBuf);

impl Libraries {
    /// Builds them; says that a test is left out where that cannot be done.
    fn build(name: &str) -> Option<Self> {
        if !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
            skipped("the made-up driver: it is written for Linux");
            return None;
        }
        let process = std::process::id();
        let folder = std::env::temp_dir().join(format!("rafnet-made-up-{name}-{process}"));
        std::fs::create_dir_all(folder.join("cache")).expect("a folder");
        let libraries = Self(folder);
        for (source, library) in [
            ("driver.c", "libcuda.so.1"),
            ("compiler.c", "libnvrtc.so.13"),
        ] {
            let source = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/made_up")
                .join(source);
            let mut compile = Command::new("cc");
            compile.args(["-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o"]);
            let built = compile
                .arg(libraries.0.join(library))
                .arg(source)
                .arg("-lm")
                .status();
            match built {
                Ok(status) => assert!(status.success(), "{library} is not built"),
                Err(error) => {
                    skipped(&format!("the made-up driver: no C compiler: {error}"));
                    return None;
                }
            }
        }
        Some(libraries)
    }

    /// What the tests of a name print that run on it, in a process of their own.
    fn run(&self, test: &str, settings: &[(&str, &str)]) -> String {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--ignored", "--test-threads=1", "--nocapture"]);
        if !test.is_empty() {
            command.args(["--exact", test]);
        }
        command.env("RAFNET_CUDA_LIBRARIES", &self.0);
        command.env("RAFNET_CACHE", self.0.join("cache"));
        for name in ["CUDA_VISIBLE_DEVICES", "VIRTUAL_ENV", "CONDA_PREFIX"] {
            command.env_remove(name);
        }
        let output = command
            .envs(settings.iter().copied())
            .output()
            .expect("started");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}{errors}");
        text
    }
}

impl Drop for Libraries {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn all_of_it_works_on_a_driver_that_is_made_up() {
    let Some(libraries) = Libraries::build("all") else {
        return;
    };
    let text = libraries.run("", &[]);
    assert!(text.contains("Made-up card"), "{text}");
}

#[test]
fn what_is_missing_is_named() {
    let Some(libraries) = Libraries::build("missing") else {
        return;
    };
    let said = |settings: &[(&str, &str)]| libraries.run("opened", settings);
    let all = said(&[]);
    assert!(all.contains("opened: ok"), "{all}");
    let old = said(&[("MADE_UP_VERSION", "12040")]);
    assert!(
        old.contains("too old: it is of CUDA 12.4, and CUDA 13.0 is needed; install driver 580"),
        "{old}"
    );
    let none = said(&[("MADE_UP_CARDS", "0"), ("CUDA_VISIBLE_DEVICES", "7")]);
    assert!(
        none.contains("shows no card: no CUDA-capable device is detected")
            && none.contains("CUDA_VISIBLE_DEVICES is `7`"),
        "{none}"
    );
    let weak = said(&[("MADE_UP_CAPABILITY", "7")]);
    assert!(
        weak.contains("the Made-up card has compute capability 7.0, and 8.0 is needed"),
        "{weak}"
    );
    std::fs::write(libraries.0.join("libnvrtc.so.13"), "no library").expect("written");
    let broken = said(&[]);
    assert!(
        broken.contains("kernels cannot be compiled")
            && broken.contains("libnvrtc.so.13: file too short"),
        "{broken}"
    );
    std::fs::write(libraries.0.join("libcuda.so.1"), "no library").expect("written");
    let broken = said(&[]);
    assert!(
        broken.contains("there is no NVIDIA driver here: cannot be opened:"),
        "{broken}"
    );
}
