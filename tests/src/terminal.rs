//! A real terminal, which tmux keeps, with keys pressed and the screen read from outside.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::{BOUND, need, program, wait_until};

/// A terminal with a shell in it; it goes away when this does.
#[derive(Debug)]
pub struct Terminal {
    tmux: &'static str,
    socket: String,
    folder: tempfile::TempDir,
}

impl Terminal {
    /// A terminal of 80 columns and 24 lines; without tmux, prints what is left out.
    pub fn open() -> Option<Self> {
        Self::of_size(80, 24)
    }

    /// A terminal of another size.
    pub fn of_size(columns: u16, lines: u16) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let [tmux] = need("what a terminal shows", ["tmux"])?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let socket = format!("referee-test-{}-{count}", std::process::id());
        let terminal = Self { tmux, socket, folder: tempfile::tempdir().expect("a folder") };
        let (columns, lines) = (columns.to_string(), lines.to_string());
        let shell = "env -u NO_COLOR -u COLORTERM -u CLICOLOR_FORCE LC_ALL=C.UTF-8 PS1=ready: sh";
        terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &lines, shell]);
        let raw = format!("cat > '{}'", terminal.raw_path().display());
        terminal.tmux(&["pipe-pane", &raw]);
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> Output {
        let output = Command::new(self.tmux)
            .env_remove("TMUX")
            .args(["-f", "/dev/null", "-u", "-L", &self.socket])
            .args(args)
            .output()
            .expect("tmux runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn raw_path(&self) -> std::path::PathBuf {
        self.folder.path().join("raw")
    }

    /// Everything that was ever written to the terminal, byte for byte. It must be at the shell's prompt.
    #[track_caller]
    pub fn raw(&self) -> Vec<u8> {
        // What tmux has shown may still be on its way to the file.
        self.run("echo all''-of-it");
        let raw = || fs::read(self.raw_path()).unwrap_or_default();
        let end = b"all-of-it";
        wait_until("the end of what was written", || raw().windows(end.len()).any(|it| it == end));
        raw()
    }

    /// Types a command and Enter.
    pub fn run(&self, command: &str) {
        self.type_text(command);
        self.press(&["Enter"]);
    }

    /// Types text verbatim.
    pub fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Starts the program under test.
    pub fn referee(&self, args: &[&str], paths: &[&Path]) {
        let paths = paths.iter().map(|path| path.to_str().expect("UTF-8"));
        let words = [program()].into_iter().chain(args.iter().copied());
        let line = shlex::try_join(words.chain(paths)).expect("no NUL");
        self.run(&format!("clear; {line}; echo \"status: $?\""));
    }

    /// Presses keys by tmux's names for them.
    pub fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Changes the size, as when a user drags the corner of a window.
    pub fn resize(&self, columns: u16, lines: u16) {
        let (columns, lines) = (columns.to_string(), lines.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &lines]);
    }

    /// What is on the screen.
    pub fn screen(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p"]).stdout).expect("UTF-8")
    }

    /// Waits until the screen has `text`, and returns the screen. The rest of it may still be on its
    /// way.
    #[track_caller]
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until `wanted` holds for the screen.
    #[track_caller]
    pub fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let patience = Instant::now() + BOUND;
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            assert!(Instant::now() < patience, "no `{what}` on the screen:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Fails unless the terminal is properly restored: the normal screen, a cursor, and
    /// keys that are echoed and come line by line.
    #[track_caller]
    pub fn assert_restored(&self) {
        let state = self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(String::from_utf8_lossy(&state.stdout), "0 1\n");
        self.run("clear; stty -a; echo check''ed");
        let settings = self.wait_for("checked");
        for setting in ["icanon", "isig", "echo", "opost"] {
            assert!(
                settings.split_whitespace().any(|it| it == setting),
                "no {setting}:\n{settings}"
            );
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let kill = ["-L", &self.socket, "kill-server"];
        // A server that has ended by itself is as good.
        let _ = Command::new(self.tmux).args(kill).output();
    }
}
