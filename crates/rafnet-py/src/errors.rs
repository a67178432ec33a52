//! What is refused, as the exceptions of `rafnet.errors`: their classes are Python's, this names them and fills in their fields.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rafnet::engine::EngineError;
use rafnet::expr::ExprError;
use rafnet::fit::{ColumnError, FitError};
use rafnet::model::ModelError;
use rafnet::problem::ProblemError;
use rafnet::solve::{OptionError, SolveError};

/// A refusal: the name of its class, what is wrong, and what to type next.
pub(crate) struct Refused {
    class: &'static str,
    message: String,
    hint: Option<String>,
    line: Option<usize>,
    option: Option<String>,
}

impl Refused {
    pub(crate) fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            hint: None,
            line: None,
            option: None,
        }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        let hint = Some(hint.into());
        Self { hint, ..self }
    }

    fn of_option(self, name: &str) -> Self {
        let option = Some(name.replace('-', "_"));
        Self { option, ..self }
    }

    fn raised(&self, py: Python<'_>) -> PyResult<PyErr> {
        let class = py.import("rafnet.errors")?.getattr(self.class)?;
        let fields = PyDict::new(py);
        fields.set_item("hint", self.hint.as_deref())?;
        if self.class == "ProblemError" {
            fields.set_item("line", self.line)?;
        }
        if self.class == "OptionError" {
            fields.set_item("option", self.option.as_deref())?;
        }
        let error = class.call((self.message.as_str(),), Some(&fields))?;
        Ok(PyErr::from_value(error))
    }
}

impl From<Refused> for PyErr {
    fn from(refused: Refused) -> Self {
        Python::attach(|py| refused.raised(py).unwrap_or_else(|error| error))
    }
}

/// Texts that are longer are not shown whole.
const LONGEST: usize = 400;

/// A text that cannot be read; without a hint of its own, that of `usual`.
pub(crate) fn unread(text: &str, error: &ExprError, usual: impl FnOnce() -> String) -> Refused {
    let hint = error.hint().unwrap_or_else(usual);
    let message = if text.len() > LONGEST {
        let start: String = text.chars().take(60).collect();
        format!("in the text that begins with {start:?}: {error}")
    } else {
        format!("in the text {text:?}: {error}\n\n{}", error.underlined())
    };
    Refused::new("ExpressionError", message).hint(hint)
}

/// A mistake of ours, said as what it is.
pub(crate) fn broken(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!(
        "rafnet failed inside, which is a mistake of rafnet's and not yours: {what}"
    ))
}

impl From<ProblemError> for Refused {
    fn from(error: ProblemError) -> Self {
        Self {
            hint: error.hint(),
            line: error.line(),
            ..Self::new("ProblemError", error.message())
        }
    }
}

const OPTIONS: &str = "help(rafnet.solve) lists the options";

impl From<OptionError> for Refused {
    fn from(error: OptionError) -> Self {
        match &error {
            OptionError::Unusable {
                name,
                found,
                expected,
            } => {
                let key = name.replace('-', "_");
                let message = format!("{key}={found} cannot be used: expected {expected}");
                Self::new("OptionError", message)
                    .hint(OPTIONS)
                    .of_option(name)
            }
            OptionError::Useless {
                name,
                found,
                method,
                methods,
            } => {
                let key = name.replace('-', "_");
                let message = format!("{key}={found} does nothing with method={method}");
                let hint = format!(
                    "leave it out, or choose a method that looks at it: {}",
                    methods.join(", ")
                );
                Self::new("OptionError", message).hint(hint).of_option(name)
            }
            OptionError::InFile(_) => Self::new("OptionError", error.to_string()).hint(OPTIONS),
        }
    }
}

impl From<rafnet::fit::OptionError> for Refused {
    fn from(error: rafnet::fit::OptionError) -> Self {
        use rafnet::fit::OptionError::{Activation, Unknown, Unusable, Useless};
        let refused = Self::new("OptionError", error.to_string());
        match &error {
            Unknown { name } => refused.of_option(name),
            Unusable { name, .. } => refused.of_option(name),
            Useless { option, .. } => refused.of_option(option.name),
            Activation(_) => refused.of_option("activation"),
            _ => refused,
        }
        .hint("help(rafnet.fit) lists the options")
    }
}

impl From<EngineError> for Refused {
    fn from(error: EngineError) -> Self {
        let refused = |class| Self::new(class, error.to_string());
        match &error {
            EngineError::Device { .. } => refused("DeviceError")
                .hint("rafnet.devices() lists what can compute here; device=\"cpu\" always can"),
            EngineError::Memory(_) => refused("NotEnoughMemory")
                .hint("ask for fewer points at a time, or for a smaller network"),
            _ => refused("PointsError"),
        }
    }
}

impl From<ModelError> for Refused {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Engine(error) => error.into(),
            error => Self::new("ModelError", error.to_string()),
        }
    }
}

impl From<SolveError> for Refused {
    fn from(error: SolveError) -> Self {
        let refused = |class| Self::new(class, error.to_string());
        match error {
            SolveError::Option(error) => error.into(),
            SolveError::Engine(error) => error.into(),
            error if error.is_size() => Self::new("NotEnoughMemory", error.to_string())
                .hint("take fewer `points` or `pieces`, a smaller `width` or `depth`"),
            _ => refused("SolveError"),
        }
    }
}

impl From<FitError> for Refused {
    fn from(error: FitError) -> Self {
        let said = error.to_string();
        match error {
            FitError::Option(error) => error.into(),
            FitError::Engine(error) => error.into(),
            FitError::Model(ModelError::NotFinite { .. }) => {
                Self::new("FitError", said).hint("a smaller `lr` may keep the fit finite")
            }
            FitError::Model(error) => error.into(),
            FitError::Column(ColumnError::TooLarge { .. }) => Self::new("FitError", said)
                .hint("give the numbers in another unit, or take their logarithm"),
            _ => Self::new("FitError", said),
        }
    }
}
