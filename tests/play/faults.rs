//! Every fault of the misbehaving bot, end to end: verdict, official wording, diagnosis, exit code,
//! and nothing left behind.

use support::prelude::*;

const TIMEOUT: &str = "[ERROR] Timeout!";

/// The end of a game of first legal moves on the default board, and on `@clearable`.
const ENDGAME: &str = "Endgame. Obtained a score of 198.";
const CLEARED: &str = "Endgame. Obtained a score of 2857.";

/// A short limit, for bots that never answer. Bots that answer get [`PATIENT`] limits.
const SHORT: [&str; 4] = ["--first-turn", "60s", "--turn", "1s"];

/// The report of a game with one fault.
struct Shown {
    result: Value,
    code: Option<i32>,
    took: Duration,
}

impl Shown {
    /// An empty diagnosis means that there must be none.
    #[track_caller]
    fn expect(&self, verdict: &str, official: &str, diagnosis: &str) {
        let Self { result, code, .. } = self;
        assert_eq!(result["verdict"], verdict, "{result}");
        assert_eq!(result["official"], official, "{result}");
        match result["diagnosis"].as_str() {
            Some(found) if !diagnosis.is_empty() => {
                assert!(found.contains(diagnosis), "{diagnosis:?} is not in {found:?}");
            }
            found => assert_eq!(found.unwrap_or_default(), diagnosis),
        }
        let won = verdict == "completed";
        assert_eq!(result["won"], won);
        assert_eq!(*code, Some(i32::from(!won)), "{result}");
    }

    /// Noticed at once rather than at the limit of a minute, with room for a busy machine.
    #[track_caller]
    fn expect_at_once(&self) {
        assert!(self.took < Duration::from_secs(50), "took {:?}", self.took);
    }
}

/// Plays the misbehaving bot on a bundled board, and looks for survivors. A limit of a second is short enough for a
/// host to spoil.
fn play(fault: &str, limits: [&str; 4], more: &[&str]) -> Shown {
    undisturbed(|shown: &Shown| has_host_part(&shown.result), || play_once(fault, limits, more))
}

fn play_once(fault: &str, limits: [&str; 4], more: &[&str]) -> Shown {
    let mark = Mark::new();
    let start = Instant::now();
    let output = referee()
        .play(["--format", "json", "--env", mark.env()])
        .args(["--bot", &format!("@misbehaving {fault}")])
        .args(limits)
        .args(more)
        .run();
    let took = start.elapsed();
    mark.assert_gone();
    Shown { result: output.json(), code: output.status.code(), took }
}

#[test]
fn a_late_answer_is_a_timeout() {
    let shown = play("late 120000 --on-turn 3", SHORT, &[]);
    shown.expect("timeout", TIMEOUT, "turn 3: no answer within 1 s; the bot's fault: in 1");
    assert_eq!(shown.result["turns"], 3);
    shown.expect_at_once();
}

#[test]
fn an_answer_within_the_limit_is_no_timeout() {
    play("late 100 --on-turn 2", PATIENT, &[]).expect("completed", ENDGAME, "");
}

#[test]
fn an_answer_after_the_input_was_closed_is_reported() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    fs::write(config.path(), "[bot]\ngrace = '30s'").expect("written");
    let config = ["--config", config.path().to_str().expect("UTF-8")];
    let diagnosis = "`0 3` came after its input was closed: too slow, or not flushed";
    play("late 2500 --on-turn 2", SHORT, &config).expect("timeout", TIMEOUT, diagnosis);
}

#[test]
fn the_first_turn_has_its_own_limit() {
    let limits = ["--first-turn", "1s", "--turn", "60s"];
    let shown = play("hang", limits, &[]);
    shown.expect("timeout", TIMEOUT, "turn 1: no answer within 1 s of the first turn");
    assert_eq!(shown.result["timing"]["first_turn"]["limit_ms"], 1000.0);
}

#[test]
fn a_bot_that_never_answers_is_killed() {
    let diagnosis = "turn 2: no answer within 1 s; the bot's fault: in 1";
    play("hang --on-turn 2", SHORT, &[]).expect("timeout", TIMEOUT, diagnosis);
}

