//! The record of a game: what is written is read back, and refereed again to the same result.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use proptest::option;
use proptest::prelude::*;
use referee::game::GameKind;
use referee::game::samegame::generate::random_board;
use referee::gamelog::{self, Bot, Bytes, Certificate, End, Event, FORMAT, Host, Start, Turn};
use referee::limits::{Breach, LimitKind, Limits, Resource, Resources};
use referee::lines::{Lines, Progress};
use referee::millis::Millis;
use referee::play::rule;
use referee::verdict::{BotExit, Culprit, Decision, Overrun, Silence, Verdict};
use serde_json::{Value, json};

use crate::support::{PATIENT, json, referee, summary};

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![any::<Vec<u8>>(), any::<String>().prop_map(String::into_bytes)].prop_map(Bytes)
}

/// Up to ten days, to the nanosecond.
fn millis() -> impl Strategy<Value = Millis> {
    (0..864_000_000_000_000_u64).prop_map(|nanos| Millis(std::time::Duration::from_nanos(nanos)))
}

fn exits() -> impl Strategy<Value = BotExit> {
    prop_oneof![(0..256).prop_map(BotExit::Code), (1..65).prop_map(BotExit::Signal)]
}

fn breaches() -> impl Strategy<Value = Breach> {
    let resources = prop_oneof![
        Just(Resource::Memory),
        Just(Resource::Processes),
        Just(Resource::TurnOutput),
        Just(Resource::GameOutput),
    ];
    let numbers = any::<(u64, u64)>();
    (resources, numbers).prop_map(|(resource, (used, limit))| Breach { resource, used, limit })
}

fn silences() -> impl Strategy<Value = Silence> {
    prop_oneof![
        Just(Silence::Deadline),
        Just(Silence::LineTooLong),
        Just(Silence::StdoutClosed),
        Just(Silence::Ended(BotExit::Unknown)),
        exits().prop_map(Silence::Ended),
        breaches().prop_map(Silence::OverLimit),
    ]
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Completed),
        Just(Verdict::IllegalMove),
        Just(Verdict::MalformedReply),
        silences().prop_map(Silence::verdict),
    ]
}

fn resources() -> impl Strategy<Value = Resources> {
    let numbers = any::<[Option<u64>; 7]>();
    (numbers, option::of(millis())).prop_map(|(numbers, cpu_time)| {
        let [memory, processes, open_files, file_size, turn_output, game_output, game_stderr] =
            numbers;
        Resources {
            memory,
            processes,
            open_files,
            cpu_time,
            file_size,
            turn_output,
            game_output,
            game_stderr,
        }
    })
}

prop_compose! {
    fn starts()(
        texts in any::<[String; 8]>(),
        command in any::<Vec<String>>(),
        env in any::<BTreeMap<String, String>>(),
        cwd in any::<Option<String>>(),
        cores in any::<Option<Vec<usize>>>(),
        (containment, sandbox) in any::<(String, bool)>(),
        resources in resources(),
        first_turn in option::of(millis()),
        turn in option::of(millis()),
        total in option::of(millis()),
        retried in any::<Vec<String>>(),
        cpus in 1..1000_usize,
        second in 0..4_000_000_000_i64,
        nano in 0..1_000_000_000_i32,
    ) -> Start {
        let [referee, game, board, test_case, name, profile, os, arch] = texts;
        Start {
            format: FORMAT,
            referee,
            game,
            board,
            test_case,
            bot: Bot { name, command, cwd, cores, env, containment, sandbox, resources },
            profile,
            limits: Limits::from_kinds(|kind| {
                let limit = match kind {
                    LimitKind::FirstTurn => first_turn,
                    LimitKind::Turn => turn,
                    LimitKind::Total => total,
                };
                limit.map(|Millis(duration)| duration)
            }),
            retried,
            host: Host { os, arch, cpus },
            time: jiff::Timestamp::new(second, nano).expect("in range"),
        }
    }
}

