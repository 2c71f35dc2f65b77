//! A tester's session with a bot, byte by byte.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::epoll::{self, CreateFlags};
use rustix::fs::{StatVfsMountFlags, statvfs};

use rules::game::judge::Case;
use rules::game::{Drawing, JudgeFailure, Placement};
use terms::bounds::TESTER_INPUT;
use terms::peer::{News, Peer};
use terms::text::{exact_duration, exact_size, shell_word};
use terms::verdict::{BotExit, NoReply};

use super::Tester;
use super::connection::{LISTENER, Relay, TESTER, is_of, ready, watch};
use super::relay::{self, NAME, SOCKET};
use crate::case::{self, is_written_anew};
use crate::printed::Printed;
use crate::process::Process;

/// How long a tester may take to end after it has closed the bot's input, or the bot has ended, if it does not wait for the bot.
const ENDING: Duration = Duration::from_secs(1);

/// How often its memory is looked at while the bot talks.
const SAMPLING: Duration = Duration::from_millis(25);

/// How often it is looked at in the meantime.
const RECHECK: Duration = Duration::from_millis(1);

/// The connections that are accepted at a time.
const ACCEPTED: usize = 16;

/// A tester, and the relay that it has started.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be so at once")]
pub(super) struct Session {
    tester: Process,
    listener: UnixListener,
    relay: Option<Relay>,
    /// Relays that the tester has started in the meantime: each has its turn when the bot before it has ended.
    next: VecDeque<UnixStream>,
    /// How often the bot may be started, and how often it was.
    bots: u32,
    starts: u32,
    /// Whether the relay has just come: its bot has not been asked yet.
    is_new: bool,
    /// What the tester has written since the last question, up to a part of the connection.
    pending: Vec<u8>,
    /// What it has written to the bot so far, in bytes.
    written: usize,
    /// Whether the bot has read so little that it gets no more now.
    bot_is_full: bool,
    /// Whether the tester has closed the bot's input, and the bot knows.
    input_has_ended: bool,
    eof_is_signalled: bool,
    /// When a tester that has closed the bot's input, or whose bot has ended, no longer counts as one that ends.
    past_end: Option<Instant>,
    /// Whether the bot has written something in this exchange.
    got_output: bool,
    /// Whether the bot has ended by itself, and with a question open.
    bot_has_ended: bool,
    bot_was_early: bool,
    /// How it has ended, until the tester shows whether it wanted more.
    unseen_end: Option<BotExit>,
    exit: Option<BotExit>,
    trouble: Option<JudgeFailure>,
    /// When the tester was last listened to while the bot talked.
    heard: Instant,
    news: Arc<File>,
}

/// What comes next.
pub(super) enum TesterEvent {
    /// The bot is to be asked: for the first time since it was last started, or again.
    Question { is_first: bool },
    /// The tester has ended.
    End(BotExit),
    /// The tester has done nothing within this limit.
    TooLate(Duration),
}

