//! One experiment a file. [`mod@column`] is what the columns of Table 3 share, [`ways`] how an equation is solved.

mod audio;
mod between;
mod column;
mod eigen;
mod fits;
mod headline;
mod images;
mod kernels;
mod low_regularity;
mod oscillation;
mod penalty;
mod poisson;
mod rational;
mod regression;
mod scaled_sines;
mod super_oscillation;
mod table_3;
mod theorems;
mod video;
mod ways;

use crate::Item;
pub(crate) use headline::opening;

/// Everything that can be run, in the order of `RESULTS.md`.
pub static ITEMS: [Item; 19] = [
    images::ITEM,
    between::ITEM,
    video::ITEM,
    audio::ITEM,
    table_3::ITEM,
    regression::ITEM,
    poisson::ITEM,
    low_regularity::ITEM,
    low_regularity::TEN,
    oscillation::ITEM,
    eigen::FIVE,
    eigen::TEN,
    scaled_sines::ITEM,
    super_oscillation::ITEM,
    kernels::ITEM,
    theorems::ITEM,
    penalty::ITEM,
    rational::ITEM,
    headline::ITEM,
];
