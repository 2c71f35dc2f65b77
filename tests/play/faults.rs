//! Every fault of the misbehaving bot, end to end: verdict, official wording, diagnosis, exit code,
//! and nothing left behind.

use support::prelude::*;

const TIMEOUT: &str = "[ERROR] Timeout!";

/// The end of a game of first legal moves on the default board, and on `@clearable`.
const ENDGAME: &str = "Endgame. Obtained a score of 198.";
const CLEARED: &str = "Endgame. Obtained a score of 2857.";

const FROM_TURN_3: &str = "answered before the bot had read the input (the first is turn 3)";

/// A short limit, for bots that never answer. Bots that answer get [`PATIENT`] limits.
const SHORT: [&str; 4] = ["--first-turn", "60s", "--turn", "1s"];

/// The result and the exit code of a game of the misbehaving bot on a bundled board, which leaves no survivors. A limit of a
/// second is short enough for a host to spoil.
fn play(fault: &str, limits: [&str; 4], more: &[&str]) -> (Value, Option<i32>) {
    let bot = format!("@misbehaving {fault}");
    let once = || {
        let (mark, start) = (Mark::new(), Instant::now());
        let play = referee().play(["--format", "json", "--env", mark.env(), "--bot", &bot]);
        let output = play.args(limits).args(more).run();
        // Each fault is noticed at once rather than at the limit of a minute, with room for a busy machine.
        assert!(start.elapsed() < Duration::from_secs(50), "{fault}: {:?}", start.elapsed());
        mark.assert_gone();
        (output.json(), output.status.code())
    };
    undisturbed(|(result, _)| has_host_part(result), once)
}

/// An empty diagnosis means that there must be none.
#[track_caller]
fn expect((result, code): &(Value, Option<i32>), verdict: &str, official: &str, diagnosis: &str) {
    assert_eq!(
        (&result["verdict"], &result["official"]),
        (&verdict.into(), &official.into()),
        "{result}"
    );
    let found = result["diagnosis"].as_str().unwrap_or_default();
    assert!(found.contains(diagnosis), "{diagnosis:?} is not in {found:?}");
    assert_eq!(found.is_empty(), diagnosis.is_empty(), "{found:?}");
    let has_won = verdict == "completed";
    assert_eq!((&result["won"], *code), (&has_won.into(), Some(i32::from(!has_won))), "{result}");
}

#[test]
fn an_answer_after_the_input_was_closed_is_reported() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    fs::write(config.path(), "[bot]\ngrace = '30s'").expect("written");
    let config = ["--config", config.path().to_str().expect("UTF-8")];
    let diagnosis = "`0 3` came after its input was closed: too slow, or not flushed";
    expect(&play("late 2500 --on-turn 2", SHORT, &config), "timeout", TIMEOUT, diagnosis);
}

#[test]
fn the_first_turn_has_its_own_limit() {
    let limits = ["--first-turn", "1s", "--turn", "60s"];
    let shown = play("hang", limits, &[]);
    expect(&shown, "timeout", TIMEOUT, "turn 1: no answer within 1 s of the first turn");
    assert_eq!(shown.0["timing"]["first_turn"]["limit_ms"], 1000.0);
}

#[test]
fn a_flood_of_stderr_blocks_nobody_and_is_capped() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let log = log.to_str().expect("UTF-8");
    let shown = play("flood-stderr 3000000 --on-turn 2", PATIENT, &["--log", log]);
    let late_there = "the bot wrote 3 MB of standard error in turn 2; CodinGame's SDK reads 4 kB a \
                      turn and leaves the rest in the pipe, so this bot would have been late there";
    expect(&shown, "completed", ENDGAME, late_there);
    let text = fs::read_to_string(log).expect("a log");
    let turn: Value = serde_json::from_str(text.lines().nth(2).expect("turn 2")).expect("JSON");
    assert_eq!(turn["stderr"].as_str().expect("text").len(), 65_536);
    assert_eq!(turn["stderr_dropped"], 3_000_000 - 65_536);
    assert!(text.len() < 200_000, "{}", text.len());
}

#[test]
fn a_bot_that_answers_without_reading_its_turn_is_reported() {
    // By now the board has certainly been sent.
    let bot = "sh -c 'sleep 1.5; echo 0 0; exec sleep 60'";
    let args = ["play", "--format", "json", "--board", "@clearable", "--turn", "1s", "--bot", bot];
    let result = referee().args(args).run().json();
    let diagnosis = result["diagnosis"].as_str().expect("text");
    let told = "1 turn answered before the bot had read the input (the first is turn 1)";
    assert!(diagnosis.contains(told), "{diagnosis}");
}

/// A fault in turn 2 with its limits, and its verdict and diagnosis.
pub(crate) type Fault = (&'static str, [&'static str; 4], &'static str, &'static str);

