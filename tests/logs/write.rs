//! The record of any game: it is written, read back, and refereed again to the same result.

use proptest::option;
use proptest::prelude::*;
use referee::game::samegame::generate::random_board;
use referee::game::{Answer, GameKind};
use referee::gamelog::{
    self, Bot, Bytes, Certificate, End, Event, FORMAT, Machine, Parts, ProcessEnd, Start, Turn,
};
use referee::limits::{Breach, LimitKind, Limits, Resource, Resources};
use referee::lines::{Lines, Progress};
use referee::metrics::{GameMetrics, MetricNumbers, MetricValue, Metrics};
use referee::millis::Millis;
use referee::score::{Direction, Score};
use referee::verdict::{BotExit, Culprit, Decision, NoReply, Overrun, Verdict};
use support::prelude::*;

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![any::<Vec<u8>>(), any::<String>().prop_map(String::into_bytes)].prop_map(Bytes)
}

/// Whole numbers, and decimals with as many digits as a score keeps.
fn scores() -> impl Strategy<Value = Score> {
    let decimals = "-?[1-9][0-9]{0,15}\\.[0-9]{1,12}";
    prop_oneof![
        any::<i64>().prop_map(Score::from),
        decimals.prop_map(|text| text.parse().expect("a score"))
    ]
}

/// Up to ten days, to the nanosecond.
fn millis() -> impl Strategy<Value = Millis> {
    (0..864_000_000_000_000_u64).prop_map(|nanos| Millis(Duration::from_nanos(nanos)))
}

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

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Completed),
        Just(Verdict::IllegalMove),
        Just(Verdict::MalformedReply),
        no_replies().prop_map(NoReply::verdict),
    ]
}

fn resources() -> impl Strategy<Value = Resources> {
    let numbers = any::<[Option<u64>; 8]>();
    (numbers, option::of(millis())).prop_map(|(numbers, cpu_time)| {
        let [
            memory,
            stack,
            processes,
            open_files,
            file_size,
            turn_output,
            game_output,
            game_stderr,
        ] = numbers;
        Resources {
            memory,
            stack,
            processes,
            open_files,
            cpu_time,
            file_size,
            turn_output,
            game_output,
            game_stderr,
        }
    })
}

prop_compose! {
    fn starts()(
        texts in any::<[String; 8]>(),
        command in any::<Vec<String>>(),
        env in any::<BTreeMap<String, String>>(),
        cwd in any::<Option<String>>(),
        cores in any::<Option<Vec<usize>>>(),
        (containment, sandbox, memory_limit) in any::<(String, bool, String)>(),
        resources in resources(),
        first_turn in option::of(millis()),
        turn in option::of(millis()),
        total in option::of(millis()),
        retried in any::<Vec<String>>(),
        cpus in 1..1000_usize,
        second in 0..4_000_000_000_i64,
        nano in 0..1_000_000_000_i32,
    ) -> Start {
        let [referee, game, board, test_case, name, profile, os, arch] = texts;
        Start {
            format: FORMAT,
            referee,
            game,
            judge: None,
            better: Direction::Lower,
            board,
            test_case,
            score: None,
            summary: Vec::new(),
            bot: Bot {
                name,
                command,
                cwd,
                cores,
                env,
                containment,
                sandbox,
                resources,
                memory_limit,
            },
            others: Vec::new(),
            profile,
            limits: Limits::from_kinds(|kind| {
                let limit = match kind {
                    LimitKind::FirstTurn => first_turn,
                    LimitKind::Turn => turn,
                    LimitKind::Total => total,
                };
                limit.map(|Millis(duration)| duration)
            }),
            retried,
            host: Machine { os, arch, cpus },
            time: jiff::Timestamp::new(second, nano).expect("in range"),
        }
    }
}

prop_compose! {
    fn parts()(
        [computed, kept_waiting, taken, referee, asleep, unknown] in [(); 6].map(|()| millis()),
    ) -> Parts {
        Parts {
            computed,
            kept_waiting,
            taken,
            referee,
            asleep,
            unknown,
        }
    }
}

fn certificates() -> impl Strategy<Value = Certificate> {
    let times = [(); 4].map(|()| option::of(millis()));
    let counts = [(); 3].map(|()| option::of(any::<u64>()));
    (times, counts, option::of(parts())).prop_map(|(times, counts, parts)| {
        let [cpu, busiest_cpu, wait, referee_wait] = times;
        let [context_switches, page_faults, peak_memory] = counts;
        Certificate {
            cpu,
            busiest_cpu,
            wait,
            referee_wait,
            parts,
            context_switches,
            page_faults,
            peak_memory,
        }
    })
}