impl Session {
    /// Starts a tester, with a relay for it to start.
    pub(super) fn start(
        game: &Tester,
        case: &Case,
        place: &Placement,
    ) -> Result<Self, JudgeFailure> {
        let scratch = game.command.working_directory(is_written_anew)?;
        let failed =
            |error: io::Error| JudgeFailure::new(format!("cannot set up the bot for it: {error}"));
        let bot = make_relay(scratch.path())?;
        let listener = UnixListener::bind(scratch.path().join(SOCKET)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let mut values = case::place(case, &game.command, &scratch)?;
        values.push(("{bot}", bot));
        let mut tester = Process::start_in(scratch, &game.command.filled(&values), place, None)?;
        let input: &[u8] = match case {
            Case::Text(text) if game.stdin.is_some() => text.as_bytes(),
            _ => &[],
        };
        tester.send_last(input)?;
        let news = epoll::create(CreateFlags::CLOEXEC).map_err(|errno| failed(errno.into()))?;
        let news = File::from(news);
        let mut watch_tester = |fd: BorrowedFd<'_>| watch(&news, fd, TESTER).map(drop);
        let mut child = tester.child().into_iter();
        child.try_for_each(|child| child.watch_with(&mut watch_tester)).map_err(failed)?;
        watch(&news, listener.as_fd(), LISTENER).map_err(failed)?;
        Ok(Self {
            tester,
            listener,
            relay: None,
            next: VecDeque::new(),
            bots: game.bots.unwrap_or(1),
            starts: 0,
            is_new: false,
            pending: Vec::new(),
            written: 0,
            bot_is_full: false,
            input_has_ended: false,
            eof_is_signalled: false,
            past_end: None,
            got_output: false,
            bot_has_ended: false,
            bot_was_early: false,
            unseen_end: None,
            exit: None,
            trouble: None,
            heard: Instant::now(),
            news: Arc::new(news),
        })
    }

    pub(super) fn starts(&self) -> u32 {
        self.starts
    }

    pub(super) fn bot_was_early(&self) -> bool {
        self.bot_was_early
    }

    /// What the tester has printed, which has ended.
    pub(super) fn printed(&self, exit: BotExit) -> Printed {
        self.tester.printed(exit)
    }

    pub(super) fn drawings(&self) -> Vec<Drawing> {
        self.tester.drawings()
    }

    pub(super) fn trouble(&mut self, what: impl Into<String>) -> JudgeFailure {
        self.tester.trouble(what)
    }

    /// Why a tester is given up that has done nothing within `limit`.
    pub(super) fn too_late(&mut self, limit: Duration) -> JudgeFailure {
        let limit = exact_duration(limit);
        let what = if self.starts == 0 {
            format!("did not start the bot within {limit} (start-limit)")
        } else if !self.next.is_empty() {
            "waits for a second bot while the first one runs; a game has one at a time".to_owned()
        } else if self.bot_has_ended || self.relay.is_none() {
            format!("did not end within {limit} after the bot (judge-limit)")
        } else {
            format!("neither wrote to the bot nor waited for it for {limit} (judge-limit)")
        };
        self.trouble(what)
    }

    pub(super) fn end_relay(&mut self, exit: BotExit) {
        if let Some(relay) = self.relay.take() {
            relay.end(exit);
        }
        self.forget_input();
    }

    /// Ends the relay of a bot that has answered and ended, once the tester wants more of it, or does not.
    fn show_end(&mut self) {
        let Some(exit) = self.unseen_end else { return };
        let is_done = self.exit.is_some() || self.relay.is_none() || self.input_has_ended;
        let has_asked = !self.pending.is_empty();
        if is_done || self.is_past_its_end() {
            self.bot_was_early = !is_done && (has_asked || self.waits_at(true));
            self.unseen_end = None;
            self.end_relay(exit);
        }
    }

    fn forget_input(&mut self) {
        self.pending.clear();
        (self.input_has_ended, self.past_end, self.bot_is_full) = (false, None, false);
    }

    /// The step that can be taken now.
    fn step(&mut self) -> Result<Option<TesterEvent>, JudgeFailure> {
        self.update();
        self.show_end();
        self.meet_next();
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        // A tester that ends closes the bot's input a moment before.
        let must_signal_eof =
            self.must_signal_eof() && self.exit.is_none() && self.is_past_its_end();
        let wants_answer = self.is_new || !self.pending.is_empty() || must_signal_eof;
        let can_be_asked = self.relay.is_some() && self.unseen_end.is_none();
        if can_be_asked && wants_answer && self.exit.is_none() {
            self.got_output = false;
            let is_first = mem::take(&mut self.is_new);
            return Ok(Some(TesterEvent::Question { is_first }));
        }
        Ok(self.exit.map(TesterEvent::End))
    }

    /// Whether a tester that has closed the bot's input, or whose bot has ended, waits for the bot instead of ending. It is not looked at
    /// again then.
    fn is_past_its_end(&mut self) -> bool {
        let now = Instant::now();
        let past_end = *self.past_end.get_or_insert(now + ENDING);
        if now < past_end && self.next.is_empty() && !self.waits() {
            return false;
        }
        self.past_end = Some(now);
        true
    }

    /// Whether to close the bot's input.
    fn must_signal_eof(&self) -> bool {
        self.input_has_ended && !self.eof_is_signalled
    }

    /// Whether the tester waits for the bot.
    fn waits(&self) -> bool {
        self.waits_at(!self.next.is_empty())
    }

    /// Whether the tester waits for the bot's output, or, unless `only_output` counts, for its end.
    fn waits_at(&self, only_output: bool) -> bool {
        let Some((relay, child)) = self.relay.as_ref().zip(self.tester.child()) else {
            return false;
        };
        relay.pipes().is_some_and(|(output, input)| child.waits_at(output, input, only_output))
    }

    /// Whether the tester cannot go on before the bot reads what was written for it, or exits.
    fn is_stuck(&self) -> bool {
        let Some((relay, child)) = self.relay.as_ref().zip(self.tester.child()) else {
            return false;
        };
        relay.blocked(self.bot_is_full).is_some_and(|pipe| child.is_blocked_writing(pipe))
    }

    /// Whether something has come from the tester that the bot can get.
    fn has_news(&mut self) -> bool {
        self.update();
        let is_over = self.exit.is_some() || self.trouble.is_some() || self.relay.is_none();
        let has_input = !self.pending.is_empty() && !self.bot_is_full;
        is_over || has_input || self.must_signal_eof() && self.pending.is_empty()
    }

    /// Takes the pending input, which is the bot's now.
    fn take_input(&mut self) -> Vec<u8> {
        self.written += self.pending.len();
        if self.written > TESTER_INPUT && self.trouble.is_none() {
            let most = exact_size(TESTER_INPUT as u64);
            let what = format!("wrote more than {most} to the bot in a game");
            self.trouble = Some(self.tester.trouble(what));
        }
        if let Some(relay) = &mut self.relay {
            relay.resume();
        }
        mem::take(&mut self.pending)
    }

    /// Takes what has come, without waiting.
    fn update(&mut self) {
        let ready = ready(&self.news);
        let is_due = ready & TESTER != 0 || self.heard.elapsed() >= SAMPLING;
        if is_due && self.exit.is_none() && self.trouble.is_none() {
            self.heard = Instant::now();
            match self.tester.overhear(self.heard, None) {
                Ok(exit) => self.exit = exit,
                Err(trouble) => self.trouble = Some(trouble),
            }
        }
        if let Some(relay) = &mut self.relay {
            let (has_closed, is_gone) = relay.update(ready, &mut self.pending);
            self.input_has_ended |= has_closed;
            if is_gone {
                self.relay = None;
                self.forget_input();
            }
        }
        if ready & LISTENER != 0 {
            let accept = || Some(self.listener.accept().ok()?.0);
            let come = std::iter::from_fn(accept).take(ACCEPTED);
            self.next.extend(come.filter(|socket| is_of(&self.tester, socket)));
        }
        self.count_starts();
    }

    /// Refuses more bots than the settings allow.
    fn count_starts(&mut self) {
        let waiting = u32::try_from(self.next.len()).unwrap_or(u32::MAX);
        let times = self.starts.saturating_add(waiting);
        if times <= self.bots || waiting == 0 || self.trouble.is_some() {
            return;
        }
        let what = if self.bots == 1 && (self.relay.is_some() || waiting > 1) {
            "started a second bot while the first one ran; with `bots = 2` in its settings that waits for its turn".to_owned()
        } else {
            format!("started the bot {times} times; `bots = {times}` in its settings allows that")
        };
        self.trouble = Some(self.tester.trouble(what));
    }

    /// Meets the next relay that the tester has started, once the last bot has ended.
    fn meet_next(&mut self) {
        while self.relay.is_none()
            && self.trouble.is_none()
            && let Some(socket) = self.next.pop_front()
        {
            match Relay::new(socket, &self.news) {
                Ok(None) => {}
                Ok(relay) => self.begin(relay),
                Err(error) => {
                    let what = format!("cannot set up the bot for it: {error}");
                    self.trouble = Some(self.tester.trouble(what));
                }
            }
        }
    }

    /// Begins with another bot.
    fn begin(&mut self, relay: Option<Relay>) {
        self.relay = relay;
        self.starts += 1;
        (self.is_new, self.eof_is_signalled) = (true, false);
        (self.bot_has_ended, self.bot_was_early) = (false, false);
        self.forget_input();
    }
}

/// A session that both the judge and the bot's process take part in.
pub(super) struct SharedSession {
    session: Arc<Mutex<Session>>,
    news: Arc<File>,
}

impl SharedSession {
    pub(super) fn new(session: Session) -> Self {
        let news = Arc::clone(&session.news);
        Self { session: Arc::new(Mutex::new(session)), news }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Session> {
        locked(&self.session)
    }

    /// The bot's end of it.
    pub(super) fn peer(&self) -> Box<dyn Peer> {
        Box::new(BotsEnd { session: Arc::clone(&self.session), news: Arc::clone(&self.news) })
    }

    /// Waits until the bot is to be asked or the tester has ended.
    pub(super) fn await_step(&self) -> Result<TesterEvent, JudgeFailure> {
        let mut session = self.lock();
        let limits = session.tester.limits();
        let limit = if session.starts == 0 { limits.start } else { limits.step };
        let until = Instant::now() + limit;
        loop {
            if let Some(heard) = session.step()? {
                return Ok(heard);
            }
            if Instant::now() >= until {
                return Ok(TesterEvent::TooLate(limit));
            }
            let Session { tester, exit, news, past_end, .. } = &mut *session;
            let until = past_end.map_or(until, |_| until.min(Instant::now() + RECHECK));
            *exit = tester.overhear(until, Some(news.as_fd()))?;
        }
    }
}

/// Makes the relay in a game's folder, and returns its name there: relative to the folder, in which the tester runs, where the path
/// has a blank, or anything else at which a tester or its shell would split it.
fn make_relay(folder: &Path) -> Result<String, JudgeFailure> {
    if statvfs(folder).is_ok_and(|system| system.f_flag.contains(StatVfsMountFlags::NOEXEC)) {
        let folder = folder.display();
        let what = format!(
            "cannot set up the bot for it: programs in {folder} may not be started (noexec)"
        );
        let remedy = "set TMPDIR to a folder whose programs may be started".to_owned();
        return Err(JudgeFailure { remedy: Some(remedy), ..JudgeFailure::new(what) });
    }
    let path = folder.join(NAME);
    relay::write(&path)
        .map_err(|error| JudgeFailure::new(format!("cannot set up the bot for it: {error}")))?;
    let path = path.display().to_string();
    Ok(if shell_word(&path) == path { path } else { format!("./{NAME}") })
}

/// The judge and the bot's process take turns, so nobody waits.
fn locked(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bot's end of a session.
struct BotsEnd {
    session: Arc<Mutex<Session>>,
    news: Arc<File>,
}

impl fmt::Debug for BotsEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BotsEnd").finish_non_exhaustive()
    }
}

impl Peer for BotsEnd {
    fn watched(&self) -> &File {
        &self.news
    }