fn certificates() -> impl Strategy<Value = Certificate> {
    let times = [(); 4].map(|()| option::of(millis()));
    let counts = [(); 3].map(|()| option::of(any::<u64>()));
    (times, counts).prop_map(|(times, counts)| {
        let [cpu, busiest_cpu, wait, referee_wait] = times;
        let [context_switches, page_faults, peak_memory] = counts;
        Certificate {
            cpu,
            busiest_cpu,
            wait,
            referee_wait,
            context_switches,
            page_faults,
            peak_memory,
        }
    })
}

fn overruns() -> impl Strategy<Value = Overrun> {
    let culprits = prop_oneof![Just(Culprit::Bot), Just(Culprit::Host)];
    let decisions = prop_oneof![
        Just(Decision::Timeout),
        Just(Decision::Accepted),
        Just(Decision::Forgiven),
        Just(Decision::Measured),
    ];
    (culprits, decisions).prop_map(|(culprit, decision)| Overrun { culprit, decision })
}

prop_compose! {
    fn turns()(
        limit in prop_oneof![Just(LimitKind::FirstTurn), Just(LimitKind::Turn), Just(LimitKind::Total)],
        reply in bytes(),
        unanswered in option::of(silences()),
        action in option::of((any::<i32>(), any::<String>())),
        (gain, score) in any::<(i64, i64)>(),
        wall in millis(),
        (certificate, overrun) in (certificates(), option::of(overruns())),
        (early, stdin_closed, stopped) in any::<(bool, bool, bool)>(),
        (unread_input, stderr_dropped) in any::<(u64, u64)>(),
        stderr in bytes(),
    ) -> Turn {
        let action = action.map(|(x, message)| json!({ "x": x, "message": [message, ""] }));
        Turn {
            turn: 0, limit, reply, unanswered, action, gain, score, wall, certificate,
            overrun, early, unread_input,
            stdin_closed, stopped, stderr, stderr_dropped,
        }
    }
}

prop_compose! {
    fn ends()(
        verdict in verdicts(),
        official: String,
        (won, killed) in any::<(bool, bool)>(),
        score: i64,
        summary: Vec<String>,
        metadata: BTreeMap<String, String>,
        turns: u32,
        diagnosis: Option<String>,
        bot_exit in option::of(exits()),
        (late_output, stderr) in (bytes(), bytes()),
        (late_output_dropped, stderr_dropped) in any::<(u64, u64)>(),
        wall in option::of(millis()),
    ) -> End {
        End {
            verdict, official, won, score, summary, metadata, turns, diagnosis, bot_exit, killed,
            late_output, late_output_dropped, stderr, stderr_dropped, wall,
        }
    }
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut text = Vec::new();
    for event in events {
        serde_json::to_writer(&mut text, event).expect("JSON");
        text.push(b'\n');
    }
    text
}

fn events(log: gamelog::Log) -> Vec<Event> {
    let start = std::iter::once(Event::Start(log.start));
    start.chain(log.turns.into_iter().map(Event::Turn)).chain(log.end.map(Event::End)).collect()
}

proptest! {
    #[test]
    fn a_log_that_is_read_and_written_again_is_the_same(
        start in starts(),
        turns in proptest::collection::vec(turns(), 0..5),
        end in option::of(ends()),
    ) {
        let numbered = (1..).zip(turns).map(|(number, turn)| Turn { turn: number, ..turn });
        let log = gamelog::Log { start, turns: numbered.collect(), end };
        let text = written(&events(log.clone()));
        let read = gamelog::read(&text).expect("a good log");
        prop_assert_eq!(&read, &log);
        prop_assert_eq!(written(&events(read)), text);
    }
}

