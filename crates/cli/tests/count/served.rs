//! Servers that never end, and what is asked of opcost while it samples them.
//!
//! Whatever ends them, the profile is consistent: what comes into a block goes
//! out of it, by a checker that knows nothing of how the counts were made; and
//! no more frames are left than were open.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use opcost_profile::formats::opc::load_ledger;
use opcost_profile::{Column, Subject, Way};

use opcost_testkit::command::ProgramOutput;

use super::sampled::{Place, fine, function, opcost};

/// Three calls deep when it is asked to end: main, serve, handle, and perhaps work.
const OPEN: u64 = 4;

const SERVER: &str = r#"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
volatile unsigned long sink;
static volatile sig_atomic_t ends;
__attribute__((noinline)) static unsigned work(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n; i++)
    x = x * 1664525u + 1013904223u;
  return x;
}
__attribute__((noinline)) static void handle(unsigned request) {
  if (request % 16 == 0)
    sink += work(60000);
  else
    sink += work(4000);
}
__attribute__((noinline)) static void serve(void) {
  for (unsigned request = 0; !ends; request++) {
    poll(0, 0, 0);
    handle(request);
  }
}
static void end(int signal) { ends = signal; }
int main(int argc, char **argv) {
  if (argc > 1)
    signal(atoi(argv[1]), end);
  puts("ready");
  fflush(stdout);
  serve();
  return argc > 2 ? 3 : 0;
}
"#;

/// What flows in the functions of a ledger, checked block by block.
struct Flow {
    /// Frames left by something else than their ends.
    left: u64,
    /// Calls of each function.
    calls: BTreeMap<String, u64>,
}

impl Flow {
    fn of(path: &str) -> Flow {
        let ledger = load_ledger(Path::new(path)).expect("a whole ledger");
        let (mut into, mut out) = (BTreeMap::new(), BTreeMap::new());
        let (mut begun, mut counts) = (BTreeMap::new(), BTreeMap::new());
        let mut flow = Flow { left: 0, calls: BTreeMap::new() };
        for fact in ledger.facts() {
            let value = fact.value.unwrap_or(0);
            match (&fact.subject, fact.column) {
                (Subject::Edge { function, edge_kind: way, from, to, .. }, Column::Count) => {
                    let place = |block: u32| (function.name.clone(), function.module.clone(), block);
                    if let Some(to) = to {
                        *into.entry(place(*to)).or_insert(0) += value;
                        // On behind a call, in the same block, is no beginning of it.
                        if *way != Way::Fall {
                            *begun.entry(place(*to)).or_insert(0) += value;
                        }
                    }
                    if let Some(from) = from {
                        *out.entry(place(*from)).or_insert(0) += value;
                    }
                    if matches!(way, Way::Left | Way::Again) {
                        flow.left += value;
                    }
                }
                (Subject::Block { function, block, .. }, Column::Count) => {
                    counts.insert((function.name.clone(), function.module.clone(), *block), value);
                }
                (Subject::Function { function, .. }, Column::Calls) => {
                    flow.calls.insert(function.name.clone(), value);
                }
                _ => {}
            }
        }
        assert!(counts.len() > 4, "blocks are told: {counts:?}");
        for (place, count) in &counts {
            assert_eq!(into.get(place), out.get(place), "{path}: {place:?}");
            assert_eq!(begun.get(place).unwrap_or(&0), count, "{path}: {place:?}");
        }
        flow
    }
}

/// opcost, sampling; killed if the test fails.
struct Sampling(Option<Child>);

