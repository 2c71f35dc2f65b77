//! What a contribution's folder has and lacks, as `referee init --codingame` prints it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use terms::path::is_hidden;
use terms::text::plural;

use super::contribution::{Contribution, ContributionError, engine_in};
use super::engine::EngineVersion;
use crate::naming::{game_name, last_part};
use terms::system::program_file;

/// The engine's main class.
const MAIN: &str = "com.codingame.gameengine.core.RefereeMain";

/// The class that referees get which are patched for cg-brutaltester.
const BRUTALTESTER: &str = "com/codingame/gameengine/runner/CommandLineInterface";

/// The class of the engine.
const ENGINE: &str = "com/codingame/gameengine/core/RefereeMain";

/// A class that a referee needs, what it is part of, and the files of Debian that may have it.
const NEEDED: [(&str, &str, &[&str]); 8] = [
    ("com/codingame/game/Referee", "the game itself", &[]),
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

/// The settings of a contribution, and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The name of the game in the settings.
    pub name: String,
    /// The table `[game.NAME]`.
    pub settings: String,
    /// What there is, a phrase each.
    pub found: Vec<String>,
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
    let (mut found, mut missing) = (findings(&contribution), lacks(project, &contribution));
    let search = Search::new(project, contribution.engine);
    let mut class_path: Vec<PathBuf> = Vec::new();
    let mut lacking = Vec::new();
    for (class, what, _) in NEEDED {
        if let Some(place) = search.find(class) {
            let wanted =
                contribution.engine.filter(|_| class == ENGINE && version_of(&place).is_none());
            let unknown =
                wanted.map(|wanted| format!(" (its name has no version; pom.xml says {wanted})"));
            found.push(format!("{what}: {}{}", place.display(), unknown.unwrap_or_default()));
            class_path.push(place);
        } else {
            lacking.push(what.to_owned());
        }
    }
    if search.find(BRUTALTESTER).is_some() {
        found.push(
            "patched for cg-brutaltester, which is not needed here: it is played through the SDK's own main class"
                .to_owned(),
        );
    }
    class_path.extend_from_slice(&search.modules);
    let mut seen = BTreeSet::new();
    class_path.retain(|place| seen.insert(place.clone()));
    lacking.extend(class_path.iter().filter_map(|place| search.other_engine(place)));
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
    Ok(Survey { name, settings, found, missing })
}

fn findings(contribution: &Contribution) -> Vec<String> {
    let better = if contribution.is_lower_better { "lower" } else { "higher" };
    let mut found = Vec::new();
    if contribution.is_of_several() {
        let min = contribution.min_players.unwrap_or(2);
        found.push(match contribution.max_players.filter(|max| *max > min) {
            Some(max) => format!("{min} to {max} players; set `players` for more than {min}"),
            None => plural(min.into(), "player"),
        });
    } else {
        found.push(plural(contribution.cases.len() as u64, "test case"));
    }
    found.extend(
        contribution.score().map(|criteria| format!("criterion {criteria}, {better} is better")),
    );
    found.extend(contribution.engine.map(|engine| format!("engine {engine}")));
    if !contribution.leagues.is_empty() {
        let numbers: Vec<_> = contribution.leagues.iter().map(u32::to_string).collect();
        let numbers = numbers.join(", ");
        found.push(format!("folders of the leagues {numbers}; the real game may be one above"));
    }
    found
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
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| program_file(&folder.join("java")).is_file()) {
        missing.push("Java (Debian: apt-get install default-jre-headless)".to_owned());
    }
    missing
}

/// The places where classes may be.
struct Search {
    /// The engine that the game was written for, if `pom.xml` names it.
    engine: Option<EngineVersion>,
    /// Folders of classes and jars; the first that has a class counts.
    places: Vec<(PathBuf, Vec<u8>)>,
    /// The engine's modules, which games name in no fixed way.
    modules: Vec<PathBuf>,
}

impl Search {
    fn new(project: &Path, engine: Option<EngineVersion>) -> Self {
        let target = project.join("target");
        let mut files = vec![target.join("classes")];
        let folders = [target.join("dependency"), target, project.to_owned(), project.join("lib")];
        files.extend(folders.iter().flat_map(|folder| jars(folder)));
        let (of_engine, modules) = of_maven(project);
        files.extend(of_engine);
        files.extend(jars(&project.join("..")));
        files.extend(
            NEEDED.iter().flat_map(|(_, _, names)| *names).map(|name| Path::new(DEBIAN).join(name)),
        );
        let collected = jars(&project.join("target/dependency"));
        let places = files
            .into_iter()
            .map(|file| (file.clone(), fs::read(file).unwrap_or_default()))
            .collect();
        Self { engine, places, modules: if collected.is_empty() { modules } else { collected } }
    }

