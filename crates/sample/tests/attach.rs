//! Are processes sampled that run already, and is a snapshot true?

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Shop, WORK, function, may_sample, options};
use opcost_sample::{End, Error, LostReason, Sampler, SessionOptions, SessionProgress, read_perf_data};

/// A process that works until it is killed, with two threads from the begin
/// and one more every 20 ms; it has said that it is ready.
struct Worker(Child);

const WORKER: &str = "
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
volatile unsigned long sink;
static void *ever(void *n) { (void)n; for (;;) sink += hot(100000); return 0; }
static void *brief(void *n) { (void)n; for (int i = 0; i < 20; i++) sink += cold(100000); return 0; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, ever, 0);
    puts(\"ready\");
    fflush(stdout);
    for (;;) { pthread_create(&thread, 0, brief, 0); pthread_join(thread, 0); usleep(20000); }
}";

impl Worker {
    fn start(program: &Path) -> Self {
        let mut child = Command::new(program).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output is a pipe");
        BufReader::new(output).read_line(&mut line).expect("it says something");
        assert_eq!(line, "ready\n");
        Worker(child)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn all_threads_of_a_running_process_are_sampled_and_snapshots_grow() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let program = shop.build("worker", &format!("{WORK}{WORKER}"), &["-pthread"]);
    let (first, second) = (Worker::start(&program), Worker::start(&program));
    let keeping = SessionOptions { keep: Some(shop.path("kept")), ..options(4000) };
    let mut sampler = Sampler::attach(&[first.0.id(), second.0.id()], &keeping).expect("it attaches");
    let mut before = 0;
    for _ in 0..3 {
        assert_eq!(
            sampler.wait(Some(Duration::from_millis(300))).expect("it waits"),
            SessionProgress::GoesOn
        );
        let snapshot = sampler.snapshot().expect("there is something");
        assert_eq!(snapshot.end, End::GoesOn);
        assert!(snapshot.total > before, "{} after {before}", snapshot.total);
        before = snapshot.total;
    }
    let samples = sampler.finish().expect("there are samples");
    let kept = read_perf_data(&shop.path("kept")).expect("it is read");
    assert_eq!((&kept.images, &kept.homeless), (&samples.images, &samples.homeless));
    assert_eq!(kept.by_process, samples.by_process);
    let mut pids: Vec<u32> = samples.by_process.iter().map(|process| process.pid).collect();
    pids.sort_unstable();
    let mut both = [first.0.id(), second.0.id()];
    both.sort_unstable();
    assert_eq!(pids, both);
    // Names that were given before anybody looked.
    let is_worker = |name: &Option<String>| name.as_deref() == Some("worker");
    assert!(samples.by_process.iter().all(|process| is_worker(&process.name)));
    let mut threads = samples.by_process.iter().flat_map(|process| &process.threads);
    assert!(threads.all(|thread| is_worker(&thread.name)), "{:?}", samples.by_process);
    let image = samples.image(path(&program)).expect("the program is hit");
    let (hot, cold) = (image.hits_in(function(&program, "hot")), image.hits_in(function(&program, "cold")));
    assert!(hot > 100, "the thread that was there: {hot}");
    assert!(cold > 20, "threads that came later: {cold}");
    assert!(samples.processes == 2 && samples.threads > 6, "{} {}", samples.processes, samples.threads);
    assert_eq!(samples.homeless_hits(|reason| *reason == LostReason::Unmapped), 0);
    // Nobody is counted twice.
    let reached = samples.rate_reached().expect("time is known");
    assert!((2500.0..4400.0).contains(&reached), "{reached} a second of 4000");
}

#[test]
fn a_process_that_ends_ends_the_wait() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let program = shop.build("worker", &format!("{WORK}{WORKER}"), &["-pthread"]);
    let mut worker = Worker::start(&program);
    let mut sampler = Sampler::attach(&[worker.0.id()], &options(4000)).expect("it attaches");
    assert_eq!(sampler.wait(Some(Duration::from_millis(200))).expect("it waits"), SessionProgress::GoesOn);
    worker.0.kill().expect("it is killed");
    assert_eq!(sampler.wait(None).expect("it waits"), SessionProgress::Ended);
    let samples = sampler.finish().expect("there are samples");
    assert_eq!(samples.end, End::AllEnded);
    assert!(samples.total > 50, "{}", samples.total);
}

#[test]
fn a_running_program_whose_file_is_gone_is_told() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let program = shop.build("worker", &format!("{WORK}{WORKER}"), &["-pthread"]);
    let worker = Worker::start(&program);
    std::fs::remove_file(&program).expect("it is there");
    let mut sampler = Sampler::attach(&[worker.0.id()], &options(4000)).expect("it attaches");
    sampler.wait(Some(Duration::from_millis(300))).expect("it waits");
    let samples = sampler.finish().expect("there are samples");
    assert!(samples.homeless_hits(|reason| *reason == LostReason::Deleted) > 50, "{:?}", samples.homeless);
}

#[test]
fn a_process_that_is_not_there_is_told() {
    if !may_sample() {
        return;
    }
    let mut child = Command::new("true").spawn().expect("it starts");
    child.wait().expect("it ends");
    let error = Sampler::attach(&[child.id()], &options(1000)).err().expect("it is gone");
    assert!(matches!(error, Error::NoProcess { pid } if pid == child.id()), "{error}");
}