impl Sampling {
    fn start(place: &Place, arguments: &[&str]) -> Sampling {
        // Whoever runs the tests may have had signals ignored (`nohup`).
        let mut command = place.program("env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_opcost")]);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        Sampling(Some(command.spawn().expect("opcost starts")))
    }

    /// Waits until the program says that it is ready, and lets it work.
    fn ready(&mut self) {
        let output = self.0.as_mut().expect("it runs").stdout.as_mut().expect("a pipe");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("it says something");
        assert_eq!(line, "ready\n");
        std::thread::sleep(Duration::from_millis(1500));
    }

    fn pid(&self) -> u32 {
        self.0.as_ref().expect("it runs").id()
    }

    /// The program that it started.
    fn program(&self) -> u32 {
        let children = format!("/proc/{0}/task/{0}/children", self.pid());
        let children = std::fs::read_to_string(children).expect("it runs");
        children.split_whitespace().next().expect("it has started one").parse().expect("a number")
    }

    /// Status and what was said on stderr.
    fn end(mut self) -> (Option<i32>, String) {
        let mut child = self.0.take().expect("it runs");
        let mut said = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        (child.wait().expect("it ends").code(), said)
    }
}

impl Drop for Sampling {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn kill(signal: &str, pid: u32) {
    let status = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(status.expect("kill starts").success());
}

fn built(place: &Place) -> String {
    let (source, program) = (place.source(SERVER), place.file("server"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    program
}

/// The profile of a server that was ended is consistent, and tells what is hot.
fn is_sound(ledger: &str) {
    let flow = Flow::of(ledger);
    assert!(flow.left <= OPEN, "{} frames were left, {OPEN} were open: {:?}", flow.left, flow.calls);
    assert_eq!(flow.calls["main"], 1);
    assert!(flow.calls["handle"] > 1000 && flow.calls["work"] > 1000, "{:?}", flow.calls);
    let agreement = fine(&["overlap", "--json", "-", ledger, ledger]).json();
    assert_eq!(agreement["residual"], 0.0, "{agreement:#}");
    assert!(agreement["leak"].as_f64().expect("a number") < 0.01, "{agreement:#}");
}

#[test]
fn a_server_that_a_signal_ends_leaves_a_consistent_profile() {
    let place = Place::new();
    let (program, ledger) = (built(&place), place.file("killed.opc"));
    for signal in ["-KILL", "-TERM"] {
        let mut sampling = Sampling::start(&place, &["sample", "--ledger", &ledger, &program]);
        sampling.ready();
        kill(signal, sampling.program());
        let (status, words) = sampling.end();
        // Nobody asked opcost for it, so it is the program that failed.
        assert_eq!(status, Some(4), "{words}");
        assert!(words.contains("ended the program"), "{words}");
        is_sound(&ledger);
    }
}

#[test]
fn opcost_passes_a_signal_on_and_tells_what_it_has() {
    let place = Place::new();
    let (program, ledger) = (built(&place), place.file("asked.opc"));
    // Of itself, on its own terms, and against its will: the second time counts.
    for (arguments, signals, status) in
        [(vec![], 1, 0), (vec!["15"], 1, 0), (vec!["15", "fails"], 1, 4), (vec!["10"], 1, 0)]
    {
        let line = [&["sample", "--ledger", &ledger, &program, "--"][..], &arguments].concat();
        let mut sampling = Sampling::start(&place, &line);
        sampling.ready();
        for _ in 0..signals {
            kill(if arguments == ["10"] { "-HUP" } else { "-TERM" }, sampling.pid());
        }
        let (ended, words) = sampling.end();
        assert_eq!(ended, Some(status), "{arguments:?}: {words}");
        is_sound(&ledger);
    }
}

#[test]
fn a_terminals_signal_reaches_both_and_the_second_of_others_is_meant() {
    let place = Place::new();
    let (program, ledger) = (built(&place), place.file("group.opc"));
    // As timeout does it: to opcost, and to its group with the program in it.
    // Long enough that the program runs by then on a busy machine, too.
    let line = ["-s", "TERM", "8", env!("CARGO_BIN_EXE_opcost"), "sample", "--ledger", &ledger, &program];
    let output = ProgramOutput::of(place.program("timeout").args(line));
    assert_eq!(output.status, 124, "{}", output.stderr);
    assert!(Path::new(&ledger).exists(), "it reports what there is: {}", output.stderr);
    is_sound(&ledger);
    // A program that does not heed the first is killed by the second.
    let ignores = place.file("ignores.c");
    let text = SERVER.replace("ends = signal;", "(void)signal;");
    std::fs::write(&ignores, text).expect("a source");
    let mut sampling = Sampling::start(&place, &["sample", "--ledger", &ledger, &ignores, "--", "15"]);
    sampling.ready();
    kill("-TERM", sampling.pid());
    std::thread::sleep(Duration::from_millis(1500));
    let program = sampling.program();
    kill("-TERM", sampling.pid());
    let (status, words) = sampling.end();
    assert_eq!(status, Some(0), "{words}");
    assert!(!Path::new(&format!("/proc/{program}")).exists(), "it is gone");
    is_sound(&ledger);
}

#[test]
fn time_ends_a_program_that_opcost_started_and_no_other() {
    let place = Place::new();
    let (program, ledger) = (built(&place), place.file("timed.opc"));
    let began = Instant::now();
    let output = opcost(&["sample", "--for", "1.5", "--ledger", &ledger, &program]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(began.elapsed() >= Duration::from_millis(1500));
    is_sound(&ledger);
    let mut server = place.program(&program).stdout(Stdio::piped()).spawn().expect("it starts");
    let pid = server.id().to_string();
    let output = opcost(&["sample", "--pid", &pid, "--for", "1.5", "--ledger", &ledger, "--json", "-"]);
    let goes_on = server.try_wait().expect("it is a child").is_none();
    server.kill().expect("it runs");
    server.wait().expect("it ends");
    if output.stderr.contains("perf_event") {
        return;
    }
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(goes_on, "it was not ours to end");
    let work = |name: &str| function(&output.json(), name)["instructions"].as_u64().expect("a number");
    assert!(work("handle") > 500 && work("work") > 500);
    Flow::of(&ledger);
}

#[test]
fn snapshots_are_whole_ledgers_and_sampling_goes_on() {
    let place = Place::new();
    let program = built(&place);
    let ledger = place.file("run.opc");
    let mut server = place.program(&program).stdout(Stdio::null()).spawn().expect("it starts");
    let pid = server.id().to_string();
    let mut sampling = Sampling::start(&place, &["sample", "--pid", &pid, "--ledger", &ledger]);
    let snapshots = ["run-1.opc", "run-2.opc"].map(|name| place.file(name));
    for path in &snapshots {
        std::thread::sleep(Duration::from_millis(1500));
        if sampling.0.as_mut().expect("it runs").try_wait().expect("a child").is_some() {
            let (_, words) = sampling.end();
            assert!(words.contains("perf_event"), "{words}");
            server.kill().expect("it runs");
            server.wait().expect("it ends");
            return;
        }
        kill("-USR1", sampling.pid());
        let began = Instant::now();
        while !Path::new(path).exists() && began.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // As long again: of a moment more an estimate may be the smaller one.
    std::thread::sleep(Duration::from_millis(1500));
    kill("-TERM", sampling.pid());
    let (status, words) = sampling.end();
    assert!(server.try_wait().expect("it is a child").is_none(), "the server goes on: {words}");
    server.kill().expect("it runs");
    server.wait().expect("it ends");
    assert_eq!(status, Some(0), "{words}");
    assert!(words.contains("snapshot 1 after") && words.contains("snapshot 2 after"), "{words}");
    let handled = [&snapshots[0], &snapshots[1], &ledger].map(|path| Flow::of(path).calls["handle"]);
    assert!(handled[0] < handled[1] && handled[1] < handled[2], "each knows more: {handled:?}");
}

#[test]
fn a_process_that_was_not_built_to_be_sampled_is_told_as_such() {
    let place = Place::new();
    let mut idle = place.program("sleep").arg("60").spawn().expect("it starts");
    let pid = idle.id().to_string();
    let output = opcost(&["sample", "--pid", &pid, "--for", "0.2"]);
    idle.kill().expect("it runs");
    idle.wait().expect("it ends");
    if output.stderr.contains("perf_event") {
        return;
    }
    assert_eq!(output.status, 2, "{}", output.stderr);
    output.expect_stderr(&[&format!("process {pid} (sleep)"), "opcost sample --emit exe"]);
}
