//! Finds out whether a bot that has not answered is a little late, or is itself waiting for input.

use std::io;
use std::thread;
use std::time::Instant;

use crate::decide::clock::Overtime;
use crate::decide::exchange::{Exchange, LateAnswer};
use crate::decide::sample::Sample;
use crate::decide::tuning::TUNING;
use crate::drive::exchange::Request;
use crate::drive::pipes::{Captured, Source};
use crate::drive::process::BotProcess;
use crate::observe;
use crate::sys;
use terms::lines::Progress;
use terms::peer::News;

impl BotProcess {
    /// Looks out for the answer of a bot whose time is up and of which `after` was sampled; its processes are examined no later
    /// than `until`. An answer beyond a fixed overtime does not count.
    pub(crate) fn catch_late_answer(
        &mut self,
        request: &Request<'_>,
        after: &Sample,
        until: Instant,
        exchange: &mut Exchange,
        stderr: &mut Captured,
    ) -> io::Result<LateAnswer> {
        let patience = Instant::now() + TUNING.clock.late_answer;
        let is_open = matches!(request.overtime, Overtime::WhileStarved(_));
        while is_open
            && !self.has_answered(request, exchange)
            && self.may_receive_more(patience, exchange, stderr)?
        {}
        // Of processes that there was no time to sample, nothing shows what they do.
        let awaits_input = after.is_whole()
            && self.pipes.stdin.unread()? == 0
            && (0..TUNING.sampling.reader_checks).any(|check| {
                if check > 0 {
                    thread::sleep(TUNING.sampling.reader_check_pause);
                }
                self.awaits_input(&after.pids(), until)
            });
        self.read_late_stdout(exchange)?;
        let has_answered = self.has_answered(request, exchange);
        let spoke = exchange.spoke_late();
        Ok(match (has_answered, awaits_input) {
            (true, _) if is_open => LateAnswer::Answered(spoke.unwrap_or_else(|| self.meter.now())),
            // A bot that has just written to its peer awaits the peer's reaction.
            (false, true) if self.link.is_none() || spoke.is_none() => LateAnswer::AwaitsInput,
            _ => LateAnswer::Silent,
        })
    }

    /// Whether the reply is complete: with a peer, whether that has ended it after late output of the bot.
    fn has_answered(&mut self, request: &Request<'_>, exchange: &Exchange) -> bool {
        match &mut self.link {
            Some(link) => {
                let spoke = exchange.spoke_late();
                spoke.is_some() && matches!(link.peer.poll(false), News::Closing | News::Over)
            }
            None => {
                matches!(self.pipes.lines.progress(&request.rules), Progress::Complete(_))
            }
        }
    }

    /// Polls once, and reads what has arrived. Returns whether more may come before `until`.
    fn may_receive_more(
        &mut self,
        until: Instant,
        exchange: &mut Exchange,
        stderr: &mut Captured,
    ) -> io::Result<bool> {
        // Before late output its peer is not polled, and would be ready for ever.
        let link = self.link.as_ref().filter(|_| exchange.spoke_late().is_some());
        let ready = self
            .wait_beside(Some(until), link.map(|link| sys::waitable_file(link.peer.watched())))?;
        if ready.has(Source::Stdout) {
            self.read_late_stdout(exchange)?;
        }
        if ready.has(Source::Stderr) {
            self.read_some_stderr(stderr)?;
        }
        if ready.has(Source::Stdin) {
            self.pipes.stdin.flush()?;
        }
        let is_over = ready.has(Source::End) || ready.has(Source::Canceller);
        Ok(!is_over && Instant::now() < until)
    }

    fn read_late_stdout(&mut self, exchange: &mut Exchange) -> io::Result<()> {
        let heard = self.pipes.stdout.total();
        self.read_stdout()?;
        if self.pipes.stdout.total() > heard {
            exchange.note_output(self.meter.now());
        }
        Ok(())
    }

    /// Whether these processes wait for input of the referee's; no if that is not certain by `until`.
    pub(crate) fn awaits_input(&self, processes: &[i32], until: Instant) -> bool {
        let pipes = self.pipes.stdin.waitable().zip(self.pipes.stdout.waitable());
        pipes.is_some_and(|(input, output)| observe::awaits_input(processes, input, output, until))
    }
}
