//! Judges as processes next to bots: their time is not the bot's, and they do not outlive the referee.

use support::prelude::*;

/// A place with judges of three questions: `quick`, `slow`, which sleeps for a second before each of them, and `endless`.
fn with_judges() -> Place {
    let place = Place::new();
    let double = double();
    let game = |name: &str| {
        let command = format!("'{}' misbehaving judge {name}", double.display());
        format!("[game.{name}]\nkind = \"judge\"\ncommand = \"{command}\"\n")
    };
    let settings = ["quick", "slow", "endless"].map(game).concat();
    fs::write(place.path("referee.toml"), settings).expect("written");
    fs::write(place.path("repeat.sh"), "while read -r n; do echo $n; done").expect("written");
    place
}

#[test]
fn the_time_of_a_slow_judge_is_not_the_bots() {
    let place = with_judges();
    let words = ["play", "--game", "slow", "--seed", "1", "--bot", "sh repeat.sh"];
    // Half of what the judge takes for a question.
    let limits = ["--first-turn", "60s", "--turn", "500ms", "--format", "json"];
    let played = undisturbed(has_host_part, || place.command(&words).args(limits).run().json());
    assert_eq!((&played["verdict"], &played["turns"]), (&"completed".into(), &3.into()));
}

/// Kills this many referees: every second one while judge and bot play, the others at any moment before.
fn kill_referees(kills: u32) {
    let (place, mark) = (with_judges(), Mark::new());
    fs::create_dir(place.path("temporary")).expect("made");
    let (name, value) = mark.env().split_once('=').expect("a variable");
    let play = |game: &str| {
        let mut play = place
            .command(&["play", "--game", game, "--seed", "1"])
            .args(["--bot", "sh repeat.sh"])
            .patient()
            .stdout(Stdio::null());
        // What is in the referee's environment, its launcher and its keepers have as well.
        play = play.env("TMPDIR", place.path("temporary")).env(name, value);
        play
    };
    for kill in 0..kills {
        let mut referee = play("endless").stderr(Stdio::null()).start();
        if kill % 2 == 0 {
            let plays =
                |program: &str| mark.processes().values().any(|command| command.contains(program));
            wait_until("both play", || plays(" misbehaving ") && plays("repeat.sh"));
        }
        sleep(Duration::from_millis(u64::from(kill * 7 % 60)));
        referee.kill().expect("it plays");
        referee.wait().expect("a child");
        mark.assert_gone();
    }
    // What is left of files goes with the next referee.
    assert_code(&play("quick").run(), 0);
    let left = fs::read_dir(place.path("temporary")).expect("a folder").count();
    assert_eq!(left, 0, "scratch folders");
}

#[test]
fn a_referee_that_is_killed_leaves_neither_judge_nor_bot() {
    kill_referees(6);
}

/// Kills of referees whose games have outside judges.
mod heavy {
    use super::kill_referees;

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn referees_killed_at_many_moments_leave_neither_judge_nor_bot() {
        let kills = std::env::var("REFEREE_KILLS").ok();
        kill_referees(kills.map_or(20, |kills| kills.parse().expect("REFEREE_KILLS is a number")));
    }
}
