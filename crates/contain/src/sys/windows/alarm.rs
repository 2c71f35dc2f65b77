//! What becomes ready once it is rung, and stays so.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::event;

/// What one thread sets to wake another that waits.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// To be waited for: an event, which is held as a file since other systems have one.
    pub(crate) watched: Arc<File>,
}

impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { watched: Arc::new(File::from(event::new()?)) })
    }

    pub(crate) fn ring(&self) {
        event::set(&*self.watched);
    }
}
