//! The referee's ends of a program's pipes, which never block.
//!
//! What std opens as the parent's end of a child's pipe takes overlapped reads and writes: they are begun, and an event is
//! signalled once they are over. So there is always one read under way, into a buffer of its own, and at most one write.
#![expect(unsafe_code, reason = "overlapped reads and writes")]

use std::cell::RefCell;
use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::mem::MaybeUninit;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use std::ptr;
use std::slice;

use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_HANDLE_EOF, ERROR_IO_INCOMPLETE, ERROR_IO_PENDING, ERROR_NO_DATA,
    ERROR_PIPE_NOT_CONNECTED, GetLastError,
};
use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};

use crate::sys::{self, Waitable};

/// The bytes of one read or write.
const CHUNK: u32 = 32 << 10;

/// A read or write that goes on while others do something else.
struct Operation {
    /// Where the system notes its state: at one place for as long as it goes on.
    overlapped: Box<OVERLAPPED>,
    /// Signalled once it is over.
    event: OwnedHandle,
    buffer: Box<[u8]>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    UnderWay,
    /// This part of the buffer was read and is not taken yet.
    Holds {
        from: usize,
        to: usize,
    },
    /// The other end is closed.
    Closed,
}

// SAFETY: the pointers in an OVERLAPPED are the system's own, and of no thread.
unsafe impl Send for Operation {}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Operation {
    fn new() -> io::Result<Self> {
        Ok(Self {
            overlapped: Box::default(),
            event: sys::new_event()?,
            buffer: vec![0; CHUNK as usize].into(),
            state: State::Idle,
        })
    }

    /// An OVERLAPPED for another operation.
    fn renewed(&mut self) -> *mut OVERLAPPED {
        *self.overlapped = OVERLAPPED { hEvent: self.event.as_raw_handle(), ..Default::default() };
        &raw mut *self.overlapped
    }

    /// Notes that an operation was begun, or why it was not.
    fn note_begun(&mut self, begun: i32) -> io::Result<()> {
        // SAFETY: it reads a number of this thread.
        let error = if begun == 0 { unsafe { GetLastError() } } else { ERROR_IO_PENDING };
        self.state = match error {
            ERROR_IO_PENDING => State::UnderWay,
            error if is_end(error) => State::Closed,
            error => return Err(of_system(error)),
        };
        if self.state == State::Closed {
            sys::set_event(&self.event);
        }
        Ok(())
    }

    /// The number of bytes of the operation that is under way; `None` if it goes on.
    fn result(&mut self, pipe: &OwnedHandle, awaits: bool) -> io::Result<Option<usize>> {
        let mut count = 0;
        // SAFETY: both belong to the operation that was begun, and the count is valid for writing.
        let error = unsafe {
            let (pipe, overlapped) = (pipe.as_raw_handle(), &raw const *self.overlapped);
            if GetOverlappedResult(pipe, overlapped, &raw mut count, awaits.into()) != 0 {
                self.state = State::Idle;
                return Ok(Some(count as usize));
            }
            GetLastError()
        };
        match error {
            ERROR_IO_INCOMPLETE => Ok(None),
            error if is_end(error) => {
                self.state = State::Closed;
                sys::set_event(&self.event);
                Ok(Some(0))
            }
            error => Err(of_system(error)),
        }
    }

    /// Ends it before its buffer goes.
    fn cancel(&mut self, pipe: &OwnedHandle) {
        if self.state == State::UnderWay {
            // SAFETY: the operation is under way.
            unsafe {
                CancelIoEx(pipe.as_raw_handle(), &raw const *self.overlapped);
            }
            let _ = self.result(pipe, true);
        }
    }
}

fn is_end(error: u32) -> bool {
    matches!(error, ERROR_BROKEN_PIPE | ERROR_HANDLE_EOF | ERROR_NO_DATA | ERROR_PIPE_NOT_CONNECTED)
}

fn of_system(error: u32) -> io::Error {
    io::Error::from_raw_os_error(error.cast_signed())
}

/// The reading end of a program's output.
#[derive(Debug)]
pub(crate) struct PipeReader {
    pipe: OwnedHandle,
    read: RefCell<Operation>,
}

/// The writing end of a program's input.
#[derive(Debug)]
pub(crate) struct PipeWriter {
    pipe: OwnedHandle,
    write: RefCell<Operation>,
    /// The bytes of the write that is under way.
    in_flight: usize,
}

impl PipeReader {
    pub(crate) fn new(pipe: OwnedHandle) -> io::Result<Self> {
        Ok(Self { pipe, read: RefCell::new(Operation::new()?) })
    }

