//! Any program as a contained, timed child: the short way to what [`bot`](crate::bot) does.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::bot::{
    BotCommand, BotProcess, Captured, Confinement, Containment, ContainmentMethod, ExchangeError,
    Host, Leftovers, Overtime, Pinning, Request, Sandbox, SpawnError, Unavailable,
};
use crate::cancel::Canceller;
use terms::certificate::Certificate;
use terms::limits::Resources;
use terms::lines::LineRules;
use terms::verdict::{BotExit, NoReply};

/// A program that is to run contained, and everything that limits it.
///
/// It gets the environment and the working directory of this program unless told otherwise.
///
/// ```
/// use contain::{Contained, Host, Sandbox, Until};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let host = Host::start()?;
/// let mut program = Contained::new("sort").args(["-n"]).env("LC_ALL", "C");
/// // Where this host can enforce a sandbox.
/// if let Ok(sandbox) = Sandbox::new(&[]) {
///     program = program.sandbox(sandbox);
/// }
/// let reply = program.spawn(&host)?.exchange("20\n3\n", Until::End, None)?;
/// assert_eq!(reply.bytes, b"3\n20\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Contained {
    command: BotCommand,
    method: Containment,
    stderr_cap: usize,
}

/// A running program. Dropping it kills all of its processes. It does not matter which thread started it.
#[derive(Debug)]
pub struct Child {
    process: BotProcess,
    canceller: Canceller,
    cpu: Option<Duration>,
    peak_memory: Option<u64>,
}

/// When a reply is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Until {
    /// With this number of lines, each ended by `\n`, `\r` or `\r\n`, the last one also by the end of the output.
    Lines(usize),
    /// With the end of the output; the program's input ends after what it is sent.
    End,
}

/// What a program has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// What came, with the ends of its lines; what came beyond a whole reply belongs to the next one.
    pub bytes: Vec<u8>,
    /// Why the reply is not whole, if it is not.
    pub why_not_whole: Option<NoReply>,
    /// The time from just before the first byte was sent until the reply was whole or given up.
    pub wall: Duration,
    /// What it cost the program. What a reply within a fraction of a millisecond cost is part of the next one's.
    pub cost: Certificate,
    /// What it wrote to its standard error in the meantime, up to the cap.
    pub stderr: Captured,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// Its exit; `None` if it may still run.
    pub exit: Option<BotExit>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// The processes that could not be killed.
    pub survivors: Leftovers,
    /// The known CPU time of all exchanges.
    pub cpu: Option<Duration>,
    /// The highest resident memory that was seen, in bytes.
    pub peak_memory: Option<u64>,
}

/// Why a program cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// This host cannot contain it as asked.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The program cannot be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The system refuses a descriptor.
    #[error("the system refuses a descriptor")]
    Io(#[from] io::Error),
}

impl Contained {
    /// A program: a path, or a name to look up in `PATH`.
    pub fn new(program: impl Into<OsString>) -> Self {
        // The method is chosen at the start.
        let confinement = Confinement {
            method: ContainmentMethod::Plain,
            resources: Resources::default(),
            sandbox: None,
        };
        let command = BotCommand::new(program, [""; 0], confinement);
        Self { command, method: Containment::Auto, stderr_cap: terms::bounds::TURN_STDERR }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.command.env.insert(name.into(), value.into());
        self
    }

    /// Sets its working directory, from which a relative path of the program starts as well.
    #[must_use]
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.command.cwd = Some(folder.into());
        self
    }

    /// Limits the resources of it and of all processes that it starts.
    #[must_use]
    pub fn limits(mut self, limits: Resources) -> Self {
        self.command.confinement.resources = limits;
        self
    }

    /// Restricts its files, network and privileges.
    #[must_use]
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.command.confinement.sandbox = Some(sandbox);
        self
    }

    /// Gives it cores of its own. The thread that talks to it uses them too.
    #[must_use]
    pub fn cores(mut self, cores: Pinning) -> Self {
        self.command.pinning = Some(cores);
        self
    }

    /// Chooses how its processes are kept together; otherwise in the strongest way that this host offers.
    #[must_use]
    pub fn method(mut self, method: Containment) -> Self {
        self.method = method;
        self
    }

    /// Keeps at most this number of bytes of its standard error for each exchange; otherwise 64 KiB.
    #[must_use]
    pub fn stderr_cap(mut self, bytes: usize) -> Self {
        self.stderr_cap = bytes;
        self
    }

    /// Starts the program. When this returns, it runs. The host may be dropped before it.
    ///
    /// # Errors
    /// When this host cannot contain it as asked, it cannot be executed, or the system lacks resources.
    pub fn spawn(&self, _host: &Host) -> Result<Child, StartError> {
        let mut command = self.command.clone();
        let has_sandbox = command.confinement.sandbox.is_some();
        command.confinement.method = self.method.method_with(has_sandbox)?;
        let canceller = Canceller::new()?;
        let process = BotProcess::spawn(&command, self.stderr_cap, Some(canceller.alarm()))?;
        Ok(Child { process, canceller, cpu: None, peak_memory: None })
    }
}

impl Child {
    /// Sends `input` and waits for the reply, up to `limit`; without a limit as long as it takes. Whatever the program
    /// does is part of the reply.
    ///
    /// # Errors
    /// When it is cancelled, the host has no memory left, or the system fails.
    pub fn exchange(
        &mut self,
        input: impl AsRef<[u8]>,
        until: Until,
        limit: impl Into<Option<Duration>>,
    ) -> Result<Reply, ExchangeError> {
        let count = match until {
            Until::Lines(count) => count,
            Until::End => LineRules::UNTIL_END,
        };
        let request = Request {
            input: input.as_ref(),
            rules: LineRules::any(count),
            limit: limit.into(),
            overtime: Overtime::Always(Duration::ZERO),
        };
        let answer = self.process.exchange(&request)?;
        let Certificate { cpu, peak_memory, .. } = answer.certificate;
        if let Some(cpu) = cpu {
            *self.cpu.get_or_insert_default() += cpu.0;
        }
        self.peak_memory = self.peak_memory.max(peak_memory);
        Ok(Reply {
            bytes: answer.reply.as_bytes().to_vec(),
            why_not_whole: answer.no_reply,
            wall: answer.wall,
            cost: answer.certificate,
            stderr: answer.stderr,
        })
    }

    /// Ends an exchange from any thread.
    pub fn canceller(&self) -> &Canceller {
        &self.canceller
    }

    /// Closes its input, gives it `grace` to end, and kills and reaps what is left.
    pub fn finish(self, grace: Duration) -> Ending {
        let Self { process, cpu, peak_memory, .. } = self;
        let ended = process.finish(grace);
        let (exit, killed, survivors) = (ended.exit, ended.killed, ended.left);
        Ending { exit, killed, survivors, cpu, peak_memory }
    }
}
