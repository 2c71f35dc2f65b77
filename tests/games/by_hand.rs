//! Testers and scorers by hand and through the referee: what they send to the bot, print and draw, and how they exit, is the same
//! both ways, byte by byte, and is what `tests/data/conversations` records.

use std::fmt::Write as _;
use support::prelude::*;

/// Runs a judge, and keeps what it prints and how it exits in the folder `$KEPT`.
const KEEP: &str = r#""$@" >"$KEPT/out" 2>"$KEPT/err"
status=$?
echo $status >"$KEPT/status"
cat "$KEPT/out"
cat "$KEPT/err" >&2
exit $status"#;

/// The start of each bot: it records its starts, what it reads and what it answers.
const RECORDS: &str = r#"record() { echo "$1" >>"$kept/talk"; }
hear() { read -r line || exit 0; record "> $line"; }
say() { record "< $1"; echo "$1"; }
record 'bot starts'
"#;

/// Doubles each number.
const DOUBLES: &str = "while hear; do say $((line * 2)); done";

/// Ignores the first number.
const DOUBLES_LATER: &str = "hear; while hear; do say $((line * 2)); done";

/// Goes straight to each goal.
const WALKS: &str = r#"steps() { i=0; while [ $i -lt "$2" ]; do way=$way$1; i=$((i + 1)); done; }
while hear; do
    set -- $line
    way=
    steps D $(($3 - $1)); steps U $(($1 - $3)); steps R $(($4 - $2)); steps L $(($2 - $4))
    say "$way"
    hear
done"#;

/// Gives the next task to each idle member.
const ASSIGNS: &str = r#"hear
tasks=${line% *} idle=$(seq "${line#* }") next=1
for task in $(seq "$tasks"); do hear; done
while :; do
    given= count=0
    for member in $idle; do
        [ $next -le "$tasks" ] || break
        given="$given $member $next" next=$((next + 1)) count=$((count + 1))
    done
    say "$count$given"
    hear
    [ "$line" != -1 ] || exit 0
    set -- $line
    shift
    idle=$*
done"#;

/// A judge, with what it and the bot get.
struct Game<'g> {
    command: &'g str,
    /// The case's text, or a seed.
    case: &'g str,
    bot: &'g str,
}

impl Game<'_> {
    /// Writes the files of a game; `kept` is where judge and bot keep what there is to compare.
    fn prepare(&self, place: &Place, kept: &Path) {
        place.script("keep", KEEP);
        place.double("double", "");
        place.script("bot", &format!("kept='{}'\n{RECORDS}{}", kept.display(), self.bot));
        fs::write(place.path("case"), self.case).expect("written");
    }

    fn has(&self, placeholder: &str) -> bool {
        self.command.contains(placeholder)
    }

    fn reads_case(&self) -> bool {
        !self.has("{case}") && !self.has("{seed}")
    }

    /// What there is to compare if nobody stands between judge and bot.
    fn by_hand(&self) -> String {
        let (place, kept, work) = (Place::new(), folder(), folder());
        self.prepare(&place, kept.path());
        let file = |name: &str| place.path(name).display().to_string();
        if self.has("{answer}") {
            let answer = Command::new(place.path("bot")).run().stdout;
            fs::write(place.path("answer"), answer).expect("written");
        }
        let words = self.command.replace("{case}", &file("case")).replace("{bot}", &file("bot"));
        let words = words.replace("{answer}", &file("answer")).replace("{seed}", self.case);
        let mut judge = Command::new(place.path("keep"));
        judge.arg(place.path("double")).args(words.split(' ')).env("KEPT", kept.path());
        let case = || fs::File::open(place.path("case")).expect("there").into();
        judge.stdin(if self.reads_case() { case() } else { Stdio::null() });
        judge.current_dir(work.path()).stdout(Stdio::null()).stderr(Stdio::null());
        finished(judge.start());
        recorded(kept.path(), work.path())
    }

    /// The same through the referee, and its result.
    fn refereed(&self) -> (String, Value) {
        let (place, kept) = (Place::new(), folder());
        self.prepare(&place, kept.path());
        let kind =
            if self.has("{answer}") { "kind = 'scored'" } else { "kind = 'tester'\nbots = 2" };
        let stdin = if self.reads_case() { "stdin = '{case}'" } else { "" };
        let settings = format!(
            "[game.recorded]\n{kind}\n{stdin}\ncommand = './keep ./double {}'\nenv = {{ KEPT = '{}' }}\nlimits = {{ total = '120s' }}\nrefused = 0\n",
            self.command,
            kept.path().display()
        );
        fs::write(place.path("referee.toml"), settings).expect("written");
        let case = if self.has("{seed}") { ["--seed", self.case] } else { ["--board", "case"] };
        let play = ["play", "--game", "recorded", "--bot", "./bot", "--log", "log"];
        let result = place.command(&[&play[..], &case].concat()).json();
        (recorded(kept.path(), &place.path("log.pictures")), result)
    }

    /// The result of a game that is the same both ways, and what there is to compare.
    #[track_caller]
    fn compare(&self) -> (String, Value) {
        let (refereed, result) = self.refereed();
        assert_eq!(self.by_hand(), refereed, "{result}");
        (refereed, result)
    }
}