#[test]
fn an_exit_is_noticed_at_once() {
    let shown = play("exit 3 --on-turn 2", PATIENT, &[]);
    shown.expect("crash", TIMEOUT, "turn 2: the bot exited with status 3 after");
    shown.expect_at_once();
    let shown = play("exit 0", PATIENT, &[]);
    shown.expect("early_exit", TIMEOUT, "turn 1: the bot exited with status 0 after");
    shown.expect_at_once();
}

#[test]
fn death_by_signal_is_noticed_at_once_and_named() {
    for (number, name) in [(11, "SIGSEGV"), (6, "SIGABRT"), (9, "SIGKILL"), (15, "SIGTERM")] {
        let shown = play(&format!("signal {number} --on-turn 2"), PATIENT, &[]);
        shown.expect("crash", TIMEOUT, &format!("turn 2: the bot was killed by {name} after"));
        shown.expect_at_once();
    }
}

#[test]
fn a_line_without_its_newline_does_not_count() {
    let diagnosis = "it had written `0 0` without a newline";
    play("partial-line --on-turn 2", SHORT, &[]).expect("timeout", TIMEOUT, diagnosis);
    let shown = play("partial-line-exit --on-turn 2", PATIENT, &[]);
    shown.expect("early_exit", TIMEOUT, diagnosis);
    shown.expect_at_once();
}

#[test]
fn chatter_is_no_answer() {
    let shown = play("chatter --on-turn 2", SHORT, &[]);
    shown.expect("timeout", TIMEOUT, "it had written `xxx");
    shown.expect_at_once();
}

#[test]
fn an_endless_line_is_cut_off() {
    let shown = play("endless-line --on-turn 2", PATIENT, &[]);
    shown.expect("line_too_long", TIMEOUT, "turn 2: the reply is longer than 10000 bytes");
    shown.expect_at_once();
}

#[test]
fn a_bot_that_does_not_read_is_diagnosed() {
    let shown = play("no-read --on-turn 2", SHORT, &[]);
    shown.expect("timeout", TIMEOUT, "bytes of its input");
    assert!(shown.result["diagnosis"].as_str().expect("text").contains("it had not read"));
}

#[test]
fn a_flood_of_stderr_blocks_nobody_and_is_capped() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let log = log.to_str().expect("UTF-8");
    let shown = play("flood-stderr 3000000 --on-turn 2", PATIENT, &["--log", log]);
    let late_there = "the bot wrote 3 MB of standard error in turn 2; CodinGame's SDK reads 4 kB a \
                      turn and leaves the rest in the pipe, so this bot would have been late there";
    shown.expect("completed", ENDGAME, late_there);
    let text = fs::read_to_string(log).expect("a log");
    let turn: Value = serde_json::from_str(text.lines().nth(2).expect("turn 2")).expect("JSON");
    assert_eq!(turn["stderr"].as_str().expect("text").len(), 65_536);
    assert_eq!(turn["stderr_dropped"], 3_000_000 - 65_536);
    assert!(text.len() < 200_000, "{}", text.len());
}

#[test]
fn a_flood_of_answers_is_taken_one_by_one() {
    let shown = play("flood-stdout --on-turn 2", PATIENT, &[]);
    let diagnosis = "1 turn answered before the bot had read the input (the first is turn 3)";
    shown.expect(
        "illegal_move",
        "[ERROR] Selected region should have size greater than 1.",
        diagnosis,
    );
}

#[test]
fn surplus_lines_answer_later_turns_and_are_reported() {
    // On this board the first move is 0 0 in every turn, so the bot gets away with it.
    let shown = play("surplus 2 --on-turn 2", PATIENT, &["--board", "@clearable"]);
    shown.expect(
        "completed",
        CLEARED,
        "answered before the bot had read the input (the first is turn 3)",
    );
}

