use super::super::made;
use super::*;
use contain::bot::{Captured, Leftovers};
use results::gamelog::Bytes;
use rules::game::GameKind;
use terms::verdict::{Culprit, Overrun};

/// What was seen of an ordinary turn, of one line under 50 ms.
fn seen() -> Seen {
    Seen {
        limit: Some(Duration::from_millis(50)),
        used: Duration::ZERO,
        lines: 1,
        max_bytes: Some(10_000),
        wrong_line: None,
        remark: None,
        awaits_lines: None,
        both_blocked: false,
        phase: Phase::Overtime,
        exit: None,
    }
}

/// The diagnosis of a game that ended so, after these turns.
fn diagnosis(turns: Vec<(Turn, Verdict, Seen)>, ending: &BotEnd) -> Option<String> {
    let kind = GameKind::new("made", "Made", |_| unreachable!("nobody plays it"));
    let command = made::command("bot");
    let mut observations = Observations::new(&kind, &command);
    for (turn, verdict, seen) in turns {
        observations.add(&turn, verdict, seen);
    }
    observations.diagnose(ending, None)
}

/// The diagnosis of a game lost in a turn without a complete reply.
fn lost(no_reply: NoReply, turn: Turn, seen: Seen, ending: &BotEnd) -> String {
    let turn = Turn { no_reply: Some(no_reply), ..turn };
    diagnosis(vec![(turn, no_reply.verdict(), seen)], ending).expect("a reason")
}

fn replied(text: &str) -> Turn {
    Turn { reply: Bytes(text.into()), ..made::turn() }
}

fn late(text: &str) -> BotEnd {
    let late_output = Captured { bytes: text.into(), dropped: 0 };
    BotEnd { killed: true, late_output, ..BotEnd::default() }
}

#[test]
fn a_game_without_incident_has_no_diagnosis() {
    let turn = (replied("0 0\n"), Verdict::Completed, seen());
    assert_eq!(diagnosis(vec![turn], &BotEnd::default()), None);
}

#[test]
fn a_missing_reply_is_explained() {
    let ended = |code| NoReply::Ended(BotExit::Code(code));
    let first = || Turn { limit: LimitKind::FirstTurn, ..made::turn() };
    let quiet = BotEnd::default();
    for (no_reply, turn, seen, expected) in [
        (NoReply::Deadline, made::turn(), seen(), "turn 1: no answer within 50 ms"),
        (NoReply::Deadline, first(), seen(), "turn 1: no answer within 50 ms of the first turn"),
        (NoReply::Deadline, made::turn(), Seen { limit: None, ..seen() }, "turn 1: no answer"),
        (
            NoReply::Deadline,
            made::turn(),
            Seen { both_blocked: true, ..seen() },
            "turn 1: no answer within 50 ms; the bot writes without reading, and its tester writes without reading, \
             until both pipes between them are full (64 KiB each): a deadlock",
        ),
        (
            NoReply::LineTooLong,
            replied("xxx"),
            seen(),
            "turn 1: the reply is longer than 10000 bytes, the most that is read in a turn",
        ),
        (
            NoReply::StdoutClosed,
            made::turn(),
            seen(),
            "turn 1: the bot closed its standard output after 60 ms, while it was running",
        ),
        (
            ended(3),
            made::turn(),
            seen(),
            "turn 1: the bot exited with status 3 after 60 ms without answering",
        ),
        (
            ended(0),
            replied("0 0\n"),
            seen(),
            "turn 1: the bot exited with status 0, and the answer of another of its processes no longer counts, as in \
             the original",
        ),
        (
            ended(0),
            replied("1\n2\n3"),
            Seen { lines: 3, ..seen() },
            "turn 1: the bot exited with status 0 after 60 ms without answering; it had written 2 of 3 lines; it had \
             written `3` without a newline",
        ),
        (
            NoReply::Deadline,
            replied("1\n2\n"),
            Seen { lines: LineRules::UNTIL_END, ..seen() },
            "turn 1: no answer within 50 ms; it had written 2 lines",
        ),
        (
            NoReply::Deadline,
            Turn { unread_input: 9, ..made::turn() },
            seen(),
            "turn 1: no answer within 50 ms; it had not read 9 bytes of its input",
        ),
        (
            NoReply::Deadline,
            Turn { unread_input: 9, stdin_closed: true, ..made::turn() },
            seen(),
            "turn 1: no answer within 50 ms",
        ),
        (
            ended(1),
            Turn { unread_input: 9, ..made::turn() },
            seen(),
            "turn 1: the bot exited with status 1 after 60 ms without answering",
        ),
        (
            NoReply::Deadline,
            Turn { stopped: true, ..made::turn() },
            Seen { exit: Some(BotExit::Code(0)), ..seen() },
            "turn 1: no answer within 50 ms; the bot exited with status 0, and another of its processes might have \
             answered; a signal had stopped it",
        ),
    ] {
        assert_eq!(lost(no_reply, turn, seen, &quiet), expected);
    }
    let overrun = Some(Overrun { culprit: Culprit::Bot, decision: Decision::Timeout });
    let blamed = lost(NoReply::Deadline, Turn { overrun, ..made::turn() }, seen(), &quiet);
    assert_eq!(blamed, "turn 1: no answer within 50 ms; the bot's fault: it took 60 ms");
}