pub(crate) const FAULTS: [Fault; 34] = [
    ("exit 0", PATIENT, "early_exit", "turn 2: the bot exited with status 0 after"),
    ("exit 3", PATIENT, "crash", "turn 2: the bot exited with status 3 after"),
    ("signal 11", PATIENT, "crash", "the bot was killed by SIGSEGV after"),
    ("signal 6", PATIENT, "crash", "was killed by SIGABRT"),
    ("signal 9", PATIENT, "crash", "was killed by SIGKILL"),
    ("signal 15", PATIENT, "crash", "was killed by SIGTERM"),
    ("signal-group 9", PATIENT, "crash", "was killed by SIGKILL"),
    ("hang", SHORT, "timeout", "no answer within 1 s; the bot's fault: in 1"),
    ("ignore-sigterm", SHORT, "timeout", "the referee killed it"),
    ("stop", SHORT, "timeout", "a signal had stopped it"),
    ("exec", SHORT, "timeout", "no answer within 1 s"),
    ("spin", SHORT, "timeout", "no answer within 1 s"),
    ("late 120000", SHORT, "timeout", "no answer within 1 s; the bot's fault: in 1"),
    ("late 100", PATIENT, "completed", ""),
    ("partial-line", SHORT, "timeout", "it had written `0 0` without a newline"),
    ("partial-line-exit", PATIENT, "early_exit", "it had written `0 0` without a newline"),
    ("chatter", SHORT, "timeout", "it had written `xxx"),
    ("endless-line", PATIENT, "line_too_long", "turn 2: the reply is longer than 10000 bytes"),
    ("no-read", SHORT, "timeout", "bytes of its input"),
    ("close-stdin", SHORT, "timeout", "; it had closed its standard input"),
    ("close-stdout", PATIENT, "stdout_closed", "turn 2: the bot closed its standard output after"),
    ("close-all", PATIENT, "stdout_closed", "closed its standard output"),
    ("flood-stderr 3000000", PATIENT, "completed", "3 MB of standard error"),
    ("reserve 4000", PATIENT, "completed", ""),
    ("flood-stdout", PATIENT, "illegal_move", FROM_TURN_3),
    (LEAVE_WRITER, PATIENT, "illegal_move", " too many: "),
    ("leave-child", PATIENT, "early_exit", "turn 2: the bot exited with status 0"),
    ("leave-child-and-play", PATIENT, "completed", ""),
    (HOP, PATIENT, "completed", ""),
    ("fork 20", PATIENT, "completed", ""),
    ("fork 700", PATIENT, "process_limit", "processes and threads; its limit is 512"),
    ("threads 700", PATIENT, "process_limit", "processes and threads; its limit is 512"),
    ("memory 2000", PATIENT, "memory_limit", "of memory; its limit is 768 MiB"),
    ("open-files", SHORT, "timeout", "files open"),
];

#[test]
fn a_fault_has_its_verdict_and_diagnosis_in_a_namespace_and_as_a_plain_bot() {
    for_each_in_parallel(&FAULTS, |&(fault, limits, verdict, diagnosis)| {
        let official = match verdict {
            "completed" => ENDGAME,
            "illegal_move" => "[ERROR] Selected region should have size greater than 1.",
            _ => TIMEOUT,
        };
        let [namespace, plain] = ["namespace", "plain"].map(|method| {
            let fault = format!("{fault} --on-turn 2");
            let shown = play(&fault, limits, &["--containment", method]);
            expect(&shown, verdict, official, diagnosis);
            ["score", "turns"].map(|key| shown.0[key].clone())
        });
        assert_eq!(plain, namespace, "{fault}");
    });
}

#[test]
fn a_bot_that_answers_before_it_reads_plays_on_with_a_warning() {
    // On this board the first move is 0 0 in every turn, so the bot gets away with it.
    for (fault, diagnosis) in [
        ("surplus 2 --on-turn 2", FROM_TURN_3),
        ("early", "answered before the bot had read the input"),
    ] {
        let shown = play(fault, PATIENT, &["--board", "@clearable"]);
        expect(&shown, "completed", CLEARED, diagnosis);
    }
}

#[test]
fn a_message_that_is_not_utf8_is_legal_and_survives_in_the_log() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    let shown = play("invalid-utf8 --on-turn 2", PATIENT, &["--log", path]);
    expect(&shown, "completed", ENDGAME, "");
    let text = fs::read(&log).expect("a log");
    let read = referee::gamelog::read(&text).expect("a good log");
    assert!(read.turns[1].reply.0.ends_with(b" \xFF\xFE\xF0\x9F\n"));
    assert_eq!(
        read.turns[1].action.as_ref().expect("a move")["message"][0],
        "\u{FFFD}\u{FFFD}\u{FFFD}"
    );
    assert_code(&referee().args(["replay", path]).run(), 0);
}

#[test]
fn each_illegal_move_has_its_official_wording() {
    for (fault, board, verdict, official) in [
        ("empty-line", "@random-1", "malformed_reply", "Empty action provided."),
        (
            "illegal malformed",
            "@random-1",
            "malformed_reply",
            "Action not properly formatted. Should be: 'x y [message];'",
        ),
        ("illegal empty-tile --on-turn 2", "@random-1", "illegal_move", "Selected empty tile."),
        ("late 0", "@no-move", "illegal_move", "Selected region should have size greater than 1."),
    ] {
        let shown = play(fault, PATIENT, &["--board", board]);
        expect(&shown, verdict, &format!("[ERROR] {official}"), ": the reply was `");
    }
}

#[test]
fn quick_turns_without_a_certificate_add_up_to_less_than_a_millisecond() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let play = referee().play(["--bot", "@echo", "--board", "@clearable", "--log"]).arg(&log);
    assert!(play.patient().run().status.success());
    let log = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("whole");
    assert!(log.turns.len() > 10 && log.turns[0].certificate.cpu.is_some());
    let mut unsampled = Duration::ZERO;
    for turn in &log.turns {
        unsampled += turn.wall.0;
        if turn.certificate.cpu.is_some() {
            unsampled = Duration::ZERO;
        }
        assert!(unsampled < Duration::from_millis(1), "turn {}", turn.turn);
    }
}
