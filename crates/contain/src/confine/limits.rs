//! What the kernel itself limits of a program.

use rustix::process::{Resource as KernelResource, Rlimit, getrlimit};

use terms::limits::Resources;

/// A limit of the kernel on each of a bot's processes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelLimit {
    /// Its place in [`LIMITED`].
    pub(crate) resource: usize,
    pub(crate) soft: Option<u64>,
    pub(crate) hard: Option<u64>,
}

/// What `setrlimit(2)` bounds, for each process of a bot alone; the rest is watched or in a control group.
const LIMITED: &[KernelResource] = &[
    KernelResource::Core,
    KernelResource::Nofile,
    KernelResource::Cpu,
    KernelResource::Fsize,
    KernelResource::Stack,
    #[cfg(target_os = "linux")]
    KernelResource::Sigpending,
];

impl KernelLimit {
    /// A limit on one of [`LIMITED`].
    pub(crate) fn new(
        resource: KernelResource,
        soft: Option<u64>,
        hard: Option<u64>,
    ) -> Option<Self> {
        let resource = LIMITED.iter().position(|limited| *limited == resource)?;
        Some(Self { resource, soft, hard })
    }

    pub(crate) fn of_kernel(self) -> (KernelResource, Rlimit) {
        (LIMITED[self.resource], Rlimit { current: self.soft, maximum: self.hard })
    }
}

/// The kernel's limits that the referee's user may set, and `more`.
pub(crate) fn kernel_limits(
    resources: &Resources,
    more: impl IntoIterator<Item = (KernelResource, u64)>,
) -> Vec<KernelLimit> {
    let cpu_time = resources.cpu_time.map(|time| time.0.as_secs().max(1));
    let limits = [
        // No core dumps. One byte is too small for a file and, unlike 0, also keeps the kernel from
        // piping the dump to a program.
        (KernelResource::Core, Some(1)),
        (KernelResource::Nofile, resources.open_files),
        (KernelResource::Cpu, cpu_time),
        (KernelResource::Fsize, resources.file_size),
        (KernelResource::Stack, resources.stack),
    ];
    let set = |(resource, limit): (_, Option<u64>)| {
        let limit = limit?;
        let allowed = getrlimit(resource).maximum;
        // At the soft limit on CPU time the kernel sends SIGXCPU, at the hard one SIGKILL.
        let hard = if resource == KernelResource::Cpu { limit + 1 } else { limit };
        let at_most = |limit: u64| Some(limit.min(allowed.unwrap_or(u64::MAX)));
        KernelLimit::new(resource, at_most(limit), at_most(hard))
    };
    let more = more.into_iter().map(|(resource, limit)| (resource, Some(limit)));
    limits.into_iter().chain(more).filter_map(set).collect()
}
