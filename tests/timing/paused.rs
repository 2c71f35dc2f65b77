//! Bots that compute although they are paused, while another one is asked.

use super::alone;
use support::prelude::*;

/// Has processes compute without end in its second turn, this many, although it is paused: timers continue them. A stop would take away
/// a signal that waits for its handler, so there is none, and the kernel does not repeat a timer's signal that is ignored.
const HOGS: &str = "import ctypes, os, signal, sys\n\
    libc = ctypes.CDLL(None)\n\
    event, timer = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0), ctypes.c_void_p()\n\
    (starts, start), (are_ready, ready) = os.pipe(), os.pipe()\n\
    hogs = int(sys.argv[1])\n\
    for _ in range(hogs):\n\
    \x20   if os.fork() == 0:\n\
    \x20       for tenth in range(1, 200):\n\
    \x20           libc.timer_create(1, event, ctypes.byref(timer))\n\
    \x20           time_left = (ctypes.c_long * 4)(0, 0, tenth // 10, tenth % 10 * 100_000_000)\n\
    \x20           libc.timer_settime(timer, 0, time_left, None)\n\
    \x20       os.write(ready, b'.')\n\
    \x20       os.read(starts, 1)\n\
    \x20       while True: pass\n\
    for _ in range(hogs): os.read(are_ready, 1)\n\
    for number, line in enumerate(sys.stdin):\n\
    \x20   if number == 1:\n\
    \x20       open(os.environ['HERE'] + '/hogs', 'w')\n\
    \x20       os.write(start, bytes(hogs))\n\
    \x20   print(1, flush=True)\n";

/// Needs this many seconds of CPU time in its first turn after that.
const COMPUTES: &str = "import os, sys, time\n\
    needed, hogs = float(sys.argv[1]), os.environ['HERE'] + '/hogs'\n\
    for line in sys.stdin:\n\
    \x20   if needed and os.path.exists(hogs):\n\
    \x20       end, needed = time.process_time() + needed, 0\n\
    \x20       while time.process_time() < end: pass\n\
    \x20   print(1, flush=True)\n";

/// Asks each of two players six times, from the second time on under a limit in ms, until one gives no reply. Its last words are the time of
/// the slowest reply under this limit.
const JUDGE: &str = "import json, sys\n\
    def say(**message): print(json.dumps(message), flush=True)\n\
    input()\n\
    slowest, scores = 0, [1, 1]\n\
    for number in range(12):\n\
    \x20   player, limit = number % 2, 60_000 if number < 2 else int(sys.argv[1])\n\
    \x20   say(ask='go\\n', player=player, limit_ms=limit)\n\
    \x20   answer = json.loads(input())\n\
    \x20   if number > 1: slowest = max(slowest, answer.get('elapsed_ms', 0))\n\
    \x20   scores[player] = int('reply' in answer)\n\
    \x20   if not scores[player]: break\n\
    say(end='completed', scores=scores, official=str(slowest))\n";

/// The seats of a game of a bot in the seat `cheat` that has this many processes compute, and of another that needs `cpu` seconds under
/// a limit in ms; and the log.
fn game_with_hogs(
    python: &str,
    method: &str,
    cheat: usize,
    [hogs, cpu, limit]: [&str; 3],
) -> (Value, String) {
    let (place, mark) = (Place::new(), Mark::new());
    fs::write(place.path("judge.py"), JUDGE).expect("room");
    let settings = format!(
        "[game.six]\nkind = \"judge\"\ncommand = \"{python} judge.py {limit}\"\nplayers = 2\n"
    );
    fs::write(place.path("referee.toml"), settings).expect("room");
    let here = format!("HERE={}", place.folder().display());
    let cheats = bot_line(&[python, "-c", HOGS, hogs]);
    let computes = bot_line(&[python, "-c", COMPUTES, cpu]);
    let mut bots = [&*cheats, &*computes];
    bots.rotate_right(cheat);
    let play = || {
        let _ = fs::remove_file(place.path("hogs"));
        let play = place.command(&["play", "--game", "six", "--seed", "7", "--log", "game.jsonl"]);
        let play = play.args(["--bot", bots[0], "--bot", bots[1], "--env", mark.env()]);
        // On one core, so that they meet.
        let play = play.args(["--pin", "--env", &here]);
        let played = play.args(["--containment", method, "--format", "json"]).run().json();
        mark.assert_gone();
        played
    };
    let played = undisturbed(has_host_part, play);
    let seats = played["seats"].clone();
    assert_eq!(place.command(&["replay", "game.jsonl"]).json()["agrees"], true, "{seats}");
    // The judge hears of the bot's own time alone.
    let slowest: f64 = played["official"].as_str().and_then(|it| it.parse().ok()).expect("a time");
    assert!(slowest <= limit.parse().expect("a limit"), "{played}");
    let again = place.command(&["replay", "game.jsonl", "--rejudge"]).run().exits(0).out();
    assert!(again.contains("messages are the same as in the log"), "{again}");
    (seats, fs::read_to_string(place.path("game.jsonl")).expect("a log"))
}

/// Whether a seat's diagnosis has these words.
fn is_told(seat: &Value, words: &str) -> bool {
    seat["diagnosis"].as_str().is_some_and(|diagnosis| diagnosis.contains(words))
}

#[test]
fn a_bot_that_makes_another_late_although_it_is_paused_is_named_and_the_reply_counts() {
    let Some([python]) = need("a bot that continues itself", ["python3"]) else { return };
    let _alone = alone();
    for (method, cheat) in ALL_METHODS.into_iter().flat_map(|it| [(it, 0), (it, 1)]) {
        // The kernel may give each bot half of the core, however many processes it has.
        let (seats, log) = game_with_hogs(python, method, cheat, ["14", "0.4", "600"]);
        let what = format!("{method} {cheat}: {log}");
        let (cheating, other) = (&seats[cheat], &seats[1 - cheat]);
        assert_eq!(other["verdict"], "completed", "{what}");
        let by_seat =
            format!(r#""overrun":{{"culprit":{{"seat":{cheat}}},"decision":"accepted"}}"#);
        assert_eq!(log.matches(&by_seat).count(), 1, "{what}");
        let late = "1 turn answered late because the bot in seat";
        let counted = format!("{late} {cheat} computed although it was paused, and counted");
        assert!(is_told(other, &counted), "{what}");
        let delays = "1 turn of others late because it computed although it was paused";
        assert!(is_told(cheating, delays), "{what}");
        assert!(cheating["ponder_cpu_ms"].as_f64() > Some(50.0), "{what}");
    }
}

#[test]
fn a_bot_that_keeps_another_from_answering_although_it_is_paused_is_ended() {
    let Some([python]) = need("a bot that continues itself", ["python3"]) else { return };
    let _alone = alone();
    // Without a keeper both bots are in one session, and all processes get the same share of the core.
    for cheat in [0, 1] {
        let (seats, log) = game_with_hogs(python, "plain", cheat, ["40", "0.3", "1000"]);
        let (cheating, other) = (&seats[cheat], &seats[1 - cheat]);
        assert_eq!([&cheating["verdict"], &other["verdict"]], ["timeout", "completed"], "{log}");
        assert_eq!(log.matches(r#""culprit":{"seat":"#).count(), 1, "{log}");
        assert!(is_told(cheating, "1 turn of others late because it computed"), "{log}");
        assert!(is_told(cheating, "no answer within 1 s") && !log.contains("early"), "{log}");
        // The other one has answered, and then won.
        assert_eq!([&cheating["place"], &other["place"]], [2, 1], "{log}");
    }
}
