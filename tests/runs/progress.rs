//! The progress of a suite on a real terminal.

use support::prelude::*;

#[test]
fn progress_takes_one_line_of_a_narrow_terminal() {
    let suite =
        ["suite", "--run", "none", "--jobs", "1", "--seed", "1..3", "--bot", "@thinker --sleep 30"];
    let Some(terminal) = Terminal::of_size(20, 10) else { return };
    terminal.referee(&[&suite[..], &PATIENT].concat(), &[]);
    let screen = terminal.wait_for("/3");
    let lines: Vec<&str> = screen.lines().filter(|line| !line.trim().is_empty()).collect();
    let [line] = lines[..] else { panic!("{screen}") };
    assert!(line.contains("/3, 0 lost, sum") && line.chars().count() <= 20, "{line}");
    terminal.wait_for("status: 0");
}
