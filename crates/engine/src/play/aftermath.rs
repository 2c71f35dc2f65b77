//! What a bot does, and leaves, once it has answered for the last time.

use contain::bot::{BotEnd, Captured, Left, Survivor};
use terms::text::{plural, printable, quote, size};

/// Names the known processes that the bot has left behind.
pub(super) fn what_is_left(left: &Left) -> Option<String> {
    match left {
        Left::Survivors(survivors, _) if survivors.is_empty() => None,
        Left::Survivors(survivors, more) => {
            let name = |Survivor { pid, name }: &Survivor| format!("{pid} ({})", printable(name));
            let names: Vec<_> = survivors.iter().map(name).collect();
            let more = if *more > 0 { format!(", and {more} more") } else { String::new() };
            Some(format!("still alive, and out of reach: process {}{more}", names.join(", ")))
        }
        Left::Dying => Some("some of its processes were still dying after 5 s".to_owned()),
        Left::Unknown => Some(
            "the bot's keeper process was killed; the bot may have left other processes".to_owned(),
        ),
        _ => Some("the bot may have left other processes".to_owned()),
    }
}

/// Reports output beyond a complete reply, by a bot that has answered turns before it read them or not.
pub(super) fn surplus_output(ending: &BotEnd, was_early: bool) -> Option<String> {
    let Captured { bytes, dropped } = &ending.late_output;
    let count = bytes.len() as u64 + dropped;
    if count == 0 {
        return None;
    }
    if ending.killed && ending.surplus == 0 && *dropped > 0 && !was_early {
        return Some(format!(
            "after the game the bot did not notice that its input had ended, and wrote another {}: harmless, and \
             `if (!cin) return 0;` or the like ends it",
            size(count)
        ));
    }
    let (bytes, output) = (plural(count, "byte"), quote(bytes.trim_ascii_end()));
    Some(format!("the bot wrote {bytes} too many: {output}"))
}

#[test]
fn a_flood_after_the_game_is_harmless_and_one_during_the_game_is_not() {
    let late_output = Captured { bytes: b"0 0\n0 0\n".to_vec(), dropped: 72_080 };
    let flood = BotEnd { killed: true, late_output, ..BotEnd::default() };
    let said = |ending: &BotEnd| surplus_output(ending, false).expect("output");
    assert!(said(&flood).contains("and wrote another 72.1 kB: harmless"), "{}", said(&flood));
    let early = surplus_output(&flood, true).expect("output");
    assert!(early.contains("72088 bytes too many"), "{early}");
    let few = Captured { bytes: b"7\n".to_vec(), dropped: 0 };
    let few = BotEnd { late_output: few, ..flood.clone() };
    assert_eq!(said(&few), "the bot wrote 2 bytes too many: `7`");
    for during in [BotEnd { surplus: 4, ..flood.clone() }, BotEnd { killed: false, ..flood }] {
        assert!(said(&during).contains("72088 bytes too many: `0 0"), "{}", said(&during));
    }
}

#[test]
fn what_outlives_a_bot_is_named() {
    let survivor = |pid| Survivor { pid, name: "cat".to_owned() };
    let said = |left| what_is_left(&left);
    assert_eq!(said(Left::Survivors(vec![], 0)), None);
    for (left, expected) in [
        (Left::Survivors(vec![survivor(7)], 0), "still alive, and out of reach: process 7 (cat)"),
        (
            Left::Survivors(vec![survivor(7), survivor(9)], 3),
            "still alive, and out of reach: process 7 (cat), 9 (cat), and 3 more",
        ),
        (Left::Dying, "some of its processes were still dying after 5 s"),
        (
            Left::Unknown,
            "the bot's keeper process was killed; the bot may have left other processes",
        ),
    ] {
        assert_eq!(said(left).as_deref(), Some(expected));
    }
    assert_eq!(surplus_output(&BotEnd::default(), false), None);
}
