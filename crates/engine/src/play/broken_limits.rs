//! Explains which limit on its resources a bot has gone beyond.

use libc::{SIGXCPU, SIGXFSZ};

use terms::limits::{Breach, Resource, Resources};
use terms::text::{duration, size};
use terms::verdict::{BotExit, NoReply};

/// What the bot used, and the limit that it went beyond.
pub(super) fn over_limit(&Breach { resource, used, limit }: &Breach) -> String {
    match resource {
        Resource::Memory => {
            let (used, limit) = (size(used), size(limit));
            format!("the bot used {used} of memory; its limit is {limit} (--memory)")
        }
        Resource::Processes => format!(
            "the bot had {used} processes and threads; its limit is {limit} (`processes` in the settings)"
        ),
        Resource::TurnOutput => format!(
            "the bot wrote {} in one turn; its limit is {} (`turn-output` in the settings)",
            size(used),
            size(limit)
        ),
        Resource::GameOutput => format!(
            "the bot has written {}; its limit for a game is {} (`game-output` in the settings)",
            size(used),
            size(limit)
        ),
        other => format!("the bot used {used} of {other}; its limit is {limit}"),
    }
}

/// Explains SIGXCPU and SIGXFSZ.
pub(super) fn kernel_limit(no_reply: NoReply, resources: &Resources) -> Option<String> {
    match no_reply {
        NoReply::Ended(BotExit::Signal(SIGXCPU)) => {
            let limit = duration(resources.cpu_time?.0);
            Some(format!("its CPU time is limited to {limit} (`cpu-time` in the settings)"))
        }
        NoReply::Ended(BotExit::Signal(SIGXFSZ)) => {
            let limit = size(resources.file_size?);
            Some(format!("each of its files is limited to {limit} (`file-size` in the settings)"))
        }
        _ => None,
    }
}

#[test]
fn each_limit_is_named_with_what_was_used() {
    use std::time::Duration;
    use terms::millis::Millis;

    for (resource, expected) in [
        (Resource::Memory, "the bot used 2 MB of memory; its limit is 1 MB (--memory)"),
        (
            Resource::Processes,
            "the bot had 2000000 processes and threads; its limit is 1000000 (`processes` in the settings)",
        ),
        (
            Resource::TurnOutput,
            "the bot wrote 2 MB in one turn; its limit is 1 MB (`turn-output` in the settings)",
        ),
        (
            Resource::GameOutput,
            "the bot has written 2 MB; its limit for a game is 1 MB (`game-output` in the settings)",
        ),
    ] {
        assert_eq!(over_limit(&Breach { resource, used: 2_000_000, limit: 1_000_000 }), expected);
    }
    let cpu_time = Some(Millis(Duration::from_secs(3)));
    let limited = Resources { cpu_time, file_size: Some(5000), ..Resources::default() };
    let by = |signal, resources| kernel_limit(NoReply::Ended(BotExit::Signal(signal)), resources);
    let none = Resources::default();
    for (signal, expected) in [
        (SIGXCPU, "its CPU time is limited to 3 s (`cpu-time` in the settings)"),
        (SIGXFSZ, "each of its files is limited to 5 kB (`file-size` in the settings)"),
    ] {
        assert_eq!(by(signal, &limited).as_deref(), Some(expected));
        assert_eq!(by(signal, &none), None);
    }
    assert_eq!(by(libc::SIGKILL, &limited), None);
}
