//! What a bot does, and leaves, once it has answered for the last time.

use contain::bot::{BotEnd, Captured, Leftovers};
use terms::text::{plural, quote, size};

/// Reports the processes that the bot has left behind.
pub(super) fn what_is_left(left: Leftovers) -> Option<String> {
    match left {
        Leftovers::Survivors(0) => None,
        Leftovers::Survivors(count) => {
            Some(format!("{count} of the bot's processes left its group and could not be killed"))
        }
        Leftovers::Dying => Some("some of its processes were still dying after 5 s".to_owned()),
        _ => Some("the bot's keeper was killed; the bot may have left processes behind".to_owned()),
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
            "after the game the bot did not notice that its input had ended, and wrote another {}: harmless",
            size(count)
        ));
    }
    let (bytes, output) = (plural(count, "byte"), quote(bytes.trim_ascii_end()));
    Some(format!("the bot wrote {bytes} too many: {output}"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
