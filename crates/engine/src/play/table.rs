//! The bots of a game in their seats. One of them is asked at a time; the others are paused in the meantime, so that none makes another
//! late, unless they may ponder.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::overrun::kept_late;
use super::player::{Player, Reply};
use super::{Match, PlayError};
use contain::bot::BotEnd;
use rules::game::{Ask, Game, JudgeFailure, Seat};

/// The seats of a game.
pub(super) struct Table<'a> {
    game: &'a Match<'a>,
    seats: Vec<SeatState<'a>>,
}

/// A seat, with the moment just before its bot was started.
enum SeatState<'a> {
    /// Its bot has not been asked yet.
    Waiting,
    Playing(Box<Player<'a>>, Instant),
    Ended(Ended),
}

/// How a bot ended, and the time from its start until it was reaped.
pub(super) struct Ended {
    pub(super) ending: BotEnd,
    pub(super) wall: Duration,
    /// The CPU time that it used in others' turns, where it was left running, or ran although it was paused.
    pub(super) pondered: Option<Duration>,
    /// Whether it was ended because it kept another bot from answering, although it was paused.
    kept_another: bool,
}

impl<'a> Table<'a> {
    /// All seats, before the first bot starts.
    pub(super) fn new(game: &'a Match<'a>) -> Self {
        Self { game, seats: game.seats.iter().map(|_| SeatState::Waiting).collect() }
    }

    /// Starts the bot of a seat, unless it was started before.
    pub(super) fn start(&mut self, seat: Seat) -> Result<(), PlayError> {
        let Some(place) = self.seats.get_mut(seat) else {
            let players = self.game.game.players;
            let what = format!("asked player {seat}, and the {players} players count from 0");
            return Err(PlayError::Judge(JudgeFailure::new(what)));
        };
        if let SeatState::Waiting = place {
            let started = Instant::now();
            let command = self.game.seats[seat].command;
            *place = SeatState::Playing(Box::new(Player::start(self.game, command)?), started);
        }
        Ok(())
    }

    /// Asks the bot of a seat, which is started first if need be.
    pub(super) fn exchange(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        self.start(ask.seat)?;
        let place = &mut self.seats[ask.seat];
        if let Some(peer) = ask.peer.take() {
            // A peer may have the bot started again.
            if let SeatState::Playing(player, started) =
                std::mem::replace(place, SeatState::Waiting)
            {
                *place = SeatState::Playing(Box::new(player.meet(peer)?), started);
            }
        }
        let is_alone = self.game.seats.len() == 1;
        match place {
            SeatState::Playing(player, _) if is_alone => player.exchange(ask),
            SeatState::Playing(..) if self.game.ponders => self.exchange_while_others_ponder(ask),
            SeatState::Playing(..) => self.exchange_while_others_pause(ask),
            SeatState::Ended(Ended { pondered, kept_another: true, .. }) => {
                let limit = self.game.rules.limit(ask.limit, ask.official);
                Ok(Reply::of_ended(pondered.unwrap_or_default(), limit))
            }
            SeatState::Waiting | SeatState::Ended(_) => {
                let what = format!("asked player {} after that player was out", ask.seat);
                Err(PlayError::Judge(JudgeFailure::new(what)))
            }
        }
    }

    /// Asks a bot while the others are paused. One that computes nevertheless is to blame for a late reply, which then counts. If no
    /// reply came, that one is paused again, and the next time ended, and the bot gets the time that it has lost.
    fn exchange_while_others_pause(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        let mut reply = self.playing(ask.seat).ask(ask)?;
        let (mut culprit, mut paused_again) = (None, BTreeSet::new());
        while let Some(late) = kept_late(&reply.exchanged, reply.left) {
            let Some(seat) = self.take_intruder(ask.seat, late) else { break };
            reply.delayed_by = Some(seat);
            if paused_again.insert(seat) {
                self.playing(seat).pause()?;
            } else {
                self.seats[seat].end_for_keeping_another();
            }
            let has_come = reply.exchanged.no_reply.is_none();
            if has_come || self.playing(ask.seat).ask_on(ask, &mut reply)? {
                culprit = Some(seat);
                break;
            }
        }
        let player = self.playing(ask.seat);
        player.decide(&mut reply, culprit);
        player.pause()?;
        Ok(reply)
    }

