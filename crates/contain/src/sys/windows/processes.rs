//! The processes of a program. A job object holds all that descend from its first one, to be counted and killed together.
#![expect(unsafe_code, reason = "job objects, and the processes in them")]

use std::io;
use std::mem;
use std::os::windows::io::{AsHandle, AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{
    ERROR_INVALID_PARAMETER, ERROR_MORE_DATA, FILETIME, GetLastError, HANDLE, NTSTATUS,
    RtlNtStatusToDosError, STATUS_PROCESS_IS_TERMINATING, STATUS_SUCCESS, STILL_ACTIVE,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_PROCESS_ID_LIST,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
    PROCESS_SUSPEND_RESUME,
};

use crate::sys::Figures;

/// The most processes of a job that are listed.
const LISTED: usize = 4096;

/// A job. When its last handle is closed, as by the end of this program, the system kills its processes.
#[derive(Debug)]
pub(crate) struct Job(OwnedHandle);

/// A job by its handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessGroup(isize);

/// A list of the numbers of processes, as the system fills it.
#[repr(C)]
struct List {
    head: JOBOBJECT_BASIC_PROCESS_ID_LIST,
    rest: [usize; LISTED - 1],
}

impl Job {
    /// A job that no process can leave.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: a job without a name, whose handle is ours; the limits are plain data of the size that is named.
        unsafe {
            let job = CreateJobObjectW(ptr::null(), ptr::null());
            if job.is_null() {
                return Err(io::Error::last_os_error());
            }
            let job = Self(OwnedHandle::from_raw_handle(job));
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            // A crash opens no window that waits for somebody.
            limits.BasicLimitInformation.LimitFlags =
                JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
            let set = SetInformationJobObject(
                job.raw(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                u32::try_from(size_of_val(&limits)).expect("small"),
            );
            if set == 0 { Err(io::Error::last_os_error()) } else { Ok(job) }
        }
    }

    fn raw(&self) -> HANDLE {
        self.0.as_raw_handle()
    }

    /// Puts a process into it, which has not begun to run.
    pub(crate) fn take(&self, process: &impl AsHandle) -> io::Result<()> {
        let process = process.as_handle().as_raw_handle();
        // SAFETY: both handles are open.
        match unsafe { AssignProcessToJobObject(self.raw(), process) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Kills all of its processes.
    pub(crate) fn kill(&self) {
        self.group().kill();
    }

    /// Its place among the handles of this program, for as long as it lives.
    pub(crate) fn group(&self) -> ProcessGroup {
        ProcessGroup(self.raw() as isize)
    }

    /// Whether none of its processes is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.group().processes().is_empty()
    }
}

impl ProcessGroup {
    /// Kills all of its processes.
    pub(crate) fn kill(self) {
        // SAFETY: the handle is open, or has been closed with the job. It fails only where there is nothing to kill.
        unsafe {
            TerminateJobObject(self.0 as HANDLE, 1);
        }
    }

    /// Stops all of its processes, of which some may be `stopped`; those that start in the meantime are next, for at most this time.
    pub(crate) fn stop(self, stopped: &mut Vec<Stopped>, limit: Duration) -> io::Result<()> {
        let until = Instant::now() + limit;
        loop {
            let all = self.processes();
            let is_stopped = |pid: &u32| stopped.iter().any(|it| it.pid == *pid);
            let new: Vec<u32> = all.into_iter().filter(|pid| !is_stopped(pid)).collect();
            let before = stopped.len();
            for pid in new {
                stopped.extend(Stopped::stop(pid)?);
            }
            if stopped.len() == before || Instant::now() >= until {
                return Ok(());
            }
        }
    }

    /// The numbers of its processes that have not ended; none once the job has gone.
    fn processes(self) -> Vec<u32> {
        // SAFETY: zeroes are a valid list, which is as long as is named; the system says how many numbers it has filled in.
        let list = unsafe {
            let mut list: Box<List> = Box::new(mem::zeroed());
            let asked = QueryInformationJobObject(
                self.0 as HANDLE,
                JobObjectBasicProcessIdList,
                (&raw mut *list).cast(),
                u32::try_from(size_of::<List>()).expect("small"),
                ptr::null_mut(),
            );
            if asked == 0 && GetLastError() != ERROR_MORE_DATA {
                return Vec::new();
            }
            list
        };
        let count = (list.head.NumberOfProcessIdsInList as usize).min(LISTED);
        let all = list.head.ProcessIdList.into_iter().chain(list.rest).take(count);
        all.filter_map(|pid| u32::try_from(pid).ok()).collect()
    }
}

/// The processes of a program in a job, the first one of the program first.
pub(crate) fn below(pid: i32, group: ProcessGroup) -> Vec<i32> {
    let mut all: Vec<i32> = group.processes().into_iter().map(u32::cast_signed).collect();
    all.sort_by_key(|&other| other != pid);
    all
}

/// Has a process run that was stopped, or started without.
pub(crate) fn resume(process: &impl AsHandle) -> io::Result<()> {
    // SAFETY: the handle is open.
    done(unsafe { NtResumeProcess(process.as_handle().as_raw_handle()) })
}

// The documented calls are for single threads, and in the meantime a process can start others. These have been in all versions since XP.
#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtSuspendProcess(process: HANDLE) -> NTSTATUS;
    fn NtResumeProcess(process: HANDLE) -> NTSTATUS;
}

fn done(status: NTSTATUS) -> io::Result<()> {
    if status == STATUS_SUCCESS || status == STATUS_PROCESS_IS_TERMINATING {
        return Ok(());
    }
    // SAFETY: it translates a number.
    Err(io::Error::from_raw_os_error(unsafe { RtlNtStatusToDosError(status) }.cast_signed()))
}

/// A process that is stopped.
#[derive(Debug)]
pub(crate) struct Stopped {
    pid: u32,
    process: OwnedHandle,
}

impl Stopped {
    /// `None` if it has gone.
    fn stop(pid: u32) -> io::Result<Option<Self>> {
        // SAFETY: the handle is ours.
        let process = unsafe {
            let opened = OpenProcess(PROCESS_SUSPEND_RESUME, 0, pid);
            if opened.is_null() {
                let gone = GetLastError() == ERROR_INVALID_PARAMETER;
                return if gone { Ok(None) } else { Err(io::Error::last_os_error()) };
            }
            OwnedHandle::from_raw_handle(opened)
        };
        // SAFETY: the handle is open.
        done(unsafe { NtSuspendProcess(process.as_raw_handle()) })?;
        Ok(Some(Self { pid, process }))
    }

    /// Continues it.
    pub(crate) fn resume(self) -> io::Result<()> {
        resume(&self.process)
    }
}

/// Opens a process to read its figures; `None` if it has gone.
fn open(pid: i32) -> Option<OwnedHandle> {
    // SAFETY: the handle is ours.
    unsafe {
        let opened = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid.cast_unsigned());
        (!opened.is_null()).then(|| OwnedHandle::from_raw_handle(opened))
    }
}

