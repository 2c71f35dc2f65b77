//! The signals that end a command which plays games: it ends the bots, saves the results so far, and dies of the signal.

use std::io;
use std::mem;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use contain::cancel::{Cancelled, Canceller, CaughtSignals};
use signal_hook::consts::SIGINT;
use signal_hook::low_level::emulate_default_handler;

use super::Failure;

/// The time for ending the bots and saving results after a signal. Longer than the bound on reaping.
const CLEAN_END_TIMEOUT: Duration = Duration::from_secs(7);

/// What the signals cancel, once they are caught.
static CAUGHT: OnceLock<Canceller> = OnceLock::new();

/// Catches these signals until the program ends. If it is still running some seconds after the first one, stuck in a
/// write for example, the signal ends it.
pub(super) fn interrupt() -> Result<Canceller, Failure> {
    if let Some(canceller) = CAUGHT.get() {
        return Ok(canceller.clone());
    }
    let canceller = catch().context("cannot catch signals").map_err(Failure::Referee)?;
    Ok(CAUGHT.get_or_init(|| canceller).clone())
}

fn catch() -> io::Result<Canceller> {
    let caught = CaughtSignals::catch()?;
    let canceller = caught.canceller().clone();
    // A second Ctrl-C while results are being saved must not kill.
    mem::forget(caught);
    let watched = canceller.clone();
    thread::Builder::new().name("interrupt".to_owned()).spawn(move || insist(&watched))?;
    Ok(canceller)
}

/// Waits for a signal, and ends the program if it is still running after the timeout.
fn insist(canceller: &Canceller) {
    let by = loop {
        if let Some(by) = canceller.wait(Duration::MAX) {
            break by;
        }
    };
    thread::sleep(CLEAN_END_TIMEOUT);
    // Only returns if the signal cannot end the process.
    let _ = emulate_default_handler(signal(by));
}

/// The signal that cancelled; nothing else does in this program.
pub(super) fn signal(by: Cancelled) -> i32 {
    by.signal().unwrap_or(SIGINT)
}
