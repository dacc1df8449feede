//! How often is sampled: a rate that is given, or one whose cost is given?
//!
//! A sample costs the program its interrupt and the reader its look-up. Both
//! are measured when an overhead is asked for, on this machine as it is now:
//! a fixed piece of work is done with and without an event on it, in turns,
//! and the least time of each is taken (a busy machine only ever makes it
//! longer); the difference over the number of samples is the interrupt. Then
//! the records are decoded and counted, timed too. With a cost of `c` seconds
//! for a sample, an overhead of `o` is a rate of `o / c`.
//!
//! Cost: about 0.1 s. Limit: the work is a loop in registers; a program whose
//! caches suffer from interrupts pays somewhat more.

use std::hint::black_box;
use std::os::fd::AsFd;
use std::time::{Duration, Instant, SystemTime};

use crate::fold::Fold;
use crate::opening::{self, Begin, Channel, EventKind, Granted};
use crate::sys::event;
use crate::{Error, Event};

/// How often samples are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many in a second of processor time.
    PerSecond(u64),
    /// As many as cost this part of the program's time: 0.02 for 2 %.
    Overhead(f64),
}

/// No slower than this: fewer samples say nothing.
const SLOWEST: u64 = 10;
/// Measured at this rate, at which interrupts show in a short time.
const MEASURED_AT: u64 = 10_000;

/// The rate that a pace means for an event.
pub(crate) fn rate(pace: &Pace, event: &Event) -> Result<u64, Error> {
    match *pace {
        Pace::PerSecond(0) => Err(Error::Rate { what: "a rate of 0 samples a second takes none".to_owned() }),
        Pace::PerSecond(rate) => Ok(rate),
        Pace::Overhead(part) => {
            if !event.is_clock() {
                let what = "an overhead picks the rate of cpu-clock and task-clock; give other events a rate";
                return Err(Error::Rate { what: what.to_owned() });
            }
            let most = opening::most_samples().unwrap_or(100_000);
            rate_for(part, cost_of_a_sample(event)?, most)
        }
    }
}

/// Samples in a second that cost the part `part` when one costs `cost`, at
/// most `most`.
fn rate_for(part: f64, cost: Duration, most: u64) -> Result<u64, Error> {
    if !(part > 0.0 && part <= 1.0) {
        let what = format!("an overhead of {} % is not between 0 and 100 %", part * 100.0);
        return Err(Error::Rate { what });
    }
    let rate = part / cost.as_secs_f64().max(1e-9);
    if rate < SLOWEST as f64 {
        let percent = SLOWEST as f64 * cost.as_secs_f64() * 100.0;
        let what = format!(
            "an overhead of {} % allows {rate:.1} samples a second here, where one costs {:.1} us; \
             {SLOWEST} a second, the fewest that are of use, cost {percent:.2} %",
            part * 100.0,
            cost.as_secs_f64() * 1e6
        );
        return Err(Error::Rate { what });
    }
    Ok((rate.round() as u64).min(most))
}

/// A fixed piece of work, a few milliseconds.
fn work() -> Duration {
    let began = Instant::now();
    let mut state = black_box(1_u64);
    for _ in 0..2_000_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
    began.elapsed()
}

/// What a sample costs here: the interrupt and the reader.
fn cost_of_a_sample(event: &Event) -> Result<Duration, Error> {
    let granted = Granted::negotiate(event, MEASURED_AT, true, false, false)?;
    let mut channels: Vec<Channel> = Vec::new();
    opening::open_task(&granted, 0, Begin::OnCommand, 64, &mut channels)?;
    let steer = |how: fn(std::os::fd::BorrowedFd<'_>) -> std::io::Result<()>| {
        let mut events = channels.iter().flat_map(|channel| &channel.events);
        let done = events.try_for_each(|event| how(event.as_fd()));
        done.map_err(|source| Error::System { doing: "steering a counter", source })
    };
    let (mut plain, mut sampled) = (Duration::MAX, Duration::MAX);
    for _ in 0..12 {
        plain = plain.min(work());
        steer(event::enable)?;
        sampled = sampled.min(work());
        steer(event::disable)?;
    }
    let taken = granted.rate as f64 * sampled.as_secs_f64();
    let interrupt = sampled.saturating_sub(plain).div_f64(taken.max(1.0));
    Ok(interrupt + cost_of_reading(&mut channels))
}

/// What it takes to read the samples that are in the rings, each.
fn cost_of_reading(channels: &mut [Channel]) -> Duration {
    let began = Instant::now();
    let mut fold = Fold::new(SystemTime::now());
    let mut bytes = Vec::new();
    for channel in channels.iter_mut().filter(|channel| channel.kind == EventKind::Samples) {
        bytes.clear();
        channel.ring.drain(&mut bytes);
        fold.feed(&channel.layout, &bytes, |_| true);
    }
    fold.finish();
    began.elapsed().div_f64(fold.collector.counts().total.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overhead_over_a_cost_is_a_rate() {
        let cost = Duration::from_micros(15);
        assert_eq!(rate_for(0.06, cost, 100_000).unwrap(), 4000);
        assert_eq!(rate_for(0.02, Duration::from_micros(20), 100_000).unwrap(), 1000);
        assert_eq!(rate_for(1.0, Duration::from_nanos(100), 100_000).unwrap(), 100_000, "the kernel's limit");
        assert_eq!(rate_for(0.5, Duration::ZERO, 100_000).unwrap(), 100_000, "too cheap to measure");
    }

    #[test]
    fn what_cannot_be_is_told() {
        for part in [0.0, -0.1, 1.5, f64::NAN] {
            assert!(rate_for(part, Duration::from_micros(15), 100_000).is_err(), "{part}");
        }
        let told = rate_for(0.0001, Duration::from_micros(20), 100_000).unwrap_err().to_string();
        assert!(told.contains("5.0 samples a second") && told.contains("0.02 %"), "{told}");
        let told = rate(&Pace::PerSecond(0), &Event::cpu_clock()).unwrap_err().to_string();
        assert!(told.contains("takes none"), "{told}");
        let faults = Event::named("page-faults").unwrap();
        assert!(rate(&Pace::Overhead(0.02), &faults).unwrap_err().to_string().contains("cpu-clock"));
    }

    #[test]
    fn the_cost_of_a_sample_is_a_time() {
        match cost_of_a_sample(&Event::cpu_clock()) {
            // Not even a slow machine needs a millisecond for one.
            Ok(cost) => assert!(cost < Duration::from_millis(1), "{cost:?}"),
            Err(error) => assert!(matches!(error, Error::NotPermitted { .. }), "{error}"),
        }
    }
}
