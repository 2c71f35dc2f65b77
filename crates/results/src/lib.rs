//! Logs of games and folders of runs: read, refereed again, added up, compared. It starts no process.

pub mod compare;
pub mod digest;
pub mod gamelog;
pub mod host;
pub mod replay;
pub mod said;
pub mod suite;
pub mod timing;
