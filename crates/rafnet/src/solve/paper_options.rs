//! Where the paper's text and its published code differ, either may be chosen.

/// Which residual network a trained method works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resnet {
    /// As published in code: the first skip carries the inputs, the output has a bias.
    #[default]
    Code,
    /// As printed: the inputs are lifted by a trained matrix, and the output has no bias.
    Printed,
}

/// How the neurons of a PSG layer are shared out where a problem's `[trained]` says how many are Gaussians; elsewhere always evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// As published in code: a quarter x, a quarter x², the last ones Gaussians, sines between.
    #[default]
    Code,
    /// As printed: a quarter each.
    Even,
}

/// Where `bsde` takes √2 ∇u from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A second network, held consistent with the first: the experiment's way.
    #[default]
    Consistent,
    /// The gradient of the one network.
    Gradient,
}

impl Mode {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consistent => "consistent",
            Self::Gradient => "gradient",
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Consistent, Self::Gradient]
            .into_iter()
            .find(|m| m.name() == name)
    }
}

impl Resnet {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Printed => "printed",
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Code, Self::Printed]
            .into_iter()
            .find(|r| r.name() == name)
    }
}

impl Sharing {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Even => "even",
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Code, Self::Even]
            .into_iter()
            .find(|s| s.name() == name)
    }
}
