//! What a judge does wrong is told in its words, leaves nothing behind, and holds nobody up.

use std::sync::Arc;

use judges::codingame::Codingame;
use judges::json_lines::JsonLines;
use judges::{JudgeCommand, JudgeLimits};
use referee::bot::{Host, await_removals};
use referee::game::judge::{Case, StartJudge};
use referee::game::{Answer, JudgeFailure, Next, Placement};
use referee::lines::Lines;
use referee::verdict::{NoReply, Verdict};

use super::conversations::{self, Played};
use support::prelude::*;

/// The protocols of the judge made by hand.
const PROTOCOLS: [&str; 2] = ["codingame", "judge"];

/// The folder of the judges.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Longer than a judge of a few lines needs on a busy machine.
const PATIENT: Duration = Duration::from_mins(1);

fn limits() -> JudgeLimits {
    JudgeLimits { start: PATIENT, step: PATIENT, memory: Some(1 << 29), questions: 50 }
}

/// The judge made by hand, with this fault.
fn judge(protocol: &str, fault: &str, limits: JudgeLimits) -> StartJudge {
    let double = double().into_os_string().into_string().expect("UTF-8");
    let command = conversations::command(&[&double, "misbehaving", protocol, fault], HERE.as_ref());
    let command = JudgeCommand { limits, ..command };
    match protocol {
        "codingame" => {
            let criteria = Some("Points".to_owned());
            let judge = Codingame { command, criteria, ..Codingame::default() };
            Arc::new(move |case, place| judge.start(case, place))
        }
        _ => speaker(command),
    }
}

fn speaker(command: JudgeCommand) -> StartJudge {
    let judge = JsonLines { command, ..JsonLines::default() };
    Arc::new(move |case, place| judge.start(case, place))
}

/// Plays with a bot that repeats each number, or is silent from question `silent` on.
fn play(judge: &StartJudge, silent: Option<u32>) -> Result<Played, JudgeFailure> {
    let mut questions = 0..;
    let judge = judge(&Case::Seed(7.into()), &Placement::default());
    conversations::play(judge, NoReply::Deadline, |ask| {
        assert_eq!((ask.lines.count, ask.official), (1, Some(Duration::from_millis(50))));
        let is_silent = questions.next() >= silent.or(Some(u32::MAX));
        (Duration::ZERO, (!is_silent).then(|| ask.input.clone()))
    })
}

#[track_caller]
fn trouble(protocol: &str, fault: &str, limits: JudgeLimits) -> JudgeFailure {
    let played = play(&judge(protocol, fault, limits), None);
    played.expect_err("a judge with a fault gives no result")
}

#[test]
fn a_good_judge_plays_to_the_end() {
    for protocol in PROTOCOLS {
        let judge = judge(protocol, "", limits());
        let said = play(&judge, None).expect("a good judge");
        let expected = (Verdict::Completed, Some(3.into()));
        assert_eq!((said.verdict, said.game.score(0)), expected, "{protocol}");
        assert_eq!(
            (said.game.official(), &said.game.summary()[..3]),
            ("Done.", &["took 0", "took 1", "took 2"].map(str::to_owned)[..])
        );
        let lost = play(&judge, Some(1)).expect("a good judge");
        let found = (lost.verdict, lost.game.official());
        assert_eq!(found, (Verdict::Timeout, "Timeout!"), "{protocol}");
    }
}

/// A fault, and what is said of it under both protocols, or under each.
const OF_JUDGES: &str = "\
crash | exited with status 1 after the reply to its question 2: about to do: crash
crash-at-start | exited with status 1 before its first question: about
exit | exited with status 0 after the reply to its question 2
die | was killed by SIGABRT after the reply to its question 2
garbage | wrote `thinking about it...` where a header `[[NAME] n]` belongs | wrote `thinking about it...`, which is not a message
garbage-at-start | wrote `thinking about it...` where a header | which is not a message: expected
count | announced a block of `99999999999` lines | asked for 99999999 lines
flood | wrote more than 16MiB at once after the reply to its question 2
closed | closed its standard output after the reply to its question 2
memory | of memory, more than its 512MiB after the reply to its question 2
nan | `NaN` as `Points`, which is not a number | \"score\":NaN,
unknown | wrote a block `NOVELTY`, which is not known | ended the game as `won`; `end` is \"completed\"
endless | asked more than 50 questions without an end
child | exited with status 3 after the reply to its question 2
hang-at-start | said nothing within 300ms (start-limit) before its first question
hang | said nothing within 300ms (judge-limit) after the reply to its question 2
unfinished | has no end";

