//! Does the timer sample where the kernel's counters are refused?

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{FAMILY, NINE_TO_ONE, Shop, WORK, function, is_the_family, options};
use opcost_sample::{End, Error, Samples, SessionOptions, SessionProgress, TimerSampler};

fn start(command: Command, options: &SessionOptions) -> TimerSampler {
    TimerSampler::start(command, options, Path::new("cc")).expect("it starts")
}

fn sampled(command: Command) -> Samples {
    let mut sampler = start(command, &options(1000));
    assert_eq!(sampler.wait(None).expect("it is sampled"), SessionProgress::Ended);
    let samples = sampler.finish().expect("there are samples");
    let homes: u64 = samples.images.iter().map(|image| image.total()).sum();
    assert_eq!(homes + samples.homeless_hits(|_| true), samples.total, "each sample is counted once");
    samples
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn nine_tenths_are_seen_and_the_rate_that_was_reached_is_told() {
    let shop = Shop::new();
    for (name, flags) in [("pie", &["-pie", "-fPIE"]), ("fixed", &["-no-pie", "-fno-pie"])] {
        let program = shop.build(name, &format!("{WORK}{NINE_TO_ONE}"), flags);
        let samples = sampled(Command::new(&program));
        assert_eq!((samples.end, samples.lost, samples.broken), (End::Exited(3), 0, 0));
        let image = samples.image(path(&program)).expect("the program is hit");
        let (hot, cold) =
            (image.hits_in(function(&program, "hot")), image.hits_in(function(&program, "cold")));
        assert!(hot > 20 && hot > cold * 3, "{name}: {hot} and {cold}");
        let reached = samples.rate_reached().expect("time is known");
        assert!((30.0..1100.0).contains(&reached), "{reached} of {:?}", samples.rate);
    }
}

#[test]
fn children_threads_and_what_they_become_are_followed() {
    let shop = Shop::new();
    let other = shop.build("other", &format!("{WORK}{NINE_TO_ONE}"), &["-no-pie", "-fno-pie"]);
    let main = "
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
static void *thread(void *n) { (void)n; for (int i = 0; i < 90; i++) sink += hot(1000000); return 0; }
int main(int count, char **arguments) {
    pthread_t one;
    (void)count;
    pthread_create(&one, 0, thread, 0);
    if (fork() == 0) { for (int i = 0; i < 90; i++) sink += cold(1000000); _exit(0); }
    pthread_join(one, 0);
    wait(0);
    /* Both lie at the same addresses; none may get the other's samples. */
    execv(arguments[1], arguments + 1);
    return 1;
}";
    let program = shop.build("main", &format!("{WORK}{main}"), &["-pthread", "-no-pie", "-fno-pie"]);
    let mut command = Command::new(&program);
    command.arg(&other);
    let samples = sampled(command);
    assert_eq!(samples.end, End::Exited(3));
    let image = samples.image(path(&program)).expect("hit");
    let (hot, cold) = (image.hits_in(function(&program, "hot")), image.hits_in(function(&program, "cold")));
    assert!(hot > 20 && cold > 20, "thread {hot}, child {cold}");
    let other_image = samples.image(path(&other)).expect("what it became");
    let stray = other_image.total()
        - other_image.hits_in(function(&other, "hot"))
        - other_image.hits_in(function(&other, "cold"));
    assert!(other_image.total() > 20 && stray * 10 <= other_image.total(), "{stray}");
    assert_eq!(samples.processes, 2);
}

#[test]
fn processes_and_threads_have_their_names() {
    let shop = Shop::new();
    let other = shop.build("other", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    let program = shop.build("family", &format!("{WORK}{FAMILY}"), &["-pthread"]);
    let mut command = Command::new(&program);
    command.arg(&other);
    is_the_family(&sampled(command));
}

#[test]
fn a_program_that_is_killed_leaves_what_it_wrote_and_a_snapshot_is_true() {
    let shop = Shop::new();
    let plugin = shop.build("plugin.so", WORK, &["-shared", "-fPIC"]);
    let main = "
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
volatile unsigned long sink;
int main(int count, char **arguments) {
    (void)count;
    for (int i = 0;; i++) {
        void *plugin = dlopen(arguments[1], RTLD_NOW);
        unsigned long (*hot)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(plugin, \"hot\");
        sink += hot(20000000);
        if (i == 20) kill(getpid(), SIGKILL);
        dlclose(plugin);
    }
}";
    let program = shop.build("host", main, &["-ldl"]);
    let mut command = Command::new(&program);
    command.arg(&plugin);
    let mut sampler = start(command, &options(1000));
    sampler.wait(Some(Duration::from_millis(400))).expect("it waits");
    let before = sampler.snapshot().expect("there is something").total;
    sampler.wait(None).expect("it waits");
    let samples = sampler.finish().expect("there are samples");
    assert_eq!(samples.end, End::Killed(9));
    assert!(samples.total > before, "{before}, then {}", samples.total);
    let image = samples.image(path(&plugin)).expect("the plug-in is hit");
    let hot = image.hits_in(function(&plugin, "hot"));
    assert!(hot > 40 && hot * 10 > samples.total * 8, "{hot} of {}: {:?}", samples.total, samples.homeless);
}

#[test]
fn a_full_ring_loses_and_counts() {
    let shop = Shop::new();
    let main = "
volatile unsigned long sink;
int main(void) { for (int i = 0; i < 1000; i++) sink += hot(1000000); return 0; }";
    let program = shop.build("loses", &format!("{WORK}{main}"), &[]);
    let sampler = start(Command::new(&program), &SessionOptions { ring_pages: 1, ..options(1000) });
    let status = format!("/proc/{}/stat", sampler.pid());
    let has_ended = || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        status.rsplit(')').next().is_none_or(|rest| rest.trim_start().starts_with('Z'))
    };
    while !has_ended() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let samples = sampler.finish().expect("there are samples");
    assert_eq!(samples.end, End::Exited(0));
    assert!(samples.lost > 10 && samples.total < 128, "{} lost, {} seen", samples.lost, samples.total);
}

/// A list of libraries to load is divided by blanks and colons. Where folders lie is the
/// process's, so another one runs a test of this file.
#[test]
fn a_temporary_folder_with_blank_and_colon_does() {
    let folder = tempfile::Builder::new().prefix("a blank: and a colon ").tempdir().expect("a folder");
    let mut other = Command::new(std::env::current_exe().expect("this test"));
    other.args(["--exact", "processes_and_threads_have_their_names"]).env("TMPDIR", folder.path());
    let output = other.output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[test]
fn what_cannot_be_entered_is_told() {
    let shop = Shop::new();
    let program = shop.build("alone", &format!("{WORK}{NINE_TO_ONE}"), &["-static"]);
    let mut sampler = start(Command::new(&program), &options(1000));
    sampler.wait(None).expect("it runs");
    let told = sampler.finish().expect_err("nothing was entered").to_string();
    assert!(told.contains("was not entered") && told.contains("static"), "{told}");
}

#[test]
fn no_room_for_a_ring_harms_nothing_and_is_told() {
    let shop = Shop::new();
    let program = shop.build("program", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    // The shell has a ring, and the program, which may write no large file, has none.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 8; exec \"$0\""]).arg(&program);
    let samples = sampled(command);
    assert_eq!(samples.end, End::Exited(3), "it runs to its end");
    assert_eq!(samples.image(path(&program)), None);
    let reached = samples.rate_reached().expect("time is known");
    assert!(reached < 30.0, "the rate tells what was missed: {reached}");
}

#[test]
fn a_compiler_that_is_not_there_is_told() {
    let refused = TimerSampler::start(Command::new("true"), &options(1000), Path::new("/nowhere/cc"));
    let error = refused.err().expect("no compiler");
    assert!(matches!(&error, Error::Timer { .. }), "{error}");
    assert!(error.to_string().contains("cannot be built: /nowhere/cc"), "{error}");
    let gone = TimerSampler::start(Command::new("/nowhere/at-all"), &options(1000), Path::new("cc"));
    assert!(matches!(gone.err(), Some(Error::Start { .. })));
}
