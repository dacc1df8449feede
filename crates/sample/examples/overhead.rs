//! What does sampling cost: a bare event, ours, and `perf record`?
//!
//! `cargo run --release -p opcost-sample --example overhead -- [ROUNDS] [PROGRAM ARGUMENTS...]`
//!
//! Each round runs the program unsampled, with a bare event (no ring, no
//! reader: the floor that no sampler can pass), with our sampler and under
//! `perf record` if it is there, at 1, 4 and 10 kHz, one after the other; so
//! what the machine does meanwhile falls on all alike. Time is processor time
//! of the program and, for sampled runs, of the reader (for `perf record` with
//! about 0.1 s to begin and end, whatever the program takes). Printed are
//! medians of the ratios to the round's unsampled run. Without a program this example
//! runs itself on a fixed piece of work.

use std::hint::black_box;
use std::process::{Command, Stdio};

use opcost_sample::{Pace, Sampler, SessionOptions, run_under_bare_event};

const RATES: [u64; 3] = [1_000, 4_000, 10_000];
/// Each over the unsampled run but where it says otherwise; the reader is in
/// "opcost", and for itself over what the sampled program took.
const NAMES: [&str; 5] = ["bare event", "opcost", "opcost over bare", "reader alone", "perf record"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("--work") {
        work();
        return Ok(());
    }
    let rounds: usize = first.map_or(Ok(9), |rounds| rounds.parse())?;
    let program: Vec<String> = match arguments.collect::<Vec<String>>() {
        given if !given.is_empty() => given,
        _ => vec![std::env::current_exe()?.to_string_lossy().into_owned(), "--work".to_owned()],
    };
    let has_perf = Command::new("perf").arg("--version").stdout(Stdio::null()).status().is_ok();
    let mut ratios = vec![[const { Vec::new() }; NAMES.len()]; RATES.len()];
    for _ in 0..rounds {
        for (rate, ratios) in RATES.into_iter().zip(&mut ratios) {
            let plain = time(|| run(&program, |mut command| Ok(command.status().map(drop)?)))?;
            let bare = time(|| run(&program, |command| Ok(run_under_bare_event(command, rate)?)))?;
            let (reader, children) = parts(|| run(&program, |command| sampled(command, rate)))?;
            let ours = reader + children;
            ratios[0].push(bare / plain);
            ratios[1].push(ours / plain);
            ratios[2].push(ours / bare);
            ratios[3].push(1.0 + reader / children);
            if has_perf {
                let perf = time(|| {
                    run(&under_perf(&program, rate), |mut command| Ok(command.status().map(drop)?))
                })?;
                ratios[4].push(perf / plain);
            }
        }
    }
    println!("{rounds} rounds; ratios of processor time, median [least .. most]");
    for (rate, ratios) in RATES.into_iter().zip(&mut ratios) {
        for (name, ratios) in NAMES.into_iter().zip(ratios) {
            ratios.sort_by(f64::total_cmp);
            if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
                let median = ratios[ratios.len() / 2];
                println!("{rate:6} Hz  {name:16} {median:.4} [{least:.4} .. {most:.4}]");
            }
        }
    }
    Ok(())
}

type Answer = Result<(), Box<dyn std::error::Error>>;

fn run(program: &[String], how: impl FnOnce(Command) -> Answer) -> Answer {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).stdout(Stdio::null()).stderr(Stdio::null());
    how(command)
}

fn sampled(command: Command, rate: u64) -> Answer {
    let options = SessionOptions { pace: Pace::PerSecond(rate), ..SessionOptions::default() };
    let mut sampler = Sampler::start(command, &options)?;
    sampler.wait(None)?;
    let samples = sampler.finish()?;
    let reached = samples.rate_reached().unwrap_or(0.0);
    if samples.lost > 0 || reached < rate as f64 * 0.9 {
        eprintln!("asked {rate} Hz, reached {reached:.0}, lost {}", samples.lost);
    }
    Ok(())
}

fn under_perf(program: &[String], rate: u64) -> Vec<String> {
    let rate = rate.to_string();
    let perf = ["perf", "record", "-q", "-B", "-N", "-e", "cpu-clock", "-F", &rate, "-o", "/dev/null", "--"];
    perf.into_iter().map(str::to_owned).chain(program.iter().cloned()).collect()
}

/// Processor time, in seconds, of this process and its children during `job`.
fn time(job: impl FnOnce() -> Answer) -> Result<f64, Box<dyn std::error::Error>> {
    let (own, children) = parts(job)?;
    Ok(own + children)
}

/// The same, each for itself.
fn parts(job: impl FnOnce() -> Answer) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let before = opcost_sample::processor_time();
    job()?;
    let after = opcost_sample::processor_time();
    Ok(((after.0 - before.0).as_secs_f64(), (after.1 - before.1).as_secs_f64()))
}

fn work() {
    let mut table = vec![1_u64; 1 << 17];
    let mut state = black_box(1_u64);
    for turn in 0..600_000_000_u64 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let cell = (state % table.len() as u64) as usize;
        table[cell] = table[cell].wrapping_add(turn);
    }
    black_box((state, table));
}
