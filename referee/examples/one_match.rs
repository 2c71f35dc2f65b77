//! One game: any command as the bot, judged by the official rules of SameGame.
use referee::{bot::BotCommand, config::Config, play::Match};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::resolve([])?;
    let (name, board) = &config.game.bundled[1];
    // It answers each board, which has 15 rows, with the tile at the bottom left.
    let bot = "while read -r row; do i=$((i + 1)); [ $((i % 15)) -eq 0 ] && echo 0 0; done";
    let command = BotCommand::new("sh", ["-c", bot], config.confinement(None)?);
    let end = Match::new(&config.game, board, &command).play(|_event| {})?;
    println!("{name}: {} ({})", end.official, end.verdict);
    Ok(())
}
