//! What came of a solve, in words with error bars: only what `result.json` says.

use crate::page::{Figure, Tone, Verdict};
use crate::words::{digits, duration, rounded};
use serde_json::Value;

/// Above this estimate an answer is called stalled (`rafnet::solve`).
const POOR: f64 = rafnet::solve::POOR;

/// Figures of the result: key, name, what it means.
const FIGURES: [(&str, &str, &str); 7] = [
    (
        "error_estimate",
        "error estimate",
        "relative, in the mean square",
    ),
    (
        "linf_estimate",
        "largest error, estimated",
        "over the largest value",
    ),
    (
        "relative_l2",
        "true error",
        "relative L2, against the exact solution, which the solver never sees",
    ),
    (
        "relative_linf",
        "largest true error",
        "over the largest value",
    ),
    (
        "residual",
        "held-out residual",
        "of its terms, at points that the solver did not have",
    ),
    ("chi_squared", "χ²", "of the observations"),
    ("seconds", "seconds", ""),
];

/// How good a result is.
pub(crate) fn tone(result: &Value) -> Tone {
    let outcome = result["outcome"].as_str().unwrap_or("");
    let failed = matches!(
        outcome,
        "stalled" | "contradictory" | "diverged" | "could not run"
    );
    match result["error_estimate"].as_f64() {
        _ if failed => Tone::Poor,
        None if !outcome.is_empty() => Tone::Poor,
        Some(e) if e <= POOR && outcome != "stopped" => Tone::Good,
        _ => Tone::Fair,
    }
}

/// The verdict on a result.
pub(crate) fn verdict(result: &Value) -> Verdict {
    let outcome = result["outcome"].as_str();
    let estimate = result["error_estimate"].as_f64();
    let headline = match (outcome, estimate, tone(result)) {
        (None, ..) => {
            "This run has not finished: its model is shown, how good it is, is not known."
                .to_owned()
        }
        (Some("contradictory"), ..) => {
            "Contradictory: no function meets everything that is asked.".to_owned()
        }
        (Some("diverged"), ..) => "Diverged: there is no solution to show.".to_owned(),
        (Some(_), Some(e), Tone::Good) => {
            format!(
                "Solved: about {} digits of the answer are right.",
                digits(e)
            )
        }
        (Some("stopped"), Some(e), _) => {
            format!(
                "Stopped before the end; so far about {} digits are right.",
                digits(e)
            )
        }
        (Some("stopped"), None, _) => {
            "Stopped before the end; nothing is known of the error.".to_owned()
        }
        (Some(_), Some(e), Tone::Fair) => format!(
            "Solved roughly: the error is likely about {} %.",
            percent(e)
        ),
        (Some("stalled"), Some(e), _) => format!(
            "Not solved: the search stalled, and the error is likely about {} %.",
            percent(e)
        ),
        (Some(name), ..) => format!("Not solved ({name}): nothing is known of the error."),
    };
    let mut verdict = Verdict::new(tone(result), headline);
    verdict.sentences = sentences(result);
    verdict.figures = FIGURES
        .iter()
        .filter_map(|(key, label, note)| figure(result, key, label, note))
        .collect();
    verdict
}

fn percent(error: f64) -> String {
    let percent = 100.0 * error;
    if percent < 10.0 {
        format!("{percent:.1}")
    } else {
        format!("{percent:.0}")
    }
}

/// A figure of the result, where it is known.
pub(crate) fn figure(result: &Value, key: &str, label: &str, note: &str) -> Option<Figure> {
    let value = result[key].as_f64()?;
    let text = match key {
        "seconds" => format!("{value:.1}"),
        "chi_squared" => format!("{value:.1} of {}", result["observations"]),
        _ => format!("{value:.1e}"),
    };
    Some(Figure {
        key: key.into(),
        label: label.into(),
        value,
        text,
        note: note.into(),
    })
}

fn sentences(result: &Value) -> Vec<String> {
    let number = |key: &str| result[key].as_f64();
    let mut said = Vec::new();
    if let (Some(l2), largest) = (number("error_estimate"), number("linf_estimate")) {
        let largest = largest.map_or(String::new(), |e| {
            format!(", at the worst place about {e:.1e} of the largest value")
        });
        said.push(format!("The relative error is likely about {l2:.1e}{largest}: this is what independent solutions of the search differ by."));
    }
    if let Some(error) = number("relative_l2") {
        said.push(format!(
            "Against the exact solution, which the solver never sees, it is {error:.1e}."
        ));
    }
    if let Some(found) = result["found"].as_object() {
        for (name, value) in found {
            let sigma = result["found_sigma"][name].as_f64().unwrap_or(f64::NAN);
            let value = value.as_f64().unwrap_or(f64::NAN);
            said.push(format!(
                "{name} = {} (one standard error).",
                rounded(value, sigma)
            ));
        }
    }
    let pairs = result["eigenvalues"].as_array();
    for pair in pairs.into_iter().flatten().take(3) {
        let [value, error] =
            ["value", "error_estimate"].map(|k| pair[k].as_f64().unwrap_or(f64::NAN));
        said.push(format!("Eigenvalue {}.", rounded(value, error)));
    }
    for report in result["reports"].as_array().into_iter().flatten().take(4) {
        let [value, error] =
            ["value", "error_estimate"].map(|k| report[k].as_f64().unwrap_or(f64::NAN));
        let name = report["name"].as_str().unwrap_or("");
        said.push(format!("{name} = {}.", rounded(value, error)));
    }
    if let Some(count) = number("solutions").filter(|n| *n > 1.0) {
        said.push(format!(
            "{count} different solutions were seen; this is one of them."
        ));
    }
    if let Some(message) = result["message"].as_str() {
        let mut message = message.to_owned();
        if let Some(first) = message.get(..1).map(str::to_uppercase) {
            message.replace_range(..1, &first);
        }
        said.push(format!("{message}."));
    }
    if let (Some(method), Some(seconds)) = (result["method"].as_str(), number("seconds")) {
        said.push(format!("Found by {method} in {}.", duration(seconds)));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::{tone, verdict};
    use crate::page::Tone;
    use serde_json::json;

    #[test]
    fn words_do_not_promise_more_than_the_figures() {
        let of = |outcome: &str, estimate: Option<f64>| {
            let result = json!({ "outcome": outcome, "error_estimate": estimate, "seconds": 1.0, "method": "lsq" });
            (tone(&result), verdict(&result).headline)
        };
        assert_eq!(of("target reached", Some(1.9e-15)).0, Tone::Good);
        assert!(of("target reached", Some(1.9e-15)).1.contains("14 digits"));
        assert_eq!(of("stalled", Some(0.3)).0, Tone::Poor);
        assert!(of("stalled", Some(0.3)).1.starts_with("Not solved"));
        assert_eq!(of("stalled", None).0, Tone::Poor);
        assert_eq!(of("budget spent", Some(1e-2)).0, Tone::Fair);
        assert_eq!(of("stopped", Some(1e-9)).0, Tone::Fair);
        assert_eq!(of("contradictory", None).0, Tone::Poor);
        assert_eq!(of("converged", None).0, Tone::Poor);
    }
}
