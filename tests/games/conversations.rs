//! Recorded conversations with referees of CodinGame's SDK. A double repeats the referee's part, and fails at the first byte from
//! its host that differs from the recorded one.

use std::sync::Arc;

use judges::codingame::Codingame;
use judges::{JudgeCommand, JudgeLimits};
use referee::bot::BotCommand;
use referee::config::Config;
use referee::game::judge::{Case, StartJudge};
use referee::game::samegame::{SameGame, boardfile};
use referee::game::{
    Answer, Ask, Game, GameKind, JudgeFailure, Placement, Referee as Judge, TestCase,
};
use referee::gamelog::{End, Event, Turn};
use referee::limits::{Limits, MatchRules};
use referee::lines::Lines;
use referee::play::Match;
use referee::verdict::{NoReply, Verdict};

use crate::measured::cases;
use support::prelude::*;

/// The text of a conversation in `tests/data`.
fn conversation(name: &str) -> String {
    fs::read_to_string(data("conversations").join(name)).expect("a conversation")
}

/// A judge's command, with limits that hold on a busy machine.
pub(super) fn command(words: &[&str], folder: &Path) -> JudgeCommand {
    let (start, step) = (Duration::from_mins(1), Duration::from_mins(1));
    JudgeCommand {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        folder: folder.to_owned(),
        env: [].into(),
        limits: JudgeLimits { start, step, ..JudgeLimits::default() },
    }
}

/// The command of a double that repeats the conversation of a file.
pub(super) fn repeats(file: &Path) -> JudgeCommand {
    let double = double();
    let words = [&double, Path::new("codingame"), file].map(|word| word.to_str().expect("UTF-8"));
    command(&words, file.parent().expect("a folder"))
}

/// A referee that repeats the conversation of a file.
fn referee_of(file: &Path, criteria: &str, engine: &str) -> Codingame {
    let (command, criteria) = (repeats(file), Some(criteria.to_owned()));
    Codingame { command, criteria, engine: engine.parse().ok(), ..Codingame::default() }
}

/// The blocks of one side of a conversation, whose lines begin with `mark`.
pub(super) fn blocks<'c>(conversation: &'c str, mark: &str) -> Vec<(&'c str, Vec<&'c str>)> {
    let is_other =
        |line: &&str| mark.is_empty() && (line.starts_with(">>> ") || line.starts_with("# "));
    let lines = conversation.lines().filter(|line| !is_other(line));
    let mut lines = lines.filter_map(|line| line.strip_prefix(mark));
    let mut blocks = Vec::new();
    while let Some(header) = lines.next() {
        let (name, count) = header[2..header.len() - 1].split_once("] ").expect("a header");
        blocks.push((name, lines.by_ref().take(count.parse().expect("a number")).collect()));
    }
    blocks
}

/// The lines of all blocks of this name.
pub(super) fn lines_of(blocks: &[(&str, Vec<&str>)], name: &str) -> Vec<String> {
    let named = blocks.iter().filter(|block| block.0 == name);
    named.flat_map(|(_, lines)| lines).map(|&line| line.to_owned()).collect()
}

/// The bot's time and reply to each question of a conversation.
pub(super) fn replies(conversation: &str) -> Vec<(Duration, Option<String>)> {
    let has_times = conversation.contains("\n[[MONITORING] 0]\n");
    let reply = |(name, mut lines): (&str, Vec<&str>)| match name {
        "SET_PLAYER_TIMEOUT" => Some((Duration::ZERO, None)),
        "SET_PLAYER_OUTPUT" => {
            let elapsed = if has_times { lines.remove(0).parse().expect("ms") } else { 0 };
            let reply = lines.join("\n") + "\n";
            (!lines.is_empty()).then_some((Duration::from_millis(elapsed), Some(reply)))
        }
        _ => None,
    };
    blocks(conversation, ">>> ").into_iter().filter_map(reply).collect()
}

/// The test case of a conversation.
fn case(conversation: &str) -> String {
    blocks(conversation, ">>> ")[0].1[1..].join("\n")
}

/// A bot's time, and its reply if it has one.
pub(super) type Reply = (Duration, Option<String>);