/// Whether a process has ended, or is about to: its exit code is set before its files are closed.
pub(crate) fn is_ending(pid: i32) -> bool {
    let Some(process) = open(pid) else { return true };
    let mut code = 0;
    // SAFETY: the handle is open, and the code valid for writing.
    let known = unsafe { GetExitCodeProcess(process.as_raw_handle(), &raw mut code) };
    known != 0 && code != STILL_ACTIVE.cast_unsigned()
}

/// The figures of a process; `None` if it has gone.
pub(crate) fn figures(pid: i32) -> Option<Figures> {
    let process = open(pid)?;
    let size = u32::try_from(size_of::<PROCESS_MEMORY_COUNTERS>()).expect("small");
    let mut memory = PROCESS_MEMORY_COUNTERS { cb: size, ..Default::default() };
    let [mut started, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle is open, and the rest valid for writing and of the size that is named.
    unsafe {
        let process = process.as_raw_handle();
        let times = [&raw mut started, &raw mut ended, &raw mut kernel, &raw mut user];
        let [started, ended, kernel, user] = times;
        if GetProcessTimes(process, started, ended, kernel, user) == 0 {
            return None;
        }
        // Without the right to this, the process has no memory.
        GetProcessMemoryInfo(process, &raw mut memory, size);
    }
    Some(Figures {
        cpu: duration(kernel) + duration(user),
        resident: memory.WorkingSetSize as u64,
        peak: memory.PeakWorkingSetSize as u64,
        page_faults: memory.PageFaultCount.into(),
    })
}

/// A time in units of 100 ns.
fn duration(time: FILETIME) -> Duration {
    let units = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos(units.saturating_mul(100))
}
