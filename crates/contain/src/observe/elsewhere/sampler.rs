//! Samples of one bot, turn after turn.

use std::time::Duration;

use crate::decide::sample::Sample;
use crate::observe::root::Root;
use crate::observe::walk::below;

/// Samples one bot again and again.
#[derive(Debug)]
pub(crate) struct Sampler {
    root: Root,
}

impl Sampler {
    pub(crate) fn new(root: Root) -> Self {
        Self { root }
    }

    pub(crate) fn sample(&mut self) -> Sample {
        below(self.root)
    }

    /// A sample with the CPU time set to zero, and that time.
    pub(crate) fn first(&mut self) -> (Sample, Duration) {
        self.sample().without_computing()
    }
}
