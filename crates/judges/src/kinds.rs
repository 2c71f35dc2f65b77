//! Games with outside judges, made from settings.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::brutaltester::Brutaltester;
use crate::case;
use crate::codingame::{Codingame, Contribution, parse_test_case};
use crate::command::reading;
use crate::json_lines::JsonLines;
use crate::scored::Scored;
use crate::settings::{Common, GameSettings, JudgeSettings, SettingError};
use crate::tester::Tester;
use rules::game::judge::{Case, JudgeProgram, Reading, StartJudge};
use rules::game::{FromSeed, GameKind, JudgeFailure, Placement, Referee, TestCase, Traits};
use rules::measure::Measure;
use rules::score::Direction;
use rules::source::SourceError;
use terms::limits::{LimitKind, Limits};
use terms::seed::Seed;

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
            JudgeSettings::Judge(game) => json_lines(common, JsonLines { command, ..game }),
            JudgeSettings::Brutaltester(game) => {
                brutaltester(common, Brutaltester { command, ..game })
            }
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
    if game.league == Some(0) {
        let problem = "leagues are numbered from 1".to_owned();
        return Err(SettingError { key: "league", problem });
    }
    let note = contribution.note_on_league(game.league);
    let players = contribution.players(game.players);
    let players = players.map_err(|problem| SettingError { key: "players", problem })?;
    check_players(&game, players)?;
    let criteria = match players {
        1 => game.criteria.or_else(|| contribution.score().map(str::to_owned)),
        // Each player has a score of its own.
        _ => None,
    };
    let judges = Codingame {
        criteria,
        engine: game.engine.or(contribution.engine),
        players: Some(players).filter(|players| *players > 1),
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
    let kind = GameKind { note, ..kind(common, title, SDK_LIMITS.into(), outside)? };
    if kind.players > 1 {
        if common.better == Some(Direction::Lower) {
            let problem = "the SDK ranks several players by their scores, the highest first";
            return Err(SettingError { key: "better", problem: problem.to_owned() });
        }
        return Ok(GameKind { bundled, from_seed: by_seed(), ..kind });
    }
    Ok(GameKind { bundled, better: common.better.unwrap_or(own), ..kind })
}

/// The number of players, unless it is 1 or not said.
fn several(players: Option<u32>) -> Result<Option<u32>, SettingError> {
    let players = players.unwrap_or(1);
    check_number(players)?;
    Ok(Some(players).filter(|players| *players > 1))
}

fn check_number(players: u32) -> Result<(), SettingError> {
    if (1..=MOST_PLAYERS).contains(&players) {
        return Ok(());
    }
    let problem = format!("a game has 1 to {MOST_PLAYERS} players");
    Err(SettingError { key: "players", problem })
}

/// The most players of a game, each of which is a process with pipes and threads.
const MOST_PLAYERS: u32 = 64;

/// Refuses settings that do not go with the number of players.
fn check_players(game: &Codingame, players: u32) -> Result<(), SettingError> {
    let wrong = |key, problem: &str| Err(SettingError { key, problem: problem.to_owned() });
    check_number(players)?;
    let (is_of_one, has) = (players == 1, |word| game.command.words.iter().any(|it| it == word));
    if is_of_one && game.params.is_some() {
        return wrong("params", "a game of one player takes a test case instead; set `players`");
    }
    if is_of_one && has("-Dgame.mode=multi") {
        return wrong("command", "`-Dgame.mode=multi` is for several players; set `players`");
    }
    if !is_of_one && has("-Dgame.mode=solo") {
        let problem = "`-Dgame.mode=solo` is for one player; leave it out, or write `multi`";
        return wrong("command", problem);
    }
    if !is_of_one && game.criteria.is_some() {
        return wrong("criteria", "in a game of several players each has a score of its own");
    }
    Ok(())
}

fn codingame_case(text: &str) -> Result<String, SourceError> {
    Ok(parse_test_case(text)?.text)
}

fn json_lines(common: &Common, game: JsonLines) -> Result<GameKind, SettingError> {
    let better = common.better.unwrap_or_default();
    let judges = JsonLines { players: several(game.players)?, better, ..game };
    let outside = Outside {
        reading: reading(judges.answer_limit),
        ..Outside::new(common.deciding(&judges), move |case, place| judges.start(case, place))
    };
    let title = common.title.clone();
    Ok(GameKind {
        bundled: read_cases(common, as_it_is)?,
        from_seed: by_seed(),
        ..kind(common, title, LIMITS.into(), outside)?
    })
}

