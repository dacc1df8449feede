//! What happens to the program when the sampler dies?
//!
//! The test runs itself again as the sampler, which aborts in the middle.

mod common;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Shop, WORK, may_sample, options};
use opcost_sample::{Sampler, TimerSampler};

/// Set for the sampler that dies; names the program, then a file that the
/// program makes when it is done.
const INSIDE: [&str; 2] = ["OPCOST_TEST_PROGRAM", "OPCOST_TEST_MARK"];

const PROGRAM: &str = "
#include <fcntl.h>
#include <unistd.h>
volatile unsigned long sink;
int main(int count, char **arguments) {
    (void)count;
    for (int i = 0; i < 200; i++) sink += hot(1000000);
    return open(arguments[1], O_CREAT | O_WRONLY, 0600) < 0;
}";

/// Runs the test `name` again as a sampler that aborts while its program runs,
/// and waits until the program has made its mark.
fn outlives(name: &str) {
    let shop = Shop::new();
    let program = shop.build("program", &format!("{WORK}{PROGRAM}"), &[]);
    let mark = shop.path("mark");
    let output = Command::new(std::env::current_exe().expect("this test is a program"))
        .args(["--exact", name, "--nocapture"])
        .env(INSIDE[0], &program)
        .env(INSIDE[1], &mark)
        .env("TMPDIR", shop.path("."))
        .output()
        .expect("it runs");
    assert_eq!(output.status.signal(), Some(6), "{}", String::from_utf8_lossy(&output.stderr));
    let mut waited = Duration::ZERO;
    while !mark.exists() && waited < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
        waited += Duration::from_millis(20);
    }
    assert!(mark.exists(), "the program goes on to its end");
}

/// The program to sample, if this is the sampler that dies.
fn inside() -> Option<Command> {
    let mut command = Command::new(std::env::var_os(INSIDE[0])?);
    command.arg(std::env::var_os(INSIDE[1])?);
    Some(command)
}

#[test]
fn a_program_outlives_its_sampler() {
    if let Some(command) = inside() {
        let mut sampler = Sampler::start(command, &options(4000)).expect("it starts");
        sampler.wait(Some(Duration::from_millis(100))).expect("it waits");
        std::process::abort();
    }
    if may_sample() {
        outlives("a_program_outlives_its_sampler");
    }
}

#[test]
fn a_program_outlives_the_reader_of_its_timer() {
    if let Some(command) = inside() {
        let mut sampler = TimerSampler::start(command, &options(1000), Path::new("cc")).expect("it starts");
        sampler.wait(Some(Duration::from_millis(100))).expect("it waits");
        std::process::abort();
    }
    outlives("a_program_outlives_the_reader_of_its_timer");
}
