//! Games with outside judges, made from settings.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::case;
use crate::codingame::{Codingame, Contribution, parse_test_case};
use crate::json_lines::JsonLines;
use crate::scored::Scored;
use crate::settings::{Common, GameSettings, JudgeSettings, SettingError};
use crate::tester::Tester;
use rules::game::judge::{Case, JudgeProgram, Reading, StartJudge};
use rules::game::{FromSeed, GameKind, JudgeFailure, Place, Referee, TestCase, Traits};
use rules::score::Direction;
use rules::source::SourceError;
use terms::limits::{LimitKind, Limits};

/// The limits of the first turn and of later ones, where neither the judge nor the settings name one.
const LIMITS: [(LimitKind, Duration); 2] =
    [(LimitKind::FirstTurn, Duration::from_secs(1)), (LimitKind::Turn, Duration::from_millis(100))];

/// The SDK's limits where a game names none.
const SDK_LIMITS: [(LimitKind, Duration); 2] =
    [(LimitKind::FirstTurn, Duration::from_secs(1)), (LimitKind::Turn, Duration::from_millis(50))];

/// The limit of a whole game, where the settings name none: most contests'.
const TOTAL: [(LimitKind, Duration); 1] = [(LimitKind::Total, Duration::from_secs(2))];

impl GameSettings {
    /// The row of the table of games. Reads the files that the settings name, and starts nothing.
    ///
    /// # Errors
    /// When a setting is wrong, or a file that it names.
    pub fn game(&self) -> Result<GameKind, SettingError> {
        let Self { common, judge } = self;
        let command = common.judge_command()?;
        match judge.clone() {
            JudgeSettings::Codingame(game) => codingame(common, Codingame { command, ..game }),
            JudgeSettings::Judge(_) => json_lines(common, JsonLines { command }),
            JudgeSettings::Scored(game) => scored(common, Scored { command, ..game }),
            JudgeSettings::Tester(game) => tester(common, Tester { command, ..game }),
        }
    }
}

fn codingame(common: &Common, game: Codingame) -> Result<GameKind, SettingError> {
    let contribution = match &game.project {
        None => Contribution::default(),
        Some(project) => Contribution::read(&common.folder.join(project), game.league)
            .map_err(|error| SettingError { key: "project", problem: error.to_string() })?,
    };
    let judges = Codingame {
        criteria: game.criteria.or_else(|| contribution.score().map(str::to_owned)),
        engine: game.engine.or(contribution.engine),
        ..game
    };
    let own = if contribution.is_lower_better { Direction::Lower } else { Direction::Higher };
    let case = |text: &str| Case::Text(text.to_owned()).to_string();
    let cases = contribution.cases.iter().map(|one| (one.name.clone(), case(&one.content.text)));
    let mut bundled: Vec<_> = cases.collect();
    bundled.extend(read_cases(common, codingame_case)?);
    let title = common.title.clone().or(contribution.title);
    let outside = Outside {
        reading: Codingame::READING,
        read: codingame_case,
        ..Outside::new(common.deciding(&judges), move |case, place| judges.start(case, place))
    };
    let kind = kind(common, title, SDK_LIMITS.into(), outside)?;
    Ok(GameKind { bundled, better: common.better.unwrap_or(own), ..kind })
}

fn codingame_case(text: &str) -> Result<String, SourceError> {
    Ok(parse_test_case(text)?.text)
}

fn json_lines(common: &Common, judges: JsonLines) -> Result<GameKind, SettingError> {
    let outside =
        Outside::new(common.deciding(&judges), move |case, place| judges.start(case, place));
    let title = common.title.clone();
    Ok(GameKind {
        bundled: read_cases(common, as_it_is)?,
        from_seed: Arc::new(|seed, _| Ok(Case::Seed(seed).to_string())),
        ..kind(common, title, LIMITS.into(), outside)?
    })
}

fn scored(common: &Common, judges: Scored) -> Result<GameKind, SettingError> {
    for placeholder in ["{case}", "{answer}"] {
        if !judges.command.has(placeholder) {
            let problem =
                format!("the command has no `{placeholder}`: the scorer needs both files");
            return Err(SettingError { key: "command", problem });
        }
    }
    let deciding = common.deciding(&judges);
    let traits = judges.traits.clone();
    let outside = Outside::new(deciding, move |case, place| judges.start(case, place));
    printing(common, TOTAL.into(), Outside { traits, ..outside })
}

