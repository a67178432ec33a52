//! Shapes as JSON, so that a model's file knows where its function means something.
//!
//! ```text
//! { "kind": "difference", "parts": [{ "kind": "box", "bounds": [[0, 2], [0, 2]] }, { "kind": "ball", "center": [1, 1], "radius": 0.5 }] }
//! ```

use super::kind::{Form, Given, Key, Kind, Said};
use super::{Combined, Cuboid, Operation, Shape, TimeCylinder};
use serde_json::{Value, json};
use std::sync::Arc;

/// The most numbers of one list: a file may say anything.
const LONGEST: usize = 100_000;

/// The shape of a description; `None` where it is none, or one of no shape that exists.
///
/// ```
/// use rafnet::domain::{Annulus, Shape, described};
/// let ring = Annulus::new(vec![0.0, 0.0], 1.0, 2.0)?;
/// let again = described(&ring.description()).expect("a ring");
/// assert!(again.contains(&[0.0, 1.5], 0.0) && !again.contains(&[0.0, 0.5], 0.0));
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
pub fn described(description: &Value) -> Option<Arc<dyn Shape>> {
    let number = |key: &str| description.get(key)?.as_f64();
    let numbers = |key: &str| list(description.get(key)?, Value::as_f64);
    let pairs = |key: &str| list(description.get(key)?, pair);
    let kind = description.get("kind")?.as_str()?;
    if let Some(known) = Kind::of(kind) {
        let said = |key: &Key| {
            Some(match key.form {
                Form::NumberOr(_) | Form::Number => Said::Number(number(key.name)?),
                Form::PointOrOrigin | Form::ByCoordinate => Said::Point(numbers(key.name)?),
                Form::Points => Said::Points(pairs(key.name)?),
            })
        };
        let said = known.keys.iter().map(said).collect::<Option<_>>()?;
        return (known.make)(Given::new(said)).ok();
    }
    Some(match kind {
        "box" => Arc::new(Cuboid::new(pairs("bounds")?).ok()?),
        "cylinder" => {
            let axis = usize::try_from(description.get("axis")?.as_u64()?).ok()?;
            let space = described(description.get("space")?)?;
            Arc::new(TimeCylinder::new(space, axis, pair(description.get("time")?)?).ok()?)
        }
        _ => {
            let operation = Operation::named(kind)?;
            let parts = list(description.get("parts")?, described)?;
            Arc::new(Combined::new(operation, parts).ok()?)
        }
    })
}

/// A box.
pub(super) fn of_box(bounds: &[[f64; 2]]) -> Value {
    json!({ "kind": "box", "bounds": bounds })
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    let items = value.as_array().filter(|items| items.len() <= LONGEST)?;
    items.iter().map(item).collect()
}

fn pair(value: &Value) -> Option<[f64; 2]> {
    let [low, high] = &value.as_array()?[..] else {
        return None;
    };
    Some([low.as_f64()?, high.as_f64()?])
}

#[cfg(test)]
mod tests {
    use super::described;
    use crate::domain::{
        Annulus, Ball, Combined, Cuboid, Ellipse, Operation, Polygon, Shape, TimeCylinder,
    };
    use std::sync::Arc;

    /// Every kind, read back, has the same level at points all around it.
    #[test]
    fn shapes_are_read_back() -> Result<(), crate::domain::DomainError> {
        let square: Arc<dyn Shape> = Arc::new(Cuboid::new(vec![[0.0, 2.0], [-1.0, 1.5]])?);
        let disc: Arc<dyn Shape> = Arc::new(Ball::new(vec![1.0, 0.2], 0.5)?);
        let corner = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0]];
        let shapes: Vec<Arc<dyn Shape>> = vec![
            Arc::clone(&square),
            Arc::clone(&disc),
            Arc::new(Annulus::new(vec![0.5, 0.5], 0.3, 1.1)?),
            Arc::new(Ellipse::new(vec![0.5, 0.25], &[0.5, 1.5])?),
            Arc::new(Polygon::new(corner)?),
            Arc::new(Combined::new(
                Operation::Difference,
                vec![Arc::clone(&square), Arc::clone(&disc)],
            )?),
            Arc::new(Combined::new(
                Operation::Union,
                vec![square, Arc::clone(&disc)],
            )?),
            Arc::new(TimeCylinder::new(disc, 1, [0.0, 3.0])?),
        ];
        for shape in shapes {
            let text = shape.description().to_string();
            let value = serde_json::from_str(&text).expect("JSON");
            let again = described(&value).expect("a shape");
            let d = shape.dimension();
            for k in 0..200_usize {
                let x = |i: usize| 4.0 * (0.618 * k as f64 + 0.37 * i as f64).fract() - 1.0;
                let x: Vec<f64> = (0..d).map(|i| x(i * (k + 1))).collect();
                assert_eq!(
                    shape.level(&x).to_bits(),
                    again.level(&x).to_bits(),
                    "{text}"
                );
            }
        }
        for text in [
            "null",
            "{\"kind\": \"ball\"}",
            "{\"kind\": \"image\"}",
            "[1]",
            "{\"kind\": \"ball\", \"center\": [0], \"radius\": -1}",
        ] {
            let value = serde_json::from_str(text).expect("JSON");
            assert!(described(&value).is_none(), "{text}");
        }
        Ok(())
    }
}
