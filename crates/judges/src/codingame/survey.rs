//! The settings of a contribution, and what its folder lacks, for `referee init --codingame`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use terms::path::is_hidden;

use super::contribution::{Contribution, ContributionError};
use super::engine::EngineVersion;
use crate::naming::{game_name, last_part};

/// The engine's main class.
const MAIN: &str = "com.codingame.gameengine.core.RefereeMain";

/// The class of the engine.
const ENGINE: &str = "com/codingame/gameengine/core/RefereeMain";

/// The class of the game.
const GAME: &str = "com/codingame/game/Referee";

/// A class that a referee needs, what it is part of, and the files of Debian that may have it.
const NEEDED: [(&str, &str, &[&str]); 8] = [
    (GAME, "the game itself", &[]),
    (ENGINE, "the engine (com.codingame.gameengine:core)", &[]),
    ("com/google/inject/Guice", "Guice (libguice-java)", &["guice.jar"]),
    ("com/google/gson/Gson", "Gson (libgoogle-gson-java)", &["gson.jar"]),
    ("com/google/common/collect/ImmutableList", "Guava (libguava-java)", &["guava.jar"]),
    (
        "org/aopalliance/intercept/MethodInterceptor",
        "AOP Alliance (libaopalliance-java)",
        &["aopalliance.jar"],
    ),
    (
        "javax/inject/Inject",
        "javax.inject (libatinject-jsr330-api-java)",
        &["atinject-jsr330-api.jar", "javax.inject.jar"],
    ),
    (
        "org/apache/commons/logging/LogFactory",
        "Commons Logging (libcommons-logging-java)",
        &["commons-logging.jar"],
    ),
];

/// Options that make a referee start quickly and work on every Java from 9 on.
const OPTIONS: &str = "--add-opens java.base/java.lang=ALL-UNNAMED -Dfile.encoding=UTF-8 \
    -Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

/// Where Debian installs jars.
const DEBIAN: &str = "/usr/share/java";

/// The settings of a game, and what it lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The name of the game in the settings.
    pub name: String,
    /// The table `[game.NAME]`.
    pub settings: String,
    /// What is missing, and how to get it.
    pub missing: Vec<String>,
}

/// Looks at a contribution's folder, and writes its settings for a file in `here`, under the name `given` or else its own.
///
/// # Errors
/// When the folder cannot be read.
pub fn survey(
    project: &Path,
    here: &Path,
    given: Option<&str>,
) -> Result<Survey, ContributionError> {
    let first = Contribution::read(project, None)?;
    // The lower leagues play simpler games.
    let contribution = Contribution::read(project, first.leagues.last().copied())?;
    let mut missing = lacks(project, &contribution);
    let places = places(project);
    let mut class_path: Vec<PathBuf> = Vec::new();
    let mut lacking = Vec::new();
    for (class, what, _) in NEEDED {
        // Of the engine's jars one of another version counts only if there is no other.
        let other_version = |(place, content): &&Place| {
            let (wanted, found) = (contribution.engine?, version_of(place)?);
            // A game's own jar, with the engine in it, has a version of its own.
            let is_other = class == ENGINE && found != wanted && !has(place, content, GAME);
            is_other.then(|| {
                format!("{what}, version {wanted}, as pom.xml says: {} is {found}", place.display())
            })
        };
        let having = places.iter().filter(|(place, content)| has(place, content, class));
        match having.min_by_key(|place| other_version(place).is_some()) {
            Some(place) => {
                lacking.extend(other_version(&place));
                class_path.push(place.0.clone());
            }
            None => lacking.push(what.to_owned()),
        }
    }
    class_path.extend(jars(&project.join("target/dependency")));
    let mut seen = BTreeSet::new();
    class_path.retain(|place| seen.insert(place.clone()));
    if !lacking.is_empty() {
        missing.append(&mut lacking);
        missing.push(format!(
            "build the game and collect its jars with `mvn package dependency:copy-dependencies` in {} (Debian: apt-get install maven), then run this again",
            project.display()
        ));
    }
    let names = [given.map(str::to_owned), contribution.title.clone(), Some(last_part(project))];
    let name = game_name(names.into_iter().flatten());
    let settings = settings(&name, project, here, &contribution, &class_path);
    Ok(Survey { name, settings, missing })
}

