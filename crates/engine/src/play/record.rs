//! Makes the events that the match loop emits.

use std::time::{Duration, Instant};

use super::diagnosis::{Observations, Seen};
use super::player::Reply;
use super::table::Ended;
use super::{Match, Seated};
use contain::bot::{BotCommand, Confinement};
use results::gamelog::{self, Asked, Bytes, End, FORMAT, Machine, ProcessEnd, Start, Turn};
use results::metrics::MetricCollector;
use rules::game::{Ask, Effect, Game, Seat, TestCase};
use terms::millis::Millis;
use terms::verdict::{Culprit, Decision, Overrun, Verdict};

/// The start of an attempt; `disturbed` are the diagnoses of earlier attempts.
pub(super) fn start(
    played: &Match<'_>,
    case: &TestCase,
    begun: &Game,
    disturbed: &[String],
) -> Start {
    let mut bots = played.seats.iter().map(bot);
    // Without a judge the rules tell how the game begins.
    let judged = played.game.judge.as_ref().map(|_| begun);
    Start {
        format: FORMAT,
        referee: env!("CARGO_PKG_VERSION").to_owned(),
        game: played.game.name.clone(),
        judge: played.game.judge.clone(),
        better: played.game.better,
        board: played.board.to_owned(),
        test_case: case.text.clone(),
        score: judged.and_then(|game| game.score(0)),
        summary: judged.map(|game| game.summary().to_vec()).unwrap_or_default(),
        bot: bots.next().unwrap_or_default(),
        others: bots.collect(),
        profile: played.rules.profile.name().to_owned(),
        limits: played.rules.limits,
        retried: disturbed.to_vec(),
        host: Machine::here(),
        time: jiff::Timestamp::now(),
    }
}

fn bot(seated: &Seated<'_>) -> gamelog::Bot {
    let BotCommand { program, args, cwd, env, pinning, confinement } = seated.command;
    let text = |os: &std::ffi::OsStr| os.to_string_lossy().into_owned();
    gamelog::Bot {
        name: seated.name.to_owned(),
        command: std::iter::once(program).chain(args).map(|word| text(word)).collect(),
        cwd: cwd.as_ref().map(|cwd| text(cwd.as_os_str())),
        cores: pinning.as_ref().map(|pinning| pinning.cores.clone()),
        env: env.iter().map(|(key, value)| (text(key), text(value))).collect(),
        containment: confinement.method.name().to_owned(),
        sandbox: confinement.sandbox.is_some(),
        resources: confinement.resources,
        memory_limit: how_memory_is_limited(confinement).into(),
    }
}

fn how_memory_is_limited(confinement: &Confinement) -> &'static str {
    match confinement.resources.memory {
        None => "",
        Some(_) if confinement.method.uses_cgroups() => "enforced",
        Some(_) => "watched",
    }
}

/// The shortest time that a bot ran on for that is worth a word.
const NOTICEABLE: Duration = Duration::from_millis(1);

/// The record of a game while it is played.
pub(super) struct Record<'a> {
    game: &'a Match<'a>,
    started: Instant,
    seats: Vec<SeatRecord<'a>>,
    turns: u32,
    verdict: Verdict,
    /// The seat of the first bot that failed through the host's fault.
    spoilt: Option<Seat>,
}

/// What is collected of a bot.
struct SeatRecord<'a> {
    observations: Observations<'a>,
    collector: MetricCollector,
}

impl<'a> Record<'a> {
    /// The record of a game whose first bot is about to start.
    pub(super) fn new(game: &'a Match<'a>) -> Self {
        let seat = |seated: &Seated<'a>| SeatRecord {
            observations: Observations::new(game.game, seated.command),
            collector: MetricCollector::default(),
        };
        Self {
            game,
            started: Instant::now(),
            seats: game.seats.iter().map(seat).collect(),
            turns: 0,
            verdict: Verdict::Completed,
            spoilt: None,
        }
    }

    /// Adds an exchange and its effect.
    pub(super) fn turn(&mut self, ask: &Ask, reply: Reply, effect: Effect) -> Turn {
        let seen = Seen::new(ask, &reply, &effect);
        let Reply { exchanged, limit, overrun, ran_on, .. } = reply;
        self.turns += 1;
        let SeatRecord { observations, collector } = &mut self.seats[ask.seat];
        self.verdict = effect.verdict;
        if overrun == Some(Overrun { culprit: Culprit::Host, decision: Decision::Timeout }) {
            self.spoilt.get_or_insert(ask.seat);
        }
        if let (Some(traces), Some(trace)) = (self.game.traces, exchanged.trace) {
            traces.add(self.turns, overrun.map(|overrun| overrun.culprit), *trace);
        }
        // Without a judge the rules tell what was asked.
        let is_judged = self.game.game.judge.is_some();
        let asked = is_judged.then(|| Asked {
            summary: effect.summary,
            out: effect.out,
            ..Asked::new(ask, limit)
        });
        let turn = Turn {
            turn: self.turns,
            seat: ask.seat,
            limit: ask.limit,
            asked,
            no_reply: exchanged.no_reply,
            action: effect.action,
            gain: effect.gain,
            score: effect.score,
            wall: Millis(exchanged.wall),
            ran_on: Some(Millis(ran_on)).filter(|_| ran_on >= NOTICEABLE),
            certificate: exchanged.certificate,
            overrun,
            early: exchanged.input.early,
            unread_input: exchanged.input.unread,
            stdin_closed: exchanged.input.closed,
            stopped: exchanged.stopped,
            said: collector.add(&exchanged.stderr.bytes, exchanged.stderr.dropped),
            reply: Bytes(exchanged.reply.into_bytes()),
            stderr: Bytes(exchanged.stderr.bytes),
            stderr_dropped: exchanged.stderr.dropped,
        };
        observations.add(&turn, effect.verdict, seen);
        turn
    }

    /// The end of a game whose bots ended so, and the diagnosis of the first one that failed through the host's fault.
    pub(super) fn end(self, game: &Game, ended: Vec<Option<Ended>>) -> (End, Option<String>) {
        let Self { seats, turns, verdict, spoilt, started, .. } = self;
        let mut end = End::by_rules(game, verdict, turns);
        let is_of_several = !end.seats.is_empty();
        let mut by_host = None;
        for (seat, (record, ended)) in seats.into_iter().zip(ended).enumerate() {
            let Some(ended) = ended else { continue };
            let pondered = ended.pondered;
            let remark = game.end().and_then(|end| end.seats.get(seat)?.remark.clone());
            let process = record.end(ended, remark);
            if spoilt == Some(seat) {
                by_host.clone_from(&process.diagnosis);
            }
            if is_of_several {
                end.seats[seat].process = process;
                end.seats[seat].ponder_cpu = pondered.map(Millis);
            } else {
                end.process = process;
            }
        }
        if is_of_several {
            end.process.wall = Some(Millis(started.elapsed()));
        }
        (end, by_host)
    }
}

impl SeatRecord<'_> {
    /// What is to be said of a bot that has ended.
    fn end(self, Ended { ending, wall, .. }: Ended, remark: Option<String>) -> ProcessEnd {
        ProcessEnd {
            diagnosis: self.observations.diagnose(&ending, remark),
            said: self.collector.finish(&ending.stderr.bytes, ending.stderr.dropped),
            bot_exit: ending.exit,
            killed: ending.killed,
            late_output: Bytes(ending.late_output.bytes),
            late_output_dropped: ending.late_output.dropped,
            stderr: Bytes(ending.stderr.bytes),
            stderr_dropped: ending.stderr.dropped,
            wall: Some(Millis(wall)),
        }
    }
}