#[test]
fn output_after_the_end_tells_a_slow_bot_from_one_that_waits() {
    let total = || Turn { limit: LimitKind::Total, ..made::turn() };
    let waits = |lines| Seen { awaits_lines: Some(lines), ..seen() };
    let all = |awaits_lines| Seen { lines: LineRules::UNTIL_END, awaits_lines, ..seen() };
    let came = "`0 0` came after its input was closed: ";
    for (turn, seen, late_output, said) in [
        (made::turn(), seen(), "too slow, or not flushed after the turn", None),
        (total(), seen(), TOO_SLOW_OR_READS_ON, None),
        (
            made::turn(),
            waits(2),
            NOT_FLUSHED,
            Some((READS_ON_OR_NOT_FLUSHED, "it read all 2 lines and waited for more")),
        ),
        (total(), waits(1), READS_ON, Some((READS_ON, "it read its line and waited for more"))),
        (
            total(),
            all(Some(0)),
            NOT_FLUSHED,
            Some((READS_ON_OR_NOT_FLUSHED, "it waited for input, and this turn has none")),
        ),
        (made::turn(), all(None), "too slow", None),
    ] {
        let waited = said.map(|(_, waited)| format!("; {waited}")).unwrap_or_default();
        let start = format!("turn 1: no answer within 50 ms{waited}; ");
        let answered = lost(NoReply::Deadline, turn.clone(), seen.clone(), &late("0 0\n"));
        let surplus = "; the referee killed it";
        assert_eq!(answered, format!("{start}{came}{late_output}{surplus}"));
        let silent = lost(NoReply::Deadline, turn.clone(), seen.clone(), &late(" "));
        let said = said.map(|(said, _)| format!("{said}; ")).unwrap_or_default();
        assert_eq!(silent, format!("{start}{said}the referee killed it"));
        // A part of a line is an answer that is not finished.
        let partial =
            lost(NoReply::Deadline, Turn { reply: Bytes(b"0".into()), ..turn }, seen, &late(""));
        assert!(!partial.contains("the bot reads"), "{partial}");
    }
    let closed = Turn { stdin_closed: true, ..made::turn() };
    let had_closed = lost(NoReply::Deadline, closed.clone(), seen(), &late(""));
    assert!(had_closed.contains("; it had closed its standard input; "), "{had_closed}");
    for (no_reply, killed) in [(NoReply::Deadline, false), (NoReply::Ended(BotExit::Unknown), true)]
    {
        let by_end = lost(no_reply, closed.clone(), seen(), &BotEnd { killed, ..late("") });
        assert!(!by_end.contains("it had closed"), "{by_end}");
    }
    let crashed = lost(NoReply::StdoutClosed, made::turn(), seen(), &late("0 0\n"));
    assert!(!crashed.contains("came after"), "{crashed}");
}

#[test]
fn what_the_end_shows_is_added() {
    let stderr = Captured {
        bytes: b"==1==ERROR: AddressSanitizer: stack-overflow on address 0x1\n".into(),
        dropped: 0,
    };
    let ending = BotEnd {
        stderr,
        reached_open_files: Some(16),
        left: Leftovers::Dying,
        ..BotEnd::default()
    };
    let said = lost(NoReply::Deadline, made::turn(), seen(), &ending);
    let expected = "turn 1: no answer within 50 ms; the cause is what a sanitizer has found: AddressSanitizer: \
                    stack-overflow; it had 16 files open, its limit (`open-files` in the settings); some of its \
                    processes were still dying after 5 s";
    assert_eq!(said, expected);
    let slow = BotEnd { late_output: late("0 0\n").late_output, ..ending };
    assert!(!lost(NoReply::Deadline, made::turn(), seen(), &slow).contains("sanitizer"));
}

