//! The paper's numbers (arXiv 2101.04844), and what PyTorch gives for the same settings.
//!
//! A row has the name of an activation as `raf` writes it; `None` is a dash in the paper.

/// Table 1: PSNR in dB and SSIM of camera, astronaut, cat and coin.
pub const TABLE_1: [(&str, [[f64; 2]; 4]); 4] = [
    (
        "siren",
        [
            [45.80, 0.9913],
            [44.84, 0.9962],
            [49.58, 0.9970],
            [43.05, 0.9868],
        ],
    ),
    (
        "sine",
        [
            [60.60, 0.9995],
            [59.37, 0.9997],
            [65.94, 0.9999],
            [62.66, 0.9998],
        ],
    ),
    (
        "poly-sine",
        [
            [61.21, 0.9996],
            [59.99, 0.9997],
            [66.41, 0.9999],
            [63.57, 0.9998],
        ],
    ),
    (
        "psg",
        [[73.80, 1.0], [70.98, 1.0], [82.55, 1.0], [74.92, 1.0]],
    ),
];

/// PyTorch 2.11 in single precision with the settings of Table 1 (seed 1), dB; its camera is the picture that replaced the paper's.
pub const PYTORCH_1: [(&str, [Option<f64>; 4]); 4] = [
    (
        "siren",
        [Some(42.08), Some(45.09), Some(50.45), Some(42.91)],
    ),
    ("sine", [Some(58.40), Some(60.11), Some(66.64), Some(63.84)]),
    ("poly-sine", [Some(58.39), None, None, None]),
    ("psg", [Some(70.79), Some(73.41), Some(91.10), Some(76.78)]),
];

/// Table 2: mean and deviation over 250 frames, dB.
pub const TABLE_2: [(&str, [f64; 2]); 2] =
    [("siren", [32.17, 2.16]), ("sine-gaussian", [32.79, 2.10])];

/// The columns of Table 3.
pub const COLUMNS_3: [&str; 6] = [
    "regression",
    "poisson",
    "low-regularity",
    "oscillation",
    "eigen-5",
    "eigen-10",
];

/// Table 3: relative L2 errors.
pub const TABLE_3: [(&str, [Option<f64>; 6]); 8] = [
    (
        "relu",
        [
            Some(6.61e-2),
            None,
            None,
            None,
            Some(6.38e-3),
            Some(4.59e-3),
        ],
    ),
    (
        "relu3",
        [
            Some(1.13e-1),
            Some(1.38e-3),
            Some(1.49e-3),
            Some(3.16e-5),
            Some(0.307),
            Some(0.223),
        ],
    ),
    (
        "poly",
        [
            Some(3.71e-1),
            Some(4.48e-4),
            Some(4.39e-2),
            Some(9.46e-2),
            None,
            None,
        ],
    ),
    (
        "poly-relu",
        [
            Some(9.98e-2),
            Some(4.48e-4),
            Some(6.06e-1),
            Some(3.81),
            None,
            None,
        ],
    ),
    (
        "poly-relu3",
        [
            Some(9.12e-2),
            Some(1.40e-3),
            Some(9.48e-4),
            Some(3.15e-5),
            None,
            None,
        ],
    ),
    (
        "poly-sine",
        [
            Some(9.07e-2),
            Some(4.18e-4),
            Some(2.42e-3),
            Some(4.69e-6),
            None,
            None,
        ],
    ),
    (
        "psg",
        [
            Some(3.46e-2),
            Some(6.87e-5),
            Some(1.91e-4),
            Some(3.35e-6),
            Some(2.09e-3),
            Some(1.10e-3),
        ],
    ),
    ("rational", [Some(3.94e-2), None, None, None, None, None]),
];

/// Table 4: best error of the oscillation problem with fixed frequencies. The second is printed with a comma.
pub const TABLE_4: [(&str, f64); 4] = [
    ("first", 2.31e-7),
    ("last", 3.14e-6),
    ("first-cos", 3.79e-7),
    ("last-cos", 1.90e-3),
];

/// Table 5: condition numbers for Poisson, low regularity and oscillation.
pub const TABLE_5: [(&str, [f64; 3]); 6] = [
    ("relu3", [1.32e11, 2.60e10, 3.23e11]),
    ("poly", [4.71e11, 1.74e11, 4.28e11]),
    ("poly-relu", [1.01e11, 1.09e10, 3.11e10]),
    ("poly-relu3", [2.03e12, 1.65e11, 3.45e11]),
    ("poly-sine", [1.92e12, 5.18e10, 1.10e11]),
    ("psg", [3.91e8, 4.11e9, 1.36e10]),
];

/// PyTorch's mean squares of the two sounds after 200 and after 2,000 steps, the schedule as long as the run.
pub const PYTORCH_AUDIO: [(&str, [[f64; 2]; 2]); 3] = [
    ("siren", [[2.5e-3, 5.55e-5], [6.0e-3, 4.67e-4]]),
    ("sine", [[1.2e-4, 6.6e-6], [9.0e-4, 3.72e-4]]),
    ("sine-gaussian", [[5.3e-5, 1.4e-6], [7.7e-4, 1.85e-4]]),
];

/// The same for the published code's frequencies, N(30, 10).
pub const PYTORCH_AUDIO_CODE: [(&str, [[f64; 2]; 2]); 1] =
    [("sine-gaussian", [[3.3e-5, 2.1e-6], [6.8e-4, 2.1e-4]])];

/// What is aimed at, by problem: the error of the parity, the trained and the open track.
pub const GOALS: [(&str, [f64; 3]); 8] = [
    ("regression", [3.5e-2, 1e-2, 1e-3]),
    ("poisson", [1e-4, 1e-9, 1e-14]),
    ("low-regularity", [3e-4, 2e-5, 1e-10]),
    ("oscillation", [1e-4, 1e-8, 1e-11]),
    ("scaled-sines", [6e-5, 1e-9, 1e-11]),
    ("super-oscillation", [1.0, 1e-6, 1e-9]),
    ("eigen-5", [3e-3, 1e-5, 1e-8]),
    ("eigen-10", [2e-3, 1e-4, 1e-6]),
];

/// The paper's sign for an activation.
pub fn sign(activation: &str) -> &str {
    match activation {
        "relu" => "ReLU",
        "relu3" => "ReLU³",
        "poly" => "x ⊕ x²",
        "poly-relu" => "x ⊕ x² ⊕ ReLU",
        "poly-relu3" => "x ⊕ x² ⊕ ReLU³",
        "poly-sine" => "x ⊕ x² ⊕ sin",
        "psg" => "x ⊕ x² ⊕ sin ⊕ Gaussian",
        "rational" => "rational",
        "siren" => "SIREN",
        "siren-scaled" => "SIREN scaled",
        "sine" => "Sine",
        "sine-gaussian" => "Sine-Gaussian",
        other => other,
    }
}

/// The paper's name for a network that is fitted to a signal.
pub fn network(activation: &str) -> &str {
    match activation {
        "poly-sine" => "Poly-Sine",
        "psg" => "Poly-Sine-Gaussian",
        other => sign(other),
    }
}

/// The paper's error of an activation in a column of Table 3.
pub fn table_3(column: &str, activation: &str) -> Option<f64> {
    let at = COLUMNS_3.iter().position(|c| *c == column)?;
    TABLE_3.iter().find(|row| row.0 == activation)?.1[at]
}
