//! Genuine testers, with and without the relay: what they print and how they end must be the same, byte by byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::place::Place;
use crate::support::{json, shared_data};

/// Goes straight to the goal of each question.
const AHC003: &str = r#"
for _ in range(1000):
    si, sj, ti, tj = map(int, input().split())
    print(("D" if ti > si else "U") * abs(ti - si) + ("R" if tj > sj else "L") * abs(tj - sj), flush=True)
    input()
"#;

/// Gives the next free task to each idle member.
const HTTF2022: &str = r"
def numbers():
    return list(map(int, input().split()))
n, m, k, r = numbers()
for _ in range(n):
    numbers()
before = [set() for _ in range(n + 1)]
for _ in range(r):
    first, then = numbers()
    before[then].add(first)
waiting, work, done = list(range(1, n + 1)), {}, set()
while True:
    given = []
    for member in range(1, m + 1):
        task = None if member in work else next((t for t in waiting if before[t] <= done), None)
        if task:
            waiting.remove(task)
            work[member] = task
            given += [member, task]
    print(len(given) // 2, *given, flush=True)
    finished = numbers()
    if finished == [-1]:
        break
    for member in finished[1:]:
        done.add(work.pop(member))
";

/// Runs the tester, and keeps what it prints and how it ends in the folder `$KEPT`.
const KEEP: &str = r#""$@" >"$KEPT/out" 2>"$KEPT/err"
status=$?
echo $status >"$KEPT/status"
cat "$KEPT/out"
cat "$KEPT/err" >&2
exit $status"#;

/// A tester, a bot for it, and how it takes its case.
struct Genuine {
    name: &'static str,
    command: String,
    bot: String,
    cases: Vec<PathBuf>,
    reads_case: bool,
}

fn genuine(data: &Path, place: &Place) -> Vec<Genuine> {
    let testers = data.join("judges/testers");
    let cases = |name: &str| {
        let entries = testers.join(name).join("in").read_dir().expect("cases");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("a case").path()).collect();
        paths.sort();
        paths.truncate(3);
        paths
    };
    let python = |name: &str, text: &str| {
        fs::write(place.path(name), text).expect("written");
        place
            .script(&format!("{name}.sh"), &format!("exec python3 {}", place.path(name).display()));
        place.path(&format!("{name}.sh")).display().to_string()
    };
    place.script(
        "squares.sh",
        &format!("exec '{}' bot squares-random", env!("CARGO_BIN_EXE_referee")),
    );
    let jar = testers.join("square-remover/SquareRemoverVis.jar");
    let seeds = ["1", "2", "3"].map(|seed| place.path(seed));
    vec![
        Genuine {
            name: "ahc003",
            command: format!("{} {{case}} {{bot}}", testers.join("ahc003/tester").display()),
            bot: python("ahc003", AHC003),
            cases: cases("ahc003"),
            reads_case: false,
        },
        Genuine {
            name: "httf2022",
            command: format!("{} {{bot}}", testers.join("httf2022/tester").display()),
            bot: python("httf2022", HTTF2022),
            cases: cases("httf2022"),
            reads_case: true,
        },
        Genuine {
            name: "squares",
            command: format!("java -jar {} -novis -exec {{bot}} -seed {{seed}}", jar.display()),
            bot: place.path("squares.sh").display().to_string(),
            cases: seeds.to_vec(),
            reads_case: false,
        },
    ]
}

impl Genuine {
    /// What the tester prints and how it ends when it starts the bot itself.
    fn by_hand(&self, case: &Path, kept: &Path) -> [Vec<u8>; 3] {
        let seed = case.file_stem().expect("a name").to_string_lossy().into_owned();
        let words = self.command.replace("{case}", &case.display().to_string());
        let words = words.replace("{bot}", &self.bot).replace("{seed}", &seed);
        let mut command = Command::new("sh");
        command.args(["-c", KEEP, "keep"]).args(words.split(' ')).env("KEPT", kept);
        if self.reads_case {
            command.stdin(fs::File::open(case).expect("a case"));
        } else {
            command.stdin(Stdio::null());
        }
        command.output().expect("runs");
        read(kept)
    }

    /// The same through the relay, and the result.
    fn relayed(&self, place: &Place, case: &Path, kept: &Path) -> ([Vec<u8>; 3], Value) {
        let stdin = if self.reads_case { "stdin = '{case}'\n" } else { "" };
        let settings = format!(
            "[game.{}]\nkind = 'tester'\ncommand = 'sh ./keep.sh {}'\n{stdin}limits = {{ total = '600s' }}\nenv = {{ KEPT = '{}' }}\n",
            self.name,
            self.command,
            kept.display()
        );
        fs::write(place.path("referee.toml"), settings).expect("written");
        let mut play = place.command(&["play", "--game", self.name, "--format", "json"]);
        if self.command.contains("{seed}") {
            play.arg("--seed").arg(case.file_stem().expect("a name"));
        } else {
            play.arg("--board").arg(case);
        }
        let result = json(&play.arg("--bot").arg(&self.bot).output().expect("runs"));
        (read(kept), result)
    }
}

fn read(kept: &Path) -> [Vec<u8>; 3] {
    ["out", "err", "status"].map(|name| fs::read(kept.join(name)).expect("kept"))
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn genuine_testers_print_the_same_with_and_without_the_relay() {
    let Some(data) = shared_data("genuine testers") else { return };
    let (place, kept) = (Place::new(), tempfile::tempdir().expect("a folder"));
    place.script("keep.sh", KEEP);
    for genuine in genuine(&data, &place) {
        for case in &genuine.cases {
            let by_hand = genuine.by_hand(case, kept.path());
            let (relayed, result) = genuine.relayed(&place, case, kept.path());
            let name = format!("{} {}", genuine.name, case.display());
            assert!(by_hand == relayed, "{name}: {result}");
            assert_eq!(result["verdict"], "completed", "{name}: {result}");
            let printed = String::from_utf8_lossy(&relayed.concat()).into_owned();
            assert!(printed.contains(&result["score"].to_string()), "{name}: {result}");
        }
    }
}