#[test]
fn each_fault_is_explained_and_a_judge_that_hangs_is_ended_at_its_limit() {
    let quick = Duration::from_millis(300);
    for row in OF_JUDGES.lines() {
        let words: Vec<&str> = row.split(" | ").collect();
        let fault = words[0];
        let limits = match fault {
            "hang-at-start" => JudgeLimits { start: quick, ..limits() },
            "hang" | "unfinished" => JudgeLimits { step: quick, ..limits() },
            _ => limits(),
        };
        for (protocol, expected) in PROTOCOLS.into_iter().zip([words[1], words[words.len() - 1]]) {
            let started = Instant::now();
            let found = trouble(protocol, fault, limits);
            assert!(started.elapsed() < PATIENT, "{protocol} {fault}");
            assert!(found.what.contains(expected), "{protocol} {fault}: {found:?}");
            assert!(!found.what.contains('\n'), "one line: {found:?}");
            let about = format!("about to do: {fault}");
            let stderr = found.stderr.unwrap_or_default();
            assert!(fault == "endless" || stderr.contains(&about), "{protocol} {fault}: {stderr}");
        }
    }
    for (fault, expected) in [
        ("frames", "showed more than 60000 frames without an end"),
        (
            "fail",
            "failed ([[FAIL]): java.lang.RuntimeException: Total game duration too long (>30000ms)",
        ),
    ] {
        let found = trouble("codingame", fault, limits());
        assert!(found.what.starts_with(expected), "{fault}: {found:?}");
    }
}

#[test]
fn a_judge_that_goes_on_after_silence_is_brought_to_its_end() {
    let sdk = play(&judge("codingame", "again", limits()), Some(0)).expect_err("endless");
    assert!(sdk.what.contains("showed more than 60000 frames without an end"), "{sdk:?}");
    let other = play(&judge("judge", "again", limits()), Some(0)).expect_err("endless");
    assert!(other.what.starts_with("asked again after it was told"), "{other:?}");
}

#[test]
fn what_a_judge_says_before_it_has_the_reply_is_no_answer_to_it() {
    let mut judge = judge("judge", "eager", limits())(&Case::Seed(7.into()), &Placement::default())
        .expect("starts");
    let mut step = judge.begin();
    for number in ["0", "1", "8"] {
        let next = step.expect("a question").next;
        assert!(matches!(&next, Next::Ask(ask) if ask.input.trim_end() == number), "{next:?}");
        let lines = Lines::split(format!("{number}\n").as_bytes());
        step = judge.answer(0, Answer::new(&lines, None));
    }
    let found = step.expect_err("its answer came first");
    let expected =
        "wrote `{\"end\":\"completed\",\"score\":8}` before it had the reply to its question 3";
    assert!(found.what.starts_with(expected), "{found:?}");
}

#[test]
fn any_amount_of_standard_error_is_taken() {
    for protocol in PROTOCOLS {
        play(&judge(protocol, "stderr", limits()), None).expect("a good judge that talks");
    }
}

/// Judges that are given a bot: a scorer, and a tester that asks for the doubles of 1 to 5, with two kinds of limits.
const WITH_BOT: &str = r#"
[game.scored]
kind = "scored"
command = "./scorer {case} {answer}"
limits = { total = "60s" }
refused = 0
[game.tester]
kind = "tester"
command = "./tester {case} {bot}"
limits = { first-turn = "60s", turn = "60s" }
refused = 0
[game.total]
kind = "tester"
command = "./tester {case} {bot}"
limits = { total = "60s" }
refused = 0
"#;

