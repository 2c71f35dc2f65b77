//! What the referee sends to the launcher to have a bot started: a [`Launch`], which is everything that is decided before the start,
//! as bytes, its fields in order, and descriptors next to them.

use std::ffi::{CString, c_int};
use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use borsh::BorshDeserialize;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use seccompiler::{BpfProgram, sock_filter};

use crate::confine::ContainmentMethod;
use crate::spawn::KernelLimit;
use crate::spawn::linux::filter::Privileges;
use crate::spawn::linux::tree::{FileTree, MountStep};
use crate::sys;
use crate::sys::raw::Strings;

/// The user, and group, that owns no files.
pub(crate) const NOBODY: u32 = 65534;

/// Everything about a bot's process that is decided before it starts.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) program: CString,
    pub(crate) argv: Strings,
    pub(crate) envp: Strings,
    pub(crate) cwd: Option<CString>,
    pub(crate) method: ContainmentMethod,
    pub(crate) limits: Vec<KernelLimit>,
    /// How many processes it may have at one time.
    pub(crate) processes: Option<u64>,
    pub(crate) privileges: Privileges,
    /// The bot's own file system, if it does not see the host's; only in a namespace.
    pub(crate) tree: Option<FileTree>,
    /// Seccomp programs.
    pub(crate) filters: Vec<BpfProgram>,
    /// A Landlock ruleset.
    pub(crate) ruleset: Option<OwnedFd>,
    /// The control group to start in.
    pub(crate) cgroup: Option<OwnedFd>,
}

impl Launch {
    /// A launch of `program`, with nothing decided yet.
    pub(crate) fn new(program: CString, method: ContainmentMethod) -> Self {
        Self {
            program,
            argv: Strings::default(),
            envp: Strings::default(),
            cwd: None,
            method,
            limits: Vec::new(),
            processes: None,
            privileges: Privileges::All,
            tree: None,
            filters: Vec::new(),
            ruleset: None,
            cgroup: None,
        }
    }

    /// The namespaces of its keeper, as flags of clone(2).
    pub(crate) fn namespaces(&self) -> c_int {
        const ALL: c_int =
            libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
        match (self.method.is_namespace(), &self.tree) {
            (false, _) => 0,
            (true, None) => ALL,
            // A sandbox shows nothing of the host's network.
            (true, Some(_)) => ALL | libc::CLONE_NEWNET,
        }
    }
}

/// The keeper's and the bot's ends of what joins them to the referee.
#[derive(Debug)]
pub(crate) struct ChildEnds {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) channel: UnixStream,
}

/// An order as the launcher has it.
#[derive(Debug)]
pub(crate) struct LaunchOrder {
    pub(crate) launch: Launch,
    /// The cores that the bot may use: the referee's thread's.
    pub(crate) cores: Vec<usize>,
    /// The referee's working directory.
    pub(crate) here: OwnedFd,
}

/// The most descriptors of an order: a directory, a ruleset, a control group and the ends.
const DESCRIPTORS: usize = 7;

/// The bytes that are read of an order at first. Each page that the launcher writes to is copied after a fork.
const FIRST: usize = 1 << 10;

/// The part of an order that is not a descriptor begins with its length.
const LENGTH: usize = size_of::<u32>();

/// Sends an order of this thread.
pub(crate) fn send(socket: &UnixStream, launch: &Launch, ends: &ChildEnds) -> io::Result<()> {
    let here = open(".", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut descriptors = vec![here.as_fd()];
    let more = [&launch.ruleset, &launch.cgroup].into_iter().flatten();
    descriptors.extend(more.map(|fd| fd.as_fd()));
    let ChildEnds { stdin, stdout, stderr, channel } = ends;
    descriptors.extend([stdin.as_fd(), stdout.as_fd(), stderr.as_fd(), channel.as_fd()]);
    let has = (launch.ruleset.is_some(), launch.cgroup.is_some());
    let mut bytes = vec![0; LENGTH];
    write(launch, &mut bytes)?;
    borsh::to_writer(&mut bytes, &(sys::usable_cores().unwrap_or_default(), has))?;
    let length = u32::try_from(bytes.len() - LENGTH).map_err(|_| Errno::TOOBIG)?;
    bytes[..LENGTH].copy_from_slice(&length.to_ne_bytes());
    send_all(socket, &bytes, &descriptors)
}

/// Sends bytes, with descriptors next to the first of them.
pub(crate) fn send_all(
    socket: &UnixStream,
    mut bytes: &[u8],
    mut descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    while !bytes.is_empty() {
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            control.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        match sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(sent) => (bytes, descriptors) = (&bytes[sent..], &[]),
        }
    }
    Ok(())
}

