//! Probes which containment and sandboxing this host offers, and advises how to get more.

use std::fs;
use std::path::Path;

use contain::bot::{
    ContainmentMethod, Sandbox, check_cgroups, memory_limit_of_host, process_limit_of_host,
};
use results::host::{Findings, MethodFinding};

use crate::config::Config;

/// Advice for a system that contains nothing.
const FOR_LINUX: &str = "for containment, a sandbox and blame: Linux, which Windows has in WSL 2 (`wsl --install`) and other systems in a \
    virtual machine or a container";

/// Tries each method of containment, the sandbox and control groups once on this host.
pub fn probe_host(config: &Config) -> Findings {
    let finding = |method: ContainmentMethod| MethodFinding {
        name: method.name(),
        how: method.how(),
        missing: method.check().err().map(|error| error.why().to_owned()),
    };
    let containment: Vec<_> = ContainmentMethod::ALL.into_iter().map(finding).collect();
    let has = |name| containment.iter().any(|it| it.name == name && it.missing.is_none());
    let first = ContainmentMethod::ALL.into_iter().find(|method| has(method.name()));
    let used = first.unwrap_or(ContainmentMethod::Plain);
    let no_sandbox = Sandbox::new(&[]).err().map(|error| error.to_string());
    let no_namespace_sandbox = ContainmentMethod::Namespace.check_sandbox().err();
    let no_namespace_sandbox = no_namespace_sandbox.filter(|_| has("namespace"));
    let no_namespace_sandbox = no_namespace_sandbox.map(|error| error.why().to_owned());
    let mut advice = Vec::new();
    if !ContainmentMethod::CONTAINS_HERE {
        advice.push(FOR_LINUX.to_owned());
    } else if !has("namespace") {
        advice.extend(for_namespaces());
    }
    if no_sandbox.is_some() && ContainmentMethod::CONTAINS_HERE {
        advice.push(
            "for a sandbox: namespaces, or a kernel of 6.2 or later with `landlock` in its `lsm=` line"
                .to_owned(),
        );
    }
    let no_cgroups = match used {
        ContainmentMethod::Plain => Some("the method plain uses none".to_owned()),
        _ => check_cgroups().err().map(|error| error.why().to_owned()),
    };
    if no_cgroups.is_some() && Path::new("/run/systemd/system").is_dir() {
        advice.push(
            "for control groups: `systemd-run --user --scope -p Delegate=yes` before the command"
                .to_owned(),
        );
    }
    Findings {
        used: used.name(),
        exposures: used.exposures(),
        no_cgroups,
        has_kernel_limits: ContainmentMethod::LIMITS_HERE,
        host_memory: memory_limit_of_host(),
        host_processes: process_limit_of_host(),
        containment,
        no_sandbox,
        no_namespace_sandbox,
        resources: config.resources,
        sandbox_memory: config.sandbox_memory,
        advice,
    }
}

/// Whether a mount hides a part of /proc, as in containers; then the kernel refuses a new /proc to every process
/// in here.
fn hides_proc() -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    // Every system has this mount, over an empty folder.
    points
        .any(|point| point.starts_with("/proc/") && !point.starts_with("/proc/sys/fs/binfmt_misc"))
}

/// Advice for each known kernel setting that forbids namespaces here.
fn for_namespaces() -> Vec<String> {
    let is = |path: &str, value: &str| {
        fs::read_to_string(path).is_ok_and(|content| content.trim() == value)
    };
    let mut advice = Vec::new();
    for (path, value, better) in [
        ("kernel/unprivileged_userns_clone", "0", "1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user/max_user_namespaces", "0", "10000"),
        ("user/max_pid_namespaces", "0", "10000"),
        ("user/max_mnt_namespaces", "0", "10000"),
        ("user/max_ipc_namespaces", "0", "10000"),
    ] {
        if is(&format!("/proc/sys/{path}"), value) {
            let name = path.replace('/', ".");
            advice.push(format!("for namespaces: sysctl -w {name}={better} (it is {value})"));
        }
    }
    if advice.is_empty() && hides_proc() {
        advice.push(
            "for namespaces: start the container with --security-opt unmask=ALL (podman) or \
             --security-opt systempaths=unconfined (docker), since parts of /proc are hidden here"
                .to_owned(),
        );
    }
    if advice.is_empty() {
        advice.push(
            "for namespaces: in a container, a seccomp profile that allows `clone` with \
             CLONE_NEWUSER; elsewhere a kernel with CONFIG_USER_NS and CONFIG_PID_NS"
                .to_owned(),
        );
    }
    advice
}