    fn room(&self) -> usize {
        locked(&self.session).relay.as_ref().map_or(usize::MAX, Relay::room)
    }

    fn on_output(&mut self, output: &[u8]) {
        let mut session = locked(&self.session);
        session.got_output = true;
        if let Some(relay) = &mut session.relay {
            relay.write(output);
        }
    }

    fn on_end(&mut self, end: NoReply) {
        let mut session = locked(&self.session);
        session.bot_has_ended = true;
        session.bot_was_early = !session.got_output && !session.input_has_ended;
        let NoReply::Ended(exit) = end else { return session.end_relay(BotExit::Unknown) };
        if session.got_output {
            session.unseen_end = Some(exit);
        } else {
            session.end_relay(exit);
        }
    }

    fn poll(&mut self, takes_input: bool) -> News {
        let mut session = locked(&self.session);
        session.bot_is_full = !takes_input;
        session.update();
        let is_over =
            session.exit.is_some() || session.trouble.is_some() || session.relay.is_none();
        if is_over || !session.pending.is_empty() && session.got_output {
            return News::Over;
        }
        if session.must_signal_eof() && session.got_output {
            return if session.is_past_its_end() { News::Over } else { News::Closing };
        }
        if !session.pending.is_empty() {
            return if takes_input { News::Input(session.take_input()) } else { News::Nothing };
        }
        if session.must_signal_eof() {
            session.eof_is_signalled = true;
            return News::EndOfInput;
        }
        News::Nothing
    }

    fn is_busy(&mut self, since: Instant) -> bool {
        let mut session = locked(&self.session);
        // What it wrote before it began to wait has come by now.
        let waits = session.waits() && !session.has_news() || session.is_stuck();
        let limit = session.tester.limits().step;
        if !waits && since.elapsed() > limit && session.trouble.is_none() {
            let trouble = session.too_late(limit);
            session.trouble = Some(trouble);
        }
        !waits
    }
}
