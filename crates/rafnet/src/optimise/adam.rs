//! Adam (Kingma and Ba 2015) in PyTorch's form, and in TensorFlow's, where ε is not divided by what √v is short of at first.
//!
//! ```text
//! m ← β₁m + (1−β₁)g      v ← β₂v + (1−β₂)g²      t from 1
//! θ ← θ − lr · m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + ε)             θ ← θ − lr √(1−β₂ᵗ)/(1−β₁ᵗ) · m / (√v + ε)
//! ```

use crate::simd::Real;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// The moments and what moves them, for who takes the steps elsewhere.
pub struct AdamData<'a, T> {
    /// First moments.
    pub m: &'a mut [T],
    /// Second moments.
    pub v: &'a mut [T],
    /// β₁ and β₂.
    pub betas: [f64; 2],
    /// ε
    pub epsilon: f64,
    /// For each of the steps what m and v are multiplied by: θ ← θ − a m / (√(b v) + ε).
    pub factors: Vec<[f64; 2]>,
}

/// The moments of a parameter vector.
///
/// ```
/// use rafnet::optimise::Adam;
/// let mut theta = [1.0];
/// Adam::new(1).step(0.1, &mut theta, &[4.0]); // the first step has length lr, whatever the gradient
/// assert!((theta[0] - 0.9f64).abs() < 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct Adam<T> {
    m: Vec<T>,
    v: Vec<T>,
    t: u32,
    beta_2: f64,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    PyTorch,
    TensorFlow,
}

impl<T: Real> Adam<T> {
    /// No step taken yet.
    pub fn new(n_parameters: usize) -> Self {
        Self {
            m: vec![T::ZERO; n_parameters],
            v: vec![T::ZERO; n_parameters],
            t: 0,
            beta_2: BETA_2,
            form: Form::PyTorch,
        }
    }

    /// In TensorFlow's form.
    #[must_use]
    pub fn in_tensorflow_form(self) -> Self {
        let form = Form::TensorFlow;
        Self { form, ..self }
    }

    /// With another β₂ than 0.999: how long the size of gradients is remembered.
    #[must_use]
    pub fn with_beta_2(self, beta_2: f64) -> Self {
        Self { beta_2, ..self }
    }

    /// First and second moments, and the steps taken: everything there is.
    pub fn state(&self) -> (&[T], &[T], u32) {
        (&self.m, &self.v, self.t)
    }

    /// Goes on from a state; `None` if the moments have different lengths.
    pub fn from_state(m: Vec<T>, v: Vec<T>, t: u32) -> Option<Self> {
        let new = Self::new(0);
        (m.len() == v.len()).then_some(Self { m, v, t, ..new })
    }

    /// What m and v are multiplied by in step `t`, from 1: θ ← θ − a m / (√(b v) + ε).
    fn factors(&self, learning_rate: f64, t: u32) -> [f64; 2] {
        let t = f64::from(t);
        let short = 1.0 - self.beta_2.powf(t);
        match self.form {
            Form::PyTorch => [learning_rate / (1.0 - BETA_1.powf(t)), 1.0 / short],
            Form::TensorFlow => [learning_rate * short.sqrt() / (1.0 - BETA_1.powf(t)), 1.0],
        }
    }

    /// The next steps with these learning rates as data, for a device that takes them; [`taken`](Self::taken) says how many it took.
    pub fn as_data(&mut self, rates: impl Iterator<Item = f64>) -> AdamData<'_, T> {
        let steps = (1..).map(|k| self.t.saturating_add(k));
        let factors = steps
            .zip(rates)
            .map(|(t, rate)| self.factors(rate, t))
            .collect();
        AdamData {
            betas: [BETA_1, self.beta_2],
            epsilon: EPSILON,
            factors,
            m: &mut self.m,
            v: &mut self.v,
        }
    }

    /// So many steps were taken by a device, which has moved the moments.
    pub fn taken(&mut self, steps: u64) {
        self.t = self
            .t
            .saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
    }

    /// One step with a learning rate.
    ///
    /// # Panics
    /// If the parameters or the gradient have another length than the moments.
    pub fn step(&mut self, learning_rate: f64, parameters: &mut [T], gradient: &[T]) {
        assert!(
            parameters.len() == self.m.len() && gradient.len() == self.m.len(),
            "one moment for each parameter"
        );
        self.t = self.t.saturating_add(1);
        let (b1, b2) = (T::from_f64(BETA_1), T::from_f64(self.beta_2));
        let [rate, unbias] = self.factors(learning_rate, self.t).map(T::from_f64);
        let epsilon = T::from_f64(EPSILON);
        let moments = self.m.iter_mut().zip(&mut self.v);
        for ((theta, &g), (m, v)) in parameters.iter_mut().zip(gradient).zip(moments) {
            *m = b1 * *m + (T::ONE - b1) * g;
            *v = b2 * *v + (T::ONE - b2) * g * g;
            *theta = *theta - rate * *m / ((*v * unbias).sqrt() + epsilon);
        }
    }
}
