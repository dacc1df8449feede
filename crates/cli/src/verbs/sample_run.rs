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

use std::fs::File;
use std::io::{BufRead, IsTerminal};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use opcost_report::kit::progress::Progress as Line;
use opcost_sample::{
    End, Error, Event, Options, Pace, Progress, Request, Requests, Sampler, Samples, TimerSampler,
};
use rustix::process::Signal;

use crate::arguments::SampleArguments;
use opcost_answer::Failure;
use opcost_toolchain::tools::Tools;

/// How soon a request is heard.
const SLICE: Duration = Duration::from_millis(200);
/// How long a program may take to end when it is asked to.
const PATIENCE: Duration = Duration::from_secs(5);
/// A signal that comes again after this is meant: `timeout` sends each twice.
const AGAIN: Duration = Duration::from_secs(1);

/// What came of it.
pub(super) struct Taken {
    pub(super) samples: Samples,
    /// Signals by which the program was asked to end.
    pub(super) asked: Vec<i32>,
}

impl Taken {
    /// Whether the program ended as it was asked to.
    pub(super) fn ended_as_asked(&self) -> bool {
        match self.samples.end {
            End::Killed(signal) => self.asked.contains(&signal),
            End::Exited(status) => self.asked.contains(&(status - 128)),
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
    fn wait(&mut self, limit: Duration) -> Result<Progress, Error> {
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

pub(super) fn failed(error: Error) -> Failure {
    Failure::Counters(error.to_string())
}

/// Samples the program, or the processes of the command line without one.
/// `snapshot` is called with a number and what there is so far, beside the
/// sampling.
pub(super) fn take(
    arguments: &SampleArguments,
    program: Option<&Path>,
    snapshot: &(impl Fn(usize, &Samples) + Sync),
) -> Result<Taken, Failure> {
    let requests = Requests::hear().map_err(failed)?;
    let (mut source, enter) = match program {
        Some(program) => (start(arguments, program)?, None),
        None => {
            let sampler = Sampler::attach(&arguments.pid, &options(arguments)?).map_err(failed)?;
            (Source::Events(Box::new(sampler)), enter(&requests))
        }
    };
    let progress = program.is_none().then(|| Line::start("sampling"));
    let asked = std::thread::scope(|scope| {
        let mut taken = 0;
        let mut watch = Watch { arguments, is_ours: program.is_some(), requests: &requests, enter };
        watch.until_end(&mut source, |samples| {
            taken += 1;
            let number = taken;
            scope.spawn(move || snapshot(number, &samples));
        })
    })?;
    drop(progress);
    Ok(Taken { samples: source.finish().map_err(failed)?, asked })
}

fn options(arguments: &SampleArguments) -> Result<Options, Failure> {
    // No clock records branches.
    let usual = if arguments.branches { "cycles" } else { "cpu-clock" };
    let name = arguments.event.as_deref().unwrap_or(usual);
    let event = Event::named(name).map_err(|error| Failure::Usage(error.to_string()))?;
    let pace = arguments.overhead.map_or(Pace::PerSecond(arguments.rate), Pace::Overhead);
    let stacks = wants_stacks(arguments);
    Ok(Options {
        event,
        pace,
        stacks,
        branches: arguments.branches,
        keep: arguments.keep.clone(),
        images: arguments.image.clone(),
        ..Options::default()
    })
}

/// Whether call stacks are asked for.
pub(super) fn wants_stacks(arguments: &SampleArguments) -> bool {
    arguments.stacks || arguments.collapsed.is_some()
}

fn start(arguments: &SampleArguments, program: &Path) -> Result<Source, Failure> {
    let program = program.canonicalize().map_err(Failure::file("find", program))?;
    let options = options(arguments)?;
    match Sampler::start(prepared(arguments, &program)?, &options) {
        Ok(sampler) => Ok(Source::Events(Box::new(sampler))),
        Err(error @ Error::NotPermitted { .. }) if options.keep.is_none() && !options.branches => {
            eprintln!("opcost: {error}");
            eprintln!("opcost: going on with a timer inside the program, which is coarser");
            let clang = Tools::find()?.clang;
            let sampler = TimerSampler::start(prepared(arguments, &program)?, &options, &clang);
            Ok(Source::Timer(Box::new(sampler.map_err(failed)?)))
        }
        Err(error) => Err(failed(error)),
    }
}

/// The program with its streams, ready to be started.
fn prepared(arguments: &SampleArguments, program: &Path) -> Result<Command, Failure> {
    let mut command = Command::new(program);
    command.args(&arguments.arguments);
    if let Some(path) = &arguments.stdin {
        command.stdin(File::open(path).map_err(Failure::file("read", path))?);
    }
    if let Some(path) = &arguments.stdout {
        command.stdout(File::create(path).map_err(Failure::file("write", path))?);
    } else if arguments.show.json.as_deref() == Some(Path::new("-")) {
        let copy = std::io::stderr().as_fd().try_clone_to_owned();
        command.stdout(Stdio::from(copy.map_err(Failure::file("copy", "stderr"))?));
    }
    Ok(command)
}

/// Tells of each Enter, if opcost has a terminal for itself.
fn enter(requests: &Requests) -> Option<Receiver<()>> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    requests.fail_in_background();
    eprintln!("opcost: sampling; Enter makes a snapshot, ^C ends it");
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
    arguments: &'a SampleArguments,
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
        let limit = self.arguments.seconds.map(Duration::from_secs_f64);
        let mut until = limit.map(|limit| Instant::now() + limit);
        let mut asked: Vec<i32> = Vec::new();
        let mut heard: Option<Instant> = None;
        loop {
            let rest = until.map_or(SLICE, |until| until.saturating_duration_since(Instant::now()));
            if source.wait(rest.min(SLICE)).map_err(failed)? == Progress::Ended {
                return Ok(asked);
            }
            if rest.is_zero() {
                if !self.is_ours {
                    return Ok(asked);
                }
                until = time_is_up(source, &mut asked);
            }
            let mut wants_snapshot = self.enter.as_ref().is_some_and(|enter| enter.try_recv().is_ok());
            while let Some(request) = self.requests.next() {
                match request {
                    Request::Snapshot => wants_snapshot = true,
                    Request::Stop { .. } if !self.is_ours => return Ok(asked),
                    Request::Stop { signal, by_terminal } => {
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
