//! How is the program started, and how did it end?

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::deterministic::FixedWorld;
use super::emulator::emulator;
use super::looks::{Looks, TICK};
use crate::error::CliError;

/// Where the program's streams go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams {
    pub(crate) stdin: Option<PathBuf>,
    pub(crate) stdout: Option<PathBuf>,
    /// JSON owns stdout, so the program's output goes to stderr.
    pub(crate) stdout_to_stderr: bool,
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// It exited with this status.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
}

impl Finish {
    /// Whether it ended well.
    pub(crate) fn is_success(self) -> bool {
        self == Finish::Exited(0)
    }

    /// The status a shell would show.
    pub(crate) fn shell_status(self) -> u8 {
        match self {
            Finish::Exited(status) => status as u8,
            Finish::Killed(signal) => 128u8.wrapping_add(signal as u8),
        }
    }
}

/// What starts a program that does not start by itself: a command with the
/// program behind it.
pub(crate) type Starter = Vec<OsString>;

/// Runs the program to its end, with one environment variable set to the path
/// of what its runtime writes; in a world of its own, if one is given.
pub(crate) fn run_program(
    program: &Path,
    arguments: &[OsString],
    (variable, path): (&str, &Path),
    streams: &Streams,
    world: Option<&FixedWorld>,
    starter: Option<Starter>,
    looks_at: Option<&Path>,
) -> Result<Finish, CliError> {
    // A bare name is a file here, not something to be looked up in PATH.
    let program =
        if program.components().count() == 1 { Path::new(".").join(program) } else { program.to_owned() };
    let starter = match starter {
        Some(starter) => Some(starter),
        None => emulator(&program)?.map(|emulator| vec![OsString::from(emulator)]),
    };
    let mut command = match (starter, world) {
        (Some(starter), Some(_)) => {
            return Err(CliError::Usage(format!(
                "--deterministic holds the world of this machine, and {} runs in {}; leave the flag",
                program.display(),
                Path::new(&starter[0]).display()
            )));
        }
        (Some(starter), None) => {
            let mut command = Command::new(&starter[0]);
            command.args(&starter[1..]).arg(&program);
            if std::env::var_os("WINEDEBUG").is_none() {
                // Wine says much that is not the program's.
                command.env("WINEDEBUG", "-all");
            }
            command
        }
        (None, _) => Command::new(&program),
    };
    command.args(arguments);
    match world {
        None => _ = command.env(variable, path),
        Some(world) => world.prepare(&mut command, (variable, path))?,
    }
    if let Some(path) = &streams.stdin {
        command.stdin(File::open(path).map_err(CliError::file("read", path))?);
    }
    if let Some(path) = &streams.stdout {
        command.stdout(File::create(path).map_err(CliError::file("write", path))?);
    } else if streams.stdout_to_stderr {
        let stderr = std::io::stderr();
        let copy = stderr.as_fd().try_clone_to_owned().map_err(CliError::file("copy", "stderr"))?;
        command.stdout(Stdio::from(copy));
    }
    let mut child = command.spawn().map_err(|source| CliError::Start { program: program.clone(), source })?;
    if let Some(page) = looks_at {
        look_on(&child, page)?;
    }
    let status = child.wait().map_err(CliError::file("wait for", &program))?;
    if let Some(world) = world {
        world.check_entered(&program)?;
    }
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => Finish::Exited(code),
        (None, Some(signal)) => Finish::Killed(signal),
        (None, None) => Finish::Exited(1),
    })
}

/// Asks a child what it has left until it has ended; it is still to be waited for.
fn look_on(child: &Child, page: &Path) -> Result<(), CliError> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let mut looks = Looks::new(page, child.id())?;
    let pid = Pid::from_child(child);
    let (ended, has_ended) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while has_ended.recv_timeout(TICK) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                looks.tick();
            }
        });
        // It stays a zombie, so its number is no other process's meanwhile.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
        drop(ended);
    });
    Ok(())
}
