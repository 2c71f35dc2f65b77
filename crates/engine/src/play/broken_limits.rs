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
