//! Square Remover against the runs that were measured on the original tester.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use referee::lines::Lines;

use crate::measured::squares::{Run, case, runs};
use support::prelude::*;

impl Run {
    /// The measured bot's command line.
    fn bot(&self) -> String {
        match self.mode.split_once(':') {
            Some((mode, k)) => format!("@misbehaving spoil {mode} {k}"),
            None if self.mode == "play" => "@squares-random".to_owned(),
            None => format!("@misbehaving spoil {}", self.mode),
        }
    }
}

fn play(args: &[&str]) -> Output {
    let game = ["play", "--format", "json", "--game", "square-remover"];
    referee().args(game).args(args).run()
}

/// All runs that end in another way, and one in seven of the others, which differ by their boards alone.
#[test]
fn the_tester_command_prints_what_the_original_printed() {
    let (whole, others): (Vec<Run>, Vec<Run>) =
        runs().into_iter().partition(|run| run.mode == "play");
    assert_eq!((whole.len(), others.len()), (35, 17));
    for run in others.into_iter().chain(whole.into_iter().step_by(7)) {
        let output = referee()
            .args(["tester", "-exec", &run.bot(), "-novis", "-seed", &run.seed.to_string()])
            .run();
        let printed = output.out();
        assert_eq!(printed, run.tester_output, "seed {} {}", run.seed, run.mode);
        assert_eq!(output.status.code(), Some(0), "as the original");
        assert_eq!(output.err(), "");
    }
}

#[test]
fn a_bot_receives_exactly_the_case() {
    let folder = tempdir().expect("a folder");
    for_each_in_parallel(&runs()[..3], |run| {
        let received = folder.path().join(run.seed.to_string());
        let script = format!("cat > '{}'", received.display());
        // `cat` ends when the referee closes its input, at the end of the limit.
        let args = ["--seed", &run.seed.to_string(), "--total", "2s", "--", "sh", "-c", &script];
        undisturbed(has_host_part, || play(&args).json());
        assert_eq!(fs::read_to_string(&received).expect("written"), run.input);
    });
}

#[test]
fn the_text_has_each_of_the_testers_own_lines_once() {
    let unreadable = "ERROR: Unable to read element 0 (0-based) of your solution's return value.\n";
    for (bot, start, end) in [
        ("@squares-random", "Score  = 125\n", " of 30 s\n"),
        ("@misbehaving spoil text 0", unreadable, "\n\nScore  = -1\n"),
    ] {
        let args = ["play", "--game", "square-remover", "--seed", "3", "--bot", bot];
        let text = referee().args(args).run().out();
        assert!(text.starts_with(start) && text.ends_with(end), "{text}");
        assert_eq!(text.matches("Score  = ").count(), 1, "{text}");
    }
}

#[test]
fn sizes_and_colours_of_1999_seeds_are_the_originals() {
    let Some(shared) = shared_data("the sizes of 1,999 Square Remover cases") else { return };
    let table = fs::read_to_string(shared.join("square-remover/seed-sizes.csv")).expect("a table");
    let rows = table.lines().skip(1).map(|row| {
        let [seed, size, colors] = [0, 1, 2].map(|at| row.split(',').nth(at).expect(row));
        let case = case(seed.parse().expect("a number"));
        assert!(case.starts_with(&format!("{colors}\n{size}\n")), "{row}: {case}");
    });
    assert_eq!(rows.count(), 1999);
}

#[test]
fn lines_may_be_of_any_length() {
    let zeros = "yes 0 | head -30000";
    let bot = format!("'{}' bot squares-random", program());
    let long = |count: usize| format!("head -c {count} /dev/zero | tr '\\0' 0");
    let unreadable = |element: u32| {
        format!(
            "ERROR: Unable to read element {element} (0-based) of your solution's return value."
        )
    };
    for (script, official) in [
        (format!("yes x | head -2000 | tr -d '\\n'; echo; {zeros}"), unreadable(0)),
        (format!("yes 0 | head -30000 | tr '\\n' ' '; echo; {zeros}"), unreadable(0)),
        (format!("echo 0; echo 0; {}; echo x; {zeros}", long(60_000)), unreadable(2)),
        (format!("{}; {bot}", long(2_000)), "Score  = 125".to_owned()),
        (format!("{bot} | sed \"s/^/$({})/\"", long(400)), "Score  = 125".to_owned()),
        // A last line without an end.
        (format!("yes 0 | head -20000; {}", long(17 << 20)), unreadable(20_000)),
    ] {
        let result = play(&["--seed", "3", "--total", "120s", "--", "sh", "-c", &script]).json();
        assert_eq!(result["official"], official, "{script}");
    }
}

