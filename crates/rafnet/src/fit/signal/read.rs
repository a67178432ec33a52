//! From files, embedded samples and numbers to signals.

use super::{Scaled, Signal, Sound};
use crate::fit::option::{FitOption, Given, OptionError};
use crate::fit::{FitError, Kind};
use crate::run::Preset;
use rafnet_signal::audio::Audio;
use rafnet_signal::image::{Depth, Filter, Image};
use rafnet_signal::table::Table;
use rafnet_signal::video::Clip;
use rafnet_signal::{Error, grid, sample};
use std::path::Path;

/// What a fit takes for each sample, and once more for each of its channels.
const SAMPLE_BYTES: usize = 16;
/// The embedded samples: pixels of the picture; a second's samples and the seconds of the chord; pixels, frames and frames a second of the scene.
const PICTURE: [usize; 2] = [256, 256];
const CHORD: (u32, f64) = (16_000, 2.0);
const SCENE: ([usize; 2], usize, f64) = ([96, 64], 50, 25.0);

impl Signal {
    /// Reads a file, or without a path makes the embedded sample of this kind (a table has none). What of it is taken is read from `size`, `grey`, `mono`, `inputs`, `outputs`
    /// and `preset` among the options given.
    ///
    /// # Errors
    /// [`FitError::Option`], [`FitError::Signal`] and [`FitError::Column`] say what cannot be used.
    pub fn open(kind: Kind, path: Option<&Path>, given: &[(&str, &str)]) -> Result<Self, FitError> {
        FitOption::check(kind, path.is_some(), given)?;
        let given = Given(given);
        let paper = given.preset()? != Preset::Default;
        let size = given.size()?;
        let signal = match kind {
            Kind::Image => {
                // the paper's code makes pictures grey, and takes the mean of a sound's channels
                let usual = paper || path.is_none();
                let grey = given.get("grey").map_or(usual, |text| text == "true");
                let size = size.or(paper.then_some(PICTURE));
                Self::Image(picture(path, size, grey)?)
            }
            Kind::Audio => {
                let audio = match path {
                    Some(path) => Audio::open(path)?,
                    None => sample::chord(CHORD.0, CHORD.1)?,
                };
                let mono = paper || given.get("mono") == Some("true");
                Self::Audio(Sound::from(&if mono { audio.mono() } else { audio }))
            }
            Kind::Video => Self::Video(if let Some(path) = path {
                Clip::open(path)?
            } else {
                let (usual, frames, rate) = SCENE;
                let [width, height] = size.unwrap_or(usual);
                Clip::from_frames(rate, sample::scene(width, height, frames)?.map(Ok))?
            }),
            Kind::Table => {
                let path = path.unwrap_or(Path::new(""));
                let table = Table::open(path, &given.columns("inputs"), &given.columns("outputs"))?;
                Self::Table(Scaled::new(table, &format!("`{}`", path.display()))?)
            }
        };
        signal.require()?;
        Ok(signal)
    }

    /// Numbers on a regular grid with these sizes, row by row, all values of a place side by side: their number is a multiple of that of places. The
    /// model's coordinates (x, y, z, or x1, x2, … of more than three axes) reach from −1 to 1 along each axis, its values (u, or u1, u2, …)
    /// have the numbers' own unit.
    ///
    /// # Errors
    /// [`FitError::Signal`] if the sizes do not fit the numbers or one of these is not finite, [`FitError::Column`] if they lie too far apart.
    pub fn array(values: &[f64], sizes: &[usize]) -> Result<Self, FitError> {
        let d = sizes.len();
        let places = sizes
            .iter()
            .try_fold(1usize, |n, &size| n.checked_mul(size));
        let places = places.filter(|&n| n > 0 && d > 0).unwrap_or(usize::MAX);
        let channels = values.len() / places;
        if channels == 0 || channels * places != values.len() {
            return Err(FitError::Signal(Error::Length {
                what: "an array",
                found: values.len(),
                expected: places,
            }));
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(FitError::Signal(Error::Range {
                what: "a number of the array",
                found: format!("{} at {at}", values[at]),
                expected: "finite numbers".to_owned(),
            }));
        }
        let numbered = |name: &str, n: usize| (1..=n).map(|k| format!("{name}{k}")).collect();
        let what = format_args!("an array of {places} places");
        let memory = rafnet_memory::require(what, &[places, d + channels, size_of::<f64>()]);
        memory.map_err(Error::Memory)?;
        let table = Table {
            input_names: match d {
                1..=3 => ["x", "y", "z"][..d]
                    .iter()
                    .map(|n| (*n).to_owned())
                    .collect(),
                _ => numbered("x", d),
            },
            output_names: match channels {
                1 => vec!["u".to_owned()],
                n => numbered("u", n),
            },
            n_rows: places,
            inputs: grid::points(sizes, -1.0, 1.0),
            outputs: values.to_vec(),
        };
        let mut scaled = Scaled::new(table, "the array")?;
        scaled.sizes = sizes.to_vec();
        let signal = Self::Table(scaled);
        signal.require()?;
        Ok(signal)
    }

    /// Refuses a signal for which a fit has no room: the samples by number, and what they are and become.
    fn require(&self) -> Result<(), Error> {
        let n: usize = self.sizes().iter().product();
        let what = format_args!("a fit of {n} samples");
        let bytes = SAMPLE_BYTES * (1 + self.channels());
        Ok(rafnet_memory::require(what, &[n, bytes])?)
    }
}

/// A picture from a file, or the embedded one.
fn picture(path: Option<&Path>, size: Option<[usize; 2]>, grey: bool) -> Result<Image, Error> {
    let mut image = if let Some(path) = path {
        Image::open(path)?
    } else {
        let [width, height] = size.unwrap_or(PICTURE);
        sample::picture(width, height)?
    };
    if grey {
        image = image.to_grey();
    }
    if path.is_none() {
        image = image.to_depth(Depth::Eight);
    }
    match size.filter(|size| *size != [image.width(), image.height()]) {
        Some([width, height]) => image.resize(width, height, Filter::Bilinear),
        None => Ok(image),
    }
}

impl<'a> Given<'a> {
    /// WIDTHxHEIGHT.
    fn size(self) -> Result<Option<[usize; 2]>, OptionError> {
        let side = |s: &str| {
            let n = s.trim().parse::<usize>().ok();
            n.filter(|n| (1..=65_535).contains(n))
        };
        let expected = "WIDTHxHEIGHT, for example 256x256";
        self.read("size", None, expected, |text| {
            let (width, height) = text.split_once('x')?;
            Some(Some([side(width)?, side(height)?]))
        })
    }

    /// Names separated by commas.
    fn columns(self, option: &str) -> Vec<&'a str> {
        let names = self.get(option).unwrap_or("").split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).collect()
    }
}
