//! The relay: the program that a tester starts instead of the bot.
//!
//! It hands its standard input and output to the referee, which passes the bot's bytes through them, waits until the referee
//! says how the bot has ended, and ends in the same way. It writes nothing to its standard error, and keeps it open until
//! then. It uses no library, not even C's: in a game of milliseconds it counts that a program is started, and to load
//! libraries takes several times as long. `build.rs` builds it.

#![no_std]
#![no_main]
// Keep the compiler from emitting libc calls.
#![no_builtins]

use core::arch::{asm, global_asm};
use core::mem::MaybeUninit;
use core::panic::PanicInfo;

/// The suffix of the referee's socket after the relay's name.
const SUFFIX: &[u8] = b".socket";

/// The longest name of a socket, with the NUL at its end.
const LONGEST: usize = 108;

/// System calls with their numbers, and the start, where the arguments are on the stack.
#[cfg(target_arch = "x86_64")]
mod kernel {
    pub const READ: usize = 0;
    pub const RT_SIGACTION: usize = 13;
    pub const RT_SIGPROCMASK: usize = 14;
    pub const GETPID: usize = 39;
    pub const SOCKET: usize = 41;
    pub const CONNECT: usize = 42;
    pub const SENDMSG: usize = 46;
    pub const KILL: usize = 62;
    pub const EXIT_GROUP: usize = 231;
    pub const OPENAT: usize = 257;
    pub const DUP3: usize = 292;

    super::global_asm!(".globl _start", "_start:", "mov rdi, rsp", "and rsp, -16", "call {}", sym super::start);

    pub unsafe fn call(number: usize, [a, b, c, d]: [usize; 4]) -> isize {
        let result;
        unsafe {
            super::asm!("syscall", inlateout("rax") number => result, in("rdi") a, in("rsi") b, in("rdx") c,
                in("r10") d, lateout("rcx") _, lateout("r11") _, options(nostack));
        }
        result
    }
}

#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
mod kernel {
    pub const DUP3: usize = 24;
    pub const OPENAT: usize = 56;
    pub const READ: usize = 63;
    pub const EXIT_GROUP: usize = 94;
    pub const KILL: usize = 129;
    pub const RT_SIGACTION: usize = 134;
    pub const RT_SIGPROCMASK: usize = 135;
    pub const GETPID: usize = 172;
    pub const SOCKET: usize = 198;
    pub const CONNECT: usize = 203;
    pub const SENDMSG: usize = 211;

    #[cfg(target_arch = "aarch64")]
    super::global_asm!(".globl _start", "_start:", "mov x0, sp", "bl {}", sym super::start);
    #[cfg(target_arch = "riscv64")]
    super::global_asm!(".globl _start", "_start:", "mv a0, sp", "call {}", sym super::start);

    pub unsafe fn call(number: usize, [a, b, c, d]: [usize; 4]) -> isize {
        let result;
        #[cfg(target_arch = "aarch64")]
        unsafe {
            super::asm!("svc 0", in("x8") number, inlateout("x0") a => result, in("x1") b, in("x2") c, in("x3") d,
                options(nostack));
        }
        #[cfg(target_arch = "riscv64")]
        unsafe {
            super::asm!("ecall", in("a7") number, inlateout("a0") a => result, in("a1") b, in("a2") c, in("a3") d,
                options(nostack));
        }
        result
    }
}

/// A system call; its result, if it did not fail.
fn call(number: usize, arguments: [usize; 4]) -> Option<usize> {
    // SAFETY: each caller passes what this call reads and writes.
    usize::try_from(unsafe { kernel::call(number, arguments) }).ok()
}

fn address<T: ?Sized>(value: &T) -> usize {
    (&raw const *value).cast::<u8>().expose_provenance()
}

/// The first code to run. The kernel leaves the number of arguments here, and their addresses behind it.
unsafe extern "C" fn start(arguments: *const usize) -> ! {
    // SAFETY: the kernel says so.
    let program = unsafe { arguments.add(1).read() as *const u8 };
    let status = relay(program).unwrap_or([b's', SIGKILL]);
    if status[0] != b'e' {
        die_of(status[1]);
    }
    exit(status[1])
}