#[test]
fn a_rejected_line_is_quoted_with_its_remark() {
    let remark = Some("no".to_owned());
    let quiet = BotEnd { killed: true, ..BotEnd::default() };
    for (text, seen, expected) in [
        ("x y\n", Seen { wrong_line: Some(0), ..seen() }, "turn 1: the reply was `x y`"),
        (
            "1\nx\n",
            Seen { lines: 2, wrong_line: Some(1), remark: remark.clone(), ..seen() },
            "turn 1: line 2 of the reply was `x`: no",
        ),
        (
            "1\nx\n",
            Seen { lines: LineRules::UNTIL_END, remark: remark.clone(), ..seen() },
            "turn 1: no",
        ),
        ("1\nx\n", Seen { lines: 2, remark, ..seen() }, "turn 1: no; the reply was `1\\nx`"),
    ] {
        let turn = (replied(text), Verdict::IllegalMove, seen);
        assert_eq!(diagnosis(vec![turn], &quiet).as_deref(), Some(expected));
    }
    // What came beyond a whole reply is reported, and after an unread line nothing is.
    let surplus = BotEnd { surplus: 2, ..late("7\n") };
    let wrong = |lines| Seen { lines, wrong_line: Some(0), ..seen() };
    let said =
        |lines| diagnosis(vec![(replied("x\n"), Verdict::MalformedReply, wrong(lines))], &surplus);
    assert_eq!(
        said(1).as_deref(),
        Some("turn 1: the reply was `x`; the bot wrote 2 bytes too many: `7`")
    );
    assert_eq!(said(2).as_deref(), Some("turn 1: line 1 of the reply was `x`"));
}

#[test]
fn a_turn_of_the_game_has_the_bots_own_number_besides() {
    let turn = |number| Turn { turn: number, ..replied("x\n") };
    let first = (turn(1), Verdict::Completed, seen());
    for (number, expected) in [(2, "turn 2: "), (5, "turn 5 of the game, its own turn 2: ")] {
        let last = (turn(number), Verdict::Lost, seen());
        let said = diagnosis(vec![first.clone(), last], &BotEnd::default()).expect("a reason");
        assert_eq!(said, format!("{expected}the reply was `x`"));
    }
}

#[test]
fn what_happened_in_turns_that_count_is_counted() {
    let turn = |number, decision, early, phase, remark: Option<&str>| {
        let overrun = Some(Overrun { culprit: Culprit::Host, decision });
        let seen = Seen { phase, remark: remark.map(str::to_owned), ..seen() };
        (Turn { turn: number, overrun, early, ..replied("0 0\n") }, Verdict::Completed, seen)
    };
    let turns = vec![
        turn(1, Decision::Accepted, true, Phase::Limit, None),
        turn(2, Decision::Accepted, true, Phase::Overtime, Some("one")),
        turn(3, Decision::Forgiven, false, Phase::Overtime, Some("two")),
    ];
    let expected = "2 turns answered before the bot had read the input (the first is turn 1); 1 turn may have been \
                    answered in time, since the referee itself polled late, and counted (the first is turn 1); 1 turn \
                    answered late because of the host, and counted (`--on-host-delay accept`) (the first is turn 2); 1 \
                    turn answered late, and forgiven (the first is turn 3); turn 2: one";
    assert_eq!(diagnosis(turns, &BotEnd::default()).as_deref(), Some(expected));
}

#[test]
fn a_limit_of_the_whole_game_is_named_with_what_was_left_of_it() {
    let turn = || Turn { turn: 1, limit: LimitKind::Total, ..made::turn() };
    let used = Duration::from_micros(1_999_874);
    let seen = |used| Seen { limit: Some(Duration::from_micros(126)), used, ..seen() };
    let said = lost(NoReply::Deadline, turn(), seen(used), &BotEnd::default());
    let expected = "turn 1: no answer within the 2 s of the whole game: the turns before had used all but 126 µs";
    assert_eq!(said, expected);
    let first = lost(NoReply::Deadline, turn(), seen(Duration::ZERO), &BotEnd::default());
    assert_eq!(first, "turn 1: no answer within 126 µs");
}

#[test]
fn an_encoding_that_no_judge_reads_is_named() {
    let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    for (reply, expected) in [
        (b"\xef\xbb\xbf0 0\n".to_vec(), Some("byte order mark")),
        (le("\u{feff}0 0\n"), Some("UTF-16")),
        (be("\u{feff}0 0\n"), Some("UTF-16")),
        // The line ends after the first byte of the last letter.
        (le("0 0\n")[..7].to_vec(), Some("UTF-16")),
        (be("0 0\n"), Some("UTF-16")),
        (b"0 0\n".to_vec(), None),
        (b"\0".to_vec(), None),
        (b"12\0\n".to_vec(), None),
    ] {
        let turn = Turn { reply: Bytes(reply.clone()), ..made::turn() };
        let seen = Seen { lines: 1, wrong_line: Some(0), ..seen() };
        let turns = vec![(turn, Verdict::MalformedReply, seen)];
        let said = diagnosis(turns, &BotEnd::default()).expect("a loss");
        let said = said.split_once("; ").map(|(_, rest)| rest);
        assert_eq!(said.is_some(), expected.is_some(), "{reply:?}: {said:?}");
        assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{said:?}");
    }
}
