//! A real browser, driven by `tests/browser/check.mjs`.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Value, json};

use super::{BOUND, leave_out, need, repository};

/// A real browser, which the tests of this process share.
#[derive(Debug, Clone, Copy)]
pub struct Browser(());

impl Browser {
    /// The browser, if it and its driver are installed; otherwise prints what is left out.
    pub fn open() -> Option<Self> {
        const WHAT: &str = "what a browser shows";
        if std::env::var_os("CHROMIUM").is_none() {
            need(WHAT, ["/usr/bin/chromium"])?;
        }
        need(WHAT, ["node"])?;
        if !repository().join("tests/browser/node_modules/playwright-core").is_dir() {
            leave_out(WHAT, "its driver is missing (npm ci, in tests/browser)");
            return None;
        }
        Some(Self(()))
    }

    /// Checks a scenario; fails with what is found wrong. Returns what is found out.
    #[track_caller]
    pub fn check(self, scenario: &str, expected: &Value) -> Value {
        let mut end = Driver::shared().check(scenario, expected);
        let failed = end["failed"].as_str().unwrap_or_default();
        assert_eq!(end["failed"], Value::Null, "{scenario}: {failed}");
        end["found"].take()
    }
}

/// The checks that have not ended, by number, with their waiters.
type Waiting = Arc<Mutex<BTreeMap<u64, Sender<Value>>>>;

/// The browser and its driver, which the tests of this process share: most checks would take less time than their start.
struct Driver {
    input: Mutex<(u64, ChildStdin)>,
    waiting: Waiting,
}

impl Driver {
    fn shared() -> &'static Self {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        DRIVER.get_or_init(Self::start)
    }

    fn start() -> Self {
        let [node] = need("pages", ["node"]).expect("`Browser::open` asked");
        let mut node = Command::new(node);
        node.arg(repository().join("tests/browser/check.mjs"));
        // It ends at EOF of its input, so no later than this process.
        let mut node =
            node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node runs");
        let input = node.stdin.take().expect("a pipe");
        let waiting = Waiting::default();
        let answered = Arc::clone(&waiting);
        std::thread::spawn(move || {
            answer(node.stdout.take().expect("a pipe"), &answered);
            node.wait()
        });
        Self { input: Mutex::new((0, input)), waiting }
    }

    /// The end of a check.
    fn check(&self, scenario: &str, expected: &Value) -> Value {
        let (send, ended) = channel();
        {
            let (number, input) = &mut *self.input.lock().expect("the browser runs");
            *number += 1;
            self.waiting.lock().expect("no panic").insert(*number, send);
            let check = json!({ "number": number, "scenario": scenario, "expected": expected });
            writeln!(input, "{check}").expect("the browser runs");
        }
        ended.recv_timeout(BOUND).unwrap_or_else(|_| panic!("{scenario}: the browser is silent"))
    }
}

/// Passes on how checks have ended, until the browser ends.
fn answer(output: ChildStdout, waiting: &Waiting) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let end: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let number = end["number"].as_u64().expect("a number");
        if let Some(waits) = waiting.lock().expect("no panic").remove(&number) {
            // A test that has waited for too long is gone.
            let _ = waits.send(end);
        }
    }
    waiting.lock().expect("no panic").clear();
}