#[test]
fn a_bot_that_answers_before_it_reads_plays_on_with_a_warning() {
    let shown = play("early", PATIENT, &["--board", "@clearable"]);
    shown.expect("completed", CLEARED, "answered before the bot had read the input");
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

#[test]
fn a_closed_stdout_is_noticed_at_once() {
    let shown = play("close-stdout --on-turn 2", PATIENT, &[]);
    shown.expect("stdout_closed", TIMEOUT, "turn 2: the bot closed its standard output after");
    shown.expect_at_once();
}

#[test]
fn a_closed_stdin_is_reported() {
    let diagnosis = "; it had closed its standard input";
    play("close-stdin --on-turn 2", SHORT, &[]).expect("timeout", TIMEOUT, diagnosis);
}

#[test]
fn a_bot_that_ignores_sigterm_dies_all_the_same() {
    let shown = play("ignore-sigterm --on-turn 2", SHORT, &[]);
    shown.expect("timeout", TIMEOUT, "the referee killed it");
    shown.expect_at_once();
}

#[test]
fn a_child_that_holds_the_pipes_neither_delays_the_verdict_nor_survives() {
    let shown = play("leave-child --on-turn 2", PATIENT, &[]);
    shown.expect("early_exit", TIMEOUT, "turn 2: the bot exited with status 0");
    shown.expect_at_once();
    let shown = play("leave-child-and-play --on-turn 2", PATIENT, &[]);
    shown.expect("completed", ENDGAME, "");
    shown.expect_at_once();
}

/// Faults with their limits, and what a diagnosis says of them.
const FAULTS: [(&str, [&str; 4], &str); 32] = [
    ("exit 0", PATIENT, "exited with status 0"),
    ("exit 3", PATIENT, "exited with status 3"),
    ("signal 11", PATIENT, "was killed by SIGSEGV"),
    ("signal 6", PATIENT, "was killed by SIGABRT"),
    ("signal 9", PATIENT, "was killed by SIGKILL"),
    ("signal-group 9", PATIENT, "was killed by SIGKILL"),
    ("hang", SHORT, "no answer within 1 s"),
    ("ignore-sigterm", SHORT, "no answer within 1 s"),
    ("stop", SHORT, "a signal had stopped it"),
    ("exec", SHORT, "no answer within 1 s"),
    ("spin", SHORT, "no answer within 1 s"),
    ("late 120000", SHORT, "no answer within 1 s"),
    ("partial-line", SHORT, "without a newline"),
    ("partial-line-exit", PATIENT, "without a newline"),
    ("chatter", SHORT, "without a newline"),
    ("endless-line", PATIENT, "the reply is longer"),
    ("no-read", SHORT, "bytes of its input"),
    ("close-stdin", SHORT, "had closed its standard input"),
    ("close-stdout", PATIENT, "closed its standard output"),
    ("close-all", PATIENT, "closed its standard output"),
    ("flood-stderr 3000000", PATIENT, "3 MB of standard error"),
    ("flood-stdout", PATIENT, "before the bot had read the input"),
    ("leave-writer", PATIENT, " too many: "),
    ("leave-child", PATIENT, "exited with status 0"),
    ("leave-child-and-play", PATIENT, ""),
    ("hop", PATIENT, ""),
    ("fork 20", PATIENT, ""),
    ("fork 700", PATIENT, "processes and threads; its limit is 512"),
    ("threads 700", PATIENT, "processes and threads; its limit is 512"),
    ("memory 2000", PATIENT, "of memory; its limit is 768 MiB"),
    ("reserve 4000", PATIENT, ""),
    ("open-files", SHORT, "files open"),
];

#[test]
fn a_fault_ends_the_game_of_a_plain_bot_as_it_ends_one_in_a_namespace() {
    for_each_in_parallel(&FAULTS, |&(fault, limits, said)| {
        let [namespace, plain] = ["namespace", "plain"].map(|method| {
            let fault = format!("{fault} --on-turn 2");
            let Shown { result, code, .. } = play(&fault, limits, &["--containment", method]);
            let diagnosis = result["diagnosis"].as_str().unwrap_or_default();
            assert!(diagnosis.contains(said), "{fault} under {method}: {diagnosis}");
            assert_eq!(
                diagnosis.is_empty(),
                said.is_empty(),
                "{fault} under {method}: {diagnosis}"
            );
            (["verdict", "official", "score", "turns"].map(|key| result[key].clone()), code)
        });
        assert_eq!(plain, namespace, "{fault}");
    });
}

#[test]
fn a_message_that_is_not_utf8_is_legal_and_survives_in_the_log() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    play("invalid-utf8 --on-turn 2", PATIENT, &["--log", path]).expect("completed", ENDGAME, "");
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
        shown.expect(verdict, &format!("[ERROR] {official}"), ": the reply was `");
        shown.expect_at_once();
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