#[test]
fn another_process_may_answer_for_a_bot_that_has_ended() {
    let bot = program();
    for pause in ["0", "0.05"] {
        // A shell gives what it leaves in the background another input.
        let script =
            format!("exec 3<&0; {{ sleep {pause}; exec '{bot}' bot squares-random <&3; }} &");
        let result = play(&["--seed", "3", "--total", "60s", "--", "sh", "-c", &script]).json();
        assert_eq!(
            (&result["official"], &result["score"]),
            (&"Score  = 125".into(), &125.into()),
            "{result}"
        );
    }
}

#[test]
fn a_fault_in_the_one_answer_has_its_verdict_and_leaves_nothing_behind() {
    let faults = [
        ("late 120000", "1s", "timeout", "no answer within 1 s"),
        ("late 100", "60s", "completed", ""),
        ("partial-line", "1s", "timeout", "it had written `0 0` without a newline"),
        ("endless-line", "60s", "output_limit", "in one turn; its limit is 16 MiB"),
        ("no-read", "1s", "timeout", "it had not read 86 bytes of its input"),
        ("close-stdout", "60s", "stdout_closed", "the bot closed its standard output"),
        ("flood-stdout", "60s", "completed", " too many: "),
        ("spoil extra", "60s", "completed", "the bot wrote 6 bytes too many: `7\\n8\\n9`"),
        ("invalid-utf8", "60s", "malformed_reply", "the reply was `"),
        ("empty-line", "60s", "malformed_reply", "the reply was ``"),
    ];
    for_each_in_parallel(&faults, shows_itself);
}

/// Plays a fault under a limit, and checks its verdict and diagnosis.
fn shows_itself(&(fault, limit, verdict, diagnosis): &(&str, &str, &str, &str)) {
    let mark = Mark::new();
    let bot = format!("@misbehaving {fault}");
    let args = ["--seed", "3", "--bot", &bot, "--total", limit, "--env", mark.env()];
    // What is seen of a bot by the end of a second is up to the host too.
    let output = undisturbed(|output: &Output| has_host_part(&output.json()), || play(&args));
    mark.assert_gone();
    let result = output.json();
    assert_eq!(result["verdict"], verdict, "{fault}: {result}");
    assert_eq!(output.status.code(), Some(i32::from(verdict != "completed")), "{fault}");
    let found = result["diagnosis"].as_str().unwrap_or_default();
    let says = if diagnosis.is_empty() { found.is_empty() } else { found.contains(diagnosis) };
    assert!(says, "{fault}: {diagnosis:?} is not in {found:?}");
    if verdict != "completed" {
        assert_eq!(result["score"], -1, "{fault}");
    }
}

#[test]
fn logs_are_small_hold_the_moves_and_replay_to_the_same() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    for bot in [
        "@squares-random",
        "@squares-greedy",
        "@misbehaving spoil outside 17",
        "@misbehaving spoil short 100",
        "@misbehaving spoil text 9",
        "@misbehaving spoil noeol",
        "@misbehaving late 50",
        "@misbehaving spoil crlf",
    ] {
        let played = play(&["--seed", "18", "--bot", bot, "--log", path]).json();
        let size = fs::metadata(&log).expect("a log").len();
        assert!(size < 400_000, "{bot}: {size} bytes");
        let replayed = referee().args(["replay", path]).json();
        assert_eq!(replayed["agrees"], true, "{bot}: {replayed}");
        for field in ["score", "verdict", "official", "summary", "won"] {
            assert_eq!(replayed[field], played[field], "{bot}: {field}");
        }
    }
    play(&["--seed", "18", "--bot", "@squares-random", "--log", path]).json();
    let read = referee::gamelog::read(&fs::read(&log).expect("a log")).expect("a good log");
    assert_eq!(Lines::split(&read.turns[0].reply.0).len(), 30_000);
}

