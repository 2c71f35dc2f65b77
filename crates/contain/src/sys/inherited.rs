//! The limits that this process passes on to what it starts.

/// A limit of the system on this process, which what it starts inherits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inherited {
    /// Seconds of CPU time.
    CpuTime,
    /// The bytes of a file.
    FileSize,
    /// The bytes of its address space.
    AddressSpace,
    /// The bytes of its stack.
    Stack,
}
