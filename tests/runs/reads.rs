//! How often a suite reads its results at its end, as the kernel tells it of each opened file.

use std::mem::MaybeUninit;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use support::prelude::*;

/// How often `results.jsonl` in `run` is opened after it was last written, while `play` goes on.
fn reads_at_end(run: &Path, play: impl FnOnce()) -> usize {
    let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("a watch");
    // Like events that follow each other are one; a file that is opened twice is closed in between.
    let flags = WatchFlags::OPEN | WatchFlags::MODIFY | WatchFlags::CLOSE;
    inotify::add_watch(&watch, run, flags).expect("watched");
    play();
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut events = Reader::new(watch, &mut buffer);
    let (mut games, mut opened) = (0, 0);
    while let Ok(event) = events.next() {
        assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "no event is missing");
        if event.file_name() != Some(c"results.jsonl") {
            continue;
        }
        if event.events().contains(ReadFlags::MODIFY) {
            (games, opened) = (games + 1, 0);
        }
        opened += usize::from(event.events().contains(ReadFlags::OPEN));
    }
    assert!(games > 0, "its games were seen");
    opened
}

#[test]
fn a_suite_reads_its_results_once_after_its_last_game() {
    let place = Place::new();
    let suite = ["suite", "--bot", "@greedy", "--bot", "@first", "--seed", "1..10", "--run", "run"];
    assert_code(&place.command(&suite).patient().run(), 0);
    for (format, reads) in [
        (&["text"][..], 1),
        (&["json", "--records", "records.toml"], 1),
        (&["jsonl"], 1),
        (&["markdown", "--fail-below", "0.01"], 1),
        // What bots said makes columns, so that the games are read after the names.
        (&["csv"], 2),
    ] {
        fs::write(place.path("run/results.jsonl"), "").expect("no game is played");
        let found = reads_at_end(&place.path("run"), || {
            let resume = place.command(&["suite", "--resume", "run", "--format"]);
            assert_code(&resume.args(format).run(), 0);
        });
        assert_eq!(found, reads, "{format:?}");
    }
}