#[test]
fn greedy_scores_a_few_thousand() {
    let result = play(&["--seed", "1"]).json();
    assert_eq!(result["bot"], "@squares-greedy", "the default");
    assert!(result["score"].as_i64().expect("a number") > 2000, "{result}");
}

#[test]
fn the_python_sample_plays() {
    let Some([python]) = need("the Python sample of Square Remover", ["python3"]) else { return };
    let sample = repository().join("example-bots/python/squares.py");
    let bot = format!("{python} '{}'", sample.display());
    let result = play(&["--seed", "1", "--total", "120s", "--bot", &bot]).json();
    assert_eq!(result["verdict"], "completed", "{result}");
    assert!(result["score"].as_i64().expect("a number") > 1000, "{result}");
}

#[test]
fn the_official_profile_has_the_statements_limit_and_unlimited_none() {
    let limit = |profile| -> Value {
        let result = play(&["--bot", "@squares-random", "--profile", profile]).json();
        result["timing"]["first_turn"]["limit_ms"].clone()
    };
    assert_eq!(limit("official"), 30_000.0);
    assert_eq!(limit("relaxed"), 120_000.0);
    assert_eq!(limit("unlimited"), Value::Null);
}

/// A command line without blanks in its words: the original tester splits it as Java does.
fn sh_line(folder: &Path, script: &str) -> String {
    let file = folder.join("bot.sh");
    fs::write(&file, script).expect("written");
    format!("sh {}", file.display())
}

