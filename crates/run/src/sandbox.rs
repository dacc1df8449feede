//! Running a metered program that nobody trusts, in a process of its own.
//!
//! Three steps put up the walls. A process of ours (`opcost __sandbox`) sets
//! what can be set before the program is there: landlock, no new privileges, limits;
//! it then becomes the program. The program's runtime, before any instruction
//! of the program, limits its memory, closes what is open but the three
//! streams and loads the filters of system calls (`walls`). This process waits,
//! ends it when its time is over or the user ends the run, and holds back what
//! it says until its verdict is known. It ends when this process does.
//!
//! Meanwhile the counter is looked at every millisecond: it only goes down.
//! A program that found it and set it back would have to do so unseen.
//!
//! Limits: time spent in the kernel and in library functions is not counted in
//! instructions. The walls are the kernel's: an error of the kernel is a door.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
    path_beneath_rules,
};
use opcost_interrupt::{Hears, Requests, Scratch, UserRequest};
use opcost_runtime::fuel::{FILE_VARIABLE, Page, walled_page};
use rustix::process::{Resource, Rlimit, Signal};
use serde::{Deserialize, Serialize};

use opcost_answer::fuel::{Ending, LONGEST_OUTPUT, Landlock, Room, Spending, Walls};
use opcost_answer::run::Finish;
use opcost_job::worker_program;

use crate::end::late_request;
use crate::fuel::FuelRun;
use crate::fuel_watch::{FuelWatch, TICK, runnable_time};
use crate::limit::NO_LIMIT;
use crate::start::Streams;
use crate::walls::filters;
use opcost_answer::Failure;

/// The hidden verb that puts up the walls: `opcost __sandbox FILE -- ARGS`.
pub const SANDBOX: &str = "__sandbox";
/// Bytes of its stack.
const STACK: u64 = 8 << 20;
/// Open files while it is loaded; later there are three.
const FILES: u64 = 64;
/// How often the counter is looked at.
const LOOK: Duration = Duration::from_millis(1);
/// The signal of a stream that is too long.
const OUTPUT_SIGNAL: i32 = 25;

/// A run within walls, and what the program printed, held back.
pub struct Walled {
    /// What it did with its fuel.
    pub spending: Spending,
    stdout: File,
    stderr: File,
}

/// What `opcost __sandbox` is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub struct Entry {
    program: PathBuf,
    /// The fuel's file.
    page: PathBuf,
    /// Where it says how far landlock went.
    status: PathBuf,
    /// The process whose end is its end.
    parent: u32,
}

impl Walled {
    /// Lets out what the program said.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn release(&self, streams: &Streams) -> Result<(), Failure> {
        let (mut stdout, mut stderr) = (&self.stdout, &self.stderr);
        let rewound = stdout.rewind().and_then(|()| stderr.rewind());
        rewound.map_err(Failure::file("read", "the program's output"))?;
        let copied = match &streams.stdout {
            Some(path) => File::create(path).and_then(|mut file| std::io::copy(&mut stdout, &mut file)),
            None if streams.stdout_to_stderr => std::io::copy(&mut stdout, &mut std::io::stderr()),
            None => std::io::copy(&mut stdout, &mut std::io::stdout()),
        };
        let copied = copied.and_then(|_| std::io::copy(&mut stderr, &mut std::io::stderr()));
        match copied {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::file("write", "the program's output")(error))
            }
            _ => Ok(()),
        }
    }
}

