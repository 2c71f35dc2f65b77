//! What a bot in a sandbox must not read, whatever its command names: test cases, judges, runs and settings.

use std::os::unix::fs::symlink;

use support::prelude::*;

/// No word of the command names the file with the judge's rules.
const SETTINGS: &str = r#"
[game.twice]
kind = "tester"
command = "sh -c 'cd -P lib && . ./judge.inc' {case} {bot}"
cases = "in/*.txt"
judge-limit = "60s"
limits = { total = "60s" }

[game.moon]
kind = "codingame"
command = "sh referee.sh"
project = "contribution"
"#;

/// Tells the names of all files that it can read, and plays.
const SPY: &str = "for file in $(find . -type f 2>/dev/null) spy.sh helper bots/*/* bots/alone/spy.sh bots/alone/helper referee.toml in/none.txt lib/judge.inc \
    game.jsonl contribution/config/1.json runs/old/run.toml runs/old/games/000001.jsonl \
    runs/old/bundles/000002/board.txt tmp/empty tmp/referee-*/referee-case.txt; do \
    cat \"$file\" >/dev/null 2>&1 && echo \"${file#./}\" >&2; done; \
    while read -r n; do echo $((n * 2)); done";

const JUDGE: &str = "printf '3\\n' | \"$1\" >\"$TMPDIR/answer\"; read -r n <\"$TMPDIR/answer\"; \
    [ \"$n\" = 6 ] && echo Score = 5";

/// A folder with all that a bot must not read.
struct Project(TempDir);

impl Project {
    fn in_folder(folder: &Path) -> Self {
        let place = tempfile::tempdir_in(folder).expect("a folder");
        let write = |name: &str, text: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("written");
        };
        for own in ["spy.sh", "bots/alone/spy.sh", "bots/runs/spy.sh"] {
            write(own, SPY);
        }
        write("referee.toml", SETTINGS);
        write("lib/judge.inc", JUDGE);
        for secret in [
            "in/none.txt",
            "helper",
            "bots/alone/helper",
            "bots/runs/helper",
            "bots/runs/runs/old/run.toml",
            "game.jsonl",
            "contribution/config/1.json",
            "runs/old/run.toml",
            "runs/old/games/000001.jsonl",
            "runs/old/bundles/000002/board.txt",
            "tmp/empty",
        ] {
            write(secret, "5\n");
        }
        for (name, mode) in [("", 0o755), ("tmp", 0o777)] {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(place.path().join(name), mode).expect("its owner");
        }
        Self(place)
    }

    fn path(&self) -> String {
        self.0.path().canonicalize().expect("it is there").to_str().expect("UTF-8").to_owned()
    }

    /// The files that the bot could read in a game, and the diagnosis.
    fn read(&self, user: User, method: &str, words: &[&str]) -> (Vec<String>, String) {
        let played = referee_of(user)
            .current_dir(self.0.path())
            .env("TMPDIR", self.0.path().join("tmp"))
            .play(["--containment", method, "--format", "json"])
            .args(["--game", "twice", "--board", "none"])
            .args(words)
            .run();
        let result = played.json();
        assert_eq!(result["verdict"], "completed", "{method} {user:?} {words:?}: {result}");
        let lines = result["stderr_tail"].as_array().expect("lines").clone();
        let mut read: Vec<_> =
            lines.iter().map(|line| line.as_str().expect("text").to_owned()).collect();
        read.sort();
        read.dedup();
        (read, result["diagnosis"].as_str().unwrap_or_default().to_owned())
    }
}