/// The game, its case, the bot, settings and flags; then the verdict or `fails`, and what is said.
const FAULTS: &str = "\
tester; never 5; DOUBLES;;; fails; exited with status 1 without starting the bot: no bot, thanks; see how it is started by hand
tester; idle 5; DOUBLES; start-limit = '3s';; fails; did not start the bot within 3s (start-limit)
tester; second 5; DOUBLES;;; fails; started a second bot while the first one ran; with `bots = 2`
tester; twice 5; DOUBLES;;; fails; started the bot 2 times; `bots = 2` in its settings allows that
tester; both 5; DOUBLES; bots = 2, judge-limit = '500ms'; --turn 1s; fails; waits for a second bot while the first one runs; a game has one at a time
tester; hang 5; DOUBLES; judge-limit = '500ms'; --turn 1s; fails; neither wrote to the bot nor waited for it for 500ms (judge-limit)
tester; hang 5; DOUBLES; judge-limit = '500ms'; --profile unlimited; fails; neither wrote to the bot nor waited for it for 500ms (judge-limit)
tester; crash 5; DOUBLES;;; fails; was killed by SIGABRT without a score
tester; unscored 5; DOUBLES;;; lost; no score: nothing to score
tester; slow 5; DOUBLES;; --first-turn 1s --turn 1s; completed; Score 5
tester; busy 5; DOUBLES;; --first-turn 60s --turn 50ms; completed; Score 5
total; twice 5; sleep 1, DOUBLES; bots = 2; --total 1900ms; completed; Score 5
total; none 5; DOUBLES;; --total 3s; completed; Score 5
total; none 5; while read -r n, do sleep 0.8, echo $((n * 2)), done;; --total 3s; timeout; no answer within the 3 s of the whole game: the turns before had used all but
tester; none 5; read n, echo 2, read n, sleep 0.06, echo 4, cat;; --first-turn 60s --turn 50ms; timeout; turn 2: no answer within 50 ms
tester; none 5; read n, echo 2, sleep 600;; --first-turn 60s --turn 300ms; timeout; no answer within 300 ms
tester; none 5; read n, echo 2, sleep 600 & wait;; --first-turn 60s --turn 300ms; timeout; no answer within 300 ms
tester; none 5; read n, printf 2, sleep 600;; --first-turn 300ms --turn 60s; timeout; no answer within 300 ms
tester; none 5; sleep 600;; --first-turn 300ms --turn 60s; timeout; no answer within 300 ms
tester; waits 5; DOUBLES, sleep 600;; --turn 500ms; timeout; Score 5
tester; waits 5; read n, yes;;; lost; Error: not twice
tester; waits 5; for i in 1 2 3 4 5, do read -r n, echo $((n * 2)), done, yes;; --turn 1s; timeout;
tester; none 5; read n, echo 2, read n, exit 3;;; crash; Error: not twice & exited with status 3
tester; none 5; read n, echo 2, read n, kill -SEGV $$;;; crash; Error: not twice & killed by SIGSEGV
tester; none 5; read n, echo 2, exit 0;;; early_exit; Error: not twice & the bot ended before the game did
tester; none 5; while read n, do echo 9, done;;; lost; Error: not twice & does not accept the answer
tester; none 5; read -r n, echo 9;;; lost;
tester; none 5; read -r n, echo 9, sleep 0.001;;; lost;
tester; none 5; read -r n, echo 2, read -r n, echo 9;;; lost;
tester; none 5; read -r n, echo 2, sleep 0.001;;; early_exit;
tester; none 5; read -r n, printf 2;;; early_exit;
tester; slow 5; read -r n, echo 2, read -r n;;; early_exit;
scored; 1 2; echo break;;; fails; the judge: exited with status 3 without a score & the scorer is broken
scored; 1 2; echo hang; judge-limit = '300ms';; fails; did not end within 300ms (judge-limit)
scored; 1 2; echo seven;;; lost; the judge does not accept the answer: Not a number: seven
scored; 1 2; echo panic;;; lost; does not accept the answer: thread 'main' panicked at src/bin/vis.rs:9:5: no number
scored; 1 2; true;;; lost; Not a number:
scored; 1 2; echo 60, exit 3;;; crash; no answer & exited with status 3
scored; 1 2; echo 60, kill -SEGV $$;;; crash; no answer & SIGSEGV
scored; 1 2; cat, sleep 600;; --total 300ms; timeout; no answer & no answer within 300 ms";

#[test]
fn a_fault_of_a_judge_that_is_given_a_bot_costs_no_game_and_the_bots_own_has_its_verdict() {
    for_each_in_parallel(&FAULTS.lines().collect::<Vec<_>>(), |row| {
        let columns: Vec<&str> = row.splitn(7, ';').map(str::trim).collect();
        let &[game, case, bot, settings, flags, verdict, words] = &columns[..] else {
            panic!("seven columns: {row}")
        };
        let place = Place::new();
        place.double("tester", "tester faulty");
        place.double("scorer", "scorer");
        let bot = bot.replace("DOUBLES", "while read -r n, do echo $((n * 2)), done");
        place.script("bot", &bot.replace(", ", "; "));
        fs::write(place.path("case"), format!("{case}\n")).expect("room");
        let table = format!("[game.{game}]\n");
        let settings =
            WITH_BOT.replace(&table, &(table.clone() + &settings.replace(", ", "\n") + "\n"));
        fs::write(place.path("referee.toml"), settings).expect("room");
        let play = ["play", "--game", game, "--board", "case", "--bot", "./bot", "--log", "log"];
        let more = flags.split_whitespace().chain(["--force", "--format", "json"]);
        let play = || place.command(&play).args(more.clone()).run();
        let says = |told: &str| words.split(" & ").all(|words| told.contains(words));
        if verdict == "fails" {
            let told = play().exits(3).err();
            return assert!(says(&told), "{row}: {told}");
        }
        // A bot's exit may be noticed before what it wrote, or after it.
        for _ in 0..if ["early_exit", "lost"].contains(&verdict) { 4 } else { 1 } {
            let result = undisturbed(has_host_part, || play().json());
            assert_eq!(result["verdict"], verdict, "{row}: {result}");
            let told = format!("{}\n{}", result["official"], result["diagnosis"]);
            assert!(says(&told), "{row}: {told}");
            let replayed = place.referee(&["replay", "log", "--format", "json"]).json();
            assert_eq!(replayed["agrees"], true, "{row}: {replayed}");
        }
    });
}