    fn playing(&mut self, seat: Seat) -> &mut Player<'a> {
        match &mut self.seats[seat] {
            SeatState::Playing(player, _) => player,
            SeatState::Waiting | SeatState::Ended(_) => unreachable!("the caller has found it"),
        }
    }

    /// Which of the paused bots has computed most since it was paused, if they have for half of the time by which the reply of
    /// another is late. The rest may be errors of measurement.
    fn take_intruder(&mut self, asked: Seat, late: Duration) -> Option<Seat> {
        let mut computed = Vec::new();
        for (seat, place) in self.seats.iter_mut().enumerate() {
            if let SeatState::Playing(player, _) = place
                && seat != asked
            {
                computed.push((player.take_paused_cpu(), seat));
            }
        }
        let all: Duration = computed.iter().map(|(cpu, _)| *cpu).sum();
        let (_, seat) = computed.into_iter().max()?;
        (all >= late / 2).then_some(seat)
    }

    /// Asks a bot while the others run on. They are watched on a separate thread: their samples must not keep the referee from
    /// the reply.
    fn exchange_while_others_ponder(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        let mut asked = None;
        let mut others = Vec::new();
        for (seat, place) in self.seats.iter_mut().enumerate() {
            let SeatState::Playing(player, _) = place else { continue };
            if seat == ask.seat {
                asked = Some(player);
            } else {
                others.push(player);
            }
        }
        let asked = asked.expect("the caller has found it");
        asked.note_pondering();
        if others.is_empty() {
            return asked.exchange(ask);
        }
        let (is_asked, is_over) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let watch = scope.spawn(move || watch(&mut others, &is_over));
            let reply = asked.exchange(ask);
            drop(is_asked);
            watch.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            reply
        })
    }

    /// Ends the bots that play no more, while the game goes on.
    pub(super) fn retire(&mut self, game: &Game) {
        for (seat, place) in self.seats.iter_mut().enumerate() {
            if game.is_out(seat) {
                place.end();
            }
        }
    }

    /// Ends all bots; `None` for those that never started.
    pub(super) fn finish(self) -> Vec<Option<Ended>> {
        let ended = |mut place: SeatState<'a>| {
            place.end();
            match place {
                SeatState::Ended(ended) => Some(ended),
                SeatState::Waiting | SeatState::Playing(..) => None,
            }
        };
        self.seats.into_iter().map(ended).collect()
    }
}

/// Watches bots that are not asked, until the other end of the channel is dropped.
fn watch(bots: &mut [&mut Box<Player<'_>>], is_over: &Receiver<()>) -> Result<(), PlayError> {
    loop {
        let mut next = None;
        for bot in &mut *bots {
            let due = bot.watch_idle()?;
            next = next.into_iter().chain(due).min();
        }
        let Some(next) = next else { return Ok(()) };
        let wait = next.saturating_duration_since(Instant::now());
        if is_over.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return Ok(());
        }
    }
}

impl SeatState<'_> {
    fn end_for_keeping_another(&mut self) {
        self.end();
        if let Self::Ended(ended) = self {
            ended.kept_another = true;
        }
    }

    fn end(&mut self) {
        *self = match std::mem::replace(self, Self::Waiting) {
            Self::Playing(mut player, started) => {
                let pondered = player.pondered();
                let ending = player.finish();
                let wall = started.elapsed();
                Self::Ended(Ended { ending, wall, pondered, kept_another: false })
            }
            other => other,
        };
    }
}