#[test]
fn a_sandboxed_bot_reads_nothing_of_the_project_that_its_command_does_not_name() {
    let project = Project::in_folder(&std::env::temp_dir());
    let path = project.path();
    let in_path = format!("PATH={path}:{path}/lib:/usr/bin:/bin");
    for (user, method) in sandbox_grid() {
        let read = |words: &[&str]| project.read(user, method, &[&["--sandbox"], words].concat()).0;
        let spy = ["--bot", "sh spy.sh"];
        assert_eq!(read(&spy), ["spy.sh"], "{method} {user:?}");
        // A folder that has more than the bot's files is not shown as a whole, even if the command names it.
        for folder in [".", &path, "..", "/", "in", "runs", "runs/old", "contribution", "tmp"] {
            let bot = format!("sh spy.sh {folder}");
            assert_eq!(read(&["--bot", &bot]), ["spy.sh"], "{method} {user:?} {folder}");
        }
        let flags = "sh spy.sh -cp=. -I. .:in:runs/*";
        assert_eq!(read(&["--bot", flags]), ["spy.sh"], "{method} {user:?}");
        assert_eq!(read(&[&spy[..], &["--cwd", "."]].concat()), ["spy.sh"], "{method} {user:?}");
        let own_path = [&spy[..], &["--env", &in_path]].concat();
        assert_eq!(read(&own_path), ["spy.sh"], "{method} {user:?}");
        // What the command names is shown, and a folder of the bot's own as a whole.
        let named = read(&["--bot", "sh spy.sh --first=in/none.txt"]);
        assert_eq!(named, ["in/none.txt", "spy.sh"], "{method} {user:?}");
        let alone = [&spy[..], &["--cwd", "bots/alone"]].concat();
        assert_eq!(read(&alone), ["helper", "spy.sh"], "{method} {user:?}");
        let with_runs = [&spy[..], &["--cwd", "bots/runs"]].concat();
        assert_eq!(read(&with_runs), ["spy.sh"], "{method} {user:?}");
        let beside = read(&["--bot", "sh bots/alone/spy.sh"]);
        assert_eq!(beside, ["bots/alone/spy.sh"], "{method} {user:?}");
        let more = [&spy[..], &["--sandbox=helper", "--sandbox=in"]].concat();
        assert_eq!(read(&more), ["helper", "in/none.txt", "spy.sh"], "{method} {user:?}");
    }
}

#[test]
fn a_project_in_a_folder_of_the_systems_is_not_shown_with_it() {
    if !rustix::process::getuid().is_root() {
        return leave_out("a project below /opt", "the tests do not run as root");
    }
    let project = Project::in_folder(Path::new("/opt"));
    for (user, method) in sandbox_grid() {
        let (read, _) = project.read(user, method, &["--sandbox", "--bot", "sh spy.sh"]);
        assert_eq!(read, ["spy.sh"], "{method} {user:?}");
    }
}

#[test]
fn a_bot_that_lacks_a_file_in_its_sandbox_learns_how_to_show_it() {
    let place = Place::new();
    let [limit, patient, ..] = PATIENT;
    place.script("bot", ". ./helper");
    fs::write(place.path("helper"), "exit 9").expect("written");
    fs::create_dir(place.path("elsewhere")).expect("made");
    fs::write(place.path("elsewhere/file"), "exit 9").expect("written");
    place.script("other", ". ./linked");
    symlink("elsewhere/file", place.path("linked")).expect("made");
    fs::set_permissions(place.folder(), fs::Permissions::from_mode(0o755)).expect("its owner");
    for method in sandboxes() {
        let diagnosis = |sandbox: &str, bot: &str| {
            let args =
                ["play", "--format", "json", "--containment", method, sandbox, limit, patient];
            let result = place.referee(&[&args[..], &["--bot", bot]].concat()).json();
            result["diagnosis"].as_str().expect("one").to_owned()
        };
        let lacks = diagnosis("--sandbox", "./bot");
        assert!(lacks.contains("its sandbox shows only the system"), "{method}: {lacks}");
        for (shown, bot) in [("helper", "./bot"), ("linked", "./other")] {
            let has = diagnosis(&format!("--sandbox={shown}"), bot);
            assert!(has.contains("exited with status 9"), "{method} {shown}: {has}");
        }
        if let Some([python]) = need("modules of Python", ["python3"]) {
            for name in ["bot.py", "module.py"] {
                let text = if name == "bot.py" { "import module" } else { "raise SystemExit(9)" };
                fs::write(place.path(name), text).expect("written");
            }
            let bot = format!("{python} bot.py");
            let lacks = diagnosis("--sandbox", &bot);
            assert!(lacks.contains("its sandbox shows only the system"), "{method}: {lacks}");
            let has = diagnosis("--sandbox=module.py", &bot);
            assert!(has.contains("exited with status 9"), "{method}: {has}");
        }
        let folder = diagnosis("--sandbox", "sh -c 'exit 3' .");
        assert!(folder.contains("its sandbox shows only the system"), "{method}: {folder}");
    }
}
