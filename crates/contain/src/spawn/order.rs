//! What the referee sends to the launcher to have a bot started: a [`Launch`] and descriptors.

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use super::plan::Launch;
use super::wire;
use crate::sys::cores;

/// The keeper's and the bot's ends of what joins them to the referee.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) channel: UnixStream,
}

/// An order as the launcher has it.
#[derive(Debug)]
pub(crate) struct Order {
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
pub(crate) fn send(socket: &UnixStream, launch: &Launch, ends: &Ends) -> io::Result<()> {
    let here = open(".", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut descriptors = vec![here.as_fd()];
    let more = [&launch.ruleset, &launch.cgroup].into_iter().flatten();
    descriptors.extend(more.map(|fd| fd.as_fd()));
    let Ends { stdin, stdout, stderr, channel } = ends;
    descriptors.extend([stdin.as_fd(), stdout.as_fd(), stderr.as_fd(), channel.as_fd()]);
    let has = (launch.ruleset.is_some(), launch.cgroup.is_some());
    let mut bytes = vec![0; LENGTH];
    wire::write(launch, &mut bytes)?;
    borsh::to_writer(&mut bytes, &(cores::usable().unwrap_or_default(), has))?;
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
pub(crate) fn receive(mut socket: &UnixStream) -> Option<(Order, Ends)> {
    let mut bytes = vec![0; FIRST];
    // The kernel ends a read before bytes of the next order, which come with descriptors of their own.
    let (count, descriptors) = receive_some(socket, &mut bytes).ok()?;
    let length: [u8; LENGTH] = bytes.get(..count)?.get(..LENGTH)?.try_into().ok()?;
    let length = LENGTH + usize::try_from(u32::from_ne_bytes(length)).ok()?;
    bytes.resize(length.max(count), 0);
    socket.read_exact(&mut bytes[count..]).ok()?;
    let mut rest = &bytes[LENGTH..];
    let mut launch = wire::read(&mut rest)?;
    let (cores, (has_ruleset, has_cgroup)) = wire::take(&mut rest)?;
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next();
    let here = next()?;
    launch.ruleset = if has_ruleset { next() } else { None };
    launch.cgroup = if has_cgroup { next() } else { None };
    let order = Order { launch, cores, here };
    let [stdin, stdout, stderr, channel] = [next()?, next()?, next()?, next()?];
    Some((order, Ends { stdin, stdout, stderr, channel: channel.into() }))
}
