//! Where the libraries of CUDA are: the driver's, the compiler's with the part of it that it opens itself, those of dense algebra.
//!
//! In this order: the folders named in `RAFNET_CUDA_LIBRARIES`, the loader, the toolkit, the active Python's wheels. A library is opened by its
//! whole path, and the compiler's part before it: then it is found wherever it is.

use crate::CudaError;
use libloading::Library;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Folders named by the user, separated as in `PATH`.
pub(crate) const VARIABLE: &str = "RAFNET_CUDA_LIBRARIES";

const DRIVER: &str = if cfg!(windows) {
    "nvcuda.dll"
} else {
    "libcuda.so.1"
};

/// The compiler of CUDA 13, or else of 12.
const COMPILER: [&str; 2] = if cfg!(windows) {
    ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
} else {
    ["libnvrtc.so.13", "libnvrtc.so.12"]
};

/// Dense algebra of CUDA 13, or else of 12, and what belongs to each, in the order in which one needs the other.
const BLAS: [&str; 2] = if cfg!(windows) {
    ["cublas64_13.dll", "cublas64_12.dll"]
} else {
    ["libcublas.so.13", "libcublas.so.12"]
};
const SOLVER: [&str; 2] = if cfg!(windows) {
    ["cusolver64_12.dll", "cusolver64_11.dll"]
} else {
    ["libcusolver.so.12", "libcusolver.so.11"]
};
const PARTS_OF_BLAS: [&str; 1] = if cfg!(windows) {
    ["cublasLt64_"]
} else {
    ["libcublasLt.so."]
};
const PARTS_OF_SOLVER: [&str; 4] = if cfg!(windows) {
    ["nvJitLink_", "cusparse64_", "cublasLt64_", "cublas64_"]
} else {
    [
        "libnvJitLink.so.",
        "libcusparse.so.",
        "libcublasLt.so.",
        "libcublas.so.",
    ]
};

/// What the names of the compiler's own parts begin with.
const BUILTINS: &str = if cfg!(windows) {
    "nvrtc-builtins64_"
} else {
    "libnvrtc-builtins.so."
};

/// The part that a version of the compiler opens itself.
pub(crate) fn builtins_name((major, minor): (i32, i32)) -> String {
    if cfg!(windows) {
        format!("{BUILTINS}{major}{minor}.dll")
    } else {
        format!("{BUILTINS}{major}.{minor}")
    }
}

/// A library that was opened.
pub(crate) struct Found {
    pub(crate) library: Library,
    /// Its path, or how it was found.
    pub(crate) place: String,
}

/// What is around this process: what decides where libraries are looked for.
pub(crate) struct Surroundings<'a> {
    /// Variables of the environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// `/`, or a folder that stands for it.
    pub(crate) root: &'a Path,
}

