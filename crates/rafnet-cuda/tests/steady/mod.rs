//! Adam with a constant rate, as data for a device and by hand for the host.

use rafnet_engine::engine::{
    AdamState, Cloud, EngineError, Meanwhile, OnDevice, Region, Rule, Source, Steps,
};

/// Adam with a constant rate on fresh points of a region, or on the same points.
pub(crate) struct Steady<T> {
    fresh: usize,
    /// Where fresh points are drawn, and what tells this use of the seed apart.
    pub(crate) region: Region,
    pub(crate) labels: [u32; 2],
    pub(crate) seed: u64,
    /// Zeros beside each fresh point.
    pub(crate) columns: usize,
    same: Cloud<T>,
    m: Vec<T>,
    v: Vec<T>,
    t: u64,
    rate: f64,
}

impl<T: OnDevice> Rule<T> for Steady<T> {
    fn draw(&mut self, _: u64) -> Result<(&[Cloud<T>], &[f64]), EngineError> {
        Ok((std::slice::from_ref(&self.same), &[1.0]))
    }
    fn steps(&mut self, step: u64, most: u64) -> Result<Option<Steps<'_, T>>, EngineError> {
        let source = match self.fresh {
            0 => Source::Same(&self.same),
            points => Source::Uniform {
                region: self.region.clone(),
                points,
                seed: self.seed,
                round: step,
                labels: self.labels,
                columns: self.columns,
            },
        };
        let factor = |t: u64| {
            [
                self.rate / (1.0 - 0.9f64.powf(t as f64)),
                1.0 / (1.0 - 0.999f64.powf(t as f64)),
            ]
        };
        let adam = AdamState {
            betas: [0.9, 0.999],
            epsilon: 1e-8,
            factors: (1..=most).map(|k| factor(self.t + k)).collect(),
            m: &mut self.m,
            v: &mut self.v,
        };
        Ok(Some(Steps {
            sources: vec![source],
            weights: vec![1.0],
            decay: 0.0,
            still: Vec::new(),
            adam,
            watched: None,
            meanwhile: Meanwhile::default(),
        }))
    }
    fn taken(&mut self, steps: u64) {
        self.t += steps;
    }
    fn update(&mut self, _: u64, parameters: &mut [T], gradient: &mut [T]) {
        self.t += 1;
        let [a, b] = [
            self.rate / (1.0 - 0.9f64.powf(self.t as f64)),
            1.0 / (1.0 - 0.999f64.powf(self.t as f64)),
        ];
        for (k, g) in gradient.iter().map(|g| g.to_f64()).enumerate() {
            let m = 0.9 * self.m[k].to_f64() + (1.0 - 0.9) * g;
            let v = 0.999 * self.v[k].to_f64() + (1.0 - 0.999) * g * g;
            self.m[k] = T::from_f64(m);
            self.v[k] = T::from_f64(v);
            parameters[k] = T::from_f64(parameters[k].to_f64() - a * m / ((b * v).sqrt() + 1e-8));
        }
    }
}

impl<T: OnDevice> Steady<T> {
    pub(crate) fn new(parameters: usize, fresh: usize, same: Cloud<T>, rate: f64) -> Self {
        Self {
            fresh,
            region: Region::Box(vec![[0.0, 1.0]; 2]),
            labels: [0, 0],
            seed: 0,
            columns: 0,
            same,
            m: vec![T::ZERO; parameters],
            v: vec![T::ZERO; parameters],
            t: 0,
            rate,
        }
    }
}
