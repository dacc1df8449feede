//! How long is it sampled, and what may be asked meanwhile?
//!
//! A program is started and sampled to its end, or until time is up: then it
//! is ended (SIGTERM, and SIGKILL five seconds later). A process that runs
//! already is sampled until it ends, time is up or opcost is told to stop; it
//! goes on. What a terminal sends (`^C`) the program has got too, and what it
//! makes of it is its own affair; other signals are passed on to it, and one
//! that comes again a second later ends it. SIGUSR1, or Enter where opcost has
//! the terminal for itself, makes a snapshot, which is written beside the
//! sampling.
//!
//! Where the kernel grants no events, a timer in the program samples.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, IsTerminal};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use opcost_interrupt::{Hears, Requests, UserRequest};
use opcost_sample::{
    End, Error, Event, Pace, Sampler, Samples, SessionOptions, SessionProgress, TimerSampler,
};
use rustix::process::Signal;

use opcost_answer::Failure;
use opcost_run::end::late_request;
use opcost_run::start::Streams;
use opcost_toolchain::tools::Tools;

use crate::progress::work;

/// How soon a request is noticed.
const SLICE: Duration = Duration::from_millis(200);
/// How long a program may take to end when it is asked to.
const PATIENCE: Duration = Duration::from_secs(5);
/// A signal that comes again after this is intended: `timeout` sends each twice.
const AGAIN: Duration = Duration::from_secs(1);

/// How it is sampled.
#[derive(Clone, Debug)]
pub struct SampleOptions {
    /// How often.
    pub pace: Pace,
    /// What is counted, by its name; without it the usual clock.
    pub event: Option<String>,
    /// Whether the processor's own records of branches are taken, too.
    pub branches: bool,
    /// Whether call stacks are taken, too.
    pub stacks: bool,
    /// How long at most; without it to the end.
    pub limit: Option<Duration>,
    /// Where samples are kept while they come, as perf.data.
    pub save_to: Option<PathBuf>,
    /// Builds as they were linked, for images that ran stripped or are elsewhere.
    pub images: Vec<PathBuf>,
    /// How often there is a snapshot that nobody asked for; without it there is none.
    pub every: Option<Duration>,
    /// Where a program that counts leaves its counters; without it, it keeps none.
    pub counters: Option<PathBuf>,
}

impl Default for SampleOptions {
    /// 4,000 samples in a second of processor time, by the usual clock, to the end.
    fn default() -> SampleOptions {
        SampleOptions {
            pace: Pace::PerSecond(4000),
            event: None,
            branches: false,
            stacks: false,
            limit: None,
            save_to: None,
            images: Vec::new(),
            every: None,
            counters: None,
        }
    }
}

/// What is sampled.
#[derive(Clone, Copy, Debug)]
pub enum SampleTarget<'a> {
    /// A program, which is started.
    Program {
        /// It was built to be sampled.
        program: &'a Path,
        /// Its arguments.
        arguments: &'a [OsString],
        /// Where its streams go.
        streams: &'a Streams,
    },
    /// Processes that run already, by their numbers.
    Processes(&'a [u32]),
}

/// What came of it.
pub struct Taken {
    /// The samples.
    pub samples: Samples,
    /// Signals by which the program was asked to end.
    pub requested: Vec<i32>,
}

impl Taken {
    /// Whether the program ended as it was asked to.
    pub fn ended_as_requested(&self) -> bool {
        match self.samples.end {
            End::Killed(signal) => self.requested.contains(&signal),
            End::Exited(status) => self.requested.contains(&(status - 128)),
            _ => false,
        }
    }
}

/// Who samples.
enum Source {
    Events(Box<Sampler>),
    Timer(Box<TimerSampler>),
}

impl Source {
    fn wait(&mut self, limit: Duration) -> Result<SessionProgress, Error> {
        match self {
            Source::Events(sampler) => sampler.wait(Some(limit)),
            Source::Timer(sampler) => sampler.wait(Some(limit)),
        }
    }

