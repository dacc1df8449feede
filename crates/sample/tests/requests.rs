//! Are signals heard as requests, and does the program get those that are passed on?

mod common;

use std::process::Command;
use std::time::Duration;

use common::{Shop, may_sample, options};
use opcost_interrupt::{Hears, Requests, UserRequest};
use opcost_sample::{End, Sampler, SessionProgress, TimerSampler};

const ENDLESS: &str = "int main(void) { for (volatile unsigned long i = 0;; i++) {} }";

/// One test, since signals come to the process as a whole.
#[test]
fn signals_become_requests_and_reach_the_program() {
    let requests = Requests::listen(Hears::EndsAndSnapshots).expect("signals can be heard");
    let kill = |name: &str| {
        let own = std::process::id().to_string();
        assert!(Command::new("kill").args([name, &own]).status().expect("kill starts").success());
        // The kernel delivers it before long, to whichever thread.
        for _ in 0..500 {
            if let Some(request) = requests.next() {
                return request;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{name} was not heard");
    };
    assert_eq!(requests.next(), None);
    assert_eq!(kill("-USR1"), UserRequest::Snapshot);
    assert_eq!(kill("-TERM"), UserRequest::Stop { signal: 15, by_terminal: false });
    // A shell has ^C ignored by what runs in the background; then it stays so.
    if !is_ignored(2) {
        assert_eq!(kill("-INT"), UserRequest::Stop { signal: 2, by_terminal: false });
    }
    assert_eq!(requests.next(), None);
    let shop = Shop::new();
    let program = shop.build("endless", ENDLESS, &[]);
    if may_sample() {
        let mut sampler = Sampler::start(Command::new(&program), &options(1000)).expect("it starts");
        assert_eq!(
            sampler.wait(Some(Duration::from_millis(200))).expect("it waits"),
            SessionProgress::GoesOn
        );
        sampler.signal(15);
        assert_eq!(sampler.wait(None).expect("it waits"), SessionProgress::Ended);
        let samples = sampler.finish().expect("there are samples");
        assert_eq!(samples.end, End::Killed(15));
        assert!(samples.total > 0);
    }
    let timer = TimerSampler::start(Command::new(&program), &options(1000), "cc".as_ref());
    let mut timer = timer.expect("it starts");
    assert_eq!(timer.wait(Some(Duration::from_millis(200))).expect("it waits"), SessionProgress::GoesOn);
    // What is heard here has its own effect in programs that are started.
    timer.signal(15);
    assert_eq!(timer.wait(None).expect("it waits"), SessionProgress::Ended);
    assert_eq!(timer.finish().expect("it ended").end, End::Killed(15));
}

/// Whether the process was started with a signal ignored.
fn is_ignored(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("there is one");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("it is told");
    u64::from_str_radix(mask.trim(), 16).expect("a mask") >> (signal - 1) & 1 == 1
}
