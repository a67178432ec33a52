//! Points that stand on the command line: `x=0.25, t=1; x=0.5, t=1`.

use crate::output::Failure;
use rafnet::expr::parse_number;
use rafnet::model::Model;

/// The points of a text, row by row in the order of the model's coordinates.
pub(super) fn points(text: &str, model: &Model) -> Result<Vec<f64>, Failure> {
    let coordinates = &model.parts().coordinates;
    let mut points = Vec::new();
    for written in text.split(';').map(str::trim).filter(|w| !w.is_empty()) {
        let mut point = vec![None; coordinates.len()];
        for pair in written.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let fail = |what: String| Failure::new(format!("in `--at`: {what}"), hint(coordinates));
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| fail(format!("`{pair}` is no coordinate with its value")))?;
            let (name, value) = (name.trim(), value.trim());
            let place = coordinates.iter().position(|c| c == name);
            let place =
                place.ok_or_else(|| fail(format!("the model has no coordinate `{name}`")))?;
            let number = parse_number(value, &rafnet::expr::Scope::new(["x"]).forbid_unknowns());
            let number = number.ok().filter(|v| v.is_finite());
            let number = number.ok_or_else(|| fail(format!("`{name} = {value}` is no number")))?;
            if point[place].replace(number).is_some() {
                return Err(fail(format!("`{name}` is given twice in `{written}`")));
            }
        }
        for (value, name) in point.iter().zip(coordinates) {
            points.push(value.ok_or_else(|| {
                let message = format!("in `--at`: `{written}` does not say what `{name}` is");
                Failure::new(message, hint(coordinates))
            })?);
        }
    }
    if points.is_empty() {
        return Err(Failure::new("`--at` has no point", hint(coordinates)));
    }
    Ok(points)
}

fn hint(coordinates: &[String]) -> String {
    let example: Vec<String> = coordinates.iter().map(|c| format!("{c}=0.5")).collect();
    format!(
        "write `--at \"{}\"`, several points separated by `;`, or name a .csv or .npy file",
        example.join(", ")
    )
}