impl Surroundings<'_> {
    fn listed(&self, name: &str) -> Vec<PathBuf> {
        let value = (self.variable)(name).unwrap_or_default();
        let folders = std::env::split_paths(&value).filter(|f| !f.as_os_str().is_empty());
        folders.collect()
    }

    fn folder(&self, name: &str) -> Option<PathBuf> {
        let value = (self.variable)(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    }

    /// The folders that the user named.
    pub(crate) fn told(&self) -> Vec<PathBuf> {
        self.listed(VARIABLE)
    }

    /// Where the driver's library is on systems whose loader does not look there.
    fn drivers(&self) -> Vec<PathBuf> {
        let known = ["usr/lib/wsl/lib", "run/opengl-driver/lib"];
        known.iter().map(|at| self.root.join(at)).collect()
    }

    /// The toolkit's folders: `CUDA_HOME`, `CUDA_PATH`, conda's, `/usr/local/cuda*` with the newest version first.
    pub(crate) fn toolkit(&self) -> Vec<PathBuf> {
        let mut homes: Vec<_> = ["CUDA_HOME", "CUDA_PATH"]
            .iter()
            .filter_map(|name| self.folder(name))
            .collect();
        let mut installed = entries(&self.root.join("usr/local"), |name| {
            name.starts_with("cuda")
        });
        installed.sort_by_key(|path| std::cmp::Reverse(version_of(path)));
        homes.extend(installed);
        let inside = ["lib64", "lib", "targets/x86_64-linux/lib", "bin", "bin/x64"];
        let mut folders: Vec<_> = homes
            .iter()
            .flat_map(|home| inside.iter().map(|at| home.join(at)))
            .collect();
        folders.extend(self.folder("CONDA_PREFIX").map(|home| home.join("lib")));
        folders
    }

    /// The folders of wheels in the active Python, found without starting it.
    pub(crate) fn wheels(&self) -> Vec<PathBuf> {
        let mut homes: Vec<_> = ["VIRTUAL_ENV", "CONDA_PREFIX"]
            .iter()
            .filter_map(|name| self.folder(name))
            .collect();
        if let Some(python) = self.python() {
            let real = python.canonicalize().unwrap_or_else(|_| python.clone());
            for program in [python, real] {
                homes.extend(program.parent().and_then(Path::parent).map(Path::to_owned));
            }
        }
        homes.extend(self.folder("HOME").map(|home| home.join(".local")));
        homes.push(self.root.join("usr/local"));
        let mut folders = Vec::new();
        for home in homes {
            let mut pythons = entries(&home.join("lib"), |name| name.starts_with("python3"));
            pythons.sort_by_key(|path| std::cmp::Reverse(version_of(path)));
            for python in pythons {
                for packages in ["site-packages", "dist-packages"] {
                    folders.extend(in_packages(&python.join(packages)));
                }
            }
            folders.extend(in_packages(&home.join("Lib").join("site-packages")));
        }
        folders.dedup();
        folders
    }

    /// The `python3` that would be started.
    fn python(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) {
            "python.exe"
        } else {
            "python3"
        };
        let mut folders = self.listed("PATH").into_iter();
        folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()))
    }

    /// The folders of wheels that the active Python itself names: it is started for this, and given a few seconds.
    fn asked_wheels(&self) -> Vec<PathBuf> {
        let Some(python) = self.python() else {
            return Vec::new();
        };
        let text = "import site, sys; print('\\n'.join(p for p in sys.path + [site.getusersitepackages()] if p.endswith('-packages')))";
        let said = answer(&python, text).unwrap_or_default();
        said.lines().flat_map(|l| in_packages(l.as_ref())).collect()
    }
}

/// What a program prints, if it ends well within a few seconds.
fn answer(python: &Path, text: &str) -> Option<String> {
    let mut child = Command::new(python)
        .args(["-c", text])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let latest = Instant::now() + Duration::from_secs(5);
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > latest {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok()
}

/// NVIDIA's folders among Python's packages: of CUDA 13, then of 12.
fn in_packages(packages: &Path) -> [PathBuf; 4] {
    let nvidia = packages.join("nvidia");
    let inside = if cfg!(windows) { "bin" } else { "lib" };
    ["cu13", "cuda_nvrtc", "cublas", "cusolver"].map(|of| nvidia.join(of).join(inside))
}

/// What lies in a folder under a name of that kind.
fn entries(folder: &Path, named: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(listed) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = listed.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut paths: Vec<_> = paths
        .filter(|path| {
            path.file_name()
                .is_some_and(|n| named(&n.to_string_lossy()))
        })
        .collect();
    paths.sort();
    paths
}

/// The numbers in a name: `cuda-13.0` is [13, 0], and a plain `cuda` (the system's choice) is above all.
fn version_of(path: &Path) -> Vec<u32> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == "cuda" {
        return vec![u32::MAX];
    }
    let numbers = name.split(|c: char| !c.is_ascii_digit());
    numbers.filter_map(|n| n.parse().ok()).collect()
}

