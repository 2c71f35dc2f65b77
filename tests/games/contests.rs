//! Settings of pahcer and psytester, of each language, system and kind of contest, that `init --ahc` takes over.

use support::prelude::*;

/// Doubles each number that it is sent.
const BOT: &str = "while read -r n; do echo $((n * 2)); done";

/// Copies the last file that it is given to the name after `-o`, or else to `a.out`.
const COMPILER: &str = r#"out=a.out
while [ $# -gt 0 ]; do
    case $1 in
        -o) out=$2; shift ;;
        -*) ;;
        *) source=$1 ;;
    esac
    shift
done
cp "$source" "$out""#;

/// Builds the bot, and nothing else.
const CARGO: &str =
    r#"[ "$*" = "build --release" ] && mkdir -p target/release && cp main.rs target/release/demo"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Linux,
    Mac,
    Windows,
}

/// A language: its source, the steps that build a program of it, and the words that start it.
fn language(name: &str, system: System) -> (&'static str, Vec<&'static str>, &'static str) {
    let windows = system == System::Windows;
    match name {
        "cpp" => ("main.cpp", vec!["g++, -O2, main.cpp"], if windows { "a.exe" } else { "a.out" }),
        "go" => ("main.go", vec!["go, build, -o, a.out, main.go"], "a.out"),
        "python" if windows => ("main.py", vec![], "py, main.py"),
        "python" => ("main.py", vec![], "python3, main.py"),
        _ if windows => {
            let move_here =
                "powershell.exe, -Command, Move-Item ./target/release/demo.exe ./demo.exe -Force";
            ("main.rs", vec!["cargo, build, --release", move_here], "demo.exe")
        }
        _ => {
            let move_here = "mv, ./target/release/demo, ./demo";
            ("main.rs", vec!["cargo, build, --release", "rm, -f, ./demo", move_here], "demo")
        }
    }
}

/// A step of pahcer's: its words, and further lines.
fn step(list: &str, words: &str, more: &str) -> String {
    let mut words = words.split(", ").map(|word| format!("'{word}'"));
    let program = words.next().expect("a program");
    let args = words.collect::<Vec<_>>().join(", ");
    format!("[[test.{list}]]\nprogram = {program}\nargs = [{args}]\n{more}\n")
}

/// The settings of pahcer for a contest, and the name of the bot's source.
fn pahcer(name: &str, system: System, is_interactive: bool) -> (String, &'static str) {
    let (source, mut builds, bot) = language(name, system);
    let judge = if is_interactive { "tester" } else { "vis" };
    let (remove, move_here);
    let mut text =
        "[general]\nversion = '0.4.0'\n[problem]\nproblem_name = 'demo'\nobjective = 'Min'\n\
        score_regex = '(?m)^\\s*Score\\s*=\\s*(?P<score>\\d+)\\s*$'\n\
        [test]\nstart_seed = 0\nend_seed = 2\nthreads = 0\nout_dir = './pahcer'\n"
            .to_owned();
    if builds.is_empty() && system != System::Mac {
        text += "compile_steps = []\n";
    }
    if system == System::Mac {
        remove = format!("rm, -f, ./{judge}");
        move_here = format!("mv, ./tools/target/release/{judge}, ./{judge}");
        builds.extend([&*remove, &*move_here]);
        let build = format!("cargo, build, --release, --bin, {judge}");
        text += &step("compile_steps", &build, "current_dir = './tools'");
    }
    text.extend(builds.iter().map(|words| step("compile_steps", words, "")));
    let files = "stdin = './tools/in/{SEED04}.txt'\nstdout = './tools/out/{SEED04}.txt'\n";
    let words = |folder: &str| match bot.split_once(", ") {
        Some((installed, script)) => format!("{installed}, {folder}{script}"),
        None => format!("{folder}{bot}"),
    };
    let in_tools = "current_dir = './tools'\n";
    text += &match (is_interactive, system) {
        (true, System::Mac) => step("test_steps", &format!("./tester, {}", words("./")), files),
        (true, _) => {
            let run = format!("cargo, run, --bin, tester, --release, {}", words("../"));
            step("test_steps", &run, &format!("{in_tools}{files}"))
        }
        (false, System::Mac) => {
            let judge = "./vis, ./tools/in/{SEED04}.txt, ./tools/out/{SEED04}.txt";
            step("test_steps", &words("./"), files) + &step("test_steps", judge, "")
        }
        (false, _) => {
            let judge = "cargo, run, --bin, vis, --release, ./in/{SEED04}.txt, ./out/{SEED04}.txt";
            step("test_steps", &words("./"), files) + &step("test_steps", judge, in_tools)
        }
    };
    (text, source)
}

