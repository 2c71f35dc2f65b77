//! The confinement of a bot by its settings. Linux only.

use super::Config;
use contain::bot::{Confinement, Sandbox, Unavailable};

impl Config {
    /// The confinement that these settings ask for, with a sandbox if one is given.
    ///
    /// # Errors
    /// When this host does not offer the requested containment.
    pub fn confinement(&self, sandbox: Option<Sandbox>) -> Result<Confinement, Unavailable> {
        let method = self.containment.method()?;
        Ok(Confinement { method, resources: self.resources, sandbox })
    }
}