    /// The first place that has this class, one of another engine only if no other has it.
    fn find(&self, class: &str) -> Option<PathBuf> {
        let name = format!("{class}.class");
        let has = |(place, content): &&(PathBuf, Vec<u8>)| {
            place.join(&name).is_file() || names(content, &name)
        };
        let mut places: Vec<&Path> =
            self.places.iter().filter(has).map(|(place, _)| place.as_path()).collect();
        places.sort_by_key(|place| self.other_engine(place).is_some());
        places.first().map(|&place| place.to_owned())
    }

    /// What is wrong with a jar of the engine's whose name has another version than `pom.xml`.
    fn other_engine(&self, jar: &Path) -> Option<String> {
        let (wanted, found) = (self.engine?, version_of(jar)?);
        let content =
            self.places.iter().find(|(place, _)| place == jar).map(|(_, content)| content)?;
        let [(game, ..), (engine, what, _), ..] = NEEDED;
        // A game's own jar, with the engine in it, has a version of its own.
        let is_engine = names(content, engine) && !names(content, game);
        let jar = jar.display();
        (found != wanted && is_engine)
            .then(|| format!("{what}, version {wanted}, as pom.xml says: {jar} is {found}"))
    }
}

/// Whether a jar has a file whose path begins so: names of files stand in a jar as they are.
fn names(jar: &[u8], file: &str) -> bool {
    jar.windows(file.len()).any(|window| window == file.as_bytes())
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

/// The jars of the engine and of the modules that `pom.xml` names, from Maven's repository; then other libraries there.
fn of_maven(project: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let pom = fs::read_to_string(project.join("pom.xml")).unwrap_or_default();
    let Some((version, home)) = engine_in(&pom).zip(std::env::home_dir()) else {
        return Default::default();
    };
    let repository = home.join(".m2/repository");
    let engine = repository.join("com/codingame/gameengine");
    let artifacts = pom.split("<artifactId>").skip(1).filter_map(|rest| rest.split('<').next());
    let jar =
        |artifact: &str| engine.join(format!("{artifact}/{version}/{artifact}-{version}.jar"));
    let named: Vec<_> = artifacts.map(jar).filter(|jar| jar.is_file()).collect();
    let libraries = [
        "com/google/inject/guice",
        "com/google/code/gson/gson",
        "com/google/guava/guava",
        "aopalliance/aopalliance",
        "javax/inject/javax.inject",
        "commons-logging/commons-logging",
    ];
    let versions = libraries.iter().flat_map(|library| {
        let mut versions: Vec<_> = repository
            .join(library)
            .read_dir()
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        versions.sort_unstable();
        versions.into_iter().rev().flat_map(|version| jars(&version))
    });
    (named.iter().cloned().chain(versions).collect(), named)
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
    settings.extend(contribution.is_of_several().then(|| format!("players = {players}\n")));
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
            let unknown = "(its name has no version; pom.xml says 3.15.0)";
            assert_eq!(found.found.join("\n").contains(unknown), *jars == ["engine.jar"]);
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
            assert!(settings.contains("\nplayers = 3\nleague = 3   # the highest"), "{settings}");
            assert!(found.found.contains(
                &"folders of the leagues 1, 3; the real game may be one above".to_owned()
            ));
        }
    }

    #[test]
    fn a_game_of_several_players_needs_no_test_cases() {
        let folder = folder_of(&[
            ("sea/config/config.ini", "title=Sea\ntype=multi\nmin_players=2\nmax_players=4\n"),
            ("sea/game.jar", "PK com/codingame/gameengine/runner/CommandLineInterface.class"),
        ]);
        let found = survey(&folder.path().join("sea"), folder.path(), None).expect("readable");
        assert!(found.settings.contains("\nplayers = 2\n"), "{}", found.settings);
        assert!(!found.settings.contains("game.mode"), "{}", found.settings);
        assert!(!found.missing.join("\n").contains("test case"), "{:?}", found.missing);
        let told = found.found.join("\n");
        for part in ["2 to 4 players; set `players`", "patched for cg-brutaltester"] {
            assert!(told.contains(part), "{part}: {told}");
        }
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