/// A game of SameGame without a process: replies as any bot may write them, and then a silence.
fn played(board: &str, replies: &[Vec<u8>], silence: Silence) -> Vec<Event> {
    let kind = GameKind::named("samegame").expect("a game");
    let mut game = (kind.parse)(board).expect("a board");
    let mut replies = replies.iter();
    let mut events = vec![Event::Start(Start {
        format: FORMAT,
        referee: String::new(),
        game: kind.name.to_owned(),
        board: String::new(),
        test_case: game.test_case().to_owned(),
        bot: Bot {
            name: String::new(),
            command: Vec::new(),
            cwd: None,
            cores: None,
            env: BTreeMap::new(),
            containment: String::new(),
            sandbox: false,
            resources: Resources::default(),
        },
        profile: String::new(),
        limits: Limits::default(),
        retried: Vec::new(),
        host: Host { os: String::new(), arch: String::new(), cpus: 1 },
        time: jiff::Timestamp::UNIX_EPOCH,
    })];
    let mut verdict = Verdict::Completed;
    for turn in 1.. {
        let Some(exchange) = game.next_exchange() else { break };
        let (limit, rules) = (exchange.limit, exchange.lines);
        let lines = replies.next().map_or_else(Lines::default, |reply| Lines::split(reply));
        let unanswered = match lines.progress(&rules) {
            Progress::Complete(_) => None,
            Progress::TooLong => Some(Silence::LineTooLong),
            Progress::Incomplete => Some(silence),
        };
        let ruling = rule(game.as_mut(), &lines, unanswered);
        verdict = ruling.verdict;
        events.push(Event::Turn(Turn {
            turn,
            limit,
            reply: Bytes(lines.into_bytes()),
            unanswered,
            action: ruling.action,
            gain: ruling.gain,
            score: game.score(),
            wall: Millis::default(),
            certificate: Certificate::default(),
            overrun: None,
            early: false,
            unread_input: 0,
            stdin_closed: false,
            stopped: false,
            stderr: Bytes::default(),
            stderr_dropped: 0,
        }));
    }
    let turns = u32::try_from(events.len() - 1).expect("few");
    events.push(Event::End(End {
        verdict,
        official: game.official_result().to_owned(),
        won: verdict == Verdict::Completed,
        score: game.score(),
        summary: game.summary().to_vec(),
        metadata: game.metadata(),
        turns,
        diagnosis: None,
        bot_exit: None,
        killed: false,
        late_output: Bytes::default(),
        late_output_dropped: 0,
        stderr: Bytes::default(),
        stderr_dropped: 0,
        wall: None,
    }));
    events
}

/// Mostly moves, some of them legal, and now and then anything else.
fn replies() -> impl Strategy<Value = Vec<u8>> {
    let move_text = (0..16, 0..16, "( [a-z]{0,40})?", "(\n|\r|\r\n|)");
    prop_oneof![
        30 => move_text.prop_map(|(x, y, message, end)| format!("{x} {y}{message}{end}").into_bytes()),
        1 => any::<Vec<u8>>().prop_map(|mut bytes| {
            bytes.retain(|byte| !b"\r\n".contains(byte));
            bytes.push(b'\n');
            bytes
        }),
        1 => (9990..10_010_usize).prop_map(|length| vec![b'0'; length]),
    ]
}

proptest! {
    #[test]
    fn the_replay_of_any_game_agrees(
        seed: i64,
        colors in 1..=3_u8,
        replies in proptest::collection::vec(replies(), 0..40),
        silence in silences(),
    ) {
        let board = random_board(seed, colors).expect("a board").to_string();
        let text = written(&played(&board, &replies, silence));
        let log = gamelog::read(&text).expect("a good log");
        let replayed = referee::replay::replay(&log).expect("a game");
        prop_assert_eq!(&replayed.difference, &None);
        prop_assert_eq!(replayed.end, log.end);
    }
}

