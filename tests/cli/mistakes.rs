//! Beginners' mistakes at the command line: the error says what is wrong and what to write instead.

use std::io::{BufRead as _, BufReader};
use support::prelude::*;

/// A folder with a program `good` in it and in a folder with a blank, and a project of two bots.
fn scene() -> TempDir {
    let folder = tempdir().expect("a folder");
    fs::create_dir(folder.path().join("my dir")).expect("a folder");
    for name in ["good", "my dir/good"] {
        write_program(&folder.path().join(name), "#!/bin/sh\nexit 3\n");
    }
    let project = "[bots.new]\ncommand = './good'\n[bots.old]\ncommand = './good'\n";
    fs::write(folder.path().join("referee.toml"), project).expect("written");
    folder
}

/// The error of a command that does not start to play.
fn error(folder: &Path, args: &[&str]) -> String {
    let output = referee().current_dir(folder).args(args).run();
    let said = output.err();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    said
}

/// Each row has the words of a command that does not start to play, and what is said of them; `$` is the end of a line.
fn assert_told(folder: &Path, rows: &str) {
    for row in rows.lines() {
        let (line, advice) = row.split_once(" | ").expect("two columns");
        let words = shlex::split(line).expect("words");
        let said = error(folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(said.contains(&advice.replace('$', "\n")), "{line}: {said}");
    }
}

#[test]
fn shell_syntax_in_a_bots_command_is_refused_with_a_remedy() {
    let scene = scene();
    for (line, advice) in [
        ("./good | tee x", "--bot \"sh -c './good | tee x'\""),
        ("./good && ./good", "--bot \"sh -c './good && ./good'\""),
        ("cd x; ./good", "--bot \"sh -c 'cd x; ./good'\""),
        ("./good 2> log", "--bot \"sh -c './good 2> log'\""),
        ("~/bot -d 3", "--bot \"sh -c '~/bot -d 3'\""),
        ("$HOME/bot", r#"--bot "sh -c '"'$HOME/bot'"'""#),
        ("FAST=1 ./good", "--bot \"sh -c 'FAST=1 ./good'\""),
        ("./my dir/good -d 3", "--bot \"'./my dir/good' -d 3\""),
    ] {
        for command in ["play", "suite", "timing"] {
            let said = error(scene.path(), &[command, "--bot", line]);
            assert!(said.contains(advice), "{line}: {said}");
        }
    }
}

#[test]
fn quoted_words_are_left_alone() {
    let scene = scene();
    for line in ["./good '|' '&&'", "sh -c 'exit 3; ./good | cat'", "sh -c 'exit $((1 + 2))'"] {
        let args = ["play", "--bot", line];
        let output = referee().current_dir(scene.path()).args(args).run();
        assert_eq!(output.status.code(), Some(1), "{line}: {output:?}");
    }
}

#[test]
fn a_mistyped_name_lists_the_projects_bots_and_the_nearest() {
    let scene = scene();
    let said = error(scene.path(), &["play", "--bot", "nwe"]);
    let list = "`nwe` is neither a program in PATH nor a bot of the project (new, old); did you mean `new`?";
    assert!(said.contains(list), "{said}");
    let said = error(scene.path(), &["suite", "--bot", "no-such-bot", "--seed", "1..3"]);
    assert!(said.contains("nor a bot of the project (new, old)\n"), "{said}");
}

#[test]
fn a_bots_source_and_a_bot_in_place_of_a_run_are_told_what_is_meant() {
    let scene = scene();
    let source = error(scene.path(), &["play", "--bot", "old.cpp"]);
    assert!(source.contains("did you mean `old`?"), "{source}");
    for bot in ["new", "@greedy"] {
        let said = error(scene.path(), &["compare", bot, "old"]);
        let advice =
            format!("error: {bot} is a bot, not a run: `referee suite --bot {bot}` plays one");
        assert!(said.starts_with(&advice), "{said}");
    }
}

#[test]
fn a_word_without_a_flag_is_told_which_flag_it_wants() {
    let scene = scene();
    for command in ["play", "suite", "timing"] {
        let said = error(scene.path(), &[command, "./good"]);
        assert!(
            said.contains("unexpected argument `./good`; name the bot with --bot ./good"),
            "{said}"
        );
    }
    let said = error(scene.path(), &["play", "board.txt"]);
    assert!(said.contains("a board with --board board.txt"), "{said}");
    let suite = ["suite", "--bot", "@first", "--seed", "1", "--run", "a run", "--game", "samegame"];
    assert_code(&referee().current_dir(scene.path()).args(suite).patient().run(), 0);
    for (word, advice) in [
        ("a run", "it is a run: `referee show 'a run'` shows its games and their times"),
        ("latest", "it is a run: `referee show latest` shows"),
        ("square-remover", "name the game with --game square-remover"),
    ] {
        let said = error(scene.path(), &["timing", word]);
        assert!(said.contains(advice), "{said}");
    }
}

#[test]
fn a_suite_whose_bot_is_missing_fails_before_its_first_game() {
    let scene = scene();
    let said = error(scene.path(), &["suite", "--bot", "./nope", "--seed", "1..3", "--run", "run"]);
    assert!(said.contains("no such file: ./nope"), "{said}");
    assert!(!scene.path().join("run").exists());
}

/// Waits for what a terminal shows while a bot is slow. It has minutes to be drawn in, and goes with its terminal once it is seen.
fn await_spinner(folder: &Path, play: &str) {
    let command = format!("'{}' {play}", program());
    let mut script = Command::new("script");
    script.current_dir(folder);
    // Where nobody sits at a terminal it may not be set.
    script.env("TERM", "xterm");
    script.args(["-qefc", &command, "/dev/null"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut script = script.start();
    let shown = script.stdout.take().expect("a pipe");
    let shown = BufReader::new(shown).split(b'\r').map(|line| line.expect("a pipe"));
    let mut lines = shown.map(|line| String::from_utf8_lossy(&line).into_owned());
    let line = lines.find(|line| line.contains("turn 1: no answer for "));
    kill_process(Pid::from_child(&script), Signal::TERM).expect("it runs");
    script.wait().expect("a child");
    assert!(line.is_some(), "no line");
}

#[test]
fn a_terminal_shows_a_spinner_while_a_bot_is_slow() {
    let place = Place::new();
    await_spinner(&place.path(""), "play --first-turn 300s --bot '@misbehaving hang'");
    // Nobody looks at a pipe.
    let args = ["play", "--first-turn", "1s", "--bot", "@misbehaving hang"];
    let output = referee().args(args).run();
    assert_eq!(output.err(), "");
}

/// Words that are nearly right, and what is said of them.
const NEARLY_RIGHT: &str = r#"play --seed 1..5 | play takes one seed, a whole number; `referee suite --seed 1..5` plays several
play --seed x | play takes one seed, a whole number$
suite --seed 5..1 | `5..1` runs backwards; write 1..5
suite --seed 1.. | `1..` does not say where it ends; write for example 1..100
play --bott x | a similar argument exists: '--bot'
suite --sed 1 | a similar argument exists: '--seed'
play --time 1s | tip: --turn limits a turn, and --total a whole game$
play --no-timeout | tip: --profile unlimited$
play --jobs 3 | `referee suite --jobs N` plays N games at a time$
suite --parallel=3 | `referee suite --jobs N` plays N games at a time$
suite --rounds 3 | `referee suite --repeat N` plays each game N times$
play --stderr | tip: -v shows what a bot that succeeds writes to standard error
suite --part-length 1h | tip: --shard K/N plays a machine's share
replay log --stdin sent | tip: --export input > FILE$
replay log --turn-input=3 | tip: --export input:TURN$
suite --against one --shard 1/2 | '--against <RUN|BOT>' cannot be used with '--shard <K/N>'
test | tip: `referee play` plays a game, and `referee suite` many$
bench | tip: `referee timing` measures
tournament x | and `referee ratings` ranks them$
open latest | tip: `referee report RUN --html FILE` makes a page of a run
stats | tip: `referee show RUN` prints the results
clean | tip: `rm -r RUN` removes the folder of a run
plya | some similar subcommands exist: 'replay', 'play'
play --config limits.toml | limits.toml:2:8: invalid type: integer `50`, expected the limits of a game: `turn = "50ms"` below the line `[limits.samegame]`
suite --config suite.margin=-1% | `-1%` is neither a percentage such as
compare --plan -1 | `-1` is neither a percentage such as 0.5% nor points
suite --bot .. | cannot start the bot: .. is a directory
play --bot . | cannot start the bot: . is a directory
play --game square-remover --bot @greedy | @greedy plays samegame, and this game is square-remover; it has: @squares-greedy,
suite --game square-remover --bot @first | @first plays samegame, and this game is square-remover
play --bot '@greedy --foo' | @greedy: unexpected argument '--foo' found; see
suite --bot '@random --seed {S}' --param S=1,x | @random: invalid value 'x' for '--seed <SEED>'
timing --bot @misbehaving | @misbehaving: it takes an argument; see"#;

#[test]
fn a_flag_or_value_that_is_nearly_right_is_told_what_is_right() {
    let scene = scene();
    fs::write(scene.path().join("limits.toml"), "[limits]\nturn = 50\n").expect("written");
    assert_told(scene.path(), NEARLY_RIGHT);
}

/// Words without effect, and what is said of them.
const WITHOUT_EFFECT: &str = r"timing --host | tip: `referee doctor` shows what this machine adds to times$
game check samegame ./good | unexpected argument `./good`
game check --env A=1 | are for a bot; name it with --bot CMD
suite --run none --logs all | --run none keeps nothing
suite --config one.toml --config two.toml | --config: name one file; KEY=VALUE sets a setting besides
play --pin --cores-per-bot 0 | 0 is not in 1..=65535
play --log same --html ./same | ./same: two flags name this file
play --html same --trace same | same: two flags name this file
compare '' | a value is required for '[RUN]...'
show latest --against '' | a value is required for '--against <RUN>'";

#[test]
fn flags_and_words_without_effect_are_refused() {
    let scene = scene();
    assert_told(scene.path(), WITHOUT_EFFECT);
    assert!(!scene.path().join("same").exists());
}

#[test]
fn a_board_that_is_replayed_is_called_one() {
    let scene = scene();
    let board = referee().args(["generate", "--seed", "1"]).run().stdout;
    fs::write(scene.path().join("a board.txt"), board).expect("written");
    let said = error(scene.path(), &["replay", "a board.txt"]);
    let advice =
        "this is a board, not a saved game; `referee play --board 'a board.txt'` plays on it";
    assert!(said.contains(advice), "{said}");
}

#[test]
fn timing_plays_the_boards_of_a_folder() {
    let scene = scene();
    fs::create_dir(scene.path().join("boards")).expect("a folder");
    for seed in ["1", "2"] {
        let board = referee().args(["generate", "--seed", seed]).run().stdout;
        fs::write(scene.path().join(format!("boards/{seed}.txt")), board).expect("written");
    }
    let args = ["timing", "--bot", "@first", "--board", "boards", "--format", "csv"];
    let output = referee().current_dir(&scene).args(args).run();
    let said = output.out();
    for game in ["\n1,boards/1.txt,", "\n2,boards/2.txt,"] {
        assert!(said.contains(game), "{said}{}", output.err());
    }
}

#[test]
fn a_suite_stops_when_a_bot_loses_its_first_ten_games_alike() {
    let scene = scene();
    let run = |args: &[&str]| {
        let output = referee().current_dir(&scene).args(args).run().exits(1);
        let [said, shown] = [output.stderr, output.stdout].map(String::from_utf8);
        (said.expect("UTF-8"), shown.expect("UTF-8"))
    };
    let bad = "sh -c 'echo ValueError: bad >&2; exit 3'";
    let suite = ["suite", "--bot", bad, "--seed", "1..40", "--jobs", "1"];
    let suite = [&suite[..], &PATIENT].concat();
    let (said, shown) = run(&[&suite[..], &["--run", "a run"]].concat());
    let advice = "lost its first 10 games in the first turn, with one verdict: fix the bot and start a new run; as it is, `referee resume 'a run'` plays the rest";
    assert!(said.contains(advice), "{said}");
    // Games that had begun come to their end.
    let games =
        shown.split(" of 40 games of samegame, ").next().and_then(|games| games.parse().ok());
    assert!(games.is_some_and(|games: u32| (10..20).contains(&games)), "{shown}");
    let cause = "; its standard error ends: ValueError: bad; see a run:1 (and ";
    assert!(shown.contains(cause), "{shown}");
    let (said, shown) = run(&["resume", "a run"]);
    assert!(shown.starts_with("40 games of samegame, 40 lost\n") && !said.contains("stopped"));
    let (said, _) = run(&[&suite[..], &["--run", "none", "--keep-going"]].concat());
    assert!(!said.contains("stopped"), "{said}");
    // What a bot prints, and its exit status, may be new each time.
    let changing =
        "sh -c 'echo >> n; echo bad $RANDOM $(wc -l < n) >&2; exit $(($(wc -l < n) % 5 + 3))'";
    let (said, _) =
        run(&[&["suite", "--run", "none", "--seed", "1..40", "--bot", changing], &PATIENT[..]]
            .concat());
    assert!(said.contains("lost its first 10 games"), "{said}");
    // Not with one verdict, not at once, or too few.
    let half = "sh -c 'echo >> n; [ $(($(wc -l < n) % 2)) = 0 ] || echo x y; exit 3'";
    for (bot, seeds) in
        [(half, "1..11"), ("@misbehaving exit 3 --on-turn 2", "1..11"), (bad, "1..10")]
    {
        let suite = ["suite", "--run", "none", "--jobs", "1", "--bot", bot, "--seed", seeds];
        let (said, _) = run(&[&suite[..], &PATIENT].concat());
        assert!(!said.contains("stopped"), "{bot}: {said}");
    }
}

#[test]
fn a_suite_shows_each_game_with_v() {
    let scene = scene();
    let args = ["suite", "-v", "--run", "none", "--bot", "@first", "--seed", "1..2"];
    let said = referee().current_dir(&scene).args(args).args(PATIENT).run().err();
    assert!(said.contains("game 1: @first on seed 1: score 198 in 57 turns"), "{said}");
}

#[test]
fn a_game_becomes_a_page_and_one_turns_input_as_it_is_played() {
    let scene = scene();
    let run = |args: &[&str]| referee().current_dir(&scene).args(args).run().exits(0).out();
    let [first, first_limit, turn, turn_limit] = PATIENT;
    let play = ["play", "--bot", "@first", first, first_limit, turn, turn_limit];
    let play = [&play[..], &["--log", "game.jsonl", "--html"]].concat();
    let shown = run(&[&play[..], &["game.html"]].concat());
    assert!(shown.contains("  page          game.html\n"), "{shown}");
    run(&["replay", "game.jsonl", "--html", "again.html"]);
    let page = |name: &str| fs::read_to_string(scene.path().join(name)).expect("a page");
    assert_eq!(page("game.html"), page("again.html"));
    fs::write(scene.path().join("mine.html"), "mine").expect("written");
    assert!(error(scene.path(), &[&play[..], &["mine.html"]].concat()).contains("--force"));
    let inputs =
        (1..=57).map(|turn| run(&["replay", "game.jsonl", "--export", &format!("input:{turn}")]));
    assert_eq!(inputs.collect::<String>(), run(&["replay", "game.jsonl", "--export", "input"]));
    let played = run(&[&play[..7], &["--export", "input:3"]].concat());
    assert_eq!(played, run(&["replay", "game.jsonl", "--export", "input:3"]));
    let said = error(scene.path(), &["replay", "game.jsonl", "--export", "input:58"]);
    assert!(said.contains("--export input:58: the game has 57 turns"), "{said}");
}

#[test]
fn shell_syntax_in_the_settings_is_refused_with_a_remedy() {
    let scene = scene();
    for (line, advice) in [
        ("PULL=1 ./good", "which `PULL=1` needs; write command = \"sh -c 'PULL=1 ./good'\""),
        ("./good && ./good", "write command = \"sh -c './good && ./good'\""),
        ("./good >log", "which `>log` needs; write command = \"sh -c"),
        ("./good $(nproc)", "which `$(nproc)` needs; write command = \"sh -c"),
        ("~/bot", "no shell runs here, which `~/bot` needs; write command = "),
    ] {
        let judge = "kind = 'judge'\ncommand = ";
        let settings = format!("[bots.new]\ncommand = '{line}'\n[game.g]\n{judge}'{line}'\n");
        fs::write(scene.path().join("referee.toml"), settings).expect("written");
        let said = error(scene.path(), &["play", "--bot", "new"]);
        assert!(said.contains("the bot `new`: no shell runs") && said.contains(advice), "{said}");
        let said = error(scene.path(), &["game", "check", "g"]);
        assert!(said.contains("referee.toml:5:11: no shell runs"), "{said}");
        assert!(said.contains(advice), "{said}");
    }
    let said = error(scene.path(), &["play", "--bot", "./good >log"]);
    assert!(said.contains("--bot \"sh -c './good >log'\""), "{said}");
}

/// Names that are nearly right, and what is said of them.
const OTHER_NAMES: &str = r"compare one runs/one | one: there is no such folder; did you mean runs/one?
play --bot ./fixed.cpp | `./fixed.cpp` is C++ source: compile it and name the program; `referee new`
play --bot ./plain.py | `./plain.py` is Python source; write --bot
play good | unexpected argument `good`; name the bot with --bot ./good
play --bot 'good -d 3' | no program `good` in PATH; for the one in this folder write --bot './good -d 3'
runs list | `referee runs` lists the runs
runs prune --keep 20 | `rm -r RUN` removes the folder of a run
watch game.jsonl | `referee replay LOG --watch`
show --worst | tip: --sort worst$
show latest --bot ./a | RUN:BOT is one bot of a run, such as latest:./mybot
suite --cases in | tip: --board FOLDER$
suite --bot @first --param X=1-3 | `1-3` is one value; did you mean `1..3`?
play --game SameGame | there is no game `SameGame`; the games are: samegame, square-remover; did you mean `samegame`?
play --board 1 | 1: no such file; for the board of this seed write --seed 1";

#[test]
fn a_run_a_program_or_a_game_that_is_nearly_right_is_told_what_is_meant() {
    let scene = scene();
    let folder = scene.path();
    fs::write(folder.join("fixed.cpp"), "int main() {}\n").expect("written");
    fs::write(folder.join("plain.py"), "print(1)\n").expect("written");
    let suite = ["suite", "--bot", "@first", "--seed", "1", "--run", "runs/one"];
    referee().current_dir(folder).args(suite).patient().run();
    assert_told(folder, OTHER_NAMES);
    let empty = tempdir().expect("a folder");
    let said = error(empty.path(), &["play", "--game", "frog"]);
    assert!(said.contains("there is no referee.toml here or in a folder above"), "{said}");
}

#[test]
fn what_a_command_does_not_do_is_said() {
    let scene = scene();
    let run = |args: &[&str]| {
        let output = referee().current_dir(scene.path()).args(args).run();
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let suite = ["suite", "--seed", "1..2", "--run", "runs/one"];
    let (_, _, said) = run(&[&suite[..], &PATIENT].concat());
    assert!(said.contains("no --bot is given: these are games of @greedy"), "{said}");
    let (code, shown, _) = run(&["verify", "runs/one"]);
    assert!(shown.contains("\nNo logs were kept; `referee suite --logs all`"), "{shown}");
    assert!(!shown.contains("it has no log"), "{shown}");
    assert_eq!(code, Some(1));
    let (code, _, said) = run(&["replay", "runs/one"]);
    assert!(
        said.contains("this run has no logs") && said.contains("`referee replay runs/one:1`"),
        "{said}"
    );
    assert_eq!(code, Some(2));
    let (code, _, said) = run(&["replay", "runs/one:2"]);
    let play = "referee play --game samegame --bot @greedy --seed 2 --log game.jsonl";
    assert!(said.contains(&format!("`{play}` plays it again")), "{said}");
    assert_eq!(code, Some(2));
    let again: Vec<&str> = play.split(' ').skip(1).chain(PATIENT).collect();
    assert_eq!(run(&again).0, Some(0));
    assert_eq!(run(&["replay", "game.jsonl"]).0, Some(0));
    let (code, _, said) = run(&["resume", "latest", "--fail-on", "below=0.9"]);
    assert!(said.contains("runs/one: nothing is left to play"), "{said}");
    assert!(said.contains("--fail-on below has no effect on `@greedy`"), "{said}");
    assert_eq!(code, Some(0));
    let (code, shown, _) = run(&["new", "mine", "--lang=c++"]);
    assert!(code == Some(0) && shown.contains("mine.cpp is written"), "{shown}");
}

#[test]
fn files_that_cannot_be_written_are_found_before_a_game() {
    let place = Place::new();
    fs::write(place.path("bad.toml"), "format = 1\nx = 1\n").expect("room");
    fs::create_dir(place.path("page.html")).expect("a folder");
    place.script("marks", "touch played");
    for (args, problem) in [
        (
            &["suite", "--records", "none/records.toml"][..],
            "cannot write the records: there is no folder none",
        ),
        (&["suite", "--records", "bad.toml"], "bad.toml:2:1"),
        (
            &["play", "--html", "none/page.html"],
            "cannot write none/page.html: there is no folder none",
        ),
        (&["play", "--html", "page.html"], "page.html: is a folder"),
    ] {
        let output = place.command(args).args(["--bot", "./marks"]).args(PATIENT).run();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = output.err();
        assert!(said.contains(problem) && output.out().is_empty(), "{args:?}: {said}");
    }
    assert!(!place.path("played").exists() && !place.path("runs").exists());
}

#[test]
fn results_are_told_even_if_their_records_cannot_be_kept() {
    let place = Place::new();
    fs::create_dir(place.path("kept")).expect("a folder");
    let bot = format!("sh -c 'rmdir {}; read -r line; exit 3'", place.path("kept").display());
    let suite = ["suite", "--seed", "1", "--records", "kept/records.toml", "--run", "run"];
    let output = place.command(&suite).args(["--bot", &bot]).args(PATIENT).run();
    assert_eq!(output.status.code(), Some(3));
    let (shown, said) = (output.out(), output.err());
    assert!(
        shown.contains("1 game of samegame, 1 lost") && shown.contains("The run is in run"),
        "{shown}"
    );
    assert!(said.contains("cannot write the records"), "{said}");
}

#[test]
fn a_game_keeps_its_result_if_one_of_its_files_fails() {
    let place = Place::new();
    let play = |args: &[&str]| {
        let play = ["play", "--bot", "@first", "--board", "@clearable"];
        let played = place.command(&play).args(PATIENT).args(args).run();
        assert!(played.out().contains("score"), "{args:?}: {played:?}");
        (played.status.code(), played.err())
    };
    let (code, told) = play(&["--export", "input:99"]);
    assert_eq!((code, told.trim()), (Some(2), "error: --export input:99: the game has 21 turns"));
    // Each write to this file fails.
    if !Path::new("/dev/full").exists() {
        return leave_out("a file that cannot be written", "there is no /dev/full");
    }
    let (code, told) = play(&["--trace", "/dev/full"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("error: cannot write /dev/full"), "{told}");
    let (code, told) = play(&["--log", "/dev/full", "--export", "input:99"]);
    assert_eq!(code, Some(2), "{told}");
    for part in ["the log /dev/full is incomplete", "--export input:99"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // Nor does a result that cannot be printed hide which files have failed.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("there");
    let play = ["play", "--bot", "@first", "--board", "@clearable", "--log", "/dev/full"];
    let unprinted = place.command(&play).args(PATIENT).stdout(full).run();
    assert_eq!(unprinted.status.code(), Some(3), "{unprinted:?}");
    for part in ["cannot write the result", "the log /dev/full is incomplete"] {
        assert!(unprinted.err().contains(part), "{part}: {unprinted:?}");
    }
}