/// A game with its questions and the verdict on the last reply.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) asked: Vec<Ask>,
    pub(super) verdict: Verdict,
    pub(super) game: Game,
}

/// Plays with these replies, of which those that are missing are so for this reason.
pub(super) fn play(
    judge: Result<Box<dyn Judge>, JudgeFailure>,
    why: NoReply,
    mut reply: impl FnMut(&Ask) -> Reply,
) -> Result<Played, JudgeFailure> {
    let mut game = Game::begin(judge?)?;
    let (mut asked, mut verdict) = (Vec::new(), Verdict::Completed);
    while let Some(ask) = game.next_ask() {
        let (elapsed, reply) = reply(&ask);
        let no_reply = reply.is_none().then_some(why);
        let lines = Lines::split(reply.unwrap_or_default().as_bytes());
        verdict = game.answer(Answer::new(&lines, no_reply).after(elapsed))?.verdict;
        asked.push(ask);
    }
    Ok(Played { asked, verdict, game })
}

/// Plays with a referee that repeats a conversation, and these replies.
fn repeated(
    referee: &Codingame,
    case: &str,
    replies: impl IntoIterator<Item = Reply>,
) -> Result<Played, JudgeFailure> {
    let mut replies = replies.into_iter();
    let judge = referee.start(&Case::Text(case.to_owned()), &Placement::default());
    play(judge, NoReply::Deadline, |_| replies.next().expect("a reply to each question"))
}

