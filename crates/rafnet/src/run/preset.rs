//! Presets: the settings that training starts from.

/// Which settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Ours.
    #[default]
    Default,
    /// As the paper's text says.
    Paper,
    /// As the paper's published code does.
    Code,
}

impl Preset {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Paper => "paper",
            Self::Code => "code",
        }
    }

    /// The preset of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Default, Self::Paper, Self::Code]
            .into_iter()
            .find(|p| p.name() == name)
    }
}
