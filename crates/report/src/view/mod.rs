//! Games to look at, saved and live: as a page, as plain text.
//!
//! [`film`] rebuilds a game board by board; [`page`] and [`transcript`] show it. This module does not judge
//! games; [`replay`](results::replay) does.

pub mod film;
pub(crate) mod links;
pub mod page;
pub mod transcript;

use results::gamelog::Turn;
use terms::text::plural;

/// The most bytes of a reply to show. Only the beginning of a longer reply is shown; its moves are listed
/// one by one anyway.
const MAX_REPLY_BYTES: usize = 4096;

/// The beginning of a bot's reply, which the caller must make inert.
pub fn reply(turn: &Turn) -> String {
    let bytes = &turn.reply.0;
    let shown = bytes.len().min(MAX_REPLY_BYTES);
    output(&bytes[..shown], (bytes.len() - shown) as u64)
}

/// A bot's output with a note on dropped bytes, which the caller must make inert.
pub fn output(bytes: &[u8], dropped: u64) -> String {
    let text = String::from_utf8_lossy(bytes);
    if dropped == 0 {
        text.into_owned()
    } else {
        format!("{text}\n… and {} more", plural(dropped, "byte"))
    }
}
