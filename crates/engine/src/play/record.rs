//! Makes the events that the match loop emits.

use std::time::Instant;

use super::Match;
use super::diagnosis::{Observations, Seen};
use super::player::Reply;
use contain::bot::{BotCommand, Confinement, Ending};
use results::gamelog::{self, Asked, Bytes, End, FORMAT, Host, Start, Turn};
use results::said::SaidCollector;
use rules::game::{Ask, Effect, Game, TestCase};
use terms::millis::Millis;
use terms::verdict::{Overrun, Verdict};

/// The start of an attempt; `disturbed` are the diagnoses of earlier attempts.
pub(super) fn start(played: &Match<'_>, case: &TestCase, disturbed: &[String]) -> Start {
    let BotCommand { program, args, cwd, env, pinning, confinement } = played.command;
    let text = |os: &std::ffi::OsStr| os.to_string_lossy().into_owned();
    Start {
        format: FORMAT,
        referee: env!("CARGO_PKG_VERSION").to_owned(),
        game: played.game.name.clone(),
        judge: played.game.judge.clone(),
        better: played.game.better,
        board: played.board.to_owned(),
        test_case: case.text.clone(),
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
        retried: disturbed.to_vec(),
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

/// The record of a game while it is played.
pub(super) struct Record<'a> {
    game: &'a Match<'a>,
    started: Instant,
    observations: Observations<'a>,
    collector: SaidCollector,
    turns: u32,
    verdict: Verdict,
    overrun: Option<Overrun>,
}

impl<'a> Record<'a> {
    /// The record of a game whose bot is about to start.
    pub(super) fn new(game: &'a Match<'a>) -> Self {
        Self {
            game,
            started: Instant::now(),
            observations: Observations::new(game),
            collector: SaidCollector::default(),
            turns: 0,
            verdict: Verdict::Completed,
            overrun: None,
        }
    }

    /// Adds an exchange and its effect.
    pub(super) fn turn(&mut self, ask: &Ask, reply: Reply, effect: Effect) -> Turn {
        let seen = Seen::new(ask, &reply, &effect);
        let Reply { exchanged, limit, overrun, .. } = reply;
        self.turns += 1;
        (self.verdict, self.overrun) = (effect.verdict, overrun);
        if let (Some(traces), Some(trace)) = (self.game.traces, exchanged.trace) {
            traces.add(self.turns, overrun.map(|overrun| overrun.culprit), *trace);
        }
        // Without a judge the rules tell what was asked.
        let is_judged = self.game.game.judge.is_some();
        let asked = is_judged.then(|| Asked { summary: effect.summary, ..Asked::new(ask, limit) });
        let turn = Turn {
            turn: self.turns,
            limit: ask.limit,
            asked,
            no_reply: exchanged.no_reply,
            action: effect.action,
            gain: effect.gain,
            score: effect.score,
            wall: Millis(exchanged.wall),
            certificate: exchanged.certificate,
            overrun,
            early: exchanged.input.early,
            unread_input: exchanged.input.unread,
            stdin_closed: exchanged.input.closed,
            stopped: exchanged.stopped,
            said: self.collector.add(&exchanged.stderr.bytes, exchanged.stderr.dropped),
            reply: Bytes(exchanged.reply.into_bytes()),
            stderr: Bytes(exchanged.stderr.bytes),
            stderr_dropped: exchanged.stderr.dropped,
        };
        self.observations.add(&turn, effect.verdict, seen);
        turn
    }

    /// The end of a game whose bot had this `ending`, and the overrun if its last reply was late.
    pub(super) fn end(self, game: &Game, ending: Ending) -> (End, Option<Overrun>) {
        let diagnosis = self.observations.diagnose(&ending);
        let said = self.collector.finish(&ending.stderr.bytes, ending.stderr.dropped);
        let end = End {
            diagnosis,
            bot_exit: ending.exit,
            killed: ending.killed,
            late_output: Bytes(ending.late_output.bytes),
            late_output_dropped: ending.late_output.dropped,
            stderr: Bytes(ending.stderr.bytes),
            stderr_dropped: ending.stderr.dropped,
            said,
            wall: Some(Millis(self.started.elapsed())),
            ..End::by_rules(game, self.verdict, self.turns)
        };
        (end, self.overrun)
    }
}
