//! Games with outside judges, made from settings: a row for each protocol.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::codingame::{Codingame, Contribution, EngineVersion, parse_test_case};
use crate::command::JudgeCommand;
use crate::json_lines::JsonLines;
use crate::printed::ScorePattern;
use crate::scored::Scored;
use crate::tester::Tester;
use rules::game::judge::{Case, JudgeProgram, Judges};
use rules::game::{FromSeed, GameKind, Judged, Traits};
use rules::score::Direction;
use rules::source::SourceError;
use terms::limits::LimitKind;

/// The settings of a game.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The game's name.
    pub name: String,
    /// Its name to display.
    pub title: Option<String>,
    /// What starts the judge.
    pub command: JudgeCommand,
    /// The folder of a CodinGame contribution.
    pub project: Option<PathBuf>,
    /// The version of CodinGame's engine.
    pub engine: Option<String>,
    /// The league of a CodinGame contribution.
    pub league: Option<u32>,
    /// The metadata that is the score.
    pub criteria: Option<String>,
    /// The pattern that finds the score in what a program prints.
    pub score: Option<String>,
    /// The names of the numbers in a case's first line, or a pattern.
    pub traits: Option<String>,
    /// What the program reads from its standard input, in place of nothing.
    pub stdin: Option<String>,
    /// How often a tester starts the bot in a game.
    pub bots: Option<u32>,
    /// Which scores are better.
    pub better: Option<Direction>,
    /// Limits for questions for which the judge names none.
    pub limits: BTreeMap<&'static str, Duration>,
    /// Test cases: their names, and the content of their files.
    pub cases: Vec<(String, String)>,
}

/// A setting that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct Wrong {
    /// The setting.
    pub key: &'static str,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// A protocol that judges speak.
#[derive(Debug)]
pub struct Protocol {
    /// The value of the setting `kind`.
    pub name: &'static str,
    /// Which judges speak it.
    pub about: &'static str,
    /// The settings that only some protocols have.
    keys: &'static [&'static str],
    /// The limits that games may have.
    limits: &'static [LimitKind],
    make: fn(&Settings) -> Result<GameKind, Wrong>,
}

/// All protocols.
pub const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        name: "codingame",
        about: "a referee of CodinGame's SDK",
        keys: &["project", "engine", "league", "criteria"],
        limits: &[LimitKind::FirstTurn, LimitKind::Turn],
        make: codingame,
    },
    Protocol {
        name: "judge",
        about: "a judge in any language, JSON lines",
        keys: &[],
        limits: &[LimitKind::FirstTurn, LimitKind::Turn],
        make: json_lines,
    },
    Protocol {
        name: "scored",
        about: "a program that scores one answer",
        keys: &["score", "traits"],
        limits: &[LimitKind::Total],
        make: scored,
    },
    Protocol {
        name: "tester",
        about: "a tester that starts the bot itself",
        keys: &["score", "traits", "stdin", "bots"],
        limits: &[LimitKind::FirstTurn, LimitKind::Turn, LimitKind::Total],
        make: tester,
    },
];

/// The first limit and that of later turns, where neither the judge nor the settings name one.
const LIMITS: [(LimitKind, Duration); 2] =
    [(LimitKind::FirstTurn, Duration::from_secs(1)), (LimitKind::Turn, Duration::from_millis(100))];

/// The SDK's limits where a game names none.
const SDK_LIMITS: [(LimitKind, Duration); 2] =
    [(LimitKind::FirstTurn, Duration::from_secs(1)), (LimitKind::Turn, Duration::from_millis(50))];

/// The limit of a whole game, where the settings name none: that of most contests.
const TOTAL: [(LimitKind, Duration); 1] = [(LimitKind::Total, Duration::from_secs(2))];

impl Protocol {
    /// The protocol of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<&'static Self, Wrong> {
        let found = PROTOCOLS.iter().find(|protocol| protocol.name == name);
        found.ok_or_else(|| {
            let known: Vec<_> = PROTOCOLS.iter().map(|protocol| protocol.name).collect();
            let problem = format!("there is no kind `{name}`; the kinds are: {}", known.join(", "));
            Wrong { key: "kind", problem }
        })
    }

    /// The game of these settings. Its judge is not started.
    ///
    /// # Errors
    /// When a setting is wrong, or a file that it names.
    pub fn game(&self, settings: &Settings) -> Result<GameKind, Wrong> {
        self.check(settings)?;
        let kind = (self.make)(settings)?;
        let judge = kind.judge.map(|mut judge| {
            let env = settings.command.env.iter();
            judge.settings.extend(env.map(|(name, value)| (format!("env.{name}"), value.clone())));
            JudgeProgram { kind: self.name.to_owned(), ..judge }
        });
        Ok(GameKind { judge, ..kind })
    }
}

