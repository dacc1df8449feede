//! What does the driver mean to do? Its answer to `-###`, as data.
//!
//! Each job is a line of its own: a blank, then the program and its arguments,
//! each in double quotes with `\`, `"` and `$` escaped. Lines before them are
//! the driver's banner and its warnings. The form has been stable since clang
//! 3; a test compares our reading with what clang does.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What a job is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A front end that writes an object: to be counted.
    Object,
    /// A linker.
    Link,
    /// Anything else: preprocessing, assembling, precompiled headers.
    Other,
}

/// One command of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DriverJob {
    pub(crate) role: Role,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
}

/// The driver's answer.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) jobs: Vec<DriverJob>,
    /// Version, target and the like; shown with `-v`.
    pub(crate) banner: Vec<u8>,
    /// Warnings about the command line.
    pub(crate) warnings: Vec<u8>,
}

impl Plan {
    pub(crate) fn read(text: &[u8]) -> Plan {
        let mut plan = Plan::default();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            if let Some(job) = read_job(line) {
                plan.jobs.push(job);
                plan.banner.extend_from_slice(line);
            } else if is_banner(line) {
                plan.banner.extend_from_slice(line);
            } else {
                plan.warnings.extend_from_slice(line);
            }
        }
        plan
    }
}

impl DriverJob {
    /// Whether an argument is given.
    pub(crate) fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|given| given == argument)
    }

    /// The argument after another.
    pub(crate) fn behind(&self, name: &str) -> Option<&OsStr> {
        let at = self.arguments.iter().position(|given| given == name)?;
        self.arguments.get(at + 1).map(OsString::as_os_str)
    }

    /// Level of code generation that the front end was given.
    pub(crate) fn level(&self) -> u8 {
        let mut levels = self.arguments.iter().filter_map(|given| given.to_str()?.strip_prefix("-O"));
        match levels.next_back() {
            None | Some("0") => 0,
            Some("1" | "g" | "") => 1,
            Some("3" | "4" | "fast") => 3,
            Some(_) => 2,
        }
    }
}

impl DriverJob {
    /// Level of the optimiser, sizes too, as the recorder of lives numbers it.
    pub(crate) fn optimiser_level(&self) -> u8 {
        let mut levels = self.arguments.iter().filter_map(|given| given.to_str()?.strip_prefix("-O"));
        match levels.next_back() {
            Some("s") => 4,
            Some("z") => 5,
            _ => self.level(),
        }
    }

    /// The same job with another argument after `name`.
    pub(crate) fn with_behind(&self, name: &str, value: &OsStr) -> DriverJob {
        let mut job = self.clone();
        if let Some(at) = job.arguments.iter().position(|given| given == name)
            && let Some(place) = job.arguments.get_mut(at + 1)
        {
            *place = value.to_owned();
        }
        job
    }
}

fn is_banner(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let starts = ["Target: ", "Thread model: ", "InstalledDir: ", "Build config: ", "Configuration file: "];
    text.trim().is_empty()
        || text.starts_with(' ')
        || starts.iter().any(|start| text.starts_with(start))
        || (text.contains(" version ") && !text.contains(": "))
        || ["Found candidate", "Selected ", "Candidate multilib"].iter().any(|start| text.starts_with(start))
}

fn read_job(line: &[u8]) -> Option<DriverJob> {
    let mut rest = line.strip_prefix(b" ")?;
    let mut words = Vec::new();
    while let Some(quoted) = rest.strip_prefix(b"\"") {
        let (word, after) = read_word(quoted)?;
        words.push(word);
        rest = after.strip_prefix(b" ").unwrap_or(after);
    }
    let mut words = words.into_iter();
    let program = PathBuf::from(words.next()?);
    let arguments: Vec<OsString> = words.collect();
    let role = role_of(&program, &arguments);
    Some(DriverJob { role, program, arguments })
}

/// Reads up to the closing quote.
fn read_word(text: &[u8]) -> Option<(OsString, &[u8])> {
    let mut word = Vec::new();
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some((OsString::from_vec(word), &text[at + 1..])),
            b'\\' => {
                word.push(*text.get(at + 1)?);
                at += 2;
            }
            &byte => {
                word.push(byte);
                at += 1;
            }
        }
    }
}

fn role_of(program: &Path, arguments: &[OsString]) -> Role {
    let first = arguments.first().map(OsString::as_os_str);
    let is_front = first.is_some_and(|first| first == "-cc1" || first == "-fc1");
    if is_front {
        let writes_object = arguments.iter().any(|argument| argument == "-emit-obj");
        return if writes_object { Role::Object } else { Role::Other };
    }
    let name = program.file_name().map(OsStr::as_bytes).unwrap_or_default();
    let is_linker = [&b"ld"[..], b"mold", b"collect2", b"wild", b"wasm-ld"].contains(&name)
        || [&b"ld."[..], b"ld-", b"wasm-ld-"].iter().any(|prefix| name.starts_with(prefix))
        || [&b"-ld"[..], b"lld", b"-gcc"].iter().any(|suffix| name.ends_with(suffix))
        || name == b"gcc";
    if is_linker { Role::Link } else { Role::Other }
}

#[cfg(test)]
mod tests {
    use super::{Plan, Role};

    const ANSWER: &[u8] = b"Debian clang version 22.1.8 (1~deb12u1)
Target: x86_64-pc-linux-gnu
Thread model: posix
InstalledDir: /usr/lib/llvm-22/bin
clang-22: warning: argument unused during compilation: '-static-pie'
 (in-process)
 \"/usr/bin/clang\" \"-cc1\" \"-O2\" \"-emit-obj\" \"-D\" \"A=\\\"b c\\\"\" \"-o\" \"/tmp/a b.o\" \"-x\" \"c\" \"a.c\"
 \"/usr/bin/clang\" \"-cc1as\" \"-o\" \"/tmp/s.o\" \"s.s\"
 \"/usr/bin/ld.lld-22\" \"-o\" \"a.out\" \"/tmp/a b.o\"
";

    #[test]
    fn a_plan_is_read_word_by_word() {
        let plan = Plan::read(ANSWER);
        let roles: Vec<Role> = plan.jobs.iter().map(|job| job.role).collect();
        assert_eq!(roles, [Role::Object, Role::Other, Role::Link]);
        assert_eq!(plan.jobs[0].behind("-o").expect("given"), "/tmp/a b.o");
        assert!(plan.jobs[0].has("A=\"b c\""));
        assert_eq!(plan.jobs[0].level(), 2);
        assert!(plan.warnings.starts_with(b"clang-22: warning: "));
        assert_eq!(plan.warnings.iter().filter(|&&byte| byte == b'\n').count(), 1);
    }

    #[test]
    fn a_front_end_that_writes_no_object_is_left_alone() {
        let plan = Plan::read(b" \"/usr/bin/clang\" \"-cc1\" \"-emit-pch\" \"-o\" \"a.pch\" \"a.h\"\n");
        assert_eq!(plan.jobs[0].role, Role::Other);
    }
}
