//! When has a program ended, and who ends it?
//!
//! A program has ended when all processes that it began have: one that goes on behind its parent
//! (a daemon, a child in the background) still counts. All of them have the place of its counters
//! in their environment, or have mapped a file of it, which no other program has; by that they are
//! found and waited for. The user is told which, if that takes more than a second.
//!
//! Meanwhile signals to this process are requests. One that another process sent (`timeout`, a CI)
//! is passed on, and who does not listen is killed after five seconds. One that a terminal
//! sent, the program got too: it may have its own use for ^C, so only the second one kills.
//! Whoever reports the run is informed of the first request: a program that died of it was
//! interrupted, which says nothing about the program.
//!
//! Input: a program that was started. Output: how it ended. Cost: it looks for signals twenty
//! times a second, and at the end into /proc. Limit: a process that hands its work to one outside
//! (a service manager, a container), or has another user, is out of our sight.

use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use opcost_answer::Failure;
use opcost_interrupt::descendants::{self, Running};
use opcost_interrupt::{Hears, Requests, UserRequest};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, waitid};

/// How long a program that was asked to end may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long between two looks for signals, and for orphans.
const PAUSE: Duration = Duration::from_millis(50);
/// How long between two looks for the end of a program of which there is no handle.
const LOOK: Duration = Duration::from_millis(5);
/// Two requests nearer than this are one that came on two ways.
const AGAIN: Duration = Duration::from_millis(500);
/// How long after a look that found nothing the last one follows.
const ONCE_MORE: Duration = Duration::from_millis(2);
/// How long orphans are waited for in silence.
const SILENCE: Duration = Duration::from_secs(1);
/// How long after a program the request may arrive that ended it: a terminal sends its signal to both.
const LATE: Duration = Duration::from_millis(200);

/// Whose processes are those that go on after a program?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orphans<'a> {
    /// The program's, by the place of its counters.
    HaveFolder(&'a Path),
    /// Those of what runs it: wine keeps servers for a while.
    AreOfItsStarter,
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The signal of the first request to end it.
    pub(crate) request: Option<i32>,
}

/// The first request to end that arrives soon, after a program died of a signal that asks for that.
pub fn late_request(requests: &Requests, killed_by: Option<i32>) -> Option<i32> {
    let asks = [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw);
    let until = Instant::now() + LATE;
    while killed_by.is_some_and(|signal| asks.contains(&signal)) && Instant::now() < until {
        if let Some(UserRequest::Stop { signal, .. }) = requests.next() {
            return Some(signal);
        }
        std::thread::sleep(LOOK);
    }
    None
}

/// Receives signals from before a program starts until it has ended.
pub(crate) struct Watch {
    requests: Requests,
    /// When the first request came.
    since: Option<Instant>,
    /// Its signal.
    request: Option<i32>,
    /// Whether what goes on is to be killed when patience is over.
    is_limited: bool,
    is_killed: bool,
}

impl Watch {
    /// To be made before the program is started.
    pub(crate) fn begin() -> Result<Watch, Failure> {
        let requests = Requests::listen(Hears::Ends).map_err(Failure::file("hear", "signals"))?;
        Ok(Watch { requests, since: None, request: None, is_limited: false, is_killed: false })
    }

    /// Waits until the program has ended. It is still to be waited for by [`Watch::finish`], so
    /// that its number is no other process's meanwhile.
    pub(crate) fn wait(&mut self, child: &Child) {
        let pid = Pid::from_child(child);
        // Where the kernel gives no handle (some containers), it is looked for the end.
        let handle = pidfd_open(pid, PidfdFlags::empty()).ok();
        loop {
            let has_ended = match &handle {
                Some(handle) => {
                    let mut descriptors = [PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN)];
                    let pause = PAUSE.try_into().expect("milliseconds fit");
                    matches!(poll(&mut descriptors, Some(&pause)), Ok(1))
                }
                None => {
                    std::thread::sleep(LOOK);
                    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
                    !matches!(waitid(WaitId::Pid(pid), options), Ok(None) | Err(Errno::INTR))
                }
            };
            if has_ended {
                return;
            }
            self.follow(|| vec![Running { pid, name: String::new() }]);
        }
    }

    /// How the program ended, once all that it began has ended, too.
    pub(crate) fn finish(
        mut self,
        mut child: Child,
        program: &Path,
        orphans: Orphans<'_>,
    ) -> Result<Ended, Failure> {
        let status = child.wait().map_err(Failure::file("wait for", program))?;
        if self.request.is_none() {
            self.request = late_request(&self.requests, status.signal());
        }
        if let Orphans::HaveFolder(folder) = orphans {
            self.wait_for_orphans(folder);
        }
        Ok(Ended { status, request: self.request })
    }

    /// Waits for processes that go on after the program.
    fn wait_for_orphans(&mut self, folder: &Path) {
        let began = Instant::now();
        let mut is_told = false;
        loop {
            let mut left = descendants::with_folder(folder);
            if left.is_empty() {
                // One that begins while the list of processes is read may not stand on it.
                std::thread::sleep(ONCE_MORE);
                left = descendants::with_folder(folder);
            }
            if left.is_empty() {
                return;
            }
            if !is_told && began.elapsed() >= SILENCE {
                let names: Vec<String> = left.iter().map(|it| format!("{} ({})", it.pid, it.name)).collect();
                opcost_answer::tell!(
                    "opcost: the program has ended; waiting for what it began and left running: {}   (^C ends \
                     it)",
                    names.join(", ")
                );
                is_told = true;
            }
            // No terminal's signal reaches a process that left its session.
            self.is_limited |= self.since.is_some();
            self.follow(|| left.clone());
            std::thread::sleep(PAUSE);
        }
    }

    /// Does with what goes on what the user asked for.
    fn follow(&mut self, going_on: impl Fn() -> Vec<Running>) {
        while let Some(request) = self.requests.next() {
            let UserRequest::Stop { signal, by_terminal } = request else { continue };
            match self.since {
                Some(first) if first.elapsed() >= AGAIN => self.kill(&going_on()),
                Some(_) => {}
                None => {
                    self.since = Some(Instant::now());
                    self.request.get_or_insert(signal);
                }
            }
            if !by_terminal {
                self.is_limited = true;
                if let Some(signal) = Signal::from_named_raw(signal) {
                    descendants::signal(&going_on(), signal);
                }
            }
        }
        if self.is_limited && self.since.is_some_and(|first| first.elapsed() >= PATIENCE) {
            self.kill(&going_on());
        }
    }

    fn kill(&mut self, going_on: &[Running]) {
        if !self.is_killed {
            opcost_answer::tell!("opcost: it did not end when it was asked to, and is killed");
        }
        self.is_killed = true;
        descendants::signal(going_on, Signal::KILL);
    }
}