fn tester<A: AsRef<OsStr>>(args: &[A]) -> (Option<i32>, String, String) {
    let output = referee().arg("tester").args(args).run();
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_tester_takes_the_originals_arguments_and_passes_on_what_the_solution_says() {
    let folder = tempdir().expect("a folder");
    let bot = sh_line(folder.path(), "read colors; echo \"$colors colours\" >&2; echo x");
    let drawing = ["-delay", "50", "-sz", "20", "-pause", "-quit", "3"];
    let (code, printed, notice) = tester(&[&drawing[..], &["-seed", "3", "-exec", &bot]].concat());
    let unreadable = "ERROR: Unable to read element 0 (0-based) of your solution's return value.";
    assert_eq!(printed, format!("5 colours\n{unreadable}\nScore  = -1\n"));
    assert_eq!(code, Some(0));
    assert!(notice.contains("-delay, -sz, -pause, -quit has no effect"), "{notice}");
}

#[test]
fn the_tester_warns_of_unknown_arguments_before_all_else_and_goes_on() {
    let args = ["-vis", "-foo", "bar", "-size", "-seed", "3", "-exec", "@squares-random"];
    let warnings = ["-vis", "-foo", "bar", "-size"]
        .map(|arg| format!("WARNING: unknown argument {arg}.\n"))
        .concat();
    let printed = format!("{warnings}Score  = 125\n");
    assert_eq!(tester(&args), (Some(0), printed, String::new()));
}

#[test]
fn the_tester_scores_a_solution_that_cannot_start_with_minus_1() {
    for command in ["./nope", "no-such-program -x 'a b'", "/etc/passwd", "/", ""] {
        let printed = format!(
            "ERROR: Unable to execute your solution using the provided command: {command}.\n\
             Score  = -1\n"
        );
        let args = ["-novis", "-seed", "3", "-exec", command];
        assert_eq!(tester(&args), (Some(0), printed, String::new()), "{command}");
    }
}

#[test]
fn the_tester_exits_with_1_without_a_command_or_a_number() {
    for args in [
        &["-novis"][..],
        &["-exec"],
        &["-exec", "@squares-random", "-seed"],
        &["-exec", "@squares-random", "-seed", "abc"],
        &["-exec", "@squares-random", "-seed", "9223372036854775808"],
        &["-exec", "@squares-random", "-seed", "0"],
        &["-exec", "@squares-random", "-sz", "big"],
    ] {
        let (code, printed, said) = tester(args);
        assert_eq!((code, printed.as_str()), (Some(1), ""), "{args:?}");
        assert!(said.starts_with("error: "), "{said}");
    }
    // What stands before the fault is warned about.
    for (args, warned) in [
        (&["foo", "-bar"][..], "WARNING: unknown argument foo.\nWARNING: unknown argument -bar.\n"),
        (&["foo", "-seed", "abc", "-bar"], "WARNING: unknown argument foo.\n"),
    ] {
        let (code, printed, _) = tester(args);
        assert_eq!((code, printed.as_str()), (Some(1), warned), "{args:?}");
    }
}

#[test]
fn the_tester_splits_the_command_line_as_java_does() {
    let folder = tempdir().expect("a folder");
    let bot = sh_line(folder.path(), "printf '[%s]\\n' \"$@\" >&2");
    for (words, heard) in [
        ("'a b' \"c\"", "['a]\n[b']\n[\"c\"]\n"),
        ("it's", "[it's]\n"),
        ("a\\b c\\", "[a\\b]\n[c\\]\n"),
        ("# comment", "[#]\n[comment]\n"),
        ("a\x0Cb\rc\td\n e  ", "[a]\n[b]\n[c]\n[d]\n[e]\n"),
        ("a\x0Bb", "[a\x0Bb]\n"),
    ] {
        let (code, printed, _) = tester(&["-exec", &format!(" {bot} {words}")]);
        assert_eq!(code, Some(0));
        assert!(
            printed.starts_with(&format!("{heard}ERROR: Unable to read element 0 ")),
            "{printed}"
        );
    }
}

#[test]
fn the_tester_reads_digits_of_any_script_and_text_that_is_not_utf8() {
    let seeded = |seed| tester(&["-exec", "@squares-random", "-seed", seed]);
    assert_eq!(seeded("٣"), (Some(0), "Score  = 125\n".to_owned(), String::new()));
    let folder = tempdir().expect("a folder");
    let bot = sh_line(folder.path(), "printf 'a\\377\\355\\240\\200b\\n' >&2");
    let unknown = OsStr::from_bytes(b"-\xFFx");
    let (code, printed, _) = tester(&[unknown, "-exec".as_ref(), bot.as_ref()]);
    assert_eq!(code, Some(0));
    let expected = "WARNING: unknown argument -\u{FFFD}x.\na\u{FFFD}\u{FFFD}b\nERROR: ";
    assert!(printed.starts_with(expected), "{printed}");
}

#[test]
fn the_tester_has_no_limits_but_those_that_keep_the_machine_usable() {
    let folder = tempdir().expect("a folder");
    let played = |script: &str| {
        let bot = sh_line(folder.path(), script);
        tester(&["-exec", &bot, "-seed", "3"])
    };
    // `tail` holds what has no line end.
    let memory = "head -c 1200000000 /dev/zero | tail -n 1 >/dev/null";
    let long_numbers = "head -c 700 /dev/zero | tr '\\0' 0";
    let random = format!("'{}' bot squares-random", program());
    for script in [
        format!("{memory}; {random}"),
        format!("{random} | sed \"s/^/$({long_numbers})/\""),
        format!("head -c 20000000 /dev/zero | tr '\\0' 0; {random}"),
    ] {
        let expected = (Some(0), "Score  = 125\n".to_owned(), String::new());
        assert_eq!(played(&script), expected, "{script}");
    }
}

/// What has no end has one here.
fn the_tester_ends_a_flood() {
    let folder = tempdir().expect("a folder");
    let bot = sh_line(folder.path(), "echo 0; echo 0; tr '\\0' 0 </dev/zero");
    let (code, printed, said) = tester(&["-exec", &bot, "-seed", "3"]);
    let unreadable = "ERROR: Unable to read element 2 (0-based) of your solution's return value.";
    assert_eq!((code, printed), (Some(0), format!("{unreadable}\nScore  = -1\n")));
    assert!(said.contains("a limit of the referee itself, not the original's, ended"), "{said}");
    assert!(said.contains("its limit is 512 MiB"), "{said}");
}

fn generate(folder: &Path, args: &[&str]) -> Output {
    referee().current_dir(folder).arg("generate").args(args).run()
}

#[test]
fn generate_writes_the_cases_of_a_range_and_play_reads_them() {
    let folder = tempdir().expect("a folder");
    let args = ["--game", "square-remover", "--seed", "1..10", "--out", "cases/of/mine"];
    for _ in 0..2 {
        let output = generate(folder.path(), &args);
        assert!(output.status.success(), "also when the files are there already: {output:?}");
    }
    let cases = folder.path().join("cases/of/mine");
    assert_eq!(fs::read_dir(&cases).expect("a folder").count(), 10);
    for seed in 1..=10 {
        let written = fs::read_to_string(cases.join(format!("seed-{seed}.txt"))).expect("a case");
        assert_eq!(written, case(seed));
    }
    let board = cases.join("seed-3.txt");
    let by_file =
        play(&["--bot", "@squares-random", "--board", board.to_str().expect("UTF-8")]).json();
    let by_seed = play(&["--bot", "@squares-random", "--seed", "3"]).json();
    assert_eq!(by_file["score"], by_seed["score"]);
    fs::write(&board, "mine").expect("written");
    assert_eq!(generate(folder.path(), &args).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&board).expect("a file"), "mine", "another file is left alone");
}

