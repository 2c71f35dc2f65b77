//! The genuine SameGame, through its own referee, against the rules in this project: games with real bots.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use judges::codingame::{Codingame, parse_test_case};
use judges::{JudgeCommand, JudgeLimits};
use referee::bot::BotCommand;
use referee::config::Config;
use referee::game::judge::Judges;
use referee::game::{GameKind, Judged, judge::Case};
use referee::gamelog::{End, Event};
use referee::play::Match;
use referee::verdict::Verdict;

use crate::support::{for_each_in_parallel, leave_out};

/// The libraries of the SDK, as Debian installs them.
const LIBRARIES: [&str; 6] =
    ["guice", "gson", "guava", "aopalliance", "atinject-jsr330-api", "commons-logging"];

/// Faults of a bot that end a game without a limit, on their second turn.
const FAULTS: [&str; 16] = [
    "exit 3",
    "exit 0",
    "signal 11",
    "partial-line-exit",
    "endless-line",
    "flood-stderr 1000000",
    "flood-stdout",
    "surplus 3",
    "close-stdout",
    "leave-child",
    "invalid-utf8",
    "empty-line",
    "illegal malformed",
    "illegal out-of-bounds",
    "illegal empty-tile",
    "illegal single-tile",
];

/// Faults that only a limit ends: on the second turn, which has 50 ms.
const DELAYS: [&str; 6] =
    ["late 2000", "hang", "partial-line", "chatter", "no-read", "ignore-sigterm"];

fn shared() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("REFEREE_SHARED_DATA")?);
    folder.join("judges/codingame/samegame/game.jar").is_file().then_some(folder)
}

/// The game of the genuine referee.
fn original(shared: &Path) -> GameKind {
    let libraries = LIBRARIES.map(|library| format!("/usr/share/java/{library}.jar")).join(":");
    let command = format!(
        "java --add-opens java.base/java.lang=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
         -Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog \
         -cp samegame/game.jar:engine-3.15.2.jar:{libraries} com.codingame.gameengine.core.RefereeMain"
    );
    let limits = JudgeLimits {
        start: Duration::from_mins(2),
        step: Duration::from_mins(1),
        ..JudgeLimits::default()
    };
    let command = JudgeCommand {
        words: command.split_whitespace().map(str::to_owned).collect(),
        folder: shared.join("judges/codingame"),
        env: [].into(),
        limits,
    };
    let criteria = Some("Score".to_owned());
    let judges: Arc<dyn Judges> =
        Arc::new(Codingame { command, criteria, league: None, engine: None });
    GameKind {
        stderr_per_turn: Some(4096),
        ..GameKind::new("original", "The original", move |text| {
            Ok(Box::new(Judged::new("original", Case::parse(text), judges.clone())))
        })
    }
}

/// Plays with this bot of the program, as `referee bot` takes it.
fn play(kind: &GameKind, case: &str, bot: &str) -> End {
    let is_delay = DELAYS.iter().any(|delay| bot.contains(&format!(" {delay} ")));
    let settings = if is_delay { "" } else { "profile = 'unlimited'" };
    let config = Config::resolve([settings.parse().expect("settings")]).expect("settings");
    let words: Vec<&str> = ["bot"].into_iter().chain(bot.split(' ')).collect();
    let confinement = config.confinement(None).expect("some method");
    let command = BotCommand::new(env!("CARGO_BIN_EXE_referee"), words, confinement);
    let game = Match::new(kind, case, &command).bot(bot).rules(config.rules);
    game.play(|_: Event| ()).unwrap_or_else(|error| panic!("{bot}: {error}"))
}

#[track_caller]
fn assert_same(original: &GameKind, case: &str, name: &str, bot: &str) {
    let ours = play(GameKind::named("samegame").expect("a game").as_ref(), case, bot);
    let theirs = play(original, case, bot);
    let told = |end: &End| {
        (
            end.official.clone(),
            end.score,
            end.turns,
            end.won,
            end.summary.clone(),
            end.metadata.clone(),
        )
    };
    assert_eq!(told(&theirs), told(&ours), "{name} {bot}");
    // The SDK does not say whether a reply was malformed or illegal.
    let is_known = !matches!(ours.verdict, Verdict::MalformedReply | Verdict::IllegalMove);
    let expected = if is_known { ours.verdict } else { Verdict::Lost };
    assert_eq!(theirs.verdict, expected, "{name} {bot}");
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn games_through_the_genuine_referee_end_as_ours_do() {
    let Some(shared) = shared() else {
        return leave_out("the genuine referee", "REFEREE_SHARED_DATA has no judges/codingame");
    };
    let original = original(&shared);
    let cases = (1..=50).map(|number| {
        let file = shared.join(format!("samegame/codingame/test{number}.json"));
        let text = std::fs::read_to_string(file).expect("a test case");
        (format!("test{number}"), parse_test_case(&text).expect("a test case").text)
    });
    let cases: Vec<(String, String)> = cases.collect();
    let bots = ["greedy", "random"].map(str::to_owned);
    let bots = cases.iter().zip(bots.into_iter().cycle());
    // With `REFEREE_GENUINE_CASES=50` in the environment each fault meets each case.
    let each = std::env::var("REFEREE_GENUINE_CASES").ok();
    let each = each.map_or(1, |each| each.parse().expect("REFEREE_GENUINE_CASES is a number"));
    let faults = FAULTS.iter().chain(&DELAYS).enumerate().flat_map(|(at, fault)| {
        let some = cases.iter().cycle().skip(at).take(each);
        some.map(move |case| (case, format!("misbehaving {fault} --on-turn 2")))
    });
    let games: Vec<_> = bots.chain(faults).collect();
    for_each_in_parallel(&games, |((name, case), bot)| assert_same(&original, case, name, bot));
}