    fn snapshot(&mut self) -> Result<Samples, Error> {
        match self {
            Source::Events(sampler) => sampler.snapshot(),
            Source::Timer(sampler) => sampler.snapshot(),
        }
    }

    fn finish(self) -> Result<Samples, Error> {
        match self {
            Source::Events(sampler) => sampler.finish(),
            Source::Timer(sampler) => sampler.finish(),
        }
    }

    fn signal(&self, signal: i32) {
        match self {
            Source::Events(sampler) => sampler.signal(signal),
            Source::Timer(sampler) => sampler.signal(signal),
        }
    }
}

/// What sampling fails with.
pub fn failed(error: Error) -> Failure {
    match error {
        Error::Start { program, source } => Failure::Start { program: program.into(), source },
        Error::Keep { path, source } => Failure::file("write", path)(source),
        other => Failure::Counters(other.to_string()),
    }
}

/// Samples the target. `snapshot` is called with a number and what there is so far, while sampling
/// goes on.
///
/// # Errors
/// The program cannot be started, or the kernel does not let it be sampled.
pub fn take(
    options: &SampleOptions,
    target: SampleTarget<'_>,
    snapshot: &(impl Fn(usize, &Samples) + Sync),
) -> Result<Taken, Failure> {
    let requests = Requests::listen(Hears::EndsAndSnapshots).map_err(Failure::file("hear", "signals"))?;
    let (mut source, enter) = match target {
        SampleTarget::Program { program, arguments, streams } => {
            (start(options, program, arguments, streams)?, None)
        }
        SampleTarget::Processes(pids) => {
            let sampler = Sampler::attach(pids, &kernel_options(options)?).map_err(failed)?;
            (Source::Events(Box::new(sampler)), enter())
        }
    };
    let is_ours = matches!(target, SampleTarget::Program { .. });
    let working = if is_ours { None } else { work("sampling") };
    let mut requested = std::thread::scope(|scope| {
        let mut taken = 0;
        let mut watch =
            Watch { limit: options.limit, every: options.every, is_ours, requests: &requests, enter };
        watch.until_end(&mut source, |samples| {
            taken += 1;
            let number = taken;
            scope.spawn(move || snapshot(number, &samples));
        })
    })?;
    drop(working);
    let samples = source.finish().map_err(failed)?;
    if let End::Killed(signal) = samples.end
        && is_ours
        && requested.is_empty()
    {
        // Who ended the program may have sent it the signal, too, and ours is heard later.
        requested.extend(late_request(&requests, Some(signal)));
    }
    Ok(Taken { samples, requested })
}

fn kernel_options(options: &SampleOptions) -> Result<SessionOptions, Failure> {
    // No clock records branches.
    let usual = if options.branches { "cycles" } else { "cpu-clock" };
    let name = options.event.as_deref().unwrap_or(usual);
    let event = Event::named(name).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(SessionOptions {
        event,
        pace: options.pace,
        stacks: options.stacks,
        branches: options.branches,
        keep: options.save_to.clone(),
        images: options.images.clone(),
        ..SessionOptions::default()
    })
}

fn start(
    options: &SampleOptions,
    program: &Path,
    arguments: &[OsString],
    streams: &Streams,
) -> Result<Source, Failure> {
    let program = program.canonicalize().map_err(Failure::file("find", program))?;
    let counters = options.counters.as_deref();
    let ready = || -> Result<Command, Failure> {
        let mut command = prepared(&program, arguments, streams)?;
        if let Some(folder) = counters {
            command.env(opcost_runtime::DIRECTORY_VARIABLE, folder);
        }
        Ok(command)
    };
    let options = kernel_options(options)?;
    match Sampler::start(ready()?, &options) {
        Ok(sampler) => Ok(Source::Events(Box::new(sampler))),
        Err(error @ Error::NotPermitted { .. }) if options.keep.is_none() && !options.branches => {
            opcost_answer::tell!("opcost: {error}");
            opcost_answer::tell!("opcost: going on with a timer inside the program, which is coarser");
            let clang = Tools::find()?.clang;
            let sampler = TimerSampler::start(ready()?, &options, &clang);
            Ok(Source::Timer(Box::new(sampler.map_err(failed)?)))
        }
        Err(error) => Err(failed(error)),
    }
}