fn brutaltester(common: &Common, game: Brutaltester) -> Result<GameKind, SettingError> {
    let players = several(game.players.or(Some(2)))?;
    if players.is_none() || players > Some(Brutaltester::MOST_PLAYERS) {
        let problem = format!("this protocol is for 2 to {} players", Brutaltester::MOST_PLAYERS);
        return Err(SettingError { key: "players", problem });
    }
    if !common.cases.is_empty() {
        let problem = "this protocol knows no cases but seeds".to_owned();
        return Err(SettingError { key: "cases", problem });
    }
    let judges = Brutaltester { players, ..game };
    let outside = Outside {
        reading: reading(judges.answer_limit),
        read: |text| Err(SourceError::at(text, 0, "this game has no boards: choose a seed")),
        ..Outside::new(common.deciding(&judges), move |case, place| judges.start(case, place))
    };
    let kind = kind(common, common.title.clone(), LIMITS.into(), outside)?;
    Ok(GameKind { from_seed: by_seed(), ..kind })
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
    let has_total_limit = common.limits.times().of(LimitKind::Total).is_some();
    let has_turns = common.limits.times().kinds().any(|kind| kind != LimitKind::Total);
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
    Ok(if takes_case {
        kind
    } else {
        GameKind { from_seed: by_seed(), seeds_choose_cases: false, ..kind }
    })
}

/// A game whose program prints the score.
fn printing(common: &Common, limits: Limits, outside: Outside) -> Result<GameKind, SettingError> {
    let kind = kind(common, common.title.clone(), limits, outside)?;
    let bundled = read_cases(common, as_it_is)?;
    let from_seed = by_number(bundled.clone());
    Ok(GameKind { bundled, from_seed, seeds_choose_cases: true, ..kind })
}

/// Finds cases by the numbers in the names of their files: seed 7 is `0007.txt`, or else the only file such as `test7.txt`.
fn by_number(cases: Vec<(String, String)>) -> FromSeed {
    let numbers = numbers(&cases);
    Arc::new(move |seed, _| {
        let text = numbers.get(&seed).copied().flatten().map(|case| cases[case].1.clone());
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

/// The cases by the only number in their names; `None` of several. A name that is a number comes before all others.
fn numbers(cases: &[(String, String)]) -> BTreeMap<Seed, Option<usize>> {
    let mut numbers = BTreeMap::new();
    for (case, (name, _)) in cases.iter().enumerate() {
        let mut runs = name.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
        if let (Some(run), None) = (runs.next(), runs.next())
            && let Ok(seed) = run.parse()
        {
            numbers.entry(seed).and_modify(|known| *known = None).or_insert(Some(case));
        }
    }
    for (case, (name, _)) in cases.iter().enumerate().rev() {
        if let Ok(seed) = name.parse() {
            numbers.insert(seed, Some(case));
        }
    }
    numbers
}

/// The judge makes its cases from seeds.
fn by_seed() -> FromSeed {
    Arc::new(|seed, _| Ok(Case::Seed(seed).to_string()))
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
        start: impl Fn(&Case, &Placement) -> Result<Box<dyn Referee>, JudgeFailure>
        + Send
        + Sync
        + 'static,
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
    let players = judge.players();
    let measure = measure(common, players)?;
    let name = common.name.clone();
    let title = title.unwrap_or_else(|| name.clone());
    let game = GameKind::new(name.clone(), title, move |text| {
        let case = case(text, read)?;
        Ok(TestCase::judged(&name, case, traits.as_ref(), start.clone()))
    });
    Ok(GameKind {
        limits: common.times(&limits)?,
        better: common.better.unwrap_or_default(),
        measure,
        players,
        judge: Some(judge),
        ..game
    })
}

/// What the leaderboard of a game of this many players adds up.
fn measure(common: &Common, players: usize) -> Result<Measure, SettingError> {
    let problem = match (players, common.measure) {
        (1, Measure::Place) => "a game of one player has no places",
        (1, measure) => return Ok(measure),
        (_, Measure::Points | Measure::Place) => return Ok(Measure::Place),
        (..) => "games of several players are compared by their places",
    };
    Err(SettingError { key: "measure", problem: problem.to_owned() })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_the_case_with_its_number() {
        let found = |names: &[&str], seed| {
            let cases: Vec<_> =
                names.iter().map(|&name| (name.to_owned(), String::new())).collect();
            let case = numbers(&cases).get(&Seed::of(seed)).copied().flatten();
            case.map(|case| names[case].to_owned())
        };
        for (names, seed, name) in [
            (&["0007", "0008"][..], 7, Some("0007")),
            (&["input_7", "input_8"], 7, Some("input_7")),
            (&["test7", "7", "test17"], 7, Some("7")),
            (&["7", "07"], 7, Some("7")),
            (&["a7", "b7"], 7, None),
            (&["7_1", "x"], 7, None),
            (&["-7"], -7, Some("-7")),
        ] {
            assert_eq!(found(names, seed).as_deref(), name, "{names:?}");
        }
    }
}
