//! The bots of a game in their seats. One of them is asked at a time; the others are stopped in the meantime, so that none makes another
//! late, unless they may ponder.

use std::time::Duration;

use super::player::{Player, Reply};
use super::{Match, PlayError};
use contain::bot::{BotEnd, TableWatch};
use rules::game::{Ask, Game, JudgeFailure, Seat};

/// The seats of a game.
pub(super) struct Table<'a> {
    game: &'a Match<'a>,
    seats: Vec<SeatState<'a>>,
    /// Watches the bots that are not asked, in a game of several players.
    watch: Option<TableWatch>,
}

/// A seat: neither its bot nor that bot's end is there before it is asked.
#[derive(Default)]
struct SeatState<'a> {
    playing: Option<Box<Player<'a>>>,
    ended: Option<Ended>,
}

/// How a bot ended, and the time from its start until it was reaped.
pub(super) struct Ended {
    pub(super) ending: BotEnd,
    pub(super) wall: Duration,
    /// The CPU time that it used in others' turns, where it was left running.
    pub(super) pondered: Option<Duration>,
}

impl<'a> Table<'a> {
    /// All seats, before the first bot starts.
    pub(super) fn new(game: &'a Match<'a>) -> Result<Self, PlayError> {
        let watch = (game.seats.len() > 1).then(TableWatch::start).transpose();
        let watch = watch.map_err(|error| PlayError::Exchange(error.into()))?;
        Ok(Self { game, seats: game.seats.iter().map(|_| SeatState::default()).collect(), watch })
    }

    /// Starts the bot of a seat, unless it was started before.
    pub(super) fn start(&mut self, seat: Seat) -> Result<(), PlayError> {
        let Some(place) = self.seats.get_mut(seat) else {
            let players = self.game.game.players;
            let what = format!("asked player {seat}, and the {players} players count from 0");
            return Err(PlayError::Judge(JudgeFailure::new(what)));
        };
        if place.playing.is_none() && place.ended.is_none() {
            let mut player = Player::start(self.game, self.game.seats[seat].command)?;
            if let Some(watch) = &self.watch {
                player.join(watch);
            }
            place.playing = Some(Box::new(player));
        }
        Ok(())
    }

    /// Asks the bot of a seat, which is started first if need be, and stops it after its reply, unless it may ponder, or nobody else
    /// plays.
    pub(super) fn exchange(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        self.start(ask.seat)?;
        let is_over =
            |(seat, place): (Seat, &SeatState<'_>)| seat == ask.seat || place.ended.is_some();
        let plays_alone = self.seats.iter().enumerate().all(is_over);
        let place = &mut self.seats[ask.seat];
        let Some(mut player) = place.playing.take() else {
            let what = format!("asked player {} after that player was out", ask.seat);
            return Err(PlayError::Judge(JudgeFailure::new(what)));
        };
        if let Some(peer) = ask.peer.take() {
            *player = player.meet(peer)?;
        }
        let player = place.playing.insert(player);
        let mut reply = player.exchange(ask)?;
        if !plays_alone {
            player.wait_for_others(&mut reply);
        }
        Ok(reply)
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
        let mut seats = self.seats;
        seats.iter_mut().for_each(SeatState::end);
        seats.into_iter().map(|place| place.ended).collect()
    }
}

impl SeatState<'_> {
    fn end(&mut self) {
        if let Some(player) = self.playing.take() {
            self.ended = Some(player.finish());
        }
    }
}