/// A contest's folder, with doubles for its tools.
fn contest(is_interactive: bool, cases: &str) -> Place {
    let place = Place::new();
    for folder in ["bin", "tools/src/bin", "tools/target/release", cases] {
        fs::create_dir_all(place.path(folder)).expect("made");
    }
    for case in ["0000", "0001"] {
        let text = if is_interactive { "none 5\n" } else { "5\n" };
        fs::write(place.path(&format!("{cases}/{case}.txt")), text).expect("written");
    }
    for name in ["bin/g++", "bin/go"] {
        place.script(name, COMPILER);
    }
    place.script("bin/cargo", CARGO);
    place.script("bin/python3", "exec sh \"$@\"");
    let judge = if is_interactive { "tester" } else { "vis" };
    fs::write(place.path(&format!("tools/src/bin/{judge}.rs")), "").expect("written");
    fs::write(place.path("tools/Cargo.toml"), "").expect("written");
    let program = format!("tools/target/release/{judge}");
    if is_interactive {
        place.double(&program, "tester faulty");
    } else {
        let score = "read -r n <\"$1\"; read -r answer <\"$2\"; [ \"$answer\" = $((2 * n)) ] || n=0; echo Score = $n >&2";
        place.script(&program, score);
    }
    place
}

/// Takes the settings over, and plays by them.
fn plays(place: &Place, what: &str) {
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").expect("set"));
    let run = |args: &[&str]| {
        let ran = place.command(args).env("PATH", &path).run();
        let settings = fs::read_to_string(place.path("referee.toml")).unwrap_or_default();
        assert_eq!(
            ran.status.code(),
            Some(0),
            "{what}: {args:?}\n{settings}\n{}{}",
            ran.out(),
            ran.err()
        );
        ran
    };
    let init = run(&["init", "--ahc", "."]);
    assert!(init.out().contains("Nothing is missing"), "{what}: {}", init.out());
    let name = init.out().lines().next().and_then(|line| line.split(' ').nth(4).map(str::to_owned));
    let name = name.expect("a name");
    run(&["game", "check", &name, "--bot", &name]);
    let suite =
        run(&["suite", "--game", &name, "--bot", &name, "--run", "run", "--format", "json"]);
    let bot = &suite.json()["bots"][0];
    assert_eq!((&bot["games"], &bot["sum"]), (&2.into(), &10.into()), "{what}: {bot}");
    let settings = fs::read_to_string(place.path("referee.toml")).expect("written");
    assert!(settings.contains("better = \"lower\""), "{what}: {settings}");
    assert!(!settings.contains("././"), "{what}: {settings}");
}

#[test]
fn contests_of_pahcers_templates_are_played() {
    for system in [System::Linux, System::Mac, System::Windows] {
        for language in ["cpp", "go", "python", "rust"] {
            for is_interactive in [false, true] {
                let what = format!("{language}, {system:?}, interactive: {is_interactive}");
                let place = contest(is_interactive, "tools/in");
                let (settings, source) = pahcer(language, system, is_interactive);
                fs::write(place.path("pahcer_config.toml"), settings).expect("written");
                place.script(source, BOT);
                let judge = if is_interactive { "tester" } else { "vis" };
                let built = place.path(&format!("tools/target/release/{judge}"));
                if system == System::Mac && language == "go" {
                    // As pahcer leaves it.
                    fs::rename(&built, place.path(judge)).expect("moved");
                }
                plays(&place, &what);
                assert!(built.is_file() || place.path(judge).is_file(), "{what}: it stays");
            }
        }
    }
}

