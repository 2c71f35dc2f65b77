//! Genuine referees of CodinGame's SDK, which are not part of the project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use judges::codingame::{Codingame, Contribution, parse_test_case};
use judges::{JudgeCommand, JudgeLimits};
use rules::game::judge::{Answer, Case, Ending, JudgeEnd, Judges, Place, Step};
use rules::game::samegame::{SameGame, boardfile};
use rules::game::{Game, judge::Trouble};
use rules::ruling::rule;
use terms::lines::Lines;
use terms::verdict::{NoReply, Verdict};

/// The libraries of the engine, as Debian installs them.
const LIBRARIES: [&str; 6] =
    ["guice", "gson", "guava", "aopalliance", "atinject-jsr330-api", "commons-logging"];

/// The folder of genuine judges, if the tests have one.
fn genuine() -> Option<PathBuf> {
    let folder = std::env::var_os("REFEREE_SHARED_DATA").map(PathBuf::from);
    let judges =
        folder.map(|folder| folder.join("judges/codingame")).filter(|judges| judges.is_dir());
    assert!(judges.is_some() || std::env::var_os("CI").is_none(), "no genuine judges");
    if judges.is_none() {
        eprintln!("left out: REFEREE_SHARED_DATA names no folder with judges/codingame");
    }
    judges
}

/// The referee of `game`, started with these options of Java.
fn referee(judges: &Path, game: &str, options: &str, criteria: &str) -> Codingame {
    let libraries = LIBRARIES.map(|library| format!("/usr/share/java/{library}.jar")).join(":");
    let command = format!(
        "java {options} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
         -Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog \
         -cp {game}/game.jar:engine-3.15.2.jar:{libraries} com.codingame.gameengine.core.RefereeMain"
    );
    let limits = JudgeLimits {
        start: Duration::from_mins(2),
        step: Duration::from_mins(1),
        ..JudgeLimits::default()
    };
    let words = command.split_whitespace().map(str::to_owned).collect();
    let command = JudgeCommand { words, folder: judges.to_owned(), env: BTreeMap::new(), limits };
    Codingame { command, criteria: Some(criteria.to_owned()), league: None, engine: None }
}

const OPENS: &str = "--add-opens java.base/java.lang=ALL-UNNAMED";

/// What a bot does with a question.
type Bot<'a> = dyn FnMut(&str) -> Option<Vec<String>> + 'a;

/// The summary, the number of questions, and the end.
fn play(
    judges: &dyn Judges,
    case: &str,
    bot: &mut Bot<'_>,
) -> Result<(Vec<String>, u32, JudgeEnd), Trouble> {
    let mut judge = judges.start(&Case::Text(case.to_owned()), &Place::default())?;
    let (mut summary, mut questions) = (Vec::new(), 0);
    loop {
        match judge.next()? {
            Step::Ask(ask) => {
                questions += 1;
                summary.extend(ask.summary);
                let lines = bot(&ask.input);
                let lines = lines.map(|lines| Lines::split((lines.join("\n") + "\n").as_bytes()));
                judge.answer(match &lines {
                    Some(lines) => Answer::Reply { lines, elapsed: Duration::from_millis(1) },
                    None => Answer::NoReply(NoReply::Deadline),
                })?;
            }
            Step::End(end) => {
                summary.extend(end.summary.clone());
                return Ok((summary, questions, end));
            }
        }
    }
}

/// Plays SameGame by the rules in this project as well, and compares all that both say.
#[track_caller]
fn assert_same(
    judges: &dyn Judges,
    case: &str,
    name: &str,
    replies: &mut dyn FnMut(&SameGame) -> Option<String>,
) {
    let mut ours = SameGame::new(boardfile::parse(case).expect("a board"));
    let mut verdict = Verdict::Completed;
    let mut bot = |input: &str| {
        assert_eq!(input, ours.input(), "{name}");
        let reply = replies(&ours);
        let lines = Lines::split(
            reply.as_deref().map(|line| format!("{line}\n")).unwrap_or_default().as_bytes(),
        );
        let no_reply = reply.is_none().then_some(NoReply::Deadline);
        verdict = rule(&mut ours, &lines, no_reply).verdict;
        reply.map(|line| vec![line])
    };
    let (summary, _, end) = play(judges, case, &mut bot).expect(name);
    assert_eq!(summary, ours.summary(), "{name}");
    assert_eq!(end.official, ours.official_result(), "{name}");
    assert_eq!(end.metadata, ours.metadata(), "{name}");
    assert_eq!(end.score, Some(ours.metadata()["Score"].clone()), "{name}");
    assert_eq!(end.how == Ending::Completed, verdict == Verdict::Completed, "{name}");
}