/// Runs a program that was built to be walled in to its end.
///
/// # Errors
/// It cannot be started; or its walls did not go up.
pub fn spend_walled(run: &FuelRun<'_>, room: Room) -> Result<Walled, Failure> {
    let FuelRun { program, arguments, limit, streams } = *run;
    let folder = Scratch::folder("opcost-fuel-");
    let folder = folder.map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let place = |name: &str| folder.path().join(name);
    let entry = Entry {
        program: std::path::absolute(program).map_err(Failure::file("find", program))?,
        page: place("fuel"),
        status: place("landlock"),
        parent: std::process::id(),
    };
    let limit = limit.map_or(NO_LIMIT, |limit| i64::try_from(limit).unwrap_or(NO_LIMIT).min(NO_LIMIT));
    let [denying, ending] = filters()?;
    let page = walled_page(limit, room.memory, [&denying, &ending]);
    std::fs::write(&entry.page, page).map_err(Failure::file("write", &entry.page))?;
    let request = place("entry");
    let text = serde_json::to_vec(&entry).expect("plain data");
    std::fs::write(&request, text).map_err(Failure::file("write", &request))?;
    let held = || tempfile::tempfile().map_err(Failure::file("make a file in", std::env::temp_dir()));
    let (stdout, mut stderr) = (held()?, held()?);
    let own = worker_program()?;
    let mut command = Command::new(&own);
    command.arg(SANDBOX).arg(&request).arg("--").args(arguments);
    if let Some(path) = &streams.stdin {
        command.stdin(File::open(path).map_err(Failure::file("read", path))?);
    }
    let copy = |file: &File| file.try_clone().map(Stdio::from).map_err(Failure::file("copy", "a stream"));
    command.stdout(copy(&stdout)?).stderr(copy(&stderr)?);
    let requests = Requests::listen(Hears::Ends).map_err(Failure::file("hear", "signals"))?;
    let child = command.spawn().map_err(Failure::file("start", &own))?;
    let Watched { finish, ending, interrupted } = watch(child, &entry.page, room.time, &requests)?;
    let bytes = std::fs::read(&entry.page).map_err(Failure::file("read", &entry.page))?;
    let Some(page) = Page::read(&bytes).filter(|page| page.has_walls) else {
        if let Some(signal) = interrupted {
            return Err(Failure::Interrupted(signal));
        }
        let mut said = String::new();
        let _ = stderr.rewind().and_then(|()| stderr.read_to_string(&mut said));
        return Err(Failure::Counters(format!(
            "the walls round {} did not go up, so it did not run: {}",
            program.display(),
            said.trim()
        )));
    };
    let status = std::fs::read(&entry.status).map_err(Failure::file("read", &entry.status))?;
    let landlock = serde_json::from_slice(&status).unwrap_or(Landlock::Missing);
    let ending = match finish {
        Finish::Killed(OUTPUT_SIGNAL) => Some(Ending::Output),
        _ if page.settled > limit => Some(Ending::Tampered),
        _ => ending,
    };
    let spent = u64::try_from(i128::from(limit) - i128::from(page.left)).unwrap_or(0);
    let walls = Some(Walls { room, ending, landlock });
    let spending =
        Spending { finish, interrupted, spent, page, engine: None, is_deterministic: false, walls };
    Ok(Walled { spending, stdout, stderr })
}

/// How a run within walls ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Watched {
    finish: Finish,
    /// How others than itself and the user ended it.
    ending: Option<Ending>,
    /// The signal by which the user ended it.
    interrupted: Option<i32>,
}

/// Waits for the end, or brings it about: when its time is over, or the user says so.
fn watch(mut child: Child, page: &Path, time: Duration, requests: &Requests) -> Result<Watched, Failure> {
    let start = Instant::now();
    let mut watch = FuelWatch::new(page, child.id())?;
    let (mut lowest, mut ending, mut looked) = (i64::MAX, None, start);
    let mut interrupted = None;
    loop {
        let status = child.try_wait().map_err(Failure::file("wait for", "the program"))?;
        let left = watch.page().map(|page| page.settled);
        if let Some(status) = status {
            if left.is_some_and(|left| left > lowest) {
                ending.get_or_insert(Ending::Tampered);
            }
            let finish = match (status.code(), status.signal()) {
                (Some(code), _) => Finish::Exited(code),
                (None, signal) => Finish::Killed(signal.unwrap_or_default()),
            };
            if ending.is_none() && interrupted.is_none() {
                interrupted = late_request(requests, status.signal());
            }
            return Ok(Watched { finish, ending, interrupted });
        }
        if ending.is_none() && interrupted.is_none() {
            if left.is_some_and(|left| left > lowest) {
                ending = Some(Ending::Tampered);
            } else if let Some(UserRequest::Stop { signal, .. }) = requests.next() {
                interrupted = Some(signal);
                watch.insist();
            } else if start.elapsed() > time {
                ending = Some(out_of_time(&child, start.elapsed()));
                watch.insist();
            }
            if ending.is_some() || interrupted.is_some() {
                child.kill().map_err(Failure::file("end", "the program"))?;
            }
        }
        if looked.elapsed() >= TICK {
            watch.tick();
            looked = Instant::now();
        }
        lowest = lowest.min(left.unwrap_or(i64::MAX));
        std::thread::sleep(LOOK);
    }
}

