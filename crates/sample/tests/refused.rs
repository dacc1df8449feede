//! What happens where the machine refuses its counters?
//!
//! The test runs itself again behind a filter of system calls that refuses
//! `perf_event_open`, as containers do.

mod common;

use std::path::Path;
use std::process::Command;

use common::{NINE_TO_ONE, Shop, WORK, function, options};
use opcost_sample::{End, Error, Sampler, SessionOptions, TimerSampler};

/// Set for the run behind the filter; names the program to sample.
const INSIDE: &str = "OPCOST_TEST_BEHIND_A_FILTER";

const FILTER: &str = include_str!("refuse_events.c");

#[test]
fn the_refusal_is_told_and_the_timer_samples_instead() {
    if let Some(program) = std::env::var_os(INSIDE) {
        return behind_the_filter(Path::new(&program));
    }
    let shop = Shop::new();
    let filter = shop.build("filter", FILTER, &[]);
    let program = shop.build("program", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    let output = Command::new(filter)
        .arg(std::env::current_exe().expect("this test is a program"))
        .args(["--exact", "the_refusal_is_told_and_the_timer_samples_instead", "--nocapture"])
        .env(INSIDE, &program)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(77) {
        eprintln!("not tested: this machine has no filters of system calls");
        return;
    }
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn behind_the_filter(program: &Path) {
    let refused = Sampler::start(Command::new(program), &options(4000)).err().expect("it is refused");
    assert!(matches!(refused, Error::NotPermitted { .. }), "{refused}");
    let told = refused.to_string();
    for part in ["does not let us sample", "perf_event_paranoid is", "sysctl", "in a container"] {
        assert!(told.contains(part), "{told}");
    }
    let attached = Sampler::attach(&[std::process::id()], &options(4000)).err();
    assert!(matches!(attached, Some(Error::NotPermitted { .. })));
    let pace = opcost_sample::Pace::Overhead(0.02);
    let measured =
        Sampler::start(Command::new(program), &SessionOptions { pace, ..SessionOptions::default() }).err();
    assert!(matches!(measured, Some(Error::NotPermitted { .. })));
    let mut sampler =
        TimerSampler::start(Command::new(program), &options(1000), Path::new("cc")).expect("it starts");
    sampler.wait(None).expect("it is sampled");
    let samples = sampler.finish().expect("there are samples");
    assert_eq!(samples.end, End::Exited(3));
    let image = samples.image(program.to_str().expect("a plain path")).expect("the program is hit");
    assert!(image.hits_in(function(program, "hot")) > 20);
}