#[test]
fn a_judge_that_does_not_start_says_why() {
    let command = |words: &[&str]| conversations::command(words, HERE.as_ref());
    let missing =
        concat!("cannot be started: no such file: ", env!("CARGO_MANIFEST_DIR"), "/missing");
    for (words, expected) in [
        (&["no-such-judge"][..], "cannot be started: no program `no-such-judge` in PATH"),
        // The user's file, not what stood for it in a scratch folder.
        (&["./missing"], missing),
        (&["./Cargo.toml"], "is not executable"),
        (&[], "its `command` is empty"),
    ] {
        let found = play(&speaker(command(words)), None).expect_err(expected);
        assert!(found.what.contains(expected), "{found:?}");
    }
    // It is named by its path, rather than by its copy.
    let found = play(&speaker(command(&["./missing"])), None).expect_err("no file");
    assert!(found.what.contains(concat!(env!("CARGO_MANIFEST_DIR"), "/missing")), "{found:?}");
    // Its own words name files that are gone with its scratch folder, too.
    let broken = command(&["sh", "-c", "echo \"$PWD/Cargo.toml: broken\" >&2; exit 1"]);
    let found = play(&speaker(broken), None).expect_err("it ends");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml: broken");
    assert!(found.what.contains(own) && found.stderr.as_deref() == Some(own), "{found:?}");
    let place = Place::new();
    place.script("cargo", "echo '   Compiling vis v0.1.0 (/vis)' >&2; exit 1");
    let cargo = conversations::command(&["./cargo"], place.folder());
    let found = play(&speaker(cargo), None).expect_err("it ends");
    assert!(found.remedy.as_ref().is_some_and(|it| it.contains("build it once")), "{found:?}");
    let nowhere = JudgeCommand { folder: "/nowhere".into(), ..command(&["true"]) };
    let found = play(&speaker(nowhere), None).expect_err("no folder");
    assert!(found.what.contains("files in /nowhere: "), "{found:?}");
}

#[test]
fn what_a_judge_writes_to_its_working_directory_goes_with_its_game() {
    let _host = Host::hold();
    let folder = tempdir().expect("a folder");
    let script = "echo $(ls) $(cat words.txt) in $(pwd -P) >&2\n\
                  echo made >made.txt\n\
                  rm words.txt && echo other words >words.txt\n\
                  exit 1\n";
    fs::write(folder.path().join("judge.sh"), script).expect("room");
    fs::write(folder.path().join("words.txt"), "its words").expect("room");
    let command = conversations::command(&["sh", "judge.sh"], folder.path());
    for _ in 0..3 {
        let found = play(&speaker(command.clone()), None).expect_err("it ends at once");
        let stderr = found.stderr.expect("its words");
        let scratch = stderr.strip_prefix("judge.sh words.txt its words in ");
        await_removals();
        assert!(!Path::new(scratch.expect(&stderr)).exists());
    }
    let own = fs::read_to_string(folder.path().join("words.txt")).expect("it is there");
    assert_eq!(own, "its words");
    assert!(!folder.path().join("made.txt").exists());
}

#[test]
fn a_judge_runs_on_the_core_of_the_referee() {
    let status = fs::read_to_string("/proc/thread-self/status").expect("/proc");
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let last = allowed.expect("a list").trim().rsplit(['-', ',']).next().expect("a core");
    let script = "sed -n 's/^Cpus_allowed_list:\t\\(.*\\)/{\"end\":\"completed\",\"official\":\"\\1\"}/p' /proc/self/status";
    let command = conversations::command(&["sh", "-c", script], HERE.as_ref());
    let place = Placement { core: last.parse().ok(), ..Placement::default() };
    let mut judge = JsonLines { command, ..JsonLines::default() }
        .start(&Case::Seed(1.into()), &place)
        .expect("starts");
    match judge.begin().expect("a good judge").next {
        Next::End(end) => assert_eq!(end.official, last),
        next @ Next::Ask(_) => panic!("{next:?}"),
    }
}