fn overruns() -> impl Strategy<Value = Overrun> {
    let culprits = prop_oneof![Just(Culprit::Bot), Just(Culprit::Host)];
    let decisions = prop_oneof![
        Just(Decision::Timeout),
        Just(Decision::Accepted),
        Just(Decision::Forgiven),
        Just(Decision::Measured),
    ];
    (culprits, decisions).prop_map(|(culprit, decision)| Overrun { culprit, decision })
}

prop_compose! {
    fn turns()(
        limit in prop_oneof![Just(LimitKind::FirstTurn), Just(LimitKind::Turn), Just(LimitKind::Total)],
        reply in bytes(),
        no_reply in option::of(no_replies()),
        action in option::of((any::<i32>(), any::<String>())),
        (gain, score) in (option::of(scores()), option::of(scores())),
        wall in millis(),
        (certificate, overrun) in (certificates(), option::of(overruns())),
        (early, stdin_closed, stopped) in any::<(bool, bool, bool)>(),
        ran_on in option::of(millis()),
        (unread_input, stderr_dropped) in any::<(u64, u64)>(),
        stderr in bytes(),
        said in said(),
    ) -> Turn {
        let action = action.map(|(x, message)| json!({ "x": x, "message": [message, ""] }));
        Turn {
            turn: 0, seat: 0, limit, asked: None, reply, no_reply, action, gain, score, wall, certificate,
            overrun, early, unread_input,
            stdin_closed, stopped, ran_on, stderr, stderr_dropped, said: Metrics(said),
        }
    }
}

fn said() -> impl Strategy<Value = BTreeMap<String, MetricValue>> {
    let number = -1e300..1e300_f64;
    let value = prop_oneof![
        number.prop_map(MetricValue::Number),
        any::<i32>().prop_map(|number| MetricValue::Number(f64::from(number))),
        "[a-z]{1,9}".prop_map(MetricValue::Text),
    ];
    proptest::collection::btree_map("[a-z]{1,9}", value, 0..3)
}

prop_compose! {
    fn ends()(
        verdict in verdicts(),
        official: String,
        (won, killed) in any::<(bool, bool)>(),
        score in option::of(scores()),
        summary: Vec<String>,
        metadata: BTreeMap<String, String>,
        turns: u32,
        diagnosis: Option<String>,
        bot_exit in option::of(exits()),
        (late_output, stderr) in (bytes(), bytes()),
        (late_output_dropped, stderr_dropped) in any::<(u64, u64)>(),
        wall in option::of(millis()),
        said in said(),
    ) -> End {
        let in_game = |(name, last): (String, MetricValue)| {
            let numbers = last.number().map(|mean| MetricNumbers { min: -1.5, max: 1e300, mean });
            (name, GameMetrics { last, numbers })
        };
        let said = said.into_iter().map(in_game).collect();
        let process = ProcessEnd {
            diagnosis, bot_exit, killed, late_output, late_output_dropped, stderr, stderr_dropped, said, wall,
        };
        End {
            verdict, official, won, score, summary, metadata, turns, process,
            seats: Vec::new(), drawings: Vec::new(),
        }
    }
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut text = Vec::new();
    for event in events {
        serde_json::to_writer(&mut text, event).expect("JSON");
        text.push(b'\n');
    }
    text
}

fn events(log: gamelog::Log) -> Vec<Event> {
    let start = std::iter::once(Event::Start(log.start));
    start.chain(log.turns.into_iter().map(Event::Turn)).chain(log.end.map(Event::End)).collect()
}

proptest! {
    // A log has many fields; the fuzz target `log` reads and writes many more of them.
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_log_that_is_read_and_written_again_is_the_same(
        start in starts(),
        turns in proptest::collection::vec(turns(), 0..5),
        end in option::of(ends()),
    ) {
        let numbered = (1..).zip(turns).map(|(number, turn)| Turn { turn: number, ..turn });
        let log = gamelog::Log { start, turns: numbered.collect(), end };
        let text = written(&events(log.clone()));
        let read = gamelog::read(&text).expect("a good log");
        prop_assert_eq!(&read, &log);
        prop_assert_eq!(written(&events(read)), text);
    }
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
