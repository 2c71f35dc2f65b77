//! Text from bots and logs is shown, and has no effect in a browser or a terminal.

use support::prelude::*;

/// Everything that has ever fooled a page or a terminal.
const EVIL: &str = "</script><script>ran=1</script><img src=x onerror=ran=1><!--<script>\
    javascript:ran=1 {{data}} \u{1b}[31mred\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://x.invalid/\u{1b}\\\
    \u{9b}31m\u{85}\0\u{202e}txet\u{2066}\u{2028}\u{feff}\r\n\u{8}";

/// Evil text short enough for the fifteen characters of a message line.
const MESSAGES: [&str; 6] = [
    "<img onerror=x>",
    "</script>\\n<b>x",
    "\u{1b}[2J\u{1b}]52;c;x\u{7}",
    "\u{202e}abc\u{2066}",
    "javascript:ran",
    "\u{9b}31m\u{7f}\\nx\u{200f}y",
];

/// A log with evil text in each of its fields.
fn evil_log(folder: &Path) -> PathBuf {
    let answers: Vec<String> = MESSAGES.iter().map(|evil| format!("0 0 {evil}\n")).collect();
    let script = folder.join("answers.json");
    fs::write(&script, json!(answers).to_string()).expect("written");
    let log = folder.join("game.jsonl");
    let bot = ["--board", "@clearable", "--", "@script", script.to_str().expect("UTF-8")];
    referee().play(PATIENT).arg("--log").arg(&log).args(bot).run();
    let text = fs::read_to_string(&log).expect("a log");
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for line in &mut lines {
        match line["type"].as_str().expect("a type") {
            "start" => {
                line["board"] = json!(EVIL);
                line["profile"] = json!(EVIL);
                line["bot"]["name"] = json!(EVIL);
            }
            "turn" => {
                // As base64, followed by bytes that are not UTF-8.
                let bytes = [EVIL.as_bytes(), b"\xff\xfe\xc0\x80"].concat();
                line["stderr"] =
                    serde_json::to_value(referee::gamelog::Bytes(bytes)).expect("JSON");
            }
            _ => {
                line["diagnosis"] = json!(EVIL);
                line["stderr"] = json!(EVIL);
            }
        }
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(&log, lines.join("\n") + "\n").expect("written");
    log
}

/// Fails if a terminal would obey any of this, except what `allowed` says.
#[track_caller]
fn assert_inert(bytes: &[u8], allowed: &[char]) {
    let text = str::from_utf8(bytes).expect("UTF-8");
    let obeyed = |c: char| {
        (c.is_control() && !allowed.contains(&c))
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if let Some(at) = text.find(obeyed) {
        let around: String = text[at..].chars().take(40).collect();
        panic!("a terminal obeys {around:?}");
    }
}

#[test]
fn no_text_from_a_bot_runs_in_the_page() {
    let Some(browser) = Browser::open() else { return };
    let folder = tempdir().expect("a folder");
    let (log, page) = (evil_log(folder.path()), folder.path().join("page.html"));
    referee().replay(&log).arg("--html").arg(&page).run();
    assert_inert(&fs::read(&page).expect("a page"), &['\n']);
    let start = "</script><script>ran=1</script><img src=x onerror=ran=1>";
    let shown = json!({
        ".bot": start, "#title": start, "#subtitle": start, ".stderr": start,
        ".message": "<img onerror=x>", ".reply": "0 0 <img onerror=x>",
    });
    let url = format!("file://{}", page.display());
    browser.check("inert", &json!({ "url": url, "turns": MESSAGES.len(), "shown": shown }));
}

#[test]
fn no_text_from_a_bot_reaches_the_terminal_raw_in_reports() {
    let folder = tempdir().expect("a folder");
    let log = evil_log(folder.path());
    let output = referee().replay(&log).run();
    assert_inert(&output.stdout, &['\n']);
    assert_inert(&output.stderr, &['\n']);
    let text = output.out();
    assert!(text.contains("\\u{1b}]52;c;aGk="), "it is still shown: {text}");
}

#[test]
fn no_text_from_a_bot_reaches_the_terminal_raw_in_errors() {
    let folder = tempdir().expect("a folder");
    let log = evil_log(folder.path());
    let text = fs::read_to_string(&log).expect("a log");
    let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    for (field, value) in [
        ("game", json!(EVIL)),
        ("type", json!(EVIL)),
        ("test_case", json!(EVIL)),
        ("limits", json!(EVIL)),
    ] {
        let mut start = first.clone();
        start[field] = value;
        fs::write(&log, format!("{start}\n")).expect("written");
        let output = referee().replay(&log).run();
        assert_eq!(output.status.code(), Some(2), "{field}");
        assert_inert(&output.stderr, &['\n']);
    }
    let mut start = first;
    (start["format"], start["referee"]) = (json!(2), json!(EVIL));
    fs::write(&log, format!("{start}\n")).expect("written");
    let output = referee().replay(&log).run();
    assert!(output.stderr.windows(5).any(|bytes| bytes == b"u{1b}"), "it is shown");
    assert_inert(&output.stderr, &['\n']);
}

#[test]
fn no_text_from_a_bot_reaches_the_terminal_raw_during_a_game() {
    let folder = tempdir().expect("a folder");
    let script = folder.path().join("steps.json");
    let bytes = |text: &str| text.bytes().collect::<Vec<_>>();
    let mut steps = Vec::new();
    for message in MESSAGES {
        steps.push(json!(["read", 15]));
        steps.push(json!(["stderr", bytes(EVIL)]));
        steps.push(json!(["write", bytes(&format!("0 0 {message}\n"))]));
    }
    fs::write(&script, json!(steps).to_string()).expect("written");
    let Some(terminal) = Terminal::of_size(120, 40) else { return };
    let args = ["play", "--watch", "--board", "@clearable", "--profile", "unlimited", "--bot"];
    let bot = format!("@script '{}'", script.display());
    terminal.referee(&[&args[..], &[&bot]].concat(), &[]);
    terminal.wait_for("turn end of");
    terminal.press(&["End", "Home"]);
    terminal.wait_for("standard error");
    terminal.press(&["q"]);
    terminal.wait_for("status: 1");
    assert_shown_inert(terminal.raw());
}

#[test]
fn no_text_from_a_bot_reaches_the_terminal_raw_in_the_player() {
    let folder = tempdir().expect("a folder");
    let log = evil_log(folder.path());
    let Some(terminal) = Terminal::of_size(120, 40) else { return };
    terminal.referee(&["replay", "--watch"], &[&log]);
    terminal.wait_for("turn 1 of");
    for turn in 2..=MESSAGES.len() {
        terminal.press(&["Right"]);
        terminal.wait_for(&format!("turn {turn} of"));
    }
    terminal.press(&["End"]);
    terminal.wait_for("standard error");
    terminal.press(&["q"]);
    terminal.wait_for("status: 0");
    assert_shown_inert(terminal.raw());
}

/// Fails unless the player has shown the evil, and only in words.
#[track_caller]
fn assert_shown_inert(raw: Vec<u8>) {
    assert_inert(&raw, &['\n', '\r', '\u{1b}', '\u{8}', '\t']);
    let text = String::from_utf8(raw).expect("UTF-8");
    // The player's own escape sequences are of one kind; links, titles and clipboards are of another.
    assert!(!text.contains("\u{1b}]") && !text.contains("\u{1b}\\") && !text.contains("\u{1b}P"));
    assert!(!text.contains("\u{1b}[31mred") && text.contains("\\u{1b}[31mred"));
}