/// Reads once, with the descriptors that came next to the bytes.
pub(crate) fn receive_some(
    socket: &UnixStream,
    bytes: &mut [u8],
) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    loop {
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut iov = [IoSliceMut::new(bytes)];
        match recvmsg(socket, &mut iov, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(received) => {
                let rights = |message| match message {
                    RecvAncillaryMessage::ScmRights(rights) => Some(rights),
                    _ => None,
                };
                let descriptors = control.drain().filter_map(rights).flatten().collect();
                return Ok((received.bytes, descriptors));
            }
        }
    }
}

/// Awaits an order; `None` if none will come any more.
pub(crate) fn receive(mut socket: &UnixStream) -> Option<(LaunchOrder, ChildEnds)> {
    let mut bytes = vec![0; FIRST];
    // The kernel ends a read before bytes of the next order, which come with descriptors of their own.
    let (count, descriptors) = receive_some(socket, &mut bytes).ok()?;
    let length: [u8; LENGTH] = bytes.get(..count)?.get(..LENGTH)?.try_into().ok()?;
    let length = LENGTH + usize::try_from(u32::from_ne_bytes(length)).ok()?;
    bytes.resize(length.max(count), 0);
    socket.read_exact(&mut bytes[count..]).ok()?;
    let mut rest = &bytes[LENGTH..];
    let mut launch = read(&mut rest)?;
    let (cores, (has_ruleset, has_cgroup)) = take(&mut rest)?;
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next();
    let here = next()?;
    launch.ruleset = if has_ruleset { next() } else { None };
    launch.cgroup = if has_cgroup { next() } else { None };
    let order = LaunchOrder { launch, cores, here };
    let [stdin, stdout, stderr, channel] = [next()?, next()?, next()?, next()?];
    Some((order, ChildEnds { stdin, stdout, stderr, channel: channel.into() }))
}

/// The kind of a step, its place, its other path and its flags.
type StepParts = (u8, Vec<u8>, Vec<u8>, u32);

/// Appends `launch` to `bytes`.
pub(crate) fn write(launch: &Launch, bytes: &mut Vec<u8>) -> io::Result<()> {
    let limits = launch.limits.iter().map(|limit| (limit.resource, limit.soft, limit.hard));
    let tree = launch.tree.as_ref().map(|tree| {
        let steps = tree.steps.iter().map(parts_of_step);
        (tree.options.as_bytes(), steps.collect::<Vec<_>>())
    });
    let filters = launch.filters.iter().map(|filter| {
        let steps = filter.iter().map(|step| (step.code, step.jt, step.jf, step.k));
        steps.collect::<Vec<_>>()
    });
    let fields = (
        launch.program.as_bytes(),
        &launch.argv.0,
        &launch.envp.0,
        launch.cwd.as_ref().map(CString::as_bytes),
        launch.method as u8,
        limits.collect::<Vec<_>>(),
        launch.processes,
        launch.privileges as u8,
        tree,
        filters.collect::<Vec<_>>(),
    );
    borsh::to_writer(bytes, &fields)
}