fn lacks(project: &Path, contribution: &Contribution) -> Vec<String> {
    let mut missing = Vec::new();
    if contribution.cases.is_empty() && !contribution.is_of_several() {
        missing.push(format!("test cases: {} has no config/test1.json", project.display()));
    }
    if contribution.kind.as_deref() == Some("opti") && contribution.criteria.is_none() {
        missing.push("the score: config.ini has no `criteria`".to_owned());
    }
    if contribution.engine.is_none() {
        missing.push("the engine's version: pom.xml does not name it; set `engine`".to_owned());
    }
    missing
}

/// A folder of classes, or a jar and its bytes.
type Place = (PathBuf, Vec<u8>);

/// Where classes may be; the first place that has one counts.
fn places(project: &Path) -> Vec<Place> {
    let target = project.join("target");
    let mut files = vec![target.join("classes")];
    let folders = [
        target.join("dependency"),
        target,
        project.to_owned(),
        project.join("lib"),
        project.join(".."),
    ];
    files.extend(folders.iter().flat_map(|folder| jars(folder)));
    let of_debian = NEEDED.iter().flat_map(|(_, _, names)| *names);
    files.extend(of_debian.map(|name| Path::new(DEBIAN).join(name)));
    files.into_iter().map(|file| (file.clone(), fs::read(file).unwrap_or_default())).collect()
}

/// Whether a place has a class. Names of files stand in a jar as they are.
fn has(place: &Path, jar: &[u8], class: &str) -> bool {
    let file = format!("{class}.class");
    place.join(&file).is_file() || jar.windows(file.len()).any(|window| window == file.as_bytes())
}

/// The version in the name of a jar, such as `core-4.5.0.jar`.
fn version_of(jar: &Path) -> Option<EngineVersion> {
    let name = jar.file_name()?.to_str()?.strip_suffix(".jar")?;
    name.split(['-', '_']).find_map(|part| part.trim_start_matches('v').parse().ok())
}

fn jars(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let is_jar =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jar") && !is_hidden(path);
    let mut jars: Vec<_> = entries.filter(is_jar).collect();
    jars.sort_unstable();
    jars
}