/// Hands over standard input and output, and waits for what the referee says of the bot's end: the status of its exit after
/// `e`, or the signal that ended it after `s`.
fn relay(program: *const u8) -> Option<[u8; 2]> {
    const AF_UNIX: usize = 1;
    const SOCK_STREAM_CLOEXEC: usize = 1 | 0o2_000_000;
    const NOSIGNAL: usize = 0x4000;
    const CURRENT_FOLDER: usize = usize::MAX - 99;
    const O_RDWR: usize = 2;

    // A stream that the tester has closed is to be nothing, and neither the socket nor missing.
    let nothing = loop {
        let opened = call(kernel::OPENAT, [CURRENT_FOLDER, address(c"/dev/null"), O_RDWR, 0])?;
        if opened > 2 {
            break opened;
        }
    };
    let socket = call(kernel::SOCKET, [AF_UNIX, SOCK_STREAM_CLOEXEC, 0, 0])?;
    let mut name = Name { family: 1, path: [const { MaybeUninit::uninit() }; LONGEST] };
    let length = name.put(program)?;
    call(kernel::CONNECT, [socket, address(&name), length, 0])?;
    let streams = Streams { length: size_of::<Streams>(), level: 1, kind: 1, streams: [0, 1] };
    let part = [address(b"r"), 1];
    let message: [usize; 7] = [0, 0, address(&part), 1, address(&streams), size_of::<Streams>(), 0];
    call(kernel::SENDMSG, [socket, address(&message), NOSIGNAL, 0])?;
    for stream in 0..2 {
        call(kernel::DUP3, [nothing, stream, 0, 0])?;
    }
    let mut status = [0; 2];
    // A plain read, by which the referee knows that this process waits.
    let count =
        call(kernel::READ, [socket, (&raw mut status).expose_provenance(), status.len(), 0])?;
    Some(status).filter(|_| count == status.len())
}

const SIGKILL: u8 = 9;

/// Ends this process by a signal, unless that is one that ends none.
fn die_of(signal: u8) {
    const UNBLOCK: usize = 1;
    /// The kernel's `struct sigaction` of the default action, which is no longer.
    const DEFAULT: [usize; 4] = [0; 4];
    const SET: usize = 8;

    let all = [usize::MAX];
    let number = usize::from(signal);
    call(kernel::RT_SIGACTION, [number, address(&DEFAULT), 0, SET]);
    call(kernel::RT_SIGPROCMASK, [UNBLOCK, address(&all), 0, SET]);
    if let Some(own) = call(kernel::GETPID, [0; 4]) {
        call(kernel::KILL, [own, number, 0, 0]);
    }
    exit(1)
}

fn exit(status: u8) -> ! {
    loop {
        call(kernel::EXIT_GROUP, [usize::from(status), 0, 0, 0]);
    }
}

/// `struct sockaddr_un`.
#[repr(C)]
struct Name {
    family: u16,
    path: [MaybeUninit<u8>; LONGEST],
}

impl Name {
    /// Makes it the name of the socket next to the relay's program; returns its length.
    fn put(&mut self, program: *const u8) -> Option<usize> {
        let mut path = self.path.iter_mut();
        let mut next = program;
        // SAFETY: the kernel ends each argument with a NUL; without arguments there is none.
        while !next.is_null() && unsafe { *next } != 0 {
            path.next()?.write(unsafe { *next });
            next = unsafe { next.add(1) };
        }
        for byte in SUFFIX {
            path.next()?.write(*byte);
        }
        Some(size_of::<Self>() - path.len())
    }
}

/// A control message (`struct cmsghdr`) with standard input and output.
#[repr(C)]
struct Streams {
    length: usize,
    level: i32,
    kind: i32,
    streams: [i32; 2],
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(1)
}