/// Plays a bundled bot and returns the result and the log's text.
fn logged(folder: &Path, bot: &str, more: &[&str]) -> (Value, String) {
    let log = folder.join("game.jsonl");
    let output = referee()
        .args(["play", "--format", "json", "--bot", bot, "--log"])
        .arg(&log)
        .args(PATIENT)
        .args(more)
        .output()
        .expect("runs");
    (json(&output), std::fs::read_to_string(log).expect("a log"))
}

fn replay(folder: &Path, text: &str) -> Output {
    let log = folder.join("replayed.jsonl");
    std::fs::write(&log, text).expect("written");
    referee().args(["replay", "--format", "json"]).arg(&log).output().expect("runs")
}

#[test]
fn the_replay_of_any_played_game_agrees() {
    let folder = tempfile::tempdir().expect("a folder");
    let bots = [
        "@greedy",
        "@first",
        "@random --seed 1",
        "@random --seed 2",
        "@misbehaving surplus 3 --on-turn 5",
        "@misbehaving flood-stdout --on-turn 4",
        "@misbehaving exit 1 --on-turn 9",
        "@misbehaving late 20 --on-turn 2",
        "@misbehaving close-stdin --on-turn 60",
        "@misbehaving signal 11",
        "@misbehaving partial-line-exit --on-turn 4",
        "@misbehaving endless-line --on-turn 4",
        "@misbehaving close-stdout --on-turn 4",
        "@misbehaving invalid-utf8 --on-turn 4",
        "@misbehaving empty-line --on-turn 4",
        "@misbehaving illegal malformed --on-turn 4",
        "@misbehaving illegal out-of-bounds --on-turn 4",
        "@misbehaving illegal empty-tile --on-turn 4",
        "@misbehaving illegal single-tile --on-turn 4",
    ];
    for bot in bots {
        for board in ["@random-1", "@clearable"] {
            let (played, text) = logged(folder.path(), bot, &["--board", board]);
            let output = replay(folder.path(), &text);
            let replayed = json(&output);
            assert_eq!(replayed["agrees"], true, "{bot}: {replayed}");
            assert_eq!(replayed["complete"], true);
            assert_eq!(output.status.code(), Some(0));
            for field in
                ["won", "score", "verdict", "official", "summary", "metadata", "turns", "diagnosis"]
            {
                assert_eq!(replayed[field], played[field], "{bot}: {field}");
            }
        }
    }
}

#[test]
fn a_timeout_is_taken_from_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = ["--profile", "official"];
    let log = folder.path().join("late.jsonl");
    let played = referee()
        .args(["play", "--format", "json", "--bot", "@misbehaving hang --on-turn 3"])
        .args(limits)
        .arg("--log")
        .arg(&log)
        .output()
        .expect("runs");
    assert_eq!(json(&played)["verdict"], "timeout");
    let output = replay(folder.path(), &std::fs::read_to_string(log).expect("a log"));
    let replayed = json(&output);
    assert_eq!(replayed["verdict"], "timeout");
    assert_eq!(replayed["official"], "[ERROR] Timeout!");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_truncated_log_replays_to_its_last_whole_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (played, text) = logged(folder.path(), "@greedy", &[]);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for turns in [0, 1, 10] {
        let whole: String = lines[..=turns].concat();
        let half = &lines[turns + 1][..lines[turns + 1].len() / 2];
        for text in [whole.clone(), whole + half] {
            let output = replay(folder.path(), &text);
            let replayed = json(&output);
            assert_eq!(output.status.code(), Some(0), "{replayed}");
            assert_eq!(replayed["complete"], false);
            assert_eq!(replayed["agrees"], true);
            assert_eq!(replayed["turns"], turns);
            assert_eq!(replayed["verdict"], Value::Null);
            assert_eq!(summary(&replayed), summary(&played)[..turns]);
        }
    }
    let last = lines.len() - 1;
    let replayed = json(&replay(folder.path(), &lines[..last].concat()));
    assert_eq!(replayed["complete"], false, "only the end is missing");
    assert_eq!(replayed["official"], played["official"], "the rules know it all the same");
}

