//! Looks at games, saved and live: as a page, in the terminal, as plain text.
//!
//! [`film`] works a game out anew, board by board; [`page`] and [`player`] show it. Nothing here judges
//! a game: that is for [`replay`](crate::replay).

pub mod film;
pub mod page;
pub mod player;
pub mod transcript;
