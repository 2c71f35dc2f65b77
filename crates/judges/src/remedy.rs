//! What the user can do about trouble that is known.

/// Signs of known trouble in what a judge says, and what helps. The first sign that is found counts.
const REMEDIES: [(&str, &str); 11] = [
    (
        "InaccessibleObjectException",
        "add `--add-opens java.base/java.lang=ALL-UNNAMED` after `java` in its command: its Guice is older than this Java",
    ),
    (
        "GameManager.putMetadata(",
        "put the engine's version that the game was written for on the class path: `putMetadata` changed in 4.5.0",
    ),
    // Debian's Guice and Guava disagree when they print what is missing.
    (
        "UncheckedExecutionException thrown from the UncaughtExceptionHandler",
        "name the game's own jar, or target/classes, on the class path",
    ),
    (
        "load main class com.codingame.gameengine.",
        "name the engine's jar on the class path; its main class is com.codingame.gameengine.core.RefereeMain",
    ),
    ("com.codingame.game.", "name the game's own jar, or target/classes, on the class path"),
    ("ClassNotFoundException", NO_CLASS),
    ("NoClassDefFoundError", NO_CLASS),
    (
        "UnsupportedClassVersionError",
        "it was compiled for a newer Java than the one that its command starts",
    ),
    ("could not find `Cargo.toml`", NO_CARGO),
    // As cargo indents it.
    ("   Compiling ", NO_CARGO),
    ("/target/release/", "`cargo build --release` in the folder of its Cargo.toml builds it"),
];

const NO_CLASS: &str = "name the folder or jar of this class after `-cp` in its command; `referee init --codingame FOLDER` names \
     the jars of a game for CodinGame";

const NO_CARGO: &str = "cargo may build it again in each game's scratch folder: build it once, and name the built program in the command, such as \
     ./tools/target/release/vis";

/// The remedy for what `text` says, if one is known.
pub(crate) fn remedy(text: &str) -> Option<&'static str> {
    REMEDIES.iter().find(|(sign, _)| has_sign(text, sign)).map(|(_, remedy)| *remedy)
}

/// A class or a program is missing only if the line says so: the names stand in other trouble too.
fn has_sign(text: &str, sign: &str) -> bool {
    let missing: &[&str] = match sign {
        "com.codingame.game." => &["ClassNotFoundException"],
        "/target/release/" => &["o such file", "not found"],
        _ => return text.contains(sign),
    };
    let says = |line: &str| missing.iter().any(|missing| line.contains(missing));
    text.lines().any(|line| line.contains(sign) && says(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_trouble_has_its_remedy() {
        for (text, expected) in [
            (
                "Caused by: java.lang.reflect.InaccessibleObjectException: Unable",
                Some("--add-opens"),
            ),
            (
                "java.lang.UnsupportedClassVersionError: x has been compiled by",
                Some("a newer Java"),
            ),
            (
                "Error: Could not find or load main class com.codingame.gameengine.core.RefereeMain",
                Some("name the engine's jar"),
            ),
            (
                "Error: Could not find or load main class Mark\nCaused by: java.lang.ClassNotFoundException: Mark",
                Some("after `-cp`"),
            ),
            (
                "java.lang.NoSuchMethodError: 'void com.codingame.gameengine.core.SoloGameManager.putMetadata(",
                Some("4.5.0"),
            ),
            ("java.lang.ClassNotFoundException: com.codingame.game.Player", Some("own jar")),
            (
                "Caused by: java.lang.ClassNotFoundException: com.google.gson.Gson",
                Some("init --codingame"),
            ),
            ("at com.codingame.game.Referee.gameTurn(Referee.java:3)", None),
            ("cannot be started: no such file: tools/target/release/vis", Some("cargo build")),
            ("cannot be started `/x/target/release/vis`: Text file busy (os error 26)", None),
            (
                "Exception: c.UncheckedExecutionException thrown from the UncaughtExceptionHandler in thread",
                Some("own jar"),
            ),
            ("   Compiling vis v0.1.0 (/tools)", Some("./tools/target/release/vis")),
            ("thread 'main' panicked at src/bin/vis.rs:9:5: line 3: bad", None),
            ("", None),
        ] {
            let found = remedy(text);
            assert_eq!(found.is_some(), expected.is_some(), "{text}: {found:?}");
            assert!(
                found.unwrap_or_default().contains(expected.unwrap_or_default()),
                "{text}: {found:?}"
            );
        }
    }
}