/// Where a library is looked for, and what is said of it where it was not found.
pub(crate) struct Search<'a> {
    around: &'a Surroundings<'a>,
    names: &'a [&'a str],
    /// What the names of its parts begin with, which are opened before it.
    parts: &'a [&'a str],
    /// Files that are there and cannot be opened.
    refused: Vec<String>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        around: &'a Surroundings<'a>,
        names: &'a [&'a str],
        parts: &'a [&'a str],
    ) -> Self {
        Self {
            around,
            names,
            parts,
            refused: Vec::new(),
        }
    }

    /// The first that can be opened in these folders.
    pub(crate) fn among(&mut self, folders: &[PathBuf]) -> Option<Found> {
        for name in self.names {
            for folder in folders {
                let path = folder.join(name);
                if !path.is_file() {
                    continue;
                }
                let parts = self.parts.iter();
                let parts = parts.flat_map(|of| entries(folder, |name| name.starts_with(of)));
                for part in parts {
                    // a part is opened by its name alone, and found if it is open already
                    if let Ok(part) = open(&part) {
                        std::mem::forget(part);
                    }
                }
                match open(&path) {
                    Ok(library) => {
                        let place = path.display().to_string();
                        return Some(Found { library, place });
                    }
                    Err(why) => self.refused.push(why),
                }
            }
        }
        None
    }

    /// The first that the loader finds by its name.
    fn by_loader(&mut self) -> Option<Found> {
        self.names.iter().find_map(|name| {
            let library = open(Path::new(name)).ok()?;
            let place = format!("{name}, found by the loader");
            Some(Found { library, place })
        })
    }

    /// What was not found, and what was there and could not be opened.
    pub(crate) fn failed(self) -> String {
        if self.refused.is_empty() {
            let names = self.names.join(" or ");
            let told = match (self.around.variable)(VARIABLE) {
                Some(told) if !told.is_empty() => format!(
                    " (nor in {}, which {VARIABLE} names)",
                    Path::new(&told).display()
                ),
                _ => String::new(),
            };
            format!("{names} was not found{told}")
        } else {
            format!("cannot be opened: {}", self.refused.join("; "))
        }
    }
}

#[allow(unsafe_code, reason = "opening a library runs its initialisers")]
fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: the libraries of NVIDIA's driver and compiler, whose initialisers only set up their own state.
    let opened = unsafe { Library::new(path) };
    opened.map_err(|error| match std::error::Error::source(&error) {
        Some(said) => said.to_string(),
        None => format!("{}: {error}", path.display()),
    })
}

fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The driver's library.
///
/// # Errors
/// [`CudaError::NoDriver`] says what was looked for.
pub(crate) fn driver() -> Result<Library, CudaError> {
    let around = surroundings();
    let names = [DRIVER];
    let mut search = Search::new(&around, &names, &[]);
    let found = search
        .among(&around.told())
        .or_else(|| search.by_loader())
        .or_else(|| search.among(&around.drivers()));
    match found {
        Some(found) => Ok(found.library),
        None => Err(CudaError::NoDriver {
            why: search.failed(),
        }),
    }
}

/// The compiler's library.
///
/// # Errors
/// [`CudaError::NoCompiler`] says what was looked for.
pub(crate) fn compiler() -> Result<Found, CudaError> {
    let around = surroundings();
    found(&around, &COMPILER, &[BUILTINS]).map_err(|why| CudaError::NoCompiler {
        why: format!("NVRTC, the compiler: {why}"),
    })
}

/// cuBLAS and cuSOLVER.
///
/// # Errors
/// [`CudaError::NoDense`] says what was looked for.
pub(crate) fn dense() -> Result<[Found; 2], CudaError> {
    let around = surroundings();
    let blas = found(&around, &BLAS, &PARTS_OF_BLAS);
    let solver = found(&around, &SOLVER, &PARTS_OF_SOLVER);
    match (blas, solver) {
        (Ok(blas), Ok(solver)) => Ok([blas, solver]),
        (Err(why), _) | (_, Err(why)) => Err(CudaError::NoDense { why }),
    }
}

/// A library of the toolkit, wherever it is; where it was looked for otherwise.
fn found(around: &Surroundings<'_>, names: &[&str], parts: &[&str]) -> Result<Found, String> {
    let mut search = Search::new(around, names, parts);
    let found = search
        .among(&around.told())
        .or_else(|| search.by_loader())
        .or_else(|| search.among(&around.toolkit()))
        .or_else(|| search.among(&around.wheels()))
        .or_else(|| search.among(&around.asked_wheels()));
    found.ok_or_else(|| search.failed())
}

fn surroundings() -> Surroundings<'static> {
    Surroundings {
        variable: &environment,
        root: Path::new("/"),
    }
}