#[test]
fn a_recorded_conversation_is_repeated_byte_by_byte() {
    for (name, criteria, engine, verdict, known, official) in [
        (
            "samegame",
            "Score",
            "3.15.2",
            Verdict::Completed,
            Some("227"),
            "Endgame. Obtained a score of 227.",
        ),
        ("2048", "Points", "3.15.2", Verdict::Completed, Some("2932"), "score: 2932"),
        ("number-shifting", "Level", "", Verdict::Timeout, None, "timeout"),
        ("steps-4.5", "Steps", "4.5.0", Verdict::Completed, Some("2.0"), "There."),
        ("steps-4.7", "Steps", "4.7.7", Verdict::Timeout, Some("3.0"), "Out of time."),
    ] {
        let file = data("conversations").join(format!("{name}.txt"));
        let text = fs::read_to_string(&file).expect("a conversation");
        let referee = referee_of(&file, criteria, engine);
        let heard = repeated(&referee, &case(&text), replies(&text)).expect(name);
        let Played { asked, game, .. } = &heard;
        let (score, summary) = (game.score(0).map(|score| score.to_string()), game.summary());
        let found = (heard.verdict, score.as_deref(), game.official());
        assert_eq!(found, (verdict, known, official));
        assert_eq!(asked.len(), replies(&text).len(), "{name}");
        let said = blocks(&text, "");
        let input = asked.iter().map(|ask| ask.input.as_str()).collect::<String>();
        assert_eq!(
            input.lines().collect::<Vec<_>>(),
            lines_of(&said, "NEXT_PLAYER_INPUT"),
            "{name}"
        );
        assert_eq!(summary, lines_of(&said, "INFOS"), "{name}");
        let info = lines_of(&said, "NEXT_PLAYER_INFO");
        let limits = info
            .chunks(3)
            .filter(|info| info[1] != "0")
            .map(|info| (info[1].parse().ok(), info[2].parse().ok().map(Duration::from_millis)));
        let found = asked.iter().map(|ask| (Some(ask.lines.count), ask.official));
        assert_eq!(found.collect::<Vec<_>>(), limits.collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn the_double_refuses_a_host_that_differs() {
    let file = data("conversations/number-shifting.txt");
    let text = conversation("number-shifting.txt");
    let host = |end: usize| {
        text.lines()
            .filter_map(|line| line.strip_prefix(">>> "))
            .take(end)
            .collect::<Vec<_>>()
            .join("\n")
            + "\n"
    };
    for (sent, expected) in [
        (host(3), ":4: the host wrote \"nothing more\", not \"[[GET_GAME_INFO] 0]\\n\""),
        (host(3) + "[[GET_GAME_INFO] 1]\n", ":4: the host wrote \"[[GET_GAME_INFO] 1]\", not "),
        (host(4) + "more\n", ":5: the host wrote \"more\", not nothing before the referee's line"),
    ] {
        let mut double = Command::new(double());
        let double =
            double.arg("codingame").arg(&file).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut double = double.stdout(Stdio::null()).spawn().expect("it was built");
        double.stdin.take().expect("piped").write_all(sent.as_bytes()).expect("it reads");
        let output = double.wait_with_output().expect("it ends");
        let told = output.err();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}

fn board(text: &str) -> TestCase {
    SameGame::new(boardfile::parse(text).expect("a board")).into_test_case()
}

/// A block of the referee's, or of its host's, whose lines begin with `mark`.
fn block(mark: &str, name: &str, lines: &[impl AsRef<str>]) -> String {
    let lines = lines.iter().map(|line| format!("{mark}{}\n", line.as_ref()));
    format!("{mark}[[{name}] {}]\n{}", lines.len(), lines.collect::<String>())
}

const NONE: [&str; 0] = [];

/// The conversation of a game of SameGame with these turns, except for what viewers see.
fn conversation_of(case: &str, turns: &[(Lines, Option<NoReply>)]) -> String {
    let mut game = board(case).opening().expect("its rules are here");
    let said = |name: &str, lines: &[String]| block("", name, lines);
    let frame = |summary: &[String]| block("", "INFOS", &NONE) + &said("INFOS", summary);
    let question = |input: &str, lines: &str, limit: &str| {
        block("", "NEXT_PLAYER_INPUT", &input.lines().collect::<Vec<_>>())
            + &block("", "NEXT_PLAYER_INFO", &["0", lines, limit])
    };
    let next = block(">>> ", "GET_GAME_INFO", &NONE);
    let init: Vec<&str> = ["1"].into_iter().chain(case.lines()).collect();
    let mut text = block(">>> ", "INIT", &init) + &next;
    let mut told = 0;
    for (turn, (reply, no_reply)) in turns.iter().enumerate() {
        let limit = if turn == 0 { "20000" } else { "50" };
        let input = game.next_ask().expect("a turn").input;
        text += &(frame(&game.summary()[told..]) + &question(&input, "1", limit));
        told = game.summary().len();
        let output = reply.to_text().iter().map(|line| one_line(line)).collect::<Vec<_>>();
        text += &match no_reply {
            Some(_) => block(">>> ", "SET_PLAYER_TIMEOUT", &NONE),
            None => block(">>> ", "SET_PLAYER_OUTPUT", &output),
        };
        text += &next;
        game.answer(Answer::new(reply, *no_reply)).expect("its rules are here");
    }
    let won = game.official().starts_with("Endgame.");
    if won {
        // The end has a frame of its own.
        let end = game.summary().len() - 1;
        text += &(frame(&game.summary()[told..end]) + &question("", "0", "50"));
        text += &(block(">>> ", "SET_PLAYER_OUTPUT", &NONE) + &next);
        told = end;
    }
    text += &frame(&game.summary()[told..]);
    text += &block("", "METADATA", &[json!(game.end().expect("it is over").metadata).to_string()]);
    text + &block("", "SCORES", &[if won { "0 1" } else { "0 0" }])
}

/// A line without the characters at which Java ends one.
fn one_line(reply: &str) -> String {
    reply.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\u{fffd}")
}

#[test]
fn the_rules_of_samegame_lead_to_the_recorded_conversation() {
    let recorded = conversation("samegame.txt");
    let turns = replies(&recorded)
        .into_iter()
        .map(|(_, reply)| (Lines::split(reply.expect("it has answered").as_bytes()), None));
    let written = conversation_of(&case(&recorded), &turns.collect::<Vec<_>>());
    let mut lines = recorded.lines();
    let mut plain = Vec::new();
    while let Some(line) = lines.next() {
        match line {
            "[[VIEW] 2]" => drop(lines.by_ref().take(2).count()),
            line => plain.push(line),
        }
    }
    assert_eq!(written.lines().collect::<Vec<_>>(), plain);
}

/// Faults of a bot that end a game without a limit, on their second turn.
const FAULTS: [&str; 16] = [
    "exit 3",
    "exit 0",
    "signal 11",
    "partial-line-exit",
    "endless-line",
    "flood-stderr 1000000",
    "flood-stdout",
    "surplus 3",
    "close-stdout",
    "leave-child",
    "invalid-utf8",
    "empty-line",
    "illegal malformed",
    "illegal out-of-bounds",
    "illegal empty-tile",
    "illegal single-tile",
];

/// Faults that only a limit ends: on the second turn, which has 50 ms.
const DELAYS: [&str; 6] =
    ["late 2000", "hang", "partial-line", "chatter", "no-read", "ignore-sigterm"];

/// A game with a bundled bot.
fn match_of(kind: &GameKind, case: &str, bot: &[&str]) -> (Vec<Turn>, End) {
    let config = Config::resolve([]).expect("the defaults");
    let is_delay = DELAYS.iter().any(|delay| bot[1..].join(" ").starts_with(delay));
    let patient = Limits::from_kinds(|_| Some(Duration::from_mins(1)));
    let limits = if is_delay { config.rules.limits } else { patient };
    // The referee names the same limits in both games, and a busy machine does not keep 50 ms.
    let rules = MatchRules { limits, fixed: limits, ..config.rules };
    let confinement = config.confinement(None).expect("some method");
    let words: Vec<&str> = ["bot"].iter().chain(bot).copied().collect();
    let command = BotCommand::new(program(), words, confinement);
    let mut turns = Vec::new();
    let end = Match::new(kind, case, &command).rules(rules).play(|event| {
        if let Event::Turn(turn) = event {
            turns.push(turn);
        }
    });
    (turns, end.unwrap_or_else(|error| panic!("{bot:?}: {error}")))
}

/// Plays SameGame by the rules in this project, then through a referee that repeats the conversation of the same game, and
/// compares the results.
#[track_caller]
fn assert_same(folder: &Path, name: &str, case: &str, bot: &[&str]) -> End {
    let kind = GameKind::named("samegame").expect("a game");
    let (turns, ours) = match_of(&kind, case, bot);
    let replies = turns.iter().map(|turn| (Lines::split(&turn.reply.0), turn.no_reply));
    let file = folder.join(format!("{name}.txt"));
    fs::write(&file, conversation_of(case, &replies.collect::<Vec<_>>())).expect("written");
    let referee = referee_of(&file, "Score", "3.15.2");
    let start: StartJudge = Arc::new(move |case, place| referee.start(case, place));
    let original = GameKind {
        stderr_per_turn: kind.stderr_per_turn,
        ..GameKind::new("original", "The original", move |text| {
            Ok(TestCase::judged("original", Case::parse(text), None, start.clone()))
        })
    };
    let (_, theirs) = match_of(&original, case, bot);
    let told = |end: &End| {
        let End { official, score, turns, won, summary, metadata, .. } = end.clone();
        (official, score, turns, won, summary, metadata)
    };
    assert_eq!(told(&theirs), told(&ours), "{name} {bot:?}");
    // The SDK does not say whether a reply was malformed or illegal.
    let is_known = !matches!(ours.verdict, Verdict::MalformedReply | Verdict::IllegalMove);
    let expected = if is_known { ours.verdict } else { Verdict::Lost };
    assert_eq!(theirs.verdict, expected, "{name} {bot:?}");
    theirs
}

#[test]
fn faulty_bots_have_the_same_results_through_a_referee_of_the_sdk() {
    let folder = tempdir().expect("a folder");
    let case = case(&conversation("samegame.txt"));
    let faults =
        FAULTS.iter().chain(&DELAYS).map(|fault| format!("misbehaving {fault} --on-turn 2"));
    let bots: Vec<String> =
        ["greedy", "first"].map(str::to_owned).into_iter().chain(faults).collect();
    for_each_in_parallel(&bots, |bot| {
        let words: Vec<&str> = bot.split(' ').collect();
        assert_same(folder.path(), bot, &case, &words);
    });
}

#[test]
fn measured_games_have_the_same_results_through_a_referee_of_the_sdk() {
    let folder = tempdir().expect("a folder");
    let games: Vec<_> = cases().into_iter().step_by(20).collect();
    for_each_in_parallel(&games, |game| {
        let script = folder.path().join(format!("{}.json", game.id));
        fs::write(&script, json!(game.outputs).to_string()).expect("written");
        let bot = ["script", script.to_str().expect("UTF-8")];
        let end = assert_same(folder.path(), &game.id, &game.board.join("\n"), &bot);
        assert_eq!(
            (end.summary, end.won, end.score.expect("points")),
            game.expected(),
            "{}",
            game.id
        );
    });
}

#[test]
fn a_line_of_a_reply_is_one_line_for_java() {
    let folder = tempdir().expect("a folder");
    let case = case(&conversation("samegame.txt"));
    for (reply, wire) in [
        ("", ""),
        ("1 2 \u{2028}[[INIT] 1]", "1 2 \u{fffd}[[INIT] 1]"),
        ("a\u{2029}b\u{85}c", "a\u{fffd}b\u{fffd}c"),
        ("0 0 ¤\t\u{b}", "0 0 ¤\t\u{b}"),
        ("[[GET_GAME_INFO] 0]", "[[GET_GAME_INFO] 0]"),
    ] {
        let lines = Lines::split(b"x\n");
        let text = conversation_of(&case, &[(lines, None)])
            .replace("\n>>> x\n", &format!("\n>>> {wire}\n"));
        let file = folder.path().join("odd.txt");
        fs::write(&file, text).expect("written");
        let replies = [(Duration::ZERO, Some(format!("{reply}\n")))];
        let said = repeated(&referee_of(&file, "Score", ""), &case, replies).expect(reply);
        assert_eq!(said.verdict, Verdict::Lost, "{reply:?}");
    }
}

#[test]
fn a_reply_has_10000_bytes_for_all_of_its_lines() {
    let place = Place::new();
    let say = |name: &str, lines: &[&str]| block("", name, lines);
    let next = block(">>> ", "GET_GAME_INFO", &NONE);
    let ask = say("NEXT_PLAYER_INPUT", &["go"]) + &say("NEXT_PLAYER_INFO", &["0", "3", "60000"]);
    let start = block(">>> ", "INIT", &["1", "7"]) + &next + &ask;
    let end = next + &say("INFOS", &["Enough."]) + &say("METADATA", &["{}"]);
    let end = end + &say("SCORES", &["0 0"]);
    let command = format!("'{}' codingame talk", double().display());
    let settings = format!("[game.x]\nkind = 'codingame'\ncommand = \"{command}\"\n");
    for (file, text) in [("referee.toml", &*settings), ("case", "testIn: 7")] {
        fs::write(place.path(file), text).expect("written");
    }
    place.script("bot", &format!("read -r go; cat '{}'", place.path("reply").display()));
    for (lengths, verdict, why) in [
        ([3332, 3332, 3333], "lost", "turn 1: the judge says `Enough.`; the reply was `xxx"),
        ([9997, 0, 0], "lost", "`Enough.`"),
        ([3332, 3332, 3334], "line_too_long", "turn 1: the reply is longer than 10000 bytes"),
        ([3400, 3400, 3400], "line_too_long", "longer than 10000 bytes"),
        ([0, 0, 9998], "line_too_long", "longer than 10000 bytes"),
    ] {
        let lines = lengths.map(|length| "x".repeat(length));
        let heard = match verdict {
            "lost" => block(">>> ", "SET_PLAYER_OUTPUT", &lines),
            _ => block(">>> ", "SET_PLAYER_TIMEOUT", &NONE),
        };
        fs::write(place.path("talk"), start.clone() + &heard + &end).expect("written");
        fs::write(place.path("reply"), lines.join("\n") + "\n").expect("written");
        let play = ["play", "--game", "x", "--board", "case", "--bot", "./bot", "--log", "log"];
        let result =
            place.command(&play).args(["--format", "json", "--force"]).run().exits(1).json();
        assert_eq!(result["verdict"], verdict, "{lengths:?}: {result}");
        assert!(result["diagnosis"].to_string().contains(why), "{lengths:?}: {result}");
        let replayed = place.referee(&["replay", "log", "--format", "json"]).json();
        assert_eq!(replayed["agrees"], true, "{lengths:?}: {replayed}");
    }
}
