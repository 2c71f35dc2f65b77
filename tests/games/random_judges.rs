//! Whatever a judge says, and at whatever moment: its game as it was played is its log's game, replayed, verified and shown.
//!
//! `REFEREE_RANDOM_JUDGES=500` plays more of them.

use referee::gamelog::Log;
use referee::replay::replay;
use referee::score::Score;
use referee::verdict::NoReply;
use referee::view::film::Film;
use support::prelude::*;

/// Does what the judge's number says: see `random-judge.py`.
const BOT: &str = r#"while read -r what; do
    case $what in
        -1) exit ;;
        -2) head -c 11000 /dev/zero | tr '\0' 1; echo ;;
        0) echo last; exit ;;
        *) while [ "$what" -gt 0 ]; do echo "$what"; what=$((what - 1)); done ;;
    esac
done
"#;

/// The protocols, each with the numbers of players that it is for.
const GAMES: [(&str, std::ops::RangeInclusive<usize>); 3] =
    [("judge", 1..=4), ("codingame", 1..=4), ("brutaltester", 2..=4)];

#[test]
fn what_a_random_judge_says_is_in_its_log() {
    let Some([python]) = need("random judges", ["python3"]) else { return };
    let all: usize =
        std::env::var("REFEREE_RANDOM_JUDGES").map_or(44, |all| all.parse().expect("a number"));
    let kinds: usize = GAMES.into_iter().map(|(_, players)| players.count()).sum();
    let (place, of_kind) = (Place::new(), all.div_ceil(kinds));
    fs::copy(data("random-judge.py"), place.path("random-judge.py")).expect("room");
    fs::write(place.path("bot.sh"), BOT).expect("room");
    fs::create_dir(place.path("cases")).expect("room");
    for seed in 1..=of_kind {
        fs::write(
            place.path(&format!("cases/{seed}.txt")),
            format!("{{\"testIn\":\"seed={seed}\"}}"),
        )
        .expect("room");
    }
    let mut games = 0;
    for (kind, players) in GAMES.into_iter().flat_map(|(kind, all)| all.map(move |it| (kind, it))) {
        let run = format!("{kind}-{players}");
        // Each seed is played from every seat.
        let seeds = of_kind.div_ceil(players);
        let planned = seeds * players;
        let more = match (kind, players) {
            ("codingame", 1) => "criteria = \"Points\"\ncases = \"cases\"\n".to_owned(),
            _ => format!("players = {players}\n"),
        };
        let command = format!("{python} random-judge.py {kind} {players}");
        let settings = format!("[game.{run}]\nkind = \"{kind}\"\ncommand = \"{command}\"\n{more}");
        fs::write(place.path("referee.toml"), settings).expect("room");
        let bots = (0..players).flat_map(|bot| ["--bot".to_owned(), format!("sh bot.sh {bot}")]);
        let last = format!("1..{seeds}");
        let boards = if more.contains("cases") { vec![] } else { vec!["--seed", &last] };
        let suite = ["suite", "--game", &run, "--run", &run, "--logs", "all", "--keep-going"];
        let played = place.command(&suite).patient().args(boards).args(bots).run();
        assert!(matches!(played.status.code(), Some(0 | 1)), "{run}: {played:?}");
        let verified = place.referee(&["verify", &run]);
        let text = String::from_utf8_lossy(&verified.stdout);
        assert!(
            text.starts_with(&format!("{planned} of {planned} games of {run} agree")),
            "{text}"
        );
        for outcome in
            place.results(&run).into_iter().filter(|outcome| outcome.table() == outcome.game)
        {
            check_log(&place.run(&run).log_path(outcome.game));
            games += 1;
        }
    }
    assert!(games >= all, "{games}");
}

/// Checks a log against what its judge expected of the referee.
fn check_log(log: &Path) {
    let at = log.display();
    let log = Log::open(log).expect("a log");
    assert_eq!(replay(&log).expect("replays").difference, None, "{at}");
    let end = log.end.clone().expect("an end");
    let expected = end.metadata.get("expected");
    // That protocol has no place for it.
    let has_none = log.start.judge.as_ref().is_some_and(|judge| judge.kind == "brutaltester");
    assert_eq!(expected.is_none(), has_none, "{at}");
    if let Some(expected) = expected {
        let expected: Value = serde_json::from_str(expected).expect("JSON");
        assert_eq!(json!(end.summary), expected["summary"], "{at}");
        let score: Option<Score> =
            expected["score"].as_str().map(|score| score.parse().expect("a score"));
        assert_eq!(end.score, score, "{at}");
        let places: Vec<u32> = end.seats.iter().map(|seat| seat.place).collect();
        let expected = expected.get("places").cloned().unwrap_or_else(|| json!([]));
        assert_eq!(json!(places), expected, "{at}");
    }
    for turn in &log.turns {
        let is_too_long = turn.reply.0.len() >= 10_000;
        assert_eq!(is_too_long, turn.no_reply == Some(NoReply::LineTooLong), "{at}");
    }
    let is_of_several = log.start.is_of_several();
    let film = Film::of_log(log).expect("a film");
    let told: String = film.turns.iter().map(|turn| film.told(turn)).collect();
    if !film.turns.is_empty() {
        assert_eq!(told, film.told_at_end(), "{at}");
    }
    let is_raw = told.contains('¤') || is_of_several && told.contains("$0");
    assert!(!is_raw, "{at}: {told}");
}