/// Takes a launch from the start of `bytes`.
pub(crate) fn read(bytes: &mut &[u8]) -> Option<Launch> {
    type Text = Vec<u8>;
    type Limit = (usize, Option<u64>, Option<u64>);
    let (program, argv, envp, cwd): (Text, Text, Text, Option<Text>) = take(bytes)?;
    let (method, limits): (u8, Vec<Limit>) = take(bytes)?;
    let (processes, privileges): (Option<u64>, u8) = take(bytes)?;
    let (tree, filters): (Option<(Text, Vec<StepParts>)>, Vec<Vec<_>>) = take(bytes)?;
    let limits =
        limits.into_iter().map(|(resource, soft, hard)| KernelLimit { resource, soft, hard });
    let filters = filters.into_iter().map(|filter| {
        let steps = filter.into_iter().map(|(code, jt, jf, k)| sock_filter { code, jt, jf, k });
        steps.collect()
    });
    let text = |bytes| CString::new(bytes).ok();
    Some(Launch {
        program: text(program)?,
        argv: Strings(argv),
        envp: Strings(envp),
        cwd: match cwd {
            Some(cwd) => Some(text(cwd)?),
            None => None,
        },
        method: *ContainmentMethod::ALL.get(usize::from(method))?,
        limits: limits.collect(),
        processes,
        privileges: *Privileges::ALL.get(usize::from(privileges))?,
        tree: match tree {
            Some((options, steps)) => Some(FileTree {
                options: text(options)?,
                steps: steps.into_iter().map(step_of_parts).collect::<Option<_>>()?,
            }),
            None => None,
        },
        filters: filters.collect(),
        ruleset: None,
        cgroup: None,
    })
}

/// Takes a value from the start of `bytes`.
pub(crate) fn take<T: BorshDeserialize>(bytes: &mut &[u8]) -> Option<T> {
    T::deserialize(bytes).ok()
}

fn parts_of_step(step: &MountStep) -> (u8, &[u8], &[u8], u32) {
    let (kind, at, other, flags) = match step {
        MountStep::Folder(at) => (0, at, c"", 0),
        MountStep::OpenFolder(at) => (1, at, c"", 0),
        MountStep::File(at) => (2, at, c"", 0),
        MountStep::Link { target, at } => (3, at, target.as_c_str(), 0),
        MountStep::Bind { from, at } => (4, at, from.as_c_str(), 0),
        MountStep::Remount { at, flags } => (5, at, c"", *flags),
        MountStep::Proc(at) => (6, at, c"", 0),
    };
    (kind, at.as_bytes(), other.to_bytes(), flags)
}

fn step_of_parts((kind, at, other, flags): StepParts) -> Option<MountStep> {
    let (at, other) = (CString::new(at).ok()?, CString::new(other).ok()?);
    Some(match kind {
        0 => MountStep::Folder(at),
        1 => MountStep::OpenFolder(at),
        2 => MountStep::File(at),
        3 => MountStep::Link { target: other, at },
        4 => MountStep::Bind { from: other, at },
        5 => MountStep::Remount { at, flags },
        6 => MountStep::Proc(at),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rustix::process::Resource;

    use super::*;

    fn steps() -> Vec<MountStep> {
        let (at, other) = (CString::from(c"tmp"), CString::from(c"/usr"));
        vec![
            MountStep::Folder(at.clone()),
            MountStep::OpenFolder(at.clone()),
            MountStep::File(at.clone()),
            MountStep::Link { target: other.clone(), at: at.clone() },
            MountStep::Bind { from: other, at: at.clone() },
            MountStep::Remount { at: at.clone(), flags: 0x1021 },
            MountStep::Proc(at),
        ]
    }

    #[test]
    fn a_launch_arrives_as_it_was_sent() {
        let kinds = ContainmentMethod::ALL.into_iter().zip(Privileges::ALL);
        for (number, (method, privileges)) in kinds.enumerate() {
            let is_odd = number % 2 == 1;
            let sent = Launch {
                argv: Strings::new(&[c"sort".into(), c"-n".into()]),
                envp: Strings::new(&[c"A=\xFF".into()]),
                cwd: is_odd.then(|| c"/tmp".into()),
                limits: KernelLimit::new(Resource::Cpu, Some(1), None).into_iter().collect(),
                processes: is_odd.then_some(512),
                privileges,
                tree: is_odd.then(|| FileTree { options: c"size=1m".into(), steps: steps() }),
                filters: vec![vec![sock_filter { code: 0x15, jt: 1, jf: 2, k: u32::MAX }]],
                ..Launch::new(c"/usr/bin/sort".into(), method)
            };
            let mut bytes = Vec::new();
            write(&sent, &mut bytes).expect("memory");
            assert!(read(&mut &bytes[..bytes.len() - 1]).is_none(), "cut off");
            bytes.push(7);
            let mut rest = &*bytes;
            let came = read(&mut rest).expect("whole");
            assert_eq!(format!("{came:?}"), format!("{sent:?}"));
            assert_eq!(rest, [7], "what follows it stays");
        }
    }
}
