//! A contribution's folder: its test cases, its criterion, and the version of its engine.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use super::engine::EngineVersion;
use super::properties;
use super::test_case::{TestCaseContent, parse_test_case};
use terms::text::without_byte_order_mark;

/// What the folder of a contribution says about its game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contribution {
    /// Its title, if `config.ini` has one.
    pub title: Option<String>,
    /// The kind of game: `opti`, `solo` or `multi`.
    pub kind: Option<String>,
    /// The metadata that is the score, if the game has one.
    pub criteria: Option<String>,
    /// Whether a lower score is better.
    pub is_lower_better: bool,
    /// The minimum number of players.
    pub min_players: Option<u32>,
    /// The maximum number of players.
    pub max_players: Option<u32>,
    /// The engine's version, if `pom.xml` names it.
    pub engine: Option<EngineVersion>,
    /// The leagues that have folders of their own. There may be more: the real game is often one above.
    pub leagues: Vec<u32>,
    /// The test cases, by their numbers.
    pub cases: Vec<TestCase>,
}

/// A file `test3.json` and the like, which has one input of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCase {
    /// The name of its file without the ending, such as `test3`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The parsed content of that file.
    pub content: TestCaseContent,
}

/// Why a contribution cannot be read: the file, what is wrong in it, and what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ContributionError(String);

impl ContributionError {
    fn at(path: &Path, problem: impl Display) -> Self {
        Self(format!("{}: {problem}", path.display()))
    }
}

/// The title in the skeleton from which contributions start.
const TITLE_OF_SKELETON: &str = "Game Example";

impl Contribution {
    /// Reads the folder of a contribution: `config/`, or the folder itself if it has no `config/`, and `pom.xml`. The
    /// files of a league, if it has any, take precedence over files of all leagues; where no league is asked for, it is the engine's,
    /// the first.
    ///
    /// # Errors
    /// When a file cannot be read or understood.
    pub fn read(project: &Path, league: Option<u32>) -> Result<Self, ContributionError> {
        let inner = project.join("config");
        let config = if inner.is_dir() { inner } else { project.to_owned() };
        let leagues = leagues(&config)?;
        let level = league.or(leagues.first().copied()).filter(|level| leagues.contains(level));
        let mut found = Self { leagues, engine: engine(project)?, ..Self::default() };
        found.read_folder(&config)?;
        if let Some(level) = level {
            found.read_folder(&config.join(format!("level{level}")))?;
        }
        Ok(found)
    }

    /// Lets what a folder says replace what an earlier one has said.
    fn read_folder(&mut self, folder: &Path) -> Result<(), ContributionError> {
        let path = folder.join("config.ini");
        if path.exists() {
            self.read_settings(&path)?;
        }
        let cases = cases(folder)?;
        if !cases.is_empty() {
            self.cases = cases;
        }
        Ok(())
    }

    fn read_settings(&mut self, path: &Path) -> Result<(), ContributionError> {
        let properties = properties::parse(&read(path)?);
        let property = |name: &str| properties.get(name).filter(|value| !value.is_empty()).cloned();
        let wrong = |problem: String| ContributionError::at(path, problem);
        let title = property("title").filter(|title| title != TITLE_OF_SKELETON);
        self.title = title.or(self.title.take());
        self.kind = property("type").map(|kind| kind.to_lowercase()).or(self.kind.take());
        self.criteria = property("criteria").or(self.criteria.take());
        if let Some(order) = property("sorting_order") {
            self.is_lower_better = match order.to_lowercase().as_str() {
                "asc" => true,
                "desc" => false,
                _ => {
                    let problem =
                        format!("`sorting_order` is `{order}`; it must be `asc` or `desc`");
                    return Err(wrong(problem));
                }
            };
        }
        let players = |name: &str| {
            let read = |players: String| {
                let problem = format!("`{name}` is `{players}`, which is not a number");
                players.parse().map_err(|_| wrong(problem))
            };
            property(name).map(read).transpose()
        };
        self.min_players = players("min_players")?.or(self.min_players);
        self.max_players = players("max_players")?.or(self.max_players);
        Ok(())
    }

    /// What to know of a league without a folder.
    pub(crate) fn note_on_league(&self, league: Option<u32>) -> Option<String> {
        let league = league.filter(|league| !self.leagues.contains(league))?;
        self.leagues.last()?;
        Some(format!("league {league} has no folder level{league}: the files of all leagues count"))
    }

    /// Whether it is a game of several players.
    pub fn is_of_several(&self) -> bool {
        self.kind.as_deref() == Some("multi") || self.min_players.is_some_and(|players| players > 1)
    }