impl Protocol {
    /// Refuses settings that are for other protocols.
    fn check(&self, settings: &Settings) -> Result<(), Wrong> {
        let is_strange = |key: &&'static str| !self.keys.contains(key);
        if let Some(key) = settings.special().into_iter().find(is_strange) {
            let kinds = PROTOCOLS.iter().filter(|protocol| protocol.keys.contains(&key));
            let kinds: Vec<_> = kinds.map(|kind| format!("kind = \"{}\"", kind.name)).collect();
            let problem = format!("`{key}` is for games of {}", kinds.join(" or "));
            return Err(Wrong { key, problem });
        }
        let known: Vec<_> = self.limits.iter().map(|kind| kind.name()).collect();
        match settings.limits.keys().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let problem = format!(
                    "games of kind = \"{}\" have no limit `{name}`; they have: {}",
                    self.name,
                    known.join(", ")
                );
                Err(Wrong { key: "limits", problem })
            }
        }
    }
}

impl Settings {
    /// The settings given that only some protocols have.
    fn special(&self) -> Vec<&'static str> {
        let all = [
            ("project", self.project.is_some()),
            ("engine", self.engine.is_some()),
            ("league", self.league.is_some()),
            ("criteria", self.criteria.is_some()),
            ("score", self.score.is_some()),
            ("traits", self.traits.is_some()),
            ("stdin", self.stdin.is_some()),
            ("bots", self.bots.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| key).collect()
    }
}

fn codingame(settings: &Settings) -> Result<GameKind, Wrong> {
    let contribution = contribution(settings)?;
    let engine = settings.engine.as_deref().map(str::parse::<EngineVersion>).transpose();
    let engine = engine.map_err(|problem| Wrong { key: "engine", problem })?;
    let engine = engine.or(contribution.engine);
    let criteria = settings.criteria.clone();
    let judges = Codingame {
        command: settings.command.clone(),
        criteria: criteria.or_else(|| contribution.score().map(str::to_owned)),
        league: settings.league,
        engine,
    };
    let decide = [
        ("criteria", judges.criteria.clone()),
        ("engine", engine.map(|engine| engine.to_string())),
        ("league", judges.league.map(|league| league.to_string())),
    ];
    let decide = decide.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let own = if contribution.is_lower_better { Direction::Lower } else { Direction::Higher };
    let case = |text: &str| Case::Text(text.to_owned()).to_string();
    let cases = contribution.cases.iter().map(|one| (one.name.clone(), case(&one.content.text)));
    let mut bundled: Vec<_> = cases.collect();
    bundled.extend(read_cases(settings, codingame_case)?);
    let title = settings.title.clone().or(contribution.title);
    let kind = kind(settings, title, &SDK_LIMITS, Arc::new(judges), codingame_case);
    let judge = kind.judge.map(|judge| JudgeProgram { settings: decide.collect(), ..judge });
    Ok(GameKind { bundled, better: settings.better.unwrap_or(own), judge, ..kind })
}

/// What the contribution's folder says, if the settings name one.
fn contribution(settings: &Settings) -> Result<Contribution, Wrong> {
    let Some(project) = &settings.project else { return Ok(Contribution::default()) };
    let read = Contribution::read(project, settings.league);
    read.map_err(|error| Wrong { key: "project", problem: error.to_string() })
}

fn codingame_case(text: &str) -> Result<String, SourceError> {
    Ok(parse_test_case(text)?.text)
}

fn json_lines(settings: &Settings) -> Result<GameKind, Wrong> {
    let judges = Arc::new(JsonLines { command: settings.command.clone() });
    let title = settings.title.clone();
    let kind = kind(settings, title, &LIMITS, judges, as_it_is);
    Ok(GameKind {
        bundled: read_cases(settings, as_it_is)?,
        from_seed: Arc::new(|seed, _| Ok(Case::Seed(seed).to_string())),
        better: settings.better.unwrap_or_default(),
        ..kind
    })
}

fn scored(settings: &Settings) -> Result<GameKind, Wrong> {
    for placeholder in ["{case}", "{answer}"] {
        if !settings.command.has(placeholder) {
            let problem =
                format!("the command has no `{placeholder}`: the scorer needs both files");
            return Err(Wrong { key: "command", problem });
        }
    }
    let judges = Scored {
        command: settings.command.clone(),
        score: score_pattern(settings)?,
        traits: traits(settings)?,
    };
    printing(settings, &TOTAL, Arc::new(judges))
}

fn tester(settings: &Settings) -> Result<GameKind, Wrong> {
    let reads_case = match settings.stdin.as_deref() {
        None => false,
        Some("{case}") => true,
        Some(_) => {
            let problem = "`stdin` is \"{case}\", or left out".to_owned();
            return Err(Wrong { key: "stdin", problem });
        }
    };
    let command = &settings.command;
    let wrong = |problem: &str| Wrong { key: "command", problem: problem.to_owned() };
    if !command.has("{bot}") {
        return Err(wrong("the command has no `{bot}`, where the tester takes the bot's command"));
    }
    let takes_case = reads_case || command.has("{case}");
    if takes_case == (command.has("{seed}") || command.has("{seed04}")) {
        return Err(wrong("the command needs `{case}` or `{seed}`, one of both"));
    }
    let has_total_limit = settings.limits.contains_key(LimitKind::Total.name());
    let has_turns = settings.limits.len() > usize::from(has_total_limit);
    if has_total_limit && has_turns {
        let problem = "either `total` limits a game, or `first-turn` and `turn` do".to_owned();
        return Err(Wrong { key: "limits", problem });
    }
    let judges = Tester {
        command: command.clone(),
        reads_case,
        score: score_pattern(settings)?,
        traits: traits(settings)?,
        bots: settings.bots.unwrap_or(1),
        has_total_limit: !has_turns,
    };
    let limits: &[_] = if has_turns { &LIMITS } else { &TOTAL };
    let kind = printing(settings, limits, Arc::new(judges))?;
    let by_seed: FromSeed = Arc::new(|seed, _| Ok(Case::Seed(seed).to_string()));
    Ok(if takes_case {
        kind
    } else {
        GameKind { from_seed: by_seed, seeds_choose_cases: false, ..kind }
    })
}

