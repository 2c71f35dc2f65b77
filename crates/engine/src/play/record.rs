//! Makes the events that the match loop emits.

use std::time::{Duration, Instant};

use super::Match;
use contain::bot::{BotCommand, Confinement, Ending, Exchanged};
use results::gamelog::{self, Asked, Bytes, End, FORMAT, Host, Start, Turn};
use results::said::{Said, SaidCollector};
use rules::game::Game;
use rules::ruling::Ruling;
use rules::score::Score;
use terms::limits::LimitKind;
use terms::millis::Millis;

/// The start of an attempt; `spoilt` are the diagnoses of earlier attempts.
pub(super) fn start(played: &Match<'_>, game: &dyn Game, spoilt: &[String]) -> Start {
    let BotCommand { program, args, cwd, env, pinning, confinement } = played.command;
    let text = |os: &std::ffi::OsStr| os.to_string_lossy().into_owned();
    Start {
        format: FORMAT,
        referee: env!("CARGO_PKG_VERSION").to_owned(),
        game: played.game.name.clone(),
        judge: played.game.judge.clone(),
        better: played.game.better,
        board: played.board.to_owned(),
        test_case: game.test_case().to_owned(),
        bot: gamelog::Bot {
            name: played.bot.to_owned(),
            command: std::iter::once(program).chain(args).map(|word| text(word)).collect(),
            cwd: cwd.as_ref().map(|cwd| text(cwd.as_os_str())),
            cores: pinning.as_ref().map(|pinning| pinning.cores.clone()),
            env: env.iter().map(|(key, value)| (text(key), text(value))).collect(),
            containment: confinement.method.name().to_owned(),
            sandbox: confinement.sandbox.is_some(),
            resources: confinement.resources,
            memory_limit: how_memory_is_limited(confinement).into(),
        },
        profile: played.rules.profile.name().to_owned(),
        limits: played.rules.limits,
        retried: spoilt.to_vec(),
        host: Host::here(),
        time: jiff::Timestamp::now(),
    }
}

fn how_memory_is_limited(confinement: &Confinement) -> &'static str {
    match confinement.resources.memory {
        None => "",
        Some(_) if confinement.method.uses_cgroups() => "enforced",
        Some(_) => "watched",
    }
}

/// What the bot was asked, if only the game's judge knows it.
pub(super) fn asked(game: &dyn Game, passed: &str, limit: Option<Duration>) -> Option<Asked> {
    let ask = game.asked()?;
    Some(Asked {
        input: ask.input.clone() + passed,
        lines: ask.lines,
        limit: limit.map(Millis),
        official: ask.limit.map(Millis),
        summary: Vec::new(),
    })
}

/// An exchange and its ruling.
pub(super) fn turn(
    turn: u32,
    limit: LimitKind,
    exchanged: Exchanged,
    ruling: Ruling,
    score: Option<Score>,
) -> Turn {
    Turn {
        turn,
        limit,
        asked: None,
        reply: Bytes(exchanged.reply.into_bytes()),
        no_reply: exchanged.no_reply,
        action: ruling.action,
        gain: ruling.gain,
        score,
        wall: Millis(exchanged.wall),
        certificate: exchanged.certificate,
        overrun: None,
        early: exchanged.input.early,
        unread_input: exchanged.input.unread,
        stdin_closed: exchanged.input.closed,
        stopped: exchanged.stopped,
        stderr: Bytes(exchanged.stderr.bytes),
        stderr_dropped: exchanged.stderr.dropped,
        said: Said::default(),
    }
}

/// The end of a game whose bot was started at `started` and had this `ending`.
pub(super) fn ended(
    end: End,
    ending: Ending,
    diagnosis: Option<String>,
    collector: SaidCollector,
    started: Instant,
) -> End {
    let said = collector.finish(&ending.stderr.bytes, ending.stderr.dropped);
    End {
        diagnosis,
        bot_exit: ending.exit,
        killed: ending.killed,
        late_output: Bytes(ending.late_output.bytes),
        late_output_dropped: ending.late_output.dropped,
        stderr: Bytes(ending.stderr.bytes),
        stderr_dropped: ending.stderr.dropped,
        said,
        wall: Some(Millis(started.elapsed())),
        ..end
    }
}
