//! What unit tests diagnose: a turn and a bot made by hand, without a process.

use contain::bot::{BotCommand, Confinement, ContainmentMethod};
use results::gamelog::Turn;
use terms::limits::Resources;

/// The first turn of a game, unanswered for no reason yet.
pub(super) fn turn() -> Turn {
    let json = r#"{"turn": 1, "limit": "turn", "reply": "", "gain": 0, "score": 0, "wall_ms": 60}"#;
    serde_json::from_str(json).expect("a turn")
}

/// A bot without limits on its resources, outside any sandbox.
pub(super) fn command(program: &str) -> BotCommand {
    let (method, resources) = (ContainmentMethod::Plain, Resources::default());
    BotCommand::new(program, [""; 0], Confinement { method, resources, sandbox: None })
}