#[test]
fn an_incomplete_log_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let log = folder.path().join("cut.jsonl");
    std::fs::write(&log, &text[..text.len() / 2]).expect("written");
    let output = referee().arg("replay").arg(&log).output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("incomplete    the log stops before the end of the game"), "{text}");
}

#[test]
fn a_log_that_lacks_only_its_last_newline_is_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    assert_eq!(json(&replay(folder.path(), text.trim_end()))["complete"], true);
}

#[test]
fn a_first_line_is_told_apart_whether_it_has_a_newline_or_not() {
    let told = |line: &str| gamelog::read(line.as_bytes()).expect_err("no log").to_string();
    let later = r#"{"type":"start","format":2,"referee":"9.0.0","players":[]}"#;
    let other = r#"{"type":"note","format":1}"#;
    for newline in ["", "\n"] {
        let later = told(&format!("{later}{newline}"));
        assert!(later.starts_with("1: the log is of format 2, "), "{later}");
        let other = told(&format!("{other}{newline}"));
        assert!(other.starts_with("1: not a game log: "), "{other}");
    }
    assert_eq!(told(&later[..later.len() / 2]), "not a game log: it holds no whole line");
}

/// A log with one value of one line changed.
fn tampered(text: &str, line: usize, change: impl FnOnce(&mut Value)) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut value: Value = serde_json::from_str(&lines[line]).expect("JSON");
    change(&mut value);
    lines[line] = value.to_string();
    lines.join("\n") + "\n"
}

#[test]
fn the_first_turn_that_differs_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let end = text.lines().count() - 1;
    let turns = end - 1;
    let checks: [(&str, String, usize); 11] = [
        ("limit", tampered(&text, 4, |turn| turn["limit"] = json!("first_turn")), 4),
        ("the reply", tampered(&text, 3, |turn| turn["reply"] = json!("0 0\n1 1\n")), 3),
        ("gain", tampered(&text, 5, |turn| turn["gain"] = json!(1_000_000)), 5),
        ("score", tampered(&text, 7, |turn| turn["score"] = json!(7)), 7),
        ("move", tampered(&text, 3, |turn| turn["move"]["size"] = json!(99)), 3),
        ("move", tampered(&text, 3, |turn| turn["reply"] = json!("up\n")), 3),
        ("the reply", tampered(&text, 3, |turn| turn["reply"] = json!("0 0")), 3),
        ("final score", tampered(&text, end, |end| end["score"] = json!(0)), turns),
        ("verdict", tampered(&text, end, |end| end["verdict"] = json!("timeout")), turns),
        ("official", tampered(&text, end, |end| end["official"] = json!("x")), turns),
        ("summary", tampered(&text, end, |end| end["summary"][0] = json!("x")), turns),
    ];
    for (what, text, turn) in checks {
        let output = replay(folder.path(), &text);
        let replayed = json(&output);
        assert_eq!(output.status.code(), Some(1), "{what}: {replayed}");
        assert_eq!(replayed["agrees"], false);
        assert_eq!(replayed["difference"]["what"], what, "{replayed}");
        assert_eq!(replayed["difference"]["turn"], turn, "{replayed}");
    }
}

#[test]
fn a_difference_reads_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let log = folder.path().join("tampered.jsonl");
    std::fs::write(&log, tampered(&text, 5, |turn| turn["gain"] = json!(12))).expect("written");
    let output = referee().arg("replay").arg(&log).output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.starts_with("The replay differs from the log at turn 5.\n"), "{text}");
    assert!(text.contains("replay        differs from the log at turn 5: gain"), "{text}");
}

#[test]
fn unknown_fields_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let text = tampered(&text, 0, |start| start["later"] = json!({ "a": 1 }));
    let text = tampered(&text, 4, |turn| turn["later"] = json!([1, 2]));
    assert_eq!(json(&replay(folder.path(), &text))["agrees"], true);
}
