//! A [`Launch`] as bytes, for the launcher: its fields in order, without the descriptors.

use std::ffi::CString;
use std::io;

use borsh::BorshDeserialize;
use seccompiler::sock_filter;

use super::plan::Launch;
use crate::confine::limits::KernelLimit;
use crate::confine::method::ContainmentMethod;
use crate::confine::privileges::Privileges;
use crate::confine::tree::{MountStep, Tree};
use crate::sys::raw::Strings;

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
            Some((options, steps)) => Some(Tree {
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
                tree: is_odd.then(|| Tree { options: c"size=1m".into(), steps: steps() }),
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