    /// Begins a read, unless one is under way or its bytes are not taken yet.
    fn begin(&self) -> io::Result<()> {
        let read = &mut *self.read.borrow_mut();
        if read.state != State::Idle {
            return Ok(());
        }
        let overlapped = read.renewed();
        // SAFETY: the buffer and the OVERLAPPED stay where they are until the read is over; dropping this ends it.
        let begun = unsafe {
            let (pipe, buffer) = (self.pipe.as_raw_handle(), read.buffer.as_mut_ptr());
            ReadFile(pipe, buffer, CHUNK, ptr::null_mut(), overlapped)
        };
        read.note_begun(begun)
    }

    /// Takes what has come, at most as many bytes as `space` has.
    fn take<'a>(&self, space: &'a mut [MaybeUninit<u8>]) -> io::Result<&'a mut [u8]> {
        self.begin()?;
        let read = &mut *self.read.borrow_mut();
        if read.state == State::UnderWay {
            match read.result(&self.pipe, false)? {
                None => return Err(ErrorKind::WouldBlock.into()),
                Some(to) if read.state == State::Idle && to > 0 => {
                    read.state = State::Holds { from: 0, to };
                }
                // A write of no bytes ends a read, and is nothing to read.
                Some(_) if read.state == State::Idle => return Err(ErrorKind::Interrupted.into()),
                Some(_) => {}
            }
        }
        let State::Holds { from, to } = read.state else { return Ok(&mut []) };
        let count = space.len().min(to - from);
        // SAFETY: both have that many bytes, and do not overlap; after this they are initialised.
        let taken = unsafe {
            let to = space.as_mut_ptr().cast::<u8>();
            ptr::copy_nonoverlapping(read.buffer[from..from + count].as_ptr(), to, count);
            slice::from_raw_parts_mut(to, count)
        };
        read.state = match from + count {
            from if from < to => State::Holds { from, to },
            _ => State::Idle,
        };
        Ok(taken)
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.read.get_mut().cancel(&self.pipe);
    }
}

impl PipeWriter {
    pub(crate) fn new(pipe: OwnedHandle) -> io::Result<Self> {
        Ok(Self { pipe, write: RefCell::new(Operation::new()?), in_flight: 0 })
    }

    /// Whether no write is under way.
    fn is_idle(&self) -> bool {
        let write = &mut *self.write.borrow_mut();
        if write.state == State::UnderWay {
            // Of an end that is closed, the next write tells.
            let _ = write.result(&self.pipe, false);
        }
        write.state != State::UnderWay
    }
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_idle() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let write = self.write.get_mut();
        let count = bytes.len().min(CHUNK as usize);
        if write.state == State::Idle && count > 0 {
            write.buffer[..count].copy_from_slice(&bytes[..count]);
            let overlapped = write.renewed();
            // SAFETY: the buffer and the OVERLAPPED stay where they are until the write is over; dropping this ends it.
            let begun = unsafe {
                let (pipe, buffer) = (self.pipe.as_raw_handle(), write.buffer.as_ptr());
                let count = u32::try_from(count).expect("a chunk");
                WriteFile(pipe, buffer, count, ptr::null_mut(), overlapped)
            };
            write.note_begun(begun)?;
        }
        if write.state == State::Closed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.in_flight = count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.write.get_mut().cancel(&self.pipe);
    }
}

/// Nothing is to be prepared.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn prepare_to_read(_pipe: &PipeReader) -> io::Result<()> {
    Ok(())
}

/// Nothing is to be prepared.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn prepare_to_write(_pipe: &PipeWriter) -> io::Result<()> {
    Ok(())
}

/// Ready once there is something to read.
pub(crate) fn readable(pipe: &PipeReader) -> Waitable<'_> {
    if pipe.begin().is_err() {
        // The read that follows reports it.
        sys::set_event(&pipe.read.borrow().event);
    }
    Waitable::raw(pipe.read.borrow().event.as_raw_handle())
}

/// Ready once something can be written.
pub(crate) fn writable(pipe: &PipeWriter) -> Waitable<'_> {
    if pipe.is_idle() {
        sys::set_event(&pipe.write.borrow().event);
    }
    Waitable::raw(pipe.write.borrow().event.as_raw_handle())
}

/// Reads what is there; nothing at EOF.
pub(crate) fn read<'a>(
    pipe: &PipeReader,
    space: &'a mut [MaybeUninit<u8>],
) -> io::Result<&'a mut [u8]> {
    pipe.take(space)
}

/// Whether everything that was written is in the pipe.
pub(crate) fn is_written(pipe: &PipeWriter) -> bool {
    pipe.is_idle()
}

/// The number of bytes that did not fit into the pipe yet; what the program has not read of its content is unknown.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn unread(pipe: &PipeWriter) -> io::Result<u64> {
    Ok(if pipe.is_idle() { 0 } else { pipe.in_flight as u64 })
}
