//! A value in the description that knows where it stands.

use crate::model::ModelError;
use serde_json::Value;

/// A value and the way to it, such as `network.layers[0].width`.
#[derive(Clone)]
pub(super) struct Place<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Place<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self {
            path: String::new(),
            value,
        }
    }

    /// The mistake of not being what was expected.
    pub(super) fn unlike(&self, expected: impl Into<String>) -> ModelError {
        let text = match self.value {
            Value::Object(_) => "an object".into(),
            Value::Array(items) => format!("a list of {}", items.len()),
            other => format!("`{other}`"),
        };
        let at = match self.path.as_str() {
            "" => "the whole",
            path => path,
        };
        ModelError::Description {
            at: at.into(),
            found: text,
            expected: expected.into(),
        }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// The fields of these names, in this order; an object with others is refused, one without is too.
    pub(super) fn fields<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Place<'a>; N], ModelError> {
        let fields = self.optional_fields(names)?;
        for (field, name) in fields.iter().zip(names) {
            if field.is_none() {
                return Err(self.without(name));
            }
        }
        Ok(fields.map(|field| field.unwrap_or_else(|| self.clone())))
    }

    /// The same, where a field may be left out.
    pub(super) fn optional_fields<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<Place<'a>>; N], ModelError> {
        let Value::Object(object) = self.value else {
            return Err(self.unlike(format!("an object with the keys {}", names.join(", "))));
        };
        if let Some((key, value)) = object
            .iter()
            .find(|(key, _)| !names.contains(&key.as_str()))
        {
            let stranger = self.inner(&format!(".{key}"), value);
            return Err(stranger.unlike(format!("only the keys {}", names.join(", "))));
        }
        Ok(names.map(|name| {
            let value = object.get(name)?;
            Some(self.inner(&format!(".{name}"), value))
        }))
    }

    /// The mistake of lacking a field.
    pub(super) fn without(&self, name: &str) -> ModelError {
        let at = format!("{}.{name}", self.path);
        ModelError::Description {
            at: at.trim_start_matches('.').into(),
            found: "missing".into(),
            expected: "a value".into(),
        }
    }

    pub(super) fn items(&self) -> Result<Vec<Place<'a>>, ModelError> {
        let Value::Array(items) = self.value else {
            return Err(self.unlike("a list"));
        };
        let numbered = items.iter().enumerate();
        Ok(numbered
            .map(|(k, value)| self.inner(&format!("[{k}]"), value))
            .collect())
    }

    /// A list read item by item.
    pub(super) fn list<T>(
        &self,
        read: impl Fn(&Place<'a>) -> Result<T, ModelError>,
    ) -> Result<Vec<T>, ModelError> {
        self.items()?.iter().map(read).collect()
    }

    /// The fields of an object whatever their names, read one by one.
    pub(super) fn entries<T>(
        &self,
        read: impl Fn(&Place<'a>) -> Result<T, ModelError>,
    ) -> Result<Vec<(String, T)>, ModelError> {
        let Value::Object(object) = self.value else {
            return Err(self.unlike("an object"));
        };
        let entries = object.iter().map(|(key, value)| {
            let place = self.inner(&format!(".{key}"), value);
            Ok((key.clone(), read(&place)?))
        });
        entries.collect()
    }

    /// What `read` makes of it, or none for `null`.
    pub(super) fn nullable<T>(
        &self,
        read: impl Fn(&Place<'a>) -> Result<T, ModelError>,
    ) -> Result<Option<T>, ModelError> {
        match self.value {
            Value::Null => Ok(None),
            _ => read(self).map(Some),
        }
    }

    pub(super) fn text(&self) -> Result<&'a str, ModelError> {
        self.value.as_str().ok_or_else(|| self.unlike("a text"))
    }

    pub(super) fn owned_text(&self) -> Result<String, ModelError> {
        self.text().map(Into::into)
    }

    pub(super) fn number(&self) -> Result<f64, ModelError> {
        let number = self.value.as_f64().filter(|v| v.is_finite());
        number.ok_or_else(|| self.unlike("a finite number"))
    }

    pub(super) fn count(&self) -> Result<usize, ModelError> {
        let count = self.value.as_u64().and_then(|v| usize::try_from(v).ok());
        count.ok_or_else(|| self.unlike("a whole number from 0"))
    }

    pub(super) fn flag(&self) -> Result<bool, ModelError> {
        self.value
            .as_bool()
            .ok_or_else(|| self.unlike("true or false"))
    }

    /// [a, b]
    pub(super) fn pair(&self) -> Result<[f64; 2], ModelError> {
        let numbers = self.list(Place::number)?;
        let pair = <[f64; 2]>::try_from(numbers);
        pair.map_err(|_| self.unlike("a list of two numbers"))
    }

    fn inner(&self, step: &str, value: &'a Value) -> Place<'a> {
        let path = format!("{}{step}", self.path);
        Place {
            path: path.trim_start_matches('.').into(),
            value,
        }
    }
}
