//! The part of Java that starts a referee of CodinGame's SDK. The file of the game's class contains the conversation that it
//! repeats.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::codingame::{exit_code, repeat};

/// Guice fails without it on Java 16 and later.
const OPENS: &str = "java.base/java.lang=ALL-UNNAMED";

/// The class of the game, and its conversation.
const GAME: &str = "com/codingame/game/Referee.class";

/// `java OPTION… CLASS`: plays the game on the class path, or prints the errors of Java and Guice.
pub(crate) fn run(words: impl Iterator<Item = String>) -> ExitCode {
    let words: Vec<String> = words.collect();
    let value = |option: &str| Some(&words[words.iter().position(|word| word == option)? + 1]);
    let path: Vec<PathBuf> =
        value("-cp").into_iter().flat_map(|path| path.split(':')).map(PathBuf::from).collect();
    let find =
        |class: &str| path.iter().map(|folder| folder.join(class)).find(|file| file.is_file());
    let main = words.last().map(String::as_str).unwrap_or_default();
    exit_code(if find(&format!("{}.class", main.replace('.', "/"))).is_none() {
        Err(format!(
            "Error: Could not find or load main class {main}\nCaused by: java.lang.ClassNotFoundException: {main}"
        ))
    } else if value("--add-opens").is_none_or(|opened| opened != OPENS) {
        Err("Caused by: java.lang.reflect.InaccessibleObjectException: Unable to make protected final java.lang.Class \
             java.lang.ClassLoader.defineClass(java.lang.String,byte[],int,int) accessible: module java.base does not \
             \"opens java.lang\" to unnamed module".to_owned())
    } else if let Some(game) = find(GAME) {
        repeat(&game)
    } else {
        Err("Exception: com.google.common.util.concurrent.UncheckedExecutionException thrown from the \
             UncaughtExceptionHandler in thread \"main\"".to_owned())
    })
}
