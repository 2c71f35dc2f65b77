//! Looks at games, saved and live: as a page, in the terminal, as plain text.
//!
//! [`film`] works a game out anew, board by board; [`page`] and [`player`] show it. Nothing here judges
//! a game: that is for [`replay`](crate::replay).

pub mod film;
pub mod page;
#[cfg(feature = "cli")]
pub mod player;
pub mod transcript;

use crate::gamelog::Turn;
use crate::text::plural;

/// The most bytes of a reply that are shown. A reply that is a whole game of numbers is shown from its
/// beginning; its moves have their numbers beside them anyway.
const MAX_REPLY_BYTES: usize = 4096;

/// The beginning of a bot's reply. Whoever renders it has to make it inert.
fn reply(turn: &Turn) -> String {
    let bytes = &turn.reply.0;
    let shown = bytes.len().min(MAX_REPLY_BYTES);
    output(&bytes[..shown], (bytes.len() - shown) as u64)
}

/// What a bot wrote, and how many bytes of it were dropped. Whoever renders it has to make it inert.
fn output(bytes: &[u8], dropped: u64) -> String {
    let text = String::from_utf8_lossy(bytes);
    if dropped == 0 {
        text.into_owned()
    } else {
        format!("{text}\n… and {} more", plural(dropped, "byte"))
    }
}