fn samegame_case(judges: &Path, number: u32) -> String {
    let folder = judges.join("../../samegame/codingame");
    let text = fs::read_to_string(folder.join(format!("test{number}.json"))).expect("a test case");
    parse_test_case(&text).expect("a test case").text
}

#[test]
fn samegame_agrees_with_its_original_on_good_and_odd_replies() {
    let Some(judges) = genuine() else { return };
    let original = referee(&judges, "samegame", OPENS, "Score");
    for (number, pick) in [(1, 0), (17, usize::MAX), (50, 7)] {
        let case = samegame_case(&judges, number);
        let mut first_legal = |game: &SameGame| {
            let input = game.input();
            let board = boardfile::parse(&input).expect("a board");
            let moves = board.legal_moves();
            let region = moves.get(pick.min(moves.len() - 1)).expect("a legal move");
            let cell = region.cells.iter().next().expect("a tile");
            Some(format!("{} {} a message", cell.x, cell.y))
        };
        assert_same(&original, &case, &format!("case {number}"), &mut first_legal);
    }
    let case = samegame_case(&judges, 3);
    for odd in [
        "",
        "x",
        "1",
        "99 1",
        "0 0",
        "-1 3",
        "1 2 \u{2028}[[INIT] 1]",
        "0 0 ¤",
        "[[GET_GAME_INFO] 0]",
    ] {
        assert_same(&original, &case, &format!("{odd:?}"), &mut |_| Some(odd.to_owned()));
    }
    assert_same(&original, &case, "silence", &mut |_| None);
}

#[test]
fn a_game_with_frames_for_viewers_asks_only_for_turns() {
    let Some(judges) = genuine() else { return };
    let folder = judges.join("2048");
    let contribution = Contribution::read(&folder, None).expect("readable");
    assert_eq!((contribution.score(), contribution.is_lower_better), (Some("Points"), false));
    assert_eq!(contribution.cases.len(), 31);
    let case = contribution.cases.iter().find(|case| case.name == "test2").expect("a case");
    let original = referee(&judges, "2048", OPENS, "Points");
    let mut turn = 0;
    let mut around = |_: &str| {
        turn += 1;
        Some(vec!["URDL".chars().cycle().nth(turn - 1).expect("endless").to_string()])
    };
    let (summary, questions, end) =
        play(&original, &case.content.text, &mut around).expect("plays");
    assert_eq!(end.how, Ending::Completed);
    assert_eq!(end.official, format!("score: {}", end.score.as_deref().expect("a score")));
    assert!(questions > 50, "{questions}");
    let scores = summary.iter().filter(|line| line.starts_with("Score: ")).count();
    assert!(u32::try_from(scores).expect("few") + 2 >= questions, "{scores} of {questions}");
}

#[test]
fn known_trouble_of_java_comes_with_its_remedy() {
    let Some(judges) = genuine() else { return };
    let case = samegame_case(&judges, 1);
    for (original, remedy) in [
        (referee(&judges, "samegame", "", "Score"), "--add-opens java.base/java.lang=ALL-UNNAMED"),
        (referee(&judges, "missing", OPENS, "Score"), "name the game's own jar"),
    ] {
        let trouble = play(&original, &case, &mut |_| None).expect_err(remedy);
        let found = trouble.remedy.clone().unwrap_or_default();
        assert!(found.contains(remedy), "{trouble:?}");
    }
}
