//! How is the program started, and how did it end?
//!
//! It ends with the process that started it, even when that is killed.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;

use opcost_answer::run::Finish;
use rustix::process::Signal;

use crate::deterministic::FixedWorld;
use crate::emulator::emulator;
use crate::end::{Ended, Orphans, Watch};
use crate::fuel_watch::{FuelWatch, TICK};
use opcost_answer::Failure;

/// Where the program's streams go.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    /// File that it reads as its input; ours without one.
    pub stdin: Option<PathBuf>,
    /// File that its output goes to; ours without one.
    pub stdout: Option<PathBuf>,
    /// File that its errors and messages go to; ours without one.
    pub stderr: Option<PathBuf>,
    /// JSON owns stdout, so the program's output goes to stderr.
    pub stdout_to_stderr: bool,
}

/// What starts a program that does not start by itself: a command with the program after it.
pub type Starter = Vec<OsString>;

/// How a program is started.
pub struct Launch<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// The environment's variable that names what its runtime writes.
    pub variable: &'a str,
    /// What its runtime writes.
    pub writes: &'a Path,
    /// Where its streams go.
    pub streams: &'a Streams,
    /// A world of its own, if it gets one.
    pub world: Option<&'a FixedWorld>,
    /// What starts it, if it does not start by itself.
    pub starter: Option<Starter>,
    /// The page of its fuel, if it is asked what is left while it runs.
    pub watched_page: Option<&'a Path>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub struct RunEnd {
    /// How the program ended.
    pub finish: Finish,
    /// The signal by which the user ended it.
    pub interrupted: Option<i32>,
}

/// Runs a program to its end.
///
/// # Errors
/// It cannot be started, or did not come into its world.
pub fn run_program(launch: Launch<'_>) -> Result<Finish, Failure> {
    run_to_end(launch).map(|end| end.finish)
}

/// The same, and whether the user ended it.
///
/// # Errors
/// As above.
pub fn run_to_end(launch: Launch<'_>) -> Result<RunEnd, Failure> {
    let Launch { program, arguments, variable, writes: path, streams, world, starter, watched_page } = launch;
    // A bare name is a file here, not something to be looked up in PATH.
    let program =
        if program.components().count() == 1 { Path::new(".").join(program) } else { program.to_owned() };
    let starter = match starter {
        Some(starter) => Some(starter),
        None => emulator(&program)?.map(|emulator| vec![OsString::from(emulator)]),
    };
    let is_emulated = starter.is_some();
    let orphans = if is_emulated { Orphans::AreOfItsStarter } else { Orphans::HaveFolder(path) };
    let mut command = match (starter, world) {
        (Some(starter), Some(_)) => {
            return Err(Failure::Usage(format!(
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
        Some(world) => world.prepare(&mut command, variable, path)?,
    }
    if let Some(path) = &streams.stdin {
        command.stdin(File::open(path).map_err(Failure::file("read", path))?);
    }
    if let Some(path) = &streams.stdout {
        command.stdout(File::create(path).map_err(Failure::file("write", path))?);
    } else if streams.stdout_to_stderr {
        let stderr = std::io::stderr();
        let copy = stderr.as_fd().try_clone_to_owned().map_err(Failure::file("copy", "stderr"))?;
        command.stdout(Stdio::from(copy));
    }
    if let Some(path) = &streams.stderr {
        command.stderr(File::create(path).map_err(Failure::file("write", path))?);
    }
    opcost_sample::end_with_this_process(&mut command);
    let mut watch = Watch::begin()?;
    let child = command.spawn().map_err(|source| Failure::Start { program: program.clone(), source })?;
    let fuel = watched_page.map(|page| WatchedFuel::begin(&child, page)).transpose()?;
    watch.wait(&child);
    drop(fuel);
    let Ended { status, request: asked } = watch.finish(child, &program, orphans)?;
    // An emulator may have a status of its own for a program that a signal ended.
    let died = |signal: &i32| match status.signal() {
        Some(by) => by == *signal || by == Signal::KILL.as_raw(),
        None => is_emulated && !status.success(),
    };
    let interrupted = asked.filter(died);
    if let Some(world) = world {
        // One that was ended while it came there did not fail to.
        world.check_entered(&program).map_err(|failure| interrupted.map_or(failure, Failure::Interrupted))?;
    }
    let finish = match (status.code(), status.signal()) {
        (Some(code), _) => Finish::Exited(code),
        (None, Some(signal)) => Finish::Killed(signal),
        (None, None) => Finish::Exited(1),
    };
    Ok(RunEnd { finish, interrupted })
}

/// Asks a child what it has left, until this is dropped.
struct WatchedFuel {
    /// Whose end ends the asking.
    ended: Option<Sender<()>>,
    asking: Option<JoinHandle<()>>,
}

impl WatchedFuel {
    fn begin(child: &Child, page: &Path) -> Result<WatchedFuel, Failure> {
        let mut watch = FuelWatch::new(page, child.id())?;
        let (ended, has_ended) = channel::<()>();
        let asking = std::thread::spawn(move || {
            while has_ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                watch.tick();
            }
        });
        Ok(WatchedFuel { ended: Some(ended), asking: Some(asking) })
    }
}

impl Drop for WatchedFuel {
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(asking) = self.asking.take() {
            let _ = asking.join();
        }
    }
}