fn folder() -> TempDir {
    tempdir().expect("a folder")
}

/// The talk with the bot, what the judge has printed, how it exited and what it has drawn.
fn recorded(kept: &Path, pictures: &Path) -> String {
    let mut text = fs::read_to_string(kept.join("talk")).expect("the bot has started");
    let mut files: Vec<_> = ["out", "err", "status"].map(|name| kept.join(name)).into();
    let pictures = fs::read_dir(pictures).into_iter().flatten();
    files.extend(pictures.map(|file| file.expect("a picture").path()));
    for file in files {
        let name = file.file_name().expect("a name").display();
        let content = fs::read_to_string(&file).expect("text");
        for line in content.split_inclusive('\n') {
            write!(text, "{name}: {line}").expect("memory");
        }
        text += if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
    }
    text
}

/// Fails unless a judge and a bot say what is recorded under this name. The first lines of such a file are a remark, the command,
/// and the case or the seed.
#[track_caller]
fn assert_recorded(name: &str, bot: &str) -> Value {
    let file = data("conversations").join(format!("{name}.txt"));
    let text = fs::read_to_string(file).expect("a conversation");
    let marked = |mark: &'static str| text.lines().filter_map(move |line| line.strip_prefix(mark));
    let command = marked("$ ").next().expect("a command");
    let case: String = marked("case: ").flat_map(|line| [line, "\n"]).collect();
    let case = marked("seed: ").next().map_or(case, str::to_owned);
    let (made, result) = Game { command, case: &case, bot }.compare();
    let start = text.find("bot starts\n").expect("the start of the talk");
    assert_eq!(made, text[start..], "{name}");
    let printed: Vec<&str> = marked("out: ").chain(marked("err: ")).collect();
    assert_eq!(summary(&result), printed, "{name}");
    result
}

#[test]
fn a_tester_says_what_is_recorded_by_hand_and_through_the_referee() {
    let falls_silent = "hear; say DDR; hear; hear; exit 3";
    for (name, bot, verdict, score) in [
        ("tester-argument", WALKS, "completed", json!(64)),
        ("tester-refusal", falls_silent, "crash", json!(0)),
        ("tester-stdin", ASSIGNS, "completed", json!(9996)),
        ("tester-twice", DOUBLES, "completed", json!(3)),
        ("tester-marathon", DOUBLES_LATER, "completed", json!(3)),
    ] {
        let result = assert_recorded(name, bot);
        let found = (&result["verdict"], &result["score"]);
        assert_eq!(found, (&verdict.into(), &score), "{name}: {result}");
    }
}

#[test]
fn a_scorer_says_what_is_recorded_by_hand_and_through_the_referee() {
    for (name, bot, verdict, score) in [
        ("scorer-picture", "say 58", "completed", json!(998)),
        ("scorer-refusal", "say seven", "lost", json!(0)),
        ("scorer-panic", "say panic", "lost", Value::Null),
    ] {
        let result = assert_recorded(name, bot);
        let found = (&result["verdict"], &result["score"]);
        assert_eq!(found, (&verdict.into(), &score), "{name}: {result}");
    }
}

#[test]
fn a_long_game_with_a_tester_is_the_same_by_hand_and_through_the_referee() {
    let way = |turn: u32| format!("{} {} {} {} 7\n", turn % 5, turn % 7, turn % 11, turn % 3);
    let ways: String = (0..1000).map(way).collect();
    // More than a pipe holds, before the bot says anything.
    let task = |task: u32| format!("{} {}\n", 1 + task % 3, "9 ".repeat(99) + "9");
    let tasks: String = (0..600).map(task).collect();
    let tasks = format!("600 20\n{tasks}");
    assert!(tasks.len() > 100_000);
    for (command, case, bot) in
        [("tester path {case} {bot}", ways, WALKS), ("tester team {bot}", tasks, ASSIGNS)]
    {
        let (_, result) = Game { command, case: &case, bot }.compare();
        assert_eq!(result["verdict"], "completed", "{result}");
    }
}
