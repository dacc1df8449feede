//! Which system calls may a program make that nobody trusts?
//!
//! An allow-list, made into two filters by `seccompiler` (rust-vmm) and handed to
//! the program's runtime, which loads both before the program's first
//! instruction. What is not on the list ends the program (`SIGSYS`, by which
//! the runtime notes the call). What only looks at files is answered "permission
//! denied" instead, since honest programs do it too: `setlocale`, `localtime`.
//!
//! The list: the three streams, memory without execution and not where
//! something lies already, clocks and sleep, random numbers, its own end. No
//! file, no process, no thread, no socket, no signal but its own abort. Limit:
//! time in the kernel is not counted in instructions; the clock ends that.

use std::collections::BTreeMap;
use std::str::FromStr;

use opcost_runtime::fuel::{FilterStep, OWN_PROCESS};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use syscalls::Sysno;

use opcost_answer::Failure;

/// What an argument of a call must be.
#[derive(Clone, Copy)]
enum Must {
    /// This number.
    Be(u8, u64),
    /// Another number.
    NotBe(u8, u64),
    /// At most this.
    BeBelow(u8, u64),
    /// A pointer to nothing.
    BeNull(u8),
    /// These bits of it, those.
    Have(u8, u64, u64),
}
use Must::{Be, BeBelow, BeNull, Have, NotBe};

/// Calls that are allowed whatever they are given.
const FREE: &str = "exit exit_group rt_sigreturn rt_sigprocmask restart_syscall getpid gettid getppid getuid geteuid \
    getgid getegid brk munmap clock_gettime clock_getres gettimeofday time clock_nanosleep nanosleep getrandom \
    futex sched_yield sched_getaffinity getcpu sysinfo times getrusage uname";

const TCGETS: u64 = 0x5401;
const F_GETFL: u64 = 3;
const AT_EMPTY_PATH: u64 = 0x1000;
const PROT_EXEC: u64 = 4;
const MAP_ANONYMOUS: u64 = 0x20;
/// `MAP_FIXED`, `MAP_FIXED_NOREPLACE`: where something may be already.
const MAP_PLACED: u64 = 0x10_0010;
/// `MREMAP_FIXED`, `MREMAP_DONTUNMAP`.
const MREMAP_PLACED: u64 = 6;
const SIGABRT: u64 = 6;
/// `O_ACCMODE`, `O_CREAT`, `O_TRUNC`.
const O_CHANGING: u64 = 0x243;
const EACCES: u32 = 13;

/// Calls that are allowed with such arguments, one line for each way.
const ALLOWED: &[(&str, &[Must])] = &[
    ("read", &[Be(0, 0)]),
    ("readv", &[Be(0, 0)]),
    ("write", &[Be(0, 1)]),
    ("write", &[Be(0, 2)]),
    ("writev", &[Be(0, 1)]),
    ("writev", &[Be(0, 2)]),
    ("close", &[BeBelow(0, 3)]),
    ("fstat", &[BeBelow(0, 3)]),
    ("lseek", &[BeBelow(0, 3)]),
    ("newfstatat", &[BeBelow(0, 3), Be(3, AT_EMPTY_PATH)]),
    ("ioctl", &[BeBelow(0, 3), Be(1, TCGETS)]),
    ("fcntl", &[BeBelow(0, 3), Be(1, F_GETFL)]),
    ("mmap", &[Have(2, PROT_EXEC, 0), Have(3, MAP_ANONYMOUS | MAP_PLACED, MAP_ANONYMOUS)]),
    ("mremap", &[Have(3, MREMAP_PLACED, 0)]),
    ("tgkill", &[Be(0, OWN_PROCESS as u64), Be(2, SIGABRT)]),
    ("prlimit64", &[BeNull(2)]),
];

/// Calls that are answered "permission denied".
const DENIED: &[(&str, &[Must])] = &[
    ("open", &[Have(1, O_CHANGING, 0)]),
    ("openat", &[Have(2, O_CHANGING, 0)]),
    ("newfstatat", &[NotBe(3, AT_EMPTY_PATH)]),
    ("stat", &[]),
    ("lstat", &[]),
    ("statx", &[]),
    ("access", &[]),
    ("faccessat", &[]),
    ("faccessat2", &[]),
    ("readlink", &[]),
    ("readlinkat", &[]),
    ("getcwd", &[]),
];

/// The two filters, in the order in which they are loaded.
///
/// # Errors
/// There are no filters for this machine.
pub(crate) fn filters() -> Result<[Vec<FilterStep>; 2], Failure> {
    let compiled = || -> Result<[BpfProgram; 2], seccompiler::BackendError> {
        let free = FREE.split_ascii_whitespace().map(|name| (name, [].as_slice()));
        let allowed = free.chain(ALLOWED.iter().chain(DENIED).copied());
        let denying = filter(DENIED.iter().copied(), SeccompAction::Allow, SeccompAction::Errno(EACCES))?;
        let ending = filter(allowed, SeccompAction::Trap, SeccompAction::Allow)?;
        Ok([denying, ending])
    };
    let programs = compiled().map_err(|error| {
        Failure::Usage(format!("--sandbox has no filter of system calls for this machine: {error}"))
    })?;
    let steps = |program: BpfProgram| {
        program.into_iter().map(|step| (step.code, step.jt, step.jf, step.k)).collect::<Vec<FilterStep>>()
    };
    Ok(programs.map(steps))
}

fn filter<'a>(
    calls: impl Iterator<Item = (&'a str, &'a [Must])>,
    otherwise: SeccompAction,
    then: SeccompAction,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for (name, conditions) in calls {
        // Machines differ in which old calls they have.
        let Ok(number) = Sysno::from_str(name) else { continue };
        let rule = rules.entry(i64::from(number.id())).or_default();
        if !conditions.is_empty() {
            rule.push(SeccompRule::new(
                conditions.iter().map(|must| condition(*must)).collect::<Result<_, _>>()?,
            )?);
        }
    }
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, otherwise, then, machine)?.try_into()
}

fn condition(must: Must) -> Result<SeccompCondition, seccompiler::BackendError> {
    use SeccompCmpArgLen::{Dword, Qword};
    let (position, length, comparison, value) = match must {
        Be(position, value) => (position, Dword, SeccompCmpOp::Eq, value),
        NotBe(position, value) => (position, Dword, SeccompCmpOp::Ne, value),
        BeBelow(position, value) => (position, Dword, SeccompCmpOp::Lt, value),
        BeNull(position) => (position, Qword, SeccompCmpOp::Eq, 0),
        Have(position, bits, value) => (position, Dword, SeccompCmpOp::MaskedEq(bits), value),
    };
    SeccompCondition::new(position, length, comparison, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_system_call_of_some_machine() {
        let named = FREE.split_ascii_whitespace().chain(ALLOWED.iter().chain(DENIED).map(|(name, _)| *name));
        let old = ["time", "open", "stat", "lstat", "access", "readlink"];
        for name in named.filter(|name| !old.contains(name)) {
            assert!(Sysno::from_str(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn both_filters_fit_the_page() {
        let [denying, ending] = filters().expect("a machine with filters");
        assert!(denying.len() > 20 && ending.len() > 100);
        assert!(denying.len() + ending.len() < opcost_runtime::fuel::MOST_FILTERS);
        assert!(ending.iter().any(|step| step.3 == OWN_PROCESS));
    }
}