#[test]
fn cases_are_where_pahcers_steps_read_them() {
    for cases in ["pahcer/in", "testcase/in"] {
        for is_interactive in [false, true] {
            let place = contest(is_interactive, cases);
            // Others, of another contest.
            fs::create_dir_all(place.path("in")).expect("made");
            fs::write(place.path("in/0000.txt"), "x\n").expect("written");
            let (settings, source) = pahcer("cpp", System::Linux, is_interactive);
            let settings = settings.replace("./tools/in", &format!("./{cases}"));
            let settings = settings.replace("./in/", &format!("../{cases}/"));
            fs::write(place.path("pahcer_config.toml"), settings).expect("written");
            place.script(source, BOT);
            plays(&place, cases);
        }
    }
}

#[test]
fn steps_that_a_shell_is_given_as_one_are_several() {
    let runs = "./a.out <../tools/in/{SEED04}.txt >../tools/out/{SEED04}.txt 2>/dev/null";
    let judges = "tools/target/release/vis tools/in/{SEED04}.txt tools/out/{SEED04}.txt";
    for line in [format!("cd bot && {runs} && cd .. && {judges}"), format!("cd ./bot; {runs}")] {
        let place = contest(false, "tools/in");
        let (settings, _) = pahcer("cpp", System::Linux, false);
        let start = settings.find("[[test.test_steps]]").expect("steps");
        let steps = settings[start..].split("[[test.test_steps]]").nth(2).expect("the judge");
        let judge = if line.contains("vis") {
            String::new()
        } else {
            format!("[[test.test_steps]]{steps}")
        };
        let one =
            format!("[[test.test_steps]]\nprogram = 'bash'\nargs = ['-c', '{line}']\n{judge}");
        let settings = settings[..start].replace("args = ['-O2',", "args = ['-o', 'bot/a.out',");
        fs::write(place.path("pahcer_config.toml"), settings + &one).expect("written");
        fs::create_dir(place.path("bot")).expect("made");
        place.script("main.cpp", BOT);
        plays(&place, &line);
    }
}

#[test]
fn contests_of_psytesters_settings_are_played() {
    let scorer = "tools/in/%SEED04%.txt %OUTPUT_DIR%/%SEED%.out > %OUTPUT_DIR%/%SEED%.res";
    let plays_case = "./main < tools/in/%SEED04%.txt > %OUTPUT_DIR%/%SEED%.out";
    for (command, is_interactive) in [
        (format!("{plays_case} && ./tools/target/release/vis {scorer}"), false),
        (format!("{plays_case} 2> x && cd tools && cargo run -r --bin vis {scorer}"), false),
        (format!("main.exe <tools\\in\\%SEED04%.txt >out.txt && vis.exe {scorer}"), false),
        ("./tools/target/release/tester ./main < tools/in/%SEED04%.txt 2> x".to_owned(), true),
        ("cd tools && cargo run --bin tester ../main < in/%SEED04%.txt 2> x".to_owned(), true),
    ] {
        let place = contest(is_interactive, "tools/in");
        let settings = format!(
            "[general]\nversion = 0.5.2\ncmd_tester = {command}\noutput_files = %OUTPUT_DIR%/%SEED%.res\n\
             extraction_regex_1 = ^Score = (?P<score>[0-9]+)$\n[default]\nscoring = min\ntests = 0-2\n"
        );
        fs::write(place.path("tester.cfg"), settings).expect("written");
        place.script("main", BOT);
        place.script("main.exe", BOT);
        plays(&place, &command);
    }
}
