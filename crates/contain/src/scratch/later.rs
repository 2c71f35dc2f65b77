//! Drops in the background what the kernel takes long to remove, so that no game waits for it.

use std::sync::mpsc::{SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Whatever is removed by dropping it.
type Waste = Box<dyn Send>;

/// The most that may wait for removal; beyond that, dropping waits, so that a suite cannot fill up the host.
const WAITING: usize = 16;

/// The thread that drops, and what it is to drop.
struct Remover {
    queue: SyncSender<Waste>,
    thread: JoinHandle<()>,
}

static REMOVER: Mutex<Option<Remover>> = Mutex::new(None);

fn remover() -> MutexGuard<'static, Option<Remover>> {
    REMOVER.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Remover {
    fn start() -> Option<Self> {
        let (queue, all) = sync_channel::<Waste>(WAITING);
        let drop_all = move || all.into_iter().for_each(drop);
        let thread = thread::Builder::new().name("clean-up".to_owned()).spawn(drop_all).ok()?;
        Some(Self { queue, thread })
    }
}

/// Drops something in the background.
pub(crate) fn drop_later(waste: impl Send + 'static) {
    let mut remover = remover();
    if remover.is_none() {
        *remover = Remover::start();
    }
    let Some(Remover { queue, .. }) = &*remover else { return };
    let refused = queue.try_send(Box::new(waste));
    // Not while others wait for the queue.
    drop(remover);
    if let Err(TrySendError::Full(waste)) = refused {
        drop(waste);
    }
}

/// Waits until all has been dropped.
pub(crate) fn wait() {
    let queue = remover().as_ref().map(|remover| remover.queue.clone());
    let (last, is_dropped) = channel::<()>();
    if queue.is_some_and(|queue| queue.send(Box::new(last)).is_ok()) {
        // It fails once the other end, the last in the queue, has been dropped.
        let _ = is_dropped.recv();
    }
}

/// Ends the thread once it has dropped all.
pub(crate) fn end() {
    if let Some(Remover { queue, thread }) = remover().take() {
        drop(queue);
        let _ = thread.join();
    }
}