/// Whether a program whose time is over has computed or waited. A machine that is
/// busy gives a program that computes less than all of the time: what it was
/// ready to run counts, too.
fn out_of_time(child: &Child, elapsed: Duration) -> Ending {
    let busy = runnable_time(rustix::process::Pid::from_child(child));
    if busy.is_none_or(|busy| busy >= elapsed / 2) { Ending::Time } else { Ending::Clock }
}

/// What `opcost __sandbox` does: puts up the walls that can be put up before the
/// program is there, and becomes it.
///
/// # Errors
/// A wall cannot be put up, or the program cannot be started.
pub fn enter(entry: &Entry, arguments: &[OsString]) -> Result<std::convert::Infallible, Failure> {
    let status = File::create(&entry.status).map_err(Failure::file("write", &entry.status))?;
    let mut command = Command::new(&entry.program);
    command.args(arguments).env_clear().env(FILE_VARIABLE, &entry.page).current_dir("/");
    let wall = |name: &'static str, done: rustix::io::Result<()>| {
        done.map_err(|error| Failure::file("set", name)(error.into()))
    };
    wall("the signal at our end", rustix::process::set_parent_process_death_signal(Some(Signal::KILL)))?;
    // A parent that had ended before that sends none.
    if rustix::process::getppid().map(|parent| parent.as_raw_pid().unsigned_abs()) != Some(entry.parent) {
        return Err(Failure::Counters("opcost has ended, and with it the run".to_owned()));
    }
    wall("no new privileges", rustix::thread::set_no_new_privs(true))?;
    let landlock = landlock(entry).map_err(|error| Failure::Counters(format!("landlock: {error}")))?;
    serde_json::to_writer(&status, &landlock)
        .map_err(|error| Failure::file("write", &entry.status)(error.into()))?;
    let limits = [
        (Resource::Core, 0),
        (Resource::Nproc, 0),
        (Resource::Nofile, FILES),
        (Resource::Fsize, LONGEST_OUTPUT),
        (Resource::Stack, STACK),
    ];
    for (resource, limit) in limits {
        let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
        wall("a limit", rustix::process::setrlimit(resource, limit))?;
    }
    Err(Failure::Start { program: entry.program.clone(), source: command.exec() })
}

/// Only what loading the program takes can be read, only its page written.
fn landlock(entry: &Entry) -> Result<Landlock, landlock::RulesetError> {
    let abi = ABI::V6;
    let code = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"];
    let read = AccessFs::ReadFile | AccessFs::Execute;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(code, read))?
        .add_rules(path_beneath_rules([&entry.program], read))?
        .add_rules(path_beneath_rules([&entry.page], AccessFs::ReadFile | AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Landlock::Full,
        RulesetStatus::PartiallyEnforced => Landlock::Partial,
        RulesetStatus::NotEnforced => Landlock::Missing,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;

    /// A page as a running program has it.
    fn page(left: i64) -> Vec<u8> {
        let mut bytes = opcost_runtime::fuel::fresh_page(1000);
        bytes[..8].copy_from_slice(&left.to_le_bytes());
        bytes[8..16].copy_from_slice(b"OPCFUEL1");
        bytes
    }

    /// Watches a sleeping process while somebody writes to its counter.
    fn watched(then: i64) -> Watched {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page");
        std::fs::write(&path, page(500)).expect("written");
        let child = Command::new("sleep").arg("1").spawn().expect("sleep starts");
        let other = path.clone();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            let file = File::options().write(true).open(other).expect("the page");
            file.write_all_at(&then.to_le_bytes(), 0).expect("written");
        });
        let seen =
            watch(child, &path, Duration::from_secs(60), &Requests::listen(Hears::Ends).expect("heard"))
                .expect("watched");
        writer.join().expect("written");
        seen
    }

    #[test]
    fn a_counter_that_goes_up_ends_the_program() {
        let ended = |finish, ending| Watched { finish, ending, interrupted: None };
        assert_eq!(watched(501), ended(Finish::Killed(9), Some(Ending::Tampered)));
        assert_eq!(watched(499), ended(Finish::Exited(0), None));
    }

    #[test]
    fn the_clock_ends_what_sleeps() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page");
        std::fs::write(&path, page(500)).expect("written");
        let child = Command::new("sleep").arg("60").spawn().expect("sleep starts");
        let seen =
            watch(child, &path, Duration::from_millis(50), &Requests::listen(Hears::Ends).expect("heard"))
                .expect("watched");
        let clock = Watched { finish: Finish::Killed(9), ending: Some(Ending::Clock), interrupted: None };
        assert_eq!(seen, clock);
    }
}