/// The program with its streams, ready to be started.
fn prepared(program: &Path, arguments: &[OsString], streams: &Streams) -> Result<Command, Failure> {
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(path) = &streams.stdin {
        command.stdin(File::open(path).map_err(Failure::file("read", path))?);
    }
    if let Some(path) = &streams.stdout {
        command.stdout(File::create(path).map_err(Failure::file("write", path))?);
    } else if streams.stdout_to_stderr {
        let copy = std::io::stderr().as_fd().try_clone_to_owned();
        command.stdout(Stdio::from(copy.map_err(Failure::file("copy", "stderr"))?));
    }
    Ok(command)
}

/// Reports each Enter, if opcost has a terminal for itself.
fn enter() -> Option<Receiver<()>> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    opcost_sample::fail_in_background();
    opcost_answer::tell!("opcost: sampling; Enter makes a snapshot, ^C ends it");
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for _ in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    Some(receiver)
}

/// What is heeded while it is sampled.
struct Watch<'a> {
    /// How long at most.
    limit: Option<Duration>,
    /// How often a snapshot is made that nobody asked for.
    every: Option<Duration>,
    /// Whether it was started by us.
    is_ours: bool,
    requests: &'a Requests,
    enter: Option<Receiver<()>>,
}

impl Watch<'_> {
    /// Until there is nothing more to wait for; the signals by which the
    /// program was asked to end.
    fn until_end(
        &mut self,
        source: &mut Source,
        mut snapshot: impl FnMut(Samples),
    ) -> Result<Vec<i32>, Failure> {
        let mut until = self.limit.map(|limit| Instant::now() + limit);
        let mut asked: Vec<i32> = Vec::new();
        let mut heard: Option<Instant> = None;
        loop {
            let rest = until.map_or(SLICE, |until| until.saturating_duration_since(Instant::now()));
            if source.wait(rest.min(SLICE).min(self.every.unwrap_or(SLICE))).map_err(failed)?
                == SessionProgress::Ended
            {
                return Ok(asked);
            }
            if rest.is_zero() {
                if !self.is_ours {
                    return Ok(asked);
                }
                until = time_is_up(source, &mut asked);
            }
            let mut wants_snapshot = self.every.is_some();
            wants_snapshot |= self.enter.as_ref().is_some_and(|enter| enter.try_recv().is_ok());
            while let Some(request) = self.requests.next() {
                match request {
                    UserRequest::Snapshot => wants_snapshot = true,
                    UserRequest::Stop { .. } if !self.is_ours => return Ok(asked),
                    UserRequest::Stop { signal, by_terminal } => {
                        if !by_terminal {
                            let is_meant = heard.is_some_and(|before| before.elapsed() >= AGAIN);
                            pass(source, if is_meant { Signal::KILL.as_raw() } else { signal }, &mut asked);
                        }
                        asked.push(signal);
                        heard = heard.or(Some(Instant::now()));
                    }
                }
            }
            if wants_snapshot {
                snapshot(source.snapshot().map_err(failed)?);
            }
        }
    }
}

fn pass(source: &Source, signal: i32, asked: &mut Vec<i32>) {
    source.signal(signal);
    asked.push(signal);
}

/// Asks the program to end, then makes it; until when it is waited for.
fn time_is_up(source: &Source, asked: &mut Vec<i32>) -> Option<Instant> {
    let (ask, make) = (Signal::TERM.as_raw(), Signal::KILL.as_raw());
    if asked.contains(&ask) {
        pass(source, make, asked);
        return None;
    }
    pass(source, ask, asked);
    Some(Instant::now() + PATIENCE)
}