    /// The number of players of a game that is to have `asked` of them, or else the minimum.
    ///
    /// # Errors
    /// When the game is for other numbers of players, in words.
    pub(crate) fn players(&self, asked: Option<u32>) -> Result<u32, String> {
        let default = if self.is_of_several() { 2 } else { 1 };
        let min = self.min_players.unwrap_or(default);
        let players = asked.unwrap_or(min);
        // Without a contribution everything is possible.
        let max = self.max_players.or(self.min_players).filter(|max| *max >= min);
        let has_range = self.min_players.is_some() || self.max_players.is_some();
        match max {
            Some(max) if has_range && !(min..=max).contains(&players) => {
                let range = if min == max { min.to_string() } else { format!("{min} to {max}") };
                Err(format!("this game is for {range} players (config.ini), not for {players}"))
            }
            _ => Ok(players),
        }
    }

    /// The criterion by which games are compared; a game of the kind `solo` has none.
    pub fn score(&self) -> Option<&str> {
        let has_score = self.kind.as_deref() != Some("solo");
        self.criteria.as_deref().filter(|_| has_score)
    }
}

/// The numbers of the folders `level1`, `level2`, …
fn leagues(config: &Path) -> Result<Vec<u32>, ContributionError> {
    let names = names(config)?;
    let level = |name: &String| name.strip_prefix("level")?.parse().ok();
    let mut leagues: Vec<u32> = names.iter().filter_map(level).collect();
    leagues.sort_unstable();
    Ok(leagues)
}

/// The test cases of a folder: `test1.json`, `test2.yaml`, …
fn cases(folder: &Path) -> Result<Vec<TestCase>, ContributionError> {
    let number = |name: &str| -> Option<u32> {
        let stem = name.strip_suffix(".json").or(name.strip_suffix(".yaml"))?;
        stem.strip_prefix("test")?.parse().ok()
    };
    let names = names(folder)?;
    let mut numbered: Vec<(u32, &String)> =
        names.iter().filter_map(|name| Some((number(name)?, name))).collect();
    numbered.sort_unstable();
    numbered.dedup_by_key(|(number, _)| *number);
    let case = |(_, name): (u32, &String)| {
        let path = folder.join(name);
        let content = parse_test_case(&read(&path)?)
            .map_err(|problem| ContributionError(format!("{}:{problem}", path.display())))?;
        let name = name.split('.').next().unwrap_or_default().to_owned();
        Ok(TestCase { name, path, content })
    };
    numbered.into_iter().map(case).collect()
}

