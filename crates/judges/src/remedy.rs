//! What the user can do about trouble that is known.

/// A sign of known trouble in what a judge says, and what helps.
pub(crate) type Remedy = (&'static str, &'static str);

/// Trouble of CodinGame's engine.
pub(crate) const OF_ENGINE: &[Remedy] = &[
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
        "Could not find or load main class",
        "name the engine's jar on the class path; its main class is com.codingame.gameengine.core.RefereeMain",
    ),
    ("com.codingame.game.", "name the game's own jar, or target/classes, on the class path"),
    ("ClassNotFoundException", "a jar is missing on the class path"),
    ("NoClassDefFoundError", "a jar is missing on the class path"),
];

/// Trouble of a command that begins with cargo.
pub(crate) const OF_CARGO: &[Remedy] = &[
    ("could not find `Cargo.toml`", NO_CARGO),
    ("did not end within", NO_CARGO),
    ("Compiling ", NO_CARGO),
];

const NO_CARGO: &str = "cargo may build it again in each game's scratch folder: build it once, and name the built program in the command, such as \
     ./tools/target/release/vis";

/// Trouble of any judge.
const OF_ALL: &[Remedy] = &[
    (
        "UnsupportedClassVersionError",
        "it was compiled for a newer Java than the one that its command starts",
    ),
    ("ClassNotFoundException", "name the folder or jar of this class after `-cp` in its command"),
    ("NoClassDefFoundError", "name the folder or jar of this class after `-cp` in its command"),
    ("/target/release/", "`cargo build --release` in the folder of its Cargo.toml builds it"),
];

/// The remedy for what `text` says, if one is known: the first sign that is found counts, its `own` before the common ones.
pub(crate) fn remedy(own: &[Remedy], text: &str) -> Option<&'static str> {
    let found = own.iter().chain(OF_ALL).find(|(sign, _)| has_sign(text, sign))?;
    Some(found.1)
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
                "Error: Could not find or load main class x\nCaused by: java.lang.ClassNotFoundException: x",
                Some("RefereeMain"),
            ),
            (
                "java.lang.NoSuchMethodError: 'void com.codingame.gameengine.core.SoloGameManager.putMetadata(",
                Some("4.5.0"),
            ),
            ("java.lang.ClassNotFoundException: com.codingame.game.Player", Some("own jar")),
            (
                "Caused by: java.lang.ClassNotFoundException: com.google.gson.Gson",
                Some("a jar is missing"),
            ),
            ("at com.codingame.game.Referee.gameTurn(Referee.java:3)", None),
            ("cannot be started: no such file: tools/target/release/vis", Some("cargo build")),
            ("cannot be started `/x/target/release/vis`: Text file busy (os error 26)", None),
            (
                "Exception: c.UncheckedExecutionException thrown from the UncaughtExceptionHandler in thread",
                Some("own jar"),
            ),
            ("", None),
        ] {
            let found = remedy(OF_ENGINE, text);
            assert_eq!(found.is_some(), expected.is_some(), "{text}: {found:?}");
            assert!(
                found.unwrap_or_default().contains(expected.unwrap_or_default()),
                "{text}: {found:?}"
            );
        }
        // What helps with the engine does not help with another program.
        let missing = "Error: Could not find or load main class Mark\nCaused by: java.lang.ClassNotFoundException: Mark";
        assert!(remedy(&[], missing).is_some_and(|it| it.contains("after `-cp`")));
        let cargo = |text| remedy(OF_CARGO, text);
        assert!(
            cargo("did not end within 10s")
                .is_some_and(|it| it.contains("./tools/target/release/vis"))
        );
        assert_eq!(cargo("thread 'main' panicked at src/bin/vis.rs:9:5: line 3: bad"), None);
    }
}
