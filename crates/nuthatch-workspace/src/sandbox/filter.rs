//! The calls to the kernel that a sandboxed command does not get.
//!
//! No sockets but those of an allowed network; nothing that looks into other processes, that
//! changes mounts or namespaces, that leaves the group it is ended with, that types on a
//! terminal, or that reaches files past Landlock. Everything else is allowed.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that are refused whatever they are given.
const REFUSED: &[i64] = &[
    // Rings make sockets and open files where no filter looks.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    // Keys, the kernel, the machine.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    // Files that Landlock does not look at: by handle, by length, by owner or attribute.
    libc::SYS_open_by_handle_at,
    libc::SYS_truncate,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    // A command is ended with its group.
    libc::SYS_setsid,
    libc::SYS_setpgid,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[i64] = &[
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_uselib,
    // Older ways to set the times of a file by its path.
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[i64] = &[];

/// Calls that a program must believe not to exist, so that it uses older ones whose
/// arguments can be seen.
const UNKNOWN: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_openat2,
    FCHMODAT2,
    // Newer ways to set attributes by a path: `setxattrat`, `removexattrat`, `file_setattr`.
    463,
    466,
    469,
];

/// Not every C library has a name for it yet; the number is the same on every processor.
const FCHMODAT2: i64 = 452;

/// Flags of `clone` that make namespaces.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// What types on a terminal as if somebody did: `TIOCSTI` and `TIOCLINUX`.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// Bits of a mode that let others run a file as somebody else.
const SET_ID: [u64; 2] = [0o4000, 0o2000];

/// A second way to number calls on this processor, which some kernels still have.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// Refuses these calls to this process and all it starts, for good.
pub(super) fn apply(network: bool) -> Result<(), String> {
    let fail = |error: seccompiler::Error| format!("seccomp: {error}");
    let broken = |error: seccompiler::BackendError| format!("seccomp: {error}");
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(broken)?;
    let unknown: Rules = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    let programs = [(unknown, libc::ENOSYS), (refused(network).map_err(broken)?, libc::EPERM)];
    for (rules, answer) in programs {
        let answer = SeccompAction::Errno(answer.unsigned_abs());
        let filter = SeccompFilter::new(both_numbers(rules), SeccompAction::Allow, answer, arch);
        let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(broken)?;
        seccompiler::apply_filter(&program).map_err(fail)?;
    }
    Ok(())
}

fn refused(network: bool) -> Result<Rules, seccompiler::BackendError> {
    let calls = REFUSED.iter().chain(REFUSED_HERE);
    let mut rules: Rules = calls.map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, sockets(network)?);
    let pair = rule(&[(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)])?;
    rules.insert(libc::SYS_socketpair, vec![pair]);
    let spaces = NAMESPACES.iter().map(|flag| rule(&[has(0, flag.unsigned_abs().into())]));
    rules.insert(libc::SYS_clone, spaces.collect::<Result<_, _>>()?);
    let typing = TYPING.map(|request| rule(&[(1, SeccompCmpOp::Eq, request)]));
    rules.insert(libc::SYS_ioctl, typing.into_iter().collect::<Result<_, _>>()?);
    // Times of a file named by its path; by a descriptor they are those of an open file.
    rules.insert(libc::SYS_utimensat, vec![wide_rule(1, SeccompCmpOp::Ne, 0)?]);
    set_id_rules(&mut rules)?;
    opening_rules(&mut rules)?;
    Ok(rules)
}

/// Which kinds of sockets are refused: all, or all but those of the internet.
fn sockets(network: bool) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if !network {
        return Ok(Vec::new());
    }
    let kinds = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    let others = kinds.map(|kind| (0, SeccompCmpOp::Ne, kind as u64));
    Ok(vec![rule(&others)?])
}

/// Nothing in the workspace can be made to run as its owner: not by a change, and not from
/// the beginning.
fn set_id_rules(rules: &mut Rules) -> Result<(), seccompiler::BackendError> {
    let bits = |at: u8| -> Result<Vec<SeccompRule>, _> {
        SET_ID.into_iter().map(|bit| rule(&[has(at, bit)])).collect()
    };
    rules.insert(libc::SYS_fchmod, bits(1)?);
    rules.insert(libc::SYS_fchmodat, bits(2)?);
    rules.insert(libc::SYS_mknodat, bits(2)?);
    #[cfg(target_arch = "x86_64")]
    for call in [libc::SYS_chmod, libc::SYS_mknod, libc::SYS_creat] {
        rules.insert(call, bits(1)?);
    }
    Ok(())
}

/// Opening a file to read it may cut it to nothing, which old versions of Landlock allow
/// wherever reading is; and opening may make a file that runs as its owner. What stands in
/// the place of a mode means something only where a file is made.
fn opening_rules(rules: &mut Rules) -> Result<(), seccompiler::BackendError> {
    let mask = (libc::O_TRUNC | libc::O_ACCMODE) as u64;
    let opens = |flags: u8| -> Result<Vec<SeccompRule>, _> {
        let cuts = rule(&[(flags, SeccompCmpOp::MaskedEq(mask), libc::O_TRUNC as u64)]);
        let made = SET_ID.map(|bit| rule(&[has(flags, libc::O_CREAT as u64), has(flags + 1, bit)]));
        [cuts].into_iter().chain(made).collect()
    };
    rules.insert(libc::SYS_openat, opens(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, opens(1)?);
    Ok(())
}

type Condition = (u8, SeccompCmpOp, u64);

fn has(at: u8, bits: u64) -> Condition {
    (at, SeccompCmpOp::MaskedEq(bits), bits)
}

fn rule(all: &[Condition]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = all.iter().map(|(at, how, value)| {
        SeccompCondition::new(*at, SeccompCmpArgLen::Dword, how.clone(), *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

fn wide_rule(
    at: u8,
    how: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(at, SeccompCmpArgLen::Qword, how, value)?])
}

#[cfg(target_arch = "x86_64")]
fn both_numbers(rules: Rules) -> Rules {
    let second = rules.iter().map(|(call, rules)| (call | X32, rules.clone()));
    let second: Rules = second.collect();
    rules.into_iter().chain(second).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn both_numbers(rules: Rules) -> Rules {
    rules
}
