//! A real browser, driven by `tests/browser/check.mjs`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use super::{finished, has_program, leave_out, repository};

/// Whether a browser and its driver are installed; otherwise prints what is left out.
pub(crate) fn can_browse(test: &str) -> bool {
    let missing = if !has_program("node") {
        "there is no node"
    } else if !has_program(&std::env::var("CHROMIUM").unwrap_or("/usr/bin/chromium".to_owned())) {
        "there is no /usr/bin/chromium, and CHROMIUM names no other"
    } else if !repository().join("tests/browser/node_modules/playwright-core").is_dir() {
        "run `npm ci` in tests/browser"
    } else {
        return true;
    };
    leave_out(test, missing);
    false
}

/// The address of a browser that the tests of this process share: most of them would take less time than its start.
fn browser() -> &'static str {
    static BROWSER: OnceLock<(String, Child)> = OnceLock::new();
    let start = || {
        let mut server = Command::new("node")
            .arg(repository().join("tests/browser/server.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs");
        let mut address = String::new();
        let said = server.stdout.take().expect("a pipe");
        BufReader::new(said).read_line(&mut address).expect("text");
        assert!(address.starts_with("ws://"), "the browser does not start: {address}");
        // It ends at EOF of its input, so no later than this process.
        (address.trim_end().to_owned(), server)
    };
    &BROWSER.get_or_init(start).0
}

/// Lets the browser check a scenario; fails with what it found. Returns what it printed.
#[track_caller]
pub(crate) fn browse(scenario: &str, expected: &Value) -> String {
    let mut node = Command::new("node")
        .arg(repository().join("tests/browser/check.mjs"))
        .arg(scenario)
        .env("BROWSER", browser())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node runs");
    let input = expected.to_string();
    node.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("read");
    let output = finished(node);
    assert!(output.status.success(), "{scenario}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