#[test]
fn a_single_board_is_printed_and_playable() {
    let folder = tempdir().expect("a folder");
    let output = generate(folder.path(), &["--seed", "-5", "--colors", "3"]);
    let board = output.out();
    assert_eq!(board.lines().count(), 15);
    assert!(!board.contains(['3', '4', '-']), "three colours: {board}");
    let file = folder.path().join("board.txt");
    fs::write(&file, board).expect("written");
    let score = |args: &[&str]| {
        let limits = ["play", "--format", "json", "--first-turn", "60s", "--turn", "60s"];
        referee().args(limits).args(args).run().json()["score"].clone()
    };
    let by_file = score(&["--board", file.to_str().expect("UTF-8")]);
    assert_eq!(by_file, score(&["--seed", "-5", "--colors", "3"]));
}

#[test]
fn a_timeout_with_half_a_number_replays_to_the_same() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    let plays_and_replays = |output: &str| {
        let bot = format!("printf '{output}'; sleep 3600");
        let args = ["--seed", "1", "--total", "1s", "--log", path, "--", "sh", "-c", &bot];
        let played = undisturbed(has_host_part, || play(&args).json());
        assert_eq!(played["verdict"], "timeout");
        let official = "ERROR: Unable to read element 2 (0-based) of your solution's return value.";
        assert_eq!(played["official"], official);
        let diagnosis = played["diagnosis"].as_str().expect("text");
        assert!(diagnosis.contains("it had written 2 of 30000 lines"), "{diagnosis}");
        let replayed = referee().args(["replay", path]).json();
        assert_eq!(replayed["agrees"], true, "{replayed}");
    };
    for output in ["1\\n2\\n3", "1\\n2\\nabc"] {
        plays_and_replays(output);
    }
}

#[test]
fn the_answer_ends_at_an_unreadable_number_or_when_the_output_is_closed() {
    let closes = format!("'{}' bot misbehaving spoil noeol; exec >&-; sleep 3600", program());
    for (bot, verdict, score) in
        [("echo 1; echo x; sleep 3600", "malformed_reply", -1), (&closes, "completed", 125)]
    {
        let mark = Mark::new();
        let unlimited = ["--seed", "3", "--profile", "unlimited", "--env", mark.env()];
        let result = play(&[&unlimited[..], &["--", "sh", "-c", bot]].concat()).json();
        mark.assert_gone();
        assert_eq!((&result["verdict"], &result["score"]), (&verdict.into(), &score.into()));
    }
}

#[test]
fn a_wrong_line_is_quoted_with_its_number() {
    let diagnosis = |bot| {
        let result = play(&["--seed", "3", "--bot", bot]).json();
        result["diagnosis"].as_str().expect("text").to_owned()
    };
    let text = diagnosis("@misbehaving spoil text 29000");
    assert_eq!(
        text,
        "turn 1: line 29001 of the reply was `abc`: every line on standard output is a number; debug \
         output belongs on standard error"
    );
    let outside = diagnosis("@misbehaving spoil outside 9000");
    assert!(outside.starts_with("turn 1: line 27001 of the reply was `"), "{outside}");
}

/// A bot for a tester that floods it, with half a gigabyte.
mod heavy {
    use super::the_tester_ends_a_flood;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_flood_of_one_line_is_ended_by_the_tester() {
        the_tester_ends_a_flood();
    }
}
