//! The memory that the forks stand on, and what the keeper tells the referee in it.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::AtomicI32;

use crate::bot::containment::Means;

/// How many survivors a keeper names.
const NAMED: usize = 8;

pub(super) const EXITED: i32 = 1;
pub(super) const KILLED: i32 = 2;

/// What a keeper tells the referee.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// 0 while the bot runs, then one of the above in the upper half and a number in the lower.
    pub(super) exit: AtomicI32,
    /// The bot's process number, as it knows it itself.
    pub(super) bot: AtomicI32,
    /// The keeper's, in the same way.
    pub(super) keeper: AtomicI32,
    pub(super) survivors: [AtomicI32; NAMED],
    /// Not 0 once nothing is to be known about the bot any more but how it ended.
    pub(super) is_over: AtomicI32,
}

/// The stack of a fork, in bytes. It runs a few small functions.
type Stack = [MaybeUninit<u8>; 64 * 1024];

/// What the forks stand on. The referee uses only the first part.
struct Memory {
    shared: Shared,
    stack: UnsafeCell<Stack>,
    bot_stack: UnsafeCell<Stack>,
}

/// The only reference to a [`Memory`], apart from those of the forks. It goes with this value.
#[derive(Debug)]
pub(super) struct Ground {
    memory: ptr::NonNull<Memory>,
    /// Whether it is a mapping that the forks share, rather than a part of memory that is all shared.
    is_mapping: bool,
    /// Whether nobody stands on it any more. As long as that is not known, it must stay.
    pub(super) is_free: bool,
}

// SAFETY: what the referee uses of it is atomics, and it belongs to this value until that is dropped.
unsafe impl Send for Ground {}
// SAFETY: as above.
unsafe impl Sync for Ground {}

impl Ground {
    pub(super) fn new(means: Means) -> io::Result<Self> {
        let is_mapping = !means.shares_memory();
        let memory = if is_mapping { Self::map()? } else { Self::allocate() };
        Ok(Self { memory, is_mapping, is_free: false })
    }

    fn map() -> io::Result<ptr::NonNull<Memory>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let size = size_of::<Memory>();
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
        let memory = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        let memory = if memory == libc::MAP_FAILED { ptr::null_mut() } else { memory };
        // Zeroes, which a new mapping is full of, are a valid `Memory`.
        ptr::NonNull::new(memory.cast()).ok_or_else(io::Error::last_os_error)
    }

    /// The stacks are not cleared: that would touch all of their pages, of which one or two are used.
    fn allocate() -> ptr::NonNull<Memory> {
        let memory = ptr::NonNull::from(Box::leak(Box::<Memory>::new_uninit())).cast::<Memory>();
        // SAFETY: it is valid for writing. Nothing needs to be in the rest.
        unsafe { (&raw mut (*memory.as_ptr()).shared).write(Shared::default()) };
        memory
    }

    fn memory(&self) -> &Memory {
        // SAFETY: it is as large and as aligned as it must be, and lives as long as `self`.
        unsafe { self.memory.as_ref() }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.memory().shared
    }

    /// Where the keeper's stack begins.
    pub(super) fn stack(&self) -> *mut c_void {
        top_of(&self.memory().stack)
    }

    /// Where the stack of the bot's fork begins.
    pub(super) fn bot_stack(&self) -> *mut c_void {
        top_of(&self.memory().bot_stack)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if !self.is_free {
            return;
        }
        let memory = self.memory.as_ptr();
        // SAFETY: nobody can borrow from `self` any more, and the forks have ended. It was made in the
        // same way.
        unsafe {
            if self.is_mapping {
                libc::munmap(memory.cast(), size_of::<Memory>());
            } else {
                drop(Box::from_raw(memory));
            }
        }
    }
}

/// The highest address of a stack, as aligned as the machine asks for.
fn top_of(stack: &UnsafeCell<Stack>) -> *mut c_void {
    let end = stack.get().wrapping_add(1).cast::<u8>();
    end.wrapping_sub(end.addr() % 16).cast()
}