fn names(folder: &Path) -> Result<Vec<String>, ContributionError> {
    let failed = |error| ContributionError::at(folder, error);
    let entries: Vec<_> =
        folder.read_dir().map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    Ok(entries.iter().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

fn read(path: &Path) -> Result<String, ContributionError> {
    let failed = |error| ContributionError::at(path, error);
    fs::read_to_string(path).map(without_byte_order_mark).map_err(failed)
}

/// The version that `pom.xml` names: as a property, or with the dependency on the engine's core.
fn engine(project: &Path) -> Result<Option<EngineVersion>, ContributionError> {
    let path = project.join("pom.xml");
    if !path.exists() {
        return Ok(None);
    }
    let text = read(&path)?;
    let named = engine_in(&text);
    let wrong = |problem: String| ContributionError::at(&path, problem);
    named.map(str::parse).transpose().map_err(wrong)
}

/// The text of the engine's version in a `pom.xml`.
fn engine_in(pom: &str) -> Option<&str> {
    let inside = |text: &'_ str, tag: &str| -> Option<(usize, usize)> {
        let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
        Some((start, start + text[start..].find(&format!("</{tag}>"))?))
    };
    if let Some((start, end)) = inside(pom, "gamengine.version") {
        return Some(pom[start..end].trim());
    }
    let dependencies = pom.split("<dependency>").skip(1);
    let core = dependencies
        .map(|dependency| dependency.split("</dependency>").next().unwrap_or_default())
        .find(|dependency| dependency.contains("com.codingame.gameengine"))?;
    let (start, end) = inside(core, "version")?;
    let version = core[start..end].trim();
    let Some(property) = version.strip_prefix("${").and_then(|text| text.strip_suffix('}')) else {
        return Some(version);
    };
    let (start, end) = inside(pom, property)?;
    Some(pom[start..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codingame::folder_of;

    #[test]
    fn a_contribution_says_what_its_game_is() {
        let folder = folder_of(&[
            (
                "config/config.ini",
                "title=Moon\ntype=OPTI\ncriteria=Fuel\nsorting_order=asc\nmin_players=1\n",
            ),
            ("config/test10.json", "{\"testIn\":\"ten\"}"),
            ("config/test2.yaml", "testIn: two"),
            ("config/test2.json.bak", "no"),
            ("config/statement_en.html", ""),
            ("pom.xml", "<properties><gamengine.version>4.5.0</gamengine.version></properties>"),
        ]);
        let found = Contribution::read(folder.path(), None).expect("readable");
        assert_eq!((found.title.as_deref(), found.score()), (Some("Moon"), Some("Fuel")));
        assert!(found.is_lower_better);
        assert_eq!(found.engine.map(|engine| engine.to_string()).as_deref(), Some("4.5.0"));
        let cases: Vec<_> = found
            .cases
            .iter()
            .map(|case| (case.name.as_str(), case.content.text.as_str()))
            .collect();
        assert_eq!(cases, [("test2", "two"), ("test10", "ten")]);
    }

    #[test]
    fn the_files_of_a_league_count_before_those_of_all() {
        let folder = folder_of(&[
            ("config/config.ini", "type=opti\ncriteria=Fuel\n"),
            ("config/level1/test1.json", "{\"testIn\":\"one\"}"),
            ("config/level2/config.ini", "criteria=Time\n"),
            ("config/level2/test1.json", "{\"testIn\":\"two\"}"),
        ]);
        fs::write(folder.path().join("config/test1.json"), "{\"testIn\":\"all\"}").expect("room");
        for (league, criteria, text) in
            [(None, "Fuel", "one"), (Some(2), "Time", "two"), (Some(3), "Fuel", "all")]
        {
            let found = Contribution::read(folder.path(), league).expect("readable");
            assert_eq!(
                (found.score(), found.cases[0].content.text.as_str()),
                (Some(criteria), text)
            );
            assert_eq!(found.leagues, [1, 2]);
        }
    }

    #[test]
    fn a_game_is_for_as_many_players_as_it_says() {
        let of = |text: &str| {
            let folder = folder_of(&[("config/config.ini", text)]);
            Contribution::read(folder.path(), None).expect("readable")
        };
        for (settings, asked, expected) in [
            ("", None, Ok(1)),
            ("", Some(3), Ok(3)),
            ("type=multi", None, Ok(2)),
            ("min_players=3\nmax_players=3\ntype=multi", None, Ok(3)),
            (
                "min_players=3\nmax_players=3",
                Some(4),
                Err("is for 3 players (config.ini), not for 4"),
            ),
            ("min_players=2\nmax_players=4", Some(4), Ok(4)),
            ("min_players=2\nmax_players=4", Some(1), Err("is for 2 to 4 players")),
            ("min_players=2\nmax_players=4", Some(5), Err("not for 5")),
            ("min_players=1", Some(2), Err("is for 1 players")),
        ] {
            match (of(settings).players(asked), expected) {
                (Err(problem), Err(part)) => assert!(problem.contains(part), "{problem}"),
                (found, expected) => {
                    assert_eq!(found, expected.map_err(str::to_owned), "{settings}");
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_file() {
        for (file, text, expected) in [
            ("config/config.ini", "sorting_order=up", "config.ini: `sorting_order` is `up`"),
            ("config/config.ini", "min_players=one", "config.ini: `min_players` is `one`"),
            ("config/config.ini", "max_players=4.5", "config.ini: `max_players` is `4.5`"),
            ("config/test1.json", "{", "test1.json:1:"),
            (
                "pom.xml",
                "<gamengine.version>new</gamengine.version>",
                "pom.xml: `new` is not a version",
            ),
        ] {
            let folder = folder_of(&[("config/statement_en.html", ""), (file, text)]);
            let problem = Contribution::read(folder.path(), None).expect_err(expected).to_string();
            assert!(problem.contains(expected), "{problem}");
        }
        assert!(Contribution::read(Path::new("/nowhere"), None).is_err());
    }

    #[test]
    fn the_engine_may_be_named_in_several_ways() {
        let core = |version: &str| {
            format!(
                "<dependency><groupId>x</groupId></dependency><dependency>\n<groupId>com.codingame.gameengine</groupId>\
                 <artifactId>core</artifactId><version>{version}</version></dependency>"
            )
        };
        assert_eq!(engine_in(&core("4.6.0")), Some("4.6.0"));
        assert_eq!(engine_in(&format!("<v>3.1.0</v>{}", core("${v}"))), Some("3.1.0"));
        assert_eq!(engine_in("<project/>"), None);
    }
}