fn tester(common: &Common, game: Tester) -> Result<GameKind, SettingError> {
    let reads_case = game.stdin.as_deref() == Some("{case}");
    if game.stdin.is_some() && !reads_case {
        let problem = "`stdin` is \"{case}\", or left out".to_owned();
        return Err(SettingError { key: "stdin", problem });
    }
    let command = &game.command;
    let wrong = |problem: &str| SettingError { key: "command", problem: problem.to_owned() };
    if !command.has("{bot}") {
        return Err(wrong("the command has no `{bot}`, where the tester takes the bot's command"));
    }
    let takes_case = reads_case || command.has("{case}");
    if takes_case == (command.has("{seed}") || command.has("{seed04}")) {
        return Err(wrong("the command needs `{case}` or `{seed}`, one of both"));
    }
    let has_total_limit = common.limits.times.of(LimitKind::Total).is_some();
    let has_turns = common.limits.times.kinds().any(|kind| kind != LimitKind::Total);
    if has_total_limit && has_turns {
        let problem = "either `total` limits a game, or `first-turn` and `turn` do".to_owned();
        return Err(SettingError { key: "limits", problem });
    }
    let limits = if has_turns { LIMITS.into() } else { TOTAL.into() };
    let judges = Tester { has_total_limit: !has_turns, ..game };
    let traits = judges.traits.clone();
    let outside =
        Outside::new(common.deciding(&judges), move |case, place| judges.start(case, place));
    let kind = printing(common, limits, Outside { traits, ..outside })?;
    let by_seed: FromSeed = Arc::new(|seed, _| Ok(Case::Seed(seed).to_string()));
    Ok(if takes_case {
        kind
    } else {
        GameKind { from_seed: by_seed, seeds_choose_cases: false, ..kind }
    })
}

/// A game whose program prints the score.
fn printing(common: &Common, limits: Limits, outside: Outside) -> Result<GameKind, SettingError> {
    let kind = kind(common, common.title.clone(), limits, outside)?;
    let bundled = read_cases(common, as_it_is)?;
    let from_seed = by_number(bundled.clone());
    Ok(GameKind { bundled, from_seed, seeds_choose_cases: true, ..kind })
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

/// The judges of a game.
struct Outside {
    /// What decides its games besides the command.
    deciding: BTreeMap<String, String>,
    start: StartJudge,
    reading: Reading,
    traits: Option<Traits>,
    /// Takes the case from a file's content.
    read: fn(&str) -> Result<String, SourceError>,
}

impl Outside {
    fn new(
        deciding: BTreeMap<String, String>,
        start: impl Fn(&Case, &Place) -> Result<Box<dyn Referee>, JudgeFailure> + Send + Sync + 'static,
    ) -> Self {
        let reading = Reading::default();
        Self { deciding, start: Arc::new(start), reading, traits: None, read: as_it_is }
    }
}

/// A game on these judges, with the limits of the settings over `limits`.
fn kind(
    common: &Common,
    title: Option<String>,
    limits: Limits,
    Outside { deciding, start, reading, traits, read }: Outside,
) -> Result<GameKind, SettingError> {
    let judge = JudgeProgram {
        kind: common.kind.name.to_owned(),
        command: common.words()?,
        settings: deciding,
        files: BTreeMap::new(),
        reading,
    };
    let name = common.name.clone();
    let title = title.unwrap_or_else(|| name.clone());
    let game = GameKind::new(name.clone(), title, move |text| {
        let case = case(text, read)?;
        Ok(TestCase::judged(&name, case, traits.as_ref(), start.clone()))
    });
    Ok(GameKind {
        limits: common.times(&limits)?,
        better: common.better.unwrap_or_default(),
        measure: common.measure,
        judge: Some(judge),
        ..game
    })
}

/// A test case in the form that logs keep, or else the content of a file.
fn case(text: &str, read: fn(&str) -> Result<String, SourceError>) -> Result<Case, SourceError> {
    serde_json::from_str(text).or_else(|_| Ok(Case::Text(read(text)?)))
}

/// The cases of the settings, by the names of their files without their endings.
fn read_cases(
    common: &Common,
    read: fn(&str) -> Result<String, SourceError>,
) -> Result<Vec<(String, String)>, SettingError> {
    let one = |(name, text): (String, String)| {
        let case = read(&text).map_err(|error| format!("{name}:{error}"))?;
        Ok((name, Case::Text(case).to_string()))
    };
    let cases = case::read_files(&common.cases, &common.folder);
    let cases = cases.and_then(|cases| cases.into_iter().map(one).collect());
    cases.map_err(|problem| SettingError { key: "cases", problem })
}
