//! What decides the bits of a fit: the options but for those that only end it, and the samples.

use super::{Options, Samples};
use crate::run::Fingerprint;

impl Options {
    /// What decides the bits of a run on these samples.
    pub(super) fn run_fingerprint(&self, samples: &dyn Samples) -> Fingerprint {
        let mut run = Fingerprint::default();
        run.text("kind", self.kind.name());
        run.text("seed", self.seed);
        run.text("activation", self.activation);
        run.choice("fourier", self.fourier);
        run.text("frequency", self.frequency);
        if let Some(deviation) = self.spread {
            run.text("spread", deviation);
        }
        run.text("width", self.width);
        run.text("depth", self.depth);
        run.text("init_scale", self.init_scale);
        run.text("first_scale", self.first_scale);
        run.text("supervise", self.supervision.name());
        run.text("precision", self.precision.name());
        run.text("holdout", format_args!("{:?}", self.holdout));
        run.text("displaced", self.displaced);
        run.text("optimiser", self.optimiser.name());
        run.text("lr", self.lr);
        // how long samples are displaced depends on the steps too
        let descent = self.schedule.first_descent(self.steps);
        run.schedule(self.schedule, (self.displaced > 0.0).then_some(descent));
        run.text("look", self.look);
        let sizes = samples.sizes();
        let n: usize = sizes.iter().product();
        run.text("batch", self.batch.min(n));
        run.text("samples", format_args!("{sizes:?}"));
        run.content("data", |sum| {
            let (d, channels) = (samples.dimension(), samples.channels());
            let mut point = vec![0.0; d];
            let mut given = vec![0.0; self.supervision.columns(d, channels)];
            for index in 0..n {
                samples.sample(index, &mut point, &mut given);
                sum.numbers(&point);
                sum.numbers(&given);
            }
        });
        run
    }
}
