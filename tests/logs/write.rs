//! The record of any game: it is written, read back, and refereed again to the same result. `saved` has a log with every field.

use proptest::prelude::*;
use referee::game::samegame::generate::random_board;
use referee::game::{Answer, GameKind};
use referee::gamelog::{self, Bot, Bytes, End, Event, FORMAT, Machine, Start, Turn};
use referee::limits::{Breach, Limits, Resource};
use referee::lines::{Lines, Progress};
use referee::score::Direction;
use referee::verdict::{BotExit, NoReply, Verdict};

fn exits() -> impl Strategy<Value = BotExit> {
    prop_oneof![(0..256).prop_map(BotExit::Code), (1..65).prop_map(BotExit::Signal)]
}

fn breaches() -> impl Strategy<Value = Breach> {
    let resources = prop_oneof![
        Just(Resource::Memory),
        Just(Resource::Processes),
        Just(Resource::TurnOutput),
        Just(Resource::GameOutput),
    ];
    let numbers = any::<(u64, u64)>();
    (resources, numbers).prop_map(|(resource, (used, limit))| Breach { resource, used, limit })
}

fn no_replies() -> impl Strategy<Value = NoReply> {
    prop_oneof![
        Just(NoReply::Deadline),
        Just(NoReply::LineTooLong),
        Just(NoReply::StdoutClosed),
        Just(NoReply::Ended(BotExit::Unknown)),
        exits().prop_map(NoReply::Ended),
        breaches().prop_map(NoReply::OverLimit),
    ]
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut text = Vec::new();
    for event in events {
        serde_json::to_writer(&mut text, event).expect("JSON");
        text.push(b'\n');
    }
    text
}

/// A game of SameGame without a process: replies as any bot may write them, and then none.
fn played(board: &str, replies: &[Vec<u8>], no_reply: NoReply) -> Vec<Event> {
    let kind = GameKind::named("samegame").expect("a game");
    let case = (kind.parse)(board).expect("a board");
    let mut game = case.opening().expect("its rules are here");
    let mut replies = replies.iter();
    let mut events = vec![Event::Start(Start {
        format: FORMAT,
        referee: String::new(),
        game: kind.name.clone(),
        judge: None,
        better: Direction::Higher,
        board: String::new(),
        test_case: case.text,
        score: None,
        summary: Vec::new(),
        bot: Bot::default(),
        others: Vec::new(),
        profile: String::new(),
        limits: Limits::default(),
        retried: Vec::new(),
        host: Machine::default(),
        time: jiff::Timestamp::UNIX_EPOCH,
    })];
    let mut verdict = Verdict::Completed;
    for turn in 1.. {
        let Some(ask) = game.next_ask() else { break };
        let (limit, rules) = (ask.limit, ask.lines);
        let lines = replies.next().map_or_else(Lines::default, |reply| Lines::split(reply));
        let no_reply = match lines.progress(&rules) {
            Progress::Complete(_) => None,
            Progress::TooLong => Some(NoReply::LineTooLong),
            Progress::Incomplete => Some(no_reply),
        };
        let effect = game.answer(Answer::new(&lines, no_reply)).expect("its rules are here");
        verdict = effect.verdict;
        events.push(Event::Turn(Turn {
            no_reply,
            action: effect.action,
            gain: effect.gain,
            score: effect.score,
            ..Turn::with_reply(turn, limit, Bytes(lines.into_bytes()))
        }));
    }
    let turns = u32::try_from(events.len() - 1).expect("few");
    events.push(Event::End(End::by_rules(&game, verdict, turns)));
    events
}

/// Mostly moves, some of them legal, and now and then anything else.
fn replies() -> impl Strategy<Value = Vec<u8>> {
    let move_text = (0..16, 0..16, "( [a-z]{0,40})?", "(\n|\r|\r\n|)");
    prop_oneof![
        30 => move_text.prop_map(|(x, y, message, end)| format!("{x} {y}{message}{end}").into_bytes()),
        1 => any::<Vec<u8>>().prop_map(|mut bytes| {
            bytes.retain(|byte| !b"\r\n".contains(byte));
            bytes.push(b'\n');
            bytes
        }),
        1 => (9990..10_010_usize).prop_map(|length| vec![b'0'; length]),
    ]
}

proptest! {
    #[test]
    fn the_replay_of_any_game_agrees(
        seed: i64,
        colors in 1..=3_u8,
        replies in proptest::collection::vec(replies(), 0..40),
        no_reply in no_replies(),
    ) {
        let board = random_board(seed, colors).expect("a board").to_string();
        let text = written(&played(&board, &replies, no_reply));
        let log = gamelog::read(&text).expect("a good log");
        let replayed = referee::replay::replay(&log).expect("a game");
        prop_assert_eq!(&replayed.difference, &None);
        prop_assert_eq!(replayed.end, log.end);
    }
}