fn settings(
    name: &str,
    project: &Path,
    here: &Path,
    contribution: &Contribution,
    class_path: &[PathBuf],
) -> String {
    let path = |path: &Path| {
        let path = path.strip_prefix(here).unwrap_or(path);
        path.display().to_string()
    };
    let class_path: Vec<String> = class_path.iter().map(|place| path(place)).collect();
    let quoted = |text: &str| serde_json::to_string(text).expect("text");
    let command =
        format!("java {OPTIONS} -cp {} {MAIN}", terms::text::shell_word(&class_path.join(":")));
    let mut settings = format!(
        "[game.{name}]\nkind = \"codingame\"\ncommand = {}\nproject = {}\n",
        quoted(&command),
        quoted(&path(project))
    );
    if contribution.engine.is_none() {
        settings.push_str(
            "# engine = \"4.5.0\"   # the version of the SDK that the game was written for\n",
        );
    }
    let players = contribution.min_players.unwrap_or(2);
    let most = contribution.max_players.filter(|most| *most > players);
    let most = most.map(|most| format!("   # or up to {most}")).unwrap_or_default();
    settings.extend(contribution.is_of_several().then(|| format!("players = {players}{most}\n")));
    let league = contribution.leagues.last();
    settings.extend(league.map(|league| {
        format!(
            "league = {league}   # the highest that has a folder; the real game may be one above\n"
        )
    }));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codingame::folder_of;

    #[test]
    fn the_engine_is_the_one_that_the_game_was_written_for() {
        const CORE: &str = "PK com/codingame/gameengine/core/RefereeMain.class";
        let fat = format!("{CORE} com/codingame/game/Referee.class");
        let other = "the engine (com.codingame.gameengine:core), version 3.15.0, as pom.xml says: ";
        for (jars, expected, missing) in [
            (&["core-4.5.0.jar"][..], "core-4.5.0.jar", true),
            (&["a/core-4.5.0.jar", "core-3.15.0.jar"], "core-3.15.0.jar", false),
            (&["core-3.15.jar"], "core-3.15.jar", false),
            (&["engine.jar"], "engine.jar", false),
            (&["engine_v4.5.0.jar"], "engine_v4.5.0.jar", true),
            (&["fat-1.0.jar"], "fat-1.0.jar", false),
        ] {
            let folder = folder_of(&[
                ("moon/config/test1.json", "{\"testIn\":\"1\"}"),
                ("moon/pom.xml", "<gamengine.version>3.15.0</gamengine.version>"),
                ("moon/target/classes/com/codingame/game/Referee.class", ""),
            ]);
            for jar in jars {
                let jar = folder.path().join(jar.replace("a/", "moon/"));
                fs::write(&jar, if jar.ends_with("fat-1.0.jar") { &fat } else { CORE })
                    .expect("room");
            }
            let moon = folder.path().join("moon");
            let found = survey(&moon, folder.path(), None).expect("readable");
            assert!(found.settings.contains(expected), "{jars:?}: {}", found.settings);
            assert_eq!(
                found.settings.matches("core-").count(),
                usize::from(expected.contains("core-"))
            );
            let told = found.missing.join("\n");
            assert_eq!(told.contains(other), missing, "{jars:?}: {told}");
        }
    }

    #[test]
    fn the_highest_league_with_a_folder_is_proposed_under_a_name_of_its_own() {
        let folder = folder_of(&[
            ("ocean/config/config.ini", "title=Game Example\ntype=multi\nmin_players=2\n"),
            ("ocean/config/level1/config.ini", "max_players=2\n"),
            ("ocean/config/level3/config.ini", "min_players=3\nmax_players=4\n"),
        ]);
        let ocean = folder.path().join("ocean");
        for (given, name) in [(None, "ocean"), (Some("My Ocean"), "my-ocean")] {
            let found = survey(&ocean, folder.path(), given).expect("readable");
            assert_eq!(found.name, name);
            let settings = &found.settings;
            assert!(
                settings.contains("\nplayers = 3   # or up to 4\nleague = 3   # the highest"),
                "{settings}"
            );
        }
    }

    #[test]
    fn a_game_of_several_players_needs_no_test_cases() {
        let folder = folder_of(&[(
            "sea/config/config.ini",
            "title=Sea\ntype=multi\nmin_players=2\nmax_players=4\n",
        )]);
        let found = survey(&folder.path().join("sea"), folder.path(), None).expect("readable");
        assert!(found.settings.contains("\nplayers = 2   # or up to 4\n"), "{}", found.settings);
        assert!(!found.settings.contains("game.mode"), "{}", found.settings);
        assert!(!found.missing.join("\n").contains("test case"), "{:?}", found.missing);
    }

    #[test]
    fn what_is_missing_is_named_with_the_way_to_get_it() {
        let folder = folder_of(&[("config/config.ini", "type=opti\n")]);
        let found = survey(folder.path(), folder.path(), None).expect("readable");
        let missing = found.missing.join("\n");
        for part in [
            "the game itself",
            "the engine (com.codingame.gameengine:core)",
            "mvn package dependency:copy-dependencies",
            "has no config/test1.json",
            "config.ini has no `criteria`",
            "set `engine`",
        ] {
            assert!(missing.contains(part), "{part}: {missing}");
        }
        assert!(found.settings.contains("# engine = \"4.5.0\""), "{}", found.settings);
    }
}
