//! Games with outside judges, made from settings: a row for each protocol.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::codingame::{Codingame, Contribution, EngineVersion, parse_test_case};
use crate::command::JudgeCommand;
use crate::json_lines::JsonLines;
use rules::game::judge::{Case, JudgeProgram, Judges};
use rules::game::{GameKind, Judged};
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
    /// Which scores are better.
    pub better: Option<Direction>,
    /// Limits for questions for which the judge names none.
    pub limits: BTreeMap<&'static str, Duration>,
    /// Test cases: their names, and the content of their files.
    pub cases: Vec<(String, String)>,
}

/// A setting that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The setting.
    pub key: &'static str,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// A protocol that judges speak.
pub struct Protocol {
    /// The value of the setting `kind`.
    pub name: &'static str,
    /// Which judges speak it.
    pub about: &'static str,
    make: fn(&Settings) -> Result<GameKind, Wrong>,
}

/// All protocols.
pub const PROTOCOLS: [Protocol; 2] = [
    Protocol { name: "codingame", about: "a referee of CodinGame's SDK", make: codingame },
    Protocol { name: "judge", about: "a judge in any language, JSON lines", make: json_lines },
];

/// The first limit and that of later turns, where neither the judge nor the settings name one.
const LIMITS: [(LimitKind, Duration); 2] =
    [(LimitKind::FirstTurn, Duration::from_secs(1)), (LimitKind::Turn, Duration::from_millis(100))];

/// The SDK's limits where a game names none.
const SDK_LIMITS: [(LimitKind, Duration); 2] =
    [(LimitKind::FirstTurn, Duration::from_secs(1)), (LimitKind::Turn, Duration::from_millis(50))];

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
        let kind = (self.make)(settings)?;
        let judge = kind.judge.map(|judge| JudgeProgram { kind: self.name.to_owned(), ..judge });
        Ok(GameKind { judge, ..kind })
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
    let kind = kind(settings, title, SDK_LIMITS, Arc::new(judges), codingame_case);
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
    let stray = [
        ("project", settings.project.is_some()),
        ("engine", settings.engine.is_some()),
        ("league", settings.league.is_some()),
        ("criteria", settings.criteria.is_some()),
    ];
    if let Some((key, _)) = stray.into_iter().find(|(_, is_set)| *is_set) {
        let problem = format!("`{key}` is for games of kind = \"codingame\"");
        return Err(Wrong { key, problem });
    }
    let judges = Arc::new(JsonLines { command: settings.command.clone() });
    let title = settings.title.clone();
    let kind = kind(settings, title, LIMITS, judges, |text| Ok(text.to_owned()));
    Ok(GameKind {
        bundled: read_cases(settings, |text| Ok(text.to_owned()))?,
        from_seed: Arc::new(|seed, _| Ok(Case::Seed(seed).to_string())),
        better: settings.better.unwrap_or_default(),
        ..kind
    })
}

/// A game on these judges, with the limits of the settings over `limits`. `read` takes the case from a file's content.
fn kind(
    settings: &Settings,
    title: Option<String>,
    limits: [(LimitKind, Duration); 2],
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
        limits: limits.map(|(kind, limit)| (kind, own(kind).unwrap_or(limit))).into(),
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