/// A game whose program prints the score.
fn printing(
    settings: &Settings,
    limits: &[(LimitKind, Duration)],
    judges: Arc<dyn Judges>,
) -> Result<GameKind, Wrong> {
    let kind = kind(settings, settings.title.clone(), limits, judges, as_it_is);
    let bundled = read_cases(settings, as_it_is)?;
    let decide = printed_settings(settings);
    let judge = kind.judge.map(|judge| JudgeProgram { settings: decide, ..judge });
    let from_seed = by_number(bundled.clone());
    let better = settings.better.unwrap_or_default();
    Ok(GameKind { bundled, from_seed, seeds_choose_cases: true, better, judge, ..kind })
}

fn score_pattern(settings: &Settings) -> Result<ScorePattern, Wrong> {
    let pattern = settings.score.as_deref().map_or(Ok(ScorePattern::default()), ScorePattern::new);
    pattern.map_err(|error| Wrong { key: "score", problem: error.to_string() })
}

fn traits(settings: &Settings) -> Result<Option<Traits>, Wrong> {
    let traits = settings.traits.as_deref().map(Traits::parse).transpose();
    traits.map_err(|error| Wrong { key: "traits", problem: error.to_string() })
}

/// What decides a game whose program prints its score, beside the command.
fn printed_settings(settings: &Settings) -> BTreeMap<String, String> {
    let decide = [
        ("score", settings.score.clone()),
        ("traits", settings.traits.clone()),
        ("stdin", settings.stdin.clone()),
        ("bots", settings.bots.map(|bots| bots.to_string())),
    ];
    decide.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// Finds cases by the numbers in the names of their files: seed 7 is `0007.txt`.
fn by_number(cases: Vec<(String, String)>) -> FromSeed {
    Arc::new(move |seed, _| {
        let found = cases.iter().find(|(name, _)| name.parse() == Ok(seed));
        let text = found.map(|(_, text)| text.clone());
        text.ok_or_else(|| {
            let there = match &cases[..] {
                [] => "it has none".to_owned(),
                [(name, _)] => format!("it has {name} alone"),
                [(first, _), .., (last, _)] => {
                    format!("it has {} files, from {first} to {last}", cases.len())
                }
            };
            format!("`cases` has no file of the number {seed}, such as {seed:04}.txt; {there}")
                .into()
        })
    })
}

#[expect(clippy::unnecessary_wraps, reason = "other protocols cannot read every file")]
fn as_it_is(text: &str) -> Result<String, SourceError> {
    Ok(text.to_owned())
}

/// A game on these judges, with the limits of the settings over `limits`. `read` takes the case from a file's content.
fn kind(
    settings: &Settings,
    title: Option<String>,
    limits: &[(LimitKind, Duration)],
    judges: Arc<dyn Judges>,
    read: fn(&str) -> Result<String, SourceError>,
) -> GameKind {
    let name = settings.name.clone();
    let own = |kind: LimitKind| settings.limits.get(kind.name()).copied();
    let reading = judges.reading();
    let judge = JudgeProgram {
        command: settings.command.words.clone(),
        reading,
        ..JudgeProgram::default()
    };
    GameKind {
        limits: limits.iter().map(|&(kind, limit)| (kind, own(kind).unwrap_or(limit))).collect(),
        judge: Some(judge),
        ..GameKind::new(settings.name.clone(), title.unwrap_or_else(|| name.clone()), move |text| {
            let case = case(text, read)?;
            Ok(Box::new(Judged::new(&name, case, judges.clone())))
        })
    }
}

/// A test case in the form that logs keep, or else the content of a file.
fn case(text: &str, read: fn(&str) -> Result<String, SourceError>) -> Result<Case, SourceError> {
    serde_json::from_str(text).or_else(|_| Ok(Case::Text(read(text)?)))
}

fn read_cases(
    settings: &Settings,
    read: fn(&str) -> Result<String, SourceError>,
) -> Result<Vec<(String, String)>, Wrong> {
    let one = |(name, text): &(String, String)| {
        let problem = |error| Wrong { key: "cases", problem: format!("{name}:{error}") };
        Ok((name.clone(), Case::Text(read(text).map_err(problem)?).to_string()))
    };
    settings.cases.iter().map(one).collect()
}
