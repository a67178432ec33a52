//! Items: what can be asked for by name.

use crate::experiments::ITEMS;
use crate::table::Section;
use crate::{Asked, Run, Store};

/// A table, a figure or a claim of the paper.
pub struct Item {
    /// Its name on the command line.
    pub id: &'static str,
    /// Where the paper has it.
    pub place: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Other names, such as those of the figures that its runs draw.
    pub also: &'static [&'static str],
    pub(crate) runs: fn(&Asked) -> Vec<Run>,
    pub(crate) section: fn(&Asked, &Store) -> Section,
}

impl Item {
    /// The item of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ITEMS
            .iter()
            .find(|item| item.id == name || item.also.contains(&name))
    }

    /// The items that a name stands for: one, or all columns of Table 3.
    pub fn all_named(name: &str) -> Vec<&'static Self> {
        if name == "table3" {
            let columns = crate::published::COLUMNS_3;
            return ITEMS
                .iter()
                .filter(|item| item.id == name || columns.contains(&item.id))
                .collect();
        }
        Self::named(name).into_iter().collect()
    }

    /// Its runs, for what is asked.
    pub fn runs(&self, asked: &Asked) -> Vec<Run> {
        (self.runs)(asked)
    }
}
